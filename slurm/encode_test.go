package slurm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// schema reads which JSON each member of Slurm's job description takes.
func schema(t *testing.T) map[string]string {
	t.Helper()
	kinds := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(readFile(t, "testdata/job_desc_msg.txt")))
	for lines.Scan() {
		if name, kind, ok := strings.Cut(lines.Text(), " "); ok && name != "#" {
			kinds[name] = kind
		}
	}
	if len(kinds) != 115 {
		t.Fatalf("%d members in the schema", len(kinds))
	}
	return kinds
}

// kindOf names what a decoded value is, in the words of the schema.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "integer"
	case []any:
		return "list"
	case map[string]any:
		if _, ok := v["number"].(float64); ok && v["set"] == true {
			return "number"
		}
	}
	return fmt.Sprintf("%T", v)
}

// sentJob submits the spec and returns the job description that was sent.
func sentJob(t *testing.T, spec *slurm.JobSpec) map[string]any {
	t.Helper()
	c, s := newScripted(t, answer{status: 200, body: `{"job_id":7,"jobs":[]}`})
	if _, err := c.Submit(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Script string
		Job    map[string]any
	}
	if err := json.Unmarshal(s.requests[len(s.requests)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.Script != spec.Script {
		t.Errorf("sent the script %q", body.Script)
	}
	return body.Job
}

// fieldValues is a valid value for each field, with the member and value that must be sent for it. Fields that
// only make sense with another one set that as well.
var fieldValues = map[string]struct {
	set    func(*slurm.JobSpec)
	member string
	want   string
}{
	"Name":             {func(s *slurm.JobSpec) { s.Name = "train" }, "name", `"train"`},
	"Comment":          {func(s *slurm.JobSpec) { s.Comment = "two\nlines" }, "comment", `"two\nlines"`},
	"Arguments":        {func(s *slurm.JobSpec) { s.Arguments = []string{"a b", ""} }, "argv", `["script","a b",""]`},
	"WorkingDirectory": {func(s *slurm.JobSpec) { s.WorkingDirectory = "/scratch" }, "current_working_directory", `"/scratch"`},
	"Environment":      {func(s *slurm.JobSpec) { s.Environment = map[string]string{"B": "x=y", "A": "", "PATH": "/bin"} }, "environment", `["A=","B=x=y","PATH=/bin"]`},
	"LoginEnvironment": {func(s *slurm.JobSpec) { s.LoginEnvironment = true }, "environment", `["SLURM_GET_USER_ENV=1","SLURM_SUBMIT_DIR=/home/alice"]`},
	"Stdin":            {func(s *slurm.JobSpec) { s.Stdin = "in" }, "standard_input", `"in"`},
	"Stdout":           {func(s *slurm.JobSpec) { s.Stdout = "%j.out" }, "standard_output", `"%j.out"`},
	"Stderr":           {func(s *slurm.JobSpec) { s.Stderr = "%j.err" }, "standard_error", `"%j.err"`},
	"AppendOutput":     {func(s *slurm.JobSpec) { s.AppendOutput = true }, "open_mode", `["APPEND"]`},
	"Partition":        {func(s *slurm.JobSpec) { s.Partition = "cpu,a4" }, "partition", `"cpu,a4"`},
	"Account":          {func(s *slurm.JobSpec) { s.Account = "research" }, "account", `"research"`},
	"QOS":              {func(s *slurm.JobSpec) { s.QOS = "high" }, "qos", `"high"`},
	"Reservation":      {func(s *slurm.JobSpec) { s.Reservation = "maint" }, "reservation", `"maint"`},
	"WCKey":            {func(s *slurm.JobSpec) { s.WCKey = "k" }, "wckey", `"k"`},
	"RequiredNodes":    {func(s *slurm.JobSpec) { s.RequiredNodes = []string{"g1", "g[3-5]"} }, "required_nodes", `["g1","g[3-5]"]`},
	"ExcludedNodes":    {func(s *slurm.JobSpec) { s.ExcludedNodes = []string{"g2"} }, "excluded_nodes", `["g2"]`},
	"Constraints":      {func(s *slurm.JobSpec) { s.Constraints = "b200&nvme" }, "constraints", `"b200&nvme"`},
	"Licenses":         {func(s *slurm.JobSpec) { s.Licenses = "matlab:2" }, "licenses", `"matlab:2"`},
	"MinNodes":         {func(s *slurm.JobSpec) { s.MinNodes = 2 }, "minimum_nodes", `2`},
	"MaxNodes":         {func(s *slurm.JobSpec) { s.MaxNodes = 4 }, "maximum_nodes", `4`},
	"Tasks":            {func(s *slurm.JobSpec) { s.Tasks = 16 }, "tasks", `16`},
	"TasksPerNode":     {func(s *slurm.JobSpec) { s.TasksPerNode = 8 }, "tasks_per_node", `8`},
	"CPUsPerTask":      {func(s *slurm.JobSpec) { s.CPUsPerTask = 2 }, "cpus_per_task", `2`},
	"Exclusive":        {func(s *slurm.JobSpec) { s.Exclusive = true }, "shared", `["none"]`},
	"MemoryPerNode":    {func(s *slurm.JobSpec) { s.MemoryPerNode = 64<<30 + 1 }, "memory_per_node", `{"number":65537,"set":true}`},
	"MemoryPerCPU":     {func(s *slurm.JobSpec) { s.MemoryPerCPU = 2 << 30 }, "memory_per_cpu", `{"number":2048,"set":true}`},
	"GPUsPerNode":      {func(s *slurm.JobSpec) { s.GPUsPerNode = 8 }, "tres_per_node", `"gres/gpu:8"`},
	"GPUType":          {func(s *slurm.JobSpec) { s.GPUsPerNode, s.GPUType = 8, "b200" }, "tres_per_node", `"gres/gpu:b200:8"`},
	"TRESPerJob":       {func(s *slurm.JobSpec) { s.TRESPerJob = slurm.GPUs(4, "") }, "tres_per_job", `"gres/gpu:4"`},
	"TRESPerNode":      {func(s *slurm.JobSpec) { s.TRESPerNode = "gres/nic:1" }, "tres_per_node", `"gres/nic:1"`},
	"TRESPerSocket":    {func(s *slurm.JobSpec) { s.TRESPerSocket = "gres/gpu:1" }, "tres_per_socket", `"gres/gpu:1"`},
	"TRESPerTask":      {func(s *slurm.JobSpec) { s.TRESPerTask = slurm.GPUs(1, "b200") }, "tres_per_task", `"gres/gpu:b200:1"`},
	"TimeLimit":        {func(s *slurm.JobSpec) { s.TimeLimit = 90*time.Minute + time.Nanosecond }, "time_limit", `{"number":91,"set":true}`},
	"TimeMinimum":      {func(s *slurm.JobSpec) { s.TimeMinimum = time.Second }, "time_minimum", `{"number":1,"set":true}`},
	"Begin":            {func(s *slurm.JobSpec) { s.Begin = time.Unix(1760000000, 999) }, "begin_time", `{"number":1760000000,"set":true}`},
	"Deadline":         {func(s *slurm.JobSpec) { s.Deadline = time.Unix(1760009999, 0) }, "deadline", `1760009999`},
	"Signal":           {func(s *slurm.JobSpec) { s.Signal = "sigusr1" }, "kill_warning_signal", `"USR1"`},
	"SignalBefore":     {func(s *slurm.JobSpec) { s.Signal, s.SignalBefore = "10", 90500*time.Millisecond }, "kill_warning_delay", `{"number":91,"set":true}`},
	"SignalScript":     {func(s *slurm.JobSpec) { s.Signal, s.SignalScript = "TERM", true }, "kill_warning_flags", `["BATCH_JOB"]`},
	"Dependency":       {func(s *slurm.JobSpec) { s.Dependency = slurm.AfterOK("1", "2_3") + "," + slurm.Singleton() }, "dependency", `"afterok:1:2_3,singleton"`},
	"Array":            {func(s *slurm.JobSpec) { s.Array = "0-99:2%10" }, "array", `"0-99:2%10"`},
	"Hold":             {func(s *slurm.JobSpec) { s.Hold = true }, "hold", `true`},
	"Requeue":          {func(s *slurm.JobSpec) { s.Requeue = new(false) }, "requeue", `false`},
	"Nice":             {func(s *slurm.JobSpec) { s.Nice = -100 }, "nice", `-100`},
	"Priority":         {func(s *slurm.JobSpec) { s.Priority = 4294901757 }, "priority", `{"number":4294901757,"set":true}`},
	"MailTypes":        {func(s *slurm.JobSpec) { s.MailTypes = []slurm.MailType{slurm.MailEnd, slurm.MailTimeLimit80} }, "mail_type", `["END","TIME=80%"]`},
	"MailUser":         {func(s *slurm.JobSpec) { s.MailUser = "a@example.com" }, "mail_user", `"a@example.com"`},
	"SubmitToken":      {func(s *slurm.JobSpec) { s.SubmitToken = "nightly-2026-11-30" }, "mcs_label", `"tc-submit:nightly-2026-11-30"`},
	"Extra":            {func(s *slurm.JobSpec) { s.Extra = map[string]any{"oom_kill_step": 1} }, "oom_kill_step", `1`},
}

// Every field of the struct reaches the wire under a name and in a form that the API knows, and alone it sends
// nothing else: a member nobody asked for can change a job.
func TestEveryFieldIsSent(t *testing.T) {
	kinds := schema(t)
	always := slices.Sorted(maps.Keys(sentJob(t, validSpec())))
	if got := strings.Join(always, " "); got != "current_working_directory environment mcs_label" {
		t.Errorf("an empty spec sends %s", got)
	}
	for field := range reflect.TypeFor[slurm.JobSpec]().Fields() {
		if field.Name == "Script" || !field.IsExported() {
			continue // sentJob checks the script in every case
		}
		tt, ok := fieldValues[field.Name]
		if !ok {
			t.Errorf("no test for the field %s", field.Name)
			continue
		}
		spec := validSpec()
		tt.set(spec)
		if reflect.ValueOf(spec).Elem().FieldByName(field.Name).IsZero() {
			t.Errorf("%s: the test does not set the field", field.Name)
		}
		sent := sentJob(t, spec)
		if text, _ := json.Marshal(sent[tt.member]); string(text) != canonical(t, []byte(tt.want)) {
			t.Errorf("%s: sent %s as %s, want %s", field.Name, tt.member, text, tt.want)
		}
		for name, value := range sent {
			if kindOf(value) != kinds[name] {
				t.Errorf("%s: sent %s as %s, the API wants %q", field.Name, name, kindOf(value), kinds[name])
			}
			if name != tt.member && !slices.Contains(always, name) && !strings.HasPrefix(name, "kill_warning") {
				t.Errorf("%s: also sent %s", field.Name, name)
			}
		}
	}
}

// All fields at once: none displaces another. Only the pairs that exclude each other are left out.
func TestAllFieldsTogether(t *testing.T) {
	spec := validSpec()
	want := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(fieldValues)) {
		if name == "MemoryPerCPU" || name == "Priority" {
			continue
		}
		fieldValues[name].set(spec)
		want[fieldValues[name].member] = true
	}
	sent := sentJob(t, spec)
	for name := range want {
		if _, ok := sent[name]; !ok {
			t.Errorf("%s is not sent", name)
		}
	}
	if got := sent["tres_per_node"]; got != "gres/gpu:b200:8,gres/nic:1" {
		t.Errorf("tres_per_node is %v", got)
	}
}

func TestMarksOfSlurm(t *testing.T) {
	tests := []struct {
		why    string
		set    func(*slurm.JobSpec)
		member string
		want   string
	}{
		{"infinite needs set too", func(s *slurm.JobSpec) { s.TimeLimit = slurm.Unlimited }, "time_limit", `{"infinite":true,"number":0,"set":true}`},
		{"0 ends a job at once", func(s *slurm.JobSpec) { s.TimeLimit = time.Millisecond }, "time_limit", `{"number":1,"set":true}`},
		{"whole minutes stay", func(s *slurm.JobSpec) { s.TimeLimit = time.Minute }, "time_limit", `{"number":1,"set":true}`},
		{"all memory is 0", func(s *slurm.JobSpec) { s.MemoryPerNode = slurm.AllMemory }, "memory_per_node", `{"number":0,"set":true}`},
		{"whole MiB stay", func(s *slurm.JobSpec) { s.MemoryPerNode = 1 << 20 }, "memory_per_node", `{"number":1,"set":true}`},
		{"requeue has three values", func(s *slurm.JobSpec) { s.Requeue = new(true) }, "requeue", `true`},
		{"PATH is never missing", func(s *slurm.JobSpec) { s.Environment = map[string]string{"A": "1"} }, "environment",
			`["A=1","PATH=` + slurm.DefaultPath + `"]`},
		{"an empty PATH is the caller's will", func(s *slurm.JobSpec) { s.Environment = map[string]string{"PATH": ""} }, "environment", `["PATH="]`},
		{"a login has a PATH of its own", func(s *slurm.JobSpec) { s.LoginEnvironment, s.CPUsPerTask, s.TasksPerNode = true, 2, 3 }, "environment",
			`["SLURM_CPUS_PER_TASK=2","SLURM_GET_USER_ENV=1","SLURM_NTASKS_PER_NODE=3","SLURM_SUBMIT_DIR=/home/alice"]`},
		{"no environment at all", func(s *slurm.JobSpec) {}, "environment", `["PATH=` + slurm.DefaultPath + `"]`},
	}
	for _, tt := range tests {
		spec := validSpec()
		tt.set(spec)
		if text, _ := json.Marshal(sentJob(t, spec)[tt.member]); string(text) != tt.want {
			t.Errorf("%s: sent %s, want %s", tt.why, text, tt.want)
		}
	}
}

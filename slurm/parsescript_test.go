package slurm_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func parseScript(t testing.TB, lines ...string) *slurm.ParsedScript {
	t.Helper()
	parsed, err := slurm.ParseScript("#!/bin/bash\n" + strings.Join(lines, "\n") + "\ntrue\n")
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// The jobs that come of these and many more are compared with those of the real sbatch in internal/conformance.
func TestParseScriptSetsFields(t *testing.T) {
	parsed := parseScript(t,
		"#SBATCH -J llama -p a4 -A research -q normal --reservation=maint --wckey=k",
		"#SBATCH --comment='two words' # not --partition=cpu",
		"#SBATCH --nodes=2-4 --ntasks-per-node=8 -c 4 --exclusive --mem=64G",
		"#SBATCH --gpus-per-node=b200:8 --gres=nic:1 --gpus=16 --gpus-per-socket=4",
		"#SBATCH -t 1-12:30 --time-min=2:00:00 --signal=B:USR1@90",
		"#SBATCH --array=0-9%4 -d afterok:42 -H --no-requeue --nice=7",
		"#SBATCH --mail-type=END,FAIL --mail-user=a@example.com",
		"#SBATCH -D /scratch -i in -o out-%j -e err-%j --open-mode=append",
		"#SBATCH -C 'b200&nvme' -L matlab:2 -w g1,g[3-4] -x g9",
		"#SBATCH --begin=uts2000000000 --deadline=uts2000000060",
	)
	want := &slurm.JobSpec{
		Name: "llama", Partition: "a4", Account: "research", QOS: "normal", Reservation: "maint", WCKey: "k",
		Comment: "two words", MinNodes: 2, MaxNodes: 4, TasksPerNode: 8, CPUsPerTask: 4, Exclusive: true,
		MemoryPerNode: 64 << 30, GPUsPerNode: 8, GPUType: "b200", TRESPerNode: "gres/nic:1",
		TRESPerJob: "gres/gpu:16", TRESPerSocket: "gres/gpu:4",
		TimeLimit: 36*time.Hour + 30*time.Minute, TimeMinimum: 2 * time.Hour,
		Signal: "USR1", SignalBefore: 90 * time.Second, SignalScript: true,
		Array: "0-9%4", Dependency: "afterok:42", Hold: true, Requeue: new(false), Nice: 7,
		MailTypes: []slurm.MailType{slurm.MailEnd, slurm.MailFail}, MailUser: "a@example.com",
		WorkingDirectory: "/scratch", Stdin: "in", Stdout: "out-%j", Stderr: "err-%j", AppendOutput: true,
		Constraints: "b200&nvme", Licenses: "matlab:2", RequiredNodes: []string{"g1", "g[3-4]"}, ExcludedNodes: []string{"g9"},
		Begin: time.Unix(2000000000, 0).UTC(), Deadline: time.Unix(2000000060, 0).UTC(), LoginEnvironment: true,
		Environment: map[string]string{"SLURM_GPUS": "16", "SLURM_GPUS_PER_NODE": "b200:8", "SLURM_GPUS_PER_SOCKET": "4"},
		Extra:       map[string]any{"minimum_cpus": int64(4)},
		Script:      parsed.Spec.Script,
	}
	got, wanted := reflect.ValueOf(*parsed.Spec), reflect.ValueOf(*want)
	for i := range got.NumField() {
		field := got.Type().Field(i)
		if field.IsExported() && !reflect.DeepEqual(got.Field(i).Interface(), wanted.Field(i).Interface()) {
			t.Errorf("%s is %v, want %v", field.Name, got.Field(i), wanted.Field(i))
		}
	}
	if parsed.Components != nil || parsed.Unsupported != nil {
		t.Errorf("got %+v", parsed)
	}
	if err := parsed.Spec.Validate(); err != nil {
		t.Error(err)
	}
}

func TestParseScriptSetsExtra(t *testing.T) {
	tests := []struct {
		line, member string
		want         any
	}{
		{"--cpu-freq=medium", "cpu_frequency", "medium"},
		{"--begin=16:00", "begin_time", "16:00"},
		{"--begin=0131", "begin_time", "01/31"},
		{"--deadline=tomorrow", "deadline", "tomorrow"},
		{"--signal=R:USR1", "kill_warning_flags", []string{"RESERVATION_JOB"}},
		{"--signal=RB:USR1", "kill_warning_flags", []string{"BATCH_JOB", "RESERVATION_JOB"}},
		{"--exclusive=user", "shared", []string{"user"}},
		{"--reboot", "reboot", true},
		{"--context=ctx", "selinux_context", "ctx"},
		{"--container-id=box", "container_id", "box"},
		{"--cluster-constraint=east", "cluster_constraint", "east"},
		{"--nodes=1,4 -n 8", "nodes", "1,4"},
		{"--nodes=1,4 -n 2", "maximum_nodes", int64(2)},
		{"--mem-bind=local,verbose", "memory_binding_type", []string{"LOCAL", "VERBOSE"}},
		{"--gpu-bind=closest --gpus-per-task=1 -n1", "tres_bind", "gres/gpu:closest"},
		{"--tres-bind=gres/gpu:map:0", "tres_bind", "gres/gpu:map:0"},
	}
	for _, tt := range tests {
		parsed := parseScript(t, "#SBATCH "+tt.line)
		if got := parsed.Spec.Extra[tt.member]; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: Extra[%q] is %v, want %v", tt.line, tt.member, got, tt.want)
		}
	}
}

func TestParseScriptUnsupported(t *testing.T) {
	parsed := parseScript(t,
		"#SBATCH --wait --test-only",
		"#SBATCH --export=A=1,TOKEN --uid=bob --gid=users",
		"#PBS -l nodes=2",
		"#SBATCH --cores-per-socket=2 --bbf=f --export-file=f",
		"#SBATCH hetjob",
		"#SBATCH --nodefile=f --nodelist=./g --exclude=/f --chdir=sub --gres=help --resv-ports --autocomplete=x --cluster=c",
		"#SBATCH --gres-flags=one-task-per-sharing --mem-bind=map_mem:0,1",
	)
	var got []string
	for _, option := range parsed.Unsupported {
		if option.Reason == "" || !strings.HasPrefix(option.String(), "line ") || strings.Contains(option.String(), "\n") {
			t.Errorf("got %q", option)
		}
		got = append(got, strings.TrimSuffix(strings.Split(option.String(), ": ")[0]+" "+strings.Split(option.String(), ": ")[1], " "))
	}
	want := []string{
		"line 2 --wait", "line 2 --test-only", "line 3 --export=TOKEN", "line 3 --uid=bob", "line 3 --gid=users",
		"line 5 --cores-per-socket=2", "line 5 --bbf=f", "line 5 --export-file=f", "line 4 #PBS=-l nodes=2",
	}
	for _, name := range want {
		if !strings.Contains("\n"+strings.Join(got, "\n")+"\n", "\n"+name+"\n") {
			t.Errorf("%q is not listed in %q", name, got)
		}
	}
	later := map[string]int{}
	for _, option := range parsed.Unsupported {
		later[option.Option] = option.Component
	}
	for _, name := range []string{"--nodefile", "--nodelist", "--exclude", "--chdir", "--gres", "--resv-ports", "--autocomplete",
		"--cluster", "--gres-flags", "--mem-bind"} {
		if later[name] != 1 {
			t.Errorf("%s is not listed for the second component: %q", name, parsed.Unsupported)
		}
	}
	if parsed.Spec.Environment["A"] != "1" || parsed.Spec.WorkingDirectory != "" {
		t.Errorf("got %+v", parsed.Spec)
	}
}

// What sbatch refuses is refused with all mistakes at once, each with its line.
func TestParseScriptRefuses(t *testing.T) {
	_, err := slurm.ParseScript("#!/bin/bash\n#SBATCH --nodse=2 -N x\n# fine\n#SBATCH --mem=1X stray\n#SBATCH -Y -t 5\n#SBATCH --comment=\"a\n#SBATCH --job")
	var input *slurm.InputError
	if !errors.As(err, &input) || !errors.Is(err, slurm.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	var lines []string
	for _, p := range input.Problems {
		lines = append(lines, p.Field)
	}
	if got := strings.Join(lines, ","); got != "line 2,line 2,line 4,line 4,line 5,line 6,line 7" {
		t.Errorf("problems in %s: %v", got, err)
	}
	if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "slurm: parse script: line 2: ") {
		t.Errorf("the text is %q", err)
	}
	for script, want := range map[string]string{
		"":                                        "empty",
		"echo hello\n":                            `must start with "#!"`,
		"#!/bin/bash\r\ntrue\r\n":                 "Windows",
		"#!/bin/bash\n#SBATCH --cluster-c":        "lacks its value",
		"#!/bin/bash\n#SBATCH -N2 -N":             "-N lacks its value",
		"#!/bin/bash\n#SBATCH --ntasks-per=2":     "may be one of --ntasks-per-core, --ntasks-per-gpu",
		"#!/bin/bash\n#SBATCH --delay-boot=x":     "no span of time",
		"#!/bin/bash\n#SBATCH --oom-kill=2":       "no number from 0 to 1",
		"#!/bin/bash\n#SBATCH --switches=1@x":     "no time to wait",
		"#!/bin/bash\n#SBATCH --begin=uts5":       "seconds since 1970",
		"#!/bin/bash\n#SBATCH --nice=99999999999": "out of range",
	} {
		if _, err := slurm.ParseScript(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", script, err, want)
		}
	}
}

func TestParseScriptHet(t *testing.T) {
	parsed := parseScript(t,
		"#SBATCH --time=10 --partition=a4 --gpus=1 --output=o --cpus-per-gpu=2",
		"#SBATCH hetjob --time=20",
		"#SBATCH --partition=a4 --gpus-per-node=2",
	)
	if len(parsed.Components) != 2 || parsed.Components[0] != parsed.Spec {
		t.Fatalf("got %+v", parsed)
	}
	first, second := parsed.Components[0], parsed.Components[1]
	if second.TimeLimit != 10*time.Minute || second.Stdout != "o" || second.TRESPerJob != "" || second.Partition != "a4" ||
		second.Script != "" || second.GPUsPerNode != 2 || second.Environment != nil {
		t.Errorf("second component is %+v", second)
	}
	want := map[string]string{"SLURM_GPUS_HET_GROUP_0": "1", "SLURM_CPUS_PER_GPU_HET_GROUP_0": "2", "SLURM_GPUS_PER_NODE_HET_GROUP_1": "2"}
	if !reflect.DeepEqual(first.Environment, want) || first.TRESPerJob != "gres/gpu:1" {
		t.Errorf("first component is %+v", first)
	}
	first.WorkingDirectory, second.WorkingDirectory = "/home/alice", "/home/alice"
	if _, err := newBed(t).SubmitHet(t.Context(), parsed.Components); err != nil {
		t.Error(err)
	}
}

// Whoever has let ParseScript read the lines need not be told that Slurm does not.
func TestParsedScriptIsSubmittedWithoutWarning(t *testing.T) {
	b := newBed(t)
	parsed := parseScript(t, "#SBATCH --time=7")
	parsed.Spec.WorkingDirectory = "/home/alice"
	submission, err := b.SubmitJob(t.Context(), parsed.Spec)
	if err != nil || len(submission.Warnings) != 0 {
		t.Errorf("got %+v, %v", submission, err)
	}
	parsed.Spec.Script += "#SBATCH --time=8\n"
	submission, err = b.SubmitJob(t.Context(), parsed.Spec)
	if err != nil || len(submission.Warnings) != 1 || !strings.Contains(submission.Warnings[0].Description, "ParseScript") {
		t.Errorf("another script: got %+v, %v", submission, err)
	}
}

// Every member that is sent is one that the API knows, with JSON of its kind.
func TestParsedScriptsSendWhatTheAPIKnows(t *testing.T) {
	kinds := schema(t)
	data, err := os.ReadFile("../internal/conformance/testdata/scripts.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, part := range strings.Split(string(data), "\n-- ")[1:] {
		name, script, _ := strings.Cut(part, " --\n")
		parsed, err := slurm.ParseScript("#!/bin/bash\n" + strings.TrimPrefix(script, "#!/usr/bin/env python3\n"))
		if err != nil || strings.Contains(script, "PARENT") {
			continue
		}
		n++
		parsed.Spec.WorkingDirectory = "/home/alice"
		for member, value := range sentJob(t, parsed.Spec) {
			kind := kindOf(value)
			if text, ok := value.(string); ok && text != "" && (member == "begin_time" || member == "deadline") {
				kind = kinds[member] // Slurm reads times as text, too
			}
			if kind != kinds[member] {
				t.Errorf("%s: %s is sent as %s, the API wants %q", name, member, kind, kinds[member])
			}
		}
	}
	if n < 120 {
		t.Errorf("only %d scripts were sent", n)
	}
}

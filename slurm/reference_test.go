package slurm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// record is a JSON object as encoding/json reads it. The functions in this file read Slurm's records anew, by
// the rules of the recordings alone, so that a mistake of the decoder is not repeated in its test.
type record map[string]any

func object(t testing.TB, raw []byte) record {
	t.Helper()
	var m record
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (r record) text(name string) string { s, _ := r[name].(string); return s }

func (r record) record(name string) record { m, _ := r[name].(map[string]any); return m }

func (r record) integer(name string) int64 {
	n, _ := r[name].(json.Number)
	i, _ := strconv.ParseInt(n.String(), 10, 64)
	return i
}

func (r record) list(name string) []record {
	var all []record
	list, _ := r[name].([]any)
	for _, one := range list {
		m, _ := one.(map[string]any)
		all = append(all, m)
	}
	return all
}

func (r record) words(name string) []string {
	var all []string
	list, _ := r[name].([]any)
	for _, one := range list {
		all = append(all, one.(string))
	}
	return all
}

// wrapped reads {"set":…,"infinite":…,"number":…}; ok is false for unset and infinite.
func (r record) wrapped(name string) (n int64, ok bool) {
	w := r.record(name)
	set, _ := w["set"].(bool)
	n = w.integer("number")
	return n, set && n != 4294967294
}

func (r record) amount(name string) int64 {
	if n, ok := r.wrapped(name); ok {
		return n
	}
	return 0
}

func (r record) infinite(name string) bool { b, _ := r.record(name)["infinite"].(bool); return b }

func unix(n int64) string {
	if n == 0 || n == 4294967294 || n == 4294967295 {
		return "never"
	}
	return time.Unix(n, 0).UTC().Format(time.RFC3339)
}

func shown(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}

// field is a field of a job with what an independent reading gives for it.
type field struct {
	name      string
	got, want any
}

var terminalStates = []string{"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL",
	"DEADLINE", "OUT_OF_MEMORY"}

// exitText reads an exit code as "3", "signal 15" or "unknown".
func exitText(c record, state string) string {
	status := c.words("status")
	switch {
	case !slices.Contains(terminalStates, state) || status[0] == "PENDING":
		return "unknown"
	case status[0] == "SIGNALED" || status[0] == "CORE_DUMPED":
		return fmt.Sprint("signal ", c.record("signal").amount("id"))
	}
	return fmt.Sprint(c.amount("return_code"))
}

func gotExit(c ExitCode) string {
	switch {
	case !c.Known:
		return "unknown"
	case c.Signal != 0:
		return fmt.Sprint("signal ", c.Signal)
	}
	return fmt.Sprint(c.Code)
}

// tresText writes resources in one way for both forms: sorted, memory in bytes.
func tresText(name string, count int64) string { return fmt.Sprintf("%s=%d", name, count) }

func gotTRES(all Resources) string {
	var parts []string
	for _, one := range all {
		parts = append(parts, tresText(strings.TrimSuffix(one.Type+"/"+one.Name, "/"), one.Count))
	}
	return strings.Join(parts, ",")
}

func wantTRESText(text string) string {
	if text == "" {
		return ""
	}
	var parts []string
	for _, part := range strings.Split(text, ",") {
		name, amount, _ := strings.Cut(part, "=")
		unit := 1.0
		for i, letter := range "KMGT" {
			if s, ok := strings.CutSuffix(amount, string(letter)); ok {
				amount = s
				for range i + 1 {
					unit *= 1024
				}
			}
		}
		f, _ := strconv.ParseFloat(amount, 64)
		parts = append(parts, tresText(name, int64(f*unit)))
	}
	return strings.Join(parts, ",")
}

func wantTRESList(list []record) string {
	var parts []string
	for _, one := range list {
		count := one.integer("count")
		if one.text("type") == "mem" {
			count *= 1024 * 1024
		}
		if count >= 0 {
			parts = append(parts, tresText(strings.TrimSuffix(one.text("type")+"/"+one.text("name"), "/"), count))
		}
	}
	return strings.Join(parts, ",")
}

// taskID is the id of a record, given the ids in it.
func taskID(id, array, task int64, isTask bool) JobID {
	if array != 0 && isTask {
		return JobID(fmt.Sprintf("%d_%d", array, task))
	}
	return JobID(fmt.Sprint(id))
}

func liveFields(j *Job, r record) []field {
	states := r.words("job_state")
	task, isTask := r.wrapped("array_task_id")
	tasks, _, _ := strings.Cut(r.text("array_task_string"), "%")
	if isTask && r.amount("array_job_id") != 0 {
		tasks = ""
	}
	limit, _ := r.wrapped("time_limit")
	return []field{
		{"Source", j.Source, SourceQueue},
		{"ID", j.ID, taskID(r.integer("job_id"), r.amount("array_job_id"), task, isTask)},
		{"RawID", j.RawID, r.integer("job_id")},
		{"ArrayJobID", j.ArrayJobID.Number(), r.amount("array_job_id")},
		{"ArrayTasks", j.ArrayTasks, tasks},
		{"ArrayMaxTasks", int64(j.ArrayMaxTasks), r.amount("array_max_tasks")},
		{"HetJobID", j.HetJobID.Number(), r.amount("het_job_id")},
		{"HetOffset", j.HetOffset, r.amount("het_job_offset")},
		{"Name", j.Name, r.text("name")},
		{"User", j.User, r.text("user_name")},
		{"UserID", j.UserID, r.integer("user_id")},
		{"Group", j.Group, r.text("group_name")},
		{"GroupID", j.GroupID, r.integer("group_id")},
		{"Account", j.Account, r.text("account")},
		{"Partition", j.Partition, r.text("partition")},
		{"QOS", j.QOS, r.text("qos")},
		{"Reservation", j.Reservation, r.text("resv_name")},
		{"Cluster", j.Cluster, r.text("cluster")},
		{"State", string(j.State), states[0]},
		{"Flags", fmt.Sprint(j.Flags), fmt.Sprint(states[1:])},
		{"Reason", j.Reason, r.text("state_reason")},
		{"ReasonDetail", j.ReasonDetail, r.text("state_description")},
		{"Hold", j.Hold, r["hold"] == true},
		{"Priority", j.Priority, r.amount("priority")},
		{"Nice", j.Nice, r.integer("nice")},
		{"ExitCode", gotExit(j.ExitCode), exitText(r.record("exit_code"), states[0])},
		{"DerivedExitCode", gotExit(j.DerivedExitCode), exitText(r.record("derived_exit_code"), states[0])},
		{"RestartCount", int64(j.RestartCount), r.integer("restart_cnt")},
		{"Requeue", j.Requeue, r["requeue"] == true},
		{"SubmitTime", shown(j.SubmitTime), unix(r.amount("submit_time"))},
		{"EligibleTime", shown(j.EligibleTime), unix(r.amount("eligible_time"))},
		{"StartTime", shown(j.StartTime), unix(r.amount("start_time"))},
		{"EndTime", shown(j.EndTime), unix(r.amount("end_time"))},
		{"Deadline", shown(j.Deadline), unix(r.amount("deadline"))},
		{"TimeLimit", j.TimeLimit.Minutes(), float64(limit)},
		{"Unlimited", j.Unlimited, r.infinite("time_limit")},
		{"TimeMinimum", j.TimeMinimum.Minutes(), float64(r.amount("time_minimum"))},
		{"Nodes", j.Nodes, r.text("nodes")},
		{"NodeCount", int64(j.NodeCount), r.amount("node_count")},
		{"BatchHost", j.BatchHost, r.text("batch_host")},
		{"ScheduledNodes", j.ScheduledNodes, r.text("scheduled_nodes")},
		{"RequiredNodes", j.RequiredNodes, r.text("required_nodes")},
		{"ExcludedNodes", j.ExcludedNodes, r.text("excluded_nodes")},
		{"FailedNode", j.FailedNode, r.text("failed_node")},
		{"CPUs", int64(j.CPUs), r.amount("cpus")},
		{"Tasks", int64(j.Tasks), r.amount("tasks")},
		{"TasksPerNode", int64(j.TasksPerNode), r.amount("tasks_per_node")},
		{"CPUsPerTask", int64(j.CPUsPerTask), r.amount("cpus_per_task")},
		{"MemoryPerNode", j.MemoryPerNode, r.amount("memory_per_node") * 1024 * 1024},
		{"MemoryPerCPU", j.MemoryPerCPU, r.amount("memory_per_cpu") * 1024 * 1024},
		{"Requested", gotTRES(j.Requested), wantTRESText(r.text("tres_req_str"))},
		{"Allocated", gotTRES(j.Allocated), wantTRESText(r.text("tres_alloc_str"))},
		{"TRESPerNode", j.TRESPerNode, r.text("tres_per_node")},
		{"TRESPerJob", j.TRESPerJob, r.text("tres_per_job")},
		{"TRESPerTask", j.TRESPerTask, r.text("tres_per_task")},
		{"Constraints", j.Constraints, r.text("features")},
		{"Licenses", j.Licenses, r.text("licenses")},
		{"Dependency", j.Dependency, r.text("dependency")},
		{"WorkDir", j.WorkDir, r.text("current_working_directory")},
		{"Command", j.Command, r.text("command")},
		{"StandardInput", j.StandardInput, r.text("standard_input")},
		{"StandardOutput", j.StandardOutput, strings.ReplaceAll(r.text("standard_output"), "4294967294", "%a")},
		{"StandardError", j.StandardError, strings.ReplaceAll(r.text("standard_error"), "4294967294", "%a")},
		{"MailUser", j.MailUser, r.text("mail_user")},
		{"MailTypes", fmt.Sprint(j.MailTypes), fmt.Sprint(r.words("mail_type"))},
		{"Comment", j.Comment, r.text("comment")},
		{"AdminComment", j.AdminComment, r.text("admin_comment")},
		{"SystemComment", j.SystemComment, r.text("system_comment")},
		{"WCKey", j.WCKey, r.text("wckey")},
		{"Extra", j.Extra, r.text("extra")},
	}
}

func historyFields(j *Job, r record) []field {
	states, when, array, het := r.record("state").words("current"), r.record("time"), r.record("array"), r.record("het")
	task, isTask := array.wrapped("task_id")
	limit, _ := when.wrapped("limit")
	cpus := j.Allocated
	if cpus.CPUs() == 0 {
		cpus = j.Requested
	}
	fields := []field{
		{"Source", j.Source, SourceAccounting},
		{"ID", j.ID, taskID(r.integer("job_id"), array.integer("job_id"), task, isTask)},
		{"RawID", j.RawID, r.integer("job_id")},
		{"ArrayJobID", j.ArrayJobID.Number(), array.integer("job_id")},
		{"ArrayTasks", j.ArrayTasks, wantTasks(array.text("task"), isTask)},
		{"ArrayMaxTasks", int64(j.ArrayMaxTasks), array.record("limits").record("max").record("running").integer("tasks")},
		{"HetJobID", j.HetJobID.Number(), het.integer("job_id")},
		{"HetOffset", j.HetOffset, het.amount("job_offset")},
		{"Name", j.Name, r.text("name")},
		{"User", j.User, r.text("user")},
		{"Group", j.Group, r.text("group")},
		{"Account", j.Account, r.text("account")},
		{"Partition", j.Partition, r.text("partition")},
		{"QOS", j.QOS, r.text("qos")},
		{"Reservation", j.Reservation, r.record("reservation").text("name")},
		{"Cluster", j.Cluster, r.text("cluster")},
		{"WCKey", j.WCKey, r.record("wckey").text("wckey")},
		{"State", string(j.State), states[0]},
		{"Flags", fmt.Sprint(j.Flags), fmt.Sprint(states[1:])},
		{"Reason", j.Reason, r.record("state").text("reason")},
		{"Hold", j.Hold, r["hold"] == true},
		{"Priority", j.Priority, r.amount("priority")},
		{"ExitCode", gotExit(j.ExitCode), exitText(r.record("exit_code"), states[0])},
		{"DerivedExitCode", gotExit(j.DerivedExitCode), exitText(r.record("derived_exit_code"), states[0])},
		{"CancelledBy", j.CancelledBy, r.text("kill_request_user")},
		{"RestartCount", int64(j.RestartCount), r.integer("restart_cnt")},
		{"SubmitTime", shown(j.SubmitTime), unix(when.integer("submission"))},
		{"EligibleTime", shown(j.EligibleTime), unix(when.integer("eligible"))},
		{"StartTime", shown(j.StartTime), unix(when.integer("start"))},
		{"EndTime", shown(j.EndTime), unix(when.integer("end"))},
		{"Elapsed", j.Elapsed().Seconds(), float64(when.integer("elapsed"))},
		{"TimeLimit", j.TimeLimit.Minutes(), float64(limit)},
		{"Unlimited", j.Unlimited, when.infinite("limit")},
		{"CPUTime", j.CPUTime.Microseconds(), stepsTime(r, "total")},
		{"UserCPUTime", j.UserCPUTime.Microseconds(), stepsTime(r, "user")},
		{"SystemCPUTime", j.SystemCPUTime.Microseconds(), stepsTime(r, "system")},
		{"Nodes", j.Nodes, strings.Replace(r.text("nodes"), "None assigned", "", 1)},
		{"NodeCount", int64(j.NodeCount), r.integer("allocation_nodes")},
		{"FailedNode", j.FailedNode, r.text("failed_node")},
		{"CPUs", int64(j.CPUs), cpus.CPUs()},
		{"MemoryPerNode", j.MemoryPerNode, r.record("required").amount("memory_per_node") * 1024 * 1024},
		{"MemoryPerCPU", j.MemoryPerCPU, r.record("required").amount("memory_per_cpu") * 1024 * 1024},
		{"Requested", gotTRES(j.Requested), wantTRESList(r.record("tres").list("requested"))},
		{"Allocated", gotTRES(j.Allocated), wantTRESList(r.record("tres").list("allocated"))},
		{"Constraints", j.Constraints, r.text("constraints")},
		{"Licenses", j.Licenses, r.text("licenses")},
		{"WorkDir", j.WorkDir, r.text("working_directory")},
		{"SubmitLine", j.SubmitLine, r.text("submit_line")},
		{"StandardOutput", j.StandardOutput, strings.ReplaceAll(r.text("stdout_expanded"), "4294967294", "%a")},
		{"Comment", j.Comment, r.record("comment").text("job")},
		{"AdminComment", j.AdminComment, r.record("comment").text("administrator")},
		{"SystemComment", j.SystemComment, r.record("comment").text("system")},
		{"Extra", j.Extra, r.text("extra")},
		{"len(Steps)", len(j.Steps), len(r.list("steps"))},
	}
	for i, step := range r.list("steps") {
		if i < len(j.Steps) {
			fields = append(fields, stepFields(j.Steps[i], step)...)
		}
	}
	return fields
}

func stepFields(s Step, r record) []field {
	states, when, tres := r.words("state"), r.record("time"), r.record("tres")
	return []field{
		{"step ID", s.ID, r.record("step").text("id")},
		{"step Name", s.Name, r.record("step").text("name")},
		{"step State", string(s.State), states[0]},
		{"step Flags", len(s.Flags), len(states) - 1},
		{"step ExitCode", gotExit(s.ExitCode), exitText(r.record("exit_code"), states[0])},
		{"step StartTime", shown(s.StartTime), unix(when.amount("start"))},
		{"step EndTime", shown(s.EndTime), unix(when.amount("end"))},
		{"step Elapsed", s.Elapsed.Seconds(), float64(when.integer("elapsed"))},
		{"step CPUTime", s.CPUTime.Microseconds(), microseconds(when.record("total"))},
		{"step UserCPUTime", s.UserCPUTime.Microseconds(), microseconds(when.record("user"))},
		{"step SystemCPUTime", s.SystemCPUTime.Microseconds(), microseconds(when.record("system"))},
		{"step Used.Total", gotTRES(s.Used.Total), wantUsed(tres.record("requested").list("total"))},
		{"step Used.Average", gotTRES(s.Used.Average), wantUsed(tres.record("requested").list("average"))},
		{"step Used.Max", gotPeaks(s.Used.Max), wantPeaks(tres.record("requested").list("max"))},
		{"step Used.Min", gotPeaks(s.Used.Min), wantPeaks(tres.record("requested").list("min"))},
		{"step Output.Total", gotTRES(s.Output.Total), wantUsed(tres.record("consumed").list("total"))},
		{"step Output.Max", gotPeaks(s.Output.Max), wantPeaks(tres.record("consumed").list("max"))},
		{"step Energy", s.Energy, r.record("statistics").record("energy").amount("consumed")},
		{"step Nodes", fmt.Sprint(s.Nodes), fmt.Sprint(r.record("nodes").words("list"))},
		{"step Tasks", int64(s.Tasks), r.record("tasks").integer("count")},
		{"step CancelledBy", s.CancelledBy, r.text("kill_request_user")},
		{"step Allocated", gotTRES(s.Allocated), wantTRESList(r.record("tres").list("allocated"))},
	}
}

// stepsTime is the CPU time of a job: its own member for it is always 0.
func stepsTime(r record, kind string) (sum int64) {
	for _, step := range r.list("steps") {
		sum += microseconds(step.record("time").record(kind))
	}
	return sum
}

// wantUsed has all counts as they come: memory is in bytes here.
func wantUsed(list []record) string {
	var parts []string
	for _, one := range list {
		parts = append(parts, tresText(strings.TrimSuffix(one.text("type")+"/"+one.text("name"), "/"), one.integer("count")))
	}
	return strings.Join(parts, ",")
}

func gotPeaks(peaks Peaks) (text string) {
	for _, p := range peaks {
		text += fmt.Sprintf("%s/%s=%d on %s by %d;", p.Type, p.Name, p.Count, p.Node, p.Task)
	}
	return text
}

func wantPeaks(list []record) (text string) {
	for _, p := range list {
		text += fmt.Sprintf("%s/%s=%d on %s by %d;", p.text("type"), p.text("name"), p.integer("count"), p.text("node"), p.integer("task"))
	}
	return text
}

func microseconds(r record) int64 { return r.integer("seconds")*1e6 + r.integer("microseconds") }

// wantTasks expands a bit mask bit by bit, and joins neighbors.
func wantTasks(mask string, isTask bool) string {
	hex, ok := strings.CutPrefix(mask, "0x")
	if !ok || isTask {
		if isTask {
			return ""
		}
		return mask
	}
	var tasks []int
	for i := range 4 * len(hex) {
		digit, _ := strconv.ParseInt(hex[len(hex)-1-i/4:len(hex)-i/4], 16, 8)
		if digit&(1<<(i%4)) != 0 {
			tasks = append(tasks, i)
		}
	}
	var parts []string
	for start := 0; start < len(tasks); {
		end := start
		for end+1 < len(tasks) && tasks[end+1] == tasks[end]+1 {
			end++
		}
		part := strconv.Itoa(tasks[start])
		if end > start {
			part += "-" + strconv.Itoa(tasks[end])
		}
		parts, start = append(parts, part), end+1
	}
	return strings.Join(parts, ",")
}

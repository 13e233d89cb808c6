package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// alter sets a member of a record, by its path, to the given JSON; "-" removes it.
func alter(t testing.TB, raw json.RawMessage, path, value string) json.RawMessage {
	t.Helper()
	m := map[string]json.RawMessage{}
	if len(raw) > 0 && raw[0] == '{' {
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
	}
	name, rest, inner := strings.Cut(path, ".")
	switch {
	case inner:
		m[name] = alter(t, m[name], rest, value)
	case value == "-":
		delete(m, name)
	default:
		m[name] = json.RawMessage(value)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func jobsReply(t testing.TB, jobs ...json.RawMessage) *reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jobs": jobs, "errors": []any{}, "warnings": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	return recording{Name: t.Name(), Status: 200, Body: body}.reply(t)
}

func firstRecord(t testing.TB, name string) json.RawMessage {
	t.Helper()
	var body struct{ Jobs []json.RawMessage }
	if err := json.Unmarshal(recorded(t, name).Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Jobs[0]
}

// fault is one altered member of one job of three.
type fault struct {
	path, value string
	show        func(*Job) any // what the value comes out as
	want        any
	odd         bool // the member cannot be read, and is noted
	why         string
}

func priority(j *Job) any { return j.Priority }
func userID(j *Job) any   { return j.UserID }
func start(j *Job) any    { return shown(j.StartTime) }
func state(j *Job) any {
	return fmt.Sprintf("%s %v %v %v", j.State, j.Flags, j.State.Terminal(), j.Ended())
}
func limit(j *Job) any { return fmt.Sprint(j.TimeLimit, j.Unlimited) }
func exit(j *Job) any  { return j.ExitCode.String() }

const someTime = "2025-10-09T08:53:20Z" // 1760000000

var liveFaults = []fault{
	{"user_id", "3000000123", userID, int64(3000000123), false, "OS Login ids go up to 2^32"},
	{"group_id", "3000000123", func(j *Job) any { return j.GroupID }, int64(3000000123), false, "likewise"},
	{"user_id", "4294967294", userID, int64(4294967294), false, "a number, not a mark: Slurm's nobody"},
	{"priority.number", "4294901757", priority, int64(4294901757), false, "priority/basic counts down from 2^32"},
	{"priority", "4294901757", priority, int64(4294901757), false, "plain"},
	{"priority.number", `"4294901757"`, priority, int64(4294901757), false, "64-bit numbers of proto JSON are quoted"},
	{"priority.number", "4.294901757e+09", priority, int64(4294901757), false, "a Struct's numbers are doubles"},
	{"priority.number", "null", priority, int64(0), false, "no value"},
	{"priority", "null", priority, int64(0), false, "no value"},
	{"priority", "{}", priority, int64(0), false, "no value"},
	{"priority.number", `"NaN"`, priority, int64(0), false, "no value"},
	{"priority.number", `"soon"`, priority, int64(0), true, "no number"},
	{"priority.number", "1.5", priority, int64(0), true, "no integer"},
	{"priority", "[1]", priority, int64(0), true, "another shape"},
	{"priority.number", "1e300", priority, int64(0), false, "beyond any mark: no value"},
	{"nice", "-10000", func(j *Job) any { return j.Nice }, int64(-10000), false, "negative"},
	{"billable_tres.number", `"Infinity"`, priority, int64(1), false, "a member nobody reads"},
	{"job_id", `"193"`, func(j *Job) any { return j.ID }, JobID("193"), false, "quoted"},
	{"job_id", "193.0", func(j *Job) any { return j.ID }, JobID("193"), false, "a double"},
	{"job_id", "null", func(j *Job) any { return j.ID }, JobID(""), true, "a record without an id"},

	{"start_time.number", "1760000000.0", start, someTime, false, "a double"},
	{"start_time.number", "1.76e+09", start, someTime, false, "a double"},
	{"start_time.number", `"1760000000"`, start, someTime, false, "quoted"},
	{"start_time", "1760000000", start, someTime, false, "plain"},
	{"start_time.number", "4294967294", start, "never", false, "Slurm's NO_VAL"},
	{"start_time.number", "4294967295", start, "never", false, "Slurm's INFINITE"},
	{"start_time.number", "18446744073709551614", start, "never", false, "its NO_VAL of 64 bits"},
	{"start_time.number", "-1", start, "never", false, "negative"},
	{"start_time.set", "false", start, "never", false, "unset, whatever the number"},
	{"start_time.set", "-", start, "2026-11-30T06:52:10Z", false, "a wrapper that does not say set"},
	{"start_time", `{"set":false,"infinite":true,"number":0}`, start, "never", false, "infinite"},
	{"start_time.number", "1e17", start, "never", true, "no time"},

	{"time_limit", `{"set":false,"infinite":true,"number":0}`, limit, "0s true", false, "infinite comes before set"},
	{"time_limit", `"Infinity"`, limit, "0s true", false, "the word"},
	{"time_limit.number", `"Infinity"`, limit, "0s true", false, "the word in the wrapper"},
	{"time_limit.number", "4294967295", limit, "0s true", false, "INFINITE"},
	{"time_limit.number", "18446744073709551615", limit, "0s true", false, "INFINITE of 64 bits"},
	{"time_limit.number", "4294967294", limit, "0s false", false, "NO_VAL"},
	{"time_limit.number", "90.0", limit, "1h30m0s false", false, "a double"},
	{"time_limit.number", "9000000000000", limit, "0s false", true, "more than a duration holds"},

	{"job_state", `"COMPLETED"`, state, "COMPLETED [] true true", false, "versions before 23.11"},
	{"job_state", `["FAILED","COMPLETING"]`, state, "FAILED [COMPLETING] true false", false, "still cleaning up"},
	{"job_state", `["RUNNING","QUANTUM_WAIT"]`, state, "RUNNING [QUANTUM_WAIT] false false", false, "an unknown flag"},
	{"job_state", `["QUANTUM_WAIT","COMPLETING"]`, state, "QUANTUM_WAIT [QUANTUM_WAIT COMPLETING] false false", false, "no base state"},
	{"job_state", `["COMPLETING","FAILED"]`, state, "FAILED [COMPLETING] true false", false, "another order"},
	{"job_state", `["STAGE_OUT"]`, state, "STAGE_OUT [STAGE_OUT] false false", false, "only a flag"},
	{"job_state", `[]`, state, " [] false false", false, "empty"},
	{"job_state", `null`, state, " [] false false", false, "null"},
	{"job_state", "-", state, " [] false false", false, "missing"},
	{"job_state", `[5]`, state, "5 [5] false false", false, "a number stays unknown"},
	{"job_state", `[["RUNNING"]]`, state, " [] false false", true, "another shape"},

	{"quantum", `{"spin":[1,2,{"up":null}]}`, priority, int64(1), false, "an unknown member"},
	{"job_resources", "null", priority, int64(1), false, "not read"},
	{"job_resources", "{}", priority, int64(1), false, "not read"},
	{"job_resources", "[]", priority, int64(1), false, "not read"},
	{"job_resources.nodes", `"g[1-2]"`, priority, int64(1), false, "not read"},
	{"job_resources.nodes", `["g1"]`, priority, int64(1), false, "not read"},
	{"power", "{}", priority, int64(1), false, "not read"},

	{"name", "null", func(j *Job) any { return j.Name }, "", false, "a text that is null"},
	{"name", "-", func(j *Job) any { return j.Name }, "", false, "missing"},
	{"name", "123", func(j *Job) any { return j.Name }, "123", false, "a text that is a number"},
	{"name", `{"a":1}`, func(j *Job) any { return j.Name }, "", true, "another shape"},
	{"name", `"a\/b \u00e9\ud83d\ude80\n"`, func(j *Job) any { return j.Name }, "a/b é🚀\n", false, "escapes"},
	{"hold", "1", func(j *Job) any { return j.Hold }, true, false, "a boolean that is a number"},
	{"hold", `"perhaps"`, func(j *Job) any { return j.Hold }, false, true, "no boolean"},
	{"comment", `{"job":"mine","system":"its","administrator":""}`, func(j *Job) any { return j.Comment }, "mine",
		false, "the accounting's shape"},
	{"comment", `[]`, func(j *Job) any { return j.Comment }, "", false, "empty"},
	{"mail_type", `"END"`, func(j *Job) any { return fmt.Sprint(j.MailTypes) }, "[END]", false, "a word instead of a list"},
	{"tres_req_str", `"cpu=few"`, func(j *Job) any { return len(j.Requested) }, 0, true, "no amount"},
	{"tres_req_str", `[{"type":"mem","name":"","count":"2"}]`, func(j *Job) any { return j.Requested.Memory() },
		int64(2 << 20), false, "the accounting's shape"},
	{"memory_per_cpu.number", "18446744073709551614", func(j *Job) any { return j.MemoryPerCPU }, int64(0), false, "NO_VAL64"},
	{"memory_per_cpu.number", "9223372036854775807", func(j *Job) any { return j.MemoryPerCPU }, int64(0), true, "does not fit in bytes"},
	{"standard_output", `"/x/slurm-229_4294967294.out"`, func(j *Job) any { return j.StandardOutput },
		"/x/slurm-229_%a.out", false, "tasks that have not started"},
}

// TestLiveFaults: an odd member of one job costs neither the other jobs nor the rest of its own.
func TestLiveFaults(t *testing.T) {
	testFaults(t, "job_gpu_running", liveFaults, decodeLiveJobs)
}

var historyFaults = []fault{
	{"time.start", "4294967294", start, "never", false, "a job cancelled before its start"},
	{"time.start", `{"set":true,"infinite":false,"number":1760000000}`, start, someTime, false, "a wrapper"},
	{"time.start", `"1760000000"`, start, someTime, false, "quoted"},
	{"time.start", `"soon"`, start, "never", true, "no number"},
	{"time.elapsed", "-5", func(j *Job) any { return j.Elapsed() }, time.Duration(0), false, "negative"},
	{"time.limit", `{"set":false,"infinite":true,"number":0}`, limit, "0s true", false, "infinite"},
	{"time", "null", limit, "0s false", false, "no times at all"},
	{"time", `"now"`, limit, "0s false", true, "another shape"},
	{"time.total", "5", func(j *Job) any { return j.CPUTime }, 5 * time.Second, false, "plain seconds"},
	{"state", `["FAILED"]`, state, "FAILED [] true true", false, "without its object"},
	{"state", `"RUNNING"`, state, "RUNNING [] false false", false, "one word"},
	{"state.current", `"RUNNING"`, state, "RUNNING [] false false", false, "one word"},
	{"state.current", "[]", state, " [] false false", false, "empty"},
	{"comment", `"mine"`, func(j *Job) any { return j.Comment }, "mine", false, "the queue's shape"},
	{"comment", "[]", func(j *Job) any { return j.Comment }, "", false, "empty"},
	{"wckey", `"key"`, func(j *Job) any { return j.WCKey }, "key", false, "the queue's shape"},
	{"array.task", `"0x"`, func(j *Job) any { return j.ArrayTasks }, "", false, "no tasks"},
	{"array.task", `"0x8000000000000000000000001"`, func(j *Job) any { return j.ArrayTasks }, "0,99", false, "more than 64"},
	{"array.task", `"1-10:3%2"`, func(j *Job) any { return j.ArrayTasks }, "1-10:3", false, "ranges"},
	{"array.limits", "[]", func(j *Job) any { return j.ArrayMaxTasks }, 0, false, "empty"},
	{"steps", "null", func(j *Job) any { return len(j.Steps) }, 0, false, "null"},
	{"steps", `[5,{"step":{"id":"1.0"}}]`, func(j *Job) any { return len(j.Steps) }, 1, true, "one step of two"},
	{"steps", `[{"step":{"id":"1.0"},"time":"x"}]`, func(j *Job) any { return j.Steps[0].ID }, "1.0", true, "an odd step"},
	{"steps", `[{"step":{"id":{"job_id":1,"step_id":"0"}}}]`, func(j *Job) any { return j.Steps[0].ID }, "1.0", false, "older versions"},
	{"tres.allocated", `"cpu=3,mem=1G"`, func(j *Job) any { return fmt.Sprint(j.Allocated, j.CPUs) }, "cpu=3,mem=1G 3", false, "the queue's shape"},
	{"tres.allocated", `[{"type":"energy","count":-2},{"type":"cpu","count":18446744073709551614}]`,
		func(j *Job) any { return len(j.Allocated) }, 0, false, "marks for unknown"},
	{"tres.allocated", `{"cpu":1}`, func(j *Job) any { return len(j.Allocated) }, 0, true, "another shape"},
	{"exit_code", "3", exit, "exit code 3", false, "plain"},
	{"exit_code", "768", exit, "exit code 3", false, "a wait status"},
	{"exit_code", "null", exit, "no exit code", false, "null"},
	{"exit_code", `{"status":"ERROR","return_code":3}`, exit, "exit code 3", false, "plain members"},
	{"exit_code", `{"status":["SIGNALED"],"signal":{"signal_id":9,"name":"KILL"}}`, exit, "signal 9 (KILL)", false, "an older name"},
	{"exit_code", `{"status":["SIGNALED"],"signal":9}`, exit, "signal 9", false, "plain"},
	{"exit_code", `{"status":["CORE_DUMPED"],"signal":{"id":{"set":true,"number":11},"name":"11"}}`, exit,
		"signal 11 (SEGV), core dumped", false, "the number for a name"},
	{"exit_code", `{"status":["PENDING"]}`, exit, "no exit code", false, "has not ended"},
	{"exit_code", `{"status":["ERROR"],"return_code":"x"}`, exit, "no exit code", true, "no number"},
}

func TestHistoryFaults(t *testing.T) {
	testFaults(t, "slurmdb_job_completed", historyFaults, decodeHistoryJobs)
}

func testFaults(t *testing.T, name string, faults []fault, decode func(*reply) ([]*Job, error)) {
	good := firstRecord(t, name)
	sound, err := decode(jobsReply(t, good))
	if err != nil || len(sound[0].Odd) > 0 {
		t.Fatal(err, sound)
	}
	for _, f := range faults {
		what := f.path + " = " + f.value + " (" + f.why + ")"
		altered := alter(t, good, f.path, f.value)
		jobs, err := decode(jobsReply(t, good, altered, good))
		if err != nil || len(jobs) != 3 {
			t.Errorf("%s: %d jobs, %v", what, len(jobs), err)
			continue
		}
		if got := f.show(jobs[1]); got != f.want {
			t.Errorf("%s: got %v, want %v", what, got, f.want)
		}
		if odd := len(jobs[1].Odd) > 0; odd != f.odd {
			t.Errorf("%s: odd members %v, want some: %v", what, jobs[1].Odd, f.odd)
		}
		for _, odd := range jobs[1].Odd {
			top, _, _ := strings.Cut(f.path, ".")
			if !strings.HasPrefix(odd.Member, top) || odd.Problem == "" {
				t.Errorf("%s: odd member %+v does not name it", what, odd)
			}
		}
		if jobs[0].String() != sound[0].String() || jobs[2].String() != sound[0].String() {
			t.Errorf("%s: the other jobs are %v and %v, want %v", what, jobs[0], jobs[2], sound[0])
		}
		if top, _, _ := strings.Cut(f.path, "."); top != "name" && jobs[1].Name != sound[0].Name || jobs[1].User != sound[0].User {
			t.Errorf("%s: lost the rest of the job: %v", what, jobs[1])
		}
	}
}

// TestOddRecords: an element of a list that is no object costs only itself, and is reported.
func TestOddRecords(t *testing.T) {
	good := firstRecord(t, "job_running")
	for _, odd := range []string{"null", "5", `"job"`, "[]", "[{}]"} {
		jobs, err := decodeLiveJobs(jobsReply(t, good, json.RawMessage(odd), good))
		if len(jobs) != 2 || jobs[1].Name != "my-run" {
			t.Errorf("%s: got %v, want the two jobs", odd, jobs)
		}
		if !errors.Is(err, ErrPartial) || !strings.Contains(err.Error(), "jobs[1]: want an object, got ") {
			t.Errorf("%s: error %v", odd, err)
		}
	}
	_, err := decodeLiveJobs(jobsReply(t, json.RawMessage("5"), good, json.RawMessage("6")))
	if err == nil || !strings.Contains(err.Error(), "jobs[0]: want an object, got 5, and 1 more like it") {
		t.Errorf("two odd records: %v", err)
	}
}

// TestListShapes: what may stand where the list of jobs should be.
func TestListShapes(t *testing.T) {
	tests := []struct {
		body    string
		wantErr string // "" for an empty list
		why     string
	}{
		{`{"jobs":[]}`, "", ""},
		{`{"jobs":null,"errors":[],"warnings":[]}`, "", "null is an empty list"},
		{`{"jobs":{},"errors":null,"warnings":{}}`, "", "so is an empty object"},
		{`{}`, `it lacks "jobs"`, "no list is not an empty list"},
		{`{"jobs":"none"}`, `jobs: want a list, got "none"`, "another shape"},
		{`{"jobs":{"1":{}}}`, `jobs: want a list, got an object`, "another shape"},
		{`{"errors":[{"error_number":1800,"error":"down"}]}`, "1800 down", "Slurm's own reason first"},
	}
	for _, tt := range tests {
		r := recording{Name: tt.body, Status: 200, Body: json.RawMessage(tt.body)}.reply(t)
		jobs, err := decodeLiveJobs(r)
		if len(jobs) != 0 || (err != nil) != (tt.wantErr != "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
			t.Errorf("%s: %v, %v; want %q (%s)", tt.body, jobs, err, tt.wantErr, tt.why)
		}
		if errors.Is(err, ErrPartial) {
			t.Errorf("%s: nothing is usable of it", tt.body)
		}
	}
}

// TestUnknownMembers: new members at any level change nothing.
func TestUnknownMembers(t *testing.T) {
	body := alter(t, recorded(t, "job_running").Body, "meta.quantum", `{"a":[1]}`)
	body = alter(t, body, "priority_by_partition", `[{"partition":"cpu","priority":1}]`)
	jobs, err := decodeLiveJobs(recording{Name: "extra", Status: 200, Body: body}.reply(t))
	if err != nil || len(jobs) != 1 || len(jobs[0].Odd) > 0 {
		t.Errorf("%v, %v", jobs, err)
	}
}

// TestPartialSuccess: 500 with the whole list is a list and an error.
func TestPartialSuccess(t *testing.T) {
	r := recorded(t, "jobs_flags_NOPE").reply(t)
	jobs, err := decodeLiveJobs(r)
	if err != nil || len(jobs) == 0 || r.err() == nil {
		t.Errorf("%d jobs, %v, verdict %v", len(jobs), err, r.err())
	}
}

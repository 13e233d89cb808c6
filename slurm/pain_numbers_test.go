package slurm

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// TestPainNumbersBeyondTheirMeaning: numbers that no such member can have. None is rounded, wraps around or passes for
// another one: each is named in Job.Odd, the field stays empty, and the jobs beside it are as they were.
func TestPainNumbersBeyondTheirMeaning(t *testing.T) {
	shown := map[string]func(*Job) any{
		"job_id": func(j *Job) any { return fmt.Sprintf("%d %s", j.RawID, j.ID) }, "array_job_id": func(j *Job) any { return fmt.Sprintf("%s %s", j.ArrayJobID, j.ID) },
		"array_task_id": func(j *Job) any { return fmt.Sprintf("%d %v %s", j.ArrayTaskID, j.IsArrayTask, j.ID) }, "het_job_id": func(j *Job) any { return fmt.Sprintf("%s %s", j.HetJobID, j.ID) },
		"time_limit": func(j *Job) any { return fmt.Sprint(j.TimeLimit, j.Unlimited) }, "start_time": func(j *Job) any { return j.StartTime.IsZero() },
		"cpus": func(j *Job) any { return j.CPUs }, "node_count": func(j *Job) any { return j.NodeCount }, "restart_cnt": func(j *Job) any { return j.RestartCount },
		"memory_per_node": func(j *Job) any { return j.MemoryPerNode }, "user_id": func(j *Job) any { return j.UserID },
		"exit_code": func(j *Job) any { return j.ExitCode }, "tres_req_str": func(j *Job) any { return j.Requested },
	}
	for _, tt := range []struct{ member, value, want, odd string }{
		{"job_id", "9007199254740993", "0 ", "want the number of a job, got 9007199254740993"},
		{"job_id", "-5", "0 ", "want the number of a job, got -5"},
		{"job_id", "4294967295", "0 ", "the record names no job"},
		{"array_job_id", "9007199254740993", " 142", "want the number of a job, got 9007199254740993"},
		{"array_job_id", "-7", " 142", "want the number of a job, got -7"},
		{"het_job_id", "4294967296", " 142", "want the number of a job, got 4294967296"},
		{"array_task_id", "-5", "0 false 142", "want the index of a task, got -5"},
		{"array_task_id", "9007199254740993", "0 false 142", "want the index of a task, got 9007199254740993"},
		{"time_limit", "4294967293", "0s false", "want a smaller number, got 4294967293"},
		{"time_limit.number", "4294967293", "0s false", "want a smaller number, got 4294967293"},
		{"time_limit", `"UNLIMITED"`, "0s false", `want an integer, got "UNLIMITED"`},
		{"time_limit", `"N/A"`, "0s false", `want an integer, got "N/A"`},
		{"start_time", `"2026-10-05T08:09:00Z"`, "true", `want an integer, got "2026-10-05T08:09:00Z"`},
		{"start_time", "1760000001.5", "true", "want an integer, got 1760000001.5"},
		{"start_time", "7000000000000011.6", "true", "want an integer, got 7000000000000011.6"},
		{"start_time", "253402300800", "true", "want Unix seconds, got 253402300800"},
		{"cpus", "-5", "0", "want a number of things, got -5"},
		{"cpus", "1e-400", "0", "want an integer, got 1e-400"},
		{"node_count", "-1", "0", "want a number of things, got -1"},
		{"restart_cnt", "9223372036854775808.5", "0", ""}, // a mark for "unknown" that a double has rounded
		{"memory_per_node", "8796093022208", "0", "want a smaller number, got 8796093022208"},
		{"user_id", "1.5", "0", "want an integer, got 1.5"},
		{"exit_code", "-1", "no exit code", "want an exit code, got -1"},
		{"exit_code", "65536", "no exit code", "want an exit code, got 65536"}, // which is none: 0 is what its low bits say
		{"exit_code", "4294967296", "no exit code", "want an exit code, got 4294967296"},
		{"exit_code.return_code", "-1", "no exit code", "return_code: want a number of things, got -1"},
		{"exit_code.signal", "-9", "no exit code", "signal: want a number of things, got -9"},
		{"tres_req_str", `"cpu=1.5,mem=1.5G,node=2"`, "mem=1536M,node=2", `cpu: want a whole amount, got "1.5"`},
		{"tres_req_str", `"node=2,gres/gpu=7000000000000011.6"`, "node=2", `gres/gpu: want a whole amount, got "7000000000000011.6"`},
		{"tres_req_str", `"node=2.0,gres/gpu=9007199254740993.0"`, "node=2,gres/gpu=9007199254740993", ""},
	} {
		member, _, _ := strings.Cut(tt.member, ".")
		record := alter(t, firstRecord(t, "job_running"), tt.member, tt.value)
		if member == "array_task_id" {
			record = alter(t, record, "array_job_id", "42")
		}
		if member == "exit_code" {
			record = alter(t, record, "job_state", `["FAILED"]`)
		}
		good := firstRecord(t, "job_running")
		jobs, err := painTwice(t, 200, painBody(t, good, record, good))
		if err != nil || len(jobs) != 3 || jobs[0].Odd != nil || jobs[2].Odd != nil || jobs[2].ID != "142" {
			t.Fatalf("%s = %s: %v, %v", tt.member, tt.value, jobs, err)
		}
		got := fmt.Sprint(shown[member](jobs[1]))
		odd := ""
		if len(jobs[1].Odd) > 0 {
			odd = jobs[1].Odd[0].Problem
		}
		if got != tt.want || odd != tt.odd || odd != "" && jobs[1].Odd[0].Member != member {
			t.Errorf("%s = %s: %q, odd %+v; want %q and %q", tt.member, tt.value, got, jobs[1].Odd, tt.want, tt.odd)
		}
	}
}

// TestPainNumbersOfSteps: what is wrong deep inside of a record is named by its place.
func TestPainNumbersOfSteps(t *testing.T) {
	for member, want := range map[string]string{
		`"time":{"elapsed":9223372037}`:                                      "[1].time.elapsed: want a smaller number, got 9223372037",
		`"time":{"start":253402300800}`:                                      "[1].time.start: want Unix seconds, got 253402300800",
		`"tasks":{"count":-1}`:                                               "[1].tasks.count: want a number of things, got -1",
		`"exit_code":{"status":["ERROR"],"return_code":-1}`:                  "[1].exit_code.return_code: want a number of things, got -1",
		`"tres":{"allocated":[{"type":"mem","count":8796093022208}]}`:        "[1].tres.allocated[0].count: want a smaller number, got 8796093022208",
		`"tres":{"requested":{"max":[{"type":"cpu","count":1,"task":1.5}]}}`: "[1].tres.requested.max[0].task: want an integer, got 1.5",
		`"statistics":{"energy":{"consumed":0.5}}`:                           "[1].statistics.energy.consumed: want an integer, got 0.5",
	} {
		jobs, err := painListHistory(t, painBody(t, json.RawMessage(`{"job_id":1,"steps":[{"step":{"id":"1.0"}},{"step":{"id":"1.1"},`+member+`}]}`)))
		if err != nil || len(jobs) != 1 || len(jobs[0].Steps) != 2 || jobs[0].Steps[1].ID != "1.1" {
			t.Fatal(jobs, err)
		}
		if odd := jobs[0].Odd; len(odd) != 1 || odd[0].Member != "steps" || odd[0].Problem != want {
			t.Errorf("%s: %+v", member, odd)
		}
	}
}

// TestPainSumsStayPositive: numbers that are fine each, and of which the sum is not.
func TestPainSumsStayPositive(t *testing.T) {
	const most = `{"seconds":9223372036,"microseconds":0}`
	for raw, want := range map[string]string{
		`{"seconds":9223372036,"microseconds":9000000}`: "0s want a smaller number, got 9223372036",
		`{"seconds":1,"microseconds":5,"seconds":2}`:    "2.000005s <nil>", // of two of one name the last one counts
	} {
		if d, err := readCPUTime([]byte(raw)); fmt.Sprint(d, " ", err) != want {
			t.Errorf("%s: %v, %v; want %s", raw, d, err, want)
		}
	}
	step := `{"state":["COMPLETED"],"time":{"total":` + most + `,"user":` + most + `,"system":` + most + `},
		"statistics":{"energy":{"consumed":9223372036854775807}},"tres":{"requested":{"total":[{"type":"fs","name":"disk","count":9223372036854775807}]}}}`
	jobs, err := painListHistory(t, painBody(t, json.RawMessage(`{"job_id":1,"state":{"current":["COMPLETED"]},"steps":[`+step+","+step+`]}`)))
	if err != nil || len(jobs) != 1 || jobs[0].Odd != nil {
		t.Fatal(jobs, err)
	}
	if u := jobs[0].Usage(); jobs[0].CPUTime != math.MaxInt64 || u.CPUTime != math.MaxInt64 || u.UserCPUTime != math.MaxInt64 ||
		u.SystemCPUTime != math.MaxInt64 || u.Energy != math.MaxInt64 || u.BytesRead != math.MaxInt64 {
		t.Errorf("CPU time %v, usage %+v", jobs[0].CPUTime, u)
	}
	gpus := Resources{{"gres", "gpu:a", math.MaxInt64}, {"gres", "gpu:b", 5}, {"gres", "gpu:b", math.MaxInt64}}
	if n := gpus.GPUs(); n != math.MaxInt64 {
		t.Errorf("%d GPUs", n)
	}
	for typ, n := range gpuTypes(gpus) {
		if n < 0 {
			t.Errorf("%d GPUs of %q", n, typ)
		}
	}
}

// TestPainLongQueueOfAnArray: ten thousand tasks that wait for a month are more than the 292 years of a duration together.
func TestPainLongQueueOfAnArray(t *testing.T) {
	now := time.Unix(painTime, 0)
	month := 30 * 24 * time.Hour
	job := &Job{RawID: 5, ID: "5", ArrayJobID: "5", ArrayTasks: "0-9999", State: StatePending, SubmitTime: now.Add(-month), EligibleTime: now.Add(-month)}
	waiting := SummaryAt([]*Job{job}, now).Waiting
	if waiting.Count != 10_000 || waiting.Mean != month || waiting.Median != month || waiting.Total != math.MaxInt64 {
		t.Errorf("%+v", waiting)
	}
	data, err := json.Marshal(waiting)
	var again Spans
	if err := json.Unmarshal(data, &again); err != nil || again.Total <= 0 {
		t.Errorf("%s: %+v, %v", data, again, err)
	}
	if err != nil || strings.Contains(string(data), "-") {
		t.Errorf("%s, %v", data, err)
	}
}

// TestPainOddExitStatus: half a status may be another one, SUCCESS above all. An exit code with an odd one is none, wherever
// the odd word stands, and says so.
func TestPainOddExitStatus(t *testing.T) {
	for status, want := range map[string]string{
		`["SUCCESS",{"x":1}]`: "status[1]: want a string, got an object",
		`[7,"SUCCESS"]`:       "status[0]: want a string, got 7",
		`{"x":1}`:             "status: want a list, got an object",
	} {
		raw := `{"status":` + status + `,"return_code":{"set":true,"infinite":false,"number":0}}`
		if code, err := readExitCode([]byte(raw)); code != (ExitCode{}) || err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v; want %s", status, code, err, want)
		}
	}
}

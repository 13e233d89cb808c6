package slurm

import (
	"math"
	"strings"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// historyMembers is the layout of a job in the accounting, for the API versions v0.0.40 to v0.0.42.
var historyMembers = sync.OnceValue(func() table[Job] {
	return table[Job]{
		"job_id": asJobNumber(func(j *Job) *int64 { return &j.RawID }),
		"array": asObject(inner[Job]{
			{"job_id", asJobID(func(j *Job) *JobID { return &j.ArrayJobID })},
			{"task_id", asIndex(func(j *Job) (*int64, *bool) { return &j.ArrayTaskID, &j.IsArrayTask })},
			{"task", plain(readTaskMask)},
			{"limits", asObject(arrayLimits())},
		}),
		"het": asObject(inner[Job]{
			{"job_id", asJobID(func(j *Job) *JobID { return &j.HetJobID })},
			{"job_offset", asOffset(func(j *Job) *int64 { return &j.HetOffset })},
		}),

		"name":      asText(func(j *Job) *string { return &j.Name }),
		"user":      asText(func(j *Job) *string { return &j.User }),
		"group":     asText(func(j *Job) *string { return &j.Group }),
		"account":   asText(func(j *Job) *string { return &j.Account }),
		"partition": asText(func(j *Job) *string { return &j.Partition }),
		"qos":       asText(func(j *Job) *string { return &j.QOS }),
		"reservation": asObject(inner[Job]{
			{"name", asText(func(j *Job) *string { return &j.Reservation })},
		}),
		"wckey": plain(readWCKey),

		"cluster":           asText(func(j *Job) *string { return &j.Cluster }),
		"state":             asHistoryState(),
		"hold":              asBool(func(j *Job) *bool { return &j.Hold }),
		"priority":          asExact(func(j *Job) *int64 { return &j.Priority }),
		"exit_code":         asExitCode(func(j *Job) *ExitCode { return &j.ExitCode }),
		"derived_exit_code": asExitCode(func(j *Job) *ExitCode { return &j.DerivedExitCode }),
		"kill_request_user": asText(func(j *Job) *string { return &j.CancelledBy }),
		"restart_cnt":       asCount(func(j *Job) *int { return &j.RestartCount }),
		"time":              asObject(historyTimes()),

		"nodes":            asNodes(func(j *Job) *string { return &j.Nodes }),
		"allocation_nodes": asCount(func(j *Job) *int { return &j.NodeCount }),
		"failed_node":      asText(func(j *Job) *string { return &j.FailedNode }),
		"required": asObject(inner[Job]{
			{"memory_per_node", asMemory(func(j *Job) *int64 { return &j.MemoryPerNode })},
			{"memory_per_cpu", asMemory(func(j *Job) *int64 { return &j.MemoryPerCPU })},
		}),
		"tres":        asHistoryResources(),
		"constraints": asText(func(j *Job) *string { return &j.Constraints }),
		"licenses":    asText(func(j *Job) *string { return &j.Licenses }),

		"working_directory": asText(func(j *Job) *string { return &j.WorkDir }),
		"submit_line":       asText(func(j *Job) *string { return &j.SubmitLine }),
		"stdin_expanded":    asPath(func(j *Job) *string { return &j.StandardInput }),
		"stdout_expanded":   asPath(func(j *Job) *string { return &j.StandardOutput }),
		"stderr_expanded":   asPath(func(j *Job) *string { return &j.StandardError }),
		"comment":           anew(readComment),
		"extra":             anew(readExtra),
		"mcs":               anew(inner[Job]{{"label", plain(readLabel)}}.read),
		"steps":             anew(readSteps),
	}
})

// historyTimes is the layout of "time": instants as plain Unix seconds, and spans in three units.
func historyTimes() inner[Job] {
	return inner[Job]{
		{"submission", asTime(func(j *Job) *time.Time { return &j.SubmitTime })},
		{"eligible", asTime(func(j *Job) *time.Time { return &j.EligibleTime })},
		{"start", asTime(func(j *Job) *time.Time { return &j.StartTime })},
		{"end", asTime(func(j *Job) *time.Time { return &j.EndTime })},
		{"elapsed", asSpan(time.Second, func(j *Job) *time.Duration { return &j.elapsed })},
		{"limit", asTimeLimit()},
		{"total", asCPUTime(func(j *Job) *time.Duration { return &j.CPUTime })},
		{"user", asCPUTime(func(j *Job) *time.Duration { return &j.UserCPUTime })},
		{"system", asCPUTime(func(j *Job) *time.Duration { return &j.SystemCPUTime })},
	}
}

// readCPUTime reads {"seconds":…,"microseconds":…}, or plain seconds.
func readCPUTime(raw []byte) (time.Duration, error) {
	if jsonx.KindOf(raw) != jsonx.KindObject {
		d, _, err := readSpan(raw, time.Second)
		return d, err
	}
	var seconds, rest time.Duration
	err := jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "seconds":
			seconds, _, err = readSpan(value, time.Second)
		case "microseconds":
			rest, _, err = readSpan(value, time.Microsecond)
		}
		return inMember(name, err)
	})
	switch {
	case err != nil:
		return 0, err
	case rest > math.MaxInt64-seconds:
		return 0, outOfRange(int64(seconds / time.Second))
	}
	return seconds + rest, nil
}

var historyStates = sync.OnceValue(func() inner[Job] {
	return inner[Job]{
		{"current", asState()},
		{"reason", asText(func(j *Job) *string { return &j.Reason })},
	}
})

func asHistoryResources() member[Job] {
	m := asObject(inner[Job]{
		{"requested", asResources(func(j *Job) *Resources { return &j.Requested })},
		{"allocated", asResources(func(j *Job) *Resources { return &j.Allocated })},
	})
	m.own = func(j *Job) { own(&j.Requested, &j.Allocated) }
	return m
}

// asHistoryState reads {"current":[…],"reason":…}, or the states alone.
func asHistoryState() member[Job] {
	m := asState()
	m.read = func(d *decoder, j *Job, raw []byte) error {
		if jsonx.KindOf(raw) == jsonx.KindObject {
			return historyStates().read(d, j, raw)
		}
		j.Reason = ""
		return readState(d, j, raw)
	}
	return m
}

// arrayLimits is the layout of {"max":{"running":{"tasks":…}}}.
func arrayLimits() inner[Job] {
	running := inner[Job]{{"tasks", asCount(func(j *Job) *int { return &j.ArrayMaxTasks })}}
	return inner[Job]{{"max", asObject(inner[Job]{{"running", asObject(running)}})}}
}

// readWCKey reads the key in either form: a text, or {"wckey":…,"flags":[…]}.
func readWCKey(d *decoder, j *Job, raw []byte) (err error) {
	if jsonx.KindOf(raw) == jsonx.KindObject {
		raw = jsonx.Member(raw, "wckey")
	}
	j.WCKey, err = d.text(raw)
	return err
}

// unglued returns the path of a standard file with the slash that Slurm 24.11 leaves out between the working directory
// and a name that was given relative to it: it makes "/home/aliceout.txt" of "out.txt". pattern is the member of the
// record with the name as it was given.
func unglued(j *Job, path string, record *jsonx.Object, pattern string) string {
	name, inside := strings.CutPrefix(path, j.WorkDir)
	if !inside || name == "" || name[0] == '/' || !strings.HasPrefix(j.WorkDir, "/") || j.WorkDir == "/" {
		return path
	}
	if given := displayText(record.Member(pattern)); given == "" || given[0] == '/' {
		return path
	}
	return j.WorkDir + "/" + name
}

// decodeHistoryJobs reads the jobs of an accounting answer: see [decodeJobs]. Records of one id, the runs of a
// requeued job, come oldest first.
func decodeHistoryJobs(r *reply) ([]*Job, error) { return decodeJobs(r, (*decoder).historyJob) }

// historyJob reads one record as liveJob does.
func (d *decoder) historyJob(record *jsonx.Object) *Job {
	job := new(Job)
	d.history.read(d, record, historyMembers(), job, job.odd)
	job.Source, job.Raw = SourceAccounting, record.Raw
	job.StandardInput = unglued(job, job.StandardInput, record, "stdin")
	job.StandardOutput = unglued(job, job.StandardOutput, record, "stdout")
	job.StandardError = unglued(job, job.StandardError, record, "stderr")
	// The accounting leaves the error file out where it is the output file.
	if job.StandardError == "" {
		job.StandardError = job.StandardOutput
	}
	// It knows the CPUs of a job only as a resource.
	job.CPUs = int(job.Requested.CPUs())
	if n := job.Allocated.CPUs(); n > 0 {
		job.CPUs = int(n)
	}
	job.addCPUTime()
	job.settle()
	return job
}

// addCPUTime sums the CPU time of the steps up. There are members for it in the record, and Slurm 24.11 leaves them at 0.
func (j *Job) addCPUTime() {
	if j.CPUTime != 0 {
		return
	}
	for _, s := range j.Steps {
		j.CPUTime = addUp(j.CPUTime, s.CPUTime)
		j.UserCPUTime = addUp(j.UserCPUTime, s.UserCPUTime)
		j.SystemCPUTime = addUp(j.SystemCPUTime, s.SystemCPUTime)
	}
}

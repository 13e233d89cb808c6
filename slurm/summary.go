package slurm

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// JobSummary is what a set of jobs comes to: see [Summary]. Its JSON has hours as numbers and spans in seconds.
type JobSummary struct {
	At       time.Time `json:"at"`       // up to which jobs that wait or run are counted
	Jobs     int       `json:"jobs"`     // an array task is a job of its own, and so is a component of a heterogeneous job
	Runs     int       `json:"runs"`     // of them that have started; a requeued job may have several
	Requeued int       `json:"requeued"` // runs that were ended by a requeue

	States []StateCount `json:"states"` // in the order of a job's life; without those that no job is in

	QueueTime Spans `json:"queue_time"` // of the runs, until they started
	Waiting   Spans `json:"waiting"`    // of the pending jobs, so far
	RunTime   Spans `json:"run_time"`   // of the runs, up to now if they go on

	NodeHours      float64    `json:"node_hours"` // of all runs
	CPUHours       float64    `json:"cpu_hours"`
	GPUHours       float64    `json:"gpu_hours"`
	GPUTypes       []GPUHours `json:"gpu_types"`        // by type and name
	WastedGPUHours float64    `json:"wasted_gpu_hours"` // of runs that failed, or were ended by a requeue; not of cancelled ones

	Failures []FailureCount `json:"failures"` // the most frequent first; cancelled jobs are none
}

// StateCount is how many jobs are in a state.
type StateCount struct {
	State    State   `json:"state"`
	Jobs     int     `json:"jobs"`
	GPUHours float64 `json:"gpu_hours"` // of their last runs
}

// GPUHours is the use of one type of GPU.
type GPUHours struct {
	Type  string  `json:"type"` // "b200"; "" where Slurm does not tell
	Hours float64 `json:"hours"`
}

// FailureCount is how many jobs failed alike.
type FailureCount struct {
	State    State   `json:"state"`
	Reason   string  `json:"reason,omitempty"`    // from the queue, where it says more than the state
	ExitCode string  `json:"exit_code,omitempty"` // "exit code 3", of jobs in the state FAILED: others were ended from outside
	Jobs     int     `json:"jobs"`
	Example  JobID   `json:"example"` // the job with the lowest number
	GPUHours float64 `json:"gpu_hours"`
}

// Summary sums jobs up, as they come from [Client.List], [Client.ListHistory] or both: what is pending or running is
// counted up to now. It does no I/O, and leaves the jobs alone. Equal jobs give equal summaries, whatever their order.
//
// A job counts once, also if the queue and the accounting both have it. Each array task counts as a job, those of a
// record that stands for several tasks too, and so does each component of a heterogeneous job. The runs of a requeued job
// are one job in the state of the last, but each run takes its time and resources. Records of one
// number that show no sign of a requeue are different jobs: Slurm uses numbers again.
//
// The records of [Client.WaitAll] do as well, where nil, for a job that was never seen, is left out: but of an array, a
// heterogeneous job or a requeued one they are a single record, and [Client.ArrayTasks] and [Client.ListHistory] have
// all. Of records of several moments, such as those of events, the latest of each run counts; a run that a requeue ended
// unseen is counted up to that.
//
// GPU hours are the GPUs a run was given times how long it ran, used or not.
func Summary(jobs []*Job) *JobSummary { return SummaryAt(jobs, time.Now()) }

// SummaryAt is [Summary] at another moment, such as the one at which the jobs were read.
func SummaryAt(jobs []*Job, now time.Time) *JobSummary {
	s := &summing{JobSummary: JobSummary{At: now}, states: map[State]*StateCount{}, types: map[string]float64{},
		failures: map[FailureCount]*FailureCount{}}
	for _, runs := range jobRuns(jobs) {
		last := len(runs) - 1
		for i, r := range runs[:last] {
			s.addRun(r, r.elapsedBefore(runs[i+1].Job, now), true)
		}
		s.addRun(runs[last], runs[last].elapsedAt(now), false)
		s.addJob(runs[last])
	}
	return s.done()
}

// summing is a summary that is being made.
type summing struct {
	JobSummary
	queued, waiting, ran spans
	states               map[State]*StateCount
	types                map[string]float64
	failures             map[FailureCount]*FailureCount // by what they have in common
}

// addRun counts what a run took. requeued says that another run of the job came after it.
func (s *summing) addRun(r jobRun, elapsed time.Duration, requeued bool) {
	if r.waits() {
		s.waiting.add(r.queueTime(s.At), r.jobs)
		return
	}
	if requeued {
		s.Requeued++
	}
	if r.StartTime.IsZero() || elapsed == 0 && len(r.Allocated) == 0 {
		return // it never ran
	}
	s.Runs += r.jobs
	s.queued.add(r.queueTime(s.At), r.jobs)
	s.ran.add(elapsed, r.jobs)
	hours := elapsed.Hours()
	s.NodeHours += hours * float64(cmp.Or(r.Allocated.Nodes(), int64(r.NodeCount)))
	s.CPUHours += hours * float64(cmp.Or(r.Allocated.CPUs(), int64(r.CPUs)))
	gpus := hours * float64(r.Allocated.GPUs())
	s.GPUHours += gpus
	for typ, count := range gpuTypes(r.Allocated) {
		s.types[typ] += hours * float64(count)
	}
	if requeued || r.Failed() && r.State != StateCancelled {
		s.WastedGPUHours += gpus
	}
}

// addJob counts a job by its last run.
func (s *summing) addJob(r jobRun) {
	s.Jobs += r.jobs
	gpus := r.elapsedAt(s.At).Hours() * float64(r.Allocated.GPUs())
	count := s.states[r.State]
	if count == nil {
		count = &StateCount{State: r.State}
		s.states[r.State] = count
	}
	count.Jobs += r.jobs
	count.GPUHours += gpus
	if !r.Failed() || r.State == StateCancelled {
		return
	}
	key := FailureCount{State: r.State, Reason: r.failureReason()}
	if r.State == StateFailed && r.ExitCode.Known {
		key.ExitCode = r.ExitCode.String()
	}
	f := s.failures[key]
	if f == nil {
		f = new(FailureCount)
		*f = key
		s.failures[key] = f
	}
	f.Jobs += r.jobs
	f.GPUHours += gpus
	if f.Example == "" || compareIDs(r.ID, f.Example) < 0 {
		f.Example = r.ID
	}
}

// failureReason leaves out the reasons that repeat the state, and so the difference between the two sources.
func (j *Job) failureReason() string {
	reason := j.why()
	kind, _, _ := strings.Cut(reason, ":") // "RaisedSignal:11(Segmentation fault)" is in the exit code too
	if slices.Contains([]string{"NonZeroExitCode", "RaisedSignal", "TimeLimit", "NodeDown", "DeadLine", "OutOfMemory"}, kind) {
		return ""
	}
	return reason
}

// compareIDs orders ids by number, then by task or component.
func compareIDs(a, b JobID) int {
	x, _ := splitJobID(string(a))
	y, _ := splitJobID(string(b))
	return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.sub, y.sub), cmp.Compare(a, b))
}

// gpuTypes returns the number of GPUs of each type, "" for those without.
func gpuTypes(r Resources) map[string]int64 {
	types := map[string]int64{}
	rest := r.GPUs()
	for _, one := range r {
		if typ, ok := gpuType(one); ok {
			types[typ] = addUp(types[typ], one.Count)
			rest -= one.Count
		}
	}
	if rest > 0 {
		types[""] = rest
	}
	return types
}

func (s *summing) done() *JobSummary {
	s.QueueTime, s.Waiting, s.RunTime = s.queued.spread(), s.waiting.spread(), s.ran.spread()
	// Empty lists, so that the JSON has no null.
	s.States, s.GPUTypes, s.Failures = []StateCount{}, []GPUHours{}, []FailureCount{}
	for _, count := range s.states {
		s.States = append(s.States, *count)
	}
	slices.SortFunc(s.States, func(a, b StateCount) int {
		return cmp.Or(cmp.Compare(a.State.order(), b.State.order()), cmp.Compare(a.State, b.State))
	})
	for typ, hours := range s.types {
		s.GPUTypes = append(s.GPUTypes, GPUHours{typ, hours})
	}
	slices.SortFunc(s.GPUTypes, func(a, b GPUHours) int { return cmp.Compare(a.Type, b.Type) })
	for _, f := range s.failures {
		s.Failures = append(s.Failures, *f)
	}
	slices.SortFunc(s.Failures, func(a, b FailureCount) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.State, b.State), cmp.Compare(a.Reason, b.Reason),
			cmp.Compare(a.ExitCode, b.ExitCode))
	})
	return &s.JobSummary
}

// order is the place of a state in a job's life; states that nobody knows come last.
func (s State) order() int {
	for i, known := range []State{StatePending, StateRunning, StateSuspended, StateCompleted, StateCancelled, StateFailed,
		StateTimeout, StateOutOfMemory, StateNodeFail, StateBootFail, StatePreempted, StateDeadline} {
		if s == known {
			return i
		}
	}
	return 100
}

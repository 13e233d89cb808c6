package slurm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Source says where a record of a job comes from.
type Source string

const (
	SourceQueue      Source = "queue"      // the controller's memory: jobs that have not ended, or ended minutes ago
	SourceAccounting Source = "accounting" // the accounting database, which keeps them
)

// Queue reports whether the record is from the controller's memory.
func (s Source) Queue() bool { return s == SourceQueue }

// Accounting reports whether the record is from the accounting database.
func (s Source) Accounting() bool { return s == SourceAccounting }

// Job is one record of a job, from the live queue or from the accounting history.
//
// It is a copy: nothing changes it after it was read. A field is zero where its source does not know it; which
// source does is said where only one does. Instants are in UTC and come in whole seconds.
//
// A job is not always one record. An array has one for its tasks that have not started (ArrayTasks says which)
// and one for each task that has; a heterogeneous job has one for each component; and in the history, a requeued
// job has one for each run, under the same id.
//
// Reason says why a job is pending. In the queue it then says how the job ended: "NonZeroExitCode", "TimeLimit". One that
// was cancelled keeps the reason for which it waited last, and one that is held while it runs has "JobHeldUser". The
// accounting knows no other reason than that for which the job waited, also when it has long ended; the texts of Job and
// [JobError] leave it out there.
type Job struct {
	// ID names this record for every verb: "42", or "42_3" for an array task. The record of the tasks that have
	// not started has the id of the array, "42", and a verb that changes it changes all of the array.
	ID     JobID
	RawID  int64 // Slurm's own number of the record. A task has one of its own: 45 for "42_3"
	Source Source

	ArrayJobID    JobID  // of the array this record belongs to, "" for none
	IsArrayTask   bool   // whether this record is a single task; ArrayTaskID counts only then
	ArrayTaskID   int64  // index of the task
	ArrayTasks    string // queue: the tasks of the record that have not started: "7-9", "0,4,8"
	ArrayMaxTasks int    // how many tasks may run at once, 0 for no limit
	HetJobID      JobID  // of the leader of a heterogeneous job, "" for none
	HetOffset     int64  // the place of this component in it; the leader's is 0

	Name        string // accounting: "allocation" for a job without one
	User        string
	UserID      int64 // queue
	Group       string
	GroupID     int64 // queue
	Account     string
	Partition   string // several, separated by commas, while the job is pending and may use any of them
	QOS         string
	Reservation string
	WCKey       string
	Cluster     string

	State        State  // the base state
	Flags        []Flag // what else job_state says, and names this package does not know
	Reason       string // an open set: "Priority", "NonZeroExitCode"; see below
	ReasonDetail string // queue: a sentence, sometimes, about the reason
	Hold         bool
	Priority     int64 // up to 2^32; 0 is held
	Nice         int64 // queue

	ExitCode        ExitCode // how the script ended; unknown before that
	DerivedExitCode ExitCode // the worst of the job's steps
	CancelledBy     string   // accounting: who cancelled the job
	RestartCount    int      // how often the job was requeued
	Requeue         bool     // queue: whether Slurm may requeue it

	SubmitTime   time.Time
	EligibleTime time.Time // when it might first have started; zero while held, even if it runs, or waiting for another job
	StartTime    time.Time // a forecast, or zero, while the job is pending
	EndTime      time.Time // a forecast while it is pending or running; zero in the accounting until it ends
	Deadline     time.Time // queue
	TimeLimit    time.Duration
	Unlimited    bool          // there is no time limit; TimeLimit is 0 then
	TimeMinimum  time.Duration // queue: to which the limit may be lowered to start earlier

	CPUTime       time.Duration // accounting, where the steps were read: of all that have ended; the sum of the next two
	UserCPUTime   time.Duration // likewise
	SystemCPUTime time.Duration // likewise

	Nodes          string // compressed: "g[1-2]". NodeNames expands it
	NodeCount      int    // allocated, or asked for while pending
	BatchHost      string // queue: the node that runs the script
	ScheduledNodes string // queue: where a pending job is expected to start
	RequiredNodes  string // queue
	ExcludedNodes  string // queue
	FailedNode     string // the node whose failure ended or requeued the job

	CPUs          int   // allocated, or asked for while pending
	Tasks         int   // queue
	TasksPerNode  int   // queue
	CPUsPerTask   int   // queue
	MemoryPerNode int64 // bytes asked for; 0 if memory was asked for by CPU, or if all of a node's was
	MemoryPerCPU  int64 // bytes asked for; 0 if memory was asked for by node
	Requested     Resources
	Allocated     Resources // empty until the job starts
	TRESPerNode   string    // queue: as asked for, "gres/gpu:b200:8"
	TRESPerJob    string    // queue
	TRESPerTask   string    // queue
	Constraints   string    // node features asked for
	Licenses      string
	Dependency    string // queue: with the state of each, "afterok:47(unfulfilled)"

	WorkDir        string
	Command        string // queue: the script's path, "" for jobs submitted through the REST API
	SubmitLine     string // accounting: the command line of a submit by sbatch or srun
	StandardInput  string
	StandardOutput string   // with its patterns expanded, but for "%N"; "%a" stands for a task that has not started
	StandardError  string   // the same as StandardOutput unless asked for
	MailUser       string   // queue
	MailTypes      []string // queue: "END", "FAIL", …
	Comment        string
	AdminComment   string
	SystemComment  string
	Extra          string
	SubmitToken    string // by which Submit and Recover know the job; of a heterogeneous job, the leader has it

	Steps []Step // accounting, unless they were left out of a list

	// Odd lists the members of the record that could not be read; their fields have their zero values, and lists
	// lack the elements in question. Nothing else of a record is lost for one odd member.
	Odd []OddMember

	// Raw is the record as it came, for members that this type lacks. It is set where single jobs are asked
	// for, and for lists on request only. It may be a part of the whole answer, and keeps all of it in memory then.
	// Do not write to it.
	Raw json.RawMessage

	elapsed       time.Duration // accounting
	neverRequeued bool          // Requeue is false because Slurm says so
}

// OddMember says what is wrong with a member of a record.
type OddMember struct {
	Member  string // "priority", "time.limit"
	Problem string
}

// Step is a part of a job: the batch script itself, or one srun in it.
type Step struct {
	ID          string // "42.batch", "42.0"
	Name        string
	State       State
	Flags       []Flag
	ExitCode    ExitCode
	StartTime   time.Time
	EndTime     time.Time // zero while the step runs
	Elapsed     time.Duration
	Nodes       []string
	Tasks       int
	CancelledBy string
	Allocated   Resources

	// What the step used is known once it has ended, and only as far as Slurm measured it: see [Step.Usage].
	CPUTime       time.Duration // of all tasks and nodes; the sum of the next two
	UserCPUTime   time.Duration
	SystemCPUTime time.Duration
	Used          TaskUsage // CPU time, memory, bytes read
	Output        TaskUsage // bytes written
	Energy        int64     // joules; 0 where nothing measures it
}

// Ended reports whether the job is over: its state is terminal and it is not cleaning up any more. A job that
// was requeued is pending again and so has not ended. Neither has one with [FlagRevoked] alone: another cluster of the
// federation runs it, and how it ends is known only once a terminal state is here.
func (j *Job) Ended() bool { return j.State.Terminal() && !j.Has(FlagCompleting) }

// Pending reports whether the job waits to start.
func (j *Job) Pending() bool { return j.State == StatePending }

// Running reports whether the job's script runs. While its nodes still boot it does not.
func (j *Job) Running() bool { return j.State == StateRunning && !j.Has(FlagConfiguring) }

// Succeeded reports whether the job has ended, and with success.
func (j *Job) Succeeded() bool { return j.Ended() && j.State.Succeeded() }

// Failed reports whether the job has ended without success, for whatever reason.
func (j *Job) Failed() bool { return j.Ended() && j.State.Failed() }

// Has reports whether the job has the flag.
func (j *Job) Has(flag Flag) bool { return slices.Contains(j.Flags, flag) }

// Err returns a [*JobError] if the job has ended without success, and otherwise nil.
func (j *Job) Err() error {
	if !j.Failed() {
		return nil
	}
	return &JobError{Job: j}
}

// Elapsed returns for how long the job has run. For records of the accounting that is what Slurm says. For those
// of the queue it is end minus start, or, while the job runs, the time since its start by the local clock.
func (j *Job) Elapsed() time.Duration {
	switch {
	case j.elapsed > 0 || j.Source == SourceAccounting:
		return j.elapsed
	case j.StartTime.IsZero() || j.State == StatePending:
		return 0
	case j.State.Terminal():
		return max(0, j.EndTime.Sub(j.StartTime))
	}
	return max(0, time.Since(j.StartTime).Truncate(time.Second))
}

// QueueTime returns for how long the job has waited, or did, from when it might first have started to its start: until
// now, by the local clock, while it is pending, and until its end if it never started. The time for which a job is held
// or waits for another counts only where Slurm has no such moment for one that runs: then it is the time since the submit.
func (j *Job) QueueTime() time.Duration { return j.queueTime(time.Now()) }

func (j *Job) queueTime(now time.Time) time.Duration {
	from, until := j.EligibleTime, j.StartTime
	switch {
	case j.waits():
		until = now
	case until.IsZero():
		until = j.EndTime
	case from.IsZero():
		from = j.SubmitTime
	}
	if from.IsZero() || until.IsZero() {
		return 0
	}
	return max(0, until.Sub(from).Truncate(time.Second))
}

// waits reports whether the job is in the queue. The record of a run that was requeued is pending too, and has an end.
func (j *Job) waits() bool {
	return j.State == StatePending && !(j.Source == SourceAccounting && !j.EndTime.IsZero())
}

// NodeNames returns the names of the job's nodes. It fails if Nodes is not a node list, or one of more than
// 65,536 nodes.
func (j *Job) NodeNames() ([]string, error) { return ExpandHosts(j.Nodes) }

// GPUs returns the number of GPUs the job has, or asks for as long as it has none.
func (j *Job) GPUs() int64 {
	if len(j.Allocated) > 0 {
		return j.Allocated.GPUs()
	}
	return j.Requested.GPUs()
}

// String returns the job in one line: id, name, state with flags, reason and nodes.
func (j *Job) String() string {
	if j == nil {
		return "no job"
	}
	var b strings.Builder
	b.WriteString("job " + string(j.ID))
	if j.ArrayTasks != "" && !j.IsArrayTask {
		fmt.Fprintf(&b, "_[%s]", abbreviate(j.ArrayTasks))
	}
	if j.Name != "" {
		fmt.Fprintf(&b, " (%s)", foreign.OneLine(abbreviate(j.Name)))
	}
	b.WriteString(" " + j.states())
	if reason := j.why(); reason != "" {
		b.WriteString(" " + reason)
	}
	if j.Nodes != "" {
		b.WriteString(" on " + abbreviate(j.Nodes))
	}
	return foreign.Printable(b.String())
}

// states is the state with its flags: "COMPLETED+COMPLETING".
func (j *Job) states() string {
	text := string(j.State)
	for _, flag := range j.Flags {
		if string(flag) != string(j.State) {
			text += "+" + string(flag)
		}
	}
	return text
}

// why is the reason worth showing. That of the accounting is stale once the job waits no more: an array task that
// failed would seem to have done so because of "JobArrayTaskLimit".
func (j *Job) why() string {
	reason := j.Reason
	if reason == "None" || j.Source == SourceAccounting && !j.Pending() {
		reason = ""
	}
	detail := foreign.OneLine(abbreviate(j.ReasonDetail))
	if detail == "" || strings.HasPrefix(detail, reason) {
		return cmp.Or(detail, reason) // "RaisedSignal:11(Segmentation fault)" says it all
	}
	return reason + ": " + detail
}

package slurm

import (
	"math"
	"time"
)

// Unlimited as a time limit asks for none. A partition's own maximum still holds.
const Unlimited time.Duration = math.MaxInt64

// AllMemory as MemoryPerNode asks for all memory of each node.
const AllMemory int64 = math.MaxInt64

// JobSpec describes a job to submit. Script and WorkingDirectory are required; everywhere else the zero value
// leaves the choice to Slurm.
//
// The job runs as the Linux account that the cluster keeps for the caller. There is no field for another user,
// since Slurm refuses one.
//
// Lines such as #SBATCH in the script have no effect: sbatch reads them, Slurm does not. Set the fields instead, or
// let [ParseScript] do so.
type JobSpec struct {
	Name    string // shown in queues and mails; one line
	Comment string // free text that stays with the job

	// Script is the text of the batch script, not a path. It must start with "#!", and have Unix line ends and
	// no NUL byte. Request and script together must stay under 1 MB: put anything larger on the cluster's
	// shared storage, and submit a short script that runs it.
	Script string
	// Arguments are handed to the script as $1, $2 and so on.
	Arguments []string
	// WorkingDirectory is where the script starts, and where its output goes by default: an absolute path on
	// the cluster. Slurm does not check that it exists; a job whose directory is missing fails without output.
	WorkingDirectory string
	// Environment is what the script gets besides Slurm's own SLURM_ variables, HOSTNAME, PWD and TMPDIR. Values
	// are literal, "$PATH" is not expanded. Without LoginEnvironment there is no HOME and no USER unless they are
	// set here, and without a PATH the job gets [DefaultPath].
	Environment map[string]string
	// LoginEnvironment gives the script what it would have from sbatch: the variables of a login of its user on the
	// node where it starts, HOME, USER, SHELL, PATH and what profiles set, as by --export=NONE, and those that
	// sbatch derives from the job, SLURM_SUBMIT_DIR, SLURM_CPUS_PER_TASK and SLURM_NTASKS_PER_NODE. Environment
	// goes before all of them. Slurm runs the login, for up to 2 minutes; if it fails, the job starts without
	// its variables, or is requeued and held where the cluster says so (requeue_setup_env_fail).
	LoginEnvironment bool

	// Stdin, Stdout and Stderr are files on the cluster, relative to WorkingDirectory. Slurm replaces %j by the
	// job's number, %A and %a by the numbers of an array and its task, %x by the name, %u by the user, %N by the
	// first node; [ExpandPath] does the same. The default is no input, output to "slurm-%j.out"
	// ("slurm-%A_%a.out" in an array), and errors to the same file. A file that cannot be opened makes the job fail.
	Stdin, Stdout, Stderr string
	AppendOutput          bool // keeps what is in the output files; the default is the cluster's choice

	// Where the job runs, and who pays.
	Partition     string   // one, or several with commas, of which the first to have room is taken; the default is the cluster's
	Account       string   // the default is the user's
	QOS           string   // the default is that of the user and the partition
	Reservation   string   // the name of a reservation to run in
	WCKey         string   // a label for the accounting
	RequiredNodes []string // nodes that must be part of the job, as names or lists: "g1", "g[3-5]"
	ExcludedNodes []string // nodes that must not be
	Constraints   string   // node features, in Slurm's syntax: "b200&nvme"
	Licenses      string   // "matlab:2,ansys"

	// How much it gets. Counts are at least 0, and 0 leaves them to Slurm: one node, one task, one CPU per task.
	MinNodes     int  // least number of nodes
	MaxNodes     int  // most; without it Slurm takes MinNodes
	Tasks        int  // of the whole job
	TasksPerNode int  // on each node
	CPUsPerTask  int  // for each task
	Exclusive    bool // share the nodes with no other job

	// MemoryPerNode and MemoryPerCPU are bytes, rounded up to MiB; set at most one of them. [AllMemory] asks
	// for the whole memory of each node. The default is the partition's.
	MemoryPerNode int64
	MemoryPerCPU  int64

	// GPUsPerNode asks for GPUs on each node, GPUType for a particular kind: 8 and "b200".
	GPUsPerNode int
	GPUType     string
	// The TRES fields ask for any countable resource, as a list in Slurm's spelling: "gres/gpu:b200:8",
	// "license/matlab:1". [GPUs] writes that of GPUs.
	TRESPerJob, TRESPerNode, TRESPerSocket, TRESPerTask string

	// TimeLimit ends the job with the state TIMEOUT. It is rounded up to whole minutes, so that the least is one
	// minute. Less than a millisecond is refused, since a bare number counts nanoseconds. Zero takes the partition's
	// default, [Unlimited] its maximum or none at all.
	TimeLimit time.Duration
	// TimeMinimum lets Slurm cut TimeLimit down to this if the job can then start earlier. Rounded like it.
	TimeMinimum time.Duration
	Begin       time.Time // not before this; a time in the past is now. Rounded down to seconds
	Deadline    time.Time // the job is ended, or not started, if it cannot be done by then. Rounded down to seconds

	// SignalBefore sends Signal ("USR1", "SIGUSR1" or "10") to the job this long before its time limit, so that
	// it can save its work. It is rounded up to seconds; zero is Slurm's default of one minute. The signal goes
	// to the job's steps, or with SignalScript to the shell of the script only. Slurm may send it up to a
	// minute early.
	Signal       string
	SignalBefore time.Duration
	SignalScript bool

	// Dependency makes the job wait for others: see [AfterOK] and its siblings.
	Dependency string
	// Array runs one copy of the job per task number: "0-9", "1,5,9", "0-8:4", and with "%4" behind it no more
	// than 4 at a time; [ArraySpec] writes and reads it. A script finds its number in SLURM_ARRAY_TASK_ID. The
	// cluster bounds the highest number.
	Array string
	// Hold keeps the job pending until [Client.Release].
	Hold bool
	// Requeue says whether the job goes back into the queue when a node fails or it is preempted. Nil is the
	// cluster's default, which usually is to requeue. A job that cannot bear being started twice wants false.
	Requeue *bool

	// Nice lowers the job's priority by this much; only administrators may use negative values.
	Nice int
	// Priority sets the priority itself. Slurm ignores it from ordinary users without a word. Zero is unset:
	// to hold the job use Hold, which Slurm would forget about beside a priority.
	Priority int64

	MailTypes []MailType // when to send mail; to whom is MailUser, by default the user
	MailUser  string

	// SubmitToken makes this very job submit once, also across processes: a submit with the token of a job that was
	// accepted before returns that job. It first looks for it, in the queue and in the accounting, and fails if
	// it cannot. It does not keep two that run at the same time from making two jobs. A token is 8 to 64
	// letters, digits, ".", "_" and "-". Without the time in it that one of [NewSubmitToken] holds, the accounting is
	// searched for jobs that ended within the last 24 hours. Slurm keeps the token as mcs_label, or as extra where the
	// cluster or Extra has another use for that; in extra, most clusters' accounting drops it (AccountingStoreFlags
	// without job_extra), and the job is found only until some minutes after its end. By default a submit has a token
	// of its own: see [Client.Submit].
	SubmitToken string

	// Extra holds members of Slurm's job description that have no field here, by their names in the API
	// (job_desc_msg in v0.0.42): "oom_kill_step": 1. They are sent as encoding/json writes them. Slurm ignores a
	// name it does not know, with a warning, and without one the number of an object that lacks "set": true. A
	// name that a set field also writes is refused, and so are user_id and group_id.
	Extra map[string]any

	parsed string // the script whose #SBATCH lines have been read
}

// MailType is an occasion for a mail about a job.
type MailType string

// The occasions that Slurm 24.11 knows. Others are refused before anything is sent, since Slurm reports an
// unknown one as a failure and runs the job all the same.
const (
	MailBegin             MailType = "BEGIN"
	MailEnd               MailType = "END"
	MailFail              MailType = "FAIL"
	MailRequeue           MailType = "REQUEUE"
	MailTimeLimit         MailType = "TIME=100%" // the time limit is reached
	MailTimeLimit90       MailType = "TIME=90%"
	MailTimeLimit80       MailType = "TIME=80%"
	MailTimeLimit50       MailType = "TIME=50%"
	MailStageOut          MailType = "STAGE_OUT"
	MailArrayTasks        MailType = "ARRAY_TASKS" // a mail per task of an array, not one for the array
	MailInvalidDependency MailType = "INVALID_DEPENDENCY"
)

var mailTypes = []MailType{
	MailBegin, MailEnd, MailFail, MailRequeue, MailTimeLimit, MailTimeLimit90, MailTimeLimit80, MailTimeLimit50,
	MailStageOut, MailArrayTasks, MailInvalidDependency,
}

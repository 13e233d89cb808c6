package slurm

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Kinds of failure, for errors.Is. An [*Error] matches them by Slurm's error numbers, since Slurm answers most
// mistakes of a user with HTTP status 500; the status counts only if there are none.
var (
	// ErrNotFound: no such job, node or the like. For a job asked for by id it means "not in the live queue";
	// [Client.History] may still know it.
	ErrNotFound = errors.New("slurm: not found")
	// ErrPermission: the caller may not do this, or Slurm does not accept who the caller is.
	ErrPermission = errors.New("slurm: permission denied")
	// ErrInvalid: the request is refused as it stands, by Slurm or before it was sent; sending it again cannot help.
	ErrInvalid = errors.New("slurm: request refused")
	// ErrLimit: a limit on jobs or resources is reached; the same request may pass later.
	ErrLimit = errors.New("slurm: limit reached")
	// ErrUnavailable: a daemon of Slurm does not answer at present. Where the REST daemon, which answers all requests,
	// is not reached itself, the error is a *cluster.Error and matches cluster.ErrUnavailable instead.
	//
	// Most calls about single jobs report a controller that does not answer badly: with HTTP status 500 and, for Get, -1,
	// for Cancel and Signal, 1, and for Update, Hold and Release, 1000. These match as well, though Slurm 24.11 might
	// have another reason to answer so. A submit never matches for such a number: see [ErrUncertain].
	ErrUnavailable = errors.New("slurm: unavailable")
	// ErrAlreadyDone: the job has ended already.
	ErrAlreadyDone = errors.New("slurm: job has already ended")
	// ErrUnknownPath: Slurm's REST daemon does not know the path, most often since it does not speak the version of
	// the API that the client uses: see [WithVersion].
	ErrUnknownPath = errors.New("slurm: unknown path or API version")
	// ErrPartial: a usable answer came along with the error.
	ErrPartial = errors.New("slurm: partial answer")
	// ErrUncertain: the request may or may not have been carried out. See [UncertainError].
	ErrUncertain = errors.New("slurm: outcome unknown")
	// ErrJobLost: a job that existed is in neither the live queue nor the accounting records any more.
	ErrJobLost = errors.New("slurm: job lost")
)

// Error is Slurm's refusal, or an answer of Slurm's that cannot be read. Failures on the way to Slurm (Google's
// API, the network) are *cluster.Error instead.
//
// The verdict is independent of the HTTP status, which is kept for those who need it. Match kinds of failure
// with errors.Is and the Err variables of this package, and particular ones by Problems[i].Number. The text of
// an Error may change in any release.
type Error struct {
	Op       string    // what was being done: "submit job"
	Method   string    // of the request: "POST"
	Path     string    // of the request: "/slurm/v0.0.42/job/submit"
	Status   int       // Slurm's HTTP status
	Problems []Problem // errors[] of the answer; empty if Slurm gave no reason
	Warnings []Warning // warnings[] of the answer: they often say which part of a request was meant
	JobID    JobID     // the job in question, if the request named or made one
	Partial  bool      // the answer held usable data as well, which is returned beside the error
	Text     string    // what is wrong with an answer that is not Slurm's JSON, with the start of it
	Err      error     // the *cluster.Error by which an answer broke off that had begun to arrive; nil otherwise
}

// Error returns one line: operation, problems, hint and HTTP status.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("slurm: ")
	b.WriteString(e.subject())
	b.WriteString(": ")
	b.WriteString(e.reason())
	if hint := e.Hint(); hint != "" {
		b.WriteString("; ")
		b.WriteString(hint)
	}
	if e.Partial && e.JobID != "" {
		fmt.Fprintf(&b, "; job %s exists all the same", e.JobID)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " [HTTP %d]", e.Status)
	}
	return foreign.Printable(b.String())
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// subject is the operation, with the job if the operation does not name it and did not just make it.
func (e *Error) subject() string {
	op := e.Op
	if op == "" {
		op = "call " + e.Path
	}
	id := string(e.JobID)
	if id != "" && !e.Partial && !strings.HasSuffix(op, " "+id) {
		op += " " + id
	}
	return foreign.OneLine(op)
}

func (e *Error) reason() string {
	var parts []string
	if e.Text != "" {
		parts = append(parts, foreign.OneLine(e.Text))
	}
	for _, p := range e.Problems {
		parts = append(parts, p.String())
	}
	if len(parts) == 0 {
		parts = append(parts, "no reason given")
	}
	// Without a problem, a warning is the only thing that can explain the failure.
	if len(e.Problems) == 0 && len(e.Warnings) > 0 {
		var warnings []string
		for _, w := range e.Warnings {
			warnings = append(warnings, w.String())
		}
		parts = append(parts, "Slurm warned: "+strings.Join(warnings, ", "))
	}
	return strings.Join(parts, "; ")
}

// Hint returns what to do about the failure, or "" where this package has no advice.
func (e *Error) Hint() string {
	wordless := e.statusKind() == ErrUnavailable && e.Text == "" && len(e.Problems) == 0
	if e.silentController() || wordless && strings.HasPrefix(e.Path, "/slurm/") {
		return "most likely " + verdicts()[numberNoController].hint
	}
	for _, p := range e.Problems {
		if p.Number == numberNoSuchJob && strings.HasPrefix(e.Path, "/slurmdb/") {
			continue // the hint leads to where this error comes from
		}
		if hint := verdicts()[p.Number].hint; hint != "" {
			return hint
		}
	}
	if e.unknownPath() {
		return "Slurm's REST daemon does not know this path: check the API version the client uses against the cluster's Slurm"
	}
	return ""
}

// Is reports whether e is of the kind target, one of the Err variables of this package.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrPartial:
		return e.Partial
	case ErrUnknownPath:
		return e.unknownPath()
	}
	if len(e.Problems) == 0 {
		return target == e.statusKind()
	}
	if target == ErrUnavailable && e.silentController() {
		return true
	}
	return slices.ContainsFunc(e.Problems, func(p Problem) bool {
		kind := verdicts()[p.Number].kind
		return kind != nil && kind == target
	})
}

// statusKind goes by the HTTP status. It counts only where Slurm, or something in front of it, gives no other reason:
// then there is a short text, a proxy's page, or nothing.
func (e *Error) statusKind() error {
	switch e.Status {
	case 400, 406, 411, 415:
		return ErrInvalid
	case 401:
		return ErrPermission
	case 502, 503, 504:
		return ErrUnavailable
	}
	return nil
}

// silentNumbers are those by which a request fails while the controller does not answer and Slurm's REST daemon knows no
// better, by method. They were the same in v0.0.40 to v0.0.42 of the API.
var silentNumbers = map[string]int{http.MethodGet: -1, http.MethodDelete: 1, http.MethodPost: 1000}

// silentPath is that of a single job in the live queue, or of the states of jobs. A submit has another one: its 1000 may
// hide an accepted job.
var silentPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/slurm/[^/]+/(job/\d[^/]*|jobs/state/[^/]*)$`) })

// silentController reports whether the failure is the one that a controller leads to which does not answer. A plugin
// that refuses an update has -1, which therefore counts for reads only.
func (e *Error) silentController() bool {
	number, ok := silentNumbers[e.Method]
	return ok && e.Status == http.StatusInternalServerError && len(e.Problems) == 1 && silentPath().MatchString(e.Path) &&
		e.Problems[0].Number == number
}

// Transient reports whether the same request may well succeed a little later without anybody's doing. It is
// meant for reads that are repeated anyway: a submit that failed so may have been carried out.
func (e *Error) Transient() bool {
	if failed, ok := errors.AsType[*cluster.Error](e.Err); ok {
		return failed.Transient()
	}
	if errors.Is(e, ErrUnavailable) {
		return true
	}
	if len(e.Problems) == 0 {
		// An answer that is no answer (cut short, a proxy's page) says nothing about the next one.
		return e.Status >= 500 || e.Status == 429 || e.Text != "" && e.Status < 300
	}
	for _, p := range e.Problems {
		if verdicts()[p.Number].kind != nil {
			return false
		}
	}
	// While its controller is down, Slurm also fails with numbers that say nothing: -1, 1, 1000.
	return e.Status >= 500
}

// NotFound reports whether the error matches [ErrNotFound].
func (e *Error) NotFound() bool { return errors.Is(e, ErrNotFound) }

// RetryDelay is the pause the server asked for. Slurm never asks for one, so it is 0.
func (e *Error) RetryDelay() time.Duration { return 0 }

// unknownPath tells Slurm's own 404 for paths, a short text, from the JSON one for jobs.
func (e *Error) unknownPath() bool { return e.Status == 404 && e.Text != "" && len(e.Problems) == 0 }

// JobError says that a job ended without success. It comes from [Job.Err] and from the waiting verbs.
type JobError struct {
	Job *Job // never nil
}

// Error returns one line: id, name, state, reason, exit code, nodes and running time.
func (e *JobError) Error() string {
	job := e.Job
	var b strings.Builder
	fmt.Fprintf(&b, "slurm: job %s", job.ID)
	if job.Name != "" {
		fmt.Fprintf(&b, " (%s)", foreign.OneLine(abbreviate(job.Name)))
	}
	fmt.Fprintf(&b, " %s", job.State)
	var facts []string
	if reason := job.why(); reason != "" {
		facts = append(facts, reason)
	}
	if !job.ExitCode.Success() && job.ExitCode.Known {
		facts = append(facts, job.ExitCode.String())
	}
	if job.CancelledBy != "" {
		facts = append(facts, "by "+job.CancelledBy)
	}
	if job.Nodes != "" {
		facts = append(facts, "on "+abbreviate(job.Nodes))
	}
	if len(facts) > 0 {
		b.WriteString(": " + strings.Join(facts, ", "))
	}
	if elapsed := job.Elapsed(); elapsed > 0 {
		fmt.Fprintf(&b, " after %s", elapsed)
	}
	return foreign.Printable(b.String())
}

// Cancelled reports whether somebody cancelled the job.
func (e *JobError) Cancelled() bool { return e.Job.State == StateCancelled }

// TimedOut reports whether the job ran into its time limit or deadline.
func (e *JobError) TimedOut() bool {
	return e.Job.State == StateTimeout || e.Job.State == StateDeadline
}

// OutOfMemory reports whether the job was ended for using too much memory.
func (e *JobError) OutOfMemory() bool { return e.Job.State == StateOutOfMemory }

// Infrastructure reports whether the job ended through no fault of its own: preempted, a node failed, or its
// nodes did not boot. The same job may succeed when it is submitted again.
func (e *JobError) Infrastructure() bool {
	switch e.Job.State {
	case StateNodeFail, StateBootFail, StatePreempted:
		return true
	}
	return false
}

// verdict is what an error number of Slurm's means.
type verdict struct {
	kind error  // nil where the number says too little
	hint string // what to do, where there is more to say than Slurm's own text does
}

// named adds to an error of Slurm's which job the request was about.
func named(err error, id JobID) error {
	if e, ok := errors.AsType[*Error](err); ok && e.JobID == "" {
		e.JobID = id
	}
	return err
}

// notFound makes the error for a job that Slurm answers with an empty list rather than with a failure.
func notFound(r *reply, id JobID) *Error {
	e := r.failure()
	e.JobID = id
	e.Problems = append(e.Problems, Problem{Number: numberNoSuchJob, Message: "Invalid job id specified",
		Description: "no record of job " + strconv.Quote(string(id))})
	return e
}

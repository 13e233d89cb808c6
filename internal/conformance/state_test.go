package conformance

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func stateCases() []testCase {
	return []testCase{
		{name: "state/COMPLETED", test: stateCompleted},
		{name: "state/FAILED/exit code", test: stateFailed},
		{name: "state/FAILED/signal", test: stateSignal},
		{name: "state/FAILED/interpreter", test: stateInterpreter},
		{name: "state/FAILED/directory", test: stateDirectory},
		{name: "state/FAILED/output", test: stateOutput},
		{name: "state/CANCELLED/pending", test: stateCancelledPending},
		{name: "state/CANCELLED/running", test: stateCancelledRunning},
		{name: "state/COMPLETING", test: stateCompleting},
		{name: "state/TIMEOUT", test: stateTimeout},
		{name: "state/DEADLINE", test: stateDeadline},
		{name: "state/OUT_OF_MEMORY", test: stateOutOfMemory},
	}
}

func stateCompleted(b *bed) {
	id := b.submit("sleep 1\nexit 0")
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateCompleted)
	equal(b, "reason", job.Reason, "None")
	equal(b, "exit code", job.ExitCode, slurm.ExitCode{Known: true, Status: slurm.ExitSuccess})
	equal(b, "error", job.Err(), nil)
	equal(b, "start after submit", job.StartTime.Before(job.SubmitTime), false)
	equal(b, "end after start", job.EndTime.After(job.StartTime), true)
	record := b.recorded(id, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateCompleted)
	equal(b, "recorded exit code", record.ExitCode, slurm.ExitCode{Known: true, Status: slurm.ExitSuccess})
	equal(b, "recorded source", record.Source, slurm.SourceAccounting)
	equal(b, "recorded user", record.User, "alice")
	equal(b, "recorded start", record.StartTime.Equal(job.StartTime), true)
	equal(b, "recorded end", record.EndTime.Equal(job.EndTime), true)
	equal(b, "recorded limit", record.TimeLimit, 30*time.Minute)
	equal(b, "recorded nodes", record.Nodes, job.Nodes)
	equal(b, "recorded CPUs", record.Allocated.CPUs(), 1)
	equal(b, "recorded memory", record.Allocated.Memory(), 256<<20)
	equal(b, "odd members", len(record.Odd), 0)
}

func stateFailed(b *bed) {
	id := b.submit("exit 3")
	job := b.ended(id)
	want := slurm.ExitCode{Known: true, Status: slurm.ExitError, Code: 3}
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "reason", job.Reason, "NonZeroExitCode")
	equal(b, "exit code", job.ExitCode, want)
	record := b.recorded(id, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateFailed)
	equal(b, "recorded reason", record.Reason, "None")
	equal(b, "recorded exit code", record.ExitCode, want)
	if _, failed := b.wait(id); failed == nil || failed.Cancelled() || failed.TimedOut() || failed.Infrastructure() {
		b.t.Errorf("Wait: %v", failed)
	}
}

func stateSignal(b *bed) {
	id := b.submit("kill -SEGV $$")
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "reason", job.Reason, "RaisedSignal")
	equal(b, "signal", job.ExitCode.Signal, 11)
	equal(b, "recorded signal", b.recorded(id, 1)[0].ExitCode.Signal, 11)
}

func stateInterpreter(b *bed) {
	spec := b.spec("true")
	spec.Script = "#!/no/such/interpreter\ntrue\n"
	id, err := b.alice.Submit(b.ctx, spec)
	b.must("Submit", err)
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "exit code", job.ExitCode.Code, 2)
}

func stateDirectory(b *bed) {
	b.neverRan(b.submit("true", func(s *slurm.JobSpec) { s.WorkingDirectory, s.Stdout = "/no/such/directory", "" }))
}

func stateOutput(b *bed) {
	b.neverRan(b.submit("true", func(s *slurm.JobSpec) { s.Stdout = "/no/such/directory/out" }))
}

// neverRan is how a job ends whose output cannot be written: with a signal that no process had.
func (b *bed) neverRan(id slurm.JobID) {
	b.t.Helper()
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "reason", job.Reason, "RaisedSignal")
	equal(b, "signal", job.ExitCode.Signal, 53)
	equal(b, "status", job.ExitCode.Status, slurm.ExitSignaled)
}

func stateCancelledPending(b *bed) {
	id := b.submit("true", hold)
	b.pending(id, "JobHeldUser")
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "state at once", job.State, slurm.StateCancelled)
	equal(b, "ended", job.Ended(), true)
	equal(b, "reason", job.Reason, "JobHeldUser")
	equal(b, "end", job.EndTime.IsZero(), false)
	equal(b, "nodes", job.Nodes, "")
	record := b.recorded(id, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateCancelled)
	equal(b, "cancelled by", record.CancelledBy, "alice")
	equal(b, "recorded nodes", record.Nodes, "")
	equal(b, "recorded start known", !record.StartTime.IsZero(), false)
	if _, failed := b.wait(id); failed == nil || !failed.Cancelled() {
		b.t.Errorf("Wait: %v", failed)
	}
}

func stateCancelledRunning(b *bed) {
	id := b.submit("sleep 300")
	b.running(id)
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateCancelled)
	equal(b, "reason", job.Reason, "None")
	equal(b, "signal", job.ExitCode.Signal, 15)
	record := b.recorded(id, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateCancelled)
	equal(b, "cancelled by", record.CancelledBy, "alice")
	equal(b, "recorded exit status", record.ExitCode.Status, slurm.ExitSuccess)
	equal(b, "recorded node", record.Nodes, job.Nodes)
}

// stateCompleting: a script that survives SIGTERM is CANCELLED for some seconds and has not ended.
func stateCompleting(b *bed) {
	id := b.submit("trap '' TERM\nsleep 300")
	b.running(id)
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	job := b.see(id, "CANCELLED and COMPLETING", func(j *slurm.Job) bool {
		return j.State == slurm.StateCancelled && j.Has(slurm.FlagCompleting)
	})
	equal(b, "ended", job.Ended(), false)
	equal(b, "failed", job.Failed(), false)
	equal(b, "nodes kept", job.Nodes != "", true)
	b.must("second Cancel", b.alice.Cancel(b.ctx, id))
	job, failed := b.wait(id)
	if failed == nil || !failed.Cancelled() || job.Has(slurm.FlagCompleting) {
		b.t.Errorf("Wait: %v, %v", job, failed)
	}
}

func stateTimeout(b *bed) {
	id := b.submit("sleep 300", limit(time.Minute))
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateTimeout)
	equal(b, "reason", job.Reason, "TimeLimit")
	if _, failed := b.wait(id); failed == nil || !failed.TimedOut() {
		b.t.Errorf("Wait: %v", failed)
	}
	equal(b, "a minute has passed", job.Elapsed() >= time.Minute, true)
	equal(b, "signal", job.ExitCode.Signal, 15)
	record := b.recorded(id, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateTimeout)
	equal(b, "recorded exit status", record.ExitCode.Status, slurm.ExitSuccess)
}

// stateDeadline needs a job that waits for so long that it cannot reach its limit in time any more.
func stateDeadline(b *bed) {
	id := b.submit("true", hold, limit(time.Minute), func(s *slurm.JobSpec) { s.Deadline = time.Now().Add(65 * time.Second) })
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateDeadline)
	equal(b, "reason", job.Reason, "DeadLine")
	equal(b, "ended before its deadline", job.EndTime.Before(job.Deadline), true)
	if _, failed := b.wait(id); failed == nil || !failed.TimedOut() {
		b.t.Errorf("Wait: %v", failed)
	}
	equal(b, "recorded state", b.recorded(id, 1)[0].State, slurm.StateDeadline)
}

// stateOutOfMemory: a Slurm without cgroups does not watch memory, so that the word for it is put into its answers.
func stateOutOfMemory(b *bed) {
	id := b.submit("exit 1")
	b.ended(id)
	client, err := slurm.NewClient(renaming{b.caller("alice"), "FAILED", "OUT_OF_MEMORY"}, "training")
	b.must("NewClient", err)
	job, err := client.Wait(b.ctx, id, pace)
	equal(b, "state", job.State, slurm.StateOutOfMemory)
	if failed, ok := errors.AsType[*slurm.JobError](err); !ok || !failed.OutOfMemory() {
		b.t.Errorf("Wait: %v", err)
	}
	b.recorded(id, 1)
	jobs, err := client.History(b.ctx, id)
	b.must("History", err)
	equal(b, "recorded state", jobs[0].State, slurm.StateOutOfMemory)
}

// renaming replaces a word in all answers.
type renaming struct {
	slurm.Caller
	from, to string
}

func (r renaming) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (
	*cluster.SlurmResponse, error,
) {
	resp, err := r.Caller.CallSlurm(ctx, name, req, opts...)
	if resp != nil {
		resp.Body = bytes.ReplaceAll(resp.Body, []byte(`"`+r.from+`"`), []byte(`"`+r.to+`"`))
	}
	return resp, err
}

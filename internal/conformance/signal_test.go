package conformance

import (
	"strconv"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// deadly are the signals that end a process that does not expect them, with their numbers. Slurm reports the name of
// one as it was sent, or the number where it has no name.
var deadly = map[string]int{"HUP": 1, "INT": 2, "ABRT": 6, "USR1": 10, "USR2": 12, "ALRM": 14, "TERM": 15}

// harmless are those that do not end a batch script.
var harmless = []string{"CONT", "URG", "TSTP", "TTIN", "TTOU"}

func signalCases() []testCase {
	cases := []testCase{
		{name: "signal/KILL", test: signalKill},
		{name: "signal/QUIT", test: signalQuit},
		{name: "signal/STOP", test: signalStop},
		{name: "signal/number", test: signalNumber},
		{name: "signal/trapped", test: signalTrapped},
		{name: "signal/script only", test: signalScriptOnly},
		{name: "signal/pending", test: signalPending},
		{name: "signal/ended", test: signalEnded},
		{name: "signal/unknown job", test: func(b *bed) {
			b.refused("Signal", b.alice.Signal(b.ctx, unknown, "USR1"), slurm.ErrNotFound, 2017)
		}},
		{name: "signal/unknown name", test: signalUnknown},
	}
	for name, number := range deadly {
		cases = append(cases, testCase{name: "signal/" + name, test: func(b *bed) { b.dies(name, number) }})
	}
	for _, name := range harmless {
		cases = append(cases, testCase{name: "signal/" + name, test: func(b *bed) { b.survives(name) }})
	}
	return cases
}

func (b *bed) signalled(script, signal string, opts ...slurm.SignalOption) slurm.JobID {
	b.t.Helper()
	id := b.submit(script)
	b.scriptRuns(id)
	b.must("Signal", b.alice.Signal(b.ctx, id, signal, opts...))
	return id
}

// scriptRuns waits until the script of a job sleeps: a signal that comes earlier may meet no trap and no child. Nothing
// of the API tells that.
func (b *bed) scriptRuns(id slurm.JobID) {
	b.t.Helper()
	b.running(id)
	b.eventually("its sleep", func() (any, bool) { return id, b.sleeping(id) })
}

func (b *bed) dies(name string, number int) {
	id := b.signalled("sleep 300\nexit 9", name)
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "reason", job.Reason, "RaisedSignal")
	equal(b, "signal", job.ExitCode.Signal, number)
	equal(b, "name", job.ExitCode.SignalName, name)
	record := b.recorded(id, 1)[0].ExitCode
	if number == 1 { // which the accounting cannot tell from an exit code
		equal(b, "recorded", record.String(), "exit code 1")
		return
	}
	equal(b, "recorded signal", record.Signal, number)
}

func (b *bed) survives(name string) {
	id := b.signalled("sleep 300", name)
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "running", job.Running(), true)
	equal(b, "stopped", job.Has(slurm.FlagStopped), false)
}

func signalKill(b *bed) {
	id := b.signalled("sleep 300", "KILL")
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateCancelled)
	equal(b, "signal", job.ExitCode.Signal, 15)
	equal(b, "cancelled by", b.recorded(id, 1)[0].CancelledBy, "alice")
}

// signalQuit: bash ignores SIGQUIT, and its child does not.
func signalQuit(b *bed) {
	id := b.signalled("sleep 300\nexit 9", "QUIT")
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "exit code", job.ExitCode.Code, 9)
}

func signalStop(b *bed) {
	id := b.signalled("sleep 300", "STOP")
	job := b.see(id, "STOPPED", func(j *slurm.Job) bool { return j.Has(slurm.FlagStopped) })
	equal(b, "state", job.State, slurm.StateRunning)
	equal(b, "ended", job.Ended(), false)
	b.must("Signal", b.alice.Signal(b.ctx, id, "CONT"))
	b.see(id, "not STOPPED", func(j *slurm.Job) bool { return !j.Has(slurm.FlagStopped) })
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	equal(b, "state", b.ended(id).State, slurm.StateCancelled)
}

func signalNumber(b *bed) {
	id := b.signalled("sleep 300", strconv.Itoa(11))
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "signal", job.ExitCode.Signal, 11)
}

func signalTrapped(b *bed) {
	id := b.signalled("trap 'exit 40' USR1\nsleep 300 & wait", "SIGUSR1")
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateFailed)
	equal(b, "reason", job.Reason, "NonZeroExitCode")
	equal(b, "exit code", job.ExitCode.Code, 40)
}

func signalScriptOnly(b *bed) {
	id := b.signalled("trap 'exit 0' TERM\nsleep 300 & wait", "TERM", slurm.ScriptOnly())
	b.completes(id)
}

func signalPending(b *bed) {
	id := b.submit("true", hold)
	err := b.alice.Signal(b.ctx, id, "USR1")
	if got := numbers(err); len(got) != 1 || got[0] != 2020 {
		b.t.Errorf("Signal: %v, want Slurm's 2020", err)
	}
	b.pending(id, "JobHeldUser")
}

func signalEnded(b *bed) {
	id := b.submit("true")
	b.ended(id)
	b.refused("Signal", b.alice.Signal(b.ctx, id, "USR1"), slurm.ErrAlreadyDone, 2021)
}

// signalUnknown: Slurm kills a job for a name that it does not know, so that the client must not send one.
func signalUnknown(b *bed) {
	id := b.submit("sleep 300")
	b.running(id)
	err := b.alice.Signal(b.ctx, id, "NOPE")
	if err == nil || !strings.Contains(err.Error(), `"NOPE" is no signal`) {
		b.t.Errorf("Signal: %v", err)
	}
	equal(b, "running", b.running(id).Running(), true)
	err = b.alice.Do(b.ctx, "DELETE", "/slurm/v0.0.42/job/"+string(id)+"?signal=NOPE", nil, nil)
	if got := numbers(err); len(got) != 1 || got[0] != 0 {
		b.t.Errorf("Do: %v, want a problem without a number", err)
	}
	equal(b, "state", b.ended(id).State, slurm.StateCancelled)
}

package conformance

import (
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func queueCases() []testCase {
	return []testCase{
		{name: "hold/at submit", test: holdAtSubmit},
		{name: "hold/pending", test: holdPending},
		{name: "hold/running", test: holdRunning},
		{name: "begin/later", test: beginLater},
		{name: "begin/reached", test: beginReached},
		{name: "requeue/to the end", test: requeueToTheEnd},
		{name: "requeue/cancelled", test: requeueCancelled},
	}
}

func holdAtSubmit(b *bed) {
	id := b.submit("true", hold)
	job := b.pending(id, "JobHeldUser")
	equal(b, "hold", job.Hold, true)
	equal(b, "priority", job.Priority, 0)
	b.must("Release", b.alice.Release(b.ctx, id))
	job = b.completes(id)
	equal(b, "hold", job.Hold, false)
	equal(b, "priority above 0", job.Priority > 0, true)
}

func holdPending(b *bed) {
	id := b.submit("true", func(s *slurm.JobSpec) { s.Begin = time.Now().Add(time.Hour) })
	b.pending(id, "BeginTime")
	b.must("Hold", b.alice.Hold(b.ctx, id))
	equal(b, "hold", b.pending(id, "JobHeldUser").Hold, true)
	b.must("Release", b.alice.Release(b.ctx, id))
	equal(b, "hold", b.pending(id, "BeginTime").Hold, false)
}

func holdRunning(b *bed) {
	id := b.submit("sleep 300")
	b.running(id)
	b.must("Hold", b.alice.Hold(b.ctx, id))
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "running", job.Running(), true)
	equal(b, "reason", job.Reason, "JobHeldUser")
	equal(b, "priority", job.Priority, 0)
}

func beginLater(b *bed) {
	begin := time.Now().Add(time.Hour).Truncate(time.Second)
	id := b.submit("true", func(s *slurm.JobSpec) { s.Begin = begin })
	job := b.pending(id, "BeginTime")
	equal(b, "eligible at", job.EligibleTime.Equal(begin), true)
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Begin: time.Now()}))
	b.completes(id)
}

func beginReached(b *bed) {
	begin := time.Now().Add(3 * time.Second).Truncate(time.Second)
	id := b.submit("true", func(s *slurm.JobSpec) { s.Begin = begin })
	job := b.completes(id)
	equal(b, "started before its time", job.StartTime.Before(begin), false)
}

// requeueToTheEnd: the wait goes on across the two minutes for which Slurm puts the job off.
func requeueToTheEnd(b *bed) {
	id := b.submit("sleep 10")
	first := b.running(id)
	b.requeue(id)
	job := b.pending(id, "BeginTime")
	equal(b, "restarts", job.RestartCount, 1)
	equal(b, "nodes", job.Nodes, "")
	equal(b, "exit code known", job.ExitCode.Known, false)
	job = b.completes(id)
	equal(b, "restarts", job.RestartCount, 1)
	equal(b, "later start", job.StartTime.After(first.StartTime), true)
	runs := b.twoRuns(id)
	equal(b, "first run", runs[0].State, slurm.StatePending)
	equal(b, "first run was requeued", runs[0].Has(slurm.FlagRequeued), true)
	equal(b, "second run", runs[1].State, slurm.StateCompleted)
	equal(b, "restarts", runs[1].RestartCount, 1)
}

func requeueCancelled(b *bed) {
	id := b.submit("sleep 300")
	b.running(id)
	b.requeue(id)
	b.pending(id, "BeginTime")
	b.waitsAgain(id)
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	job, failed := b.wait(id)
	if failed == nil || !failed.Cancelled() {
		b.t.Errorf("Wait: %v", failed)
	}
	equal(b, "restarts", job.RestartCount, 1)
	runs := b.twoRuns(id)
	equal(b, "second run", runs[1].State, slurm.StateCancelled)
}

// twoRuns reads the records of a requeued job, the last of which has ended.
func (b *bed) twoRuns(id slurm.JobID) (runs []*slurm.Job) {
	b.t.Helper()
	b.eventually("two runs in the accounting", func() (any, bool) {
		var err error
		runs, err = b.alice.History(b.ctx, id)
		b.must("History", err)
		return runs, len(runs) == 2 && runs[1].Ended()
	})
	return runs
}

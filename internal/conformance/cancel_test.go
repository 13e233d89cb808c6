package conformance

import (
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// unknown is a number that no job gets here.
const unknown slurm.JobID = "4000000"

func cancelCases() []testCase {
	return []testCase{
		{name: "cancel/held", test: cancels(func(b *bed) slurm.JobID {
			id := b.submit("true", hold)
			b.pending(id, "JobHeldUser")
			return id
		})},
		{name: "cancel/waiting for a time", test: cancels(func(b *bed) slurm.JobID {
			id := b.submit("true", func(s *slurm.JobSpec) { s.Begin = time.Now().Add(time.Hour) })
			b.pending(id, "BeginTime")
			return id
		})},
		{name: "cancel/at once", test: cancels(func(b *bed) slurm.JobID { return b.submit("sleep 300") })},
		{name: "cancel/running", test: cancels(func(b *bed) slurm.JobID {
			id := b.submit("sleep 300")
			b.running(id)
			return id
		})},
		{name: "cancel/ended", test: cancelEnded},
		{name: "cancel/left the queue", test: cancelGone},
		{name: "cancel/unknown", test: func(b *bed) {
			b.refused("Cancel", b.alice.Cancel(b.ctx, unknown), slurm.ErrNotFound, 2017)
			b.refused("Cancel", b.alice.Cancel(b.ctx, unknown.WithTask(1)), slurm.ErrNotFound, 2017)
		}},
	}
}

// cancels checks that a job in some state can be cancelled, and that once more does no harm.
func cancels(prepare func(*bed) slurm.JobID) func(*bed) {
	return func(b *bed) {
		id := prepare(b)
		b.must("Cancel", b.alice.Cancel(b.ctx, id))
		b.must("second Cancel", b.alice.Cancel(b.ctx, id))
		job, failed := b.wait(id)
		if failed == nil || !failed.Cancelled() {
			b.t.Errorf("Wait: %v, %v", job, failed)
		}
		equal(b, "cancelled by", b.recorded(id, 1)[0].CancelledBy, "alice")
	}
}

func cancelEnded(b *bed) {
	id := b.submit("exit 3")
	b.ended(id)
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "state", job.State, slurm.StateFailed)
}

func cancelGone(b *bed) {
	id := b.submit("true")
	b.completes(id)
	b.gone(id)
	b.refused("Cancel", b.alice.Cancel(b.ctx, id), slurm.ErrNotFound, 2017)
	equal(b, "state", b.recorded(id, 1)[0].State, slurm.StateCompleted)
}

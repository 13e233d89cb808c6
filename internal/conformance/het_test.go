package conformance

import (
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func hetCases() []testCase {
	return []testCase{
		{name: "het/completes", test: hetCompletes},
		{name: "het/cancel", test: hetCancel},
		{name: "het/pending", test: hetPending},
		{name: "het/refused", test: hetRefused},
	}
}

func (b *bed) submitHet(script string, changes ...change) slurm.JobID {
	b.t.Helper()
	second := b.spec("", on("a4"), func(s *slurm.JobSpec) { s.Script, s.GPUsPerNode = "", 1 })
	submission, err := b.alice.SubmitHet(b.ctx, []*slurm.JobSpec{b.spec(script, changes...), second})
	b.must("SubmitHet", err)
	b.cancelAfter(b.alice, submission.JobID)
	return submission.JobID
}

func hetCompletes(b *bed) {
	id := b.submitHet("sleep 10")
	b.running(id)
	jobs := b.all(id)
	b.count("components", len(jobs), 2)
	for i, j := range jobs {
		equal(b, "het job", j.HetJobID, id)
		equal(b, "offset", j.HetOffset, int64(i))
		equal(b, "number", j.RawID, id.Number()+int64(i))
		equal(b, "state", j.State, slurm.StateRunning)
	}
	equal(b, "partition", jobs[0].Partition, "cpu")
	equal(b, "partition", jobs[1].Partition, "a4")
	second, err := b.alice.Get(b.ctx, id+"+1")
	b.must("Get component", err)
	equal(b, "GPUs", second.GPUs(), 1)
	job := b.completes(id)
	equal(b, "id", job.ID, id)
	records := b.recorded(id, 2)
	equal(b, "recorded het job", records[1].HetJobID, id)
	equal(b, "recorded offset", records[1].HetOffset, 1)
	equal(b, "recorded state", records[1].State, slurm.StateCompleted)
	equal(b, "one component's record", b.recorded(id+"+1", 1)[0].RawID, id.Number()+1)
}

func hetCancel(b *bed) {
	id := b.submitHet("sleep 300")
	b.running(id)
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	_, failed := b.wait(id)
	equal(b, "cancelled", failed != nil && failed.Cancelled(), true)
	for _, j := range b.all(id) {
		equal(b, "state of "+j.String(), j.State, slurm.StateCancelled)
	}
	for _, j := range b.recorded(id, 2) {
		equal(b, "recorded state of "+j.String(), j.State, slurm.StateCancelled)
	}
}

func hetPending(b *bed) {
	id := b.submitHet("true", hold)
	b.pending(id, "JobHeldUser")
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	for _, j := range b.all(id) {
		equal(b, "state of "+j.String(), j.State, slurm.StateCancelled)
	}
}

func hetRefused(b *bed) {
	second := b.spec("", on("nope"), func(s *slurm.JobSpec) { s.Script = "" })
	submission, err := b.alice.SubmitHet(b.ctx, []*slurm.JobSpec{b.spec("true"), second})
	b.refused("SubmitHet", err, slurm.ErrInvalid, 2000)
	equal(b, "submission", submission, nil)
	// The components before the one that is refused exist already, and are cancelled.
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	b.count("jobs that are left behind", len(jobs), 1)
	equal(b, "state", jobs[0].State, slurm.StateCancelled)
	equal(b, "exit code", jobs[0].ExitCode.String(), "signal 1 (HUP)")
	record := b.recorded(jobs[0].ID, 1)[0]
	equal(b, "recorded state", record.State, slurm.StateCancelled)
	equal(b, "recorded het job", record.HetJobID, "")
}

package conformance

import (
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func userCases() []testCase {
	return []testCase{
		{name: "users/other's pending job", test: func(b *bed) { othersJob(b, true) }},
		{name: "users/other's running job", test: func(b *bed) { othersJob(b, false) }},
		{name: "users/other's jobs in lists", test: othersInLists},
	}
}

func (b *bed) submitAsBob(script string, changes ...change) slurm.JobID {
	b.t.Helper()
	spec := b.spec(script, changes...)
	spec.WorkingDirectory = "/home/bob"
	id, err := b.bob.Submit(b.ctx, spec)
	b.must("Submit", err)
	b.cancelAfter(b.bob, id)
	return id
}

func othersJob(b *bed, pending bool) {
	id := b.submitAsBob("sleep 300", func(s *slurm.JobSpec) { s.Hold = pending })
	if !pending {
		b.running(id)
	}
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "user", job.User, "bob")
	b.refused("Cancel", b.alice.Cancel(b.ctx, id), slurm.ErrPermission, 2002)
	b.refused("Signal", b.alice.Signal(b.ctx, id, "USR1"), slurm.ErrPermission, 2002)
	b.refused("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Comment: "x"}), slurm.ErrPermission, 2010)
	b.refused("Hold", b.alice.Hold(b.ctx, id), slurm.ErrPermission, 2010)
	b.refused("Release", b.alice.Release(b.ctx, id), slurm.ErrPermission, 2010)
	job, err = b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "ended", job.Ended(), false)
	equal(b, "comment", job.Comment, "")
	b.must("bob's Cancel", b.bob.Cancel(b.ctx, id))
	_, failed := b.wait(id)
	equal(b, "cancelled, as alice sees it", failed != nil && failed.Cancelled(), true)
	equal(b, "cancelled by", b.recorded(id, 1)[0].CancelledBy, "bob")
}

func othersInLists(b *bed) {
	mine, his := b.submit("true", hold), b.submitAsBob("true", hold)
	for user, want := range map[string]slurm.JobID{"alice": mine, "bob": his} {
		jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}, Users: []string{user}})
		b.must("List", err)
		if len(jobs) != 1 || jobs[0].ID != want {
			b.t.Errorf("jobs of %s: %v, want %s", user, jobs, want)
		}
	}
}

package conformance

import (
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func updateCases() []testCase {
	return []testCase{
		{name: "update/pending", test: updatePending},
		{name: "update/running", test: updateRunning},
		{name: "update/ended", test: updateEnded},
		{name: "update/unknown job", test: updateUnknown},
		{name: "update/unknown member", test: updateUnknownMember},
		{name: "update/priority of a held job", test: updateHeldPriority},
		{name: "update/refused", test: updateRefused},
	}
}

func updatePending(b *bed) {
	id := b.submit("true", hold)
	begin := time.Now().Add(time.Hour).Truncate(time.Second)
	no := false
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{
		Name: b.name + "-2", Comment: "changed", Partition: "a4", TimeLimit: 10 * time.Minute, Begin: begin,
		Nice: 7, Requeue: &no, MinNodes: 2, TRESPerNode: slurm.GPUs(1, ""),
	}))
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "name", job.Name, b.name+"-2")
	equal(b, "comment", job.Comment, "changed")
	equal(b, "partition", job.Partition, "a4")
	equal(b, "limit", job.TimeLimit, 10*time.Minute)
	equal(b, "nice", job.Nice, 7)
	equal(b, "requeue", job.Requeue, false)
	equal(b, "nodes", job.NodeCount, 2)
	equal(b, "GPUs", job.TRESPerNode, "gres/gpu:1")
	equal(b, "hold", job.Hold, true)
	b.must("Release", b.alice.Release(b.ctx, id))
	equal(b, "eligible at", b.pending(id, "BeginTime").EligibleTime.Equal(begin), true)
}

func updateRunning(b *bed) {
	id := b.submit("sleep 300", limit(20*time.Minute))
	b.running(id)
	b.must("lower limit", b.alice.Update(b.ctx, id, &slurm.JobUpdate{TimeLimit: 10 * time.Minute, Comment: "less"}))
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "limit", job.TimeLimit, 10*time.Minute)
	equal(b, "comment", job.Comment, "less")
	b.refused("raised limit", b.alice.Update(b.ctx, id, &slurm.JobUpdate{TimeLimit: time.Hour}), slurm.ErrPermission, 2002)
	b.refused("partition", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Partition: "a4"}), slurm.ErrInvalid, 2073)
}

func updateEnded(b *bed) {
	id := b.submit("true")
	b.ended(id)
	b.refused("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{TimeLimit: time.Minute}), slurm.ErrAlreadyDone, 2084)
	b.gone(id)
	b.refused("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{TimeLimit: time.Minute}), slurm.ErrNotFound, 2017)
}

func updateUnknown(b *bed) {
	b.refused("Update", b.alice.Update(b.ctx, unknown, &slurm.JobUpdate{Comment: "x"}), slurm.ErrNotFound, 2017)
	b.refused("Hold", b.alice.Hold(b.ctx, unknown), slurm.ErrNotFound, 2017)
	b.refused("Release", b.alice.Release(b.ctx, unknown), slurm.ErrNotFound, 2017)
}

func updateUnknownMember(b *bed) {
	id := b.submit("true", hold)
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Extra: map[string]any{"timelimit": 5}}))
	b.warned("#/timelimit/")
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "limit", job.TimeLimit, 30*time.Minute)
}

func updateHeldPriority(b *bed) {
	id := b.submit("true", hold)
	b.refused("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Priority: 5}), slurm.ErrInvalid, 2042)
}

func updateRefused(b *bed) {
	id := b.submit("true", hold)
	b.refused("partition", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Partition: "nope"}), slurm.ErrInvalid, 2000)
	b.refused("account", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Account: "nope"}), slurm.ErrInvalid, 2045)
	b.refused("QOS", b.alice.Update(b.ctx, id, &slurm.JobUpdate{QOS: "nope"}), slurm.ErrInvalid, 2066)
	b.refused("dependency", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Dependency: slurm.AfterOK(unknown)}),
		slurm.ErrInvalid, 2038)
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "partition", job.Partition, "cpu")
	equal(b, "account", job.Account, "research")
	equal(b, "dependency", job.Dependency, "")
}

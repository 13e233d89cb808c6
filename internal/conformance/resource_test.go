package conformance

import (
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func resourceCases() []testCase {
	return []testCase{
		{name: "resources/GPUs/of a type", test: gpusTyped},
		{name: "resources/GPUs/of two nodes", test: gpusTwoNodes},
		{name: "resources/GPUs/of the job", test: gpusOfJob},
		{name: "resources/CPUs", test: cpus},
		{name: "resources/memory/per node", test: memoryPerNode},
		{name: "resources/memory/per CPU", test: memoryPerCPU},
		{name: "resources/memory/all", test: memoryAll},
		{name: "resources/exclusive", test: exclusive},
		{name: "resources/constraint", test: constraint},
		{name: "time limit/rounded up", test: limitRounded},
		{name: "time limit/unlimited", test: limitUnlimited},
		{name: "time limit/over the partition's", test: limitOverPartition},
		{name: "time limit/default", test: limitDefault},
		{name: "time limit/zero", test: limitZero},
		{name: "time limit/number that is not set", test: limitNotSet},
	}
}

func gpusTyped(b *bed) {
	id := b.submit("sleep 10", on("a4"), func(s *slurm.JobSpec) { s.GPUsPerNode, s.GPUType = 2, "b200" })
	job := b.running(id)
	equal(b, "as asked for", job.TRESPerNode, "gres/gpu:b200:2")
	equal(b, "GPUs", job.GPUs(), 2)
	equal(b, "GPUs of the type", job.Allocated.Count("gres", "gpu:b200"), 2)
	equal(b, "requested", job.Requested.GPUs(), 2)
	record := b.recorded(id, 1)[0]
	equal(b, "recorded GPUs", record.GPUs(), 2)
	equal(b, "recorded GPUs of the type", record.Allocated.Count("gres", "gpu:b200"), 2)
}

func gpusTwoNodes(b *bed) {
	id := b.submit("sleep 10", on("a4"), func(s *slurm.JobSpec) { s.MinNodes, s.GPUsPerNode = 2, 3 })
	job := b.running(id)
	equal(b, "nodes", job.Nodes, "g[1-2]")
	equal(b, "number of nodes", job.Allocated.Nodes(), 2)
	equal(b, "first node", job.BatchHost, "g1")
	equal(b, "GPUs", job.GPUs(), 6)
	equal(b, "recorded GPUs", b.recorded(id, 1)[0].GPUs(), 6)
}

func gpusOfJob(b *bed) {
	id := b.submit("sleep 10", on("a4"), func(s *slurm.JobSpec) { s.TRESPerJob = slurm.GPUs(4, "") })
	job := b.running(id)
	equal(b, "as asked for", job.TRESPerJob, "gres/gpu:4")
	equal(b, "GPUs", job.GPUs(), 4)
	equal(b, "recorded GPUs", b.recorded(id, 1)[0].GPUs(), 4)
}

func cpus(b *bed) {
	id := b.submit("sleep 1", func(s *slurm.JobSpec) { s.Tasks, s.CPUsPerTask = 2, 2 })
	job := b.completes(id)
	equal(b, "CPUs", job.CPUs, 4)
	equal(b, "tasks", job.Tasks, 2)
	equal(b, "allocated", job.Allocated.CPUs(), 4)
	equal(b, "memory", job.Allocated.Memory(), 4*256<<20)
}

func memoryPerNode(b *bed) {
	id := b.submit("sleep 1", func(s *slurm.JobSpec) { s.MemoryPerNode = 1<<30 + 1 })
	job := b.ended(id)
	equal(b, "per node, rounded up", job.MemoryPerNode, 1025<<20)
	equal(b, "per CPU", job.MemoryPerCPU, 0)
	equal(b, "allocated", job.Allocated.Memory(), 1025<<20)
	record := b.recorded(id, 1)[0]
	equal(b, "recorded per node", record.MemoryPerNode, 1025<<20)
	equal(b, "recorded", record.Allocated.Memory(), 1025<<20)
}

func memoryPerCPU(b *bed) {
	id := b.submit("sleep 1", func(s *slurm.JobSpec) { s.MemoryPerCPU, s.CPUsPerTask = 512<<20, 2 })
	job := b.ended(id)
	equal(b, "per CPU", job.MemoryPerCPU, 512<<20)
	equal(b, "per node", job.MemoryPerNode, 0)
	equal(b, "allocated", job.Allocated.Memory(), 1<<30)
	equal(b, "recorded per CPU", b.recorded(id, 1)[0].MemoryPerCPU, 512<<20)
}

func memoryAll(b *bed) {
	id := b.submit("sleep 1", on("a4"), func(s *slurm.JobSpec) { s.MemoryPerNode = slurm.AllMemory })
	equal(b, "allocated", b.completes(id).Allocated.Memory(), 64000<<20)
}

func exclusive(b *bed) {
	id := b.submit("sleep 1", on("a4"), func(s *slurm.JobSpec) { s.Exclusive = true })
	job := b.completes(id)
	equal(b, "CPUs", job.Allocated.CPUs(), 16)
}

func constraint(b *bed) {
	id := b.submit("true", on("cpu,a4"), func(s *slurm.JobSpec) { s.Constraints = "b200" })
	job := b.completes(id)
	equal(b, "constraints", job.Constraints, "b200")
	equal(b, "partition that was taken", job.Partition, "a4")
}

func limitRounded(b *bed) {
	for asked, want := range map[time.Duration]time.Duration{
		time.Second: time.Minute, time.Minute: time.Minute, 61 * time.Second: 2 * time.Minute, 90 * time.Minute: 90 * time.Minute,
	} {
		job, err := b.alice.Get(b.ctx, b.submit("true", hold, limit(asked)))
		b.must("Get", err)
		equal(b, "limit for "+asked.String(), job.TimeLimit, want)
	}
}

// limitUnlimited: what is more than the partition gives is no mistake to Slurm, and waits for ever.
func limitUnlimited(b *bed) {
	id := b.submit("true", limit(slurm.Unlimited))
	job := b.pending(id, "PartitionTimeLimit")
	equal(b, "unlimited", job.Unlimited, true)
	equal(b, "limit", job.TimeLimit, 0)
}

func limitOverPartition(b *bed) {
	id := b.submit("true", limit(25*time.Hour))
	job := b.pending(id, "PartitionTimeLimit")
	equal(b, "limit", job.TimeLimit, 25*time.Hour)
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{TimeLimit: 24 * time.Hour}))
	equal(b, "limit", b.completes(id).TimeLimit, 24*time.Hour)
}

// limitZero: no limit that the client sends is 0, for this is what Slurm makes of one.
func limitZero(b *bed) {
	id := b.submit("sleep 1", extra("time_limit", 0))
	job, failed := b.wait(id)
	equal(b, "state", job.State, slurm.StateTimeout)
	equal(b, "timed out", failed != nil && failed.TimedOut(), true)
}

// limitNotSet: without "set", Slurm ignores a number and does not say so.
func limitNotSet(b *bed) {
	job, err := b.alice.Get(b.ctx, b.submit("true", hold, extra("time_limit", map[string]any{"number": 120})))
	b.must("Get", err)
	equal(b, "limit", job.TimeLimit, 30*time.Minute)
}

func limitDefault(b *bed) {
	job, err := b.alice.Get(b.ctx, b.submit("true", hold, on("a4")))
	b.must("Get", err)
	equal(b, "limit", job.TimeLimit, time.Hour)
}

package conformance

import (
	"slices"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// versionCases run the core of the suite in each version of the API that package slurm claims.
func versionCases() (cases []testCase) {
	for _, version := range []string{"v0.0.40", "v0.0.41", "v0.0.42"} {
		for _, c := range []struct {
			name string
			test func(*bed)
		}{
			{"life of a job", versionLife}, {"failure", versionFailure}, {"array", versionArray}, {"hold", versionHold},
			{"cancel", versionCancel}, {"lists", versionLists}, {"cluster", versionCluster},
			{"history times", historyTimes}, {"history filters", historyFilters}, {"history usage", historyUsage},
		} {
			cases = append(cases, testCase{name: "version/" + version + "/" + c.name, test: func(b *bed) {
				b.alice = b.client("alice", slurm.WithVersion(version))
				c.test(b)
			}})
		}
	}
	return append(cases, testCase{name: "version/detected", test: func(b *bed) {
		version, err := slurm.DetectVersion(b.ctx, b.caller("alice"), "training")
		b.must("DetectVersion", err)
		equal(b, "detected version", version, slurm.DefaultVersion)
	}})
}

func versionLife(b *bed) {
	id := b.submit("sleep 1", limit(90*time.Second), func(s *slurm.JobSpec) {
		s.Exclusive, s.MinNodes, s.CPUsPerTask, s.MemoryPerNode, s.Nice = true, 1, 2, 512<<20, 7
	})
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "name", job.Name, b.name)
	equal(b, "time limit", job.TimeLimit, 2*time.Minute)
	equal(b, "memory per node", job.MemoryPerNode, int64(512<<20))
	equal(b, "CPUs per task", job.CPUsPerTask, 2)
	b.completes(id)
	record := b.recorded(id, 1)[0]
	equal(b, "state in history", record.State, slurm.StateCompleted)
	equal(b, "CPUs of an exclusive node", record.Allocated.CPUs(), 8)
}

func versionFailure(b *bed) {
	job, failed := b.wait(b.submit("exit 3"))
	equal(b, "failed", failed != nil, true)
	equal(b, "exit code", job.ExitCode.Code, 3)
	_, err := b.alice.Submit(b.ctx, b.spec("true", on("nowhere")))
	b.refused("an unknown partition", err, slurm.ErrInvalid, 2000)
}

func versionArray(b *bed) {
	id := b.submit("[ $SLURM_ARRAY_TASK_ID = 1 ] && exit 7\ntrue", array("0-2"))
	job, failed := b.wait(id)
	equal(b, "failed", failed != nil, true)
	equal(b, "the task that failed", job.ID, id.WithTask(1))
	b.recorded(id, 3)
}

func versionHold(b *bed) {
	id := b.submit("true", hold)
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "held", job.Hold && job.Pending(), true)
	b.must("Release", b.alice.Release(b.ctx, id))
	b.completes(id)
}

func versionCancel(b *bed) {
	id := b.submit("sleep 300")
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	job, _ := b.wait(id)
	equal(b, "state", job.State, slurm.StateCancelled)
	b.refused("an unknown job", b.alice.Cancel(b.ctx, "4000000000"), slurm.ErrNotFound, 2017)
}

func versionLists(b *bed) {
	id := b.submit("true", hold)
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	equal(b, "listed", len(jobs) == 1 && jobs[0].ID == id, true)
	b.must("Release", b.alice.Release(b.ctx, id))
	b.completes(id)
	jobs, err = b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}})
	b.must("ListHistory", err)
	equal(b, "found in history", len(jobs) == 1 && jobs[0].ID == id, true)
}

func versionCluster(b *bed) {
	controllers, err := b.alice.Ping(b.ctx)
	b.must("Ping", err)
	equal(b, "the controller is up", len(controllers) == 1 && controllers[0].Up, true)
	partitions, err := b.alice.Partitions(b.ctx)
	b.must("Partitions", err)
	equal(b, "partition a4", slices.ContainsFunc(partitions, func(p *slurm.Partition) bool { return p.Name == "a4" && p.MaxTime == 4*time.Hour }), true)
	nodes, err := b.alice.Nodes(b.ctx)
	b.must("Nodes", err)
	equal(b, "node g1", slices.ContainsFunc(nodes, func(n *slurm.Node) bool { return n.Name == "g1" && n.GPUs() == 8 }), true)
}

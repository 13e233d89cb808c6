package conformance

import (
	"math"
	"slices"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func summaryCases() []testCase { return []testCase{{name: "summary", test: summary}} }

// summary: jobs are counted once each, whichever of the two sources has them.
func summary(b *bed) {
	gpus := func(n int) change {
		return func(s *slurm.JobSpec) { s.Partition, s.GPUsPerNode, s.GPUType = "a4", n, "b200" }
	}
	good, bad, tasks := b.submit("sleep 4", gpus(2)), b.submit("sleep 3; exit 5", gpus(1)), b.submit("sleep 1", array("0-3"))
	requeued := b.submit("sleep 300", gpus(1))
	b.running(requeued)
	b.requeuedAndCancelled(requeued)
	b.submit("true", hold)
	rest := b.submit("true", hold, array("5-9"))
	done := slices.Concat(b.recorded(good, 1), b.recorded(bad, 1), b.recorded(tasks, 4))
	var all []*slurm.Job
	b.eventually("all jobs in both sources together", func() (any, bool) {
		all = nil
		live, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
		b.must("List", err)
		past, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}})
		b.must("ListHistory", err)
		again, err := b.alice.History(b.ctx, requeued)
		b.must("History", err)
		all = slices.Concat(live, past, again)
		return all, again[len(again)-1].State == slurm.StateCancelled && len(again) == 2
	})
	s := slurm.SummaryAt(all, time.Now())
	states := map[slurm.State]int{}
	for _, count := range s.States {
		states[count.State] = count.Jobs
	}
	equal(b, "jobs", s.Jobs, 13) // 2, 4 tasks, 1 requeued, 1 held, 5 held tasks
	equal(b, "completed", states[slurm.StateCompleted], 5)
	equal(b, "failed", states[slurm.StateFailed], 1)
	equal(b, "cancelled", states[slurm.StateCancelled], 1)
	equal(b, "pending", states[slurm.StatePending], 6)
	equal(b, "requeued runs", s.Requeued, 1)
	equal(b, "runs", s.Runs, 7)
	equal(b, "kinds of failures", len(s.Failures), 1)
	if len(s.Failures) == 1 {
		want := slurm.FailureCount{State: slurm.StateFailed, ExitCode: "exit code 5", Jobs: 1, Example: bad, GPUHours: s.Failures[0].GPUHours}
		equal(b, "failure", s.Failures[0], want)
	}
	var first *slurm.Job
	for _, j := range all {
		if j.ID == requeued && j.Has(slurm.FlagRequeued) {
			first = j
		}
	}
	if first == nil {
		b.t.Fatalf("no requeued run among %v", all)
	}
	wasted := done[1].Elapsed() + first.Elapsed()
	near(b, "GPU hours", s.GPUHours, (2*done[0].Elapsed() + wasted).Hours())
	near(b, "wasted GPU hours", s.WastedGPUHours, wasted.Hours())
	if len(s.GPUTypes) != 1 || s.GPUTypes[0].Type != "b200" {
		b.t.Errorf("types of GPUs %v", s.GPUTypes)
	}
	b.must("Cancel", b.alice.Cancel(b.ctx, rest))
}

func near(b *bed, what string, got, want float64) {
	b.t.Helper()
	if math.Abs(got-want) > 1e-9 {
		b.t.Errorf("%s are %v, want %v", what, got, want)
	}
}

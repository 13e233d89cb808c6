package conformance

import (
	"strings"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func dependencyCases() []testCase {
	return []testCase{
		{name: "dependency/ok", test: dependencyOK},
		{name: "dependency/never satisfied", test: dependencyNever},
		{name: "dependency/not ok", test: dependencyNotOK},
		{name: "dependency/any of a cancelled job", test: dependencyAny},
		{name: "dependency/start", test: dependencyStart},
		{name: "dependency/array", test: dependencyArray},
		{name: "dependency/task by task", test: dependencyCorresponding},
		{name: "dependency/several", test: dependencySeveral},
		{name: "dependency/singleton", test: dependencySingleton},
		{name: "dependency/on a job that left the queue", test: dependencyGone},
	}
}

func after(dependency string) change { return func(s *slurm.JobSpec) { s.Dependency = dependency } }

func dependencyOK(b *bed) {
	parent := b.submit("true", hold)
	child := b.submit("true", after(slurm.AfterOK(parent)))
	job := b.pending(child, "Dependency")
	equal(b, "dependency", job.Dependency, "afterok:"+string(parent)+"(unfulfilled)")
	equal(b, "eligible", job.EligibleTime.IsZero(), true)
	b.must("Release", b.alice.Release(b.ctx, parent))
	first, second := b.completes(parent), b.completes(child)
	equal(b, "started before the parent's end", second.StartTime.Before(first.EndTime), false)
	equal(b, "dependency", second.Dependency, "")
}

// dependencyNever: Slurm leaves such a job pending for ever.
func dependencyNever(b *bed) {
	parent := b.submit("exit 1", hold)
	child := b.submit("true", after(slurm.AfterOK(parent)))
	b.must("Release", b.alice.Release(b.ctx, parent))
	job := b.pending(child, "DependencyNeverSatisfied")
	equal(b, "ended", job.Ended(), false)
	b.gone(parent)
	b.pending(child, "DependencyNeverSatisfied")
	b.must("Cancel", b.alice.Cancel(b.ctx, child))
	equal(b, "reason", b.ended(child).Reason, "DependencyNeverSatisfied")
}

func dependencyNotOK(b *bed) {
	parent := b.submit("exit 1", hold)
	child := b.submit("true", after(slurm.AfterNotOK(parent)))
	b.pending(child, "Dependency")
	b.must("Release", b.alice.Release(b.ctx, parent))
	b.completes(child)
}

func dependencyAny(b *bed) {
	parent := b.submit("true", hold)
	child := b.submit("true", after(slurm.AfterAny(parent)))
	b.pending(child, "Dependency")
	b.must("Cancel", b.alice.Cancel(b.ctx, parent))
	b.completes(child)
}

func dependencyStart(b *bed) {
	parent := b.submit("sleep 300", hold)
	child := b.submit("true", after(slurm.After(parent)))
	b.pending(child, "Dependency")
	b.must("Release", b.alice.Release(b.ctx, parent))
	b.completes(child)
	equal(b, "parent runs", b.running(parent).Running(), true)
}

func dependencyArray(b *bed) {
	parent := b.submit("true", hold, array("0-1"))
	child := b.submit("true", after(slurm.AfterOK(parent)))
	equal(b, "dependency", b.pending(child, "Dependency").Dependency, "afterok:"+string(parent)+"_*(unfulfilled)")
	b.must("Release", b.alice.Release(b.ctx, parent))
	b.completes(child)
}

func dependencyCorresponding(b *bed) {
	parent := b.submit("[ $SLURM_ARRAY_TASK_ID = 1 ] && exit 1\ntrue", hold, array("0-1"))
	child := b.submit("true", array("0-1"), after(slurm.AfterCorresponding(parent)))
	b.must("Release", b.alice.Release(b.ctx, parent))
	b.eventually("task 0 of the child to complete", func() (any, bool) {
		jobs, err := b.alice.History(b.ctx, child.WithTask(0))
		return jobs, err == nil && jobs[0].State == slurm.StateCompleted
	})
	b.pending(child.WithTask(1), "DependencyNeverSatisfied")
}

func dependencySeveral(b *bed) {
	one, two := b.submit("true", hold), b.submit("true", hold)
	child := b.submit("true", after(slurm.AfterOK(one, two)))
	b.pending(child, "Dependency")
	b.must("Release", b.alice.Release(b.ctx, one))
	b.ended(one)
	job := b.see(child, "only the second dependency", func(j *slurm.Job) bool {
		return j.Dependency == "afterok:"+string(two)+"(unfulfilled)"
	})
	equal(b, "reason", job.Reason, "Dependency")
	b.must("Release", b.alice.Release(b.ctx, two))
	b.completes(child)
}

func dependencySingleton(b *bed) {
	first := b.submit("sleep 300")
	b.running(first)
	second := b.submit("true", after(slurm.Singleton()))
	job := b.pending(second, "Dependency")
	equal(b, "dependency", strings.TrimSuffix(job.Dependency, "(unfulfilled)"), "singleton")
	b.must("Cancel", b.alice.Cancel(b.ctx, first))
	b.completes(second)
}

func dependencyGone(b *bed) {
	parent := b.submit("true")
	b.completes(parent)
	b.gone(parent)
	_, err := b.alice.Submit(b.ctx, b.spec("true", after(slurm.AfterOK(parent))))
	b.refused("Submit", err, slurm.ErrInvalid, 2038)
	b.noJob()
}

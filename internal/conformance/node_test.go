package conformance

import (
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func nodeCases() []testCase {
	return []testCase{
		{name: "state/NODE_FAIL", test: nodeFail, alone: true},
		{name: "requeue/by a failed node", test: nodeFailRequeue, alone: true},
		{name: "info/node down", test: infoNodeDown, alone: true},
	}
}

func onNode(name string) change {
	return func(s *slurm.JobSpec) { s.RequiredNodes = []string{name} }
}

func nodeFail(b *bed) {
	no := false
	id := b.submit("sleep 300", onNode("n2"), func(s *slurm.JobSpec) { s.Requeue = &no })
	b.running(id)
	b.nodeDown("n2")
	job := b.ended(id)
	equal(b, "state", job.State, slurm.StateNodeFail)
	equal(b, "reason", job.Reason, "NodeDown")
	equal(b, "failed node", job.FailedNode, "n2")
	b.nodeUp("n2")
	job, failed := b.wait(id)
	if failed == nil || !failed.Infrastructure() || job.State != slurm.StateNodeFail {
		b.t.Errorf("Wait: %v, %v", job, failed)
	}
	equal(b, "recorded state", b.recorded(id, 1)[0].State, slurm.StateNodeFail)
}

func nodeFailRequeue(b *bed) {
	id := b.submit("sleep 300", onNode("n2"))
	b.running(id)
	b.nodeDown("n2")
	job := b.waitsAgain(id)
	equal(b, "restarts", job.RestartCount, 1)
	equal(b, "ended", job.Ended(), false)
	b.nodeUp("n2")
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	_, failed := b.wait(id)
	equal(b, "cancelled", failed != nil && failed.Cancelled(), true)
	runs := b.twoRuns(id)
	equal(b, "first run", runs[0].State, slurm.StateNodeFail)
	equal(b, "second run", runs[1].State, slurm.StateCancelled)
}

func infoNodeDown(b *bed) {
	b.nodeDown("n2")
	node := b.nodes()["n2"]
	equal(b, "state", node.State, slurm.NodeDown)
	equal(b, "usable", node.Usable(), false)
	equal(b, "has a reason", node.Reason != "", true)
	id := b.submit("true", onNode("n2"))
	job := b.see(id, "pending for a node", func(j *slurm.Job) bool { return j.Pending() && j.Reason == "ReqNodeNotAvail" })
	equal(b, "has a sentence for it", job.ReasonDetail != "", true)
	b.nodeUp("n2")
	b.completes(id)
}

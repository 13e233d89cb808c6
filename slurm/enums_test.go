package slurm

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/internal/enumtest"
)

// TestEnumsAnswer what a notebook cannot find out by comparing with a literal.
func TestEnumsAnswer(t *testing.T) {
	enumtest.TellApart(t, map[State]func(State) bool{
		StatePending: State.Pending, StateRunning: State.Running, StateSuspended: State.Suspended, StateCompleted: State.Succeeded,
		StateCancelled: State.Cancelled, StateFailed: State.FailedItself, StateTimeout: State.TimedOut, StateNodeFail: State.NodeFailed,
		StatePreempted: State.Preempted, StateBootFail: State.BootFailed, StateDeadline: State.MissedDeadline, StateOutOfMemory: State.OutOfMemory,
	})
	enumtest.TellApart(t, map[NodeState]func(NodeState) bool{
		NodeIdle: NodeState.Idle, NodeMixed: NodeState.Mixed, NodeAllocated: NodeState.Allocated, NodeDown: NodeState.Down,
		NodeError: NodeState.Errored, NodeFuture: NodeState.Future, NodeUnknown: NodeState.Unknown,
	})
	enumtest.TellApart(t, map[ExitStatus]func(ExitStatus) bool{
		ExitSuccess: ExitStatus.Success, ExitError: ExitStatus.Errored, ExitSignaled: ExitStatus.Signaled,
		ExitCoreDumped: ExitStatus.CoreDumped, ExitPending: ExitStatus.Pending, ExitInvalid: ExitStatus.Invalid,
	})
	enumtest.TellApart(t, map[Source]func(Source) bool{SourceQueue: Source.Queue, SourceAccounting: Source.Accounting})
	for state, busy := range map[NodeState]bool{NodeMixed: true, NodeAllocated: true, NodeIdle: false, NodeDown: false} {
		if state.Busy() != busy {
			t.Errorf("%s is busy: %v", state, !busy)
		}
	}
}

package slurm

import "testing"

// predicate is a constant with the method that tells whether a value is it.
type predicate[E any] struct {
	value E
	holds func(E) bool
}

// tellApart checks that each holds for its own constant alone, and none for a value that nobody knows.
func tellApart[E ~string](t *testing.T, all ...predicate[E]) {
	t.Helper()
	for i, p := range all {
		for j, other := range all {
			if p.holds(other.value) != (i == j) {
				t.Errorf("%T: is %s the %s? %v", p.value, other.value, p.value, i != j)
			}
		}
		if p.holds("BRAND_NEW") || p.holds("") {
			t.Errorf("%T: a value that is not known is %s", p.value, p.value)
		}
	}
}

// TestEnumsAnswer what a notebook cannot find out by comparing with a literal.
func TestEnumsAnswer(t *testing.T) {
	tellApart(t, []predicate[State]{
		{StatePending, State.Pending}, {StateRunning, State.Running}, {StateSuspended, State.Suspended}, {StateCompleted, State.Succeeded},
		{StateCancelled, State.Cancelled}, {StateFailed, State.FailedItself}, {StateTimeout, State.TimedOut}, {StateNodeFail, State.NodeFailed},
		{StatePreempted, State.Preempted}, {StateBootFail, State.BootFailed}, {StateDeadline, State.MissedDeadline}, {StateOutOfMemory, State.OutOfMemory},
	}...)
	tellApart(t, []predicate[NodeState]{
		{NodeIdle, NodeState.Idle}, {NodeMixed, NodeState.Mixed}, {NodeAllocated, NodeState.Allocated}, {NodeDown, NodeState.Down},
		{NodeError, NodeState.Errored}, {NodeFuture, NodeState.Future}, {NodeUnknown, NodeState.Unknown},
	}...)
	tellApart(t, []predicate[ExitStatus]{
		{ExitSuccess, ExitStatus.Success}, {ExitError, ExitStatus.Errored}, {ExitSignaled, ExitStatus.Signaled},
		{ExitCoreDumped, ExitStatus.CoreDumped}, {ExitPending, ExitStatus.Pending}, {ExitInvalid, ExitStatus.Invalid},
	}...)
	tellApart(t, []predicate[Source]{{SourceQueue, Source.Queue}, {SourceAccounting, Source.Accounting}}...)
	for state, busy := range map[NodeState]bool{NodeMixed: true, NodeAllocated: true, NodeIdle: false, NodeDown: false} {
		if state.Busy() != busy {
			t.Errorf("%s is busy: %v", state, !busy)
		}
	}
}

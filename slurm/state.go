package slurm

import "slices"

// State is a job's base state. Slurm reports one base state and any number of flags beside it: see [Flag].
//
// The set is open: a state that this package does not know is kept as it came, and every predicate is false
// for it, so that nobody takes a job for finished because its state is new.
type State string

// The base states of Slurm 24.11. The first three are those of a job that has not ended.
const (
	StatePending     State = "PENDING"       // waits in the queue; Job.Reason says for what
	StateRunning     State = "RUNNING"       // has its nodes; with FlagConfiguring they are still booting
	StateSuspended   State = "SUSPENDED"     // has its nodes, but its processes are stopped
	StateCompleted   State = "COMPLETED"     // ended with exit code 0
	StateCancelled   State = "CANCELLED"     // ended by its user or an administrator
	StateFailed      State = "FAILED"        // ended with another exit code, or could not be started
	StateTimeout     State = "TIMEOUT"       // ended by its time limit
	StateNodeFail    State = "NODE_FAIL"     // ended because a node of it failed
	StatePreempted   State = "PREEMPTED"     // ended to make room for another job
	StateBootFail    State = "BOOT_FAIL"     // ended because its nodes did not boot
	StateDeadline    State = "DEADLINE"      // ended by its deadline
	StateOutOfMemory State = "OUT_OF_MEMORY" // ended for using more memory than it asked for
)

// Terminal reports whether a job does not leave this state any more, except by being requeued. A job in a
// terminal state may still be cleaning up; [Job.Ended] takes that into account.
func (s State) Terminal() bool {
	switch s {
	case StateCompleted, StateCancelled, StateFailed, StateTimeout, StateNodeFail, StatePreempted,
		StateBootFail, StateDeadline, StateOutOfMemory:
		return true
	}
	return false
}

// Succeeded reports whether s is [StateCompleted].
func (s State) Succeeded() bool { return s == StateCompleted }

// Failed reports whether s is terminal and not [StateCompleted]: cancelled, timed out and so on count.
func (s State) Failed() bool { return s.Terminal() && s != StateCompleted }

// Pending reports whether s is [StatePending].
func (s State) Pending() bool { return s == StatePending }

// Running reports whether s is [StateRunning].
func (s State) Running() bool { return s == StateRunning }

// Suspended reports whether s is [StateSuspended].
func (s State) Suspended() bool { return s == StateSuspended }

// Cancelled reports whether s is [StateCancelled].
func (s State) Cancelled() bool { return s == StateCancelled }

// FailedItself reports whether s is [StateFailed], the end by the job's own exit code or because it could not be started.
// [State.Failed] is about every end without success.
func (s State) FailedItself() bool { return s == StateFailed }

// TimedOut reports whether s is [StateTimeout].
func (s State) TimedOut() bool { return s == StateTimeout }

// NodeFailed reports whether s is [StateNodeFail].
func (s State) NodeFailed() bool { return s == StateNodeFail }

// Preempted reports whether s is [StatePreempted].
func (s State) Preempted() bool { return s == StatePreempted }

// BootFailed reports whether s is [StateBootFail].
func (s State) BootFailed() bool { return s == StateBootFail }

// MissedDeadline reports whether s is [StateDeadline].
func (s State) MissedDeadline() bool { return s == StateDeadline }

// OutOfMemory reports whether s is [StateOutOfMemory].
func (s State) OutOfMemory() bool { return s == StateOutOfMemory }

// String returns the state as Slurm spells it.
func (s State) String() string { return string(s) }

// Flag says more about a job's [State]. Flags come and go while the base state stays. The set is open.
type Flag string

// The flags of Slurm 24.11.
const (
	FlagCompleting   Flag = "COMPLETING"    // is ending: its processes and nodes are being cleaned up
	FlagConfiguring  Flag = "CONFIGURING"   // its nodes boot; the script has not started
	FlagLaunchFailed Flag = "LAUNCH_FAILED" // could not be started on its nodes
	FlagPowerUpNode  Flag = "POWER_UP_NODE" // cloud nodes of it are being created
	FlagReconfigFail Flag = "RECONFIG_FAIL" // a node could not be configured for it
	FlagRequeued     Flag = "REQUEUED"      // goes back into the queue
	FlagRequeueFed   Flag = "REQUEUE_FED"   // goes back into the queue of a federation
	FlagRequeueHold  Flag = "REQUEUE_HOLD"  // goes back into the queue, held
	FlagResizing     Flag = "RESIZING"      // changes its number of nodes
	FlagResvDelHold  Flag = "RESV_DEL_HOLD" // held because its reservation was deleted
	FlagRevoked      Flag = "REVOKED"       // runs on another cluster of a federation; says nothing about success
	FlagSignaling    Flag = "SIGNALING"     // is being signalled
	FlagSpecialExit  Flag = "SPECIAL_EXIT"  // went back into the queue, held, for its exit code
	FlagStageOut     Flag = "STAGE_OUT"     // copies its results out of a burst buffer
	FlagStopped      Flag = "STOPPED"       // its processes got SIGSTOP; it keeps its processors
)

// String returns the flag as Slurm spells it.
func (f Flag) String() string { return string(f) }

func (s State) known() bool {
	return s.Terminal() || s == StatePending || s == StateRunning || s == StateSuspended
}

// baseState splits Slurm's list of names into the base state and the flags. Without a base state that this
// package knows, the first name stands in for it: it is terminal for nobody, and it stays among the flags,
// since it may well be one.
func baseState(names []string) (State, []Flag) {
	var state State
	if i := slices.IndexFunc(names, func(name string) bool { return State(name).known() }); i >= 0 {
		state = State(names[i])
	} else if len(names) > 0 {
		state = State(names[0])
	}
	var flags []Flag
	for _, name := range names {
		if name != "" && (State(name) != state || !state.known()) {
			flags = append(flags, Flag(name))
		}
	}
	return state, flags
}

package slurm

import (
	"fmt"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// ReadyError says that Slurm's controller was not seen to answer steadily, see [Client.WaitReady]. It is no verdict on
// the update or creation that came before: that may have succeeded, and has if the error comes from a wait with
// [Client.UntilReady].
//
// It unwraps to Cause, Ctx and Last: errors.Is finds [ErrUnavailable] if Slurm said that the controller is down,
// cluster.ErrUnavailable if Slurm could not be asked, and context.Canceled or context.DeadlineExceeded if the context
// ended the wait.
type ReadyError struct {
	Cluster string        // as the client was given it
	Pings   int           // how many pings were made
	Elapsed time.Duration // since the wait began

	// Silence is for how long no ping had been answered in the end, counted from the first that failed; 0 if the last
	// ping was answered. Then the controller has not yet answered for long enough.
	Silence time.Duration

	// Cause is the cause of the context's end, see [context.Cause], and Ctx is the context's own error. Both are nil if
	// the controller was given up, or if a failure ended the wait that no time heals.
	Cause, Ctx error

	// Last is the latest ping that failed, also if others were answered after it; nil if none failed.
	Last error

	settle time.Duration
}

// Error returns one line: the cluster, for how long its controller is silent, why, and what to do.
func (e *ReadyError) Error() string {
	text := fmt.Sprintf("slurm: the Slurm controller of cluster %s %s (%s)", foreign.OneLine(e.Cluster), e.state(), e.effort())
	if e.Ctx != nil {
		text += "; the wait ended: " + e.end()
	}
	if e.Last != nil {
		text += "; the latest ping to fail: " + strings.TrimPrefix(foreign.OneLine(e.Last.Error()), "slurm: ")
	}
	return foreign.Printable(text + "; " + e.advice())
}

func (e *ReadyError) state() string {
	switch {
	case e.hopeless():
		return "cannot be asked"
	case e.Silence > 0:
		return "has not answered for " + round(e.Silence)
	}
	return "was not seen to answer for a whole " + e.settle.String()
}

func (e *ReadyError) effort() string {
	if e.Pings == 1 {
		return "1 ping in " + round(e.Elapsed)
	}
	return fmt.Sprintf("%d pings in %s", e.Pings, round(e.Elapsed))
}

func (e *ReadyError) advice() string {
	switch {
	case e.hopeless():
		return "that is no verdict on the update before it, which may have succeeded"
	case e.Silence == 0 && (e.Ctx != nil || e.Last == nil):
		return "that is no verdict on the update before it, nor on the controller: wait again"
	}
	return "the update before it may have succeeded all the same: look at what that changed in config and partitions, " +
		"such as PreemptType with PreemptMode, or an AllowQos that names an undefined QOS, and send the previous settings"
}

// hopeless reports whether a failure ended the wait that no time heals.
func (e *ReadyError) hopeless() bool { return e.Ctx == nil && e.Last != nil && !poll.Transient(e.Last) }

// Unwrap returns what is set of Cause, Ctx and Last.
func (e *ReadyError) Unwrap() []error { return poll.NonNil(e.Cause, e.Ctx, e.Last) }

// end words the end of the context, with the context's own error only where the cause does not say it.
func (e *ReadyError) end() string {
	if e.Cause == nil {
		return e.Ctx.Error()
	}
	cause := foreign.OneLine(e.Cause.Error())
	if strings.Contains(cause, e.Ctx.Error()) {
		return cause
	}
	return cause + " (" + e.Ctx.Error() + ")"
}

// round drops digits that nobody reads.
func round(d time.Duration) string {
	if d > time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

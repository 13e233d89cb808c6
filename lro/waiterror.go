package lro

import (
	"fmt"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// WaitError means that only the watching ended: the context was over, reads failed for too long or for good, or a
// fail-fast wait had seen enough. It says nothing about the work, which goes on. Never undo anything because of a
// WaitError; keep the names of Pending and wait for them again later, here or in another process.
//
// It unwraps to Cause, Ctx and the failed reads, so errors.Is finds context.Canceled or context.DeadlineExceeded as
// well as the cause of the caller's own, and errors.As finds the *cluster.Error of the last read.
type WaitError struct {
	// Op opens the text; "lro: wait for" if empty.
	Op string

	// Pending are the names of what was not seen to finish, in the order of the arguments.
	Pending []string

	Polls   int           // rounds of reads made
	Elapsed time.Duration // since the wait began

	// Cause is the cause of the context's end, see [context.Cause], and Ctx is the context's own error. Both are
	// nil if the context did not end the wait. If the service asked for a pause that reaches beyond the deadline,
	// the wait does not sleep towards a certain end: Ctx is context.DeadlineExceeded ahead of time.
	Cause, Ctx error

	// Last is the latest failed read, nil if the latest read was good. With several pending operations it is the
	// failure of the first that has one; the others are found by unwrapping.
	Last error

	message string  // the last progress message of the only pending operation
	others  []error // failed reads beside Last
}

// Error returns one line: what is pending, why the watching ended, and that the work is not affected.
func (e *WaitError) Error() string {
	op := e.Op
	if op == "" {
		op = "lro: wait for"
	}
	var b strings.Builder
	if len(e.Pending) > 0 {
		op += " " + list(e.Pending)
	}
	fmt.Fprintf(&b, "%s ended after %v and %s: ", op, round(e.Elapsed), count(e.Polls, "read"))
	remedy := "the work goes on and can be waited for again by name"
	switch {
	case e.Cause != nil || e.Ctx != nil:
		b.WriteString(e.end())
		if e.Last != nil {
			b.WriteString("; the last read failed: " + e.failures())
		}
	case e.Last != nil:
		b.WriteString(e.failures())
		// A read that fails for good leaves open whether there is work at all.
		remedy = "that is no verdict on the work, which may go on and can be waited for again by name"
	}
	if e.message != "" {
		fmt.Fprintf(&b, "; last message: %q", oneLine(e.message))
	}
	return foreign.Printable(b.String() + "; " + remedy)
}

// Unwrap returns what is set of Cause and Ctx, and the failed reads.
func (e *WaitError) Unwrap() []error {
	return poll.NonNil(append([]error{e.Cause, e.Ctx, e.Last}, e.others...)...)
}

// end words the end of the context, with the context's own error only where the cause does not say it.
func (e *WaitError) end() string {
	if e.Cause == nil {
		return e.Ctx.Error()
	}
	cause := oneLine(e.Cause.Error())
	if e.Ctx == nil || strings.Contains(cause, e.Ctx.Error()) {
		return cause
	}
	return cause + " (" + e.Ctx.Error() + ")"
}

// failures words the failed reads: the first, and how many others there are.
func (e *WaitError) failures() string {
	text := strings.TrimPrefix(oneLine(e.Last.Error()), "lro: ")
	if len(e.others) > 0 {
		text += fmt.Sprintf(" (and %s)", count(len(e.others), "similar failure"))
	}
	return text
}

// list names what is pending, and after a handful only says how many there are: a line is no place for 200 names.
func list(names []string) string {
	const limit = 3
	if len(names) <= limit+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// round drops digits that nobody reads.
func round(d time.Duration) time.Duration {
	if d > time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}

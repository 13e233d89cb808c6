package endings

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// moment is one at which the context of a wait can end, and what is to be seen then.
type moment struct {
	name  string
	after float64 // in pauses, from the beginning of the wait
	early bool    // the context ends before the wait begins

	seen   bool             // the end of the work was seen by a wait before
	ended  bool             // the work has ended
	fail   bool             // reads fail
	busy   bool             // reads fail, and the server asks for a pause that the deadline cuts
	hold   hold             // how a read is held up
	from   func(Wait) int   // from which one on; nil for none
	reads  func(w Wait) int // how many there are
	polls  int              // in so many rounds
	result bool             // the wait has its result in spite of the end
}

var (
	none  = func(Wait) int { return 0 }
	first = func(w Wait) int { return w.held(w.Reads) }
	round = func(w Wait) int { return w.Reads }
	two   = func(w Wait) int { return w.Reads + w.Later }
	bad   = func(w Wait) int { return w.Failing }
)

var moments = []moment{
	{name: "before the first read", early: true, reads: none},
	{name: "during the first read", after: 0.3, from: first, reads: round, polls: 1},
	{name: "within the first answer", after: 0.3, hold: halfway, from: first, reads: round, polls: 1},
	{name: "in a pause", after: 0.3, reads: round, polls: 1},
	{name: "in a later read", after: 1.25, from: func(w Wait) int { return w.Reads + w.held(w.Later) }, reads: two, polls: 2},
	{name: "on a tolerated failure", after: 0.3, fail: true, reads: bad, polls: 1},
	{name: "in the read after a failure", after: 1.25, fail: true, from: func(w Wait) int { return w.Failing + w.held(w.Reads) },
		reads: func(w Wait) int { return w.Failing + w.Reads }, polls: 2},
	{name: "in a pause that the server asks for", after: 0.3, busy: true, reads: round, polls: 1},
	{name: "with the answer that tells the end", after: 0.3, ended: true, hold: lastMoment, from: first, reads: round, result: true},
	{name: "after the end, which nobody has seen", early: true, ended: true, reads: none},
	{name: "after the end was seen", early: true, ended: true, seen: true, reads: none},
}

// Run ends the context of the wait at each moment, in each way.
func Run(t *testing.T, waits []Wait) {
	for _, wait := range waits {
		for _, moment := range moments {
			if moment.ended && wait.Endless || moment.busy && wait.Unhurried {
				continue
			}
			for _, way := range ways {
				t.Run(wait.Name+"/"+moment.name+"/"+way.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c := &trial{T: t, wait: wait.withDefaults(), moment: moment, way: way}
						c.run()
					})
				})
			}
		}
	}
}

// trial is one field of the table.
type trial struct {
	*testing.T
	wait   Wait
	moment moment
	way    way

	line Line
	work Work
	took time.Duration
}

func (c *trial) run() {
	c.prepare()
	after := time.Duration(c.moment.after * float64(c.wait.Pause))
	inner, stop := c.way.make(c.Context(), after)
	defer stop()
	ctx := watch(inner)
	if c.moment.early {
		<-ctx.Done()
	}
	from := 0
	if c.moment.from != nil {
		from = c.moment.from(c.wait)
	}
	c.line.holding(c.moment.hold, from, ctx)
	synctest.Wait()
	goroutines, start := Goroutines(), time.Now()
	err := c.work.Wait(ctx)
	c.took = time.Since(start)
	derived := ctx.derived()
	c.check(err, after)
	if derived > 0 {
		c.Errorf("%d contexts are left", derived)
	}
	reads := c.line.Reads()
	if want := c.moment.reads(c.wait); reads != want {
		c.Errorf("%d reads, want %d", reads, want)
	}
	synctest.Wait()
	if n := Goroutines(); n > goroutines {
		c.Errorf("%d goroutines are left", n-goroutines)
	}
	if time.Sleep(time.Hour); c.line.Reads() != reads {
		c.Errorf("%d reads after the end", c.line.Reads()-reads)
	}
	if !c.moment.fail && !c.moment.busy && !c.wait.Endless {
		c.again()
	}
}

// again waits once more: whoever comes back later learns how the work has ended.
func (c *trial) again() {
	if !c.moment.ended {
		c.work.Finish()
	}
	ctx := watch(c.Context())
	c.line.holding(unanswered, 0, ctx)
	err := c.work.Wait(ctx)
	if stopped, ok := c.work.Stopped(err); ok {
		c.Errorf("another wait does not see the end: %v", stopped)
	}
	c.work.Kept(err)
	if n := ctx.derived(); n > 0 {
		c.Errorf("the end of the work leaves %d contexts", n)
	}
}

// prepare brings the work to where the moment has it.
func (c *trial) prepare() {
	c.work = c.wait.Begin(c.T, &c.line).withDefaults()
	switch {
	case c.moment.fail:
		c.work.Fail()
	case c.moment.busy:
		c.work.Busy()
	case c.moment.ended:
		c.work.Finish()
	}
	if c.moment.seen {
		c.again()
	}
}

// check looks at what the wait returned.
func (c *trial) check(err error, after time.Duration) {
	stopped, ok := c.work.Stopped(err)
	if c.moment.result || c.moment.seen && c.wait.Remember {
		if ok {
			c.Errorf("got %v, and not the result", err)
		}
		c.work.Kept(err)
		return
	}
	if !ok {
		c.Fatalf("got %v (%T), want what tells that only the watching ended", err, err)
	}
	failed, pending := c.moment.fail || c.moment.busy, c.work.Pending
	if c.moment.polls > 0 && !failed && (c.moment.from == nil || c.moment.polls > 1) {
		c.work.Kept(err) // there was a good read
	} else {
		pending = c.work.Unread
	}
	c.checkEnd(err, stopped, after)
	c.checkText(err, pending, failed)
	if !slices.Equal(stopped.Pending, pending) || stopped.Polls != c.moment.polls {
		c.Errorf("%q are pending after %d rounds, want %q after %d", stopped.Pending, stopped.Polls, pending, c.moment.polls)
	}
	if failed != (stopped.Last != nil) || failed && (!errors.Is(err, stopped.Last) || errors.Is(stopped.Last, errWindow) && !c.moment.busy) {
		c.Errorf("the last failure is %v", stopped.Last)
	}
}

// ahead reports whether the wait ends before its deadline, which a pause that the server asks for would cross.
func (c *trial) ahead() bool { return c.moment.busy && c.way.ctx == context.DeadlineExceeded }

func (c *trial) checkEnd(err error, stopped *lro.WaitError, after time.Duration) {
	want, cause := after, c.way.cause
	switch {
	case c.moment.early:
		want = 0
	case c.ahead():
		want, cause = 0, stopped.Cause
	}
	if c.took != want || stopped.Elapsed != want {
		c.Errorf("returned after %v and says %v, want %v", c.took, stopped.Elapsed, want)
	}
	if stopped.Ctx != c.way.ctx || stopped.Cause != cause {
		c.Errorf("Ctx %v, Cause %v; want %v, %v", stopped.Ctx, stopped.Cause, c.way.ctx, cause)
	}
	for _, target := range []error{c.way.ctx, cause} {
		if !errors.Is(err, target) {
			c.Errorf("%v is not %v", err, target)
		}
	}
}

func (c *trial) checkText(err error, pending []string, failed bool) {
	text, words, advice := err.Error(), c.way.words, c.work.Advice
	if c.ahead() {
		words = "the server asks for a pause of 30s, which is beyond the deadline"
	}
	if failed {
		advice = c.work.BadAdvice
	}
	for _, part := range append([]string{": " + words, advice}, pending...) {
		if !strings.Contains(text, part) {
			c.Errorf("the text lacks %q: %s", part, text)
		}
	}
}

package poll

import (
	"context"
	"math/rand/v2"
	"time"
)

// The pace of long-running operations and the patience with failed reads, used where [Settings] says nothing.
const (
	DefaultInitial    = 2 * time.Second
	DefaultMax        = 30 * time.Second
	DefaultMultiplier = 1.5
	DefaultTolerance  = 2 * time.Minute

	// ReadLimit bounds one read of a wait. A connection that has gone silent would otherwise hold the wait until
	// the context's own deadline, which may be a day away; so such a read fails, and is borne like any other. It is
	// shorter than the tolerance, so that one silent read does not use that up.
	ReadLimit = time.Minute

	// MaxWish caps the pause a server may ask for, so that one odd header cannot put a wait to sleep for a day.
	MaxWish = 5 * time.Minute

	// CostFactor bounds the load of a wait: it spends at most about a tenth of its time on reading.
	CostFactor = 10
)

// Backoff says how pauses grow. Each pause is drawn uniformly from the upper half of the current one, [d/2, d].
type Backoff struct {
	Initial    time.Duration // the first pause; [DefaultInitial] if 0 or less
	Max        time.Duration // the longest pause; [DefaultMax] if 0 or less; it also caps Initial
	Multiplier float64       // the growth per pause; [DefaultMultiplier] if below 1; 1 keeps the pause as it is
}

// Settings tune one wait. The zero value is the pace of long-running operations.
type Settings struct {
	Backoff Backoff

	// Tolerance is how long an unbroken row of transient read failures is borne, counted from the first of them.
	// 0 means [DefaultTolerance], less than 0 means that the first failure ends the wait.
	Tolerance time.Duration

	// FailFast is for whoever waits for many: stop at the first failure. [Run] does not look at it.
	FailFast bool

	// Progress is called on the goroutine that called [Run], never concurrently. nil is fine.
	Progress func(Progress)

	// Round is called after each tick and once at the end, on the goroutine that called [Run], never concurrently.
	// nil is fine.
	Round func(Round)

	// Paused is told how long the pause after a tick is going to be. nil is fine.
	Paused func(time.Duration)

	// Then are steps for after a wait that has seen all succeed: see [Settings.Finish]. [Run] does not look at it.
	Then []func(context.Context) error
}

// Finish runs the steps of Then in their order, and returns the first error, which ends it, as it is.
func (s Settings) Finish(ctx context.Context) error {
	for _, step := range s.Then {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Progress is one piece of news of a wait.
type Progress struct {
	Name    string        // what the news is about
	Message string        // what the server says about it
	Done    bool          // it has ended, well or badly
	Elapsed time.Duration // since the wait began; filled in by [Run]
	Polls   int           // ticks so far; filled in by [Run]
	Pending int           // how many are still waited for
	Total   int           // how many there are
	Err     error         // a read failure that is borne
}

// Round is how all that is waited for stands after a tick.
type Round struct {
	Counts  map[string]int // as of the last tick that had any: see [Result.Counts]
	Elapsed time.Duration
	Polls   int
	Err     error // a read failure that is borne
	End     bool  // there will be no more ticks
}

// withDefaults fills in what s leaves open.
func (s Settings) withDefaults() Settings {
	b := &s.Backoff
	if b.Initial <= 0 {
		b.Initial = DefaultInitial
	}
	if b.Max <= 0 {
		b.Max = DefaultMax
	}
	// Negated, so that NaN is replaced too.
	if !(b.Multiplier >= 1) {
		b.Multiplier = DefaultMultiplier
	}
	b.Initial = min(b.Initial, b.Max)
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	return s
}

// pace draws one pause after the other. Its Backoff has no field left open.
type pace struct {
	Backoff
	current time.Duration
}

// next returns the pause after a tick. The server's wish wins over the pace, but is never taken for less than the
// shortest pause the backoff itself could give: a wish of a millisecond must not turn a wait into a hammer.
func (p *pace) next(r Result) time.Duration {
	if p.current == 0 || r.Lively {
		p.current = p.Initial
	}
	d := p.current
	// Compared as floats: the product may be beyond what a Duration holds.
	if grown := float64(d) * p.Multiplier; grown < float64(p.Max) {
		p.current = time.Duration(grown)
	} else {
		p.current = p.Max
	}
	if wish := Wish(r.Wait, r.Err); wish > 0 {
		return max(wish, p.Initial/2)
	}
	// At least half the pause stays: jitter spreads the fleet, but two reads in a row tell nothing new.
	half := d / 2
	return max(half+rand.N(d-half+1), min(max(r.Cost, 0), MaxWish/CostFactor)*CostFactor)
}

// Package poll holds the one loop with which this module waits for things it can only ask about: long-running
// operations and Slurm jobs. It reads at once, then pauses with jitter, obeys the pauses a server asks for, bears
// failed reads for a bounded time, and takes its limits from the context alone. It starts no goroutine and, apart
// from package time, knows no clock, so that a testing/synctest bubble makes its time virtual.
package poll

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Result is what one [Tick] found out.
type Result struct {
	// Done says that there is nothing left to wait for. It is ignored if Err is set.
	Done bool

	// Wait is the pause the server asked for, 0 if it asked for none. Together with an Err that is a [Fault] the
	// longer of the two wishes counts, so a tick need not copy the delay out of its error.
	Wait time.Duration

	// Err is a failed read: borne for a while if it is transient, the end of the wait if it is not.
	Err error

	// Lively says that something has changed. The pauses then begin to grow anew, since more may follow.
	Lively bool

	// Cost is how long the read took, 0 if that is of no account. The next pause is at least [CostFactor] times as
	// long, and at most [MaxWish] because of it, so that a slow server or a large answer slows the pace.
	Cost time.Duration

	// Age is how old the answer is, if it comes from somebody else's read. The next pause is shorter by that, though at
	// most by half: so those who share their reads come to pause together.
	Age time.Duration

	// Counts says how many of the things waited for are in which state, for [Settings.Round]. May be nil.
	Counts map[string]int

	// News is reported to [Settings.Progress], in order, with Elapsed and Polls filled in by [Run]. With a borne
	// Err it says whose read failed: the error is put into every entry that has none, and an empty News reports
	// the error alone. An Err that ends the wait is returned and not reported.
	News []Progress
}

// Tick reads the state of whatever is waited for, once. It runs on the goroutine that called [Run].
type Tick func(ctx context.Context) Result

// Run calls tick at once and then after each pause, until a tick is done. It blocks, and returns how many ticks
// were made. The error is nil or a *[Stopped].
//
// The context is looked at before the first tick, after each tick and during each pause; a wait that ends with the
// context never reports success. A tick that is done counts even if the context ended while it ran: the answer is
// in hand, and to throw it away would make the caller ask again for what is known.
func Run(ctx context.Context, s Settings, tick Tick) (polls int, err error) {
	l := NewLoop(s, tick)
	defer l.End()
	for {
		if done, err := l.Step(ctx); done || err != nil {
			return l.polls, err
		}
	}
}

// Loop is [Run] for callers that take it tick by tick.
type Loop struct {
	settings Settings
	tick     Tick
	pace     pace
	row      Row
	start    time.Time
	next     time.Time // when the pause ends
	polls    int
	counts   map[string]int
}

// NewLoop returns a loop that has not ticked. Elapsed counts from now on.
func NewLoop(s Settings, tick Tick) *Loop {
	s = s.withDefaults()
	return &Loop{settings: s, tick: tick, pace: pace{Backoff: s.Backoff}, start: time.Now()}
}

// Step waits for the end of the pause, if there has been a tick before, and ticks once. It reports whether the tick was
// done. The error is nil or a *[Stopped], after which there is nothing to step any more.
func (l *Loop) Step(ctx context.Context) (done bool, err error) {
	if l.polls > 0 {
		Sleep(ctx, time.Until(l.next))
	}
	if ctx.Err() != nil {
		return false, ended(ctx, l.polls, l.start, l.row.Last())
	}
	r := l.tick(ctx)
	l.polls++
	if r.Err == nil {
		l.row.Good()
	} else if stop := l.row.Bear(ctx, l.settings.Tolerance, r.Wait, r.Err); stop != nil {
		stop.Polls, stop.Elapsed = l.polls, time.Since(l.start)
		return false, stop
	}
	l.settings.report(r, l.polls, time.Since(l.start))
	if r.Counts != nil {
		l.counts = r.Counts
	}
	l.round(r.Err, false)
	if r.Done && r.Err == nil {
		return true, nil
	}
	pause := l.pace.next(r)
	pause -= min(max(r.Age, 0), pause/2)
	l.next = time.Now().Add(pause)
	if l.settings.Paused != nil {
		l.settings.Paused(pause)
	}
	return false, nil
}

// Polls returns how many ticks were made.
func (l *Loop) Polls() int { return l.polls }

// Elapsed returns the time since the loop was made.
func (l *Loop) Elapsed() time.Duration { return time.Since(l.start) }

// End tells [Settings.Round] that there will be no more ticks.
func (l *Loop) End() { l.round(nil, true) }

func (l *Loop) round(err error, end bool) {
	if l.settings.Round != nil {
		l.settings.Round(Round{Counts: l.counts, Elapsed: time.Since(l.start), Polls: l.polls, Err: err, End: end})
	}
}

// report hands the news of one tick to the progress callback.
func (s Settings) report(r Result, polls int, elapsed time.Duration) {
	if s.Progress == nil {
		return
	}
	news := r.News
	if len(news) == 0 && r.Err != nil {
		news = []Progress{{}}
	}
	for _, p := range news {
		p.Polls, p.Elapsed = polls, elapsed
		if p.Err == nil {
			p.Err = r.Err
		}
		s.Progress(p)
	}
}

// Sleep pauses for d or until ctx ends. It does not say which: when both happen in the same instant select picks
// either at random, so only the look at the context that follows decides.
func Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// ended is the Stopped of a wait whose context is over.
func ended(ctx context.Context, polls int, start time.Time, last error) *Stopped {
	s := over(ctx, last)
	s.Polls, s.Elapsed = polls, time.Since(start)
	return s
}

// over describes the end of ctx. A read that was cut off by that end has nothing to say of its own, so it must not
// hide an earlier, real failure: callers pass last accordingly.
func over(ctx context.Context, last error) *Stopped {
	return &Stopped{Cause: context.Cause(ctx), Ctx: ctx.Err(), Last: last}
}

// CutOff tells whether err is merely the echo of ctx having ended. That which ended a pause between two attempts of one
// read comes after a failure, and says so by a method AfterFailure.
func CutOff(ctx context.Context, err error) bool {
	if _, more := errors.AsType[interface {
		error
		AfterFailure()
	}](err); more {
		return false
	}
	return ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

// errNoAnswer is the cause of a read that ran into its own limit.
var errNoAnswer = fmt.Errorf("no answer within %v", ReadLimit)

// ReadContext bounds one read of a tick by [ReadLimit]. A tick as a whole keeps its context: whether that has ended
// tells the end of the wait from a read that got no answer.
func ReadContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, ReadLimit, errNoAnswer)
}

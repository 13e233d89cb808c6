package lro_test

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

var errWindow = errors.New("maintenance window over")

// ending is a way in which a context ends, after a span of time.
type ending struct {
	why   string
	make  func(ctx context.Context, after time.Duration) (context.Context, func())
	is    []error
	words string
}

var endings = []ending{
	{"cancel", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(after, cancel)
		return ctx, cancel
	}, []error{context.Canceled}, "context canceled"},
	{"cancel with cause", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(after, func() { cancel(errWindow) })
		return ctx, func() { cancel(nil) }
	}, []error{context.Canceled, errWindow}, "maintenance window over (context canceled)"},
	{"deadline", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		ctx, cancel := context.WithTimeoutCause(ctx, after, errWindow)
		return ctx, cancel
	}, []error{context.DeadlineExceeded, errWindow}, "maintenance window over (context deadline exceeded)"},
	{"parent's deadline", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		parent, stop := context.WithTimeout(ctx, after)
		ctx, cancel := context.WithTimeoutCause(parent, time.Hour, errors.New("not this one"))
		return ctx, func() { cancel(); stop() }
	}, []error{context.DeadlineExceeded}, "context deadline exceeded"},
}

// TestEndings ends the context in each place where a wait can be, in each way. A wait that has not seen the end of
// the work never succeeds, ends at once, and knows what it was waiting for.
func TestEndings(t *testing.T) {
	down := unavailable()
	slow := runs(nameA, "")
	slow.takes = time.Minute
	places := []struct {
		why   string
		after time.Duration
		steps []step
		opts  []lro.WaitOption
		early bool // let it end before the wait begins
		reads int
		last  error
	}{
		{why: "before the first read", after: time.Second, early: true, steps: []step{succeeds(nameA)}, reads: 0},
		{why: "during a read", after: time.Second, steps: []step{slow}, reads: 1},
		{why: "during a pause", after: time.Second, steps: []step{runs(nameA, "")}, opts: []lro.WaitOption{fixed(time.Minute)}, reads: 1},
		{why: "on a tolerated failure", after: time.Second, steps: []step{{err: down}}, opts: []lro.WaitOption{fixed(time.Minute)}, reads: 1, last: down},
	}
	for _, place := range places {
		for _, end := range endings {
			t.Run(place.why+"/"+end.why, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := serving(nameA, place.steps...)
					ctx, stop := end.make(t.Context(), place.after)
					defer stop()
					wait := place.after
					if place.early {
						<-ctx.Done()
						synctest.Wait()
						wait = 0
					}
					begin := time.Now()
					e := waitError(t, lro.New(s, nameA).Wait(ctx, place.opts...))
					if took := time.Since(begin); took != wait || e.Elapsed != wait {
						t.Errorf("returned after %v, Elapsed %v; want %v", took, e.Elapsed, wait)
					}
					for _, target := range append(end.is, place.last) {
						if target != nil && !errors.Is(e, target) {
							t.Errorf("%v is not %v", e, target)
						}
					}
					if s.count(nameA) != place.reads || e.Polls != place.reads {
						t.Errorf("%d reads, Polls %d; want %d", s.count(nameA), e.Polls, place.reads)
					}
					if !slices.Equal(e.Pending, []string{nameA}) || e.Last != place.last {
						t.Errorf("pending %q, last %v", e.Pending, e.Last)
					}
					if e.Ctx != ctx.Err() || e.Cause != context.Cause(ctx) {
						t.Errorf("Cause %v, Ctx %v; want %v, %v", e.Cause, e.Ctx, context.Cause(ctx), ctx.Err())
					}
					if text := e.Error(); !strings.Contains(text, ": "+end.words+"; ") || !strings.HasSuffix(text, "; the work goes on and can be waited for again by name") {
						t.Errorf("text = %s", text)
					}
				})
			})
		}
	}
}

func TestCutOffReadKeepsTheFailureBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := unavailable()
		slow := succeeds(nameA)
		slow.takes = time.Hour
		s := serving(nameA, step{err: down}, slow)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e := waitError(t, lro.New(s, nameA).Wait(ctx))
		if e.Last != down || e.Polls != 2 || e.Elapsed != time.Minute {
			t.Errorf("WaitError = %+v; want the real failure and not the echo of the deadline", e)
		}
		want := "lro: wait for " + nameA + " ended after 1m0s and 2 reads: context deadline exceeded; " +
			"the last read failed: cluster: read: UNAVAILABLE; the work goes on and can be waited for again by name"
		if e.Error() != want {
			t.Errorf("text = %s\nwant   %s", e, want)
		}
	})
}

// An answer that came in before anyone looked at the context is an answer.
func TestDoneAtTheLastMoment(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	last := succeeds(nameA)
	last.then = func(context.Context) { cancel() }
	if err := lro.New(serving(nameA, last), nameA).Wait(ctx); err != nil {
		t.Errorf("Wait = %v; want the success that was read", err)
	}
}

// TestSilentReadDoesNotHoldTheWait: a connection that has gone silent ends no read by itself, and the deadline of a
// wait may be a day away.
func TestSilentReadDoesNotHoldTheWait(t *testing.T) {
	for _, names := range [][]string{{nameA}, {nameA, nameB}} {
		synctest.Test(t, func(t *testing.T) {
			s := newService()
			var ops []*lro.Operation
			for _, name := range names {
				s.add(name, runs(name, ""), step{takes: 1000 * time.Hour}, step{takes: 1000 * time.Hour}, succeeds(name))
				ops = append(ops, lro.New(s, name))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
			defer cancel()
			var borne []error
			err := lro.WaitAll(ctx, ops, lro.OnProgress(func(p lro.Progress) {
				if p.Err != nil {
					borne = append(borne, p.Err)
				}
			}))
			if took := time.Since(s.start); err != nil || took > 3*time.Minute {
				t.Errorf("%d operations: %v after %v", len(names), err, took)
			}
			if len(borne) != 2*len(names) || !errors.Is(borne[0], context.DeadlineExceeded) {
				t.Errorf("%d operations: borne %v", len(names), borne)
			}
		})
	}
}

// TestSilenceEndsTheWait in the end, as a failed read and not as the end of the context.
func TestSilenceEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, step{takes: 1000 * time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		err := lro.New(s, nameA).Wait(ctx)
		var ended *lro.WaitError
		if !errors.As(err, &ended) || ended.Ctx != nil || ended.Last == nil || ended.Elapsed > 10*time.Minute {
			t.Errorf("%v: %#v", err, ended)
		}
	})
}

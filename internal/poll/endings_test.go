package poll_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// TestContextEnds ends the context in each place where a wait can be.
func TestContextEnds(t *testing.T) {
	reason := errors.New("maintenance")
	denied := &fault{text: "denied", permanent: true}
	cases := []struct {
		why   string
		tick  func(ctx context.Context, n int, cancel func()) poll.Result
		early bool // cancel before the first tick
		polls int
		last  error
		took  time.Duration
	}{
		{why: "before the first tick", early: true, polls: 0},
		{
			why: "during a tick that fails for that reason",
			tick: func(ctx context.Context, _ int, cancel func()) poll.Result {
				cancel()
				return failed(fmt.Errorf("read: %w", ctx.Err()))
			},
			polls: 1,
		},
		{
			why: "during a tick that fails for the cause",
			tick: func(ctx context.Context, _ int, cancel func()) poll.Result {
				cancel()
				return failed(context.Cause(ctx))
			},
			polls: 1,
		},
		{
			why: "during a tick that fails for that reason, after a real failure",
			tick: func(ctx context.Context, n int, cancel func()) poll.Result {
				if n == 1 {
					return poll.Result{Err: busy, Wait: 7 * time.Second}
				}
				cancel()
				return failed(ctx.Err())
			},
			polls: 2, last: busy, took: 7 * time.Second,
		},
		{
			why: "during a tick that fails for a reason of its own",
			tick: func(_ context.Context, _ int, cancel func()) poll.Result {
				cancel()
				return failed(busy)
			},
			polls: 1, last: busy,
		},
		{
			why: "during a tick that fails for good",
			tick: func(_ context.Context, _ int, cancel func()) poll.Result {
				cancel()
				return failed(denied)
			},
			polls: 1, last: denied,
		},
		{
			why: "during a tick that is good but not done",
			tick: func(_ context.Context, _ int, cancel func()) poll.Result {
				cancel()
				return running
			},
			polls: 1,
		},
		{
			why: "during a pause",
			tick: func(_ context.Context, _ int, cancel func()) poll.Result {
				time.AfterFunc(time.Second/2, cancel)
				return running
			},
			polls: 1, took: time.Second / 2,
		},
		{
			why: "during a pause after a failure",
			tick: func(_ context.Context, _ int, cancel func()) poll.Result {
				time.AfterFunc(time.Second/2, cancel)
				return failed(busy)
			},
			polls: 1, last: busy, took: time.Second / 2,
		},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if c.early {
					cancel(reason)
				}
				start, n := time.Now(), 0
				polls, err := poll.Run(ctx, poll.Settings{}, func(ctx context.Context) poll.Result {
					n++
					return c.tick(ctx, n, func() { cancel(reason) })
				})
				stopped, ok := errors.AsType[*poll.Stopped](err)
				if !ok {
					t.Fatalf("err = %v, want a *Stopped", err)
				}
				if polls != c.polls || n != c.polls || stopped.Polls != c.polls {
					t.Errorf("polls = %d, ticks = %d, Stopped.Polls = %d; want %d", polls, n, stopped.Polls, c.polls)
				}
				if stopped.Cause != reason || stopped.Ctx != context.Canceled || stopped.Last != c.last {
					t.Errorf("Stopped = %+v; want last failure %v", *stopped, c.last)
				}
				if !errors.Is(err, reason) || !errors.Is(err, context.Canceled) {
					t.Errorf("%v is not both the cause and the context's error", err)
				}
				if took := time.Since(start); took != c.took || stopped.Elapsed != c.took {
					t.Errorf("took %v, Elapsed %v; want %v", took, stopped.Elapsed, c.took)
				}
			})
		})
	}
}

// An answer in hand is not thrown away because the context ended while it came in.
func TestDoneAtTheLastMoment(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	polls, err := poll.Run(ctx, poll.Settings{}, func(context.Context) poll.Result {
		cancel()
		return done
	})
	if polls != 1 || err != nil {
		t.Errorf("Run = %d, %v; want success", polls, err)
	}
}

package slurm

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

const (
	// settleTime is longer than the 15 seconds within which new settings reach Slurm.
	settleTime = 20 * time.Second
	// readyBound leaves a large cluster's controller time to read its state.
	readyBound = 5 * time.Minute
)

// The pace of pings. A ping costs the controller next to nothing, but one that nobody answers takes some ten seconds.
const (
	pingInitial = 2 * time.Second
	pingMax     = 5 * time.Second
)

// ReadyOption changes how [Client.WaitReady] waits. A nil option is skipped.
type ReadyOption func(*readiness)

// SettleFor sets for how long the controller must have answered every ping, 20 seconds by default: new settings reach
// Slurm within 15 seconds of the end of an update, and less than that does not see what they do. With 0 or less a
// single answer is enough.
func SettleFor(d time.Duration) ReadyOption { return func(r *readiness) { r.settle = d } }

// GiveUpAfter sets when a controller that has not settled is given up, 5 minutes by default. It must be longer than
// the settling time. With 0 or less only the context ends the wait.
func GiveUpAfter(d time.Duration) ReadyOption { return func(r *readiness) { r.bound = d } }

// WaitReady blocks until Slurm's controller has answered every ping over a settling time of 20 seconds, see
// [SettleFor]. It is for after an update that touches Slurm, or a creation: an operation that succeeds proves that the
// service took the settings, not that the controller can start with them, and it ends before they reach Slurm. So a
// single good [Client.Ping] right after it proves nothing either.
//
// It pings at once and then every 1 to 5 seconds. A ping that fails starts the settling time anew: one that finds the
// controller down, and one that does not get so far, as while the platform is unavailable. If the controller has not
// settled after 5 minutes, see [GiveUpAfter], or ctx ends before that, the error is a [*ReadyError], as it is at once
// after a failure that no time heals, such as a missing permission or cluster. It starts no goroutine.
//
// A controller that answers may still lack what a job needs, such as nodes: it has started, no more.
func (c *Client) WaitReady(ctx context.Context, opts ...ReadyOption) error {
	r := &readiness{client: c, settle: settleTime, bound: readyBound}
	for _, opt := range opts {
		if opt != nil {
			opt(r)
		}
	}
	if r.bound > 0 && r.bound <= r.settle {
		ch := &checker{}
		ch.add("GiveUpAfter", "%s would end the wait before the controller can have settled; want more than the %s of SettleFor",
			r.bound, r.settle)
		return ch.err("wait until ready")
	}
	return r.wait(ctx)
}

// UntilReady is [Client.WaitReady] as a step of the wait for an update or a creation, see [lro.Then]:
//
//	err = op.Wait(ctx, s.UntilReady())
//
// Then an *lro.OperationError means that the update failed, and a [*ReadyError] that it succeeded, but that the
// controller was not seen to run with it.
func (c *Client) UntilReady(opts ...ReadyOption) lro.WaitOption {
	return lro.Then(func(ctx context.Context) error { return c.WaitReady(ctx, opts...) })
}

// readiness is one wait for the controller.
type readiness struct {
	client        *Client
	settle, bound time.Duration

	answering time.Time // when the first ping of an unbroken row of answered ones was sent; zero if the latest failed
	silent    time.Time // the same for failed ones
	last      error     // the latest failed ping
}

func (r *readiness) wait(ctx context.Context) error {
	start := time.Now()
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if r.bound > 0 {
		bounded, cancel = context.WithTimeout(ctx, r.bound)
	}
	defer cancel()
	pings, err := poll.Run(bounded, poll.Settings{
		Backoff:   poll.Backoff{Initial: pingInitial, Max: pingMax},
		Tolerance: math.MaxInt64, // the bound counts for all pings together
	}, r.tick)
	stopped, failed := errors.AsType[*poll.Stopped](err)
	if !failed {
		return nil
	}
	e := &ReadyError{Cluster: r.client.cluster, Pings: pings, Elapsed: time.Since(start), Last: r.last, settle: r.settle}
	if !r.silent.IsZero() {
		e.Silence = max(time.Since(r.silent), 1) // a failure may come at once, and 0 means that there was none
	}
	deadline, ok := ctx.Deadline()
	switch {
	case ctx.Err() != nil:
		e.Cause, e.Ctx = context.Cause(ctx), ctx.Err()
	case r.bound <= 0 || ok && deadline.Before(start.Add(r.bound)):
		e.Cause, e.Ctx = stopped.Cause, stopped.Ctx // nil, unless the server asked for a pause beyond the deadline
	}
	return e
}

// tick sends one ping.
func (r *readiness) tick(ctx context.Context) poll.Result {
	sent := time.Now()
	if err := r.ping(ctx); err != nil {
		if !poll.CutOff(ctx, err) { // which says nothing
			r.answering, r.last = time.Time{}, err
			if r.silent.IsZero() {
				r.silent = sent
			}
		}
		return poll.Result{Err: err}
	}
	r.silent = time.Time{}
	if r.answering.IsZero() {
		r.answering = sent
	}
	result := poll.Result{Done: sent.Sub(r.answering) >= r.settle}
	if left := time.Until(r.answering.Add(r.settle)); left <= pingMax {
		result.Wait = left // the last ping comes just in time
	}
	return result
}

// ping is one of the client, with a limit of its own.
func (r *readiness) ping(ctx context.Context) error {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	_, err := r.client.Ping(ctx)
	return err
}

package rest

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Repeat says when a failed call may be sent again. It is a property of what the call does and never of its
// HTTP method: every call of Slurm is a POST here, and so is a read.
type Repeat int

const (
	// IfUnsent repeats only what surely did not reach the service: connection refused, unknown host, failed TLS
	// set-up, and 429. It is for calls whose repetition costs money.
	IfUnsent Repeat = iota
	// IfUnprocessed also repeats a 503 by which the server asks to come back later.
	IfUnprocessed
	// Always repeats after any transient failure; the call changes nothing, or the same thing again.
	Always
)

// Retryer decides after each failure; gax.Retryer has the same shape. One serves one call.
type Retryer interface {
	Retry(err error) (pause time.Duration, again bool)
}

const (
	maxAttempts = 5
	firstPause  = 500 * time.Millisecond // at most; each further one can be twice as long
	// A server's wish beyond this is handed to the caller instead of slept through: a read that returns
	// after many minutes helps nobody.
	maxWish = time.Minute
)

func (c *Client) retryer(call *Call) Retryer {
	if call.Retry != nil {
		if r := call.Retry(); r != nil {
			return r
		}
	}
	return &defaultRetryer{repeat: call.Repeat, budget: c.budget, pause: firstPause}
}

// defaultRetryer backs off exponentially with full jitter, or as long as the server wishes.
type defaultRetryer struct {
	repeat  Repeat
	budget  *budget
	pause   time.Duration
	retries int
}

func (r *defaultRetryer) Retry(err error) (time.Duration, bool) {
	fault, ok := err.(*Fault)
	if !ok || !fault.repeatable(r.repeat) || fault.RetryAfter > maxWish || r.retries == maxAttempts-1 || !r.budget.spend() {
		return 0, false
	}
	r.retries++
	pause := rand.N(r.pause + 1)
	r.pause *= 2
	if fault.RetryAfter > 0 {
		pause = fault.RetryAfter
	}
	return pause, true
}

// repeatable reports whether a call that failed so may be sent again.
func (f *Fault) repeatable(repeat Repeat) bool {
	switch repeat {
	case Always:
		return f.Transient
	case IfUnprocessed:
		return f.Transient && f.Unprocessed
	}
	return f.Transient && f.unsent
}

// budget bounds retries over all calls of a client, so that many callers do not multiply an outage: a retry
// costs 5 of 500 tokens and a success gives back 1. The numbers are those of the AWS SDKs' standard mode, which
// have served large fleets.
type budget struct {
	mu     sync.Mutex
	tokens int
}

const (
	budgetSize = 500
	retryCost  = 5
)

func newBudget() *budget { return &budget{tokens: budgetSize} }

func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < retryCost {
		return false
	}
	b.tokens -= retryCost
	return true
}

func (b *budget) refund() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.tokens+1, budgetSize)
}

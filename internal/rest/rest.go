// Package rest carries one call to the service and back: it sends, repeats what may be repeated, reads the reply
// up to a bound, and turns every failure into a [Fault]. It knows HTTP and google.rpc.Status, and nothing of
// clusters.
package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Bounds on what is read of a reply. An error never needs more; a list of clusters or an answer of Slurm can.
const (
	DefaultMaxReply = 64 << 20
	maxErrorReply   = 1 << 20
)

// Call is one call of the API.
type Call struct {
	Method   string
	URL      string
	Header   http.Header // added to each attempt; not written to, so that calls can share it
	Body     []byte      // JSON; nil sends no body
	Repeat   Repeat
	Retry    func() Retryer // if set, decides on retries instead of Repeat, as gax.WithRetry asks
	MaxReply int64          // 0 means DefaultMaxReply

	// Idle bounds the waiting for a [Stream]: for its start, attempts and pauses included, and then for each further
	// part. 0 is no bound, and [Client.Do] has none besides its context's.
	Idle time.Duration

	// Secrets, if set, are texts of the request that no error may quote. They are asked for after a failure only.
	Secrets func() []string

	Trace   *Trace // nil if nobody listens
	attempt *Attempt
}

// Reply is a successful answer. Body is one valid JSON value.
type Reply struct {
	Header     http.Header
	Body       []byte
	Object     jsonx.Object // Body taken apart; its Raw is nil if Body is something else
	Attempts   int
	RetryAfter time.Duration // what a Retry-After header asked for; 0 for nothing
}

// Client sends calls. It is safe for concurrent use.
type Client struct {
	send   func(*http.Request) (*http.Response, error)
	budget *budget
}

// NewClient makes a client that sends through hc. Redirects are not followed: the API has none, and credentials
// that the transport adds would travel along to wherever one points.
func NewClient(hc *http.Client) *Client {
	own := *hc
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &Client{send: own.Do, budget: newBudget()}
	if own.Jar == nil && own.Timeout == 0 && own.Transport != nil {
		c.send = transport{own.Transport}.send // all else that http.Client does is to follow redirects
	}
	return c
}

// Do sends call until it succeeds or may not be repeated. The error is a *Fault.
func (c *Client) Do(ctx context.Context, call *Call) (*Reply, error) {
	var reply *Reply
	attempts, err := c.repeat(ctx, call, func(ctx context.Context) (fault *Fault) {
		reply, fault = c.attempt(ctx, call)
		return fault
	})
	if err != nil {
		return nil, err
	}
	reply.Attempts = attempts
	return reply, nil
}

// repeat makes attempts until one has no fault, and returns how many it took, or until call may not be repeated. once
// gets the context of its attempt.
func (c *Client) repeat(ctx context.Context, call *Call, once func(context.Context) *Fault) (attempts int, err error) {
	if ctx.Err() != nil { // which a transport may find only once it has sent
		fault := transportFault(ctx, ctx.Err())
		fault.unsent, fault.Unprocessed = true, true
		return 0, fault
	}
	var retry Retryer // made for the first failure
	for attempt := 1; ; attempt++ {
		fault := once(call.startAttempt(ctx, attempt))
		if fault == nil {
			c.budget.refund()
			call.endAttempt(nil, 0, false)
			return attempt, nil
		}
		fault.Attempts = attempt
		if retry == nil {
			retry = c.retryer(call)
		}
		pause, again := retry.Retry(fault)
		again = again && ctx.Err() == nil && endsBeforeDeadline(ctx, pause)
		call.endAttempt(fault, pause, again)
		if !again {
			return 0, fault
		}
		if err := sleep(ctx, pause); err != nil {
			return 0, fault.interrupted(err)
		}
	}
}

// endsBeforeDeadline reports whether a pause leaves any time to try again.
func endsBeforeDeadline(ctx context.Context, pause time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > pause
}

// sleep returns nil after the pause, or why ctx has ended, and then at once: its error and, if it differs, its cause.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return contextError(ctx) // of both at once select takes either
}

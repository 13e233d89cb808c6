package poll

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"
)

// Fault is what the error of a failed read may implement to say what it means for a wait. *cluster.Error does.
// Among other errors those of the network and cut answers are transient, and the rest is permanent.
type Fault interface {
	error
	Transient() bool           // the same read may well succeed soon
	NotFound() bool            // the thing that was read does not exist, or not yet
	RetryDelay() time.Duration // the pause the server asked for, 0 if it asked for none
}

// Row follows the failed reads of one thing. [Run] keeps one for its ticks; whoever reads several things per tick
// keeps one for each, so that one unreadable thing neither hides behind the others nor takes them down.
// The zero Row has seen no failure.
type Row struct {
	since time.Time
	last  error
}

// Good ends the row: a read succeeded, and what failed before it is history.
func (r *Row) Good() { *r = Row{} }

// Last returns the latest failure of the unbroken row, nil after a good read.
func (r *Row) Last() error { return r.last }

// Bear takes a failed read and returns nil as long as it is borne. Otherwise it says why not, without Polls and
// Elapsed: the failure is permanent, the row is older than the tolerance, the context is over, or the server asked
// for a pause that reaches beyond the context's deadline and would only lead to a certain time-out.
func (r *Row) Bear(ctx context.Context, tolerance, wait time.Duration, err error) *Stopped {
	if CutOff(ctx, err) {
		return over(ctx, r.last)
	}
	now := time.Now()
	if r.last == nil {
		r.since = now
	}
	r.last = err
	if ctx.Err() != nil {
		return over(ctx, err)
	}
	if !Transient(err) || now.Sub(r.since) >= tolerance {
		return &Stopped{Last: err}
	}
	wish := Wish(wait, err)
	if deadline, ok := ctx.Deadline(); ok && wish > 0 && now.Add(wish).After(deadline) {
		// The context's own cause cannot be asked for before the context has ended.
		cause := fmt.Errorf("the server asks for a pause of %v, which is beyond the deadline in %v: %w",
			wish, deadline.Sub(now).Round(time.Millisecond), context.DeadlineExceeded)
		return &Stopped{Cause: cause, Ctx: context.DeadlineExceeded, Last: err}
	}
	return nil
}

// Wish returns the pause the server asked for, be it with the answer or with the error, whichever is longer, at most
// [MaxWish] and at least 0.
func Wish(wait time.Duration, err error) time.Duration {
	if f, ok := errors.AsType[Fault](err); ok {
		wait = max(wait, f.RetryDelay())
	}
	return min(max(wait, 0), MaxWish)
}

// NotFound tells whether err is a [Fault] about something that does not exist.
func NotFound(err error) bool {
	f, ok := errors.AsType[Fault](err)
	return ok && f.NotFound()
}

// Transient tells whether the read that failed with err may succeed when it is simply repeated.
func Transient(err error) bool {
	if f, ok := errors.AsType[Fault](err); ok {
		return f.Transient()
	}
	// net/http wraps whatever happened into a url.Error, which passes for a net.Error even if the matter is a
	// certificate or a malformed address. So what counts is what is inside.
	if u, ok := errors.AsType[*url.Error](err); ok {
		return errors.Is(u.Err, io.EOF) || Transient(u.Err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	_, ok := errors.AsType[net.Error](err)
	return ok
}

package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// streamHead is how much of a reply [Client.Stream] reads before it returns: until then a failure leads to another
// attempt. A reply that is no longer is read whole, and as good as one of [Client.Do].
const streamHead = 64 << 10

// Stream is a success that is read while it arrives. Its Read fails with a *Fault. It is not safe for concurrent use.
type Stream struct {
	Attempts int

	watch *watch
	resp  *http.Response
	head  []byte // read ahead
	read  int64  // bytes of the reply so far
	limit int64
	end   error // what Read goes on returning
}

// Stream sends call until a success begins to arrive, or until the call may not be repeated. The error is a *Fault.
// What comes is an object as far as its start tells; that it is valid JSON is for the reader to find out, see
// [Stream.Damaged]. The stream must be read to its end or closed.
func (c *Client) Stream(ctx context.Context, call *Call) (*Stream, error) {
	w := newWatch(ctx, call.Idle)
	w.begin()
	var s *Stream
	attempts, err := c.repeat(w.ctx, call, func(ctx context.Context) (fault *Fault) {
		s, fault = c.begin(ctx, w, call)
		return fault
	})
	w.pause()
	if err != nil {
		w.cancel(nil)
		return nil, err
	}
	s.Attempts = attempts
	return s, nil
}

// begin makes one attempt. Its context is that of the watch, or made of it by a [Trace].
func (c *Client) begin(ctx context.Context, w *watch, call *Call) (*Stream, *Fault) {
	resp, fault := c.open(ctx, call)
	if fault != nil {
		return nil, fault
	}
	s := &Stream{watch: w, resp: resp, limit: call.maxReply()}
	fault = s.readHead(call)
	call.received(len(s.head))
	if fault != nil {
		_ = resp.Body.Close() // the fault says more
		return nil, fault
	}
	return s, nil
}

// readHead fills the head, and sets end if that is all.
func (s *Stream) readHead(call *Call) *Fault {
	if s.resp.ContentLength > s.limit {
		return bodyFault(s.watch.ctx, s.resp, tooLarge(s.limit))
	}
	head := make([]byte, streamHead)
	n, err := 0, error(nil)
	for n < len(head) && err == nil {
		var more int
		more, err = s.resp.Body.Read(head[n:])
		n += more
	}
	s.head, s.read = head[:n], int64(n)
	switch {
	case s.read > s.limit:
		return bodyFault(s.watch.ctx, s.resp, tooLarge(s.limit))
	case err == io.EOF:
		if err := jsonx.Valid(s.head); err != nil {
			return notJSONFault(s.resp, call.discreet(s.resp, s.head), err)
		}
		s.finish(io.EOF)
	case err != nil:
		return bodyFault(s.watch.ctx, s.resp, err)
	case jsonx.KindOf(s.head) == jsonx.KindNumber: // which is anything that does not begin like JSON
		return notJSONFault(s.resp, call.discreet(s.resp, s.head), errors.New("not JSON"))
	}
	return nil
}

// Read reads on. It blocks until something comes, for as long as the call's Idle.
func (s *Stream) Read(p []byte) (int, error) {
	if len(s.head) > 0 {
		n := copy(p, s.head)
		if s.head = s.head[n:]; len(s.head) == 0 {
			s.head = nil
		}
		return n, nil
	}
	if s.end != nil {
		return 0, s.end
	}
	s.watch.begin()
	n, err := s.resp.Body.Read(p)
	s.watch.pause()
	s.read += int64(n)
	if s.read > s.limit {
		n, err = 0, tooLarge(s.limit)
	}
	switch {
	case err == io.EOF:
		s.finish(io.EOF)
	case err != nil:
		s.finish(s.broken(err))
	}
	if n > 0 {
		return n, nil
	}
	return 0, s.end
}

// broken is the fault for a reply that broke off.
func (s *Stream) broken(err error) *Fault {
	f := bodyFault(s.watch.ctx, s.resp, err)
	f.Attempts = s.Attempts
	if !errors.Is(err, errTooLarge) {
		f.Message += fmt.Sprintf(" after %d bytes", s.read)
	}
	return f
}

// Damaged returns the *Fault for a reply that turned out not to be the JSON it began as, as err says.
func (s *Stream) Damaged(err error) *Fault {
	f := answered(s.resp)
	f.Code, f.Err, f.Message = codes.Internal, err, err.Error()
	f.Attempts, f.Transient = s.Attempts, true
	return f
}

// Close ends the stream. What has not been read is not waited for, at the cost of the connection with HTTP/1.1.
func (s *Stream) Close() error {
	s.finish(errClosed)
	s.head, s.end = nil, errClosed
	return nil
}

var errClosed = errors.New("the stream is closed")

// finish gives back what the stream holds.
func (s *Stream) finish(end error) {
	if s.end != nil {
		return
	}
	s.end = end
	_ = s.resp.Body.Close() // all that was wanted has been read
	s.watch.cancel(nil)
}

// watch ends its context when something takes too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer // nil without a limit
}

func newWatch(ctx context.Context, limit time.Duration) *watch {
	w := &watch{limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		w.timer = time.AfterFunc(limit, func() { w.cancel(stalled(limit)) })
	}
	return w
}

func (w *watch) begin() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}

func (w *watch) pause() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// stalled is the end of a context for want of an answer, or of the rest of one, for this long.
type stalled time.Duration

func (s stalled) Error() string { return fmt.Sprintf("nothing has come for %v", time.Duration(s)) }

func (s stalled) Is(target error) bool { return target == context.DeadlineExceeded }

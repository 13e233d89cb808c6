package cluster

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
)

// maxSlurmStream bounds a streamed answer: nobody keeps it, but it should not go on for ever. It is the list of some
// three million jobs.
const maxSlurmStream = 16 << 30

// SlurmStream is an answer of slurmrestd that is read while it arrives: an [io.ReadCloser] of what
// [SlurmResponse].Body would hold. It must be read up to an error, io.EOF included, or closed. It is not safe for
// concurrent use.
type SlurmStream struct {
	// Attempts is how many times the call was sent.
	Attempts int

	status   int
	body     io.Reader
	closer   io.Closer
	envelope *slurmEnvelope // nil if somebody else made the stream
	end      error          // what Read goes on returning
	closed   bool
	traced   func(error) // hears how the stream has ended; nil if nobody listens
}

// NewSlurmStream makes a stream of an answer from elsewhere, for a stand-in of a Client.
func NewSlurmStream(status int, body io.ReadCloser) *SlurmStream {
	return &SlurmStream{Attempts: 1, status: status, body: body, closer: body}
}

// StreamSlurm is [Client.CallSlurm] for answers that are too large to be held: it returns as soon as Slurm's answer
// begins to arrive, and memory stays the same whatever its size. Close the stream unless it was read to its end.
//
// Until it returns, which is when the first 64 kB or the whole answer is there, failures are repeated as those of
// CallSlurm are. A failure after that is not: [SlurmStream.Read] returns it as an [*Error], after what had arrived.
// Answers of 16 GiB and more are cut by an error that matches [ErrResourceExhausted].
//
// ctx is that of the stream as well: the stream ends with it. If ctx has no deadline, [DefaultTimeout], or what
// gax.WithTimeout says, bounds the time to the start of the answer, and then each single wait for more of it, but not
// the whole. The time that the reader spends between two calls of Read does not count.
func (c *Client) StreamSlurm(
	ctx context.Context, name string, req *SlurmRequest, opts ...gax.CallOption,
) (*SlurmStream, error) {
	call, err := c.slurmCall(name, req, opts)
	if err != nil {
		return nil, err
	}
	call.maxReply = maxSlurmStream
	ctx, trace := call.trace(ctx)
	returned := false
	defer trace.left(&returned)
	wire, err := c.stream(ctx, call, opts, trace.wire())
	returned = true
	if err != nil {
		trace.end(err)
		return nil, err
	}
	e := &slurmEnvelope{call: call, wire: wire, doc: jsonx.NewStream(wire, maxEnvelopeValue)}
	body, err := e.body()
	if err != nil {
		_ = wire.Close() // the failure says more
		trace.endStream(wire, err)
		return nil, err
	}
	s := &SlurmStream{Attempts: wire.Attempts, body: body, closer: wire, envelope: e}
	if trace != nil {
		s.traced = func(err error) { trace.endStream(wire, err) }
	}
	return s, nil
}

// stream is [Client.do] for a reply that is read while it arrives.
func (c *Client) stream(
	ctx context.Context, call *call, opts []gax.CallOption, trace *rest.Trace,
) (s *rest.Stream, err error) {
	err = call.invoke(ctx, opts, func(limited context.Context, wire *rest.Call) (err error) {
		wire.Trace = trace
		// gax gives a context without a deadline one of its own, and ends that when this returns. The deadline says
		// what the limit is; the stream lives on in ctx.
		if _, bounded := ctx.Deadline(); !bounded {
			if deadline, ok := limited.Deadline(); ok {
				wire.Idle = time.Until(deadline).Round(time.Millisecond)
			}
		}
		s, err = c.rest.Stream(ctx, wire)
		return err
	})
	return s, err
}

// Status is Slurm's own HTTP status, as in [SlurmResponse]. It is certain when Read has returned io.EOF, and 0 before
// that if the service sends it behind the answer; its examples have it in front.
func (s *SlurmStream) Status() int {
	if s.envelope != nil {
		return s.envelope.status
	}
	return s.status
}

// Read reads the next part of the answer. Its errors are io.EOF, when the answer is complete, and [*Error]: Transient
// reports then whether the same call may well succeed. It blocks until something has come.
func (s *SlurmStream) Read(p []byte) (int, error) {
	if s.end != nil {
		return 0, s.end
	}
	n, err := s.body.Read(p)
	if err != nil && s.envelope != nil {
		err = s.envelope.ended(err)
	}
	if s.end = err; err != nil && s.traced != nil {
		s.traced(err)
	}
	if n > 0 {
		return n, nil // and the error when it is asked for again
	}
	return 0, err
}

// Close ends the stream. What has not arrived is not waited for, which costs the connection if that speaks HTTP/1.1.
// Closing a stream that was read to its end, or once more, does no harm. The error is nil for streams of a Client.
func (s *SlurmStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.traced != nil {
		s.traced(nil)
	}
	if s.end == nil {
		s.end = errors.New("cluster: the SlurmStream is closed")
	}
	return s.closer.Close()
}

// maxEnvelopeValue bounds what is read at once of the envelope: the status, and names.
const maxEnvelopeValue = 64 << 10

// slurmEnvelope is the service's answer around Slurm's: see [decodeSlurmResponse]. Members come in any order; if both
// forms of Slurm's answer are there, the first one counts.
type slurmEnvelope struct {
	call   *call
	wire   *rest.Stream
	doc    *jsonx.Stream
	status int
}

var errNoStatus = errors.New("the answer lacks Slurm's status")

// body goes to Slurm's answer. If there is none, the envelope has ended.
func (e *slurmEnvelope) body() (io.Reader, error) {
	for {
		name, err := e.doc.Member()
		if err == io.EOF {
			return strings.NewReader(""), e.complete()
		}
		found := false
		if err == nil {
			found, err = e.member(name)
		}
		switch {
		case err != nil:
			return nil, e.failed(err)
		case found:
			return e.doc.Reader(), nil
		}
	}
}

// member reads a member, unless it is Slurm's answer: then it reports that, with the answer ahead.
func (e *slurmEnvelope) member(name string) (found bool, err error) {
	switch name {
	case "status":
		value, err := e.doc.Value()
		if err != nil {
			return false, err
		}
		status, err := jsonx.Int(value)
		e.status = int(status)
		return false, jsonx.At("status", err)
	case "structuredBody", "structured_body", "body":
		kind, err := e.doc.Kind()
		if err != nil {
			return false, err
		}
		if kind != jsonx.KindNull && string(e.doc.Peek(len(`""`))) != `""` {
			return true, nil
		}
	}
	return false, e.doc.Pass()
}

// ended reads what is behind Slurm's answer after err of reading the answer, and returns io.EOF if all of it is right.
func (e *slurmEnvelope) ended(err error) error {
	if err != io.EOF {
		return e.failed(err)
	}
	for {
		name, err := e.doc.Member()
		switch {
		case err == io.EOF:
			if err := e.complete(); err != nil {
				return err
			}
			return io.EOF
		case err == nil && name == "status":
			_, err = e.member(name)
		case err == nil:
			err = e.doc.Pass()
		}
		if err != nil {
			return e.failed(err)
		}
	}
}

func (e *slurmEnvelope) complete() error {
	if e.status == 0 {
		return e.failed(errNoStatus)
	}
	return nil
}

// failed turns whatever went wrong into the error that callers see.
func (e *slurmEnvelope) failed(err error) error {
	var fault *rest.Fault
	var shape *jsonx.Error
	switch {
	case errors.As(err, &fault):
	case errors.As(err, &shape), err == errNoStatus:
		return e.call.unreadable(&rest.Reply{Attempts: e.wire.Attempts}, err)
	default:
		fault = e.wire.Damaged(err)
	}
	return e.call.failed(fault)
}

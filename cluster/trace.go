package cluster

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/rest"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// Tracer hears of the calls that a client makes: of each call that goes out, of each attempt at it, and of how they
// end. Calls of Slurm are among them, and so are the reads of a wait, as calls of their own. [WithTracer] sets one;
// [LogTracer] is a ready one.
//
// Any function may be nil. They run on the goroutine that calls, which waits for them, and so on several at once if
// several use the client. A panic in one is the caller's. Neither request nor answer is given to them, and nothing that
// they get holds a token, a script or an environment, but for an Err: the service may quote the request in it.
//
// What is refused before it is sent is no call. A panic that passes through a call, such as one of the transport, is a
// failure of it. An answer that cannot be read is a call that failed, although its last
// attempt was a success. How Slurm itself judges a request is in its answer, which package slurm reads after the call has
// ended.
//
// A context that a function returns must be made of the one that it gets, such as one with a span in it; nil stands for
// that one itself. Its values go down to the transport, whose own instruments find them there. Its end does not: a
// tracer can cancel its contexts when it likes, and neither shortens a call nor cuts a stream. The End function of the
// same tracer gets it as it was returned. Where there are several tracers, each builds upon the values of those before it.
type Tracer struct {
	// CallStart returns the context of the call, from which those of its attempts are made.
	CallStart func(ctx context.Context, call *CallTrace) context.Context
	// AttemptStart returns the context of the attempt.
	AttemptStart func(ctx context.Context, call *CallTrace, attempt *AttemptTrace) context.Context
	// AttemptEnd comes once for each AttemptStart. Of a [SlurmStream] it comes when the answer has begun to arrive.
	AttemptEnd func(ctx context.Context, call *CallTrace, attempt *AttemptTrace)
	// CallEnd comes once for each CallStart. Of a [SlurmStream] it comes when that was read to its end or closed.
	CallEnd func(ctx context.Context, call *CallTrace)

	logs bool // made by LogTracer
}

// CallTrace is what a [Tracer] gets about a call, the same one in all its functions. It must not be changed, and may be
// kept.
type CallTrace struct {
	Op           string // "create", "get", "call Slurm", "read operation"
	Resource     string // of which cluster or operation
	SlurmMethod  string // GET, POST or DELETE of a Slurm call, else empty
	SlurmPath    string // without its query
	RequestBytes int
	Start        time.Time

	// Known when the call has ended.
	Attempts   int
	HTTPStatus int   // of the last attempt; 0 if that got no answer
	ReplyBytes int64 // of the last attempt
	Duration   time.Duration
	Err        error // what the caller gets, which a wait wraps into its own; nil for a success
}

// AttemptTrace is what a [Tracer] gets about one attempt at a call. It must not be changed, and may be kept.
type AttemptTrace struct {
	Number int // from 1

	// Known when the attempt has ended.
	HTTPStatus int    // 0 if no answer came
	Code       string // OK, or the code of the failure: UNAVAILABLE
	ReplyBytes int64  // of a [SlurmStream] those that have arrived so far
	Duration   time.Duration
	Err        error // nil for a success

	// Again means that another attempt is planned after Pause. Should the context end before, none is made, and CallEnd
	// comes next; a pause that reaches beyond the context's deadline is not planned at all.
	Again bool
	Pause time.Duration
}

// WithTracer is an option for [NewClient] and slurm.Open that has t told about all calls of the client. Several tracers
// are told in the order of their options. Without any, tracing costs nothing.
func WithTracer(t *Tracer) option.ClientOption { return &tracerOption{tracer: t} }

type tracerOption struct {
	internaloption.EmbeddableAdapter
	tracer *Tracer
}

// tracersOf finds those of WithTracer, and makes one of the logger that opts or the environment name unless one of them
// logs already.
func tracersOf(ctx context.Context, opts []option.ClientOption) (tracers []*Tracer) {
	logs := false
	for _, opt := range opts {
		if own, ok := opt.(*tracerOption); ok && own.tracer != nil {
			tracers = append(tracers, own.tracer)
			logs = logs || own.tracer.logs
		}
	}
	if logger := loggerOf(ctx, opts); logger != nil && !logs {
		tracers = append(tracers, LogTracer(logger))
	}
	return tracers
}

// loggerOf is nil if nobody has asked for a log. The level of a logger that was asked for is left to each call, since it
// may change; the environment's does not.
func loggerOf(ctx context.Context, opts []option.ClientOption) *slog.Logger {
	none := slog.New(slog.DiscardHandler)
	if logger := internaloption.GetLogger(append([]option.ClientOption{option.WithLogger(none)}, opts...)); logger != none {
		return logger
	}
	if logger := internaloption.GetLogger(nil); logger.Enabled(ctx, slog.LevelWarn) {
		return logger
	}
	return nil
}

// tracing is one call that tracers follow. All methods are safe on nil, which is a call that nobody follows.
type tracing struct {
	tracers []*Tracer
	call    *call
	data    *CallTrace
	attempt *AttemptTrace // nil if none goes on
	begun   time.Time     // of the attempt
	ended   bool

	// What each tracer gets at the end of the call, and of the attempt that goes on.
	ends, attemptEnds []context.Context
}

// trace starts to follow the call.
func (c *call) trace(ctx context.Context) (context.Context, *tracing) {
	if len(c.tracers) == 0 {
		return ctx, nil
	}
	t := &tracing{tracers: c.tracers, call: c, data: &CallTrace{
		Op: strings.TrimSuffix(c.op, " of"), Resource: c.resource, RequestBytes: len(c.body), Start: time.Now(),
	}}
	if c.slurm != nil {
		t.data.SlurmMethod = c.slurm.Method
		t.data.SlurmPath, _, _ = strings.Cut(c.slurm.Path, "?") // in the query names and tokens of jobs can be
	}
	t.ends, t.attemptEnds = make([]context.Context, len(t.tracers)), make([]context.Context, len(t.tracers))
	for i, tracer := range t.tracers {
		var own context.Context
		if tracer.CallStart != nil {
			own = tracer.CallStart(ctx, t.data)
		}
		ctx, t.ends[i] = follow(ctx, own)
	}
	return ctx, t
}

// wire is what package rest tells.
func (t *tracing) wire() *rest.Trace {
	if t == nil {
		return nil
	}
	return &rest.Trace{Start: t.startAttempt, End: t.endAttempt}
}

func (t *tracing) startAttempt(ctx context.Context, number int) context.Context {
	attempt := &AttemptTrace{Number: number}
	for i, tracer := range t.tracers {
		var own context.Context
		if tracer.AttemptStart != nil {
			own = tracer.AttemptStart(ctx, t.data, attempt)
		}
		ctx, t.attemptEnds[i] = follow(ctx, own)
	}
	t.attempt, t.begun = attempt, time.Now()
	return ctx
}

func (t *tracing) endAttempt(a *rest.Attempt) {
	to := t.attempt
	t.attempt = nil
	to.HTTPStatus, to.ReplyBytes, to.Duration = a.HTTPStatus, a.Received, a.Duration
	to.Again, to.Pause, to.Code = a.Again, a.Pause, rpcstatus.Name(codes.OK)
	if a.Fault != nil {
		to.Err, to.Code = t.call.failed(a.Fault), rpcstatus.Name(a.Fault.Code)
	}
	t.data.Attempts, t.data.HTTPStatus, t.data.ReplyBytes = a.Number, a.HTTPStatus, a.Received
	for i, tracer := range t.tracers {
		if tracer.AttemptEnd != nil {
			tracer.AttemptEnd(t.attemptEnds[i], t.data, to)
		}
	}
}

// left is deferred around what a panic may leave, or the end of the goroutine: what the tracers have begun, such as a span,
// has its end then, too. The panic goes on as it is, and what it says is not told.
func (t *tracing) left(returned *bool) {
	if t == nil || *returned {
		return
	}
	fault := &rest.Fault{Code: codes.Unknown, Message: "a panic, or the end of the goroutine, left the call", Attempts: t.data.Attempts}
	if t.attempt != nil {
		fault.Attempts = t.attempt.Number
		t.endAttempt(&rest.Attempt{Number: t.attempt.Number, Duration: time.Since(t.begun), Fault: fault})
	}
	t.end(t.call.failed(fault))
}

// endStream is end for a call whose answer was handed on as it arrived.
func (t *tracing) endStream(s *rest.Stream, err error) {
	if t == nil || t.ended {
		return
	}
	if err == io.EOF {
		err = nil
	}
	t.data.ReplyBytes = s.Received()
	t.end(err)
}

// end tells how the call has ended, once.
func (t *tracing) end(err error) {
	if t == nil || t.ended {
		return
	}
	t.ended = true
	t.data.Duration, t.data.Err = time.Since(t.data.Start), err
	for i, tracer := range t.tracers {
		if tracer.CallEnd != nil {
			tracer.CallEnd(t.ends[i], t.data)
		}
	}
}

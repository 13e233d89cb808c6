package rest

import (
	"context"
	"net/http"
	"time"
)

// Trace hears of the attempts of one [Call]. Both functions are set. The context that Start makes of ctx is that of the
// request, and so of the body of a [Stream], which is read after the end of the attempt: it must end when ctx does, and
// no earlier.
type Trace struct {
	Start func(ctx context.Context, number int) context.Context
	End   func(a *Attempt)
}

// Attempt is one attempt that has ended.
type Attempt struct {
	Number     int
	HTTPStatus int   // 0 if no answer came
	Received   int64 // bytes of the body; of a [Stream], those that have arrived by now
	Duration   time.Duration
	Fault      *Fault // nil for a success
	Again      bool   // another attempt is planned, after Pause
	Pause      time.Duration

	started time.Time
}

// startAttempt returns the context of the attempt, which is ctx if nobody listens.
func (call *Call) startAttempt(ctx context.Context, number int) context.Context {
	if call.Trace == nil {
		return ctx
	}
	call.attempt = &Attempt{Number: number, started: time.Now()}
	return call.Trace.Start(ctx, number)
}

func (call *Call) endAttempt(fault *Fault, pause time.Duration, again bool) {
	if call.Trace == nil {
		return
	}
	a := call.attempt
	a.Duration = time.Since(a.started)
	if a.Fault = fault; again {
		a.Again, a.Pause = true, pause
	}
	call.Trace.End(a)
}

// answered and received note what came of the attempt that goes on.
func (call *Call) answered(resp *http.Response) {
	if call.attempt != nil {
		call.attempt.HTTPStatus = resp.StatusCode
	}
}

func (call *Call) received(n int) {
	if call.attempt != nil {
		call.attempt.Received = int64(n)
	}
}

// Received is how much of the reply has arrived, in bytes.
func (s *Stream) Received() int64 { return s.read }

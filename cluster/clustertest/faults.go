package clustertest

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"
)

// FaultKind is what goes wrong in a [Fault].
type FaultKind int

// The kinds of fault. "Before" and "after" say whether the service has carried the request out.
const (
	// FaultError answers with the error Fault.Status, before.
	FaultError FaultKind = iota
	// FaultReply answers with exactly Fault.HTTPStatus, ContentType and Body, before: for instance a proxy's page.
	FaultReply
	// FaultRefused refuses the connection: the request certainly was not carried out. On a socket it is a FaultDropBefore.
	FaultRefused
	// FaultDropBefore closes the connection without an answer, before.
	FaultDropBefore
	// FaultDropAfter closes the connection without an answer, after: a repeat does the work a second time.
	FaultDropAfter
	// FaultCut ends the body of the answer half way, after; reading it fails with io.ErrUnexpectedEOF.
	FaultCut
	// FaultContentType gives the right answer under the content type Fault.ContentType, text/html by default.
	FaultContentType
	// FaultDelay only waits, and then all is well.
	FaultDelay
	// FaultDropLate closes the connection without an answer, and carries the request out when Fault.Delay has passed since:
	// something on the way held it up. In a bubble of testing/synctest, the bubble waits for that.
	FaultDropLate
	// FaultDropTwice closes the connection without an answer, after carrying the request out twice: something on the way
	// sent it again.
	FaultDropTwice
)

// Fault is something that goes wrong with certain requests: see [Server.Inject]. The zero Fault answers the
// next request with 503 UNAVAILABLE.
type Fault struct {
	Verb Verb               // only this method; "" is every request
	When func(Request) bool // only requests that this accepts, if not nil; it must not call the server
	// Nth is the first matching request to fail, counted from the injection; 0 and 1 are the next one.
	Nth int
	// Times is how many matching requests in a row fail; 0 is 1, negative is all from then on.
	Times int

	Kind FaultKind
	// Delay is waited out first, whatever the kind but FaultDropLate, or until the request's context ends: then nothing is
	// done.
	Delay time.Duration

	Status  string // of FaultError: "ABORTED"; "" is "UNAVAILABLE"
	Message string // of FaultError; "" is a text that says the fault was injected
	Details []any  // of FaultError: google.rpc details, each of which must marshal to a JSON object with "@type"
	// HTTPStatus is the status of FaultReply (default 502), and replaces that of a FaultError.
	HTTPStatus  int
	ContentType string // of FaultReply and FaultContentType; "" is "text/html; charset=UTF-8"
	Body        string // of FaultReply; "" is a proxy's error page

	// The server's wish when to come back: a Retry-After header in whole seconds or, if that is 0, as a date, on
	// whatever answer there is, a good one too; and a google.rpc.RetryInfo in the details of a FaultError.
	RetryAfter     time.Duration
	RetryAfterDate time.Time
	RetryInfo      time.Duration
}

type armedFault struct {
	Fault
	seen  int // matching requests so far
	fired int
}

// Inject arms faults. Each counts its own matching requests; where several are due, the one injected first
// happens, and counts as done for it alone. Inject panics if a Fault's Status is not the name of a gRPC code.
func (s *Server) Inject(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		if _, ok := rpcCodes[f.Status]; !ok && f.Status != "" {
			panic("clustertest: Fault.Status is not a gRPC code: " + f.Status)
		}
		f.Nth, f.Times = max(f.Nth, 1), or(f.Times, 1)
		s.faults = append(s.faults, &armedFault{Fault: f})
	}
}

// PendingFaults counts the injected faults that have not happened as often as they should; those without an end
// count until they first happen. A test that injects faults should end with none.
func (s *Server) PendingFaults() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, f := range s.faults {
		if f.fired < f.Times || f.Times < 0 && f.fired == 0 {
			n++
		}
	}
	return n
}

// ClearFaults disarms all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// record notes the request and returns the fault that is due for it, or nil.
func (s *Server) record(r Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	var due *Fault
	for _, f := range s.faults {
		if f.Verb != "" && f.Verb != r.Verb || f.When != nil && !f.When(r) {
			continue
		}
		f.seen++
		if due == nil && f.seen >= f.Nth && (f.Times < 0 || f.fired < f.Times) {
			f.fired++
			due = &f.Fault
		}
	}
	return due
}

// before does what happens instead of the request, and reports whether it did.
func (f *Fault) before(ctx context.Context, answer *recorder) bool {
	if f == nil {
		return false
	}
	if f.Kind != FaultDropLate && sleep(ctx, f.Delay) != nil {
		panic(http.ErrAbortHandler) // nobody is listening any more
	}
	switch f.Kind {
	case FaultError:
		e := f.error()
		answer.json(e.HTTP, pretty(e.body()))
	case FaultReply:
		answer.header.Set("Content-Type", f.contentType())
		answer.WriteHeader(or(f.HTTPStatus, http.StatusBadGateway))
		answer.body.WriteString(or(f.Body, proxyPage))
	case FaultRefused, FaultDropBefore, FaultDropLate:
	default:
		return false
	}
	return true
}

const proxyPage = "<!DOCTYPE html>\n<html lang=en><title>Error</title><p>The server encountered an error " +
	"and could not complete your request.</html>\n"

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (f *Fault) contentType() string { return or(f.ContentType, "text/html; charset=UTF-8") }

// after spoils the answer to a request that was carried out.
func (f *Fault) after(answer *recorder) {
	if f == nil {
		return
	}
	f.addWish(answer.header)
	switch f.Kind {
	case FaultCut:
		whole := answer.body.Len()
		answer.header.Set("Content-Length", strconv.Itoa(whole))
		answer.body.Truncate(whole / 2)
	case FaultContentType:
		answer.header.Set("Content-Type", f.contentType())
	}
}

func (f *Fault) drops() bool {
	if f == nil {
		return false
	}
	switch f.Kind {
	case FaultRefused, FaultDropBefore, FaultDropAfter, FaultDropLate, FaultDropTwice:
		return true
	}
	return false
}

// besides does the request once more, at once or later, where the fault is that.
func (s *Server) besides(f *Fault, c *call) {
	if f == nil || c == nil {
		return
	}
	// The connection, and with it the request's context, ends before.
	again := *c
	again.r = c.r.WithContext(context.WithoutCancel(c.r.Context()))
	serve := func() { _ = s.serve(&again, newRecorder()) }
	switch f.Kind {
	case FaultDropTwice:
		serve()
	case FaultDropLate:
		time.AfterFunc(f.Delay, serve)
	}
}

func (f *Fault) error() *apiError {
	status := or(f.Status, "UNAVAILABLE")
	e := failf(status, "%s", or(f.Message, "injected by the test"))
	e.HTTP = or(f.HTTPStatus, e.HTTP)
	e.Details = f.Details
	if f.RetryInfo > 0 {
		e.Details = append(e.Details[:len(e.Details):len(e.Details)], retryInfo{rpcType + "RetryInfo", seconds(f.RetryInfo)})
	}
	return e
}

func (f *Fault) addWish(h http.Header) {
	switch {
	case f.RetryAfter > 0:
		// The header knows whole seconds only; rounding down would invite the client too early.
		h.Set("Retry-After", strconv.FormatInt(int64((f.RetryAfter+time.Second-1)/time.Second), 10))
	case !f.RetryAfterDate.IsZero():
		h.Set("Retry-After", f.RetryAfterDate.UTC().Format(http.TimeFormat))
	}
}

var (
	errReset   = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
)

// drop closes the connection without an answer.
func drop(w http.ResponseWriter, kind FaultKind) {
	if m, ok := w.(*recorder); ok && kind == FaultRefused {
		m.broken = errRefused
		return
	}
	panic(http.ErrAbortHandler)
}

// sleep waits for d or until ctx ends, and then returns why.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

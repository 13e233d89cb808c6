package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// Fault is a call that failed.
type Fault struct {
	Code       codes.Code
	HTTPStatus int // 0 if no answer came
	Message    string
	Status     *rpcstatus.Status // of the error body; nil if that was none
	Header     http.Header
	Body       []byte        // of an error answer, bounded
	RetryAfter time.Duration // the server's wish, from Retry-After or RetryInfo
	Attempts   int

	Transient   bool // trying again later can help
	Unprocessed bool // the service surely did not act on the call; false means that it may have
	unsent      bool // the call surely did not reach the service's own code

	Err error // transport or context error; nil if the service answered
}

func (f *Fault) Error() string { return rpcstatus.Name(f.Code) + ": " + f.Message }

func (f *Fault) Unwrap() error { return f.Err }

// interrupted adds to f that its retry was cut short by the end of the context.
func (f *Fault) interrupted(cause error) *Fault {
	g := *f
	g.Err = cutPause{errors.Join(cause, f.Err)}
	g.Message = fmt.Sprintf("%s (while pausing before another attempt: %s)", f.Message, cause)
	return &g
}

// cutPause is the end of a context in the pause after a failure. Package poll knows it by its method from an attempt that
// was merely cut off, since then there is a failure to tell of.
type cutPause struct{ error }

func (c cutPause) Unwrap() error { return c.error }
func (cutPause) AfterFailure()   {}

// contextError is why ctx ended, such that errors.Is finds both the context's error and its cause.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(cause, err) || errors.As(cause, new(stalled)) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// requestFault is a call that HTTP has no request for, because of its method or its URL.
func requestFault(err error) *Fault {
	err = withoutURL(err)
	return &Fault{
		Code: codes.InvalidArgument, Err: err, Message: fmt.Sprintf("the request cannot be made: %s", err),
		unsent: true, Unprocessed: true,
	}
}

// withoutURL is what a url.Error wraps. The URL that it prints is the caller's resource again.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// transportFault is a call that got no answer.
func transportFault(ctx context.Context, err error) *Fault {
	err = withoutURL(err)
	f := &Fault{Code: codes.Unavailable, Err: err, Message: foreign.Scrub(err.Error())}
	switch {
	case ctx.Err() != nil:
		f.Code, f.Err = contextCode(ctx), contextError(ctx)
		f.Message = f.Err.Error()
	case permanent(err):
		f.Code, f.unsent, f.Unprocessed = codes.Unknown, true, true
	default:
		f.Transient = true
		f.unsent = neverConnected(err) || errors.As(err, new(refusal))
		f.Unprocessed = f.unsent
	}
	return f
}

// refusal is the error of a transport that did not even try to send, for want of a token; *auth.Error is one.
type refusal interface {
	error
	Permanent() bool // false if it was the token's server that failed
}

func contextCode(ctx context.Context) codes.Code {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(context.Cause(ctx), new(stalled)) {
		return codes.DeadlineExceeded
	}
	return codes.Canceled
}

// permanent recognizes what no repetition mends: certificates, servers that speak no TLS, and transports that refuse to
// send, such as one without credentials. All of them fail before the request leaves. A broken record of TLS that comes later
// looks like the answer of a server without TLS, but for the connection, which only the error of the latter holds.
func permanent(err error) bool {
	var (
		authority *tls.CertificateVerificationError
		unknown   x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		refused   refusal
	)
	return errors.As(err, &authority) || errors.As(err, &unknown) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.As(err, &record) && record.Conn != nil || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &refused) && refused.Permanent()
}

// neverConnected reports whether the connection itself failed, to the service or to a proxy before it, so that
// nothing can have been sent.
func neverConnected(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// statusFault is an answer with an HTTP status other than 2xx. body is discreet.
func statusFault(resp *http.Response, body []byte) *Fault {
	f := answered(resp)
	f.Body = body
	switch s := errorStatus(body); {
	case s != nil:
		f.Status, f.Message = s, s.Message
		// A code that google.rpc.Code does not have says less than the HTTP status does.
		if s.Code != codes.OK && s.Code != codes.Unknown && s.Code <= codes.Unauthenticated {
			f.Code = s.Code
		}
		if s.RetryDelay > 0 {
			f.RetryAfter = s.RetryDelay
		}
	default:
		f.Message = describe(resp, body)
	}
	if f.Message == "" {
		f.Message = "the answer says nothing more"
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		f.unsent = true
		f.Transient, f.Unprocessed = true, true
	case http.StatusServiceUnavailable:
		f.Transient, f.Unprocessed = true, f.RetryAfter > 0
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		f.Transient = true
	default:
		f.Unprocessed = resp.StatusCode >= 300 && resp.StatusCode < 500
	}
	return f
}

func answered(resp *http.Response) *Fault {
	return &Fault{
		HTTPStatus: resp.StatusCode,
		Code:       rpcstatus.FromHTTP(resp.StatusCode),
		Header:     resp.Header,
		RetryAfter: retryAfter(resp.Header, time.Now()),
	}
}

// errorStatus finds the google.rpc.Status in an error body: {"error": {…}}, or the same in a list, as streaming
// endpoints send it. It is nil for anything else.
func errorStatus(body []byte) *rpcstatus.Status {
	if jsonx.Valid(body) != nil {
		return nil
	}
	if jsonx.KindOf(body) == jsonx.KindArray {
		var first []byte
		_ = jsonx.EachElement(body, func(i int, value []byte) error {
			if i == 0 {
				first = value
			}
			return nil
		})
		body = first
	}
	s, err := rpcstatus.Parse(jsonx.Member(body, "error"))
	if err != nil {
		return nil
	}
	return s
}

// bodyFault is a success whose body could not be read whole. Whatever the call asked for has been done.
func bodyFault(ctx context.Context, resp *http.Response, err error) *Fault {
	f := answered(resp)
	f.Code, f.Err = codes.Unavailable, err
	f.Message = fmt.Sprintf("reading the reply: %s", err)
	switch {
	case errors.Is(err, errTooLarge):
		f.Code, f.Message = codes.ResourceExhausted, err.Error()
	case ctx.Err() != nil:
		f.Code, f.Err = contextCode(ctx), contextError(ctx)
		f.Message = fmt.Sprintf("reading the reply: %s", f.Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		f.Transient = true
		f.Message = "the reply was cut short"
	default:
		f.Transient = true
	}
	return f
}

// notJSONFault is a success whose body is not JSON. body is discreet.
func notJSONFault(resp *http.Response, body []byte, err error) *Fault {
	f := answered(resp)
	f.Code, f.Err, f.Body = codes.Internal, err, body
	f.Message = describe(resp, body)
	// What starts like an answer of the service and breaks off was damaged on the way; a page of HTML stays one.
	if jsonx.KindOf(body) == jsonx.KindObject {
		f.Transient = true
		f.Message = err.Error()
	}
	return f
}

var (
	htmlTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`) })
	htmlTag   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)^\s*(<!doctype html|<html|<head|<body)`) })
)

// describe tells in one line what came instead of the service's JSON.
func describe(resp *http.Response, body []byte) string {
	if location := resp.Header.Get("Location"); resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return fmt.Sprintf("redirected to %q, which is not followed: check the endpoint", foreign.URL(location))
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return "the answer is empty"
	}
	if htmlTag().Match(body) {
		title := ""
		if m := htmlTitle().FindSubmatch(body); m != nil {
			title = fmt.Sprintf(" titled %q", foreign.Line(string(m[1]), 100))
		}
		return "the answer is an HTML page" + title + ", not JSON: check the endpoint and any proxy in between"
	}
	if jsonx.Valid(body) == nil {
		return fmt.Sprintf("the answer has no google.rpc.Status: %q", foreign.Line(string(body), 200))
	}
	return fmt.Sprintf("the answer is not JSON: %q", foreign.Line(string(body), 200))
}

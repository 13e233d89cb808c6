package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// attempt makes one attempt.
func (c *Client) attempt(ctx context.Context, call *Call) (*Reply, *Fault) {
	resp, fault := c.open(ctx, call)
	if fault != nil {
		return nil, fault
	}
	defer resp.Body.Close()
	body, err := readAll(resp, call.maxReply())
	call.received(len(body))
	if err != nil {
		return nil, bodyFault(ctx, resp, err)
	}
	reply := &Reply{Header: resp.Header, Body: body, RetryAfter: retryAfter(resp.Header, time.Now())}
	if err := reply.Object.Parse(body); err != nil && !errors.As(err, new(*jsonx.Error)) { // that is: JSON, but no object
		return nil, notJSONFault(resp, call.discreet(resp, body), err)
	}
	return reply, nil
}

// open sends the call and returns the answer if it is a success. Its body is left to be read and closed.
func (c *Client) open(ctx context.Context, call *Call) (*http.Response, *Fault) {
	req, err := newRequest(ctx, call)
	if err != nil {
		return nil, requestFault(err)
	}
	resp, err := c.send(req)
	if err != nil {
		return nil, transportFault(ctx, err)
	}
	call.answered(resp)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorReply))
		call.received(len(body))
		return nil, statusFault(resp, call.discreet(resp, body))
	}
	return resp, nil
}

// discreet is the body of an answer that failed, as far as an error needs it. Of what it quotes of the request, as some
// proxies do, the credentials and the call's secrets are left out.
func (call *Call) discreet(resp *http.Response, body []byte) []byte {
	secrets := tokens(resp)
	if call.Secrets != nil {
		secrets = append(secrets, call.Secrets()...)
	}
	return foreign.Clean(body[:min(len(body), maxErrorReply)], secrets)
}

// tokens are what the request of an answer proved its right with, as far as the transport tells.
func tokens(resp *http.Response) []string {
	if resp.Request == nil {
		return nil
	}
	const shortest = 8 // of what is no word of a message
	if _, token, _ := strings.Cut(resp.Request.Header.Get("Authorization"), " "); len(token) >= shortest {
		return []string{token}
	}
	return nil
}

// transport sends as http.Client does, which for the case of a redirect copies the headers of each request.
type transport struct{ http.RoundTripper }

func (t transport) send(req *http.Request) (*http.Response, error) {
	resp, err := t.RoundTrip(req)
	switch {
	case err != nil:
		if record, ok := err.(tls.RecordHeaderError); ok && string(record.RecordHeader[:]) == "HTTP/" {
			err = http.ErrSchemeMismatch
		}
	case resp == nil:
		err = fmt.Errorf("the transport %T returned neither a response nor an error", t.RoundTripper)
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	if err != nil {
		return nil, &url.Error{Op: req.Method, URL: req.URL.Redacted(), Err: err}
	}
	return resp, nil
}

func newRequest(ctx context.Context, call *Call) (*http.Request, error) {
	var body io.Reader // stays nil without a body, so that no Content-Type is owed
	if call.Body != nil {
		body = bytes.NewReader(call.Body)
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, call.URL, body)
	if err != nil {
		return nil, err
	}
	if err := foreign.CheckHeader(call.Header); err != nil {
		return nil, err
	}
	for name, values := range call.Header {
		req.Header[name] = values
	}
	req.Header["Accept"] = jsonType
	if call.Body != nil {
		req.Header["Content-Type"] = jsonType
	}
	return req, nil
}

// jsonType is shared by all requests, which nobody may write to.
var jsonType = []string{"application/json"}

// errTooLarge ends the reading of a reply that exceeds its bound.
var errTooLarge = errors.New("reply too large")

func tooLarge(limit int64) error { return fmt.Errorf("%w: more than %d bytes", errTooLarge, limit) }

func (call *Call) maxReply() int64 {
	if call.MaxReply == 0 {
		return DefaultMaxReply
	}
	return call.MaxReply
}

// readAll reads a body into one allocation of its size, if that is announced or small.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body := io.LimitReader(resp.Body, limit+1)
	var data []byte
	var err error
	if resp.ContentLength > 0 {
		// The spare byte is for seeing the end. What a server merely announces is not worth a gigabyte.
		data, err = readOn(make([]byte, 0, min(resp.ContentLength, DefaultMaxReply)+1), body)
	} else {
		data, err = readUnannounced(body)
	}
	if err == nil && int64(len(data)) > limit {
		err = tooLarge(limit)
	}
	return data, err
}

// scratch is room for the start of answers whose size is not announced, as that of compressed ones never is.
var scratch = sync.Pool{New: func() any { return new([32 << 10]byte) }}

func readUnannounced(body io.Reader) ([]byte, error) {
	room := scratch.Get().(*[32 << 10]byte)
	defer scratch.Put(room)
	data, err := readOn(room[:0], body)
	if cap(data) == len(room) { // it has not moved
		data = bytes.Clone(data)
	}
	return data, err
}

// readOn appends the rest of a body to data.
func readOn(data []byte, body io.Reader) ([]byte, error) {
	for {
		if len(data) == cap(data) {
			data = slices.Grow(data, bytes.MinRead)
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return data, err
		}
	}
}

// retryAfter reads a Retry-After header, which holds seconds or a date. A date in the past, like nonsense, is no
// wish at all; more seconds than there is room for are as many as there is.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, _ := strconv.ParseUint(value, 10, 31)
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

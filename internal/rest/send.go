package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// send makes one attempt.
func (c *Client) send(ctx context.Context, call *Call) (*Reply, *Fault) {
	resp, fault := c.open(ctx, call)
	if fault != nil {
		return nil, fault
	}
	defer resp.Body.Close()
	body, err := readAll(resp, call.maxReply())
	if err != nil {
		return nil, bodyFault(ctx, resp, err)
	}
	if err := jsonx.Valid(body); err != nil {
		return nil, notJSONFault(resp, body, err)
	}
	return &Reply{Header: resp.Header, Body: body, RetryAfter: retryAfter(resp.Header, time.Now())}, nil
}

// open sends the call and returns the answer if it is a success. Its body is left to be read and closed.
func (c *Client) open(ctx context.Context, call *Call) (*http.Response, *Fault) {
	req, err := newRequest(ctx, call)
	if err != nil {
		return nil, &Fault{Err: err, unsent: true, Unprocessed: true}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportFault(ctx, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorReply))
		return nil, statusFault(resp, body)
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
	for name, values := range call.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	if call.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// errTooLarge ends the reading of a reply that exceeds its bound.
var errTooLarge = errors.New("reply too large")

func tooLarge(limit int64) error { return fmt.Errorf("%w: more than %d bytes", errTooLarge, limit) }

func (call *Call) maxReply() int64 {
	if call.MaxReply == 0 {
		return DefaultMaxReply
	}
	return call.MaxReply
}

func readAll(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	var buf bytes.Buffer
	if resp.ContentLength > 0 {
		// One spare unit keeps ReadFrom from growing the buffer once more just to see the end.
		// What a server merely announces is not worth a gigabyte.
		buf.Grow(int(min(resp.ContentLength, DefaultMaxReply)) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, limit+1))
	if err == nil && n > limit {
		err = tooLarge(limit)
	}
	return buf.Bytes(), err
}

// retryAfter reads a Retry-After header, which holds seconds or a date. A date in the past, like nonsense, is no
// wish at all.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

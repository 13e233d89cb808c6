package clustertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// recorder keeps an answer in memory.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
	broken error // the connection failed in this way instead
}

func newRecorder() *recorder { return &recorder{header: http.Header{}} }

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	// 1xx are not the answer yet.
	if w.status == 0 && status >= 200 {
		w.status = status
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush lets a reverse proxy stream into the recorder.
func (w *recorder) Flush() {}

func (w *recorder) json(status int, body []byte) {
	w.header.Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	w.body.Write(body)
}

// announced is the length that the answer claims to have.
func (w *recorder) announced() int {
	if n, err := strconv.Atoi(w.header.Get("Content-Length")); err == nil {
		return n
	}
	return w.body.Len()
}

func (w *recorder) writeTo(to http.ResponseWriter) {
	for k, v := range w.header {
		to.Header()[k] = v
	}
	// A body shorter than announced makes net/http close the connection, and the reader see an unexpected end.
	to.Header().Set("Content-Length", strconv.Itoa(w.announced()))
	to.WriteHeader(max(w.status, http.StatusOK))
	_, _ = to.Write(w.body.Bytes()) // a client that has gone is no failure of the server's
}

func (w *recorder) response(r *http.Request) *http.Response {
	status, length := max(w.status, http.StatusOK), w.announced()
	if w.header.Get("Date") == "" {
		w.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, ContentLength: int64(length), Request: r,
		Body: &memoryBody{r.Context(), w.body.Bytes(), w.body.Len() < length},
	}
}

// memoryBody reads like the body of a network response: it ends with the request's context, and unexpectedly if
// it is shorter than announced.
type memoryBody struct {
	ctx  context.Context // of the request, as net/http keeps it too
	rest []byte
	cut  bool
}

func (b *memoryBody) Read(p []byte) (int, error) {
	switch {
	case b.ctx.Err() != nil:
		return 0, context.Cause(b.ctx)
	case len(b.rest) == 0 && b.cut:
		return 0, io.ErrUnexpectedEOF
	case len(b.rest) == 0:
		return 0, io.EOF
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *memoryBody) Close() error { return nil }

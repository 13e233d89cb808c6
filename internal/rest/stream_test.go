package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
)

// long is a reply that does not fit into the head of a stream.
var long = `{"a":"` + strings.Repeat("x", 3*streamHead) + `"}`

// part of a reply: a text, a pause or an error.
type part any

// body plays its parts, and ends with its request as that of net/http does.
type body struct {
	ctx    context.Context
	parts  []part
	closed int
}

func (b *body) Read(p []byte) (int, error) {
	for {
		if b.ctx.Err() != nil {
			return 0, b.ctx.Err()
		}
		if len(b.parts) == 0 {
			return 0, io.EOF
		}
		switch next := b.parts[0].(type) {
		case error:
			return 0, next
		case time.Duration:
			select {
			case <-time.After(next):
			case <-b.ctx.Done():
			}
		case string:
			if n := copy(p, next); n > 0 {
				b.parts[0] = next[n:]
				return n, nil
			}
		}
		b.parts = b.parts[1:]
	}
}

func (b *body) Close() error { b.closed++; return nil }

// arriving is a success whose body comes in parts.
func arriving(parts ...part) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		b := &body{ctx: req.Context(), parts: append([]part(nil), parts...)}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: b, ContentLength: -1}, nil
	}
}

func read(idle time.Duration) *Call {
	return &Call{Method: "POST", URL: "https://a.example/", Body: []byte(`{}`), Repeat: Always, Idle: idle}
}

// TestStreamRepeatsUntilItBegins, as a call whose reply is held does; then nothing is repeated.
func TestStreamRepeatsUntilItBegins(t *testing.T) {
	for _, tt := range []struct {
		name     string
		first    func(*http.Request) (*http.Response, error)
		attempts int
	}{
		{"nothing wrong", arriving(long), 1},
		{"an outage", answer(503, `{}`), 2},
		{"a connection that breaks", fail(reset), 2},
		{"an answer that breaks off at once", arriving(`{"a"`, io.ErrUnexpectedEOF), 2},
		{"one that is cut by a proxy, unnoticed by HTTP", arriving(`{"a"`), 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, s := play(tt.first, arriving(long))
			stream, err := c.Stream(t.Context(), read(0))
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got, err := io.ReadAll(stream)
			if err != nil || string(got) != long || stream.Attempts != tt.attempts || len(s.seen) != tt.attempts {
				t.Errorf("%s: %d bytes, %v, sent %d times, reports %d", tt.name, len(got), err, len(s.seen), stream.Attempts)
			}
		})
	}
}

// TestStreamThatDoesNotBegin fails like a call whose reply is held.
func TestStreamThatDoesNotBegin(t *testing.T) {
	for _, tt := range []struct {
		name    string
		failure func(*http.Request) (*http.Response, error)
	}{
		{"refused", answer(403, `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}`)},
		{"page", answer(200, `<html><title>Sign in</title>`)},
		{"empty", answer(200, ``)},
		{"certificate", fail(badCert)},
		{"outage", answer(503, retry503)},
		{"cut", cut(`{"a":1`)},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, s := play(tt.failure)
			_, held := c.Do(t.Context(), read(0))
			sent := len(s.seen)
			c, s = play(tt.failure)
			_, err := c.Stream(t.Context(), read(0))
			if err == nil || held == nil || err.Error() != held.Error() || len(s.seen) != sent {
				t.Errorf("%s: %v after %d attempts, want %v after %d", tt.name, err, len(s.seen), held, sent)
			}
		})
	}
	c, _ := play(arriving("<html><title>Sign in</title>" + strings.Repeat(" ", streamHead)))
	if _, err := c.Stream(t.Context(), read(0)); err == nil || !strings.Contains(err.Error(), `HTML page titled "Sign in"`) {
		t.Errorf("a long page: %v", err)
	}
}

// TestStreamThatEndsEarly: what has arrived is handed out, then the fault, again and again.
func TestStreamThatEndsEarly(t *testing.T) {
	for end, want := range map[error]string{
		io.ErrUnexpectedEOF: "UNAVAILABLE: the reply was cut short after 196614 bytes",
		reset:               "UNAVAILABLE: reading the reply: " + reset.Error() + " after 196614 bytes",
	} {
		c, s := play(arriving(long[:3*streamHead+6], end))
		stream, err := c.Stream(t.Context(), read(0))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(stream)
		var fault *Fault
		if !errors.As(err, &fault) || err.Error() != want || !fault.Transient || fault.Attempts != 1 {
			t.Errorf("%v: %v, want %s", end, err, want)
		}
		if _, again := stream.Read(make([]byte, 1)); again != err || string(got) != long[:3*streamHead+6] || len(s.seen) != 1 {
			t.Errorf("%v: %d bytes, then %v; sent %d times", end, len(got), again, len(s.seen))
		}
	}
}

// TestIdleBoundsWaitingOnly: neither the length of a stream nor the time that its reader takes is bounded.
func TestIdleBoundsWaitingOnly(t *testing.T) {
	const idle = time.Minute
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		slow := []part{long}
		for range 10 {
			slow = append(slow, 50*time.Second, "  ")
		}
		c, _ := play(arriving(slow...))
		stream, err := c.Stream(t.Context(), read(idle))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, err := io.ReadAll(stream); err != nil || time.Since(start) != time.Hour+500*time.Second {
			t.Errorf("a stream of many short pauses, read late: %v after %v", err, time.Since(start))
		}
	})
	for name, parts := range map[string][]part{
		"before the start": {2 * time.Minute, long},
		"in the head":      {`{"a":`, 2 * time.Minute, long},
		"later":            {long, 2 * time.Minute, "  "},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			c, s := play(arriving(parts...))
			stream, err := c.Stream(t.Context(), read(idle))
			if err == nil {
				_, err = io.ReadAll(stream)
			}
			var fault *Fault
			if !errors.As(err, &fault) || fault.Code != codes.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded) ||
				!strings.Contains(err.Error(), "nothing has come for 1m0s") || time.Since(start) != idle || len(s.seen) != 1 {
				t.Errorf("silence %s: %v after %v", name, err, time.Since(start))
			}
		})
	}
}

// TestStreamEndsWithItsContext, at the start, during a pause between attempts and in the middle.
func TestStreamEndsWithItsContext(t *testing.T) {
	why := errors.New("changed my mind")
	for name, first := range map[string]func(*http.Request) (*http.Response, error){
		"start": arriving(time.Hour), "pause": answer(503, ``, "Retry-After", "50"), "middle": arriving(long, time.Hour),
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(why) })
			start := time.Now()
			c, _ := play(first)
			stream, err := c.Stream(ctx, read(time.Minute))
			if err == nil {
				_, err = io.ReadAll(stream)
			}
			if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(start))
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c, _ := play(arriving(long, time.Hour))
		stream, err := c.Stream(ctx, read(0))
		if err == nil {
			_, err = io.ReadAll(stream)
		}
		var fault *Fault
		if !errors.As(err, &fault) || fault.Code != codes.DeadlineExceeded {
			t.Errorf("deadline: %v", err)
		}
	})
}

func TestStreamsAreBounded(t *testing.T) {
	small := `{"a":1}`
	for _, tt := range []struct {
		reply     string
		limit     int
		announced bool
		want      bool
	}{
		{small, len(small), false, true}, {small, len(small) - 1, false, false},
		{long, len(long), false, true}, {long, len(long) - 1, false, false}, {long, len(long) - 1, true, false},
	} {
		c, s := play(func(req *http.Request) (*http.Response, error) {
			resp, err := arriving(tt.reply)(req)
			if tt.announced {
				resp.ContentLength = int64(len(tt.reply))
			}
			return resp, err
		})
		call := read(0)
		call.MaxReply = int64(tt.limit)
		stream, err := c.Stream(t.Context(), call)
		if err == nil {
			_, err = io.ReadAll(stream)
		}
		var fault *Fault
		if (err == nil) != tt.want || err != nil && (!errors.As(err, &fault) || fault.Code != codes.ResourceExhausted || fault.Transient) || len(s.seen) != 1 {
			t.Errorf("%d bytes of at most %d: %v", len(tt.reply), tt.limit, err)
		}
	}
}

// TestStreamCloses the body of the reply, and with it the connection, exactly when nothing more is wanted.
func TestStreamCloses(t *testing.T) {
	for name, use := range map[string]func(*Stream){
		"read to the end": func(s *Stream) { _, _ = io.ReadAll(s) },
		"closed early":    func(s *Stream) { _ = s.Close() },
		"both":            func(s *Stream) { _, _ = io.ReadAll(s); _ = s.Close(); _ = s.Close() },
	} {
		var last *body
		c, _ := play(func(req *http.Request) (*http.Response, error) {
			resp, err := arriving(long, "  ")(req)
			last = resp.Body.(*body)
			return resp, err
		})
		stream, err := c.Stream(t.Context(), read(time.Minute))
		if err != nil || last.closed != 0 {
			t.Fatalf("%v, closed %d times", err, last.closed)
		}
		use(stream)
		if last.closed != 1 || last.ctx.Err() == nil {
			t.Errorf("%s: body closed %d times, context %v", name, last.closed, last.ctx.Err())
		}
		if n, err := stream.Read(make([]byte, 1)); n != 0 || err == nil || (name == "read to the end") != (err == io.EOF) {
			t.Errorf("%s: then read %d, %v", name, n, err)
		}
	}
}

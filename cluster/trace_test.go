package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

type spanKey struct{}

// notes is a tracer that writes down what it hears, and marks contexts.
func notes(heard *[]string) *cluster.Tracer {
	note := func(ctx context.Context, format string, args ...any) {
		span, _ := ctx.Value(spanKey{}).(string)
		*heard = append(*heard, span+" "+fmt.Sprintf(format, args...))
	}
	mark := func(ctx context.Context, more string) context.Context {
		span, _ := ctx.Value(spanKey{}).(string)
		return context.WithValue(ctx, spanKey{}, span+more)
	}
	return &cluster.Tracer{
		CallStart: func(ctx context.Context, c *cluster.CallTrace) context.Context {
			note(ctx, "call %s %s %s%s, %d bytes", c.Op, c.Resource[strings.LastIndex(c.Resource, "/")+1:], c.SlurmMethod, c.SlurmPath, c.RequestBytes)
			return mark(ctx, "c")
		},
		AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) context.Context {
			note(ctx, "attempt %d", a.Number)
			return mark(ctx, "a")
		},
		AttemptEnd: func(ctx context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) {
			note(ctx, "attempt %d: %d %s, %d bytes, again %v, pause %v, failed %v", a.Number, a.HTTPStatus, a.Code, a.ReplyBytes, a.Again,
				a.Pause, a.Err != nil)
		},
		CallEnd: func(ctx context.Context, c *cluster.CallTrace) {
			note(ctx, "end: %d attempts, %d, %d bytes, %v, failed %v", c.Attempts, c.HTTPStatus, c.ReplyBytes, c.Duration, c.Err != nil)
		},
	}
}

func traced(t testing.TB, w http.RoundTripper, opts ...option.ClientOption) *cluster.Client {
	t.Helper()
	c, err := cluster.NewClient(context.Background(), parent, append(opts, option.WithHTTPClient(&http.Client{Transport: w}))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTracer(t *testing.T) {
	later := reply{status: 503, body: `{"error":{"code":503,"status":"UNAVAILABLE"}}`, header: http.Header{"Retry-After": {"7"}}}
	slurm := reply{status: 200, body: `{"status":200,"structuredBody":{"jobs":[]}}`}
	get := func(c *cluster.Client) error { _, err := c.GetCluster(context.Background(), "c"); return err }
	for _, tt := range []struct {
		name    string
		answers []reply
		call    func(c *cluster.Client) error
		want    []string
	}{
		{"a success", []reply{{status: 200, body: named}}, get, []string{
			" call get c , 0 bytes", "c attempt 1",
			fmt.Sprintf("ca attempt 1: 200 OK, %d bytes, again false, pause 0s, failed false", len(named)),
			fmt.Sprintf("c end: 1 attempts, 200, %d bytes, 0s, failed false", len(named))}},
		{"a repetition", []reply{later, {status: 200, body: named}}, get, []string{
			" call get c , 0 bytes", "c attempt 1", "ca attempt 1: 503 UNAVAILABLE, 45 bytes, again true, pause 7s, failed true",
			"c attempt 2", fmt.Sprintf("ca attempt 2: 200 OK, %d bytes, again false, pause 0s, failed false", len(named)),
			fmt.Sprintf("c end: 2 attempts, 200, %d bytes, 7s, failed false", len(named))}},
		{"no answer", []reply{{err: errors.New("gone")}}, func(c *cluster.Client) error {
			_, err := c.DeleteCluster(context.Background(), "c")
			return err
		}, []string{" call delete c , 0 bytes", "c attempt 1", "ca attempt 1: 0 UNAVAILABLE, 0 bytes, again false, pause 0s, failed true",
			"c end: 1 attempts, 0, 0 bytes, 0s, failed true"}},
		{"a read of an operation", []reply{{status: 200, body: `{"name":"` + parent + `/operations/1","done":true}`}}, func(c *cluster.Client) error {
			return c.Operation(parent + "/operations/1").Wait(context.Background())
		}, []string{" call read operation 1 , 0 bytes", "c attempt 1", "ca attempt 1: 200 OK, 77 bytes, again false, pause 0s, failed false",
			"c end: 1 attempts, 200, 77 bytes, 0s, failed false"}},
		{"a call of Slurm", []reply{slurm}, func(c *cluster.Client) error {
			_, err := c.CallSlurm(context.Background(), "c", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/?name=secret"})
			return err
		}, []string{" call call Slurm c GET/slurm/v0.0.42/jobs/, 70 bytes", "c attempt 1",
			"ca attempt 1: 200 OK, 43 bytes, again false, pause 0s, failed false", "c end: 1 attempts, 200, 43 bytes, 0s, failed false"}},
		{"a stream", []reply{slurm}, func(c *cluster.Client) error {
			s, err := c.StreamSlurm(context.Background(), "c", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"})
			if err != nil {
				return err
			}
			if _, err = io.Copy(io.Discard, s); err != nil {
				return err
			}
			return s.Close()
		}, []string{" call call Slurm c GET/slurm/v0.0.42/jobs/, 58 bytes", "c attempt 1",
			"ca attempt 1: 200 OK, 43 bytes, again false, pause 0s, failed false", "c end: 1 attempts, 200, 43 bytes, 0s, failed false"}},
		{"what is refused is no call", nil, func(c *cluster.Client) error {
			_, err := c.GetCluster(context.Background(), "a/b")
			if err == nil {
				return errors.New("it was not refused")
			}
			return nil
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var heard []string
				w := &wire{answers: tt.answers}
				err := tt.call(traced(t, w, cluster.WithTracer(notes(&heard))))
				if failed := len(heard) > 0 && strings.HasSuffix(heard[len(heard)-1], "failed true"); (err != nil) != failed {
					t.Errorf("the call: %v", err)
				}
				if !slices.Equal(heard, tt.want) {
					t.Errorf("heard\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(tt.want, "\n"))
				}
			})
		})
	}
}

// TestTracerOfAStream: what ends it is told, once.
func TestTracerOfAStream(t *testing.T) {
	const begun = `{"status":200,"structuredBody":{"jobs":[`
	for name, tt := range map[string]struct {
		body   string
		read   bool
		failed bool
	}{
		"read to its end":  {begun + `]}}`, true, false},
		"closed before":    {begun + `]}}`, false, false},
		"the head is not":  {`{"structuredBody":7,"status":"x"}`, true, true},
		"it is no Slurm's": {`{"a":1}`, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			var ends []*cluster.CallTrace
			tracer := &cluster.Tracer{CallEnd: func(_ context.Context, c *cluster.CallTrace) { ends = append(ends, c) }}
			c := traced(t, &wire{answers: []reply{{status: 200, body: tt.body}}}, cluster.WithTracer(tracer))
			s, err := c.StreamSlurm(t.Context(), "c", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"})
			if err == nil {
				if tt.read {
					_, err = io.Copy(io.Discard, s)
				}
				_, _ = s.Close(), s.Close()
			}
			if len(ends) != 1 || (ends[0].Err != nil) != tt.failed || (err != nil) != tt.failed {
				t.Fatalf("%v ends, and %v", ends, err)
			}
			if ends[0].ReplyBytes != int64(len(tt.body)) {
				t.Errorf("%d bytes of %d", ends[0].ReplyBytes, len(tt.body))
			}
		})
	}
}

// TestTracerContext reaches the transport, where spans are made.
func TestTracerContext(t *testing.T) {
	var at string
	see := transportFunc(func(req *http.Request) (*http.Response, error) {
		at, _ = req.Context().Value(spanKey{}).(string)
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(named))}, nil
	})
	var heard []string
	c := traced(t, see, cluster.WithTracer(notes(&heard)), cluster.WithTracer(nil), cluster.WithTracer(&cluster.Tracer{
		CallStart: func(context.Context, *cluster.CallTrace) context.Context { return nil }, // keeps the other's
	}), cluster.WithTracer(notes(&heard)))
	if _, err := c.GetCluster(context.WithValue(t.Context(), spanKey{}, "x"), "c"); err != nil {
		t.Fatal(err)
	}
	if at != "xccaa" || len(heard) != 8 {
		t.Errorf("the context is %q, and the tracers heard %q", at, heard)
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestTracerIsSharedByCalls(t *testing.T) {
	answer := transportFunc(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(named))}, nil
	})
	var mu sync.Mutex
	open, ended := map[*cluster.CallTrace]bool{}, 0
	c := traced(t, answer, cluster.WithTracer(&cluster.Tracer{
		CallStart: func(ctx context.Context, call *cluster.CallTrace) context.Context {
			mu.Lock()
			defer mu.Unlock()
			open[call] = true
			return ctx
		},
		CallEnd: func(_ context.Context, call *cluster.CallTrace) {
			mu.Lock()
			defer mu.Unlock()
			if !open[call] || call.Attempts != 1 {
				t.Errorf("the end of a call that did not start, after %d attempts", call.Attempts)
			}
			ended++
		},
	}))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { _, _ = c.GetCluster(t.Context(), "c") })
	}
	all.Wait()
	if ended != 20 {
		t.Errorf("%d ends", ended)
	}
}

func TestLogTracer(t *testing.T) {
	later := reply{status: 503, body: `{"error":{"code":503,"status":"UNAVAILABLE","message":"m"}}`, header: http.Header{"Retry-After": {"7"}}}
	missing := reply{status: 404, body: `{"error":{"code":404,"status":"NOT_FOUND","message":"SECRET","details":[
		{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE","domain":"d"},
		{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"r1"}]}}`}
	for _, by := range []string{"WithTracer", "WithLogger"} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug,
				ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == slog.TimeKey || a.Key == "resource" {
						return slog.Attr{}
					}
					return a
				}}))
			opt := option.WithLogger(logger)
			if by == "WithTracer" {
				opt = cluster.WithTracer(cluster.LogTracer(logger))
			}
			c := traced(t, &wire{answers: []reply{later, missing}}, opt)
			if _, err := c.CallSlurm(t.Context(), "c", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/ping/?x=SECRET"}); err == nil {
				t.Fatal("no error")
			}
			const call = `op="call Slurm" slurm_method=GET slurm_path=/slurm/v0.0.42/ping/ request_bytes=67 `
			want := "level=WARN msg=\"attempt failed, trying again\" " + call + "attempt=1 http_status=503 code=UNAVAILABLE reply_bytes=59 duration=0s pause=7s\n" +
				"level=DEBUG msg=attempt " + call + fmt.Sprintf("attempt=2 http_status=404 code=NOT_FOUND reply_bytes=%d duration=0s\n", len(missing.body)) +
				"level=WARN msg=\"call failed\" " + call + fmt.Sprintf("attempts=2 http_status=404 reply_bytes=%d duration=7s code=NOT_FOUND reason=GONE request_id=r1\n", len(missing.body))
			if log.String() != want {
				t.Errorf("%s: the log is\n%s\nwant\n%s", by, log.String(), want)
			}
		})
	}
}

// TestLogTracerLevels: a logger that takes nothing is not asked again, and a nil one is the default.
func TestLogTracerLevels(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	c := traced(t, &wire{answers: []reply{{status: 200, body: named}}}, cluster.WithTracer(cluster.LogTracer(nil)))
	if _, err := c.GetCluster(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "level=INFO msg=call op=get") || strings.Contains(got, "DEBUG") || strings.Count(got, "\n") != 1 {
		t.Errorf("the log is %q", got)
	}
}

// TestLogLevelsCountAtEachCall: whoever turns the level of a running program sees what comes after.
func TestLogLevelsCountAtEachCall(t *testing.T) {
	for _, by := range []string{"WithTracer", "WithLogger"} {
		var log bytes.Buffer
		level := new(slog.LevelVar)
		level.Set(slog.LevelError + 1)
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))
		opt := option.WithLogger(logger)
		if by == "WithTracer" {
			opt = cluster.WithTracer(cluster.LogTracer(logger))
		}
		c := traced(t, &wire{answers: []reply{{status: 200, body: named}}}, opt)
		for _, want := range []struct {
			level slog.Level
			lines int
		}{{slog.LevelError + 1, 0}, {slog.LevelWarn, 0}, {slog.LevelInfo, 1}, {slog.LevelDebug, 2}, {slog.LevelError, 0}} {
			log.Reset()
			level.Set(want.level)
			if _, err := c.GetCluster(t.Context(), "c"); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(log.String(), "\n"); got != want.lines {
				t.Errorf("%s: %d lines at level %v, want %d", by, got, want.level, want.lines)
			}
		}
	}
}

// TestCallsAreLoggedOnce: of two ways to have calls logged the tracer counts.
func TestCallsAreLoggedOnce(t *testing.T) {
	var one, two bytes.Buffer
	byOne, byTwo := slog.New(slog.NewTextHandler(&one, nil)), slog.New(slog.NewTextHandler(&two, nil))
	for _, tt := range []struct {
		opts     []option.ClientOption
		one, two int
	}{
		{[]option.ClientOption{option.WithLogger(byOne)}, 1, 0},
		{[]option.ClientOption{option.WithLogger(byOne), option.WithLogger(byTwo)}, 0, 1},
		{[]option.ClientOption{option.WithLogger(nil)}, 0, 0},
		{[]option.ClientOption{option.WithLogger(byOne), cluster.WithTracer(cluster.LogTracer(byOne))}, 1, 0},
		{[]option.ClientOption{cluster.WithTracer(cluster.LogTracer(byOne)), option.WithLogger(byOne)}, 1, 0},
		{[]option.ClientOption{cluster.WithTracer(cluster.LogTracer(byOne)), option.WithLogger(byTwo)}, 1, 0},
		{[]option.ClientOption{cluster.WithTracer(&cluster.Tracer{}), option.WithLogger(byTwo)}, 0, 1},
		{[]option.ClientOption{cluster.WithTracer(cluster.LogTracer(byOne)), cluster.WithTracer(cluster.LogTracer(byTwo))}, 1, 1},
	} {
		one.Reset()
		two.Reset()
		c := traced(t, &wire{answers: []reply{{status: 200, body: named}}}, tt.opts...)
		if _, err := c.GetCluster(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		if a, b := strings.Count(one.String(), "\n"), strings.Count(two.String(), "\n"); a != tt.one || b != tt.two {
			t.Errorf("%v: logged %d times and %d times, want %d and %d", tt.opts, a, b, tt.one, tt.two)
		}
	}
}

func TestLoggingByTheEnvironment(t *testing.T) {
	for level, want := range map[string]int{"": 0, "error": 0, "info": 1, "debug": 2} {
		t.Setenv("GOOGLE_SDK_GO_LOGGING_LEVEL", level)
		file, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		stderr := os.Stderr
		os.Stderr = file
		c := traced(t, &wire{answers: []reply{{status: 200, body: named}}})
		_, err = c.GetCluster(t.Context(), "c")
		os.Stderr = stderr
		log, _ := os.ReadFile(file.Name())
		if got := strings.Count(string(log), "\n"); err != nil || got != want {
			t.Errorf("%q: %d lines, want %d; %v: %s", level, got, want, err, log)
		}
	}
}

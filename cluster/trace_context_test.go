package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestTracersGetTheirOwnContexts: each End gets what the same tracer's Start returned, and the wire all of them.
func TestTracersGetTheirOwnContexts(t *testing.T) {
	type key string // one for each tracer and function
	var wire []any
	see := transportFunc(func(req *http.Request) (*http.Response, error) {
		for _, k := range []key{"a call", "a attempt", "b call", "b attempt"} {
			wire = append(wire, req.Context().Value(k))
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(named))}, nil
	})
	got, want := map[string]context.Context{}, map[string]context.Context{}
	tracer := func(name string) *cluster.Tracer {
		start := func(ctx context.Context, what string) context.Context {
			want[name+what] = context.WithValue(ctx, key(name+what), name)
			return want[name+what]
		}
		return &cluster.Tracer{
			CallStart: func(ctx context.Context, _ *cluster.CallTrace) context.Context { return start(ctx, " call") },
			AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) context.Context {
				return start(ctx, " attempt")
			},
			AttemptEnd: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) { got[name+" attempt"] = ctx },
			CallEnd:    func(ctx context.Context, _ *cluster.CallTrace) { got[name+" call"] = ctx },
		}
	}
	var kept []context.Context // what a tracer gets that returns nothing
	nothing := &cluster.Tracer{
		CallStart: func(ctx context.Context, _ *cluster.CallTrace) context.Context { kept = append(kept, ctx); return nil },
		AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) context.Context {
			kept = append(kept, ctx)
			return nil
		},
		AttemptEnd: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) { kept = append(kept, ctx) },
		CallEnd:    func(ctx context.Context, _ *cluster.CallTrace) { kept = append(kept, ctx) },
	}
	c := traced(t, see, cluster.WithTracer(tracer("a")), cluster.WithTracer(nothing), cluster.WithTracer(tracer("b")))
	if _, err := c.GetCluster(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	for what, ctx := range want {
		if got[what] != ctx {
			t.Errorf("the end of %s gets %v, want %v", what, got[what], ctx)
		}
	}
	if !slices.Equal(wire, []any{"a", "a", "b", "b"}) {
		t.Errorf("the wire sees %v", wire)
	}
	if len(kept) != 4 || kept[0] != kept[3] || kept[1] != kept[2] || kept[0].Value(key("a call")) != "a" || kept[0].Value(key("b call")) != nil {
		t.Errorf("a tracer that returns nil gets %v", kept)
	}
}

// endless is a body that ends with the request that it answers, as those of net/http do.
type endless struct {
	io.Reader
	ctx context.Context
}

func (e endless) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.Reader.Read(p)
}

func (endless) Close() error { return nil }

// TestTracersDoNotEndWhatTheyWatch: a tracer may end its contexts when it likes, and a stream outlives its attempt.
func TestTracersDoNotEndWhatTheyWatch(t *testing.T) {
	answer := `{"status":200,"structuredBody":{"jobs":["` + strings.Repeat("x", 1<<20) + `"]}}`
	serve := transportFunc(func(req *http.Request) (*http.Response, error) {
		if err := req.Context().Err(); err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: endless{strings.NewReader(answer), req.Context()}}, nil
	})
	scope := map[*cluster.AttemptTrace]context.CancelFunc{}
	for name, tracer := range map[string]*cluster.Tracer{
		"at the end of the attempt": {
			AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) context.Context {
				ctx, scope[a] = context.WithCancel(ctx)
				return ctx
			},
			AttemptEnd: func(_ context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) { scope[a]() },
		},
		"at once": {
			CallStart: func(ctx context.Context, _ *cluster.CallTrace) context.Context {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return ctx
			},
			AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) context.Context {
				ctx, cancel := context.WithTimeout(ctx, 0)
				cancel()
				return ctx
			},
		},
	} {
		c := traced(t, serve, cluster.WithTracer(tracer), cluster.WithTracer(&cluster.Tracer{}))
		s, err := c.StreamSlurm(t.Context(), "c", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n, err := io.Copy(io.Discard, s); err != nil || n != 1<<20+13 {
			t.Errorf("%s: the stream ends after %d bytes: %v", name, n, err)
		}
	}
}

type callerKey struct{}

// TestTracersDoNotHideTheCallersContext: its end and its cause count, whatever context a tracer returns.
func TestTracersDoNotHideTheCallersContext(t *testing.T) {
	why := errors.New("changed my mind")
	hang := transportFunc(func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	})
	for name, made := range map[string]func(context.Context) context.Context{
		"derived": func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancelCause(context.WithValue(ctx, spanKey{}, "x"))
			time.AfterFunc(time.Hour, func() { cancel(nil) })
			return ctx
		},
		"of its own": func(context.Context) context.Context { return context.Background() },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), callerKey{}, 1))
			time.AfterFunc(time.Second, func() { cancel(why) })
			var kept any
			c := traced(t, hang, cluster.WithTracer(&cluster.Tracer{
				CallStart: func(ctx context.Context, _ *cluster.CallTrace) context.Context { return made(ctx) },
				AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) context.Context {
					kept = ctx.Value(callerKey{})
					return made(ctx)
				},
			}))
			start := time.Now()
			_, err := c.GetCluster(ctx, "c")
			if !errors.Is(err, why) || !errors.Is(err, context.Canceled) || time.Since(start) != time.Second || kept != 1 {
				t.Errorf("%s: %v after %v, with %v", name, err, time.Since(start), fmt.Sprint(kept))
			}
			cancel(nil)
		})
	}
}

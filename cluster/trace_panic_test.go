package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// broken is a transport that ends the goroutine, or panics.
type broken struct{ end func() }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { b.end(); return nil, nil }

// TestTracerPairsInAPanic: what starts has its end also if a panic passes through the call, or the goroutine ends in it.
func TestTracerPairsInAPanic(t *testing.T) {
	const secret = "what the panic says"
	crash := func() { panic(secret) }
	wires := map[string]http.RoundTripper{
		"transport": broken{crash}, "goroutine": broken{runtime.Goexit}, "retryer": &wire{answers: []reply{{status: 503, body: "{}"}}},
	}
	ping := &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/ping/"}
	retry := gax.WithRetry(func() gax.Retryer { crash(); return nil })
	for name, call := range map[string]func(ctx context.Context, c *cluster.Client){
		"get":    func(ctx context.Context, c *cluster.Client) { _, _ = c.GetCluster(ctx, "c", retry) },
		"stream": func(ctx context.Context, c *cluster.Client) { _, _ = c.StreamSlurm(ctx, "c", ping, retry) },
		"poll":   func(ctx context.Context, c *cluster.Client) { _, _ = c.Operation(parent + "/operations/1").Poll(ctx) },
	} {
		for from, w := range wires {
			if from == "retryer" && name == "poll" {
				continue // takes none
			}
			synctest.Test(t, func(t *testing.T) {
				var heard []string
				var log bytes.Buffer
				note := func(what string, failed bool) { heard = append(heard, fmt.Sprint(what, " ", failed)) }
				c := traced(t, w, cluster.WithTracer(cluster.LogTracer(slog.New(slog.NewTextHandler(&log, nil)))), cluster.WithTracer(&cluster.Tracer{
					CallStart: func(ctx context.Context, _ *cluster.CallTrace) context.Context { note("start", false); return ctx },
					AttemptStart: func(ctx context.Context, _ *cluster.CallTrace, _ *cluster.AttemptTrace) context.Context {
						note("attempt", false)
						return ctx
					},
					AttemptEnd: func(_ context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) {
						note("attempt end", a.Err != nil)
					},
					CallEnd: func(_ context.Context, c *cluster.CallTrace) { note("end", c.Err != nil && c.Attempts == 1) },
				}))
				ended := make(chan any)
				go func() {
					defer func() { ended <- recover() }()
					call(t.Context(), c)
				}()
				value := <-ended
				if want := any(secret); from == "goroutine" && value != nil || from != "goroutine" && value != want {
					t.Errorf("%s, %s: the caller gets the panic %v", name, from, value)
				}
				if want := []string{"start false", "attempt false", "attempt end true", "end true"}; !slices.Equal(heard, want) {
					t.Errorf("%s, %s: heard %q, want %q", name, from, heard, want)
				}
				if text := log.String(); strings.Contains(text, secret) || strings.Count(text, `msg="call failed"`) != 1 {
					t.Errorf("%s, %s: the log is %q", name, from, text)
				}
			})
		}
	}
}

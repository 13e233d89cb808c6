package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestTracerHearsWhatTheCallerGets: an answer that cannot be read is a call that failed, whatever its HTTP status.
func TestTracerHearsWhatTheCallerGets(t *testing.T) {
	spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		t.Fatal(err)
	}
	const operation = parent + "/operations/1"
	ping := &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/ping/"}
	for _, tt := range []struct {
		name, body string // of a success that is none
		call       func(ctx context.Context, c *cluster.Client) error
	}{
		{"get, no cluster", `{}`, func(ctx context.Context, c *cluster.Client) error { _, err := c.GetCluster(ctx, "c"); return err }},
		{"get, a cluster of odd shape", `{"name":7}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.GetCluster(ctx, "c")
			return err
		}},
		{"list, of odd shape", `{"modelDevelopmentClusters":7}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.ListClusters(ctx, nil).Next()
			return err
		}},
		{"list, without end", `{"nextPageToken":"x"}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.ListClusters(ctx, &cluster.ListOptions{PageToken: "x"}).Next()
			return err
		}},
		{"create", `{}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.CreateCluster(ctx, "c", spec)
			return err
		}},
		{"update", `{"name":"x"}`, func(ctx context.Context, c *cluster.Client) error {
			m := &cluster.ModelDevelopmentCluster{Name: "c", Labels: map[string]string{"a": "b"}}
			_, err := c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly)
			return err
		}},
		{"delete", `{"done":"x"}`, func(ctx context.Context, c *cluster.Client) error { _, err := c.DeleteCluster(ctx, "c"); return err }},
		{"report faulty nodes", `[]`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.ReportFaultyNodes(ctx, "c", &cluster.NodeAction{NodeID: "c-cpu-0"})
			return err
		}},
		{"call Slurm", `{"structuredBody":{}}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.CallSlurm(ctx, "c", ping)
			return err
		}},
		{"stream Slurm", `{"structuredBody":[]}`, func(ctx context.Context, c *cluster.Client) error {
			s, err := c.StreamSlurm(ctx, "c", ping)
			if err == nil {
				_, err = s.Read(make([]byte, 1))
				for err == nil {
					_, err = s.Read(make([]byte, 1))
				}
				_ = s.Close()
			}
			return err
		}},
		{"read operation", `{}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.Operation(operation).Poll(ctx)
			return err
		}},
		{"read operation, another one", `{"name":"` + parent + `/operations/2"}`, func(ctx context.Context, c *cluster.Client) error {
			_, err := c.Operation(operation).Poll(ctx)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ends []*cluster.CallTrace
				var log bytes.Buffer
				c := traced(t, &wire{answers: []reply{{status: 200, body: tt.body}}},
					cluster.WithTracer(&cluster.Tracer{CallEnd: func(_ context.Context, c *cluster.CallTrace) { ends = append(ends, c) }}),
					cluster.WithTracer(cluster.LogTracer(slog.New(slog.NewTextHandler(&log, nil)))))
				err := tt.call(t.Context(), c)
				if err == nil || len(ends) != 1 || ends[0].Err != err || ends[0].Attempts != 1 || ends[0].HTTPStatus != 200 {
					t.Fatalf("the caller gets %v, and the tracer %d ends: %+v", err, len(ends), ends)
				}
				if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `level=WARN msg="call failed"`) {
					t.Errorf("the log is %q", got)
				}
			})
		})
	}
}

// TestAgainIsAPlan: the context can end the pause, and then no attempt follows, which the end of the call tells.
func TestAgainIsAPlan(t *testing.T) {
	later := reply{status: 503, body: `{"error":{"code":503,"status":"UNAVAILABLE"}}`, header: http.Header{"Retry-After": {"30"}}}
	for name, tt := range map[string]struct {
		bound func(context.Context) (context.Context, context.CancelFunc)
		again bool
		took  time.Duration
	}{
		"ended in the pause": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(10*time.Second, cancel)
			return ctx, cancel
		}, true, 10 * time.Second},
		"a deadline before its end": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 20*time.Second)
		}, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := tt.bound(t.Context())
			defer cancel()
			var attempts []*cluster.AttemptTrace
			var end *cluster.CallTrace
			c := traced(t, &wire{answers: []reply{later}}, cluster.WithTracer(&cluster.Tracer{
				AttemptEnd: func(_ context.Context, _ *cluster.CallTrace, a *cluster.AttemptTrace) { attempts = append(attempts, a) },
				CallEnd:    func(_ context.Context, c *cluster.CallTrace) { end = c },
			}))
			_, err := c.GetCluster(ctx, "c")
			if len(attempts) != 1 || attempts[0].Again != tt.again || tt.again != (attempts[0].Pause == 30*time.Second) {
				t.Errorf("%s: %d attempts, %+v", name, len(attempts), attempts[0])
			}
			if end.Err != err || end.Attempts != 1 || end.Duration != tt.took || errors.Is(err, context.Canceled) != tt.again {
				t.Errorf("%s: the call ended after %v and %d attempts with %v", name, end.Duration, end.Attempts, err)
			}
		})
	}
}

package cluster_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/endings"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// TestEndings of the context of a wait, at each moment and in each way.
func TestEndings(t *testing.T) {
	const dayAndMore = 30 * time.Hour
	waits := []endings.Wait{}
	for _, verb := range []struct {
		name  string
		start func(context.Context, *cluster.Client) (*cluster.Operation, error)
	}{
		{"create", func(ctx context.Context, c *cluster.Client) (*cluster.Operation, error) {
			spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
			if err != nil {
				return nil, err
			}
			return c.CreateCluster(ctx, "other", spec)
		}},
		{"update", func(ctx context.Context, c *cluster.Client) (*cluster.Operation, error) {
			m, err := c.GetCluster(ctx, "training")
			if err != nil {
				return nil, err
			}
			return c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		}},
		{"edit", func(ctx context.Context, c *cluster.Client) (*cluster.Operation, error) {
			return c.EditCluster(ctx, "training", func(m *cluster.ModelDevelopmentCluster) error {
				m.Labels = map[string]string{"team": "other"}
				return nil
			}, nil)
		}},
		{"refresh", func(ctx context.Context, c *cluster.Client) (*cluster.Operation, error) {
			return c.RefreshCluster(ctx, "training")
		}},
		{"report", func(ctx context.Context, c *cluster.Client) (*cluster.Operation, error) {
			return c.ReportFaultyNodes(ctx, "training", &cluster.NodeAction{NodeID: "training-cpu-0"})
		}},
		{"delete", func(ctx context.Context, c *cluster.Client) (*cluster.Operation, error) {
			return c.DeleteCluster(ctx, "training")
		}},
	} {
		begin := func(t *testing.T, line *endings.Line, again bool) endings.Work {
			srv, _ := fake(t, clustertest.WithOperationTime(dayAndMore))
			c, err := cluster.NewClient(t.Context(), parent, option.WithHTTPClient(line.Over(srv.HTTPClient())))
			if err != nil {
				t.Fatal(err)
			}
			op, err := verb.start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if again {
				op = c.Operation(op.Name())
			}
			return endings.Work{
				Wait: func(ctx context.Context) error {
					return op.Wait(ctx, lro.WithPauses(endings.Pause, endings.Pause))
				},
				Pending: []string{op.Name()},
				Finish:  func() { time.Sleep(dayAndMore) },
				Fail:    func() { srv.Inject(clustertest.Fault{Times: -1}) },
				Busy: func() {
					srv.Inject(clustertest.Fault{Times: -1, Status: "RESOURCE_EXHAUSTED", RetryAfter: 30 * time.Second})
				},
			}
		}
		waits = append(waits,
			endings.Wait{Name: verb.name, Remember: true, Failing: 5, Begin: func(t *testing.T, line *endings.Line) endings.Work {
				return begin(t, line, false)
			}},
			endings.Wait{Name: verb.name + " resumed", Remember: true, Failing: 5, Begin: func(t *testing.T, line *endings.Line) endings.Work {
				return begin(t, line, true)
			}})
	}
	endings.Run(t, waits)
}

package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// TestUnknownOutcomeSaysSo: an error after which a change may have happened says what to do before it is repeated, and
// one that proves that it has not, or that is of a read, does not frighten anybody.
func TestUnknownOutcomeSaysSo(t *testing.T) {
	const look = "look at the cluster before repeating it"
	for name, call := range map[string]func(context.Context, *cluster.Client) error{
		"create": func(ctx context.Context, c *cluster.Client) error {
			spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
			if err == nil {
				_, err = c.CreateCluster(ctx, "other", spec)
			}
			return err
		},
		"update": func(ctx context.Context, c *cluster.Client) error {
			m := parse(t, payload(t, "response-cluster-get.json"))
			_, err := c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
			return err
		},
		"delete": func(ctx context.Context, c *cluster.Client) error {
			_, err := c.DeleteCluster(ctx, "training")
			return err
		},
		"get": func(ctx context.Context, c *cluster.Client) error {
			_, err := c.GetCluster(ctx, "training")
			return err
		},
	} {
		for _, tt := range []struct {
			why     string
			fault   clustertest.Fault
			unknown bool
		}{
			{"no answer", clustertest.Fault{Kind: clustertest.FaultDropAfter}, true},
			{"half an answer", clustertest.Fault{Kind: clustertest.FaultCut}, true},
			{"a proxy's page", clustertest.Fault{Kind: clustertest.FaultReply}, true},
			{"503", clustertest.Fault{}, true},
			{"429", clustertest.Fault{Status: "RESOURCE_EXHAUSTED"}, false},
			{"refused", clustertest.Fault{Status: "PERMISSION_DENIED"}, false},
			{"no connection", clustertest.Fault{Kind: clustertest.FaultRefused}, false},
		} {
			synctest.Test(t, func(t *testing.T) {
				srv, c := fake(t)
				tt.fault.Times = -1
				srv.Inject(tt.fault)
				err := call(t.Context(), c)
				if err == nil || strings.Contains(err.Error(), look) != (tt.unknown && name != "get") {
					t.Errorf("%s, %s: %v", name, tt.why, err)
				}
			})
		}
	}
}

// TestEndedContextSendsNothing, and its error does not say that something may have happened.
func TestEndedContextSendsNothing(t *testing.T) {
	srv, c := fake(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := len(srv.Requests())
	_, err := c.DeleteCluster(ctx, "training")
	var failed *cluster.Error
	if !errors.As(err, &failed) || !failed.Unprocessed || failed.Attempts != 0 || !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "may have taken") {
		t.Errorf("%v", err)
	}
	if n := len(srv.Requests()) - before; n > 0 {
		t.Errorf("%d requests", n)
	}
}

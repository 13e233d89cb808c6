package cluster_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// TestRequestsOfVerbs: a verb is one request. An edit reads the cluster first, and looks at it again before it sends
// something.
func TestRequestsOfVerbs(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		verb string
		want int
		call func(*cluster.Client) error
	}{
		{"GetCluster", 1, func(c *cluster.Client) error { _, err := c.GetCluster(ctx, "training"); return err }},
		{"CreateCluster", 1, func(c *cluster.Client) error { _, err := c.CreateCluster(ctx, "other", planned(t)); return err }},
		{"UpdateCluster", 1, func(c *cluster.Client) error {
			m := &cluster.ModelDevelopmentCluster{Name: parent + "/modelDevelopmentClusters/training", Labels: map[string]string{"env": "prod"}}
			_, err := c.UpdateCluster(ctx, m, cluster.FieldMask{"labels"}, cluster.UpdateModeUserOnly)
			return err
		}},
		{"PlanEdit", 1, func(c *cluster.Client) error { _, err := c.PlanEdit(ctx, "training", resize, nil); return err }},
		{"EditCluster", 3, func(c *cluster.Client) error { _, err := c.EditCluster(ctx, "training", resize, nil); return err }},
		{"EditCluster that changes nothing", 1, func(c *cluster.Client) error {
			_, err := c.EditCluster(ctx, "training", func(*cluster.ModelDevelopmentCluster) error { return nil }, nil)
			if !errors.Is(err, cluster.ErrUnchanged) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}},
		{"RefreshCluster", 2, func(c *cluster.Client) error { _, err := c.RefreshCluster(ctx, "training"); return err }},
		{"DeleteCluster", 1, func(c *cluster.Client) error { _, err := c.DeleteCluster(ctx, "training"); return err }},
		{"ReportFaultyNodes", 1, func(c *cluster.Client) error {
			_, err := c.ReportFaultyNodes(ctx, "training", &cluster.NodeAction{NodeID: "training-cpu-0"})
			return err
		}},
		{"DeleteCluster that is done at once, and a wait", 1, func(c *cluster.Client) error {
			op, err := c.DeleteCluster(ctx, "training")
			if err != nil {
				return err
			}
			return op.Wait(ctx)
		}},
	} {
		c, srv := edited(t, planned(t))
		if err := tt.call(c); err != nil || len(srv.Requests()) != tt.want {
			t.Errorf("%s: %v after %d requests, want %d: %v", tt.verb, err, len(srv.Requests()), tt.want, srv.Requests())
		}
	}
}

// TestRequestsOfLists: one for each page, and none for a page that nobody gets to.
func TestRequestsOfLists(t *testing.T) {
	const page = cases / 100
	type reading struct{ clusters, requests int }
	for n, readings := range map[int][]reading{
		1:         {{1, 1}},
		5 * page:  {{5 * page, 5}},
		10 * page: {{10 * page, 10}, {page, 1}, {page + 1, 2}},
	} {
		srv := clustertest.NewServer(clustertest.WithPageSize(page))
		for i := range n {
			if err := srv.AddCluster(fmt.Sprintf("c%04d", i), nil); err != nil {
				t.Fatal(err)
			}
		}
		c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range readings {
			srv.ResetRequests()
			read := 0
			for _, err := range c.ListClusters(t.Context(), nil).All() {
				if err != nil {
					t.Fatal(err)
				}
				if read++; read == want.clusters {
					break
				}
			}
			if sent := len(srv.Requests()); read != want.clusters || sent != want.requests {
				t.Errorf("%d of %d clusters in %d requests, want %+v", read, n, sent, want)
			}
		}
	}
}

package cluster_test

import (
	"context"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// TestCollect reads what is left, over all pages.
func TestCollect(t *testing.T) {
	srv, c := fake(t, clustertest.WithPageSize(2), clustertest.WithEmptyPages())
	for _, id := range []string{"alpha", "beta", "gamma"} {
		if err := srv.AddCluster(id, nil); err != nil {
			t.Fatal(err)
		}
	}
	it := c.ListClusters(t.Context(), nil)
	all, err := c.ListClusters(t.Context(), nil).Collect()
	if err != nil || len(all) != 4 || all.String() != "4 clusters, 4 running" {
		t.Errorf("got %v, %v", all, err)
	}
	if _, err := it.Next(); err != nil {
		t.Fatal(err)
	}
	if left, err := it.Collect(); err != nil || len(left) != 3 {
		t.Errorf("after one there are %v, %v", left, err)
	}
	if none, err := it.Collect(); err != nil || len(none) != 0 || none.String() != "no clusters" {
		t.Errorf("at the end there are %v, %v", none, err)
	}
}

func TestCollectFails(t *testing.T) {
	c, _ := scripted(t,
		reply{status: 200, body: string(payload(t, "response-list-page1.json"))},
		reply{status: 403, body: string(payload(t, "response-error-permission-denied.json"))})
	it := c.ListClusters(context.Background(), nil)
	for range 2 { // it stays stopped
		if all, err := it.Collect(); err == nil || len(all) != 0 {
			t.Errorf("got %v, %v", all, err)
		}
	}
}

// TestIteratorHasAText that tells what to do with it, since a cell may end with one.
func TestIteratorHasAText(t *testing.T) {
	_, c := fake(t)
	if text := c.ListClusters(t.Context(), nil).String(); !strings.Contains(text, "Collect") || !strings.Contains(text, "projects/") {
		t.Error(text)
	}
	for _, it := range []*cluster.Iterator{nil, {}} {
		if text := it.String(); text != "no list" {
			t.Error(text)
		}
	}
}

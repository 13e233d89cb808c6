package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestRequestsOfVerbs: a verb is one request, however many jobs there are.
func TestRequestsOfVerbs(t *testing.T) {
	for _, n := range []int{1, someJobs, manyJobs} {
		t.Run(fmt.Sprintf("%d jobs", n), func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				g := b.gated(t)
				ids := make([]slurm.JobID, n)
				for i := range ids {
					ids[i] = b.submit(t, "sleep 3600", long)
				}
				ended := b.submit(t, "true")
				time.Sleep(10 * time.Minute) // ended is in the accounting only
				one, all := ids[n/2], n+1
				for _, tt := range []struct {
					verb string
					want int
					call func(context.Context) error
				}{
					{"Submit", 1, func(ctx context.Context) error { _, err := b.Submit(ctx, validSpec()); return err }},
					{"Get", 1, func(ctx context.Context) error { _, err := b.Get(ctx, one); return err }},
					{"GetAll", 1, func(ctx context.Context) error { _, err := b.GetAll(ctx, one); return err }},
					{"List", 1, func(ctx context.Context) error {
						jobs, err := b.List(ctx, nil)
						return errors.Join(err, wantJobs(jobs, all))
					}},
					{"List with a filter", 1, func(ctx context.Context) error {
						_, err := b.List(ctx, &slurm.ListOptions{Users: []string{"alice"}, States: []slurm.State{slurm.StateRunning}})
						return err
					}},
					{"History", 1, func(ctx context.Context) error { _, err := b.History(ctx, ended); return err }},
					{"ListHistory", 1, func(ctx context.Context) error {
						jobs, err := b.ListHistory(ctx, nil)
						return errors.Join(err, wantJobs(jobs, all+1))
					}},
					{"ListHistory of ids", 1, func(ctx context.Context) error {
						jobs, err := b.ListHistory(ctx, &slurm.HistoryOptions{JobIDs: ids})
						return errors.Join(err, wantJobs(jobs, n))
					}},
					{"Update", 1, func(ctx context.Context) error { return b.Update(ctx, one, &slurm.JobUpdate{Comment: "x"}) }},
					{"Signal", 1, func(ctx context.Context) error { return b.Signal(ctx, one, "USR1") }},
					{"Cancel", 1, func(ctx context.Context) error { return b.Cancel(ctx, one) }},
					{"Partitions", 1, func(ctx context.Context) error { _, err := b.Partitions(ctx); return err }},
					{"Nodes", 1, func(ctx context.Context) error { _, err := b.Nodes(ctx); return err }},
				} {
					g.calls = nil
					if err := tt.call(t.Context()); err != nil || g.count("") != tt.want {
						t.Errorf("%s: %v after %d requests, want %d: %q", tt.verb, err, g.count(""), tt.want, g.calls)
					}
				}
			}, huge())
		})
	}
}

func wantJobs(jobs []*slurm.Job, n int) error {
	if len(jobs) != n {
		return fmt.Errorf("%d jobs, want %d", len(jobs), n)
	}
	return nil
}

// TestRequestsOfWaits: a round of a wait is one request, whatever waits and however many.
func TestRequestsOfWaits(t *testing.T) {
	for _, n := range []int{1, manyJobs} {
		for _, array := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d jobs, in one array: %v", n, array), func(t *testing.T) {
				inBubble(t, func(t *testing.T, b *bed) {
					g := b.gated(t)
					var ids []slurm.JobID
					if array {
						ids = []slurm.JobID{b.submit(t, "sleep 3600", long, func(s *slurm.JobSpec) { s.Array = fmt.Sprintf("1-%d", n) })}
					} else {
						for range n {
							ids = append(ids, b.submit(t, "sleep 3600", long))
						}
					}
					g.calls = nil
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
					defer cancel()
					reads := 0
					_, err := b.WaitAll(ctx, ids, steady, slurm.OnTally(func(tally slurm.Tally) { reads = tally.Reads }))
					var watching *lro.WaitError
					if !errors.As(err, &watching) || reads < 70 || g.count("") > reads {
						t.Errorf("%v; %d requests in %d rounds", err, g.count(""), reads)
					}
				}, huge(), slurmtest.WithMaxArraySize(2000))
			})
		}
	}
}

// TestOneConnection serves all calls, those that fail, and those whose answer is not read to its end by the caller,
// included: a body that is left over would cost each following call the set-up of a connection.
func TestOneConnection(t *testing.T) {
	var connections atomic.Int32
	platform := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()))
	if err := platform.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(platform)
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	opts := append(slices.Clone(platform.ClientOptions()), option.WithEndpoint(srv.URL), option.WithHTTPClient(srv.Client()))
	service, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", opts...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := slurm.NewClient(service, "training")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		id, err := c.Submit(t.Context(), validSpec())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Get(t.Context(), id); err != nil {
			t.Error(err)
		}
		if jobs, err := c.List(t.Context(), nil); err != nil || len(jobs) == 0 {
			t.Errorf("%d jobs, %v", len(jobs), err)
		}
		if _, err := c.Get(t.Context(), "4711"); !errors.Is(err, slurm.ErrNotFound) {
			t.Errorf("a job that does not exist: %v", err)
		}
		if _, err := service.GetCluster(t.Context(), "other"); !errors.Is(err, cluster.ErrNotFound) {
			t.Errorf("a cluster that does not exist: %v", err)
		}
		if err := c.Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if n, calls := connections.Load(), len(platform.Requests()); n != 1 || calls < 120 {
		t.Errorf("%d calls took %d connections", calls, n)
	}
}

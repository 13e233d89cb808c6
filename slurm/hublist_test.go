package slurm_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestWaitOverCutLists: lists that break off on the way are no proof that jobs have left the queue.
func TestWaitOverCutLists(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		var ids []slurm.JobID
		for i := range 60 { // their list is more than comes at once
			ids = append(ids, b.submit(t, fmt.Sprintf("sleep %d", 300+20*i), long))
		}
		var lists atomic.Int32
		isList := func(r clustertest.Request) bool { return strings.Contains(string(r.Body), "/slurm/v0.0.42/jobs/") }
		b.platform.Inject(
			clustertest.Fault{Status: "INVALID_ARGUMENT", Times: -1, When: func(r clustertest.Request) bool {
				return strings.Contains(string(r.Body), "jobs/state/")
			}},
			clustertest.Fault{Kind: clustertest.FaultCut, Times: -1, When: func(r clustertest.Request) bool {
				return isList(r) && lists.Add(1)%3 != 0
			}})
		b.srv.ResetRequests()
		jobs, err := b.WaitAll(t.Context(), ids, steady)
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range jobs {
			if !j.Succeeded() || j.Source != slurm.SourceQueue {
				t.Errorf("%s: %v from the %s", ids[i], j, j.Source)
			}
		}
		for _, path := range b.paths() {
			if strings.Contains(path, "/slurmdb/") {
				t.Fatalf("%s: no job has left the queue", path)
			}
		}
		if lists.Load() < 20 {
			t.Errorf("%d lists", lists.Load())
		}
	}, huge(), slurmtest.WithMinJobAge(100*time.Hour))
}

// TestWaitOverOddLists: nor are lists that are left out, or empty beside an error, in whatever order their members come.
func TestWaitOverOddLists(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
		for _, version := range []string{"v0.0.40", "v0.0.42"} {
			synctest.Test(t, func(t *testing.T) {
				records := func(state string) string {
					return fmt.Sprintf(`[{"job_id":1,"job_state":[%q]},{"job_id":2,"job_state":[%q]}]`, state, state)
				}
				body := func(jobs, errors string, updated int) string {
					members := []string{`"jobs":` + jobs, `"errors":` + errors, `"warnings":[]`, fmt.Sprintf(`"last_update":{"set":true,"infinite":false,"number":%d}`, updated)}
					var parts []string
					for _, i := range order {
						parts = append(parts, members[i])
					}
					return "{" + strings.Join(parts, ",") + "}"
				}
				whole, unchanged, n := body(records("RUNNING"), "[]", 1000), body("[]", "[]", 0), 0
				answers := []struct {
					status int
					body   string
				}{
					{200, whole}, {200, unchanged}, {500, body("[]", `[{"error_number":-1}]`, 0)}, {200, unchanged},
					{200, body("[]", `[{"error_number":1800}]`, 0)}, {200, whole[:len(whole)-2]}, {200, "{" + whole}, {200, unchanged}, {200, ""},
					{200, `{"errors":[]}`}, {200, `{"jobs":{"a":1}}`}, {200, body(records("COMPLETED"), "[]", 2000)},
				}
				g := &gate{}
				g.stop = func(path string) (*cluster.SlurmResponse, error) {
					switch kind := pathKind(path); {
					case strings.HasPrefix(kind, "states"):
						return nil, invalid()
					case strings.HasPrefix(path, "/slurmdb/"):
						t.Errorf("%s after answer %d", path, n)
					case n > 0 && kind == "list" && answers[n].body == unchanged:
						return &cluster.SlurmResponse{Status: 200, Body: []byte(whole)}, nil
					}
					n++
					return &cluster.SlurmResponse{Status: answers[n-1].status, Body: []byte(answers[n-1].body)}, nil
				}
				c, err := slurm.NewClient(g, clusterName, slurm.WithVersion(version))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				jobs, err := c.WaitAll(ctx, []slurm.JobID{"1", "2"}, steady)
				if err != nil || !jobs[0].Succeeded() || !jobs[1].Succeeded() {
					t.Errorf("%v, %s: got %v, %v", order, version, jobs, err)
				}
			})
		}
	}
}

// TestWaitOverSilentPaths: where what is not documented gets no answer at all, what is documented is read instead.
func TestWaitOverSilentPaths(t *testing.T) {
	for _, silent := range []string{"jobs/state/", "update_time", "/jobs/state/?"} {
		inBubble(t, func(t *testing.T, b *bed) {
			ids := []slurm.JobID{b.submit(t, "sleep 3000", long), b.submit(t, "sleep 4000", long)}
			b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultDelay, Delay: 3 * time.Hour, Times: -1, When: func(r clustertest.Request) bool {
				return strings.Contains(string(r.Body), silent)
			}})
			jobs, err := b.WaitAll(t.Context(), ids)
			if err != nil || !jobs[0].Succeeded() || !jobs[1].Succeeded() {
				t.Errorf("%s: %v, %v", silent, jobs, err)
			}
		}, slurmtest.WithMinJobAge(time.Hour))
	}
}

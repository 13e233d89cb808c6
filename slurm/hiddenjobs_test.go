package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestStatesOfHiddenJobs: jobs/state/ tells of jobs whose records the caller is not shown. They must not lead to the list
// being read time and again.
func TestStatesOfHiddenJobs(t *testing.T) {
	hidden := `{"job_id":"7","state":["RUNNING"]}`
	synctest.Test(t, func(t *testing.T) {
		answer := func(body string) *cluster.SlurmResponse {
			return &cluster.SlurmResponse{Status: 200, Body: []byte(body)}
		}
		start := time.Now()
		g := &gate{}
		g.stop = func(path string) (*cluster.SlurmResponse, error) {
			state := "RUNNING"
			if time.Since(start) > time.Hour {
				state = "COMPLETED"
			}
			switch pathKind(path) {
			case "list":
				return answer(`{"jobs":[{"job_id":1,"job_state":["` + state + `"]},{"job_id":2,"job_state":["RUNNING"]}],"errors":[]}`), nil
			case "states of":
				return answer(`{"jobs":[{"job_id":"1","state":["` + state + `"]},{"job_id":"2","state":["RUNNING"]},` + hidden + `],"errors":[]}`), nil
			case "many runs", "runs":
				return answer(`{"jobs":[{"job_id":7,"state":{"current":["RUNNING"]}}],"errors":[]}`), nil
			}
			if strings.HasSuffix(path, "job/2") {
				return answer(`{"jobs":[{"job_id":2,"job_state":["RUNNING"]}],"errors":[]}`), nil
			}
			return answer(`{"jobs":[{"job_id":1,"job_state":["` + state + `"]}],"errors":[]}`), nil
		}
		c, err := slurm.NewClient(g, clusterName)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		jobs, err := c.WaitAll(ctx, []slurm.JobID{"1", "2", "7"}, steady)
		if !errors.Is(err, slurm.ErrJobLost) || !errors.Is(err, context.DeadlineExceeded) || !jobs[0].Succeeded() || !jobs[1].Running() {
			t.Errorf("got %v, %v", jobs, err)
		}
		if lists, states := g.count("list"), g.count("states of"); lists > 12 || states < 250 {
			t.Errorf("%d lists and %d reads of states", lists, states)
		}
	})
}

// TestWatchQueueWithHiddenJobs: the same for those who watch, who still hear of each new job that they are shown.
func TestWatchQueueWithHiddenJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		g := &gate{}
		g.stop = func(path string) (*cluster.SlurmResponse, error) {
			shown := min(int(time.Since(start)/(20*time.Minute)), 2) + 1
			var records, states []string
			for n := 1; n <= shown; n++ {
				records = append(records, fmt.Sprintf(`{"job_id":%d,"job_state":["RUNNING"]}`, n))
				states = append(states, fmt.Sprintf(`{"job_id":"%d","state":["RUNNING"]}`, n))
			}
			if pathKind(path) == "states" { // one more every quarter of an hour, and those of others end as well
				other := 100 + int(time.Since(start)/(15*time.Minute))
				records = append(states, fmt.Sprintf(`{"job_id":"%d","state":["RUNNING"]}`, other), fmt.Sprintf(`{"job_id":"%d_3","state":["RUNNING"]}`, other+1))
			}
			return &cluster.SlurmResponse{Status: 200, Body: []byte(`{"jobs":[` + strings.Join(records, ",") + `],"errors":[]}`)}, nil
		}
		c, err := slurm.NewClient(g, clusterName)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		var got []string
		for e, err := range c.WatchQueue(ctx, nil) {
			if err == nil {
				got = append(got, brief(e))
			}
		}
		wantEvents(t, got, "1 RUNNING, 2 RUNNING, 3 RUNNING")
		if lists, states := g.count("list")+g.count("list since"), g.count("states"); lists > 25 || states < 100 || states > 300 {
			t.Errorf("%d lists and %d reads of states", lists, states)
		}
	})
}

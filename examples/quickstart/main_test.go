package main

import (
	"bytes"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// clock is what differs from one run to the next.
var clock = regexp.MustCompile(`\d\d:\d\d:\d\d`)

const jobSteps = `submit   job 1
list     job 1 (my-run) PENDING
wait     … PENDING
wait     … RUNNING
wait     … COMPLETED+COMPLETING
wait     … COMPLETED
wait     job 1 (my-run) COMPLETED on n1 after 5s
cancel   … CANCELLED
cancel   job 2 (too-long) CANCELLED
history  job 1 (my-run) COMPLETED on n1, TIME to TIME
`

func TestQuickstart(t *testing.T) {
	const want = `create   accepted as projects/123456789012/locations/us-central1/operations/4000000000000000001
create   … Create Model Development Cluster request received, provisioning...
create   done: cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
read     cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
resize   cpu 2 x n2-standard-8 becomes cpu 2..4 x n2-standard-8 (mask node_pools, mode USER_ONLY)
resize   accepted as projects/123456789012/locations/us-central1/operations/4000000000000000002
resize   … under way
read     cluster training RUNNING: cpu 2..4 x n2-standard-8, login 1 x n2-standard-8
` + jobSteps + `delete   accepted as projects/123456789012/locations/us-central1/operations/4000000000000000003
delete   … under way
delete   done
`
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		err := run(t.Context(), &out, config{region: "us-central1", cluster: "training", dir: "/home/alice"})
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, clock.ReplaceAllString(out.String(), "TIME")); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRealClusterIsLeftAlone: with a project given, nothing is changed or deleted unless the flags say so.
func TestRealClusterIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(slurmtest.NewServer()))
		if err := srv.AddCluster("training", nil); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cfg := config{project: "my-project", region: "us-central1", cluster: "training", dir: "/home/alice", options: srv.ClientOptions()}
		if err := run(t.Context(), &out, cfg); err != nil {
			t.Fatal(err)
		}
		for _, r := range srv.Requests() {
			if r.Verb != clustertest.VerbGet && r.Verb != clustertest.VerbCallSlurm {
				t.Errorf("asked the service for %v", r)
			}
		}
		cfg.resize, cfg.delete = 8, true
		if err := run(t.Context(), &out, cfg); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if srv.Cluster("training") != nil {
			t.Errorf("-delete left the cluster:\n%s", &out)
		}
	})
}

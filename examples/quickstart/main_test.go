package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
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

// TestOtherPlaces, and a size of one's own.
func TestOtherPlaces(t *testing.T) {
	for _, cfg := range []config{{region: "europe-west4", cluster: "x"}, {region: "us-central1", cluster: "training", resize: 7}} {
		synctest.Test(t, func(t *testing.T) {
			cfg.dir = "/home/alice"
			var out bytes.Buffer
			if err := run(t.Context(), &out, cfg); err != nil || cfg.resize > 0 && !strings.Contains(out.String(), "becomes cpu 2..7 x") {
				t.Errorf("error %v, output\n%s", err, &out)
			}
		})
	}
}

func TestFlagsThatMeanNothing(t *testing.T) {
	for _, tt := range []struct {
		cfg  config
		args []string
		want string
	}{
		{config{}, []string{"training"}, `unexpected argument "training"`},
		{config{project: "my-project", slurm: "unix:/run/slurmrestd.sock"}, nil, "-slurm is for the embedded service"},
		{config{resize: -1}, nil, "-resize -1"},
	} {
		if err := tt.cfg.check(tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q in it", err, tt.want)
		}
	}
}

// TestJobBesideAnError: a job that there is gets named, and the next one canceled.
func TestJobBesideAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := demotest.Partial(t)
		c, err := slurm.Open(t.Context(), "projects/my-project/locations/us-central1/modelDevelopmentClusters/training", srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		steps := &tour{out: &out, cfg: config{dir: "/home/alice"}, jobs: c}
		if err := steps.submit(t.Context()); !errors.Is(err, slurm.ErrPartial) || out.String() != "submit   job 1\n" {
			t.Errorf("error %v, output %s", err, &out)
		}
		if err := steps.cancel(t.Context()); !errors.Is(err, slurm.ErrPartial) {
			t.Errorf("error %v", err)
		}
		if job, err := c.Get(t.Context(), "2"); err != nil || job.State != slurm.StateCancelled {
			t.Errorf("got %v, %v", job, err)
		}
	})
}

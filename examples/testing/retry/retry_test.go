package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/testing/retry"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// document is as much of a cluster as a test of jobs needs.
const document = `{
	"network": {"network": "projects/my-project/global/networks/n", "subnetwork": "projects/my-project/regions/us-central1/subnetworks/s"},
	"node_pools": [
		{"id": "cpu", "machine_spec": {"machine_type": "n2-standard-8"}, "scaling_spec": {"min_node_count": 2, "max_node_count": 2},
		 "zone": "us-central1-a", "boot_disk": {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 120}},
		{"id": "login", "machine_spec": {"machine_type": "n2-standard-8"}, "scaling_spec": {"min_node_count": 1, "max_node_count": 1},
		 "zone": "us-central1-a", "boot_disk": {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 120}}],
	"orchestrator_spec": {"slurm_spec": {
		"home_directory_storage": "projects/my-project/locations/us-central1-a/instances/f",
		"partitions": [{"id": "cpu", "node_pool_ids": ["cpu"]}], "login_node_pool_id": "login"}}
}`

// bed has a client, and the servers behind it, which a test can ask and break.
type bed struct {
	client  *slurm.Client
	service *clustertest.Server
	slurm   *slurmtest.Server
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{slurm: slurmtest.NewServer()}
	b.service = clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(b.slurm))
	if err := b.service.AddCluster("training", []byte(document)); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.service.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	if b.client, err = slurm.NewClient(c, "training"); err != nil {
		t.Fatal(err)
	}
	return b
}

func job(script string) *slurm.JobSpec {
	return &slurm.JobSpec{WorkingDirectory: "/home/alice", TimeLimit: 10 * time.Hour, Script: "#!/bin/bash\n" + script + "\n"}
}

// TestNodeFailure: in a bubble hours pass at once.
func TestNodeFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		go func() {
			time.Sleep(2 * time.Hour)
			if err := b.slurm.FailNode("n1"); err != nil {
				t.Error(err)
			}
		}()
		got, err := retry.Run(t.Context(), b.client, job("sleep 9000"), 3)
		if err != nil || got.ID != "2" || got.Elapsed() != 9000*time.Second {
			t.Errorf("got %v, %v; want job 2 after it ran through", got, err)
		}
	})
}

// TestLimit: every node fails in turn.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		go func() {
			for _, node := range []string{"n1", "n2"} {
				time.Sleep(time.Hour)
				_ = b.slurm.FailNode(node)
			}
		}()
		got, err := retry.Run(t.Context(), b.client, job("sleep 9000"), 2)
		var failed *slurm.JobError
		if !errors.As(err, &failed) || got.ID != "2" {
			t.Errorf("got %v, %v; want the failure of job 2", got, err)
		}
	})
}

// TestOwnFailure: what the script does wrong, it would do wrong again.
func TestOwnFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		_, err := retry.Run(t.Context(), b.client, job("sleep 60\nexit 3"), 3)
		if n := len(b.slurm.Jobs()); err == nil || n != 1 {
			t.Errorf("got %v after %d jobs", err, n)
		}
	})
}

// TestOutage: the service fails for a while during the wait, which goes on.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.service.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Nth: 3, Times: 5})
		if _, err := retry.Run(t.Context(), b.client, job("sleep 600"), 3); err != nil {
			t.Error(err)
		}
		if n := b.service.PendingFaults(); n != 0 {
			t.Errorf("%d faults were not met", n)
		}
		if n := len(b.slurm.Jobs()); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
}

// TestGivenUp: the end of the context ends the watching, and the job goes on.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := retry.Run(ctx, b.client, job("sleep 9000"), 3)
		var left *lro.WaitError
		if !errors.As(err, &left) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if jobs := b.slurm.Jobs(); len(jobs) != 1 || jobs[0].State != "RUNNING" {
			t.Errorf("got %+v", jobs)
		}
	})
}

// TestJobBesideAnError: Slurm runs the job, and reports that it did not understand a part of it.
func TestJobBesideAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		spec := job("sleep 60")
		spec.Extra = map[string]any{"mail_type": []string{"SOMETIMES"}}
		got, err := retry.Run(t.Context(), b.client, spec, 3)
		if !errors.Is(err, slurm.ErrPartial) || got == nil || got.State != slurm.StateCompleted {
			t.Errorf("got %v, %v; want the job at its end, and the failure", got, err)
		}
	})
}

// TestLostAnswer: a job that may exist is not submitted again, and the error says how to find it.
func TestLostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.service.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDropLate, Delay: 5 * time.Minute})
		_, err := retry.Run(t.Context(), b.client, job("sleep 600"), 3)
		var lost *slurm.UncertainError
		if !errors.As(err, &lost) {
			t.Fatalf("got %v", err)
		}
		time.Sleep(10 * time.Minute)
		if id, err := b.client.Recover(t.Context(), lost.Token); err != nil || id != "1" || len(b.slurm.Jobs()) != 1 {
			t.Errorf("found job %q, %v, of %d", id, err, len(b.slurm.Jobs()))
		}
	})
}

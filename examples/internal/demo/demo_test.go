package demo_test

import (
	"flag"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func place(t *testing.T, args ...string) *demo.Place {
	t.Helper()
	flags := flag.NewFlagSet(t.Name(), flag.ContinueOnError)
	p := demo.Flags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEmbeddedCluster(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8"},
		{[]string{"-cluster", "mine"}, "mine RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8"},
		{[]string{"-region", "europe-west4"}, "training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8"},
	} {
		c, name, err := place(t, tt.args...).Clusters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.GetCluster(t.Context(), name)
		if err != nil {
			t.Errorf("%v: %v", tt.args, err)
		} else if got := m.String(); got != "cluster "+tt.want {
			t.Errorf("%v: got %s, want cluster %s", tt.args, got, tt.want)
		}
	}
}

// TestClientsShareTheServers: what one client of a place does the others see.
func TestClientsShareTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(t)
		jobs, err := p.Jobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		id, err := jobs.Submit(t.Context(), &slurm.JobSpec{
			Partition: "cpu", WorkingDirectory: "/home/alice", Script: "#!/bin/bash\nsleep 60\n",
			Environment: map[string]string{"PATH": "/bin"},
		})
		if err != nil {
			t.Fatal(err)
		}
		c, name, err := p.Clusters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		others, err := slurm.NewClient(c, name)
		if err != nil {
			t.Fatal(err)
		}
		if job, err := others.Wait(t.Context(), id); err != nil || job.Elapsed() != time.Minute {
			t.Errorf("got %v, %v; want the job, after a minute", job, err)
		}
	})
}

// TestOptionsReachOtherServers, for tests of programs, with and without a project.
func TestOptionsReachOtherServers(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "/projects/my-project/locations/us-central1/modelDevelopmentClusters/training"},
		{[]string{"-project", "yours", "-region", "us-east4", "-cluster", "big"}, "/projects/yours/locations/us-east4/modelDevelopmentClusters/big"},
	} {
		srv := clustertest.NewServer(clustertest.WithTB(t))
		c, name, err := place(t, tt.args...).Clusters(t.Context(), srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.GetCluster(t.Context(), name); err == nil {
			t.Errorf("%v: found a cluster on an empty server", tt.args)
		}
		if r := srv.Requests(); len(r) != 1 || !strings.Contains(r[0].URL, tt.want) {
			t.Errorf("%v: asked for %v, want %s once", tt.args, r, tt.want)
		}
	}
}

func TestImpossiblePlaces(t *testing.T) {
	for _, args := range [][]string{{"-region", "mars"}, {"-cluster", "Not An ID"}} {
		if _, _, err := place(t, args...).Clusters(t.Context()); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

func TestServersRefuseABadAddress(t *testing.T) {
	if _, err := demo.Servers("slurm.example.com"); err == nil || !strings.Contains(err.Error(), "unix:/PATH") {
		t.Errorf("got %v, want an error that names the forms", err)
	}
}

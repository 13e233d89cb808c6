package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

const settings = `AccountingStorageEnforce=associations,limits,qos
PreemptExemptTime=00:00:00
PreemptMode=SUSPEND,GANG
PreemptType=preempt/partition_prio
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightTRES=cpu=100,mem=150
`

// TestMigration: without flags the change is made, on a real cluster only with -send, and a second time there is none.
func TestMigration(t *testing.T) {
	srv, err := demo.SampleOf("training", demo.LegacyCluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		out  string // the end of the output
		sent int    // so far
	}{
		{[]string{"-project", "my-project"}, "starts with it only a ping shows)\n\nNot sent; -send does that.\n", 0},
		{nil, "   0s ended\n" + settings, 1},
		{[]string{"-project", "my-project", "-send"}, "Nothing changes.\n", 1},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), tt.args, &out, srv.ClientOptions()...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		if !strings.HasSuffix(out.String(), tt.out) {
			t.Errorf("%v: got\n%s\nwant at its end\n%s", tt.args, &out, tt.out)
		}
		if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != tt.sent {
			t.Errorf("%v: %d updates, want %d", tt.args, n, tt.sent)
		}
	}
}

func TestWithoutFlags(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), nil, &out); err != nil || !strings.HasSuffix(out.String(), settings) {
		t.Errorf("error %v, output\n%s", err, &out)
	}
}

func TestOtherPlaces(t *testing.T) { demotest.Places(t, run) }

// TestSlurmThatDoesNotStart with the new settings is a failure, though the update succeeded.
func TestSlurmThatDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := slurmtest.NewServer()
		jobs.SetControllerDown(true)
		srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(jobs))
		if err := srv.AddCluster("training", demo.LegacyCluster); err != nil {
			t.Fatal(err)
		}
		var failed *slurm.ReadyError
		err := run(t.Context(), []string{"-project", "my-project", "-send"}, new(bytes.Buffer), srv.ClientOptions()...)
		if !errors.As(err, &failed) {
			t.Errorf("got %v", err)
		}
	})
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

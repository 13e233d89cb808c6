package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
)

const done = `
orchestrator_spec.slurm_spec.config:
  + PreemptMode: "SUSPEND,GANG"
  + PreemptType: "preempt/partition_prio"
  + SchedulerParameters: "bf_window=2880"

orchestrator_spec.slurm_spec.scheduling: unchanged

orchestrator_spec.slurm_spec.accounting: unchanged

Effects:
  * Slurm: reloaded (slurm.conf is regenerated; jobs go on, though a node may reboot after its job; whether the controller starts with it only a ping shows)
   0s ended
PreemptMode [SUSPEND GANG], SchedulerParameters bf_window=2880
`

func TestWithoutFlags(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), nil, &out); err != nil {
		t.Error(err)
	}
	_, got, _ := strings.Cut(out.String(), "default_partition_id: \"cpu\"\n")
	if diff := cmp.Diff(done, got); diff != "" {
		t.Error(diff)
	}
}

// TestRealCluster: other options of the scheduler stay, and nothing is sent without -send, or if nothing changes.
func TestRealCluster(t *testing.T) {
	const before = `"partitions": [`
	document := strings.Replace(string(demo.GuideCluster), before, `"config": {"SchedulerParameters": "defer,bf_window=1"}, `+before, 1)
	srv, err := demo.SampleOf("training", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		out  string
		sent int // so far
	}{
		{[]string{"-project", "my-project"}, `SchedulerParameters: "defer,bf_window=1" -> "defer,bf_window=2880"`, 0},
		{nil, "SchedulerParameters defer,bf_window=2880\n", 1},
		{[]string{"-project", "my-project", "-send"}, "Nothing changes.\n", 1},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), tt.args, &out, srv.ClientOptions()...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		if !strings.Contains(out.String(), tt.out) {
			t.Errorf("%v: %q is not in the output:\n%s", tt.args, tt.out, &out)
		}
		if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != tt.sent {
			t.Errorf("%v: %d updates, want %d", tt.args, n, tt.sent)
		}
	}
}

func TestUnknownPartition(t *testing.T) {
	if err := run(t.Context(), []string{"-partition", "gpu"}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "there are cpu") {
		t.Errorf("got %v", err)
	}
}

func TestOtherPlaces(t *testing.T) { demotest.Places(t, run) }

// TestOnePlan: the cluster is read for one plan, and once more to see that it has not changed since.
func TestOnePlan(t *testing.T) {
	srv, err := demo.Sample("training")
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), nil, new(bytes.Buffer), srv.ClientOptions()...); err != nil {
		t.Error(err)
	}
	var before []clustertest.Verb // the update
	for _, r := range srv.Requests() {
		if r.Verb == clustertest.VerbUpdate {
			break
		}
		before = append(before, r.Verb)
	}
	if diff := cmp.Diff([]clustertest.Verb{clustertest.VerbGet, clustertest.VerbGet}, before); diff != "" {
		t.Error(diff)
	}
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

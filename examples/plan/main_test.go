package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
)

func TestWithoutFlags(t *testing.T) {
	const want = `Update of cluster training, USER_ONLY
mask: node_pools,orchestrator_spec.slurm_spec.partitions

node_pools: 1 changed, 1 unchanged
  ~ cpu
      ~ scaling_spec.max_node_count: 2 -> 8

orchestrator_spec.slurm_spec.partitions: 1 changed
  ~ cpu
      + config.MaxTime: "2-00:00:00"
      + config.PriorityTier: "10"

Effects:
  * pools cpu and login: image kept (no node_image is sent, and USER_ONLY keeps what runs)
  * pool cpu: up to 6 nodes more when jobs wait for them (max_node_count rises from 2 to 8)
  * Slurm: reloaded (slurm.conf is regenerated; jobs go on, though a node may reboot after its job; whether the controller starts with it only a ping shows)
`
	const note = "Not in the file, and left alone: orchestrator_spec.slurm_spec.login_node_pool_id. To clear a field, name it with -mask.\n"
	var out, notes bytes.Buffer
	if err := run(t.Context(), nil, &out, &notes); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(note, notes.String()); diff != "" {
		t.Error(diff)
	}
}

// Files with a part of a cluster.
const (
	same    = `{"display_name": "cpuonly", "orchestrator_spec": {"slurm_spec": {"login_node_pool_id": "login"}}}`
	labels  = `{"labels": {"team": "vision"}}`
	noPools = `{"node_pools": [], "labels": {"team": "vision"}}`
	network = `{"network": {"network": "projects/my-project/global/networks/other"}}`
	shrink  = `{"node_pools": [
		{"id": "cpu", "machine_spec": {"machine_type": "n2-standard-8"}, "scaling_spec": {"min_node_count": 1, "max_node_count": 1},
		 "zone": "us-central1-a", "enable_public_ips": true, "boot_disk": {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 120}},
		{"id": "login", "machine_spec": {"machine_type": "n2-standard-8"}, "scaling_spec": {"min_node_count": 1, "max_node_count": 1},
		 "zone": "us-central1-a", "enable_public_ips": true, "boot_disk": {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 120}}]}`
)

// TestPlans: the exit status, what is printed and, each time, that nothing is sent.
func TestPlans(t *testing.T) {
	for _, tt := range []struct {
		name   string
		file   string
		args   []string
		status int
		said   []string // parts of the output, the notes and the error
	}{
		{"equal", same, nil, 0, []string{"mask: none\n", "Nothing changes."}},
		{"labels", labels, nil, 0, []string{"mask: labels\n", `+ team: "vision"`, "left alone: node_pools,"}},
		{"labels and images", labels, []string{"-mode", "user-and-service"}, 1, []string{"USER_AND_SERVICE", "! pool login", "labels alone"}},
		{"a setting", `{"orchestrator_spec": {"slurm_spec": {"config": {"PriorityWeightAge": "5"}}}}`, nil, 0, []string{
			"mask: orchestrator_spec.slurm_spec.config,orchestrator_spec.slurm_spec.scheduling,orchestrator_spec.slurm_spec.accounting\n"}},
		{"a misspelled member", `{
  "lables": {"a": "b"}}`, nil, 0, []string{"want.json:2:3: lables: unknown; did you mean labels?"}},
		{"smaller", shrink, nil, 3, []string{"! pool cpu: 1 node fewer", "the update is destructive"}},
		{"images", "", []string{"-mode", "user-and-service"}, 3, []string{"may be drained and recreated"}},
		{"no pools", noPools, nil, 0, []string{"mask: labels\n", "left alone: node_pools,"}},
		{"labels named", `{"labels": {}}`, []string{"-mask", "labels"}, 0, []string{"mask: labels\n", "labels: unchanged"}},
		{"network", network, nil, 1, []string{"network.network", "cannot be updated"}},
		{"some fields", "", []string{"-mask", "node_pools"}, 0, []string{"mask: node_pools\n", "the change is not sent"}},
		{"all fields", "", []string{"-whole"}, 1, []string{"mask: none, for all fields\n", "Refused:", "x network.network", "would be refused"}},
		{"markdown", "", []string{"-format", "markdown"}, 0, []string{"### Update of cluster `training`", "```diff\n"}},
		{"real cluster", labels, []string{"-project", "my-project", "-region", "us-central1", "-cluster", "training"}, 0, []string{"labels"}},
		{"no cluster", labels, []string{"-cluster", "other"}, 1, []string{"NOT_FOUND"}},
		{"no such field", labels, []string{"-mask", "label"}, 1, []string{"did you mean labels?"}},
		{"both masks", labels, []string{"-mask", "labels", "-whole"}, 1, []string{"one of the two"}},
		{"mode", labels, []string{"-mode", "service"}, 1, []string{"user-and-service"}},
		{"format", labels, []string{"-format", "yaml"}, 1, []string{"markdown"}},
		{"file as argument", "", []string{"want.json"}, 1, []string{`unexpected argument "want.json"`}},
		{"no file for a real cluster", "", []string{"-project", "my-project"}, 1, []string{"-f"}},
		{"missing file", "", []string{"-f", "missing.json"}, 1, []string{"missing.json"}},
		{"no cluster file", `{"node_pools": 3}`, nil, 1, []string{"node_pools"}},
		{"help", "", []string{"-h"}, 0, []string{"sends nothing", "Exit status:\n", "3  it is destructive", "-mask fields"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv, err := demo.Sample("training")
			if err != nil {
				t.Fatal(err)
			}
			if tt.file != "" {
				tt.args = append(tt.args, "-f", write(t, tt.file))
			}
			var said bytes.Buffer
			err = run(t.Context(), tt.args, &said, &said, srv.ClientOptions()...)
			if err != nil {
				said.WriteString(err.Error())
			}
			if got := status(err); got != tt.status {
				t.Errorf("status %d, want %d", got, tt.status)
			}
			for _, part := range tt.said {
				if !strings.Contains(said.String(), part) {
					t.Errorf("%q is not in\n%s", part, &said)
				}
			}
			for _, r := range srv.Requests() {
				if r.Method != "GET" {
					t.Errorf("sent %v", r)
				}
			}
		})
	}
}

func write(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "want.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestJSON: the output is the plan alone, whatever there is to note.
func TestJSON(t *testing.T) {
	var out, notes bytes.Buffer
	if err := run(t.Context(), []string{"-format", "json"}, &out, &notes); err != nil {
		t.Fatal(err)
	}
	var plan cluster.Plan
	if err := json.Unmarshal(out.Bytes(), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Cluster != "training" || len(plan.Changes) != 3 || notes.Len() == 0 {
		t.Errorf("got %+v and the note %q", plan, &notes)
	}
}

// TestSampleIsAccepted by the service: what the plan shows can be done.
func TestSampleIsAccepted(t *testing.T) {
	srv, err := demo.Sample("training")
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	want, err := cluster.Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	want.Name = "training"
	mask := cluster.FieldMask{cluster.PathNodePools, cluster.PathPartitions}
	if _, err := c.UpdateCluster(t.Context(), want, mask, cluster.UpdateModeUserOnly); err != nil {
		t.Error(err)
	}
	if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != 1 {
		t.Errorf("%d updates, want 1", n)
	}
}

func TestOtherPlaces(t *testing.T) {
	demotest.Places(t, func(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
		return run(ctx, args, out, out, opts...)
	})
}

package cluster_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/golden"
)

var update = flag.Bool("update", false, "write the golden files of plans anew")

// planned is the cluster that the plans of the golden files start from.
func planned(t *testing.T) *cluster.ModelDevelopmentCluster {
	t.Helper()
	m, err := cluster.ReadFile(filepath.Join("testdata", "plans", "cluster.json"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// manyPools is that cluster with 50 pools.
func manyPools(t *testing.T) *cluster.ModelDevelopmentCluster {
	m := planned(t)
	for n := len(m.NodePools); n < 50; n++ {
		pool := *m.NodePool("cpu")
		pool.ID = fmt.Sprintf("cpu%02d", n)
		pool.ScalingSpec = &cluster.ScalingSpec{MaxNodeCount: 4}
		m.NodePools = append(m.NodePools, &pool)
	}
	return m
}

// TestTypicalPlans holds the plans that people see most to golden files, which are meant to be read.
func TestTypicalPlans(t *testing.T) {
	const user, service = cluster.UpdateModeUserOnly, cluster.UpdateModeUserAndService
	type fields = cluster.FieldMask
	for _, tt := range []struct {
		name string
		from func(*testing.T) *cluster.ModelDevelopmentCluster
		edit func(m *cluster.ModelDevelopmentCluster)
		mask cluster.FieldMask
		mode cluster.UpdateMode
	}{
		{"resize", manyPools, func(m *cluster.ModelDevelopmentCluster) {
			withoutImages(m)
			m.NodePool("cpu").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 4, MaxNodeCount: 16}
			m.NodePool("cpu07").ScalingSpec.MaxNodeCount = 1
		}, fields{cluster.PathNodePools}, user},
		{"remove-pool", planned, func(m *cluster.ModelDevelopmentCluster) {
			withoutImages(m)
			m.NodePools = slices.Delete(m.NodePools, 1, 2)
			m.Slurm().Partitions = m.Slurm().Partitions[:1]
		}, fields{cluster.PathNodePools, cluster.PathPartitions}, user},
		{"add-spot-pool", planned, func(m *cluster.ModelDevelopmentCluster) {
			withoutImages(m)
			m.NodePools = append(m.NodePools, &cluster.NodePool{
				ID: "spot", MachineSpec: &cluster.MachineSpec{MachineType: "a4-highgpu-8g", AcceleratorType: "NVIDIA_B200", AcceleratorCount: 8},
				ScalingSpec: &cluster.ScalingSpec{MaxNodeCount: 16}, Zone: "us-central1-a",
				BootDisk: &cluster.DiskSpec{BootDiskType: "hyperdisk-balanced", BootDiskSizeGB: 200}, ProvisioningModel: cluster.ProvisioningModelSpot,
			})
			m.Slurm().Partition("gpu").NodePoolIDs = []string{"a4", "spot"}
		}, fields{cluster.PathNodePools, cluster.PathPartitions}, user},
		{"startup-script", planned, func(m *cluster.ModelDevelopmentCluster) {
			withoutImages(m)
			m.NodePool("a4").StartupScript = strings.Replace(m.NodePool("a4").StartupScript, "swappiness=10", "swappiness=1\nulimit -l unlimited", 1)
		}, fields{cluster.PathNodePools}, user},
		{"settings", planned, func(m *cluster.ModelDevelopmentCluster) {
			m.Slurm().Config = cluster.SlurmConfig{"preempt_mode": "CANCEL", "PriorityType": "priority/multifactor", "PriorityWeightAge": "1000", "SchedulerParameters": "bf_continue"}
			m.Slurm().Partition("gpu").Config = nil
			m.Slurm().DefaultPartitionID = "cpu"
		}, fields{cluster.PathPartitions, cluster.PathDefaultPartitionID, cluster.PathConfig}, user},
		{"migrate-to-config", legacy, func(m *cluster.ModelDevelopmentCluster) {
			if err := m.MigrateToConfig(); err != nil {
				panic(err)
			}
		}, fields{cluster.PathConfig, cluster.Clear(cluster.PathScheduling), cluster.Clear(cluster.PathAccounting)}, user},
		{"labels-and-latest-images", manyPools, func(m *cluster.ModelDevelopmentCluster) {
			withoutImages(m)
			m.Labels = map[string]string{"env": "prod", "team": "speech", "cost-center": "42"}
		}, fields{cluster.PathLabels, cluster.PathNodePools}, service},
		{"pin-image", planned, func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("a4").NodeImage = "projects/example-image-project/global/images/example-slurm-image-20261101"
			m.NodePool("login").NodeImage = "projects/example-image-project/global/images/family/example-slurm"
		}, fields{cluster.PathNodePools}, user},
		{"refused", planned, func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("a4").BootDisk.BootDiskType = "pd-standard"
			m.NodePools = slices.Delete(m.NodePools, 1, 2)
			m.Slurm().Scheduling = &cluster.Scheduling{PreemptMode: "CANCEL"}
		}, fields{cluster.PathNodePools, cluster.PathScheduling}, user},
	} {
		t.Run(tt.name, func(t *testing.T) {
			current, want := tt.from(t), tt.from(t)
			tt.edit(want)
			p := cluster.PlanUpdate(current, want, tt.mask, tt.mode)
			goldenPlan(t, tt.name+".txt", p.String()+"\n")
			goldenPlan(t, tt.name+".md", p.Markdown()+"\n")
		})
	}
}

func withoutImages(m *cluster.ModelDevelopmentCluster) {
	for _, p := range m.NodePools {
		p.NodeImage = ""
	}
}

// legacy is a cluster with the older settings.
func legacy(t *testing.T) *cluster.ModelDevelopmentCluster {
	m := planned(t)
	s := m.Slurm()
	s.Config = nil
	s.Scheduling = &cluster.Scheduling{PriorityType: "priority/multifactor", PriorityWeightAge: 1000}
	s.Accounting = &cluster.Accounting{AccountingStorageEnforce: "associations,limits,qos"}
	return m
}

func goldenPlan(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "plans", name)
	want, err := golden.File(path, got, *update)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (go test -run TestTypicalPlans -update writes it anew): %s", path, diff)
	}
}

func TestPlanIsJSON(t *testing.T) {
	current, want := planned(t), planned(t)
	want.Labels["team"] = "speech"
	want.NodePools = want.NodePools[:2]
	want.Slurm().LoginNodePoolID = "cpu"
	out, err := json.Marshal(cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathLabels, cluster.PathNodePools, cluster.PathLoginNodePoolID}, cluster.UpdateModeUserOnly))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"cluster":"training"`, `"mode":"USER_ONLY"`, `{"path":"labels.team","kind":"MODIFY","old":"vision","new":"speech"}`,
		`{"kind":"POOL_REMOVAL","name":"login","nodes":2,"reason":"left out of node_pools"}`} {
		if !strings.Contains(string(out), part) {
			t.Errorf("%s is not in %s", part, out)
		}
	}
}

// TestPlanShowsWhatItDoesNotKnow: members of a later version appear under the name that a mask has for them.
func TestPlanShowsWhatItDoesNotKnow(t *testing.T) {
	current, want := planned(t), planned(t)
	want.Unknown.Set("maintenanceWindow", json.RawMessage(`{"day":"SUNDAY"}`))
	want.NodePools[0].Unknown.Set("shiny", json.RawMessage(`[1]`))
	mask, err := cluster.ChangedFields(current, want)
	if err != nil {
		t.Fatal(err)
	}
	got := cluster.PlanUpdate(current, want, mask, cluster.UpdateModeUserOnly).String()
	for _, part := range []string{"mask: node_pools,maintenance_window\n", "  ~ a4\n      + shiny: [1]\n", "\n+ maintenance_window: {\"day\":\"SUNDAY\"}\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in\n%s", part, got)
		}
	}
	if strings.Contains(got, "maintenance_window: unchanged") {
		t.Error(got)
	}
}

// TestPlansAreSafeToShow: names and values are other people's text.
func TestPlansAreSafeToShow(t *testing.T) {
	current, want := planned(t), planned(t)
	want.NodePool("a4").StartupScript = "#!/bin/bash\necho \x1b[2J```\n"
	want.NodePools[1].ID = "x\x1b[31m`*<b>_\nEffects:"
	p := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	for _, shown := range []string{p.String(), p.Markdown()} {
		if strings.ContainsRune(shown, '\x1b') || strings.Count(shown, "\nEffects:") > 1 {
			t.Errorf("a control character gets through: %q", shown)
		}
	}
	if md := p.Markdown(); !strings.Contains(md, "\n````diff\n") || !strings.Contains(md, "\\`\\*\\<b\\>\\_") {
		t.Errorf("Markdown reads something into a name or a script:\n%s", md)
	}
}

func TestPlanOfNothing(t *testing.T) {
	var p *cluster.Plan
	if p.String() != "no plan" || p.Markdown() != "No plan." || p.Refused() || p.Destructive() || !p.Empty() || p.Result() != nil {
		t.Error("a nil plan is not safe")
	}
	m := planned(t)
	nilPool := planned(t)
	nilPool.NodePools = append(nilPool.NodePools, nil)
	for _, tt := range []struct {
		name          string
		current, want *cluster.ModelDevelopmentCluster
		mask          cluster.FieldMask
		mode          cluster.UpdateMode
		refusal       string
	}{
		{"no cluster", nil, m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly, "there is no cluster to plan for"},
		{"nothing wanted", m, nil, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly, "current or want is nil"},
		{"no mask and no mode", m, m, nil, "", "update_mask: the update mask is empty"},
		{"no mode", m, m, cluster.FieldMask{cluster.PathLabels}, "", "update_mode: the update mode is not set"},
		{"a nil pool", m, nilPool, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly, "node_pools[3]: want an element, got nil"},
		{"a path that is none", m, m, cluster.FieldMask{"node_pools[1]"}, cluster.UpdateModeUserOnly, "the field node_pools is replaced whole"},
	} {
		p := cluster.PlanUpdate(tt.current, tt.want, tt.mask, tt.mode)
		if !p.Refused() || !strings.Contains(p.String(), tt.refusal) || p.Result() != nil || p.Markdown() == "" {
			t.Errorf("%s: %s", tt.name, p)
		}
	}
}

// TestPlanKnowsWhatWasThere: what a plan warns of is new. A cluster of a later version is full of members that this
// one does not know, and what the service has taken before it takes again.
func TestPlanKnowsWhatWasThere(t *testing.T) {
	current := planned(t)
	current.Unknown.Set("maintenanceWindow", json.RawMessage(`{}`))
	current.NodePool("a4").BootDisk.BootDiskType = "pd-standard" // a rule of ours says no, and the service evidently does not
	want := parse(t, marshal(t, current))
	want.NodePools = slices.Concat(want.NodePools[2:], want.NodePools[:2])
	want.NodePool("cpu").Unknown.Set("nodeImag", json.RawMessage(`"x"`))
	p := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	if p.Refused() || len(p.Warnings) != 1 || !strings.Contains(p.String(), "node_pools[2].nodeImag: unknown; did you mean node_image?") {
		t.Errorf("%s", p)
	}
}

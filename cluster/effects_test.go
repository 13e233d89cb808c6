package cluster_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestEffectsOnNodes: what the guides say recreates nodes is sure, and what Compute Engine implies is possible.
func TestEffectsOnNodes(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(m *cluster.ModelDevelopmentCluster)
		want []string // KIND NAME NODES, with a question mark if it is only possible; images apart
	}{
		{"startup script", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("a4").StartupScript = "" }, []string{"NODE_RECREATION a4 4"}},
		{"filestores", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").Filestores = []string{"x"} }, []string{"NODE_RECREATION cpu 8"}},
		{"lustres", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("login").Lustres = []string{"x"} }, []string{"LOGIN_RECREATION login 2"}},
		{"machine", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").MachineSpec.MachineType = "n2-standard-16" }, []string{"NODE_RECREATION? cpu 8"}},
		{"zone and script", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").Zone, m.NodePool("cpu").StartupScript = "us-central1-b", "x"
		}, []string{"NODE_RECREATION cpu 8"}},
		{"disk", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").BootDisk.BootDiskSizeGB = 200 }, []string{"NODE_RECREATION? cpu 8"}},
		{"the default provisioning model", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").ProvisioningModel = cluster.ProvisioningModelOnDemand
		}, nil},
		{"another provisioning model", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").ProvisioningModel = cluster.ProvisioningModelSpot
		}, []string{"NODE_RECREATION? cpu 8"}},
		{"what this version does not know", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").Unknown.Set("shiny", json.RawMessage(`1`))
		}, []string{"NODE_RECREATION? cpu 8"}},
		{"labels", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").Labels = map[string]string{"a": "b"} }, nil},
		{"order", func(m *cluster.ModelDevelopmentCluster) { slices.Reverse(m.NodePools) }, nil},
		{"login pool", func(m *cluster.ModelDevelopmentCluster) { m.Slurm().LoginNodePoolID = "cpu" }, []string{"NODE_RECREATION? cpu 8", "LOGIN_RECREATION? login 2"}},
		{"all dynamic", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("a4").ScalingSpec.MinNodeCount = 0 }, []string{"NODE_RELEASE a4 4"}},
		{"smaller", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 1, MaxNodeCount: 1}
		}, []string{"NODE_REMOVAL cpu 7"}},
		{"smaller and dynamic", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("a4").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 1, MaxNodeCount: 3}
		}, []string{"NODE_REMOVAL a4 1", "NODE_RELEASE a4 2"}},
		{"larger", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 3, MaxNodeCount: 9}
		}, []string{"NODE_ADDITION cpu 1", "NODE_ADDITION? cpu 1"}},
		{"fewer login nodes", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("login").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 1, MaxNodeCount: 1}
		}, []string{"LOGIN_RECREATION login 1"}},
		{"no login pool", func(m *cluster.ModelDevelopmentCluster) { m.NodePools = m.NodePools[:2] }, []string{"POOL_REMOVAL login 2", "LOGIN_RECREATION login 2"}},
		{"renamed", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").ID = "cpu2" }, []string{"POOL_REMOVAL cpu 8", "POOL_CREATION cpu2 8"}},
	} {
		current, want := planned(t), planned(t)
		tt.edit(want)
		p := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathNodePools, cluster.PathLoginNodePoolID}, cluster.UpdateModeUserOnly)
		var got []string
		for _, e := range p.Effects {
			if e.Name != "" && !strings.HasPrefix(string(e.Kind), "IMAGE_") {
				got = append(got, fmt.Sprintf("%s%s %s %d", e.Kind, map[bool]string{true: "?"}[e.Possible], e.Name, e.Nodes))
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestPlansMindTheState: states that are known to take no update are refused, and new ones get the benefit of the doubt.
func TestPlansMindTheState(t *testing.T) {
	for state, refused := range map[cluster.State]bool{"": false, "RUNNING": false, "UPDATING": true, "PROVISIONING": true, "STOPPING": true, "ERROR": true, "REBOOTING": false} {
		current, want := planned(t), planned(t)
		current.ClusterStatus.State = state
		want.Labels["a"] = "b"
		if p := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly); p.Refused() != refused {
			t.Errorf("in state %q: %s", state, p)
		}
	}
	c, srv := edited(t, planned(t))
	if err := srv.SetClusterState("training", "ERROR", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := c.EditCluster(t.Context(), "training", resize, nil, cluster.WithoutValidation()); err == nil || len(patches(srv)) != 1 {
		t.Errorf("WithoutValidation lets the service decide: %v, %d sent", err, len(patches(srv)))
	}
}

package cluster_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestPlanWarnings: what the service takes, and nobody means.
func TestPlanWarnings(t *testing.T) {
	type fields = cluster.FieldMask
	for _, tt := range []struct {
		name string
		edit func(m *cluster.ModelDevelopmentCluster)
		mask cluster.FieldMask
		want []string // parts, one for each warning
	}{
		{"a change outside of the mask", func(m *cluster.ModelDevelopmentCluster) { _ = resize(m); m.Labels["team"] = "speech" }, fields{cluster.PathLabels},
			[]string{"node_pools: it differs from the cluster, but the mask does not name it: the change is not sent"}},
		{"a file has no images, whatever the cluster shows", func(m *cluster.ModelDevelopmentCluster) { withoutImages(m); m.Labels["team"] = "speech" }, fields{cluster.PathLabels},
			nil},
		{"a path above what changes", func(m *cluster.ModelDevelopmentCluster) {
			m.Network.Subnetwork = "projects/my-project/regions/us-central1/subnetworks/other"
			m.Slurm().LoginNodePoolID = "cpu"
		}, fields{cluster.Unlisted("network")}, []string{"orchestrator_spec.slurm_spec.login_node_pool_id: it differs"}},
		{"members in the other spelling", func(m *cluster.ModelDevelopmentCluster) {
			m.Unknown.Set("newThing", json.RawMessage("1"))
			m.Slurm().Unknown.Set("newThing", json.RawMessage("1"))
		}, fields{cluster.Unlisted("new_thing"), cluster.Unlisted("orchestrator_spec.slurm_spec.new_thing")},
			[]string{"newThing: unknown to this version", "orchestrator_spec.slurm_spec.newThing: unknown to this version"}},
		{"another first partition", func(m *cluster.ModelDevelopmentCluster) { slices.Reverse(m.Slurm().Partitions) }, fields{cluster.PathPartitions},
			[]string{`the default partition becomes "cpu" in place of "gpu"`}},
		{"another first partition, and a default that is named", func(m *cluster.ModelDevelopmentCluster) {
			slices.Reverse(m.Slurm().Partitions)
			m.Slurm().DefaultPartitionID = "gpu"
		}, fields{cluster.PathPartitions, cluster.PathDefaultPartitionID}, nil},
		{"no partition at all", func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Partitions = nil }, fields{cluster.Clear(cluster.PathPartitions)},
			[]string{`node_pools[0]: no partition has the pool "a4", so that no job runs on its nodes`, `node_pools[1]: no partition has the pool "cpu"`}},
		{"a pool without a partition", func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Partition("cpu").NodePoolIDs = []string{"a4"} },
			fields{cluster.PathPartitions}, []string{`node_pools[1]: no partition has the pool "cpu"`}},
		{"a new pool without a partition", func(m *cluster.ModelDevelopmentCluster) {
			pool := *m.NodePool("cpu")
			pool.ID = "more"
			m.NodePools = append(m.NodePools, &pool)
		}, fields{cluster.PathNodePools}, []string{`node_pools[3]: no partition has the pool "more"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			current, want := planned(t), planned(t)
			tt.edit(want)
			p := cluster.PlanUpdate(current, want, tt.mask, cluster.UpdateModeUserOnly)
			if len(p.Warnings) != len(tt.want) || p.Refused() {
				t.Fatalf("want %q, got\n%s", tt.want, p)
			}
			for i, w := range p.Warnings {
				if text := w.Field + ": " + w.Description; !strings.Contains(text, tt.want[i]) {
					t.Errorf("got %q\nwant %q", text, tt.want[i])
				}
			}
		})
	}
}

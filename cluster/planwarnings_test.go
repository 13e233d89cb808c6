package cluster_test

import (
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

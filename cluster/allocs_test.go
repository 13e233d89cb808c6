//go:build !race

package cluster_test

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestAllocations bounds what each further pool costs, with its partition and its two nodes: messages, lists and maps,
// and next to nothing besides. Two sizes are compared, so that what is made once does not count. The race detector, and
// it alone, allocates as well.
func TestAllocations(t *testing.T) {
	const few, many = 50, 100
	const mode = cluster.UpdateModeUserOnly
	mask := cluster.FieldMask{cluster.PathNodePools}
	plan := func(edit func(*cluster.ModelDevelopmentCluster) error) func(pools int) func() {
		return func(pools int) func() {
			current, want := editedCluster(t, pools, edit)
			return func() { cluster.PlanUpdate(current, want, mask, mode) }
		}
	}
	for name, tt := range map[string]struct {
		prepare func(pools int) func()
		most    float64 // of a pool
	}{
		"decode": {func(pools int) func() {
			doc := largeCluster(t, pools)
			return func() { decodeCluster(t, doc) }
		}, 28},
		"encode": {func(pools int) func() {
			m := decodeCluster(t, largeCluster(t, pools))
			return func() { encode(t, m) }
		}, 0.1},
		"plan of a change":  {plan(grow), 56},
		"plan of no change": {plan(leave), 19},
		"changed fields": {func(pools int) func() {
			current, want := editedCluster(t, pools, grow)
			return func() { _, _ = cluster.ChangedFields(current, want) }
		}, 0.1},
	} {
		const runs = 20
		least, most := testing.AllocsPerRun(runs, tt.prepare(few)), testing.AllocsPerRun(runs, tt.prepare(many))
		if each := (most - least) / (many - few); each > tt.most {
			t.Errorf("%s: %.1f allocations for each pool, want at most %.1f", name, each, tt.most)
		} else {
			t.Logf("%s: %.1f allocations for each pool, %.0f for %d", name, each, least, few)
		}
	}
}

package cluster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestPlanIsApart: a plan takes what it shares from its own copy only. It changes neither cluster, and what becomes of
// them and of its Result changes nothing in it.
func TestPlanIsApart(t *testing.T) {
	for name, mask := range map[string]cluster.FieldMask{
		"a part": {cluster.PathNodePools, cluster.PathPartitions, cluster.PathLabels},
		"little": {cluster.PathLabels},
		"all":    {cluster.AllFields},
	} {
		for _, mode := range []cluster.UpdateMode{cluster.UpdateModeUserOnly, cluster.UpdateModeUserAndService} {
			current, want := editedCluster(t, 3, grow3)
			before, wanted := string(encode(t, current)), string(encode(t, want))
			p := cluster.PlanUpdate(current, want, mask, mode)
			if string(encode(t, current)) != before || string(encode(t, want)) != wanted {
				t.Fatalf("%s, %s: planning changed a cluster", name, mode)
			}
			said, result := told(t, p), string(encode(t, p.Result()))
			for _, m := range []*cluster.ModelDevelopmentCluster{current, want, p.Result()} {
				spoil(m)
			}
			if told(t, p) != said || string(encode(t, p.Result())) != result {
				t.Errorf("%s, %s: the plan changed with a cluster, to\n%s", name, mode, p)
			}
		}
	}
}

func grow3(m *cluster.ModelDevelopmentCluster) error {
	m.NodePools[1].ScalingSpec.MaxNodeCount++
	m.Labels["new"] = "x"
	return nil
}

func told(t *testing.T, p *cluster.Plan) string {
	t.Helper()
	doc, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return p.String() + string(doc)
}

// spoil changes what it can reach.
func spoil(m *cluster.ModelDevelopmentCluster) {
	for _, pool := range m.NodePools {
		pool.ID, pool.NodeImage, pool.Filestores[0], pool.ScalingSpec.MaxNodeCount = "spoilt", "spoilt", "spoilt", 999
		pool.Labels["spoilt"] = "spoilt"
		pool.Unknown.Set("maintenance", json.RawMessage(`"spoilt"`))
	}
	s := m.Slurm()
	s.Partitions[0].Config.Set("MaxTime", "spoilt")
	s.Config.Set("PreemptMode", "spoilt")
	s.Scheduling = &cluster.Scheduling{PreemptMode: "spoilt"}
	m.Labels["env"] = "spoilt"
	m.ClusterStatus.NodesStatus[0].NodeState = "spoilt"
}

// TestSpellingsOfParameters holds the comparison of two names against the rule: case and underscores do not count.
func TestSpellingsOfParameters(t *testing.T) {
	names := []string{
		"", "_", "__", "MaxTime", "max_time", "_MAXTIME_", "MaxTimes", "MaxTim", "maxtimé", "MAXTIMÉ", "K", "k", "\u212a", "S", "\u017f", "_k", "max\xff", "MAX\xff",
	}
	rule := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	for _, a := range names {
		for _, b := range names {
			if _, same := (cluster.SlurmConfig{a: "1"}).Get(b); same != (rule(a) == rule(b)) {
				t.Errorf("%q and %q: one parameter %t", a, b, same)
			}
		}
	}
}

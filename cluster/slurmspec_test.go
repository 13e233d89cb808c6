package cluster_test

import (
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

func TestNodeSets(t *testing.T) {
	s := &cluster.SlurmSpec{NodeSets: []*cluster.NodeSet{nil, {NodePoolID: "cpu"}}}
	if s.NodeSet("cpu") != s.NodeSets[1] || s.NodeSet("gpu") != nil || s.EnsureNodeSet("cpu") != s.NodeSets[1] || len(s.NodeSets) != 2 {
		t.Errorf("%v", s.NodeSets)
	}
	s.EnsureNodeSet("gpu").Config.Set("Weight", "10")
	if n := s.NodeSet("gpu"); n == nil || n != s.NodeSets[2] || n.NodePoolID != "gpu" || n.Config["Weight"] != "10" {
		t.Errorf("%v", s.NodeSets)
	}
}

func TestSetDefaultPartition(t *testing.T) {
	m := &cluster.ModelDevelopmentCluster{}
	if err := m.SetDefaultPartition("gpu"); err == nil || err.Error() != `cluster: cannot make "gpu" the default partition; want the id of a partition: there are none` {
		t.Errorf("%v", err)
	}
	m.Slurm().Partitions = []*cluster.Partition{{ID: "cpu"}, nil, {ID: "gpu"}, {}}
	if err := m.SetDefaultPartition("gpu"); err != nil || m.Slurm().DefaultPartitionID != "gpu" {
		t.Errorf("%v, %q", err, m.Slurm().DefaultPartitionID)
	}
	for _, id := range []string{"", "GPU", "login"} {
		if err := m.SetDefaultPartition(id); err == nil || !strings.Contains(err.Error(), "there are cpu, gpu") || m.Slurm().DefaultPartitionID != "gpu" {
			t.Errorf("%q: %v", id, err)
		}
	}
}

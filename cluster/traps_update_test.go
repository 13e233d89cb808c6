package cluster_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// Forgetting updateMode means USER_AND_SERVICE: an edit that has nothing to do with machines replaces all of them, if a
// newer default image has come out.
func TestTrap01ModeForgottenReplacesNodes(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.srv.SetDefaultImage("", newImage)
		tr.patch("updateMask="+cluster.PathDefaultPartitionID, `{"orchestrator_spec": {"slurm_spec": {"default_partition_id": "cpu"}}}`)
		tr.nodes(allNew)

		tr.reset()
		m := tr.now()
		m.Slurm().DefaultPartitionID = "cpu"
		_, err := tr.c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathDefaultPartitionID}, "")
		tr.unsent(err, "the update mode is not set; choose UpdateModeUserOnly, which changes only the fields of the mask")

		tr.srv.SetDefaultImage("", newImage)
		tr.edit(func(m *cluster.ModelDevelopmentCluster) error { return m.SetDefaultPartition("cpu") }, nil)
		tr.nodes(allKept)
		if id := tr.now().Slurm().DefaultPartitionID; id != "cpu" {
			t.Errorf("the default partition is %q", id)
		}
	})
}

// Without a mask the service takes the body for the whole cluster: what it leaves out is removed, without a word.
func TestTrap02MaskForgottenRemovesTheRest(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY", `{`+fixedFields+`, "node_pools": [`+strings.Replace(threePools, `"max_node_count": 8`, `"max_node_count": 16`, 1)+`],
			"orchestrator_spec": {"slurm_spec": {`+homeStorage+`, "login_node_pool_id": "login",
				"partitions": [{"id": "gpu", "node_pool_ids": ["a4"]}, {"id": "cpu", "node_pool_ids": ["cpu"]}]}}}`)
		if m := tr.now(); len(m.Labels)+len(m.Slurm().Config)+len(m.Slurm().PrologBashScripts) > 0 {
			t.Errorf("the service has kept what was left out: %v", m)
		}
		shrunk := tr.now()

		tr.reset()
		shrunk.Name = "training"
		_, err := tr.c.UpdateCluster(t.Context(), shrunk, nil, cluster.UpdateModeUserOnly)
		tr.unsent(err, "the update mask is empty, and without one the service removes whatever the request leaves out")
		tr.contains(cluster.PlanUpdate(tr.now(), shrunk, cluster.FieldMask{cluster.AllFields}, cluster.UpdateModeUserOnly).String(),
			`- env: "prod"`, `- PreemptMode: "REQUEUE"`, "- orchestrator_spec.slurm_spec.prolog_bash_scripts")

		tr.edit(resize, nil)
		if m := tr.now(); len(m.Labels) != 2 || len(m.Slurm().Config) != 3 || len(m.Slurm().PrologBashScripts) != 1 || m.NodePool("cpu").ScalingSpec.MaxNodeCount != 16 {
			t.Errorf("the edit has done something else: %s", tr.srv.Cluster("training"))
		}
	})
}

// A path in the mask whose field is not in the body, by a slip of the pen or since it is a zero value, clears the field.
func TestTrap03MaskedFieldMissingIsCleared(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask=labels,"+cluster.PathPrologBashScripts, `{"labels": {"env": "test"}}`)
		if scripts := tr.now().Slurm().PrologBashScripts; len(scripts) > 0 {
			t.Errorf("the service has kept %q", scripts)
		}

		tr.reset()
		mask := cluster.FieldMask{cluster.PathLabels, cluster.PathPrologBashScripts}
		m := &cluster.ModelDevelopmentCluster{Name: "training", Labels: map[string]string{"env": "test"}}
		_, err := tr.c.UpdateCluster(t.Context(), m, mask, cluster.UpdateModeUserOnly)
		tr.unsent(err, "the update mask names "+cluster.PathPrologBashScripts+", but the cluster has nothing there, and the service would clear the field",
			`use cluster.Clear("`+cluster.PathPrologBashScripts+`") if that is what you want`)

		p := cluster.PlanUpdate(tr.now(), m, mask, cluster.UpdateModeUserOnly)
		tr.contains(p.String(), "- orchestrator_spec.slurm_spec.prolog_bash_scripts: ", "Refused:", "but the cluster has nothing there, and the service would clear the field")
	})
}

// The reverse: where a program's struct leaves out what is empty, as Go's omitempty does, and the mask is made from what
// is left, nothing can be cleared at all.
func TestTrap04OmittedEmptyFieldIsNotCleared(t *testing.T) {
	type update struct {
		Labels    map[string]string `json:"labels,omitempty"`
		NodePools []json.RawMessage `json:"node_pools,omitempty"`
	}
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		pools := []json.RawMessage{json.RawMessage(poolA4), json.RawMessage(poolCPU), json.RawMessage(poolLogin)}
		body := marshal(t, update{Labels: map[string]string{}, NodePools: pools})
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatal(err)
		}
		mask := ""
		for name := range members {
			mask += name
		}
		tr.patch("updateMode=USER_ONLY&updateMask="+mask, string(body))
		if labels := tr.now().Labels; len(labels) != 2 {
			t.Errorf("the service has removed the labels: %v", labels)
		}

		tr.reset()
		tr.edit(func(m *cluster.ModelDevelopmentCluster) error { m.Labels = map[string]string{}; return nil }, nil)
		if sent := patches(tr.srv); tr.now().Labels != nil || string(sent[0].Body) != `{"labels":{}}` {
			t.Errorf("labels %v after %s", tr.now().Labels, sent[0].Body)
		}
	})
}

// Lists are replaced whole: a node pool that the body leaves out is deleted with its nodes.
func TestTrap05PoolLeftOutIsDeleted(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask=node_pools,"+cluster.PathPartitions, `{"node_pools": [`+poolA4+`, `+poolLogin+`],
			"orchestrator_spec": {"slurm_spec": {"partitions": [{"id": "gpu", "node_pool_ids": ["a4"], "config": {"MaxTime": "2-00:00:00"}}]}}}`)
		tr.nodes("a4 kept, cpu gone, login kept")

		tr.reset()
		leaveOut := func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePools = slices.Delete(m.NodePools, 1, 2)
			m.Slurm().Partitions = m.Slurm().Partitions[:1]
			return nil
		}
		_, err := tr.c.EditCluster(t.Context(), "training", leaveOut, nil)
		tr.unsent(err, "pool cpu: deleted, with up to 8 nodes", "partition cpu: deleted",
			"if that is meant, allow it with EditOptions{Allow: []cluster.EffectKind{cluster.EffectPoolRemoval, cluster.EffectPartitionRemoval}}")

		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Partition("gpu").Config.Set("MaxTime", "2-00:00:00")
			return nil
		}, nil)
		tr.nodes(allKept)
	})
}

// Maps are replaced whole, too: to change one parameter of config drops the others.
func TestTrap06OneKeySentDropsTheOthers(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask="+cluster.PathConfig, `{"orchestrator_spec": {"slurm_spec": {"config": {"PriorityWeightAge": "2000"}}}}`)
		if config := tr.now().Slurm().Config; len(config) != 1 {
			t.Errorf("the service has kept what was left out: %v", config)
		}

		tr.reset()
		p := tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Config.Set("PriorityWeightAge", "2000")
			return nil
		}, nil)
		want := cluster.SlurmConfig{"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "PriorityWeightAge": "2000"}
		if config := tr.now().Slurm().Config; !config.Equal(want) || len(p.Changes) != 1 {
			t.Errorf("config %v, by\n%s", config, p)
		}
	})
}

// Case and underscores do not count in the names of parameters: what looks like a further one can be one that is there.
func TestTrap07SecondSpellingOfAParameter(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask="+cluster.PathConfig, `{"orchestrator_spec": {"slurm_spec": {
			"config": {"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "preempt_mode": "CANCEL"}}}}`), "slurm_spec.config")

		tr.reset()
		_, err := tr.c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Config["preempt_mode"] = "CANCEL"
			return nil
		}, nil)
		tr.unsent(err, cluster.PathConfig+".preempt_mode", `"PreemptMode" and "preempt_mode" are one parameter`)

		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Config.Set("preempt_mode", "CANCEL")
			return nil
		}, nil)
		if config := tr.now().Slurm().Config; len(config) != 3 || config["PreemptMode"] != "CANCEL" {
			t.Errorf("config %v", config)
		}
	})
}

// To send partitions for the sake of their pools drops the config of each and, by their order, can make another
// partition the default.
func TestTrap08PartitionsSentWithoutTheirConfig(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask="+cluster.PathPartitions, `{"orchestrator_spec": {"slurm_spec": {
			"partitions": [{"id": "cpu", "node_pool_ids": ["cpu", "a4"]}, {"id": "gpu", "node_pool_ids": ["a4"]}]}}}`)
		if s := tr.now().Slurm(); len(s.Partition("gpu").Config) > 0 || s.DefaultPartitionID != "" || s.Partitions[0].ID != "cpu" {
			t.Errorf("partitions %s", marshal(t, s.Partitions))
		}

		tr.reset()
		addPool := func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Partition("cpu").NodePoolIDs = []string{"cpu", "a4"}
			return nil
		}
		p, err := tr.c.PlanEdit(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
			slices.Reverse(m.Slurm().Partitions)
			return addPool(m)
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr.contains(p.String(), `~ order: ["gpu","cpu"] -> ["cpu","gpu"]`, `? orchestrator_spec.slurm_spec.partitions: the default partition becomes "cpu" in place of "gpu"`)

		tr.edit(addPool, nil)
		if s := tr.now().Slurm(); s.Partition("gpu").Config["MaxTime"] != "4-00:00:00" || s.Partitions[0].ID != "gpu" || len(s.Partition("cpu").NodePoolIDs) != 2 {
			t.Errorf("partitions %s", marshal(t, s.Partitions))
		}
	})
}

// The partition that default_partition_id names cannot be removed, nor renamed.
func TestTrap09DefaultPartitionRenamed(t *testing.T) {
	inTrap(t, written(`"default_partition_id": "gpu", `+settings), func(t *testing.T, tr *trap) {
		tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask="+cluster.PathPartitions, `{"orchestrator_spec": {"slurm_spec": {
			"partitions": [{"id": "blackwell", "node_pool_ids": ["a4"]}, {"id": "cpu", "node_pool_ids": ["cpu"]}]}}}`), "default_partition_id")

		tr.reset()
		rename := func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Partition("gpu").ID = "blackwell"
			return nil
		}
		opts := &cluster.EditOptions{Allow: []cluster.EffectKind{cluster.EffectPartitionRemoval}}
		_, err := tr.c.EditCluster(t.Context(), "training", rename, opts)
		tr.unsent(err, cluster.PathDefaultPartitionID+`: is "gpu"; want the id of a partition: there are blackwell, cpu`)

		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			return errors.Join(rename(m), m.SetDefaultPartition("blackwell"))
		}, opts)
		if sent := patches(tr.srv); tr.now().Slurm().DefaultPartitionID != "blackwell" || len(sent) != 1 {
			t.Errorf("the default is %s after %v", tr.now().Slurm().DefaultPartitionID, sent)
		}
	})
}

// A pool that a partition, a node set or login_node_pool_id names cannot be removed alone.
func TestTrap10PoolStillReferredTo(t *testing.T) {
	inTrap(t, written(`"node_sets": [{"node_pool_id": "cpu", "config": {"Weight": "10"}}], `+settings), func(t *testing.T, tr *trap) {
		tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask=node_pools", `{"node_pools": [`+poolA4+`, `+poolLogin+`]}`), "node_pool_ids")

		tr.reset()
		opts := &cluster.EditOptions{Allow: []cluster.EffectKind{cluster.EffectPoolRemoval, cluster.EffectPartitionRemoval}}
		removePool := func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePools = slices.Delete(m.NodePools, 1, 2)
			return nil
		}
		_, err := tr.c.EditCluster(t.Context(), "training", removePool, opts)
		tr.unsent(err, cluster.PathPartitions+`[1].node_pool_ids[0]: is "cpu"; want the id of a node pool: there are a4, login`,
			cluster.PathNodeSets+`[0].node_pool_id: is "cpu"`)

		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Partitions, m.Slurm().NodeSets = m.Slurm().Partitions[:1], nil
			return removePool(m)
		}, opts)
		if mask := "node_pools," + cluster.PathPartitions + "," + cluster.PathNodeSets; !strings.Contains(patches(tr.srv)[0].URL, "updateMask="+mask+"&") {
			t.Errorf("sent %v", patches(tr.srv))
		}
		tr.nodes("a4 kept, cpu gone, login kept")
	})
}

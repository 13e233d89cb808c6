package cluster_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// masked is the body that an update sends, or its error.
func masked(t *testing.T, m *cluster.ModelDevelopmentCluster, mask cluster.FieldMask, mode cluster.UpdateMode, opts ...gax.CallOption) (string, error) {
	t.Helper()
	c, w := scripted(t, reply{status: 200, body: string(payload(t, updateDone))})
	_, err := c.UpdateCluster(context.Background(), m, mask, mode, opts...)
	if err != nil {
		if len(w.requests) > 0 {
			t.Errorf("refused, and sent all the same: %v", err)
		}
		return "", err
	}
	return w.requests[0].body, nil
}

func TestMaskedFieldsAreSentWhole(t *testing.T) {
	m := parse(t, payload(t, "response-cluster-get.json"))
	m.NodePool("cpu").Unknown.Set("futureField", json.RawMessage(`{"a":1}`))
	m.Slurm().Unknown.Set("newThing", json.RawMessage(`["x"]`))
	m.Labels = map[string]string{}
	full := m.NodePools
	for _, tt := range []struct {
		name string
		mask cluster.FieldMask
		want []string
		not  []string
	}{
		{"a pool's unknown members ride along", cluster.FieldMask{cluster.PathNodePools}, []string{`"nodePools":[{"id":"cpu"`, `"futureField":{"a":1}`}, []string{"labels", "orchestratorSpec", `"name"`, "clusterStatus"}},
		{"an empty map that is not nil clears", cluster.FieldMask{cluster.PathLabels}, []string{`{"labels":{}}`}, nil},
		{"Clear empties what the struct has", cluster.FieldMask{cluster.Clear(cluster.PathConfig)}, []string{`{"orchestratorSpec":{"slurmSpec":{"config":{}}}}`}, nil},
		{"a cleared list is an empty list", cluster.FieldMask{cluster.Clear(cluster.PathNodeSets)}, []string{`{"orchestratorSpec":{"slurmSpec":{"nodeSets":[]}}}`}, nil},
		{"a cleared message stays away", cluster.FieldMask{cluster.Clear(cluster.PathScheduling)}, []string{`{}`}, []string{"scheduling"}},
		{"a cleared string stays away", cluster.FieldMask{cluster.Clear(cluster.PathDefaultPartitionID)}, []string{`{}`}, []string{"defaultPartitionId"}},
		{"camelCase is understood", cluster.FieldMask{"nodePools", "orchestratorSpec.slurmSpec.partitions"}, []string{`"nodePools":[`, `"partitions":[`}, nil},
		{"what this version does not know can be masked", cluster.FieldMask{cluster.Unlisted("orchestrator_spec.slurm_spec.new_thing")}, []string{`{"orchestratorSpec":{"slurmSpec":{"newThing":["x"]}}}`}, nil},
		{"so can a field that no mask path is documented for", cluster.FieldMask{cluster.Unlisted("display_name")}, []string{`{"displayName":"training"}`}, nil},
	} {
		body, err := masked(t, m, tt.mask, cluster.UpdateModeUserOnly)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in %s", tt.name, want, body)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(body, not) {
				t.Errorf("%s: %q is in %s", tt.name, not, body)
			}
		}
	}
	if len(m.NodePools) != len(full) || m.Name == "" {
		t.Error("the update changed the caller's struct")
	}
	legacy := &cluster.ModelDevelopmentCluster{Name: "training"}
	legacy.Slurm().Accounting = &cluster.Accounting{}
	if body, err := masked(t, legacy, cluster.FieldMask{cluster.PathAccounting}, cluster.UpdateModeUserOnly); err != nil || strings.Contains(body, "accounting") {
		t.Errorf("an empty message that is not nil: %s, %v", body, err)
	}
}

// TestReadModifyWriteLosesNothing sends what was read from a later version of the service back to it, in the ways
// that replace the most, and finds it there unchanged.
func TestReadModifyWriteLosesNothing(t *testing.T) {
	for name, mask := range map[string]cluster.FieldMask{
		"lists": {cluster.PathNodePools, cluster.PathPartitions, cluster.PathConfig},
		"all":   {cluster.AllFields},
	} {
		srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithOperationTime(0), clustertest.WithQuotedIntegers(),
			clustertest.WithNewField("", "top"), clustertest.WithNewField("node_pools", "shiny"), clustertest.WithNewField("node_pools.machine_spec", "turbo"),
			clustertest.WithNewField("orchestrator_spec.slurm_spec.partitions", "flags"))
		var doc map[string]any
		if err := json.Unmarshal(payload(t, "response-cluster-get.json"), &doc); err != nil {
			t.Fatal(err)
		}
		pool := doc["nodePools"].([]any)[0].(map[string]any)
		slurm := doc["orchestratorSpec"].(map[string]any)["slurmSpec"].(map[string]any)
		doc["top"], pool["shiny"] = map[string]any{"deep": []any{1, nil, ""}}, json.Number("9007199254740993")
		pool["machineSpec"].(map[string]any)["turbo"] = "yes"
		slurm["partitions"].([]any)[0].(map[string]any)["flags"] = []any{}
		data, _ := json.Marshal(doc)
		if err := srv.AddCluster("training", data); err != nil {
			t.Fatal(err)
		}
		c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		before, err := c.GetCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		op, err := c.UpdateCluster(t.Context(), before, mask, cluster.UpdateModeUserOnly)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := op.Wait(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		after, err := c.GetCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		// These are the service's own.
		after.UpdateTime, after.ClusterStatus = before.UpdateTime, before.ClusterStatus
		for i, p := range after.NodePools {
			p.NodeImage = before.NodePools[i].NodeImage
		}
		if diff := cmp.Diff(before, after); diff != "" || after.NodePools[0].Unknown.Get("shiny") == nil || after.Unknown.Get("top") == nil {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestUpdatesThatWouldHurtAreRefused before anything is sent. Each row is a way to lose something by accident.
func TestUpdatesThatWouldHurtAreRefused(t *testing.T) {
	read := func() *cluster.ModelDevelopmentCluster { return parse(t, payload(t, "response-cluster-get.json")) }
	legacy := parse(t, payload(t, "cpu-advanced-slurm-legacy.json"))
	legacy.Name = "training"
	legacy.Slurm().Config.Set("PreemptMode", "REQUEUE")
	nameless := read()
	nameless.Name = ""
	poolless := read()
	poolless.NodePools = nil
	nilPool := read()
	nilPool.NodePools = append(nilPool.NodePools, nil)
	nilPartition, nilNodeSet := read(), read()
	nilPartition.Slurm().Partitions = append(nilPartition.Slurm().Partitions, nil)
	nilNodeSet.Slurm().NodeSets = []*cluster.NodeSet{nil}
	userOnly, both := cluster.UpdateModeUserOnly, cluster.UpdateModeUserAndService
	for _, tt := range []struct {
		name string
		m    *cluster.ModelDevelopmentCluster
		mask cluster.FieldMask
		mode cluster.UpdateMode
		want string
	}{
		{"no mode", read(), cluster.FieldMask{cluster.PathNodePools}, "", `INVALID_ARGUMENT: the update mode is not set; choose UpdateModeUserOnly, which changes only the fields of the mask, or UpdateModeUserAndService, which also refreshes`},
		{"unspecified mode is the service's default", read(), cluster.FieldMask{cluster.PathNodePools}, "UPDATE_MODE_UNSPECIFIED", `unknown update mode "UPDATE_MODE_UNSPECIFIED"; choose`},
		{"no mask", read(), nil, userOnly, `the update mask is empty, and without one the service removes whatever the request leaves out`},
		{"field not set", read(), cluster.FieldMask{cluster.PathScheduling}, userOnly, `the update mask names orchestrator_spec.slurm_spec.scheduling, but the cluster has nothing there, and the service would clear the field; set it, or use cluster.Clear("orchestrator_spec.slurm_spec.scheduling")`},
		{"labels under the service's mode", read(), cluster.FieldMask{cluster.PathLabels}, both, `an update of labels alone under USER_AND_SERVICE can replace nodes with a newer image; use UpdateModeUserOnly, or Client.RefreshCluster`},
		{"the same, spelled to get around", read(), cluster.FieldMask{cluster.Clear("labels")}, both, `labels alone`},
		{"config on a cluster of the older form", legacy, cluster.FieldMask{cluster.PathConfig}, userOnly, `orchestrator_spec.slurm_spec.config: stands together with scheduling or accounting, which the service refuses; put every setting into config under its slurm.conf name, as MigrateToConfig does, and clear the older form in the same update with FieldMask{PathConfig, Clear(PathScheduling), Clear(PathAccounting)}`},
		{"all fields, the same", legacy, cluster.FieldMask{cluster.AllFields}, both, `orchestrator_spec.slurm_spec.config: stands together with scheduling`},
		{"all fields without pools", poolless, cluster.FieldMask{cluster.AllFields}, both, `without node pools would delete them all`},
		{"a nil partition", nilPartition, cluster.FieldMask{cluster.PathPartitions}, userOnly, `orchestrator_spec.slurm_spec.partitions[1]: is nil; want a partition`},
		{"a nil node set", nilNodeSet, cluster.FieldMask{cluster.AllFields}, userOnly, `orchestrator_spec.slurm_spec.node_sets[0]: is nil; want a node set`},
		{"a nil pool", nilPool, cluster.FieldMask{cluster.PathNodePools}, userOnly, `node_pools[2]: is nil; want a node pool`},
		{"no name", nameless, cluster.FieldMask{cluster.PathNodePools}, userOnly, `cluster name is empty; want an id, or projects/PROJECT/locations/us-central1/modelDevelopmentClusters/ID`},
		{"nil", nil, cluster.FieldMask{cluster.PathNodePools}, userOnly, `the cluster is nil`},
	} {
		if body, err := masked(t, tt.m, tt.mask, tt.mode); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v (sent %q); want %q", tt.name, err, body, tt.want)
		}
	}
}

func TestMaskPathsThatAreNone(t *testing.T) {
	for path, want := range map[string]string{
		"orchestrator_spec.slurm_spec.config.PreemptMode":     `the field orchestrator_spec.slurm_spec.config is replaced whole, and no path leads into it`,
		"node_pools[1].scaling_spec":                          `the field node_pools is replaced whole`,
		"orchestratorSpec.slurmSpec.config.preemptMode":       `the field orchestrator_spec.slurm_spec.config is replaced whole`,
		"orchestrator_spec.slurm_spec":                        `a parent path is not accepted; name the fields below it: orchestrator_spec.slurm_spec.partitions, `,
		"orchestrator_spec":                                   `a parent path is not accepted`,
		"partitions":                                          `want the full path orchestrator_spec.slurm_spec.partitions`,
		"nodeSets":                                            `want the full path orchestrator_spec.slurm_spec.node_sets`,
		"display_name":                                        `the field is set when the cluster is created and cannot be updated`,
		"runtimeSpec.serviceAccount":                          `cannot be updated`,
		"orchestrator_spec.slurm_spec.home_directory_storage": `cannot be updated`,
		"node_pool":                                           `unknown; did you mean node_pools?`,
		"lables":                                              `unknown; did you mean labels?`,
		"something_new":                                       `unknown; the service documents labels, node_pools, `,
		"":                                                    `unknown; the service documents`,
		"node_pools, zone":                                    `unknown; `,
	} {
		_, err := masked(t, &cluster.ModelDevelopmentCluster{Name: "training"}, cluster.FieldMask{path}, cluster.UpdateModeUserOnly)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", path, err, want)
		}
	}
	for _, mask := range []cluster.FieldMask{
		{cluster.PathLabels, cluster.AllFields}, {cluster.Clear(cluster.AllFields)}, {cluster.Unlisted(cluster.AllFields)},
		{cluster.PathConfig, cluster.Unlisted("orchestrator_spec.slurm_spec")}, {cluster.Unlisted("orchestrator_spec"), cluster.Clear(cluster.PathConfig)},
		{cluster.PathLabels, "labels"},
		{cluster.Unlisted("a b")}, {cluster.Unlisted("x&updateMode=USER_AND_SERVICE")}, {cluster.Unlisted("")},
		{cluster.Unlisted("labels.x.y")},
	} {
		m := &cluster.ModelDevelopmentCluster{Name: "training", Labels: map[string]string{"a": "b"}}
		m.Slurm().Config.Set("PreemptMode", "REQUEUE")
		if body, err := masked(t, m, mask, cluster.UpdateModeUserOnly); err == nil {
			t.Errorf("mask %q was sent with %s", mask, body)
		}
	}
}

func TestParseFieldMask(t *testing.T) {
	mask, err := cluster.ParseFieldMask("nodePools,orchestrator_spec.slurm_spec.config")
	if err != nil || mask.String() != "node_pools,orchestrator_spec.slurm_spec.config" {
		t.Errorf("mask %q, %v", mask, err)
	}
	for _, bad := range []string{"", "node_pools,", "config", "node_pools,node_pools"} {
		if mask, err := cluster.ParseFieldMask(bad); err == nil || !strings.HasPrefix(err.Error(), "cluster: ") {
			t.Errorf("ParseFieldMask(%q) = %q, %v", bad, mask, err)
		}
	}
}

func TestSlurmConfigKnowsEverySpelling(t *testing.T) {
	var c cluster.SlurmConfig
	c.Set("PreemptMode", "REQUEUE")
	c.Set("preempt_mode", "CANCEL")
	c.Set("PriorityWeightAge", "1000")
	if len(c) != 2 || c["PreemptMode"] != "CANCEL" {
		t.Errorf("two spellings of one parameter: %v", c)
	}
	if v, ok := c.Get("PREEMPTMODE"); !ok || v != "CANCEL" {
		t.Errorf("Get = %q, %t", v, ok)
	}
	merged := c.Merge(cluster.SlurmConfig{"preemptmode": "SUSPEND", "MaxJobCount": "5"})
	if len(merged) != 3 || merged["PreemptMode"] != "SUSPEND" || c["PreemptMode"] != "CANCEL" || len(c) != 2 {
		t.Errorf("merged %v from %v", merged, c)
	}
	if got := cluster.SlurmConfig(nil).Merge(cluster.SlurmConfig{"A": "1"}); got["A"] != "1" {
		t.Errorf("merge into nil: %v", got)
	}
	c.Delete("preempt_MODE")
	if _, ok := c.Get("PreemptMode"); ok || len(c) != 1 {
		t.Errorf("after Delete: %v", c)
	}
}

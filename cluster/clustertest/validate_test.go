package clustertest_test

import (
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

func TestBootDiskRuleVerbatim(t *testing.T) {
	body := strings.Replace(payload(t, "gpu-filestore.json"), "hyperdisk-balanced", "pd-standard", 1)
	r := send(t, clustertest.NewServer(), "POST", all+"?model_development_cluster_id=training", body)
	if got, want := compact(t, r.body), compact(t, payload(t, "response-error-boot-disk.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCreateRefuses(t *testing.T) {
	const slurm = "orchestrator_spec.slurm_spec."
	type doc = map[string]any
	list := func(items ...any) []any { return items }
	tests := []struct {
		why, file string
		change    func(doc)
		field     string // behind "model_development_cluster."
		message   string
	}{
		{"GPU pool without a model", "user-a3-mega-on-demand.json", func(d doc) { delete(pool(d, 1), "provisioning_model") },
			"node_pools[1].provisioning_model", "must be set for GPU node pools"},
		{"two pools of one id", "cpu-only.json", func(d doc) { pool(d, 0)["id"] = "login" }, "node_pools[1].id", `duplicate node pool id "login"`},
		{"pool without id", "cpu-only.json", func(d doc) { delete(pool(d, 0), "id") }, "node_pools[0].id", "is required"},
		{"min above max", "cpu-only.json", func(d doc) { pool(d, 0)["scaling_spec"].(doc)["min_node_count"] = 3 },
			"node_pools[0].scaling_spec.max_node_count", "got min 3, max 2"},
		{"negative min", "cpu-only.json", func(d doc) { pool(d, 0)["scaling_spec"].(doc)["min_node_count"] = -1 },
			"node_pools[0].scaling_spec.min_node_count", "got -1"},
		{"login pool that scales", "cpu-only.json", func(d doc) { pool(d, 1)["scaling_spec"].(doc)["max_node_count"] = 2 },
			"node_pools[1].scaling_spec", "must be equal; got 1 and 2"},
		{"no home directory", "cpu-only.json", func(d doc) { delete(slurmSpec(d), "home_directory_storage") },
			slurm + "home_directory_storage", "is required"},
		{"home directory is no instance name", "cpu-only.json", func(d doc) { slurmSpec(d)["home_directory_storage"] = "my-filestore" },
			slurm + "home_directory_storage", `got "my-filestore"`},
		{"login pool that does not exist", "cpu-only.json", func(d doc) { slurmSpec(d)["login_node_pool_id"] = "front" },
			slurm + "login_node_pool_id", `unknown node pool "front"`},
		{"partition of an unknown pool", "cpu-only.json", func(d doc) {
			at(d, "orchestrator_spec", "slurm_spec", "partitions", 0).(doc)["node_pool_ids"] = list("cpu", "gpu")
		},
			slurm + "partitions[0].node_pool_ids[1]", `unknown node pool "gpu"`},
		{"partition without pools", "cpu-only.json", func(d doc) { at(d, "orchestrator_spec", "slurm_spec", "partitions", 0).(doc)["node_pool_ids"] = list() },
			slurm + "partitions[0].node_pool_ids", "at least one"},
		{"two partitions of one id", "cpu-only.json", func(d doc) {
			slurmSpec(d)["partitions"] = list(doc{"id": "a", "node_pool_ids": list("cpu")}, doc{"id": "a", "node_pool_ids": list("cpu")})
		}, slurm + "partitions[1].id", `duplicate partition id "a"`},
		{"default partition that does not exist", "cpu-only.json", func(d doc) { slurmSpec(d)["default_partition_id"] = "gpu" },
			slurm + "default_partition_id", `"gpu"`},
		{"node set of the login pool", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["node_sets"] = list(doc{"node_pool_id": "login"}) },
			slurm + "node_sets[0].node_pool_id", "login node pool"},
		{"two node sets of a pool", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["node_sets"] = list(doc{"node_pool_id": "cpu"}, doc{"node_pool_id": "cpu"}) },
			slurm + "node_sets[1].node_pool_id", "duplicate"},
		{"config beside accounting", "cpu-advanced-slurm-legacy.json", func(d doc) {
			slurmSpec(d)["config"] = doc{"PriorityWeightAge": "1"}
			delete(slurmSpec(d), "scheduling")
		}, slurm + "config", "cannot be used together with scheduling or accounting"},
		{"managed parameter, in another spelling", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["config"] = doc{"health_check_PROGRAM": "/bin/x"} },
			slurm + "config", `parameter "health_check_PROGRAM" is managed by the service`},
		{"prolog by parameter", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["config"] = doc{"Prolog": "/bin/x"} },
			slurm + "config", "use prolog_bash_scripts"},
		{"parameter of slurmdbd", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["config"] = doc{"PurgeJobAfter": "1"} },
			slurm + "config", "belongs to slurmdbd.conf"},
		{"Default is refused in a partition", "cpu-advanced-slurm.json", func(d doc) {
			at(d, "orchestrator_spec", "slurm_spec", "partitions", 0).(doc)["config"] = doc{"Default": "YES"}
		}, slurm + "partitions[0].config", `parameter "Default" is not supported here`},
		{"one parameter in two spellings", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["config"] = doc{"PreemptMode": "OFF", "preempt_mode": "OFF"} },
			slurm + "config", `parameters "PreemptMode" and "preempt_mode" are the same`},
		{"line break in a value", "cpu-advanced-slurm.json", func(d doc) { slurmSpec(d)["config"] = doc{"PreemptMode": "OFF\nProlog=/x"} },
			slurm + "config", "line break"},
		{"a reservation without values", "gpu-filestore.json", func(d doc) {
			delete(at(pool(d, 1), "machine_spec", "reservation_affinity").(doc), "values")
		}, "node_pools[1].machine_spec.reservation_affinity.values", "is required for SPECIFIC_RESERVATION"},
		{"a reservation by short name", "gpu-filestore.json", func(d doc) {
			at(pool(d, 1), "machine_spec", "reservation_affinity").(doc)["values"] = list("my-reservation")
		}, "node_pools[1].machine_spec.reservation_affinity.values[0]", `got "my-reservation"`},
		{"flex start beyond a week", "flex-start.json", func(d doc) { pool(d, 1)["flex_start_max_duration"] = "604801s" },
			"node_pools[1].flex_start_max_duration", "between 30s and 604800s"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := send(t, clustertest.NewServer(), "POST", all+"?model_development_cluster_id=training", edit(t, payload(t, tt.file), tt.change))
			field := "model_development_cluster." + tt.field
			r.fails(t, 400, "INVALID_ARGUMENT", "List of found errors:\t1.Field: "+field+"; Message: ")
			r.fails(t, 400, "INVALID_ARGUMENT", tt.message)
			if got := at(r.json(t), "error", "details", 0, "fieldViolations", 0, "field"); got != field {
				t.Errorf("violation of %v, want %s", got, field)
			}
		})
	}
}

func TestFindingsAreNumbered(t *testing.T) {
	// A fragment out of Google's documents: without node pools nothing in it refers to anything.
	r := send(t, clustertest.NewServer(), "POST", all+"?model_development_cluster_id=training", payload(t, "orchestration-config-mixed-case.json"))
	r.fails(t, 400, "INVALID_ARGUMENT", "List of found errors:\t1.Field: model_development_cluster.orchestrator_spec.slurm_spec.login_node_pool_id; "+
		"Message: unknown node pool \"login\"\t2.Field: model_development_cluster.orchestrator_spec.slurm_spec.partitions[0].node_pool_ids[0]; "+
		"Message: unknown node pool \"a4\"\t")
}

func TestClusterID(t *testing.T) {
	for id, good := range map[string]bool{"a": true, "abcdefghij": true, "abcdefghijk": false, "1a": false, "A": false, "a-b": false, "": false} {
		r := send(t, clustertest.NewServer(), "POST", all+"?model_development_cluster_id="+id, payload(t, "cpu-only.json"))
		if got := r.status == 200; got != good {
			t.Errorf("id %q: accepted %v, want %v", id, got, good)
		}
		if !good {
			r.fails(t, 400, "INVALID_ARGUMENT", "model_development_cluster_id")
		}
	}
}

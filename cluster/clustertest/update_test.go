package clustertest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

const slurmMask = "orchestrator_spec.slurm_spec."

// nodeTimes returns when each node last changed its state.
func nodeTimes(t *testing.T, s *clustertest.Server) map[string]string {
	t.Helper()
	out := map[string]string{}
	nodes, _ := at(send(t, s, "GET", one, "").ok(t), "clusterStatus", "nodesStatus").([]any)
	for _, n := range nodes {
		out[at(n, "instance").(string)] = at(n, "nodeState").(string) + " " + at(n, "stateUpdateTime").(string)
	}
	return out
}

func TestUpdateMask(t *testing.T) {
	tests := []struct {
		why, start, mask, body string
		want                   map[string]string // JSON of a path, "" is absent
	}{
		{"labels only; what else the body holds is not looked at", "cpu-only.json", "labels",
			`{"labels":{"team":"research"},"displayName":"other"}`,
			map[string]string{"labels": `{"team":"research"}`, "displayName": `"cpuonly"`}},
		{"a masked field that the body lacks is cleared", "response-cluster-get.json", "labels", `{}`,
			map[string]string{"labels": ""}},
		{"an empty map clears as well", "cpu-advanced-slurm.json", slurmMask + "config", payload(t, "update-clear-config.json"),
			map[string]string{"orchestratorSpec.slurmSpec.config": ""}},
		{"a map is replaced whole", "cpu-advanced-slurm.json", slurmMask + "config",
			`{"orchestrator_spec":{"slurm_spec":{"config":{"PreemptMode":"OFF"}}}}`,
			map[string]string{"orchestratorSpec.slurmSpec.config": `{"PreemptMode":"OFF"}`}},
		{"a legacy block is replaced whole", "cpu-advanced-slurm-legacy.json", slurmMask + "scheduling",
			payload(t, "update-preemption-scheduling-legacy.json"),
			map[string]string{"orchestratorSpec.slurmSpec.scheduling": `{"preemptExemptTime":"1:01","preemptMode":"REQUEUE","preemptType":"preempt/partition_prio"}`}},
		{"the documented move from the legacy blocks to config", "cpu-advanced-slurm-legacy.json",
			slurmMask + "config," + slurmMask + "scheduling," + slurmMask + "accounting", payload(t, "update-migrate-to-config.json"),
			map[string]string{"orchestratorSpec.slurmSpec.scheduling": "", "orchestratorSpec.slurmSpec.accounting": ""}},
		{"partitions without their config lose it", "cpu-advanced-slurm.json", slurmMask + "partitions",
			`{"orchestratorSpec":{"slurmSpec":{"partitions":[{"id":"all","nodePoolIds":["cpu"]}]}}}`,
			map[string]string{"orchestratorSpec.slurmSpec.partitions": `[{"id":"all","nodePoolIds":["cpu"]}]`}},
		{"resize, as documented", "cpu-only.json", "orchestrator_spec.slurm_spec.partitions,node_pools", payload(t, "update-resize.json"),
			map[string]string{"nodePools.0.scalingSpec": `{"maxNodeCount":4,"minNodeCount":4}`}},
		{"resize without a mask: the body is the whole resource", "cpu-only.json", "", payload(t, "update-resize.json"),
			map[string]string{"nodePools.0.scalingSpec": `{"maxNodeCount":4,"minNodeCount":4}`}},
		{"without a mask, what the body leaves out is gone", "cpu-advanced-slurm.json", "",
			strings.Replace(payload(t, "cpu-only.json"), "cpuonly", "cpuadv", 1),
			map[string]string{"orchestratorSpec.slurmSpec.config": "", "orchestratorSpec.slurmSpec.nodeSets": "", "orchestratorSpec.slurmSpec.prologBashScripts": ""}},
		{"node sets", "cpu-only.json", slurmMask + "node_sets", payload(t, "update-node-sets.json"),
			map[string]string{"orchestratorSpec.slurmSpec.nodeSets": `[{"config":{"Features":"cpu,spot","Weight":"10"},"nodePoolId":"cpu"}]`}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := seeded(t, payload(t, tt.start), clustertest.WithOperationTime(0))
			op := send(t, s, "PATCH", one+"?updateMode=USER_ONLY&updateMask="+tt.mask, tt.body).ok(t)
			if op["done"] != true || op["error"] != nil {
				t.Fatalf("operation %v", op)
			}
			got := send(t, s, "GET", one, "").ok(t)
			for path, want := range tt.want {
				if text := jsonAt(t, got, path); text != want {
					t.Errorf("%s is %s, want %s", path, text, want)
				}
			}
		})
	}
}

// jsonAt returns the JSON at a dotted path, or "".
func jsonAt(t *testing.T, doc any, path string) string {
	t.Helper()
	for step := range strings.SplitSeq(path, ".") {
		var i int
		if _, err := fmt.Sscan(step, &i); err == nil {
			doc = at(doc, i)
		} else {
			doc = at(doc, step)
		}
	}
	if doc == nil {
		return ""
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestUpdateRefuses(t *testing.T) {
	tests := []struct{ why, start, query, body, message string }{
		{"unknown path", "cpu-only.json", "updateMask=nodepools", `{}`, `Field: update_mask; Message: unsupported path "nodepools"`},
		{"camelCase path: not documented", "cpu-only.json", "updateMask=nodePools", `{}`, `"nodePools"`},
		{"parent path: not documented", "cpu-only.json", "updateMask=orchestrator_spec.slurm_spec", `{}`, `"orchestrator_spec.slurm_spec"`},
		{"key path", "cpu-only.json", "updateMask=labels.env", `{}`, `"labels.env"`},
		{"wildcard", "cpu-only.json", "updateMask=*", `{}`, `"*"`},
		{"a path that cannot be updated", "cpu-only.json", "updateMask=display_name", `{}`, `"display_name"`},
		{"unknown mode", "cpu-only.json", "updateMask=labels&updateMode=SERVICE", `{}`, `Invalid value at 'update_mode'`},
		{"unknown parameter", "cpu-only.json", "updateMask=labels&validateOnly=true", `{}`, `Unknown name "validateOnly": Cannot bind query parameter.`},
		{"mask given twice", "cpu-only.json", "updateMask=labels&update_mask=labels", `{}`, `more than once`},
		{"typo in the body", "cpu-only.json", "updateMask=labels", `{"label":{}}`, `Unknown name "label"`},
		{"config on a cluster with legacy blocks", "cpu-advanced-slurm-legacy.json", "updateMask=" + slurmMask + "config",
			payload(t, "update-preemption-config.json"), "cannot be used together"},
		{"node pools cleared", "cpu-only.json", "updateMask=node_pools", `{}`, `unknown node pool "login"`},
		{"default partition that is not there", "cpu-only.json", "updateMask=" + slurmMask + "default_partition_id",
			payload(t, "update-default-partition.json"), `partition "gpu" is the default partition`},
		{"no mask: immutable field changed", "cpu-only.json", "", strings.Replace(payload(t, "update-resize.json"), "cpuonly", "other", 1),
			"Field: model_development_cluster.display_name; Message: is immutable"},
		{"no mask: service account added", "cpu-only.json", "",
			strings.Replace(payload(t, "update-resize.json"), "{", `{"runtime_spec":{"service_account":"a@b.iam.gserviceaccount.com"},`, 1),
			"runtime_spec.service_account; Message: is immutable"},
		{"no mask: immutable fields left out", "cpu-only.json", "", `{"labels":{}}`, "network.network; Message: is immutable"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := seeded(t, payload(t, tt.start))
			before := string(s.Cluster("training"))
			send(t, s, "PATCH", one+"?"+tt.query, tt.body).fails(t, 400, "INVALID_ARGUMENT", tt.message)
			if after := string(s.Cluster("training")); after != before {
				t.Errorf("the refused update changed the cluster:\n%s", after)
			}
		})
	}
}

// Removing or renaming the default partition is refused; naming another default in the same request is not.
func TestDefaultPartition(t *testing.T) {
	s := seeded(t, edit(t, payload(t, "cpu-only.json"), func(doc map[string]any) {
		slurmSpec(doc)["default_partition_id"] = "cpu"
	}), clustertest.WithOperationTime(0))
	const renamed = `"partitions":[{"id":"all","node_pool_ids":["cpu"]}]`
	send(t, s, "PATCH", one+"?updateMask="+slurmMask+"partitions", `{"orchestrator_spec":{"slurm_spec":{`+renamed+`}}}`).
		fails(t, 400, "INVALID_ARGUMENT", `partition "cpu" is the default partition`)
	send(t, s, "PATCH", one+"?updateMask="+slurmMask+"partitions,"+slurmMask+"default_partition_id",
		`{"orchestrator_spec":{"slurm_spec":{"default_partition_id":"all",`+renamed+`}}}`).ok(t)
	if got := at(send(t, s, "GET", one, "").ok(t), "orchestratorSpec", "slurmSpec", "defaultPartitionId"); got != "all" {
		t.Errorf("default partition %v", got)
	}
}

const newImage = "projects/example-image-project/global/images/example-slurm-image-20261101"

func TestUpdateModeAndImages(t *testing.T) {
	const old = "projects/example-image-project/global/images/example-slurm-image-20260901"
	const mine = "projects/p/global/images/mine"
	pinned := strings.Replace(payload(t, "cpu-only.json"), `"id": "cpu",`, `"id": "cpu", "node_image": "`+mine+`",`, 1)
	tests := []struct {
		why, start, query, body string
		image                   string // of pool cpu afterwards
		recreated               bool   // its nodes
	}{
		{"a label edit moves to the newer image: the default mode", "cpu-only.json", "updateMask=labels", payload(t, "update-labels.json"), newImage, true},
		{"the same with the mode spelled out", "cpu-only.json", "updateMask=labels&updateMode=USER_AND_SERVICE", `{}`, newImage, true},
		{"unspecified is the default mode", "cpu-only.json", "updateMask=labels&updateMode=UPDATE_MODE_UNSPECIFIED", `{}`, newImage, true},
		{"USER_ONLY keeps the image and shows it", "cpu-only.json", "updateMask=labels&updateMode=USER_ONLY", payload(t, "update-labels.json"), old, false},
		{"USER_ONLY keeps it when pools are replaced without node_image", "cpu-only.json", "updateMask=node_pools&updateMode=USER_ONLY", payload(t, "cpu-only.json"), old, false},
		{"USER_ONLY with an image set recreates", "cpu-only.json", "updateMask=node_pools&updateMode=USER_ONLY", pinned, mine, true},
		{"an image in the body wins over the default", "cpu-only.json", "updateMask=node_pools", pinned, mine, true},
		{"an image read and sent back pins the pool", "response-cluster-get.json", "updateMask=node_pools", payload(t, "response-cluster-get.json"), old, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := seeded(t, payload(t, tt.start))
				before := nodeTimes(t, s)
				s.SetDefaultImage("", newImage)
				time.Sleep(time.Hour)
				send(t, s, "PATCH", one+"?"+tt.query, tt.body).ok(t)
				during := nodeTimes(t, s)
				if got := strings.HasPrefix(during["training-cpu-0"], "PREPARING"); got != tt.recreated {
					t.Errorf("node during the update: %s", during["training-cpu-0"])
				}
				time.Sleep(4 * time.Minute)
				after := nodeTimes(t, s)
				if got := after["training-cpu-0"] != before["training-cpu-0"]; got != tt.recreated {
					t.Errorf("node before %s, after %s; want recreated %v", before["training-cpu-0"], after["training-cpu-0"], tt.recreated)
				}
				if got := at(send(t, s, "GET", one, "").ok(t), "nodePools", 0, "nodeImage"); got != tt.image {
					t.Errorf("node_image %v, want %s", got, tt.image)
				}
				if got := s.RunningImages("training")["cpu"]; got != tt.image {
					t.Errorf("running image %s, want %s", got, tt.image)
				}
			})
		})
	}
}

func TestWhatRecreatesNodes(t *testing.T) {
	tests := []struct {
		why       string
		change    func(pool map[string]any)
		recreated bool
	}{
		{"labels of a pool", func(p map[string]any) { p["labels"] = map[string]any{"a": "b"} }, false},
		{"more nodes", func(p map[string]any) { p["scaling_spec"] = map[string]any{"min_node_count": 2, "max_node_count": 9} }, false},
		{"startup script", func(p map[string]any) { p["startup_script"] = "echo" }, true},
		{"storage", func(p map[string]any) { p["filestores"] = []any{"projects/p/locations/l/instances/f"} }, true},
		{"boot disk", func(p map[string]any) { p["boot_disk"].(map[string]any)["boot_disk_size_gb"] = 200 }, true},
		{"machine type", func(p map[string]any) { p["machine_spec"].(map[string]any)["machine_type"] = "n2-standard-16" }, true},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := seeded(t, payload(t, "cpu-only.json"))
			before := nodeTimes(t, s)
			body := edit(t, payload(t, "cpu-only.json"), func(doc map[string]any) { tt.change(pool(doc, 0)) })
			send(t, s, "PATCH", one+"?updateMode=USER_ONLY&updateMask=node_pools", body).ok(t)
			after := nodeTimes(t, s)
			if got := strings.HasPrefix(after["training-cpu-1"], "PREPARING"); got != tt.recreated {
				t.Errorf("node of the changed pool: %s, want recreated %v", after["training-cpu-1"], tt.recreated)
			}
			if after["training-login-001"] != before["training-login-001"] {
				t.Error("the login node was touched as well")
			}
		})
	}
}

func TestResizeAddsAndRemovesNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, payload(t, "cpu-only.json"))
		time.Sleep(time.Hour)
		send(t, s, "PATCH", one+"?updateMask=node_pools&updateMode=USER_ONLY", payload(t, "update-resize.json")).ok(t)
		if n := at(send(t, s, "GET", one, "").ok(t), "nodePools", 0, "scalingSpec", "minNodeCount"); n != 2.0 {
			t.Errorf("the new count %v shows before the operation is done", n)
		}
		nodes := nodeTimes(t, s)
		if len(nodes) != 5 || !strings.HasPrefix(nodes["training-cpu-3"], "PREPARING") || !strings.HasPrefix(nodes["training-cpu-0"], "RUNNING 2000-01-01T00:00:00") {
			t.Errorf("during growth: %v", nodes)
		}
		time.Sleep(4 * time.Minute)
		send(t, s, "PATCH", one+"?updateMask=node_pools&updateMode=USER_ONLY", payload(t, "cpu-only.json")).ok(t)
		time.Sleep(4 * time.Minute)
		if nodes := nodeTimes(t, s); len(nodes) != 3 || nodes["training-cpu-2"] != "" {
			t.Errorf("after shrinking: %v", nodes)
		}
	})
}

func TestOnlyOneOperationAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seeded(t, "")
		send(t, s, "PATCH", one+"?updateMask=labels", `{"labels":{"a":"1"}}`).ok(t)
		if state := at(send(t, s, "GET", one, "").ok(t), "clusterStatus", "state"); state != "UPDATING" {
			t.Errorf("state %v", state)
		}
		send(t, s, "PATCH", one+"?updateMask=labels", `{}`).fails(t, 400, "FAILED_PRECONDITION", "UPDATING")
		send(t, s, "DELETE", one, "").fails(t, 400, "FAILED_PRECONDITION", "UPDATING")
		time.Sleep(4 * time.Minute)
		send(t, s, "DELETE", one, "").ok(t)
		if state := at(send(t, s, "GET", one, "").ok(t), "clusterStatus", "state"); state != "STOPPING" {
			t.Errorf("state %v", state)
		}
		send(t, s, "PATCH", one+"?updateMask=labels", `{}`).fails(t, 400, "FAILED_PRECONDITION", "STOPPING")
		send(t, s, "DELETE", one, "").fails(t, 400, "FAILED_PRECONDITION", "STOPPING")
		time.Sleep(5 * time.Minute)
		send(t, s, "PATCH", one+"?updateMask=labels", `{}`).fails(t, 404, "NOT_FOUND", "modelDevelopmentClusters/training")
	})
}

func TestMaskPathOfALaterVersion(t *testing.T) {
	s := seeded(t, "", clustertest.WithNewField("", "maintenance_window"), clustertest.WithMaskPath("maintenance_window"), clustertest.WithOperationTime(0))
	send(t, s, "PATCH", one+"?updateMask=maintenance_window", `{"maintenanceWindow":"sunday"}`).ok(t)
	if got := at(send(t, s, "GET", one, "").ok(t), "maintenanceWindow"); got != "sunday" {
		t.Errorf("window %v", got)
	}
}

package clustertest_test

import (
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// slurmSpec and firstPool give tests a handle on the usual places to break.
func slurmSpec(doc map[string]any) map[string]any {
	return at(doc, "orchestrator_spec", "slurm_spec").(map[string]any)
}

func pool(doc map[string]any, i int) map[string]any {
	return at(doc, "node_pools", i).(map[string]any)
}

func TestUnknownFieldVerbatim(t *testing.T) {
	s := clustertest.NewServer()
	body := edit(t, payload(t, "cpu-only.json"), func(doc map[string]any) {
		doc["orchestrator_spec"].(map[string]any)["gke_spec"] = map[string]any{}
	})
	r := send(t, s, "POST", all+"?model_development_cluster_id=training", body)
	if got, want := compact(t, r.body), compact(t, payload(t, "response-error-unknown-field.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStrictReading(t *testing.T) {
	const cluster = "model_development_cluster"
	tests := []struct {
		why, body string
		field     string // of the first violation
		message   string
	}{
		{"a typo at the top", `{"displayname":"x"}`, cluster,
			`Invalid JSON payload received. Unknown name "displayname" at 'model_development_cluster': Cannot find field.`},
		{"TPU fields are known to be refused", `{"node_pools":[{},{"machine_spec":{"tpu_type":"v5"}}]}`, cluster + ".node_pools[1].machine_spec",
			`Unknown name "tpu_type" at 'model_development_cluster.node_pools[1].machine_spec': Cannot find field.`},
		{"all findings come together, in the order of the text", `{"b":1,"a":2}`, cluster,
			"Unknown name \"b\" at 'model_development_cluster': Cannot find field.\nInvalid JSON payload received. Unknown name \"a\""},
		{"a string where a number belongs", `{"nodePools":[{"bootDisk":{"bootDiskSizeGb":"big"}}]}`, cluster + ".node_pools[0].boot_disk.boot_disk_size_gb",
			`Invalid value at 'model_development_cluster.node_pools[0].boot_disk.boot_disk_size_gb' (TYPE_INT32), "big"`},
		{"a fraction", `{"nodePools":[{"bootDisk":{"bootDiskSizeGb":1.5}}]}`, cluster + ".node_pools[0].boot_disk.boot_disk_size_gb", `(TYPE_INT32), 1.5`},
		{"beyond 32 bits", `{"nodePools":[{"bootDisk":{"bootDiskSizeGb":3000000000}}]}`, cluster + ".node_pools[0].boot_disk.boot_disk_size_gb", `(TYPE_INT32), 3000000000`},
		{"a number where text belongs", `{"nodePools":[{"zone":5}]}`, cluster + ".node_pools[0].zone", `(TYPE_STRING), 5`},
		{"a word where a bool belongs", `{"nodePools":[{"enable_public_ips":"yes"}]}`, cluster + ".node_pools[0].enable_public_ips", `(TYPE_BOOL), "yes"`},
		{"STANDARD is Compute Engine's word, not this API's", `{"nodePools":[{"provisioning_model":"STANDARD"}]}`, cluster + ".node_pools[0].provisioning_model",
			`(type.googleapis.com/google.cloud.aiplatform.v1beta1.ProvisioningModel), "STANDARD"`},
		{"slurm.conf values are text, numbers too", `{"orchestratorSpec":{"slurmSpec":{"config":{"PriorityWeightAge":1000}}}}`,
			cluster + ".orchestrator_spec.slurm_spec.config[0].value", `slurm_spec.config[0].value' (TYPE_STRING), 1000`},
		{"a list where one value belongs", `{"nodePools":[{"zone":["a"]}]}`, cluster + ".node_pools[0]",
			`Unknown name "zone" at 'model_development_cluster.node_pools[0]': Proto field is not repeating, cannot start list.`},
		{"one value where a list belongs", `{"nodePools":{}}`, cluster + ".node_pools", `Invalid value at 'model_development_cluster.node_pools'`},
		{"null in a list", `{"nodePools":[null]}`, cluster + ".node_pools[0]", `, null`},
		{"a duration without unit", `{"nodePools":[{"flex_start_max_duration":"60"}]}`, cluster + ".node_pools[0].flex_start_max_duration", `Duration), "60"`},
		{"both spellings of one field", `{"display_name":"a","displayName":"b"}`, cluster, `Unknown name "displayName"`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := send(t, clustertest.NewServer(), "POST", all+"?model_development_cluster_id=training", tt.body)
			r.fails(t, 400, "INVALID_ARGUMENT", tt.message)
			detail := at(r.json(t), "error", "details", 0)
			if got := at(detail, "fieldViolations", 0, "field"); got != tt.field {
				t.Errorf("field %v, want %s", got, tt.field)
			}
			if at(detail, "@type") != "type.googleapis.com/google.rpc.BadRequest" {
				t.Errorf("detail %v", detail)
			}
		})
	}
}

func TestBrokenJSON(t *testing.T) {
	for _, body := range []string{`{"labels":`, `{} {}`, `[]`, `"x"`, `nonsense`, strings.Repeat(`{"network":`, 200)} {
		send(t, clustertest.NewServer(), "POST", all+"?model_development_cluster_id=training", body).
			fails(t, 400, "INVALID_ARGUMENT", "Invalid JSON payload received. ")
	}
}

func TestIntegersInAnySpelling(t *testing.T) {
	for _, spelling := range []string{`120`, `"120"`, `120.0`, `1.2e2`} {
		s := clustertest.NewServer(clustertest.WithOperationTime(0))
		body := strings.Replace(payload(t, "cpu-only.json"), `"boot_disk_size_gb": 120`, `"boot_disk_size_gb": `+spelling, 1)
		send(t, s, "POST", all+"?model_development_cluster_id=training", body).ok(t)
		if n := at(send(t, s, "GET", one, "").ok(t), "nodePools", 0, "bootDisk", "bootDiskSizeGb"); n != 120.0 {
			t.Errorf("%s reads back as %v", spelling, n)
		}
	}
}

// A later version of the service has fields that today's clients do not know; whole-list replacement deletes
// what a client drops.
func TestNewField(t *testing.T) {
	opts := []clustertest.Option{clustertest.WithNewField("node_pools.boot_disk", "iops_limit"), clustertest.WithOperationTime(0)}
	s := clustertest.NewServer(opts...)
	body := strings.Replace(payload(t, "cpu-only.json"), `"boot_disk": {`, `"boot_disk": { "iops_limit": {"read": [1, 2.50]},`, 1)
	send(t, s, "POST", all+"?model_development_cluster_id=training", body).ok(t)
	if got := send(t, s, "GET", one+"?prettyPrint=false", "").body; !strings.Contains(got, `"iopsLimit":{"read":[1,2.50]}`) {
		t.Errorf("the new field did not come back as sent: %s", got)
	}
	send(t, s, "PATCH", one+"?updateMask=node_pools", payload(t, "cpu-only.json")).ok(t)
	if got := send(t, s, "GET", one, "").body; strings.Contains(got, "iopsLimit") {
		t.Error("a list without the field did not remove it")
	}
	defer func() {
		if recover() == nil {
			t.Error("a path that leads nowhere did not panic")
		}
	}()
	clustertest.NewServer(clustertest.WithNewField("node_pool", "x"))
}

package clustertest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

func TestCreateAcceptsDocumentedBodies(t *testing.T) {
	tests := []struct{ file, why string }{
		{"cpu-only.json", "the smallest"},
		{"cpu-advanced-slurm.json", "three config maps"},
		{"cpu-advanced-slurm-legacy.json", "scheduling and accounting"},
		{"flex-start.json", "a bool in quotes, a name without id, min 0"},
		{"gpu-filestore.json", "a camelCase member inside snake_case; a4 with hyperdisk-balanced"},
		{"gpu-lustre.json", "storage on both pools"},
		{"gpu-lustre-older-snake-affinity.json", "the older spelling of the same member"},
		{"gpu-startup-script.json", "a script with line breaks"},
		{"user-a3-mega-on-demand.json", "a display name of 20 characters was accepted by the service"},
		{"update-resize.json", "a whole resource is a create body as well"},
		{"response-cluster-get.json", "output-only fields are ignored, camelCase is taken"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			s := clustertest.NewServer(clustertest.WithTB(t))
			op := send(t, s, "POST", all+"?model_development_cluster_id=training", payload(t, tt.file)).ok(t)
			if name, _ := op["name"].(string); !strings.HasPrefix(name, "projects/123456789012/locations/us-central1/operations/") {
				t.Errorf("%s: operation name %q does not carry the project number", tt.why, name)
			}
		})
	}
}

func TestCreateLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clustertest.NewServer()
		op := send(t, s, "POST", all+"?modelDevelopmentClusterId=training", payload(t, "cpu-only.json"))
		const metadata = `"@type":"type.googleapis.com/google.cloud.aiplatform.v1beta1.CreateModelDevelopmentClusterOperationMetadata"`
		const want = `{"name":"projects/123456789012/locations/us-central1/operations/4000000000000000001","metadata":{` + metadata +
			`,"genericMetadata":{"createTime":"2000-01-01T00:00:00.000000Z","updateTime":"2000-01-01T00:00:00.000000Z"},` +
			`"progressMessage":"Create Model Development Cluster request received, provisioning..."}}`
		if got := compact(t, op.body); got != want {
			t.Errorf("operation:\n%s\nwant\n%s", got, want)
		}
		name := op.ok(t)["name"].(string)

		got := send(t, s, "GET", one, "").ok(t)
		if state := at(got, "clusterStatus", "state"); state != "PROVISIONING" {
			t.Errorf("state %v right after create", state)
		}
		if n := at(got, "clusterStatus", "nodesStatus", 0); at(n, "nodeState") != "PREPARING" || at(n, "instance") != "training-cpu-0" {
			t.Errorf("first node %v", n)
		}
		time.Sleep(8*time.Minute - time.Second)
		if _, done := send(t, s, "GET", host+"/v1/"+name, "").ok(t)["done"]; done {
			t.Error("done is present before the end")
		}
		time.Sleep(time.Second)
		for _, version := range []string{"v1", "v1beta1"} {
			end := send(t, s, "GET", host+"/"+version+"/"+name, "").ok(t)
			if end["done"] != true || at(end, "response", "@type") != "type.googleapis.com/google.cloud.aiplatform.v1beta1.ModelDevelopmentCluster" {
				t.Errorf("%s: finished operation %v", version, end)
			}
			if at(end, "metadata", "genericMetadata", "updateTime") != "2000-01-01T00:08:00.000000Z" {
				t.Errorf("%s: end time %v", version, at(end, "metadata"))
			}
		}
		got = send(t, s, "GET", one, "").ok(t)
		var nodes []string
		for _, n := range at(got, "clusterStatus", "nodesStatus").([]any) {
			nodes = append(nodes, at(n, "instance").(string)+" "+at(n, "nodeState").(string))
		}
		if text := strings.Join(nodes, ", "); text != "training-cpu-0 RUNNING, training-cpu-1 RUNNING, training-login-001 RUNNING" {
			t.Errorf("nodes: %s", text)
		}
		if at(got, "nodePools", 0, "nodeImage") != nil {
			t.Error("a cluster that was never updated shows node_image")
		}
	})
}

func TestAnswersAreProtoJSON(t *testing.T) {
	s := clustertest.NewServer(clustertest.WithOperationTime(0))
	send(t, s, "POST", all+"?model_development_cluster_id=training", payload(t, "flex-start.json")).ok(t)
	got := send(t, s, "GET", one, "").ok(t)
	if at(got, "name") != "projects/123456789012/locations/us-central1/modelDevelopmentClusters/training" {
		t.Errorf("name %v", got["name"])
	}
	pool := at(got, "nodePools", 1)
	scaling := at(pool, "scalingSpec").(map[string]any)
	if _, has := scaling["minNodeCount"]; has || scaling["maxNodeCount"] != 2.0 {
		t.Errorf("scaling %v: zero is left out and integers are numbers", scaling)
	}
	if at(pool, "enablePublicIps") != true || at(pool, "machineSpec", "acceleratorType") != "NVIDIA_H200_141GB" {
		t.Errorf("pool %v", pool)
	}
	quoted := clustertest.NewServer(clustertest.WithQuotedIntegers())
	if err := quoted.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	if n := at(send(t, quoted, "GET", one, "").ok(t), "nodePools", 0, "bootDisk", "bootDiskSizeGb"); n != "120" {
		t.Errorf("quoted integer %v", n)
	}
}

func TestCreateTwice(t *testing.T) {
	s := clustertest.NewServer()
	if err := s.AddCluster("vtcgemma", nil); err != nil {
		t.Fatal(err)
	}
	r := send(t, s, "POST", all+"?model_development_cluster_id=vtcgemma", payload(t, "cpu-only.json"))
	if got, want := compact(t, r.body), compact(t, payload(t, "response-error-already-exists.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The service accepts such a create and finds out later; the leftover then holds the id.
func TestCreateFailsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clustertest.NewServer()
		body := strings.NewReplacer("a3-megagpu-8g", "a3-highgpu-8g").Replace(payload(t, "user-a3-mega-on-demand.json"))
		op := send(t, s, "POST", all+"?model_development_cluster_id=training", body).ok(t)
		time.Sleep(20 * time.Second)
		end := send(t, s, "GET", host+"/v1beta1/"+op["name"].(string), "").ok(t)
		if end["done"] != true || at(end, "error", "code") != 3.0 || at(end, "response") != nil ||
			at(end, "error", "message") != "machine type a3-highgpu-8g is not allowed for VM" {
			t.Errorf("failed operation %v", end)
		}
		status := at(send(t, s, "GET", one, "").ok(t), "clusterStatus")
		if at(status, "state") != "ERROR" || at(status, "detail") != "machine type a3-highgpu-8g is not allowed for VM" {
			t.Errorf("status of the leftover %v", status)
		}
		send(t, s, "POST", all+"?model_development_cluster_id=training", payload(t, "cpu-only.json")).
			fails(t, 409, "ALREADY_EXISTS", `same ID "training"`)
		send(t, s, "DELETE", one, "").ok(t)
		time.Sleep(5 * time.Minute)
		send(t, s, "GET", one, "").fails(t, 404, "NOT_FOUND", "training")

		allowed := clustertest.NewServer(clustertest.WithMachine("a3-highgpu-8g"), clustertest.WithOperationTime(0))
		if end := send(t, allowed, "POST", all+"?model_development_cluster_id=training", body).ok(t); end["error"] != nil {
			t.Errorf("allowed machine: %v", end)
		}
	})
}

func TestWithoutMachine(t *testing.T) {
	s := seeded(t, payload(t, "cpu-only.json"), clustertest.WithoutMachine("n2-standard-8"), clustertest.WithOperationTime(0))
	op := send(t, s, "PATCH", one+"?updateMask=labels", `{}`).ok(t)
	if at(op, "error", "message") != "machine type n2-standard-8 is not allowed for VM" {
		t.Errorf("operation %v", op)
	}
}

func TestDefaultImagePerMachineType(t *testing.T) {
	const arm, other = "projects/p/global/images/arm", "projects/p/global/images/other"
	s := clustertest.NewServer(clustertest.WithOperationTime(0))
	s.SetDefaultImage("n2-standard-8", arm)
	s.SetDefaultImage("", other)
	send(t, s, "POST", all+"?model_development_cluster_id=training", payload(t, "user-a3-mega-on-demand.json")).ok(t)
	if got := s.RunningImages("training"); got["login"] != arm || got["a3h100"] != other {
		t.Errorf("images %v", got)
	}
	if s.RunningImages("nobody") != nil {
		t.Error("images of a cluster that does not exist")
	}
}

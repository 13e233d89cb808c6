package cluster_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// clusterPayloads are the documents that hold a cluster or a part of one.
func clusterPayloads(t testing.TB) (names []string) {
	for _, prefix := range []string{"cpu-", "flex-", "gpu-", "orchestration-", "update-", "user-", "response-cluster-"} {
		names = append(names, payloadNames(t, prefix)...)
	}
	return names
}

// TestEveryPayloadKeepsEveryMember decodes and encodes again; the result may differ in the spelling of names and in
// "true" for true, and in nothing else.
func TestEveryPayloadKeepsEveryMember(t *testing.T) {
	for _, name := range clusterPayloads(t) {
		data := payload(t, name)
		m, err := cluster.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, err := json.Marshal(m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := canonical(t, []byte(strings.ReplaceAll(string(data), `"true"`, `true`)), true)
		if got := canonical(t, out, false); got != want {
			t.Errorf("%s:\n%s", name, cmp.Diff(want, got))
		}
		if names := unknownNames(t, m); len(names) > 0 {
			t.Errorf("%s: the types lack %q", name, names)
		}
	}
}

// unknownNames lists what no field took, at any level.
func unknownNames(t *testing.T, m *cluster.ModelDevelopmentCluster) (names []string) {
	names = append(names, m.Unknown.Names()...)
	if m.Network != nil {
		names = append(names, m.Network.Unknown.Names()...)
	}
	for _, p := range m.NodePools {
		names = append(names, p.Unknown.Names()...)
		if p.MachineSpec != nil {
			names = append(names, p.MachineSpec.Unknown.Names()...)
			if r := p.MachineSpec.ReservationAffinity; r != nil {
				names = append(names, r.Unknown.Names()...)
			}
		}
		if p.ScalingSpec != nil {
			names = append(names, p.ScalingSpec.Unknown.Names()...)
		}
		if p.BootDisk != nil {
			names = append(names, p.BootDisk.Unknown.Names()...)
		}
	}
	if m.OrchestratorSpec != nil {
		names = append(names, m.OrchestratorSpec.Unknown.Names()...)
		s := m.Slurm()
		names = append(names, s.Unknown.Names()...)
		for _, p := range s.Partitions {
			names = append(names, p.Unknown.Names()...)
		}
		for _, n := range s.NodeSets {
			names = append(names, n.Unknown.Names()...)
		}
		if s.Scheduling != nil {
			names = append(names, s.Scheduling.Unknown.Names()...)
		}
		if s.Accounting != nil {
			names = append(names, s.Accounting.Unknown.Names()...)
		}
	}
	if m.ClusterStatus != nil {
		names = append(names, m.ClusterStatus.Unknown.Names()...)
		for _, n := range m.ClusterStatus.NodesStatus {
			names = append(names, n.Unknown.Names()...)
		}
	}
	return names
}

// TestEverySpellingDecodesAlike: snake_case, camelCase, and one name this way and the next that way.
func TestEverySpellingDecodesAlike(t *testing.T) {
	turn := 0
	spellings := map[string]func(string) string{
		"snake": toSnake,
		"camel": toCamel,
		"mixed": func(name string) string {
			turn++
			return []func(string) string{toSnake, toCamel}[turn%2](name)
		},
	}
	for _, name := range clusterPayloads(t) {
		data := payload(t, name)
		want := parse(t, data)
		for spelling, f := range spellings {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			respelled, _ := json.Marshal(rename(v, f))
			got, err := cluster.Parse(respelled)
			if err != nil {
				t.Errorf("%s in %s: %v", name, spelling, err)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in %s: %s", name, spelling, diff)
			}
		}
	}
}

// TestUnknownMembersSurviveAtEveryLevel plants one in each object of each payload.
func TestUnknownMembersSurviveAtEveryLevel(t *testing.T) {
	for _, name := range clusterPayloads(t) {
		var v any
		if err := json.Unmarshal(payload(t, name), &v); err != nil {
			t.Fatal(err)
		}
		planted := plant(v, "")
		data, _ := json.Marshal(v)
		out, err := json.Marshal(parse(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(out), `"somethingNew":{"list":["a"],"n":1}`); got != planted || planted == 0 {
			t.Errorf("%s: %d of %d unknown members survived", name, got, planted)
		}
	}
}

func plant(v any, at string) (planted int) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			planted += plant(element, at)
		}
	case map[string]any:
		if at == "labels" || at == "config" {
			return 0
		}
		for name, value := range v {
			planted += plant(value, name)
		}
		v["somethingNew"] = map[string]any{"n": 1, "list": []any{"a"}}
		planted++
	}
	return planted
}

func TestTolerantScalars(t *testing.T) {
	m := parse(t, []byte(`{"node_pools":[{"id":"a","enable_public_ips":"true","scaling_spec":{"min_node_count":"2","max_node_count":4.0},
		"boot_disk":{"bootDiskSizeGb":"120"},"provisioning_model":"NOT_YET_INVENTED","machine_spec":{"accelerator_type":17}}],
		"cluster_status":{"state":"REBOOTING"}}`))
	p := m.NodePool("a")
	if !p.EnablePublicIPs || p.ScalingSpec.MinNodeCount != 2 || p.ScalingSpec.MaxNodeCount != 4 || p.BootDisk.BootDiskSizeGB != 120 {
		t.Errorf("pool %+v %+v %+v", p, p.ScalingSpec, p.BootDisk)
	}
	if p.ProvisioningModel != "NOT_YET_INVENTED" || p.MachineSpec.AcceleratorType != "17" || m.State() != "REBOOTING" {
		t.Errorf("enums %q %q %q", p.ProvisioningModel, p.MachineSpec.AcceleratorType, m.State())
	}
	if out, _ := json.Marshal(p.MachineSpec); string(out) != `{"acceleratorType":17}` {
		t.Errorf("an enum's number goes back as %s", out)
	}
}

// TestGuessedNamesCostNothing: what the service calls nodes and times is not published, so that these members may
// hold anything; the cluster still reads, and nothing is lost.
func TestGuessedNamesCostNothing(t *testing.T) {
	doc := `{"name":"n","clusterStatus":{"state":"RUNNING","nodesStatus":[{"nodeState":"RUNNING","instance":{"name":"x"},` +
		`"nodePoolId":5,"stateUpdateTime":"soon"}]},"createTime":{"seconds":5},"updateTime":7}`
	m := parse(t, []byte(doc))
	n := m.ClusterStatus.NodesStatus[0]
	if !n.NodeState.Running() || n.Instance != "" || string(n.Unknown.Get("instance")) != `{"name":"x"}` || string(m.Unknown.Get("createTime")) != `{"seconds":5}` {
		t.Errorf("read %+v, unknown %q", n, m.Unknown.Names())
	}
	if out, err := json.Marshal(m); err != nil || canonical(t, out, false) != canonical(t, []byte(doc), false) {
		t.Errorf("written %s, %v", out, err)
	}
}

func TestListsMayHoldNil(t *testing.T) {
	m := &cluster.ModelDevelopmentCluster{NodePools: []*cluster.NodePool{nil, {ID: "a"}}}
	m.Slurm().Partitions = []*cluster.Partition{nil, {ID: "p"}}
	if m.NodePool("a") != m.NodePools[1] || m.NodePool("b") != nil || m.Slurm().Partition("p") != m.Slurm().Partitions[1] || m.String() == "" {
		t.Errorf("found %v, %v", m.NodePool("a"), m.Slurm().Partition("p"))
	}
}

func TestReadStatus(t *testing.T) {
	m := parse(t, payload(t, "response-cluster-get-never-updated.json"))
	if m.ID() != "training" || !m.State().Running() || m.NodePool("cpu").NodeImage != "" {
		t.Errorf("read %v", m)
	}
	if want := time.Date(2026, 10, 1, 9, 0, 0, 123456000, time.UTC); !m.CreateTime.Equal(want) {
		t.Errorf("created %v", m.CreateTime)
	}
	n := m.ClusterStatus.NodesStatus[1]
	if n.NodeState != cluster.NodeStatePreparing || n.Instance != "training-cpu-1" || n.NodePoolID != "cpu" || n.StateUpdateTime.IsZero() {
		t.Errorf("node %+v", n)
	}
	if want := "cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8"; m.String() != want {
		t.Errorf("String = %s", m)
	}
	failed := parse(t, payload(t, "response-cluster-get-error.json"))
	if !failed.State().Failed() || failed.ClusterStatus.Detail != "machine type a3-highgpu-8g is not allowed for VM" {
		t.Errorf("failed cluster %+v", failed.ClusterStatus)
	}
}

// TestErrorPayloads maps each error body to its code, its violations and what to do about it.
func TestErrorPayloads(t *testing.T) {
	tests := map[string]struct {
		status int
		code   codes.Code
		is     error
		check  func(*cluster.Error) error
		text   string
	}{
		"response-error-already-exists.json": {409, codes.AlreadyExists, cluster.ErrAlreadyExists, nil,
			`cluster: get ` + parent + `/modelDevelopmentClusters/training: ALREADY_EXISTS: There is an existing ModelDevelopmentCluster with the same ID`},
		"response-error-boot-disk.json": {400, codes.InvalidArgument, cluster.ErrInvalidArgument, func(e *cluster.Error) error {
			if len(e.Violations) != 1 || e.Violations[0].Field != "node_pools[1].boot_disk.boot_disk_type" {
				return fmt.Errorf("violations %+v", e.Violations)
			}
			return nil
		}, `INVALID_ARGUMENT: node_pools[1].boot_disk.boot_disk_type: Machine type a4-highgpu-8g requires boot_disk_type to be unset (the default) or "hyperdisk-balanced"; got "pd-standard". See b/503144983. [attempt 1]`},
		"response-error-permission-denied.json": {403, codes.PermissionDenied, cluster.ErrPermissionDenied, func(e *cluster.Error) error {
			if e.Reason != "IAM_PERMISSION_DENIED" || e.Domain != "aiplatform.googleapis.com" || e.Metadata["permission"] != "aiplatform.modelDevelopmentClusters.run" {
				return fmt.Errorf("reason %q, domain %q, metadata %v", e.Reason, e.Domain, e.Metadata)
			}
			return nil
		}, `roles/aiplatform.user`},
		"response-error-quota.json": {429, codes.ResourceExhausted, cluster.ErrResourceExhausted, func(e *cluster.Error) error {
			if len(e.Violations) != 1 || e.Violations[0].Field != "project_number:123456789012" || !e.Unprocessed {
				return fmt.Errorf("violations %+v, unprocessed %t", e.Violations, e.Unprocessed)
			}
			return nil
		}, `RESOURCE_EXHAUSTED: project_number:123456789012: constructed`},
		"response-error-unavailable.json": {503, codes.Unavailable, cluster.ErrUnavailable, func(e *cluster.Error) error {
			if e.RetryAfter != 5*time.Second || !e.Transient() {
				return fmt.Errorf("retry after %v, transient %t", e.RetryAfter, e.Transient())
			}
			return nil
		}, `retry after 5s`},
		"response-error-unknown-field.json": {400, codes.InvalidArgument, cluster.ErrInvalidArgument, func(e *cluster.Error) error {
			if len(e.Violations) != 1 || e.Violations[0].Field != "orchestrator_spec" {
				return fmt.Errorf("violations %+v", e.Violations)
			}
			return nil
		}, `Unknown name "gke_spec" at 'model_development_cluster.orchestrator_spec': Cannot find field.`},
		"response-slurm-invalid-argument.json": {400, codes.InvalidArgument, cluster.ErrInvalidArgument, nil, `INVALID_ARGUMENT: { ... some error ... }`},
	}
	for _, name := range append(payloadNames(t, "response-error-"), "response-slurm-invalid-argument.json") {
		tt, ok := tests[name]
		if !ok {
			t.Errorf("%s has no expectation", name)
			continue
		}
		e := getError(t, reply{status: tt.status, body: string(payload(t, name))})
		if e.Code != tt.code || !isOnly(e, tt.is) {
			t.Errorf("%s: code %v, %v", name, e.Code, e)
		}
		if !strings.Contains(e.Error(), tt.text) || strings.ContainsAny(e.Error(), "\t\n") {
			t.Errorf("%s: text %q; want %q in it", name, e.Error(), tt.text)
		}
		if tt.check != nil {
			if err := tt.check(e); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestErrorTextIsOneLine, complete and of bounded length, whatever the service says.
func TestErrorTextIsOneLine(t *testing.T) {
	const prefix = `cluster: get ` + parent + `/modelDevelopmentClusters/training: `
	for _, tt := range []struct {
		body, want string
	}{
		{`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"see below","details":[{"@type":"x.BadRequest","fieldViolations":[{"field":"a"},{"field":"model_development_cluster.b","description":" no\n"}]}]}}`,
			`INVALID_ARGUMENT: b: no [attempt 1]`},
		{`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"see below","details":[{"@type":"x.BadRequest","fieldViolations":[{"field":"a"}]}]}}`,
			`INVALID_ARGUMENT: see below [attempt 1]`},
		{`{"error":{"code":-1,"message":null}}`, `INVALID_ARGUMENT: the answer says nothing more [attempt 1]`},
		{`{"error":{"code":400,"message":"` + strings.Repeat("word ", 5000) + `"}}`, `INVALID_ARGUMENT: ` + strings.Repeat("word ", 400) + `… [attempt 1]`},
	} {
		if got := getError(t, reply{status: 400, body: tt.body}).Error(); got != prefix+tt.want {
			t.Errorf("%.100s:\n%s\nwant %s", tt.body, got, tt.want)
		}
	}
	rejected := getError(t, reply{status: 401, body: `{"error":{"code":401,"status":"UNAUTHENTICATED","message":"Bad credentials."}}`})
	if want := prefix + `UNAUTHENTICATED: Bad credentials; the token was rejected: run "gcloud auth`; !strings.HasPrefix(rejected.Error(), want) {
		t.Errorf("%v; want %s", rejected, want)
	}
}

// isOnly reports whether err matches want and no other sentinel.
func isOnly(err *cluster.Error, want error) bool {
	all := []error{cluster.ErrInvalidArgument, cluster.ErrNotFound, cluster.ErrAlreadyExists, cluster.ErrPermissionDenied,
		cluster.ErrUnauthenticated, cluster.ErrResourceExhausted, cluster.ErrFailedPrecondition, cluster.ErrAborted,
		cluster.ErrUnimplemented, cluster.ErrUnavailable}
	return slices.Contains(all, want) && !slices.ContainsFunc(all, func(s error) bool { return err.Is(s) != (s == want) })
}

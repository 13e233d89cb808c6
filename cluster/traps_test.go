package cluster_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// The tests called TestTrap are one for each way in which an update, a creation or a deletion hurts somebody who writes
// the request by hand, as the service's guides show it. Each first sends that request and shows what it does to the
// cluster, and then what the same intention comes to with this package.

// The cluster of the traps, in the words of the guides. It was never updated.
const (
	poolA4 = `{"id": "a4", "machine_spec": {"machine_type": "a4-highgpu-8g", "accelerator_type": "NVIDIA_B200", "accelerator_count": 8},
		"scaling_spec": {"min_node_count": 4, "max_node_count": 4}, "zone": "us-central1-a", "provisioning_model": "SPOT",
		"boot_disk": {"boot_disk_type": "hyperdisk-balanced", "boot_disk_size_gb": 200}}`
	poolCPU = `{"id": "cpu", "machine_spec": {"machine_type": "n2-standard-8"},
		"scaling_spec": {"min_node_count": 2, "max_node_count": 8}, "zone": "us-central1-a",
		"boot_disk": {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 120}}`
	poolLogin = `{"id": "login", "machine_spec": {"machine_type": "n2-standard-8"},
		"scaling_spec": {"min_node_count": 1, "max_node_count": 1}, "zone": "us-central1-a",
		"boot_disk": {"boot_disk_type": "pd-standard", "boot_disk_size_gb": 120}}`
	threePools = poolA4 + ", " + poolCPU + ", " + poolLogin

	fixedFields = `"display_name": "training", "network": {"network": "projects/my-project/global/networks/my-network",
		"subnetwork": "projects/my-project/regions/us-central1/subnetworks/my-subnet"}`
	homeStorage = `"home_directory_storage": "projects/my-project/locations/us-central1-a/instances/my-filestore"`
	settings    = `"config": {"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "PriorityWeightAge": "1000"}`
	oldSettings = `"scheduling": {"preempt_type": "preempt/partition_prio", "preempt_mode": "REQUEUE", "priority_weight_age": 1000},
		"accounting": {"accounting_storage_enforce": "limits,qos"}`

	firstImage = "projects/example-image-project/global/images/example-slurm-image-20260901" // of a new server
	newImage   = "projects/example-image-project/global/images/example-slurm-image-20261101"
)

// written is the cluster with settings of one form or the other.
func written(settings string) string {
	return `{` + fixedFields + `, "labels": {"env": "prod", "team": "vision"}, "node_pools": [` + threePools + `],
		"orchestrator_spec": {"slurm_spec": {` + homeStorage + `, "login_node_pool_id": "login", ` + settings + `,
			"prolog_bash_scripts": ["#!/bin/bash\nlogger a job starts\n"],
			"partitions": [{"id": "gpu", "node_pool_ids": ["a4"], "config": {"MaxTime": "4-00:00:00"}}, {"id": "cpu", "node_pool_ids": ["cpu"]}]}}}`
}

// trap is a server with that cluster on it, and a client.
type trap struct {
	*testing.T
	srv        *clustertest.Server
	controller *slurmtest.Server // the Slurm behind the cluster
	c          *cluster.Client
	doc        string
	before     *cluster.ModelDevelopmentCluster // as it was at first
}

// inTrap runs f in a bubble, where operations take minutes that cost nothing.
func inTrap(t *testing.T, doc string, f func(*testing.T, *trap)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr := &trap{T: t, doc: doc, controller: slurmtest.NewServer()}
		tr.srv = clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(tr.controller))
		var err error
		if tr.c, err = cluster.NewClient(t.Context(), parent, tr.srv.ClientOptions()...); err != nil {
			t.Fatal(err)
		}
		tr.reset()
		f(t, tr)
	})
}

// reset puts the cluster back as it was, with the image that is today's default then, and forgets the requests.
func (tr *trap) reset() {
	tr.Helper()
	tr.controller.SetControllerDown(false)
	tr.srv.SetDefaultImage("", firstImage)
	if err := tr.srv.AddCluster("training", []byte(tr.doc)); err != nil {
		tr.Fatal(err)
	}
	tr.before = tr.now()
	tr.srv.ResetRequests()
	time.Sleep(time.Minute) // nodes that are made from now on show a later time
}

// now is the cluster as the server has it.
func (tr *trap) now() *cluster.ModelDevelopmentCluster {
	tr.Helper()
	return parse(tr.T, tr.srv.Cluster("training"))
}

// answer is what a person with curl sees: the answer, if one came, and how the operation in it ended.
type answer struct {
	status int // 0 if the connection broke
	body   string
	failed string // the error of the operation
}

// curl sends what a person sends, waits for longer than any operation takes, and looks at the operation. The target is
// what follows modelDevelopmentClusters in the address.
func (tr *trap) curl(method, target, body string) answer {
	tr.Helper()
	const host = "https://us-central1-aiplatform.googleapis.com/v1beta1/"
	a := tr.send(method, host+parent+"/modelDevelopmentClusters"+target, body)
	time.Sleep(20 * time.Minute)
	if _, name, ok := strings.Cut(a.body, `"name": "`); ok && strings.Contains(name, "/operations/") {
		name, _, _ = strings.Cut(name, `"`)
		_, a.failed, _ = strings.Cut(tr.send("GET", host+name, "").body, `"error":`)
	}
	return a
}

// patch is curl for updates that the service accepts.
func (tr *trap) patch(query, body string) {
	tr.Helper()
	if a := tr.curl("PATCH", "/training?"+query, body); a.status != 200 || a.failed != "" {
		tr.Fatalf("the service has not done what a person asks for: %+v", a)
	}
}

func (tr *trap) send(method, url, body string) answer {
	tr.Helper()
	req, err := http.NewRequestWithContext(tr.Context(), method, url, strings.NewReader(body))
	if err != nil {
		tr.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	resp, err := tr.srv.HTTPClient().Do(req)
	if err != nil {
		return answer{failed: err.Error()}
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		tr.Fatal(err)
	}
	return answer{status: resp.StatusCode, body: string(read)}
}

// refused checks that the service refused what a person sent, with a complaint about field.
func (tr *trap) refused(a answer, field string) {
	tr.Helper()
	if a.status != 400 || !strings.Contains(a.body, field) {
		tr.Errorf("want a refusal because of %s, got %+v", field, a)
	}
}

// edit is EditCluster, and waits for the operation.
func (tr *trap) edit(edit func(*cluster.ModelDevelopmentCluster) error, opts *cluster.EditOptions) *cluster.Plan {
	tr.Helper()
	op, err := tr.c.EditCluster(tr.Context(), "training", edit, opts)
	must(tr.T, op, err)
	return op.Plan()
}

// unsent checks that an update or a creation was refused before it was sent, by an error with all of says.
func (tr *trap) unsent(err error, says ...string) {
	tr.Helper()
	var e *cluster.Error
	if !errors.As(err, &e) || e.Attempts > 0 || !e.Unprocessed {
		tr.Errorf("got %v, want a refusal", err)
	}
	tr.contains(fmt.Sprint(err), says...)
	if sent := append(patches(tr.srv), tr.srv.RequestsFor(clustertest.VerbCreate)...); len(sent) > 0 {
		tr.Errorf("refused, and sent all the same: %v", sent)
	}
}

func (tr *trap) contains(text string, want ...string) {
	tr.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			tr.Errorf("%q\nlacks %q", text, w)
		}
	}
}

// nodes checks what has become of the nodes of each pool: "a4 kept, cpu new, login gone".
func (tr *trap) nodes(want string) {
	tr.Helper()
	is, found := nodesByName(tr.now()), map[string]string{}
	for name, was := range nodesByName(tr.before) {
		fate := "kept"
		if now := is[name]; now == nil {
			fate = "gone"
		} else if !now.StateUpdateTime.Equal(was.StateUpdateTime) {
			fate = "new"
		}
		if seen := found[was.NodePoolID]; seen != "" && seen != fate {
			fate = "differ"
		}
		found[was.NodePoolID] = fate
	}
	var got []string
	for _, pool := range tr.before.NodePools {
		got = append(got, pool.ID+" "+found[pool.ID])
	}
	if strings.Join(got, ", ") != want {
		tr.Errorf("nodes: %s; want %s", strings.Join(got, ", "), want)
	}
}

const (
	allKept = "a4 kept, cpu kept, login kept"
	allNew  = "a4 new, cpu new, login new"
)

// effects finds those of a kind in a plan: "a4 cpu?" if the one of cpu is only possible. One of the whole cluster is
// called "all".
func effects(p *cluster.Plan, kind cluster.EffectKind) string {
	var names []string
	for _, e := range p.Effects {
		if e.Kind != kind {
			continue
		}
		name := e.Name
		if name == "" {
			name = "all"
		}
		if e.Possible {
			name += "?"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

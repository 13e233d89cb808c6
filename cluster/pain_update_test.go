package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// The tests named TestPain are what users of such clients have suffered from, by the numbers of the list that package slurm
// keeps in its tests.

// golang/protobuf#519 and #1345: the service writes 64-bit numbers in quotes, and people read 0.
func TestPainU24QuotedIntegers(t *testing.T) {
	for _, number := range []string{`"120"`, `120`, `120.0`, `1.2e2`} {
		m := parse(t, []byte(`{"nodePools":[{"id":"a","bootDisk":{"bootDiskSizeGb":`+number+`},"scalingSpec":{"minNodeCount":`+number+`,"maxNodeCount":`+number+`}}]}`))
		if p := m.NodePool("a"); p.BootDisk.BootDiskSizeGB != 120 || p.ScalingSpec.MinNodeCount != 120 || p.ScalingSpec.MaxNodeCount != 120 {
			t.Errorf("%s: %+v %+v", number, p.BootDisk, p.ScalingSpec)
		}
	}
}

// sentUpdate is the body and the URL of an update of the recorded cluster.
func sentUpdate(t *testing.T, mask cluster.FieldMask, edit func(m *cluster.ModelDevelopmentCluster)) (body, url string) {
	t.Helper()
	m := parse(t, payload(t, "response-cluster-get.json"))
	if edit != nil {
		edit(m)
	}
	c, w := scripted(t, reply{status: 200, body: string(payload(t, updateDone))})
	if _, err := c.UpdateCluster(t.Context(), m, mask, cluster.UpdateModeUserOnly); err != nil {
		t.Fatal(err)
	}
	return w.requests[0].body, w.requests[0].url
}

// google-api-go-client#54, #101, #165 and six more: what is empty was not sent, so that nothing could be cleared.
func TestPainU66ClearConfig(t *testing.T) {
	empty := func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Config = cluster.SlurmConfig{} }
	for path, edit := range map[string]func(*cluster.ModelDevelopmentCluster){cluster.PathConfig: empty, cluster.Clear(cluster.PathConfig): nil} {
		body, url := sentUpdate(t, cluster.FieldMask{path}, edit)
		if body != `{"orchestratorSpec":{"slurmSpec":{"config":{}}}}` || !strings.Contains(url, "updateMask="+cluster.PathConfig+"&") {
			t.Errorf("%s: sent %s to %s", path, body, url)
		}
	}
}

// google-cloud-go#8059: an empty list could not be sent.
func TestPainU67EmptyList(t *testing.T) {
	body, _ := sentUpdate(t, cluster.FieldMask{cluster.PathNodeSets}, func(m *cluster.ModelDevelopmentCluster) { m.Slurm().NodeSets = []*cluster.NodeSet{} })
	if body != `{"orchestratorSpec":{"slurmSpec":{"nodeSets":[]}}}` {
		t.Errorf("sent %s", body)
	}
}

// crossplane-contrib/provider-gcp#15: a default of the server's took the place of a zero that was meant. A pool is sent
// whole, so that false is what it becomes: it is the service's own zero, and said by leaving it out or by sending it.
func TestPainU68FalseIsFalse(t *testing.T) {
	srv, c := fake(t, clustertest.WithOperationTime(0))
	for _, public := range []bool{false, true, false} {
		op, err := c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePool("cpu").EnablePublicIPs = public
			return nil
		}, &cluster.EditOptions{Allow: []cluster.EffectKind{cluster.EffectNodeRecreation, cluster.EffectLoginRecreation}})
		if err != nil {
			t.Fatal(err)
		}
		if err := op.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m, err := c.GetCluster(t.Context(), "training"); err != nil || m.NodePool("cpu").EnablePublicIPs != public {
			t.Errorf("want %v: %v, %v", public, m.NodePool("cpu"), err)
		}
	}
	if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != 3 {
		t.Errorf("%d updates", n)
	}
}

// google-cloud-go#7147, nodejs-docs-samples#3187: each API wants its masks in another spelling.
func TestPainU69MaskSpelling(t *testing.T) {
	for path, want := range map[string]string{"nodePools": "node_pools", "node_pools": "node_pools", "orchestratorSpec.slurmSpec.config": cluster.PathConfig} {
		if _, url := sentUpdate(t, cluster.FieldMask{path}, nil); !strings.Contains(url, "updateMask="+want+"&") {
			t.Errorf("%s: sent %s", path, url)
		}
	}
	if _, err := cluster.ParseFieldMask("nodePool"); err == nil || !strings.Contains(err.Error(), "did you mean node_pools?") {
		t.Errorf("a typo: %v", err)
	}
}

// grpc-gateway#2239: masks that lead into a map, whose keys are in capitals, came out as something else.
func TestPainU71MaskIntoAMap(t *testing.T) {
	for _, path := range []string{"orchestrator_spec.slurm_spec.config.PriorityType", "orchestratorSpec.slurmSpec.config.foo__bar", "labels.a.b"} {
		m := parse(t, payload(t, "response-cluster-get.json"))
		body, err := masked(t, m, cluster.FieldMask{path}, cluster.UpdateModeUserOnly)
		if err == nil || !strings.Contains(err.Error(), "is replaced whole, and no path leads into it") {
			t.Errorf("%s: %v (sent %s)", path, err, body)
		}
	}
}

// terraform-provider-google#3127, #5114, #8358: one poll that failed marked what was fine as failed, and the text said
// nothing of use.
func TestPainU73RateLimitedPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, c := fake(t)
		op, err := c.DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		srv.Inject(clustertest.Fault{Verb: clustertest.VerbGetOperation, Nth: 2, Status: "RESOURCE_EXHAUSTED", RetryAfter: 40 * time.Second, Times: 2})
		if err := op.Wait(t.Context()); err != nil {
			t.Errorf("%v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		_, c := fake(t, clustertest.WithOperationTime(time.Hour))
		op, err := c.DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		err = op.Wait(ctx)
		watching, ok := errors.AsType[*lro.WaitError](err)
		if !ok || len(watching.Pending) != 1 || watching.Pending[0] != op.Name() || !strings.Contains(err.Error(), "can be waited for again by name") {
			t.Fatalf("%v", err)
		}
		if err := c.Operation(watching.Pending[0]).Wait(t.Context()); err != nil {
			t.Errorf("resumed: %v", err)
		}
	})
}

// kubeflow/pipelines#6011, google-cloud-go#5827: the wrong regional endpoint answers with a page, and people looked for the
// mistake elsewhere.
func TestPainU77WrongRegion(t *testing.T) {
	e := getError(t, reply{status: 404, body: "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>", header: http.Header{"Content-Type": {"text/html"}}})
	if !strings.Contains(e.Error(), `HTML page titled "Error 404 (Not Found)!!1", not JSON: check the endpoint and any proxy`) {
		t.Errorf("%v", e)
	}
	c, w := scripted(t, reply{status: 200, body: named})
	_, err := c.GetCluster(t.Context(), "projects/my-project/locations/us-east4/modelDevelopmentClusters/training")
	if err == nil || !strings.Contains(err.Error(), "us-east4") || !strings.Contains(err.Error(), "us-central1") || len(w.requests) != 0 {
		t.Errorf("a cluster of another region: %v, sent %v", err, w.requests)
	}
	if _, err := c.GetCluster(t.Context(), "training"); err != nil || !strings.HasPrefix(w.requests[0].url, "https://us-central1-aiplatform.googleapis.com/") {
		t.Errorf("%v, sent to %v", err, w.requests)
	}
}

// hourly gives tokens that are good for an hour, and counts them.
type hourly struct{ given int }

func (h *hourly) Token() (*oauth2.Token, error) {
	h.given++
	expiry := time.Now().Add(time.Hour)
	return &oauth2.Token{AccessToken: expiry.UTC().Format(time.RFC3339), Expiry: expiry}, nil
}

// google-api-go-client#111: the token was taken once, and the longer the wait, the surer was the 401. Here each request asks
// for the token. A 401 all the same is no passing failure: it ends the watching, which can be taken up by name.
func TestPainU78TokenOfALongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := clustertest.NewServer(clustertest.WithOperationTime(5*time.Hour), clustertest.WithTokenCheck(func(token string) bool {
			expiry, err := time.Parse(time.RFC3339, token)
			return err == nil && time.Now().Before(expiry)
		}))
		if err := srv.AddCluster("training", nil); err != nil {
			t.Fatal(err)
		}
		tokens := &hourly{}
		ctx, cancel := context.WithCancel(t.Context())
		c, err := cluster.NewClient(ctx, parent, option.WithHTTPClient(&http.Client{Transport: &oauth2.Transport{
			Source: oauth2.ReuseTokenSource(nil, tokens), Base: srv.HTTPClient().Transport,
		}}))
		cancel() // that context is for finding credentials only
		if err != nil {
			t.Fatal(err)
		}
		op, err := c.DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*time.Hour, func() { srv.Inject(clustertest.Fault{Status: "UNAUTHENTICATED"}) })
		err = op.Wait(t.Context())
		if watching, ok := errors.AsType[*lro.WaitError](err); !ok || !errors.Is(err, cluster.ErrUnauthenticated) || watching.Pending[0] != op.Name() {
			t.Errorf("%v", err)
		}
		if err := c.Operation(op.Name()).Wait(t.Context()); err != nil || tokens.given < 5 {
			t.Errorf("%v after %d tokens", err, tokens.given)
		}
	})
}

// cluster-toolkit#1554, #1769, #4329: partitions or nodes were added, the update succeeded, and they were not there. A plan
// from what is read afterwards to what was wanted lists what is lacking.
func TestPainU79UpdateWithoutEffect(t *testing.T) {
	want := parse(t, payload(t, "response-cluster-get.json"))
	want.NodePool("cpu").ScalingSpec.MaxNodeCount = 7
	want.Labels = map[string]string{"env": "prod", "team": "speech"}
	mask := cluster.FieldMask{cluster.PathNodePools, cluster.PathLabels}
	c, _ := scripted(t, reply{status: 200, body: string(payload(t, "response-cluster-get.json"))})
	after, err := c.GetCluster(t.Context(), "training")
	if err != nil {
		t.Fatal(err)
	}
	var lacking []string
	for _, change := range cluster.PlanUpdate(after, want, mask, cluster.UpdateModeUserOnly).Changes {
		lacking = append(lacking, change.Path)
	}
	if got := strings.Join(lacking, " "); !strings.Contains(got, "node_pools[cpu].scaling_spec.max_node_count") || !strings.Contains(got, "labels.team") {
		t.Errorf("lacking: %s", got)
	}
	if changes := cluster.PlanUpdate(want, want, mask, cluster.UpdateModeUserOnly).Changes; len(changes) != 0 {
		t.Errorf("nothing is lacking, and yet %v", changes)
	}
}

// aws-parallelcluster#6743: users could not know before an update what it would stop.
func TestPainU80WhatAnUpdateCosts(t *testing.T) {
	for _, tt := range []struct {
		why  string
		edit func(m *cluster.ModelDevelopmentCluster)
		mask string
		kind cluster.EffectKind
	}{
		{"another machine", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").MachineSpec.MachineType = "n2-standard-16" }, cluster.PathNodePools, cluster.EffectNodeRecreation},
		{"fewer nodes", func(m *cluster.ModelDevelopmentCluster) {
			m.NodePool("cpu").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 1, MaxNodeCount: 1}
		}, cluster.PathNodePools, cluster.EffectNodeRemoval},
		{"more nodes", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("cpu").ScalingSpec.MaxNodeCount = 40 }, cluster.PathNodePools, cluster.EffectNodeAddition},
		{"the startup script of the login nodes", func(m *cluster.ModelDevelopmentCluster) { m.NodePool("login").StartupScript = "#!/bin/sh\ntrue\n" }, cluster.PathNodePools, cluster.EffectLoginRecreation},
		{"a setting", func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Config.Set("PriorityWeightAge", "7") }, cluster.PathConfig, cluster.EffectSlurmReload},
	} {
		current, want := planned(t), planned(t)
		withoutImages(want)
		tt.edit(want)
		plan := cluster.PlanUpdate(current, want, cluster.FieldMask{tt.mask}, cluster.UpdateModeUserOnly)
		found := false
		for _, effect := range plan.Effects {
			found = found || effect.Kind == tt.kind && effect.Reason != ""
		}
		if !found {
			text, _ := json.Marshal(plan.Effects)
			t.Errorf("%s: no %s in %s", tt.why, tt.kind, text)
		}
	}
}

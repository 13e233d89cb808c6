package cluster_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/golden"
	"github.com/trainingclusters/trainingclusters-go/internal/render/rendertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// look is a value that a notebook can show.
type look interface {
	SimpleRender() map[string]any
	String() string
}

// TestLooksOfNothing: none fails on nil or a zero value, and all say something.
func TestLooksOfNothing(t *testing.T) {
	for _, v := range []look{
		(*cluster.ModelDevelopmentCluster)(nil), &cluster.ModelDevelopmentCluster{}, &cluster.ModelDevelopmentCluster{NodePools: []*cluster.NodePool{nil}},
		&cluster.ModelDevelopmentCluster{
			ClusterStatus:    &cluster.ClusterStatus{NodesStatus: []*cluster.NodeStatus{nil, {}}},
			OrchestratorSpec: &cluster.OrchestratorSpec{SlurmSpec: &cluster.SlurmSpec{Partitions: []*cluster.Partition{nil, {}}}},
		},
		cluster.ClusterList(nil), cluster.ClusterList{nil}, cluster.ClusterList{{}}, cluster.ClusterList{{NodePools: []*cluster.NodePool{nil, {}}}},
		(*cluster.Plan)(nil), &cluster.Plan{}, cluster.PlanUpdate(nil, nil, nil, ""), (*cluster.Validation)(nil), &cluster.Validation{},
		(*cluster.Operation)(nil), &cluster.Operation{}, (*lro.Operation)(nil),
	} {
		bundle := v.SimpleRender()
		if err := rendertest.Bundle(bundle); err != nil {
			t.Errorf("%T: %v", v, err)
		}
		if v.String() == "" {
			t.Errorf("%T has no text", v)
		}
		clear(bundle)
		if len(v.SimpleRender()) == 0 {
			t.Errorf("%T returns the same map again", v)
		}
	}
}

func goldenLook(t *testing.T, name string, v look) {
	t.Helper()
	bundle := v.SimpleRender()
	if err := rendertest.Bundle(bundle); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	got := fmt.Sprintf("%s\n%s\n", bundle["text/plain"], bundle["text/html"])
	path := filepath.Join("testdata", "looks", name)
	want, err := golden.File(path, got, *update)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (go test -run TestLooks -update writes it anew): %s", path, diff)
	}
}

// TestLooks holds what a notebook shows to golden files, each after its line of plain text.
func TestLooks(t *testing.T) {
	m := planned(t)
	m.ClusterStatus = &cluster.ClusterStatus{State: cluster.StateUpdating, Detail: "a <b>detail</b>", NodesStatus: []*cluster.NodeStatus{
		{NodeState: cluster.NodeStateRunning, NodePoolID: "cpu"}, {NodeState: cluster.NodeStateRunning, NodePoolID: "cpu"},
		{NodeState: cluster.NodeStateError, NodePoolID: "a4"}, {NodeState: cluster.NodeStateRepairing, NodePoolID: "a4"},
	}}
	goldenLook(t, "cluster.html", m)
	other := planned(t)
	other.Name, other.ClusterStatus = "projects/p/locations/europe-west4/modelDevelopmentClusters/other", &cluster.ClusterStatus{State: cluster.StateRunning}
	goldenLook(t, "clusters.html", cluster.ClusterList{m, other, nil})

	want := planned(t)
	want.Labels["team"] = "speech & vision"
	want.NodePools = slices.DeleteFunc(want.NodePools, func(p *cluster.NodePool) bool { return p.ID == "a4" })
	want.NodePool("cpu").StartupScript = "#!/bin/sh\necho '<new>'\n"
	mask := cluster.FieldMask{cluster.PathLabels, cluster.PathNodePools}
	goldenLook(t, "plan.html", cluster.PlanUpdate(planned(t), want, mask, cluster.UpdateModeUserOnly))
	goldenLook(t, "plan-empty.html", cluster.PlanUpdate(planned(t), planned(t), cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly))

	want.NodePool("cpu").MachineSpec.MachineType = "huge"
	want.DisplayName = "Wrong Name"
	goldenLook(t, "validation.html", want.Validate(nil))
}

// TestLooksAreBounded: what is too much is counted.
func TestLooksAreBounded(t *testing.T) {
	current, want := planned(t), planned(t)
	v := &cluster.Validation{}
	for i := range 1000 {
		pool := *current.NodePool("cpu")
		pool.ID = fmt.Sprintf("p%03d", i)
		want.NodePools = append(want.NodePools, &pool)
		v.Errors = append(v.Errors, cluster.Violation{Field: pool.ID, Description: "wrong"})
		v.Warnings = v.Errors
	}
	plan := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	clusters := make(cluster.ClusterList, 300)
	for i := range clusters {
		clusters[i] = want
	}
	for more, v := range map[string]look{"and 100 more clusters": clusters, "803 more node pools": want, "more lines": plan, "1800 more findings": v} {
		bundle := v.SimpleRender()
		html := bundle["text/html"].(string)
		if err := rendertest.Bundle(bundle); err != nil || !strings.Contains(html, more) || len(html) > 200_000 {
			t.Errorf("%T: %v, %d bytes, without %q", v, err, len(html), more)
		}
	}
}

// TestListShowsErrorsFirst, then the others by name.
func TestListShowsErrorsFirst(t *testing.T) {
	var l cluster.ClusterList
	for i := range 300 {
		l = append(l, &cluster.ModelDevelopmentCluster{DisplayName: fmt.Sprintf("c%d", 300-i)})
	}
	l[299].ClusterStatus = &cluster.ClusterStatus{State: cluster.StateRunning}
	l[290].ClusterStatus = &cluster.ClusterStatus{State: cluster.StateError}
	html, at := l.SimpleRender()["text/html"].(string), 0
	for _, name := range []string{"c10", "c1", "c2", "c9", "c11"} {
		next := strings.Index(html, ">"+name+"<")
		if next < at {
			t.Errorf("%s is at %d, the one before at %d", name, next, at)
		}
		at = next
	}
	if l[0].DisplayName != "c300" {
		t.Error("the list has another order")
	}
}

// hostileCluster has a text wherever it can be.
func hostileCluster(text string) *cluster.ModelDevelopmentCluster {
	return &cluster.ModelDevelopmentCluster{
		Name: text, DisplayName: text, Labels: map[string]string{text: text, "same": text}, Network: &cluster.NetworkSpec{Network: text},
		NodePools: []*cluster.NodePool{{ID: text, Zone: text, StartupScript: text}, {ID: "p", StartupScript: text, ProvisioningModel: cluster.ProvisioningModel(text),
			MachineSpec: &cluster.MachineSpec{MachineType: text, AcceleratorType: cluster.AcceleratorType(text), AcceleratorCount: 8}}},
		ClusterStatus: &cluster.ClusterStatus{State: cluster.State(text), Detail: text,
			NodesStatus: []*cluster.NodeStatus{{NodeState: cluster.NodeState(text), NodePoolID: text}}},
		OrchestratorSpec: &cluster.OrchestratorSpec{SlurmSpec: &cluster.SlurmSpec{Config: cluster.SlurmConfig{text: text},
			Partitions: []*cluster.Partition{{ID: text, NodePoolIDs: []string{text}, Config: cluster.SlurmConfig{text: text}}}}},
	}
}

// FuzzRender: whatever names and texts are, what is shown is well-formed, bounded, and nothing but text.
func FuzzRender(f *testing.F) {
	const kinds = 7
	for i, text := range []string{"team", "<script>alert(1)</script>", "]]>&amp;--><!--", "a\n+ b\r\x00\x1b[31m", "\xff\xfe\xc3", `"onload='x'`, "\u202e\u2066x\u2069",
		"\ufffe\uffff\u2028", strings.Repeat("<&\"'", 250), strings.Repeat("日\n", 500)} {
		for kind := range kinds {
			f.Add(uint8(kind), text, "x")
		}
		f.Add(uint8(i), "x", text)
	}
	f.Fuzz(func(t *testing.T, kind uint8, before, after string) {
		was, is := hostileCluster(before), hostileCluster(after)
		var v look
		switch kind % kinds {
		case 0:
			v = was
		case 6:
			v = cluster.ClusterList{was, is, nil}
		case 1:
			v = was.Validate(nil)
		case 2:
			v = &cluster.Validation{Errors: []cluster.Violation{{Field: before, Description: after}}}
		case 3:
			v = cluster.PlanUpdate(was, is, cluster.FieldMask{cluster.AllFields}, cluster.UpdateModeUserOnly)
		case 4:
			v = cluster.PlanUpdate(was, is, cluster.FieldMask{before}, cluster.UpdateMode(after))
		default:
			v = cluster.PlanUpdate(was, is, cluster.FieldMask{cluster.PathLabels, cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		}
		if err := rendertest.Bundle(v.SimpleRender()); err != nil {
			t.Fatalf("%T: %v", v, err)
		}
	})
}

// TestPlanLineCountsWhatIsShown: effects of one kind and reason are one row, and one in the line.
func TestPlanLineCountsWhatIsShown(t *testing.T) {
	kept := cluster.Effect{Kind: cluster.EffectImageKept, Reason: "none is sent"}
	plan := &cluster.Plan{Changes: []cluster.Change{{Path: "labels"}}, Effects: []cluster.Effect{kept, kept, {Kind: cluster.EffectPoolRemoval}}}
	plan.Effects[0].Name, plan.Effects[1].Name = "cpu", "login"
	bundle := plan.SimpleRender()
	line, rows := bundle["text/plain"].(string), strings.Count(bundle["text/html"].(string), "<tr><td")
	if !strings.Contains(line, "1 change, 2 effects, destructive") || rows != 2 {
		t.Errorf("%d rows below %q", rows, line)
	}
}

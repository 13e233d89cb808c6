package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// laboratory is a server of a later version, with a client and a source of chance.
type laboratory struct {
	*rand.Rand
	t   *testing.T
	srv *clustertest.Server
	c   *cluster.Client

	base [2][]byte // what clusters are made from, with the settings in either form
}

// inLaboratory runs f for each of many seeds, in a bubble where time costs nothing.
func inLaboratory(t *testing.T, f func(l *laboratory)) {
	const shared = 200 // seeds on one server, which remembers every operation
	synctest.Test(t, func(t *testing.T) {
		var l laboratory
		for seed := range uint64(cases) {
			if seed%shared == 0 {
				l = newLaboratory(t)
			}
			l.Rand = rand.New(rand.NewPCG(seed, 0))
			if f(&l); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
}

func newLaboratory(t *testing.T) laboratory {
	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithOperationTime(0),
		clustertest.WithNewField("", "top"), clustertest.WithNewField("node_pools", "shiny"),
		clustertest.WithNewField("node_pools.machine_spec", "turbo"), clustertest.WithNewField("orchestrator_spec.slurm_spec.partitions", "flags"))
	c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return laboratory{t: t, srv: srv, c: c, base: [2][]byte{marshal(t, planned(t)), marshal(t, legacy(t))}}
}

// start puts a random cluster on the server and reads it.
func (l *laboratory) start() *cluster.ModelDevelopmentCluster {
	var m *cluster.ModelDevelopmentCluster
	if err := json.Unmarshal(l.base[l.IntN(len(l.base))], &m); err != nil {
		l.t.Fatal(err)
	}
	m.Unknown.Set("top", json.RawMessage(`{"deep":[1,null,""]}`))
	m.NodePools[0].Unknown.Set("shiny", json.RawMessage(`9007199254740993`))
	m.NodePools[1].MachineSpec.Unknown.Set("turbo", json.RawMessage(`"yes"`))
	m.Slurm().Partitions[0].Unknown.Set("flags", json.RawMessage(`[]`))
	if l.IntN(2) == 0 {
		withoutImages(m)
	}
	for range l.IntN(4) {
		harmless[l.IntN(len(harmless))](l, m)
	}
	doc, err := json.Marshal(m)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.srv.AddCluster("training", doc); err != nil {
		l.t.Fatal(err)
	}
	time.Sleep(time.Second) // nodes made from now on show a later time
	return l.read()
}

func (l *laboratory) read() *cluster.ModelDevelopmentCluster {
	m, err := l.c.GetCluster(l.t.Context(), "training")
	if err != nil {
		l.t.Fatal(err)
	}
	return m
}

func (l *laboratory) pool(m *cluster.ModelDevelopmentCluster) *cluster.NodePool {
	if len(m.NodePools) == 0 {
		return &cluster.NodePool{MachineSpec: &cluster.MachineSpec{}, ScalingSpec: &cluster.ScalingSpec{}, BootDisk: &cluster.DiskSpec{}}
	}
	return m.NodePools[l.IntN(len(m.NodePools))]
}

func (l *laboratory) partition(m *cluster.ModelDevelopmentCluster) *cluster.Partition {
	if s := m.Slurm(); len(s.Partitions) > 0 {
		return s.Partitions[l.IntN(len(s.Partitions))]
	}
	return &cluster.Partition{}
}

type change = func(l *laboratory, m *cluster.ModelDevelopmentCluster)

const image = "projects/example-image-project/global/images/example-slurm-image-2026090"

// harmless changes leave a valid cluster valid.
var harmless = []change{
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		p, n := l.pool(m), l.Int64N(4)
		p.ScalingSpec = &cluster.ScalingSpec{MinNodeCount: n, MaxNodeCount: n}
		if p.ID != m.Slurm().LoginNodePoolID {
			p.ScalingSpec.MaxNodeCount += l.Int64N(3)
		}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).StartupScript = fmt.Sprint("#!/bin/bash\necho ", l.IntN(3))
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).Labels = map[string]string{"a": fmt.Sprint(l.IntN(2))}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { l.pool(m).EnablePublicIPs = l.IntN(2) == 0 },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).NodeImage = fmt.Sprint(image, l.IntN(3))
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { l.pool(m).NodeImage = "" },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).NodeImage = "projects/example-image-project/global/images/family/f"
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).Unknown.Set("shiny", json.RawMessage(fmt.Sprint(l.IntN(2))))
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		id := fmt.Sprintf("extra%d", l.IntN(2))
		if m.NodePool(id) == nil {
			m.NodePools = append(m.NodePools, &cluster.NodePool{ID: id, Zone: "us-central1-a", MachineSpec: &cluster.MachineSpec{MachineType: "n2-standard-8"},
				ScalingSpec: &cluster.ScalingSpec{MinNodeCount: 1, MaxNodeCount: 2}, BootDisk: &cluster.DiskSpec{BootDiskType: "pd-ssd", BootDiskSizeGB: 50}})
		}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		s, id := m.Slurm(), fmt.Sprintf("more%d", l.IntN(2))
		if s.Partition(id) == nil && len(m.NodePools) > 0 {
			s.Partitions = append(s.Partitions, &cluster.Partition{ID: id, NodePoolIDs: []string{m.NodePools[0].ID}})
		}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { slices.Reverse(m.Slurm().Partitions) },
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { slices.Reverse(m.NodePools) },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.partition(m).Config = cluster.SlurmConfig{"MaxTime": fmt.Sprint(l.IntN(3)), "priority_tier": "5"}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { l.partition(m).Config = nil },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().DefaultPartitionID = l.partition(m).ID
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().DefaultPartitionID = "" },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		if s := m.Slurm(); s.Scheduling == nil && s.Accounting == nil {
			s.Config.Set([]string{"PreemptMode", "preempt_mode", "PREEMPTMODE", "PriorityType"}[l.IntN(4)], fmt.Sprint("REQUEUE", l.IntN(2)))
		}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().Config.Delete("PreemptMode") },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		if s := m.Slurm(); len(s.Config) == 0 {
			s.Scheduling = &cluster.Scheduling{PreemptMode: "REQUEUE", PriorityWeightAge: l.Int64N(3)}
		}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().Scheduling = nil },
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().Accounting = nil },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().NodeSets = []*cluster.NodeSet{{NodePoolID: "a4", Config: cluster.SlurmConfig{"Weight": fmt.Sprint(l.IntN(3))}}}
		if m.NodePool("a4") == nil {
			m.Slurm().NodeSets = nil
		}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().NodeSets = nil },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Labels = map[string]string{"team": fmt.Sprint(l.IntN(3))}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Labels = nil },
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().PrologBashScripts = nil },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().EpilogBashScripts = []string{fmt.Sprint("#!/bin/bash\necho ", l.IntN(3))}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { // give every pool but login to the first partition
		var ids []string
		for _, p := range m.NodePools {
			if p.ID != m.Slurm().LoginNodePoolID {
				ids = append(ids, p.ID)
			}
		}
		if s := m.Slurm(); len(s.Partitions) > 0 && len(ids) > 0 {
			s.Partitions[0].NodePoolIDs = ids
		}
	},
}

// harmful changes are those that a service may refuse or that cost something.
var harmful = []change{
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		if n := len(m.NodePools); n > 0 {
			at := l.IntN(n)
			m.NodePools = slices.Delete(m.NodePools, at, at+1)
		}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		if s := m.Slurm(); len(s.Partitions) > 0 {
			at := l.IntN(len(s.Partitions))
			s.Partitions = slices.Delete(s.Partitions, at, at+1)
		}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().LoginNodePoolID = l.pool(m).ID },
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().LoginNodePoolID = "nowhere" },
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.Slurm().DefaultPartitionID = "nowhere" },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.partition(m).NodePoolIDs = []string{"nowhere"}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { l.partition(m).ID = "renamed" },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { l.pool(m).ID = "renamed" },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).BootDisk = &cluster.DiskSpec{BootDiskType: "pd-ssd"}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 3, MaxNodeCount: 2}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.pool(m).MachineSpec = &cluster.MachineSpec{MachineType: "a4-highgpu-8g"}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().Config = cluster.SlurmConfig{"HealthCheckInterval": "5"}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().Config = cluster.SlurmConfig{"MaxTime": "1", "max_time": "1"}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().Config = cluster.SlurmConfig{"MaxTime": "1\nDefault=YES"}
	},
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) {
		l.partition(m).Config = cluster.SlurmConfig{"Default": "YES"}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().Scheduling = &cluster.Scheduling{PreemptMode: "CANCEL"}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) {
		m.Slurm().NodeSets = []*cluster.NodeSet{{NodePoolID: "login"}}
	},
	func(_ *laboratory, m *cluster.ModelDevelopmentCluster) { m.DisplayName = "other" },
	func(l *laboratory, m *cluster.ModelDevelopmentCluster) { l.pool(m).Zone = "us-central1-b" },
}

// mutate changes m in a few ways.
func (l *laboratory) mutate(m *cluster.ModelDevelopmentCluster, changes ...change) {
	for range 1 + l.IntN(4) {
		changes[l.IntN(len(changes))](l, m)
	}
}

var paths = []string{
	cluster.PathLabels, cluster.PathNodePools, cluster.PathPartitions, cluster.PathDefaultPartitionID, cluster.PathLoginNodePoolID,
	cluster.PathPrologBashScripts, cluster.PathEpilogBashScripts, cluster.PathConfig, cluster.PathScheduling, cluster.PathAccounting, cluster.PathNodeSets,
}

// mask is a random one; what want has nothing for is marked as meant.
func (l *laboratory) mask(want *cluster.ModelDevelopmentCluster) (mask cluster.FieldMask) {
	if l.IntN(10) == 0 {
		return cluster.FieldMask{cluster.AllFields}
	}
	chosen := slices.Clone(paths)
	l.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	doc := generic(l.t, want)
	for _, path := range chosen[:1+l.IntN(len(chosen))] {
		at := doc
		for step := range strings.SplitSeq(path, ".") {
			at, _ = at.(map[string]any)[toCamel(step)]
			if at == nil {
				path = cluster.Clear(path)
				break
			}
		}
		mask = append(mask, path)
	}
	return mask
}

func generic(t *testing.T, v any) (doc any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestPlansComeTrue: what a plan says is what the server does. The server refuses exactly what the plan refuses, the
// cluster afterwards is the plan's result, and the nodes that are gone or new are those that the plan names.
func TestPlansComeTrue(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	inLaboratory(t, func(l *laboratory) {
		before := l.start()
		want := l.read()
		l.mutate(want, append(slices.Clone(harmless), harmful...)...)
		mask, mode := l.mask(want), []cluster.UpdateMode{cluster.UpdateModeUserOnly, cluster.UpdateModeUserAndService}[l.IntN(2)]
		if l.IntN(3) == 0 {
			l.srv.SetDefaultImage("", image+"7")
		} else {
			l.srv.SetDefaultImage("", image+"1")
		}
		p := cluster.PlanUpdate(before, want, mask, mode)
		op, err := l.c.UpdateCluster(l.t.Context(), want, mask, mode, cluster.WithoutValidation())
		if err != nil {
			seen["refused"]++
			l.checkRefusal(p, err)
			return
		}
		if p.Refused() {
			t.Fatalf("the server took what the plan refuses:\n%s", p)
		}
		if err := op.Wait(l.t.Context()); err != nil {
			t.Fatal(err)
		}
		seen["accepted"]++
		after := l.read()
		compareResult(l.t, p, after)
		for _, effect := range compareNodes(l.t, p, before, after) {
			seen[effect]++
		}
	})
	t.Log(seen)
	for _, what := range []string{"refused", "accepted", "recreated", "kept", "removed", "created"} {
		if seen[what] < cases/100 {
			t.Errorf("%q came up %d times in %d cases: the cases prove little", what, seen[what], cases)
		}
	}
}

// checkRefusal wants the plan to have said so.
func (l *laboratory) checkRefusal(p *cluster.Plan, err error) {
	var e *cluster.Error
	if !errors.As(err, &e) {
		l.t.Fatal(err)
	}
	if !p.Refused() {
		l.t.Fatalf("refused: %v\nbut the plan is\n%s", err, p)
	}
}

// compareResult holds the result of a plan against the cluster that the server has. What the plan leaves open, since
// only the service knows, is taken from there.
func compareResult(t *testing.T, p *cluster.Plan, after *cluster.ModelDevelopmentCluster) {
	t.Helper()
	want := p.Result()
	for _, pool := range want.NodePools {
		if is := after.NodePool(pool.ID); is != nil && pool.NodeImage == "" {
			pool.NodeImage = is.NodeImage
		}
	}
	want.UpdateTime, want.ClusterStatus = after.UpdateTime, after.ClusterStatus
	if diff := clusterDiff(t, want, after); diff != "" {
		t.Errorf("the plan\n%s\nhas another result than the server (+): %s", p, diff)
	}
}

// compareNodes holds the effects against what became of each node, and says what was seen.
func compareNodes(t *testing.T, p *cluster.Plan, before, after *cluster.ModelDevelopmentCluster) (seen []string) {
	t.Helper()
	type effects = map[cluster.EffectKind]bool
	surely, possibly := map[string]effects{}, map[string]effects{}
	for _, e := range p.Effects {
		for _, m := range []map[string]effects{surely, possibly} {
			if m[e.Name] == nil {
				m[e.Name] = effects{}
			}
		}
		possibly[e.Name][e.Kind] = true
		if !e.Possible {
			surely[e.Name][e.Kind] = true
		}
	}
	was, is := nodesByName(before), nodesByName(after)
	for name, n := range was {
		pool := n.NodePoolID
		recreated := func(m map[string]effects) bool {
			return m[pool][cluster.EffectNodeRecreation] || m[pool][cluster.EffectLoginRecreation]
		}
		now := is[name]
		switch {
		case now == nil:
			seen = append(seen, "removed")
			kinds := possibly[pool]
			if !kinds[cluster.EffectPoolRemoval] && !kinds[cluster.EffectNodeRemoval] && !kinds[cluster.EffectNodeRelease] && !recreated(possibly) {
				t.Errorf("node %s is gone, which the plan does not say:\n%s", name, p)
			}
		case !now.StateUpdateTime.Equal(n.StateUpdateTime):
			seen = append(seen, "recreated")
			if !recreated(possibly) {
				t.Errorf("node %s was recreated, which the plan does not say:\n%s", name, p)
			}
		default:
			seen = append(seen, "kept")
			if recreated(surely) && before.Slurm().LoginNodePoolID != pool || surely[pool][cluster.EffectPoolRemoval] {
				t.Errorf("node %s was kept, and the plan says otherwise:\n%s", name, p)
			}
		}
	}
	for name, n := range is {
		if was[name] != nil {
			continue
		}
		seen = append(seen, "created")
		kinds := possibly[n.NodePoolID]
		if !kinds[cluster.EffectPoolCreation] && !kinds[cluster.EffectNodeAddition] && !kinds[cluster.EffectNodeRecreation] && !kinds[cluster.EffectLoginRecreation] {
			t.Errorf("node %s is new, which the plan does not say:\n%s", name, p)
		}
	}
	return seen
}

func nodesByName(m *cluster.ModelDevelopmentCluster) map[string]*cluster.NodeStatus {
	nodes := map[string]*cluster.NodeStatus{}
	for _, n := range m.ClusterStatus.NodesStatus {
		nodes[n.Instance] = n
	}
	return nodes
}

// TestEditsChangeNothingElse: after an edit, the cluster is what the edit function made of it, and the mask names only
// what that changed.
func TestEditsChangeNothingElse(t *testing.T) {
	t.Parallel()
	everything := []cluster.EffectKind{cluster.EffectPoolRemoval, cluster.EffectNodeRemoval, cluster.EffectNodeRecreation,
		cluster.EffectLoginRecreation, cluster.EffectPartitionRemoval}
	seen := map[string]int{}
	inLaboratory(t, func(l *laboratory) {
		before := l.start()
		images := l.srv.RunningImages("training")
		l.srv.SetDefaultImage("", image+"7")
		var edited, want *cluster.ModelDevelopmentCluster
		op, err := l.c.EditCluster(l.t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
			l.mutate(m, harmless...)
			edited, want = m, parse(t, marshal(t, m))
			return nil
		}, &cluster.EditOptions{Allow: everything})
		var refused *cluster.PlanError
		switch {
		case errors.Is(err, cluster.ErrUnchanged):
			seen["unchanged"]++
			want = before
		case errors.As(err, &refused):
			seen["refused"]++
			return
		case err != nil:
			t.Fatal(err)
		default:
			seen["edited"]++
			if err := op.Wait(l.t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		after := l.read()
		for _, pool := range want.NodePools {
			is, was := after.NodePool(pool.ID), before.NodePool(pool.ID)
			// An image that nobody chose stays what it is, whatever the default has become meanwhile.
			if is != nil && was != nil && (pool.NodeImage == was.NodeImage || pool.NodeImage == "") && l.srv.RunningImages("training")[pool.ID] != images[pool.ID] {
				t.Errorf("pool %s moved to another image", pool.ID)
			}
			if is != nil && (was == nil || pool.NodeImage == was.NodeImage || pool.NodeImage == "") {
				pool.NodeImage = is.NodeImage
			}
		}
		want.UpdateTime, want.ClusterStatus = after.UpdateTime, after.ClusterStatus
		if diff := clusterDiff(t, want, after); diff != "" {
			t.Errorf("the edit made something else than the server has (+): %s", diff)
		}
		if op != nil {
			checkSmallest(t, op.Plan(), before, edited)
		}
	})
	t.Log(seen)
	for _, what := range []string{"edited", "unchanged"} {
		if seen[what] < cases/100 {
			t.Errorf("%q came up %d times in %d cases: the cases prove little", what, seen[what], cases)
		}
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// clusterDiff compares the JSON of two clusters, up to what means nothing.
func clusterDiff(t *testing.T, want, got *cluster.ModelDevelopmentCluster) string {
	if bytes.Equal(marshal(t, want), marshal(t, got)) {
		return ""
	}
	return cmp.Diff(canonicalCluster(t, want), canonicalCluster(t, got))
}

// canonicalCluster is the JSON without what means nothing: empty members, and a legacy message with nothing in it.
func canonicalCluster(t *testing.T, m *cluster.ModelDevelopmentCluster) any {
	doc := generic(t, m)
	prune(doc)
	return doc
}

func prune(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			prune(e)
		}
	case map[string]any:
		for name, e := range v {
			prune(e)
			if name != "flags" && name != "top" && (reflect.DeepEqual(e, "") || reflect.DeepEqual(e, false) || reflect.DeepEqual(e, 0.0) ||
				reflect.DeepEqual(e, []any{}) || reflect.DeepEqual(e, map[string]any{})) {
				delete(v, name)
			}
		}
	}
}

// checkSmallest wants each path of the mask to have changed; the three kinds of settings go together.
func checkSmallest(t *testing.T, p *cluster.Plan, before, edited *cluster.ModelDevelopmentCluster) {
	t.Helper()
	changed := map[string]bool{}
	mask, err := cluster.ChangedFields(before, edited)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Split(mask.String(), ",") {
		changed[path] = true
	}
	sent := map[string]bool{}
	for _, path := range strings.Split(p.Mask.String(), ",") {
		sent[path] = true
	}
	if !maps.Equal(changed, sent) {
		t.Errorf("sent %s, changed %s", p.Mask, mask)
	}
}

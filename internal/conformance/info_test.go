package conformance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func infoCases() []testCase {
	return []testCase{
		{name: "info/ping", test: infoPing},
		{name: "info/partitions", test: infoPartitions},
		{name: "info/nodes", test: infoNodes},
		{name: "info/licenses", test: infoLicenses},
		{name: "info/nodes in use", test: infoNodesInUse},
		{name: "info/wrong version", test: infoWrongVersion},
		{name: "info/other paths", test: infoOtherPaths},
	}
}

func infoPing(b *bed) {
	controllers, err := b.alice.Ping(b.ctx)
	b.must("Ping", err)
	b.count("controllers", len(controllers), 1)
	equal(b, "up", controllers[0].Up, true)
	equal(b, "primary", controllers[0].Primary, true)
	equal(b, "mode", controllers[0].Mode, "primary")
}

func infoPartitions(b *bed) {
	partitions, err := b.alice.Partitions(b.ctx)
	b.must("Partitions", err)
	b.count("number", len(partitions), 2)
	slices.SortFunc(partitions, func(x, y *slurm.Partition) int { return strings.Compare(x.Name, y.Name) })
	a4, cpu := partitions[0], partitions[1]
	equal(b, "name", a4.Name, "a4")
	equal(b, "name", cpu.Name, "cpu")
	equal(b, "nodes", a4.Nodes, "g[1-2]")
	equal(b, "up", a4.Up(), true)
	equal(b, "GPUs", a4.GPUs(), 16)
	equal(b, "CPUs", a4.TotalCPUs, 32)
	equal(b, "number of nodes", a4.TotalNodes, 2)
	equal(b, "longest time", a4.MaxTime, 4*time.Hour)
	equal(b, "default time", a4.DefaultTime, time.Hour)
	equal(b, "longest time", cpu.MaxTime, 24*time.Hour)
	equal(b, "default time", cpu.DefaultTime, 30*time.Minute)
	equal(b, "GPUs", cpu.GPUs(), 0)
	equal(b, "odd members", len(cpu.Odd), 0)
}

func (b *bed) nodes() map[string]*slurm.Node {
	b.t.Helper()
	list, err := b.alice.Nodes(b.ctx)
	b.must("Nodes", err)
	nodes := map[string]*slurm.Node{}
	for _, n := range list {
		nodes[n.Name] = n
	}
	return nodes
}

func infoNodes(b *bed) {
	nodes := b.nodes()
	b.count("number", len(nodes), 4)
	g1, n1 := nodes["g1"], nodes["n1"]
	equal(b, "usable", g1.Usable() && n1.Usable(), true)
	equal(b, "GPUs", g1.GPUs(), 8)
	equal(b, "resource", g1.GRES, "gpu:b200:8")
	equal(b, "CPUs", g1.CPUs, 16)
	equal(b, "CPUs", n1.CPUs, 8)
	equal(b, "memory", n1.Memory, 32000<<20)
	equal(b, "GPUs", n1.GPUs(), 0)
	equal(b, "partitions", strings.Join(g1.Partitions, " "), "a4")
	equal(b, "feature", slices.Contains(g1.Features, "b200"), true)
	equal(b, "odd members", len(g1.Odd), 0)
}

func infoNodesInUse(b *bed) {
	id := b.submit("sleep 300", on("a4"), func(s *slurm.JobSpec) { s.CPUsPerTask, s.GPUsPerNode = 4, 2 })
	host := b.running(id).BatchHost
	node := b.nodes()[host]
	if node.State != slurm.NodeMixed && node.State != slurm.NodeAllocated {
		b.t.Errorf("a node with a job is %s", node)
	}
	equal(b, "CPUs used", node.CPUsUsed >= 4, true)
	equal(b, "GPUs used", node.Used.GPUs() >= 2, true)
}

func infoLicenses(b *bed) {
	licenses, err := b.alice.Licenses(b.ctx)
	b.must("Licenses", err)
	b.count("number", len(licenses), 1)
	equal(b, "name", licenses[0].Name, "matlab")
	equal(b, "total", licenses[0].Total, 4)
	id := b.submit("sleep 300", func(s *slurm.JobSpec) { s.Licenses = "matlab:2" })
	equal(b, "licenses of the job", b.running(id).Licenses, "matlab:2")
	licenses, err = b.alice.Licenses(b.ctx)
	b.must("Licenses", err)
	equal(b, "used", licenses[0].Used, 2)
	equal(b, "free", licenses[0].Free, 2)
	other := b.submit("true", func(s *slurm.JobSpec) { s.Licenses = "matlab:3" })
	b.pending(other, "Licenses")
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	b.completes(other)
}

func infoWrongVersion(b *bed) {
	old := b.client("alice", slurm.WithVersion("v0.0.99"))
	calls := map[string]func() error{
		"Ping":    func() error { _, err := old.Ping(b.ctx); return err },
		"List":    func() error { _, err := old.List(b.ctx, nil); return err },
		"Get":     func() error { _, err := old.Get(b.ctx, "1"); return err },
		"History": func() error { _, err := old.History(b.ctx, "1"); return err },
		"Submit":  func() error { _, err := old.Submit(b.ctx, b.spec("true")); return err },
		"Cancel":  func() error { return old.Cancel(b.ctx, unknown) },
		"Update":  func() error { return old.Update(b.ctx, unknown, &slurm.JobUpdate{Comment: "x"}) },
		"Wait":    func() error { _, err := old.Wait(b.ctx, unknown, pace); return err },
	}
	for name, call := range calls {
		b.refused(name, call(), slurm.ErrUnknownPath, 0)
	}
	b.noJob()
}

func infoOtherPaths(b *bed) {
	id := b.submit("true", hold)
	var states struct {
		Jobs []struct {
			JobID string   `json:"job_id"`
			State []string `json:"state"`
		} `json:"jobs"`
	}
	b.must("Do", b.alice.Do(b.ctx, http.MethodGet, "/slurm/v0.0.42/jobs/state/?job_id="+string(id), nil, &states))
	if len(states.Jobs) != 1 || states.Jobs[0].JobID != string(id) || !slices.Equal(states.Jobs[0].State, []string{"PENDING"}) {
		b.t.Errorf("states are %+v", states)
	}
	var answer json.RawMessage
	b.must("Do", b.alice.Do(b.ctx, http.MethodGet, "/slurm/v0.0.42/partition/a4", nil, &answer))
	for _, id := range []string{"0", "-1", "word", "4294967294"} {
		for _, path := range []string{"/slurm/v0.0.42/job/", "/slurmdb/v0.0.42/job/"} {
			err := b.alice.Do(b.ctx, http.MethodGet, path+id, nil, nil)
			b.refused(path+id, err, slurm.ErrInvalid, 9000)
		}
	}
	err := b.alice.Do(b.ctx, http.MethodGet, "/slurm/v0.0.42/partition/nope", nil, nil)
	b.refused("unknown partition", err, slurm.ErrInvalid, 9000)
	err = b.alice.Do(b.ctx, http.MethodGet, "/slurm/v0.0.42/nope/", nil, nil)
	b.refused("unknown path", err, slurm.ErrUnknownPath, 0)
	err = b.alice.Do(b.ctx, http.MethodDelete, "/slurm/v0.0.42/jobs/", nil, nil)
	b.refused("cancel of nothing", err, slurm.ErrInvalid, 2173)
}

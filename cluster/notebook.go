package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// SimpleRender returns what a notebook shows for a cluster that is the last expression of a cell: a line of text, and as
// HTML its facts with tables of its node pools and partitions. It calls nothing and is safe on nil.
func (m *ModelDevelopmentCluster) SimpleRender() map[string]any {
	if m == nil {
		return render.Bundle(m.String(), "")
	}
	w := &render.Writer{}
	w.Open("div")
	m.facts().Write(w)
	if len(m.NodePools) > 0 {
		m.poolTable().Write(w)
	}
	if len(m.slurm().Partitions) > 0 {
		m.partitionTable().Write(w)
	}
	w.Close()
	return render.Bundle(m.String(), w.String())
}

func (m *ModelDevelopmentCluster) facts() *render.Facts {
	f := &render.Facts{Title: "Cluster " + firstOf(m.ID(), m.DisplayName, "(unnamed)")}
	f.AddTone("State", string(m.State()), m.State().tone())
	if s := m.ClusterStatus; s != nil {
		f.Add("Detail", s.Detail)
		nodes := countNodes(s.NodesStatus, func(*NodeStatus) bool { return true })
		f.AddTone("Nodes", nodes.Text, nodes.Tone)
	}
	f.Add("Location", locationIn(m.Name))
	if m.DisplayName != m.ID() {
		f.Add("Display name", m.DisplayName)
	}
	if n := m.Network; n != nil {
		f.Add("Network", lastSegment(n.Network))
		f.Add("Subnetwork", lastSegment(n.Subnetwork))
	}
	if r := m.RuntimeSpec; r != nil {
		f.Add("Service account", r.ServiceAccount)
	}
	f.Add("Labels", pairs(m.Labels))
	return f
}

// pairs writes a map in one line.
func pairs(m map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, key+"="+m[key])
	}
	return strings.Join(all, ", ")
}

func (s State) tone() render.Tone {
	switch {
	case s.Running():
		return render.Good
	case s.Changing():
		return render.Active
	case s.Failed():
		return render.Bad
	}
	return render.Muted
}

// countNodes says in which states the nodes are that is chooses, in the color of the worst.
func countNodes(nodes []*NodeStatus, is func(*NodeStatus) bool) (cell render.Cell) {
	counts := map[string]int{}
	for _, n := range nodes {
		if n == nil || !is(n) {
			continue
		}
		counts[firstOf(string(n.NodeState), "unknown")]++
		cell.Tone = max(cell.Tone, n.NodeState.tone())
	}
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[state], state))
	}
	cell.Text = strings.Join(parts, ", ")
	return cell
}

// tone is one of those that [countNodes] can compare.
func (s NodeState) tone() render.Tone {
	switch {
	case s.Running():
		return render.Good
	case s.Failed():
		return render.Bad
	}
	return render.Waiting
}

func (m *ModelDevelopmentCluster) poolTable() *render.Table {
	shown, more := render.Shown(len(m.NodePools))
	t := &render.Table{Caption: "Node pools", Noun: "node pools", More: more,
		Columns: render.Columns("Pool", "Nodes", "Machine", "GPUs", "Provisioning", "Zone", "Now", "Use")}
	for _, p := range m.NodePools[:shown] {
		t.Rows = append(t.Rows, m.poolRow(p))
	}
	return t
}

func (m *ModelDevelopmentCluster) poolRow(p *NodePool) []render.Cell {
	if p == nil {
		return render.Texts(p.String())
	}
	var gpus, use string
	machine := orZero(p.MachineSpec)
	if machine.AcceleratorCount > 0 {
		gpus = fmt.Sprintf("%d x %s", machine.AcceleratorCount, firstOf(string(machine.AcceleratorType), "GPU"))
	}
	if p.ID != "" && p.ID == m.slurm().LoginNodePoolID {
		use = "login"
	}
	scaling := orZero(p.ScalingSpec)
	size := fmt.Sprint(scaling.MaxNodeCount)
	if scaling.MinNodeCount != scaling.MaxNodeCount {
		size = fmt.Sprintf("%d..%d", scaling.MinNodeCount, scaling.MaxNodeCount)
	}
	now := countNodes(orZero(m.ClusterStatus).NodesStatus, func(n *NodeStatus) bool { return n.NodePoolID == p.ID })
	return []render.Cell{{Text: p.ID}, {Text: size}, {Text: machine.MachineType}, {Text: gpus},
		{Text: string(p.ProvisioningModel)}, {Text: p.Zone}, now, {Text: use}}
}

func (m *ModelDevelopmentCluster) partitionTable() *render.Table {
	s := m.slurm()
	shown, more := render.Shown(len(s.Partitions))
	t := &render.Table{Caption: "Partitions", Noun: "partitions", More: more,
		Columns: render.Columns("Partition", "Node pools", "Parameters", "Use")}
	for i, p := range s.Partitions[:shown] {
		if p == nil {
			t.Rows = append(t.Rows, render.Texts("no partition"))
			continue
		}
		use := ""
		if p.ID == s.DefaultPartitionID || s.DefaultPartitionID == "" && i == 0 {
			use = "default"
		}
		t.Rows = append(t.Rows, render.Texts(p.ID, strings.Join(p.NodePoolIDs, ", "), pairs(p.Config), use))
	}
	return t
}

// String returns the operation in one line.
func (o *Operation) String() string {
	if o == nil {
		return (*lro.Operation)(nil).String()
	}
	return o.Operation.String()
}

// SimpleRender returns what a notebook shows for an operation: see [lro.Operation.SimpleRender]. It is safe on nil.
func (o *Operation) SimpleRender() map[string]any {
	if o == nil {
		return (*lro.Operation)(nil).SimpleRender()
	}
	return o.Operation.SimpleRender()
}

// SimpleRender returns what a notebook shows for a validation: a line that counts, and all findings as a table in HTML, of
// 200 at most. It is safe on nil.
func (v *Validation) SimpleRender() map[string]any {
	if v == nil || len(v.Errors)+len(v.Warnings) == 0 {
		return render.Bundle(v.String(), "")
	}
	line := countOf(len(v.Errors), "error") + ", " + countOf(len(v.Warnings), "warning")
	t := &render.Table{Caption: line, Noun: "findings", Columns: render.Columns("Kind", "Field", "What")}
	t.Columns[2].Wide = true
	add := func(kind string, tone render.Tone, found []Violation) {
		for _, one := range found {
			if len(t.Rows) == render.MaxRows {
				t.More++
				continue
			}
			t.Rows = append(t.Rows, []render.Cell{{Text: kind, Tone: tone}, {Text: one.Field}, {Text: one.Description}})
		}
	}
	add("error", render.Bad, v.Errors)
	add("warning", render.Waiting, v.Warnings)
	return render.Bundle(line, t.HTML())
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package cluster

import (
	"fmt"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// ClusterList is what [Iterator.Collect] returns: a []*ModelDevelopmentCluster that a notebook shows as a table. It can be
// assigned to and from a []*ModelDevelopmentCluster.
type ClusterList []*ModelDevelopmentCluster

// String returns the counts in one line: "3 clusters, 2 running".
func (l ClusterList) String() string {
	if len(l) == 0 {
		return "no clusters"
	}
	running := 0
	for _, m := range l {
		if m != nil && m.State().Running() {
			running++
		}
	}
	return fmt.Sprintf("%s, %d running", countOf(len(l), "cluster"), running)
}

// SimpleRender returns what a notebook shows for the list: a line of text, and a table as HTML of 200 clusters at most,
// those in state ERROR first, then by name. It calls nothing and is safe on nil.
func (l ClusterList) SimpleRender() map[string]any {
	shown, more := render.Shown(len(l))
	t := &render.Table{Caption: l.String(), Noun: "clusters", More: more,
		Columns: render.Columns("Cluster", "State", "Location", "Node pools", "Nodes", "Detail")}
	t.Columns[5].Wide = true
	order := render.Order(len(l), func(i int) (render.Rank, string) { return l[i].rank() })
	for _, i := range order[:shown] {
		t.Rows = append(t.Rows, l[i].row())
	}
	return render.Bundle(l.String(), t.HTML())
}

func (m *ModelDevelopmentCluster) rank() (render.Rank, string) {
	switch {
	case m == nil:
		return render.Void, ""
	case m.State().Failed():
		return render.Urgent, m.shownName()
	}
	return render.Usual, m.shownName()
}

func (m *ModelDevelopmentCluster) shownName() string {
	return firstOf(m.ID(), m.DisplayName, "(unnamed)")
}

func (m *ModelDevelopmentCluster) row() []render.Cell {
	if m == nil {
		return render.Texts(m.String())
	}
	status := orZero(m.ClusterStatus)
	nodes := countNodes(status.NodesStatus, func(*NodeStatus) bool { return true })
	return []render.Cell{{Text: m.shownName()}, {Text: string(m.State()), Tone: m.State().tone()},
		{Text: locationIn(m.Name)}, {Text: m.somePools()}, nodes, {Text: status.Detail}}
}

// somePools lists as many pools as fit into a cell.
func (m *ModelDevelopmentCluster) somePools() string {
	const most = 4
	var pools []string
	for i, p := range m.NodePools {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(pools, ", "), len(m.NodePools)-most)
		}
		pools = append(pools, p.String())
	}
	return strings.Join(pools, ", ")
}

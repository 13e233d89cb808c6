package slurm

import (
	"fmt"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// NodeList is what [Client.Nodes] returns: a []*Node that a notebook shows as a table.
type NodeList []*Node

// String returns the counts in one line: "12 nodes, 10 usable".
func (l NodeList) String() string {
	return countedOf(len(l), "node", "usable", func(i int) bool { return l[i] != nil && l[i].Usable() })
}

// SimpleRender returns what a notebook shows for the list: a line of text, and a table as HTML of 200 nodes at most, those
// that take no jobs and should first, then by name. It is safe on nil.
func (l NodeList) SimpleRender() map[string]any {
	columns := render.Columns("Node", "State", "Reason", "Partitions", "CPUs in use", "CPUs", "GPUs")
	columns[4].Number, columns[5].Number, columns[6].Number = true, true, true
	return listLook(l.String(), "nodes", columns, render.Order(len(l), func(i int) (render.Rank, string) { return l[i].rank() }), func(i int) []render.Cell {
		n := l[i]
		if n == nil {
			return render.Texts("no node")
		}
		return []render.Cell{{Text: n.Name}, n.stateCell(), {Text: n.Reason}, {Text: strings.Join(n.Partitions, ",")},
			{Text: render.Count(n.CPUsUsed)}, {Text: render.Count(n.CPUs)}, {Text: render.Count(n.GPUs())}}
	})
}

// rank puts the nodes that show in red first.
func (n *Node) rank() (render.Rank, string) {
	switch {
	case n == nil:
		return render.Void, ""
	case n.stateCell().Tone == render.Bad:
		return render.Urgent, n.Name
	}
	return render.Usual, n.Name
}

func (n *Node) stateCell() render.Cell {
	text := string(n.State)
	for _, flag := range n.Flags {
		text += "+" + string(flag)
	}
	cell := render.Cell{Text: text, Tone: render.Muted}
	switch {
	case !n.Usable():
		if n.State != NodeFuture && n.State != NodeUnknown {
			cell.Tone = render.Bad
		}
	case n.State == NodeIdle:
		cell.Tone = render.Good
	case n.State == NodeMixed || n.State == NodeAllocated:
		cell.Tone = render.Active
	}
	return cell
}

// PartitionList is what [Client.Partitions] returns: a []*Partition that a notebook shows as a table.
type PartitionList []*Partition

// String returns the counts in one line: "2 partitions, 2 up".
func (l PartitionList) String() string {
	return countedOf(len(l), "partition", "up", func(i int) bool { return l[i] != nil && l[i].Up() })
}

// SimpleRender returns what a notebook shows for the list: a line of text, and a table as HTML of 200 partitions at most,
// those that are not up first, then by name. It is safe on nil.
func (l PartitionList) SimpleRender() map[string]any {
	columns := render.Columns("Partition", "State", "Time limit", "Nodes", "Node count", "CPUs", "GPUs")
	columns[4].Number, columns[5].Number, columns[6].Number = true, true, true
	return listLook(l.String(), "partitions", columns, render.Order(len(l), func(i int) (render.Rank, string) { return l[i].rank() }), func(i int) []render.Cell {
		p := l[i]
		if p == nil {
			return render.Texts("no partition")
		}
		limit := spanText(p.MaxTime)
		if p.Unlimited {
			limit = "none"
		}
		return []render.Cell{{Text: p.Name}, upCell(strings.Join(p.States, "+"), p.Up()), {Text: limit}, {Text: p.Nodes},
			{Text: render.Count(p.TotalNodes)}, {Text: render.Count(p.TotalCPUs)}, {Text: render.Count(p.GPUs())}}
	})
}

// rank puts the partitions that are not up first.
func (p *Partition) rank() (render.Rank, string) {
	switch {
	case p == nil:
		return render.Void, ""
	case !p.Up():
		return render.Urgent, p.Name
	}
	return render.Usual, p.Name
}

// LicenseList is what [Client.Licenses] returns: a []*License that a notebook shows as a table.
type LicenseList []*License

// String returns the counts in one line: "3 licenses, 2 with some free".
func (l LicenseList) String() string {
	return countedOf(len(l), "license", "with some free", func(i int) bool { return l[i] != nil && l[i].Free > 0 })
}

// SimpleRender returns what a notebook shows for the list: a line of text, and a table as HTML of 200 licenses at most, by
// name. It is safe on nil.
func (l LicenseList) SimpleRender() map[string]any {
	columns := render.Columns("License", "Free", "Used", "Reserved", "Total")
	for i := range columns[1:] {
		columns[i+1].Number = true
	}
	return listLook(l.String(), "licenses", columns, render.Order(len(l), func(i int) (render.Rank, string) { return l[i].rank() }), func(i int) []render.Cell {
		one := l[i]
		if one == nil {
			return render.Texts("no license")
		}
		return render.Texts(one.Name, fmt.Sprint(one.Free), fmt.Sprint(one.Used), fmt.Sprint(one.Reserved), fmt.Sprint(one.Total))
	})
}

func (one *License) rank() (render.Rank, string) {
	if one == nil {
		return render.Void, ""
	}
	return render.Usual, one.Name
}

// ControllerList is what [Client.Ping] returns: a []*Controller that a notebook shows as a table.
type ControllerList []*Controller

// String returns the counts in one line: "2 controllers, 1 up".
func (l ControllerList) String() string {
	return countedOf(len(l), "controller", "up", func(i int) bool { return l[i] != nil && l[i].Up })
}

// SimpleRender returns what a notebook shows for the list: a line of text, and a table as HTML of 200 controllers at most.
// It is safe on nil.
func (l ControllerList) SimpleRender() map[string]any {
	columns := render.Columns("Controller", "State", "Mode", "Latency")
	order := render.Order(len(l), func(int) (render.Rank, string) { return render.Usual, "" }) // as they take over
	return listLook(l.String(), "controllers", columns, order, func(i int) []render.Cell {
		c := l[i]
		if c == nil {
			return render.Texts("no controller")
		}
		state := "DOWN"
		if c.Up {
			state = "UP"
		}
		return []render.Cell{{Text: c.Hostname}, upCell(state, c.Up), {Text: c.Mode}, {Text: c.Latency.String()}}
	})
}

func upCell(text string, up bool) render.Cell {
	if up {
		return render.Cell{Text: text, Tone: render.Good}
	}
	return render.Cell{Text: text, Tone: render.Bad}
}

// listLook is the look of a list whose elements show in the order of their indexes.
func listLook(line, noun string, columns []render.Column, order []int, row func(i int) []render.Cell) map[string]any {
	shown, more := render.Shown(len(order))
	t := render.Table{Caption: line, Noun: noun, Columns: columns, More: more}
	for _, i := range order[:shown] {
		t.Rows = append(t.Rows, row(i))
	}
	return render.Bundle(line, t.HTML())
}

// countedOf counts elements, and those of them that are well.
func countedOf(n int, noun, well string, is func(i int) bool) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	good := 0
	for i := range n {
		if is(i) {
			good++
		}
	}
	return fmt.Sprintf("%s, %d %s", counted(n, noun), good, well)
}

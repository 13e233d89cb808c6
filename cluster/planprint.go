package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// String shows the plan as a diff: each field that changes, then what that does, what would be refused and what to
// think about. Lists show what changes in them and count the rest.
func (p *Plan) String() string {
	if p == nil {
		return "no plan"
	}
	w := &planWriter{}
	w.line("", "Update of cluster %s, %s", firstOf(p.Cluster, "(unnamed)"), firstOf(string(p.Mode), "no mode"))
	w.line("", "mask: %s", p.mask())
	p.writeChanges(w)
	p.writeFindings(w)
	return strings.TrimRight(w.String(), "\n")
}

// Markdown shows the plan for a pull request or a notebook: the changes as a diff block, the rest as lists.
func (p *Plan) Markdown() string {
	if p == nil {
		return "No plan."
	}
	changes := &planWriter{signs: true}
	p.writeChanges(changes)
	w := &planWriter{markdown: true}
	w.line("", "### Update of cluster %s, %s", code(firstOf(p.Cluster, "(unnamed)")), code(firstOf(string(p.Mode), "no mode")))
	w.line("", "")
	w.line("", "Mask: %s", code(p.mask()))
	fence := strings.Repeat("`", max(3, longestRun(changes.String(), '`')+1))
	w.line("", "")
	w.line(fence, "diff")
	w.WriteString(strings.TrimLeft(changes.String(), "\n"))
	w.line(fence, "")
	p.writeFindings(w)
	return strings.TrimRight(w.String(), "\n")
}

// planWriter writes lines of a plan. With signs, changes show as two lines that begin with - and +, as diff has them.
type planWriter struct {
	strings.Builder
	signs, markdown bool
}

// line writes one line. What it tells of is other people's text: control characters, line breaks among them, could
// make it show something else than the plan.
func (w *planWriter) line(indent, format string, args ...any) {
	w.WriteString(indent + strings.Map(visible, fmt.Sprintf(format, args...)) + "\n")
}

func visible(r rune) rune {
	if !unicode.IsPrint(r) && r != '\t' {
		return unicode.ReplacementChar
	}
	return r
}

// change writes one value that becomes another; nil is none.
func (w *planWriter) change(indent, label string, before, after []byte) {
	const wide = 100
	was, is := lines(before), lines(after)
	if len(was) > 1 || len(is) > 1 || len(was)+len(is) == 2 && len(was[0])+len(is[0]) > wide {
		w.mark("~", indent, label+":")
		w.lines(indent+"    ", was, is)
		return
	}
	switch {
	case before == nil:
		w.mark("+", indent, label+": "+is[0])
	case after == nil:
		w.mark("-", indent, label+": "+was[0])
	case w.signs:
		w.mark("-", indent, label+": "+was[0])
		w.mark("+", indent, label+": "+is[0])
	default:
		w.mark("~", indent, label+": "+was[0]+" -> "+is[0])
	}
}

func (w *planWriter) mark(sign, indent, text string) {
	if w.signs {
		if sign == "~" {
			sign = " " // diff has no sign for it
		}
		w.line("", "%s %s%s", sign, indent, text)
		return
	}
	w.line(indent, "%s %s", sign, text)
}

// lines shows what differs between two texts: what lies between the lines that they share at the start and the end.
func (w *planWriter) lines(indent string, before, after []string) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	for _, line := range before {
		w.mark("-", indent, line)
	}
	for _, line := range after {
		w.mark("+", indent, line)
	}
}

// lines is a JSON value as people read it: a text of several lines without quotes, a long list with one element a
// line. nil is no line.
func lines(value []byte) []string {
	if value == nil {
		return nil
	}
	var s string
	if json.Unmarshal(value, &s) == nil && strings.Contains(strings.TrimSuffix(s, "\n"), "\n") {
		return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	}
	const long = 80
	var list []string
	if json.Unmarshal(value, &list) == nil && len(value) > long {
		return strings.Split(strings.Join(list, "\n"), "\n")
	}
	return []string{string(value)}
}

func (p *Plan) mask() string {
	if p.Mask.all() {
		return "none, for all fields"
	}
	return firstOf(p.Mask.String(), "none")
}

// writeChanges shows the changes by the field of the mask that they belong to.
func (p *Plan) writeChanges(w *planWriter) {
	if p.result == nil {
		return
	}
	for _, g := range p.groups() {
		g.write(w, p)
	}
}

// group is the changes of one field of the mask.
type group struct {
	path    string
	changes []Change
}

// groups has one entry for each field of the mask or, if the mask is everything, for each that changes.
func (p *Plan) groups() (groups []group) {
	paths, _ := p.Mask.parse()
	for _, path := range paths {
		if path.name != AllFields {
			groups = append(groups, group{path: path.name})
		}
	}
	for _, c := range p.Changes {
		path, _ := maskPathOf(c.Path)
		if !slices.Contains(maskPaths, path) {
			path = jsonx.Snake(path) // as a mask names a member that this version does not know
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.path == path })
		if i < 0 {
			i, groups = len(groups), append(groups, group{path: path})
		}
		groups[i].changes = append(groups[i].changes, c)
	}
	return groups
}

func (g group) write(w *planWriter, p *Plan) {
	w.line("", "")
	heading := g.path
	if w.signs {
		heading = "  " + heading // below the signs
	}
	switch elements := p.elements(g.path); {
	case g.whole():
		w.change("", g.path, g.changes[0].Old, g.changes[0].New)
	case elements != nil:
		w.line("", "%s: %s", heading, elements.summary(g.changes))
		g.writeElements(w)
	case len(g.changes) == 0:
		w.line("", "%s: unchanged", heading)
	default:
		w.line("", "%s:", heading)
		for _, c := range g.changes {
			w.change("  ", strings.TrimPrefix(c.Path, g.path+"."), c.Old, c.New)
		}
	}
}

// whole reports whether the field itself changes, and not a part of it.
func (g group) whole() bool {
	return len(g.changes) == 1 && jsonx.Snake(g.changes[0].Path) == g.path && g.changes[0].Kind != ChangeOrder
}

// writeElements shows the changes of a list of messages, those of one element together.
func (g group) writeElements(w *planWriter) {
	last := ""
	for _, c := range g.changes {
		if c.Kind == ChangeOrder && c.Path == g.path {
			w.change("  ", "order", c.Old, c.New)
			continue
		}
		id, field := cutElement(strings.TrimPrefix(c.Path, g.path))
		if field == "" {
			w.change("  ", id, summary(g.path, c.Old), summary(g.path, c.New))
			continue
		}
		if id != last {
			w.mark("~", "  ", id)
			last = id
		}
		w.change("      ", field, c.Old, c.New)
	}
}

// cutElement takes the path below a list apart: [gpu].scaling_spec.max_node_count.
func cutElement(path string) (id, field string) {
	end := strings.Index(path, "].")
	if end < 0 {
		return strings.TrimSuffix(strings.TrimPrefix(path, "["), "]"), ""
	}
	return path[1:end], path[end+2:]
}

// summary shows an element that comes or goes: a pool by its size and machine, another one by its JSON.
func summary(path string, element []byte) []byte {
	if element == nil || path != PathNodePools {
		return element
	}
	pool := new(NodePool)
	if codec.Unmarshal(element, pool) != nil {
		return element
	}
	return []byte(strings.TrimPrefix(pool.String(), pool.ID+" "))
}

// elementIDs are the ids of the elements of a list before and after.
type elementIDs struct{ before, after []string }

// elements returns those of a list of messages, nil for another field.
func (p *Plan) elements(path string) *elementIDs {
	ids := func(m *ModelDevelopmentCluster) (ids []string) {
		switch path {
		case PathNodePools:
			for _, e := range m.NodePools {
				ids = append(ids, e.ID)
			}
		case PathPartitions:
			for _, e := range m.slurm().Partitions {
				ids = append(ids, e.ID)
			}
		case PathNodeSets:
			for _, e := range m.slurm().NodeSets {
				ids = append(ids, e.NodePoolID)
			}
		}
		return ids
	}
	if path != PathNodePools && path != PathPartitions && path != PathNodeSets {
		return nil
	}
	return &elementIDs{ids(p.current), ids(p.result)}
}

// summary counts: "50, of which 1 changes; 1 added, 2 removed".
func (e *elementIDs) summary(changes []Change) string {
	var changed []string
	for _, c := range changes {
		if _, rest, ok := strings.Cut(c.Path, "["); ok {
			if id, field := cutElement("[" + rest); field != "" && !slices.Contains(changed, id) {
				changed = append(changed, id)
			}
		}
	}
	var added, removed int
	for _, id := range e.after {
		if !slices.Contains(e.before, id) {
			added++
		}
	}
	for _, id := range e.before {
		if !slices.Contains(e.after, id) {
			removed++
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{len(changed), "changed"}, {added, "added"}, {removed, "removed"}, {len(e.before) - removed - len(changed), "unchanged"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return firstOf(strings.Join(parts, ", "), "empty")
}

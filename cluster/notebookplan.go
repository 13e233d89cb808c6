package cluster

import (
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// SimpleRender returns what a notebook shows for a plan: a line that counts, and as HTML the changes as a colored diff with
// what they do and what is wrong with them. Very long plans are cut, and what is left out is counted; [Plan.String] has all
// of it. It calls nothing and is safe on nil.
func (p *Plan) SimpleRender() map[string]any {
	if p == nil {
		return render.Bundle(p.String(), "")
	}
	w := &render.Writer{}
	w.Open("div")
	render.Para(w, "Update of cluster "+firstOf(p.Cluster, "(unnamed)")+", "+firstOf(string(p.Mode), "no mode"))
	render.Para(w, "Mask: "+p.mask())
	changes := &planWriter{signs: true}
	if p.writeChanges(changes); changes.Len() > 0 {
		render.Diff(w, strings.TrimLeft(changes.String(), "\n"))
	}
	if t := p.findingTable(); len(t.Rows) > 0 {
		t.Write(w)
	}
	w.Close()
	return render.Bundle(p.line(), w.String())
}

// line is the plan in one line.
func (p *Plan) line() string {
	text := "update of cluster " + firstOf(p.Cluster, "(unnamed)") + ": "
	switch {
	case p.Refused():
		text += "refused, " + countOf(len(p.Refusals), "reason")
	case p.Empty():
		text += "nothing changes"
	default:
		text += countOf(len(p.Changes), "change") + ", " + countOf(len(effectLines(p.Effects)), "effect")
		destroys := func(e Effect) bool { return e.Kind.Destructive() }
		if i := slices.IndexFunc(p.Effects, destroys); i >= 0 {
			text += ", destructive"
		}
	}
	if len(p.Warnings) > 0 {
		text += ", " + countOf(len(p.Warnings), "warning")
	}
	return text
}

// findingTable has what [Plan.writeFindings] lists, with the refusals first.
func (p *Plan) findingTable() *render.Table {
	t := &render.Table{Noun: "findings", Columns: render.Columns("Kind", "What")}
	t.Columns[1].Wide = true
	lines := slices.Concat(violationLines("x", p.Refusals), effectLines(p.Effects), violationLines("?", p.Warnings))
	for _, line := range lines {
		sign, text, _ := strings.Cut(line, " ")
		cell := render.Cell{Text: "effect", Tone: render.Muted}
		switch sign {
		case "!":
			cell = render.Cell{Text: "destructive", Tone: render.Bad}
		case "x":
			cell = render.Cell{Text: "refused", Tone: render.Bad}
		case "?":
			cell = render.Cell{Text: "warning", Tone: render.Waiting}
		}
		t.Rows = append(t.Rows, []render.Cell{cell, {Text: text}})
	}
	return t
}

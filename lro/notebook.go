package lro

import "github.com/trainingclusters/trainingclusters-go/internal/render"

// SimpleRender returns what a notebook shows for an operation that is the last expression of a cell: plain text and
// HTML by media type, in the form that gophernotes looks for. It does no I/O and is safe on nil.
func (o *Operation) SimpleRender() map[string]any {
	if o == nil {
		return render.Bundle(o.String(), "")
	}
	s := o.snapshot()
	w := &render.Writer{}
	w.Leaf("code", s.Name)
	w.Text(" " + s.summary())
	return render.Bundle(s.String(), w.String())
}

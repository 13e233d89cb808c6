package lro

import "html"

// SimpleRender returns what a notebook shows for an operation that is the last expression of a cell: plain text and
// HTML by media type, in the form that gophernotes looks for. It does no I/O and is safe on nil.
func (o *Operation) SimpleRender() map[string]any {
	if o == nil {
		return map[string]any{"text/plain": o.String()}
	}
	s := o.snapshot()
	return map[string]any{
		"text/plain": s.String(),
		"text/html":  "<code>" + html.EscapeString(s.Name) + "</code> " + html.EscapeString(s.summary()),
	}
}

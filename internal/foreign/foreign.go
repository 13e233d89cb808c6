// Package foreign makes text that others wrote fit to stand in an error.
package foreign

import "strings"

// Line folds white space, line breaks included, and cuts what is longer than most bytes, at a whole character and
// with an ellipsis.
func Line(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Clause is Line for text that more will follow: without the full stop at its end.
func Clause(s string, most int) string { return strings.TrimSuffix(Line(s, most), ".") }

// Package foreign deals with text that others wrote: it makes it fit to stand in an error, and in a line that a terminal
// shows, and keeps out of a header what does not belong there.
package foreign

import (
	"strings"
	"unicode"
)

// Printable puts a space for each character that breaks a line, moves a cursor, changes colors, or makes text run
// backwards.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// OneLine is Printable with white space folded.
func OneLine(s string) string { return strings.Join(strings.Fields(Printable(s)), " ") }

// Line is OneLine, and cuts what is longer than most bytes, at a whole character and with an ellipsis.
func Line(s string, most int) string {
	s = OneLine(s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Clause is Line for text that more will follow: without the full stop at its end.
func Clause(s string, most int) string { return strings.TrimSuffix(Line(s, most), ".") }

// Package foreign deals with text that others wrote: it makes it fit to stand in an error, and in a line that a terminal
// shows, and keeps out of a header what does not belong there.
package foreign

import (
	"strings"
	"unicode"
)

// Harmless replaces what is a command to a terminal, has no place in XML, or lets text show something else than it says:
// controls, line breaks, and the marks that turn the direction of text. Broken UTF-8 reaches it as the replacement
// character.
func Harmless(r rune) rune {
	switch {
	case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
		return ' '
	case r == '\ufffe' || r == '\uffff' || unicode.Is(unicode.Bidi_Control, r):
		return unicode.ReplacementChar
	}
	return r
}

// Printable makes s [Harmless], and puts a space for what else cannot be seen.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r = Harmless(r); unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// OneLine is Printable with white space folded.
func OneLine(s string) string { return strings.Join(strings.Fields(Printable(s)), " ") }

// Line is OneLine and [Cut].
func Line(s string, most int) string { return Cut(OneLine(s), most) }

// Cut cuts what is longer than most bytes, at a whole character and with an ellipsis.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Clause is Line for text that more will follow: without the full stop at its end.
func Clause(s string, most int) string { return strings.TrimSuffix(Line(s, most), ".") }

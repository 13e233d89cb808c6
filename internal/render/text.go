package render

import (
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Limits of what is shown, in characters or rows.
const (
	MaxRows = 200 // of a table; the rest is counted
	maxText = 120 // of a cell or a line of a list
	maxLine = 400 // of what stands for a whole object in one line
)

// Bundle is what SimpleRender returns: a line of text, and the same as HTML unless that is empty, which would hide the
// text. It is a new map each time.
func Bundle(line, html string) map[string]any {
	if html == "" {
		return map[string]any{"text/plain": Line(line)}
	}
	return map[string]any{"text/plain": Line(line), "text/html": html}
}

// Picture is Bundle for an SVG.
func Picture(line, svg string) map[string]any {
	return map[string]any{"text/plain": Line(line), "image/svg+xml": svg}
}

// Line makes one line of a text, of bounded length.
func Line(s string) string { return cut(s, maxLine) }

// Time is a moment in UTC, "" for none.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// cut folds white space and keeps at most most characters.
func cut(s string, most int) string {
	if bytes := 8 * most; len(s) > bytes { // no need to look at all of a long one
		s = s[:bytes] + "…"
	}
	s = strings.Join(strings.Fields(strings.Map(foreign.Harmless, s)), " ")
	n := 0
	for i := range s {
		if n++; n > most {
			return strings.TrimSuffix(s[:i], "…") + "…"
		}
	}
	return s
}

// Fit cuts a line to a width in columns of a monospaced font.
func Fit(s string, columns int) string {
	const marks = 3 // on a character, more or less
	s = cut(s, (1+marks)*max(columns, 1))
	used, fits := 0, 0 // fits is how much of s leaves room for an ellipsis
	for i, r := range s {
		if used < columns {
			fits = i
		}
		used += width(r)
	}
	if used <= columns {
		return s
	}
	return strings.TrimSuffix(s[:fits], "…") + "…"
}

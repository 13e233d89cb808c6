package render

import "strings"

const (
	maxDiff     = 500 // lines
	maxDiffLine = 300 // characters
)

// Diff writes lines that begin with the signs of a diff: "-", "+", or a space.
func Diff(w *Writer, text string) {
	w.Open("pre", "style", "line-height:1.4;margin:0")
	n := 0
	for line := range strings.Lines(text) {
		if n++; n <= maxDiff {
			diffLine(w, strings.TrimSuffix(line, "\n"))
		}
	}
	if n > maxDiff {
		w.Text("  and " + Count(n-maxDiff) + " more lines")
		w.Newline()
	}
	w.Close()
	w.Newline()
}

func diffLine(w *Writer, line string) {
	n := 0
	for i := range line {
		if n++; n > maxDiffLine {
			line = line[:i] + "…"
			break
		}
	}
	tone := Plain
	switch {
	case strings.HasPrefix(line, "+"):
		tone = Good
	case strings.HasPrefix(line, "-"):
		tone = Bad
	}
	if style := tone.style(); style != "" {
		w.Leaf("span", line, "style", style)
	} else {
		w.Text(line)
	}
	w.Newline()
}

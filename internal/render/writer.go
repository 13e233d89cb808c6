package render

import (
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Writer writes elements. Names of elements and attributes are the program's own; text and the values of attributes may
// be anybody's, and are escaped. The zero value is ready for use.
type Writer struct {
	b    strings.Builder
	open []string
}

// Open begins an element, whose attributes are pairs of a name and a value. One with the value "" is left out.
func (w *Writer) Open(name string, attributes ...string) {
	w.tag(name, attributes, ">")
	w.open = append(w.open, name)
}

// Close ends the element that was opened last.
func (w *Writer) Close() {
	last := len(w.open) - 1
	w.b.WriteString("</" + w.open[last] + ">")
	w.open = w.open[:last]
}

// Empty writes an element without content.
func (w *Writer) Empty(name string, attributes ...string) { w.tag(name, attributes, "/>") }

// Leaf writes an element that holds text.
func (w *Writer) Leaf(name, text string, attributes ...string) {
	w.Open(name, attributes...)
	w.Text(text)
	w.Close()
}

// Text writes text.
func (w *Writer) Text(s string) { w.escape(s) }

// Newline breaks the line of the source, where white space does not show.
func (w *Writer) Newline() { w.b.WriteByte('\n') }

// String returns what was written. All elements should be closed by then.
func (w *Writer) String() string { return w.b.String() }

func (w *Writer) tag(name string, attributes []string, end string) {
	w.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] == "" {
			continue
		}
		w.b.WriteString(" " + attributes[i] + `="`)
		w.escape(attributes[i+1])
		w.b.WriteByte('"')
	}
	w.b.WriteString(end)
}

func (w *Writer) escape(s string) {
	for _, r := range s {
		switch r {
		case '&':
			w.b.WriteString("&amp;")
		case '<':
			w.b.WriteString("&lt;")
		case '>':
			w.b.WriteString("&gt;")
		case '"':
			w.b.WriteString("&#34;")
		case '\'':
			w.b.WriteString("&#39;")
		default:
			w.b.WriteRune(foreign.Harmless(r))
		}
	}
}

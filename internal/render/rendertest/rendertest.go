// Package rendertest checks what SimpleRender methods return.
package rendertest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes bounds what is shown for one value, however large that is and whatever characters are to be escaped.
const MaxBytes = 2 << 20

var elements = []string{"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "code", "pre", "svg", "title", "g", "rect",
	"line", "text"}

var attributes = []string{"style", "colspan", "width", "height", "viewBox", "role", "xmlns", "font-family", "font-size", "font-weight", "fill",
	"stroke", "stroke-dasharray", "text-anchor", "x", "y", "x1", "x2", "y1", "y2"}

// Bundle checks what SimpleRender returned: a line of plain text, beside it nothing or markup that [Markup] takes.
func Bundle(bundle map[string]any) error {
	line, ok := bundle["text/plain"].(string)
	if !ok || line == "" {
		return fmt.Errorf("no text/plain in %v", bundle)
	}
	if !utf8.ValidString(line) || len(line) > 2000 || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' }) {
		return fmt.Errorf("text/plain is no short line: %q", line)
	}
	for kind, value := range bundle {
		text, ok := value.(string)
		switch {
		case !ok:
			return fmt.Errorf("%s is a %T", kind, value)
		case kind == "text/html" || kind == "image/svg+xml":
			if _, err := Markup(text); err != nil {
				return fmt.Errorf("%s: %w in %q", kind, err, text)
			}
		case kind != "text/plain":
			return fmt.Errorf("there is a %s", kind)
		}
	}
	return nil
}

// Markup checks that a piece of HTML or SVG is well-formed and has nothing but what the packages write, and returns its
// text.
func Markup(s string) (text string, err error) {
	if s == "" || len(s) > MaxBytes {
		return "", fmt.Errorf("%d bytes", len(s))
	}
	var b strings.Builder
	depth, roots := 0, 0
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			if err := element(token); err != nil {
				return "", err
			}
		case xml.EndElement:
			depth--
			b.WriteByte('\n')
		case xml.CharData:
			if depth == 0 && strings.TrimSpace(string(token)) != "" {
				return "", fmt.Errorf("text outside of the element: %q", token)
			}
			b.Write(token)
		default:
			return "", fmt.Errorf("a %T", token)
		}
	}
	if roots != 1 {
		return "", fmt.Errorf("%d elements at the top", roots)
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }) {
		return "", errors.New("text that turns its direction")
	}
	return b.String(), nil
}

func element(e xml.StartElement) error {
	if !slices.Contains(elements, e.Name.Local) {
		return fmt.Errorf("an element %s", e.Name.Local)
	}
	for _, a := range e.Attr {
		switch {
		case !slices.Contains(attributes, a.Name.Local):
			return fmt.Errorf("an attribute %s", a.Name.Local)
		case a.Name.Local != "xmlns" && strings.ContainsAny(a.Value, "(\\@/"):
			return fmt.Errorf("an attribute with the value %q", a.Value)
		}
	}
	return nil
}

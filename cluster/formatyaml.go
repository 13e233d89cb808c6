package cluster

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// yamlOf writes valid JSON as YAML in block style.
func yamlOf(data []byte) []byte {
	if !nested(data) {
		return []byte(yamlInline(data) + "\n")
	}
	w := &yamlWriter{}
	w.block(data, 0)
	return w.b
}

type yamlWriter struct{ b []byte }

// block writes an object or a list that is not empty, indented as a whole.
func (w *yamlWriter) block(data []byte, indent int) {
	if jsonx.KindOf(data) == jsonx.KindArray {
		_ = jsonx.EachElement(data, func(_ int, value []byte) error {
			w.element(value, indent)
			return nil
		})
		return
	}
	_ = jsonx.EachMember(data, func(name, value []byte) error {
		w.spaces(indent)
		w.b = append(append(w.b, yamlKey(string(name), indent)...), ':')
		w.value(value, indent)
		return nil
	})
}

// element puts the dash where the indentation of the element's first line is.
func (w *yamlWriter) element(value []byte, indent int) {
	start := len(w.b)
	if nested(value) {
		w.block(value, indent+2)
		w.b[start+indent] = '-'
		return
	}
	w.spaces(indent)
	w.b = append(w.b, '-')
	w.value(value, indent)
}

// value writes what follows a colon or a dash that is indented so.
func (w *yamlWriter) value(value []byte, indent int) {
	if nested(value) {
		w.b = append(w.b, '\n')
		w.block(value, indent+2)
		return
	}
	if jsonx.KindOf(value) == jsonx.KindString {
		if text := jsonx.Text(value); isBlock(text) {
			w.literal(text, indent+2)
			return
		}
	}
	w.b = append(append(append(w.b, ' '), yamlInline(value)...), '\n')
}

// literal writes text of several lines as a block.
func (w *yamlWriter) literal(text string, indent int) {
	w.b = append(w.b, " |"...)
	if text[0] == ' ' || text[0] == '\t' || text[0] == '\n' {
		w.b = append(w.b, '2') // by how much the block is indented, which its first line does not tell
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		w.b = append(w.b, '-')
	case strings.HasSuffix(text, "\n\n"):
		w.b = append(w.b, '+')
	}
	w.b = append(w.b, '\n')
	for line := range strings.Lines(text) {
		if line != "\n" {
			w.spaces(indent)
		}
		w.b = append(w.b, line...)
	}
	if !strings.HasSuffix(text, "\n") {
		w.b = append(w.b, '\n')
	}
}

func (w *yamlWriter) spaces(n int) { w.b = append(w.b, strings.Repeat(" ", n)...) }

// nested reports whether value is an object or a list that is not empty.
func nested(value []byte) bool {
	if k := jsonx.KindOf(value); k != jsonx.KindObject && k != jsonx.KindArray {
		return false
	}
	value = bytes.TrimSpace(value)
	return len(bytes.TrimSpace(value[1:len(value)-1])) > 0
}

// yamlInline writes on a line what is not nested.
func yamlInline(value []byte) string {
	switch jsonx.KindOf(value) {
	case jsonx.KindObject:
		return "{}"
	case jsonx.KindArray:
		return "[]"
	case jsonx.KindString:
		return yamlString(jsonx.Text(value))
	}
	return string(bytes.TrimSpace(value))
}

// plainString is what needs no quotes in any place, unless it is one of the words below. It begins with a letter,
// because what begins with a digit or a sign may be a number, a time or a date.
var plainString = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_./,=+@%:-]*[A-Za-z0-9_./,=+@%-])?$`)
})

// yamlWords mean something else than themselves to a reader of YAML 1.1 or 1.2, in any case of letters.
var yamlWords = map[string]bool{
	"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
}

// yamlString writes a string on one line. Go's quotes and escapes are all known to YAML.
func yamlString(s string) string {
	if plainString().MatchString(s) && !yamlWords[strings.ToLower(s)] {
		return s
	}
	return strconv.Quote(s)
}

// yamlKey writes a name. Beyond 1024 characters YAML wants it marked as a name.
func yamlKey(name string, indent int) string {
	key := yamlString(name)
	if len(key) <= 1000 {
		return key
	}
	return "? " + key + "\n" + strings.Repeat(" ", indent)
}

// isBlock reports whether s is best and safely written as a literal block: several lines of what can be printed.
func isBlock(s string) bool {
	if strings.TrimSpace(s) == "" {
		return false
	}
	return strings.Contains(s, "\n") && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r)
	})
}

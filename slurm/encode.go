package slurm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"
)

// extraMember is a member of a job description that no field of a spec stands for, with its value in JSON.
type extraMember struct {
	name  string
	value []byte
}

// extraMembers are those of JobSpec.Extra, in the order of their names.
func extraMembers(extra map[string]any) ([]extraMember, error) {
	if len(extra) == 0 {
		return nil, nil
	}
	all := make([]extraMember, 0, len(extra)+1) // with the token
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		value, err := encodeJSON(extra[name])
		if err != nil {
			return nil, err
		}
		all = append(all, extraMember{name, value})
	}
	return all, nil
}

// appendTexts writes the elements of a list and its end.
func appendTexts[S ~string](b []byte, values []S) []byte {
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, string(v))
	}
	return append(b, ']')
}

// appendText writes text as encoding/json does without the escapes for HTML, which a script is full of and which cost
// five bytes each of the little room there is.
func appendText(b []byte, text string) []byte { return append(appendInside(append(b, '"'), text), '"') }

// appendInside writes text without its quotes.
func appendInside(b []byte, text string) []byte {
	start := 0 // of what is not written yet
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if escape := escapeOf(r, size); escape != "" {
			b = append(append(b, text[start:i]...), escape...)
			start = i + size
		}
		i += size
	}
	return append(b, text[start:]...)
}

// escapeOf is what stands for a character of size bytes; "" if it stands for itself.
func escapeOf(r rune, size int) string {
	switch {
	case r == '\n': // by far the most frequent one
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r == '\b':
		return `\b`
	case r == '\f':
		return `\f`
	case r < ' ':
		const digits = "0123456789abcdef"
		return `\u00` + digits[r>>4:r>>4+1] + digits[r&0xf:r&0xf+1]
	case r == '"':
		return `\"`
	case r == '\\':
		return `\\`
	case r == '\u2028':
		return `\u2028`
	case r == '\u2029':
		return `\u2029`
	case r == utf8.RuneError && size == 1: // not UTF-8
		return `\ufffd`
	}
	return ""
}

// encodeJSON writes what is of no type that this package knows, in the same way.
func encodeJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

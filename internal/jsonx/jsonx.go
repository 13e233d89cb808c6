// Package jsonx reads JSON from services that do not always keep to a schema: numbers in quotes, 5.0 for 5,
// either spelling of a name, members nobody has heard of.
//
// The scanner in this file walks syntactically valid JSON and hands out sub-slices; it copies and allocates
// nothing, so that a member nobody asks for costs a skip. [Codec] builds on it to decode and encode Go structs
// without losing unknown members.
package jsonx

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Kind is the type of a JSON value, told from its first byte.
type Kind byte

const (
	KindInvalid Kind = iota // no value at all
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

func (k Kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// KindOf tells the kind of value, which may be padded with white space.
func KindOf(value []byte) Kind {
	i := skipSpace(value, 0)
	if i == len(value) {
		return KindInvalid
	}
	switch value[i] {
	case 'n':
		return KindNull
	case 't', 'f':
		return KindBool
	case '"':
		return KindString
	case '[':
		return KindArray
	case '{':
		return KindObject
	}
	return KindNumber
}

// Error says where a document is not what it should be. Path is empty for the document itself.
type Error struct {
	Path string // "jobs[3].priority.number"
	Want string // "an integer"
	Got  string // `"soon"`
}

func (e *Error) Error() string {
	where := ""
	if e.Path != "" {
		where = e.Path + ": "
	}
	return where + "want " + e.Want + ", got " + e.Got
}

// At puts path in front of the path of an *Error; other errors pass unchanged.
func At(path string, err error) error {
	if err == nil || path == "" {
		return err // most often nil, and then nothing is to be allocated
	}
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Path = join(path, e.Path)
	return &moved
}

// join is the path of what stands at the path below in the value at path.
func join(path, below string) string {
	switch {
	case path == "":
		return below
	case below == "":
		return path
	case below[0] == '[':
		return path + below
	}
	return path + "." + below
}

// wrong reports a value of the wrong kind; what it shows of the value is bounded, since it may be a secret script.
func wrong(want string, value []byte) error {
	const most = 40
	got := KindOf(value).String()
	if k := KindOf(value); k == KindNumber || k == KindBool || k == KindString {
		text := string(bytes.TrimSpace(value))
		if len(text) > most {
			text = text[:most] + "…"
		}
		got = text
	}
	return &Error{Want: want, Got: got}
}

// Valid returns nil if data is one JSON value, and otherwise says what is wrong and at which byte.
func Valid(data []byte) error {
	if valid(data) {
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("empty body where JSON was expected")
	}
	return notJSON(data, 0)
}

func valid(data []byte) bool {
	end, v := scan(data, skipSpace(data, 0), 0)
	return v <= open && skipSpace(data, end) == len(data)
}

// notJSON says what is wrong with data, before which there are some bytes of the same document.
func notJSON(data []byte, before int64) error {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if err.Error() == "unexpected end of JSON input" { // the text is all that tells it apart
			return fmt.Errorf("JSON cut short after %d bytes", before+int64(len(data)))
		}
		return fmt.Errorf("not JSON at byte %d: %w", before+syntax.Offset, err)
	}
	return fmt.Errorf("not JSON: %w", err)
}

// EachMember calls member for each member of the object in data, in order. Names come unescaped, values raw and
// trimmed; both are valid during the call only if data is, and are not to be written to. Null counts as an
// object without members; another kind is an *Error. An error of member ends the walk and is returned.
//
// data must be valid JSON: see [Valid]. Of other data the names and values are some parts, and the walk ends.
func EachMember(data []byte, member func(name, value []byte) error) error {
	i := skipSpace(data, 0)
	if KindOf(data) == KindNull {
		return nil
	}
	if i == len(data) || data[i] != '{' {
		return wrong("an object", data)
	}
	for i = skipSpace(data, i+1); i < len(data) && data[i] != '}'; {
		name, at := scanName(data, i)
		end := skipValue(data, at)
		if err := member(name, data[at:end]); err != nil {
			return err
		}
		i = skipComma(data, end)
	}
	return nil
}

// scanName reads the name of the member that starts at i, and returns it with the index of its value.
func scanName(data []byte, i int) (name []byte, value int) {
	end := skipString(data, i)
	colon := min(skipSpace(data, end), len(data)-1) // which valid JSON has
	return unescaped(data[i:end]), skipSpace(data, colon+1)
}

// EachElement calls element for each element of the array in data, as [EachMember] does for members.
func EachElement(data []byte, element func(i int, value []byte) error) error {
	return eachElement(data, func(n, i int) (end int, err error) {
		end = skipValue(data, i)
		return end, element(n, data[i:end])
	})
}

// eachElement calls take with the number and the index of each element of a list; take returns the index behind it.
func eachElement(data []byte, take func(n, i int) (end int, err error)) error {
	i := skipSpace(data, 0)
	if KindOf(data) == KindNull {
		return nil
	}
	if i == len(data) || data[i] != '[' {
		return wrong("a list", data)
	}
	i = skipSpace(data, i+1)
	for n := 0; i < len(data) && data[i] != ']'; n++ {
		end, err := take(n, i)
		if err != nil {
			return err
		}
		i = skipComma(data, end)
	}
	return nil
}

// Member returns the value of the last member called name, as encoding/json would, or nil if data is not an
// object or has none.
func Member(data []byte, name string) (found []byte) {
	if KindOf(data) != KindObject {
		return nil
	}
	_ = EachMember(data, func(n, value []byte) error {
		if string(n) == name {
			found = value
		}
		return nil
	})
	return found
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// skipComma returns the index of the next member or element, or of the closing bracket, after a value that ends at i.
func skipComma(data []byte, i int) int {
	if i = skipSpace(data, i); i < len(data) && data[i] == ',' {
		i = skipSpace(data, i+1)
	}
	return i
}

// skipString returns the index behind the string that starts at i.
func skipString(data []byte, i int) int {
	end, _ := scanString(data, i+1)
	return end
}

// skipValue returns the index behind the value that starts at i.
func skipValue(data []byte, i int) int {
	end, v := scan(data, i, 0)
	if v == bad || v == cut {
		return len(data) // the caller's data is not what it must be, and no loop shall go on for ever
	}
	return end
}

// unescaped returns the text of a quoted string, without a copy unless it holds escapes or broken UTF-8.
func unescaped(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	text := quoted[1 : len(quoted)-1]
	if isPlain(text) {
		return text
	}
	return []byte(unquoted(quoted))
}

// unquoted is unescaped as a string.
func unquoted(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	text := quoted[1 : len(quoted)-1]
	if isPlain(text) {
		return string(text)
	}
	var buf [256]byte
	if plain, ok := appendUnescaped(buf[:0], text); ok {
		return string(plain)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return string(text)
	}
	return s
}

// isPlain reports whether text is ASCII without escapes.
func isPlain(text []byte) bool {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if word := binary.LittleEndian.Uint64(text[i:]); word&highs != 0 || firstEqual(word, '\\') != 0 {
			return false
		}
	}
	for ; i < len(text); i++ {
		if text[i] == '\\' || text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendUnescaped appends text if it needs nothing but escapes of two characters, such as the \/ in each path that Slurm
// writes.
func appendUnescaped(dst, text []byte) (plain []byte, ok bool) {
	if !utf8.Valid(text) {
		return nil, false
	}
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\\')
		if n < 0 {
			return append(dst, text...), true
		}
		if n+1 == len(text) || simple[text[n+1]] == 0 {
			return nil, false
		}
		dst = append(append(dst, text[:n]...), simple[text[n+1]])
		text = text[n+2:]
	}
	return dst, true
}

package jsonx

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// SameValue reports whether two documents hold the same value, whatever their spacing and order of members. Numbers
// are compared as they are written: as float64 two large ones would pass for equal.
func SameValue(a, b []byte) bool {
	x, errA := generic(a)
	y, errB := generic(b)
	return errA == nil && errB == nil && reflect.DeepEqual(x, y)
}

func generic(data []byte) (v any, err error) {
	if err := Valid(data); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// Codec maps structs to proto JSON. Fields carry the lowerCamelCase name in a json tag; decoding also takes the
// snake_case name, integers from strings, booleans from strings and enums from numbers, and keeps what it does
// not know. A field tagged wire:"guess" is one whose name or form nobody has published: a value that does not fit it
// is kept like an unknown member instead of costing the whole document. Field types: string, named string (an enum),
// int64, bool, time.Duration, time.Time, []string, map[string]string, a pointer to such a struct, and a list of such
// pointers.
//
// Encoding leaves out zero values unless the document spelled them out; an empty list or map that is not nil is
// written. A Codec is safe for concurrent use.
type Codec struct {
	members func(field any) *Members
	kept    reflect.Type
	snake   bool     // encode names in snake_case
	plans   sync.Map // reflect.Type -> *plan
}

// NewCodec makes a codec. kept is the type of the field that keeps unknown members, and members reaches into a
// pointer to one.
func NewCodec(kept reflect.Type, members func(field any) *Members) *Codec {
	return &Codec{members: members, kept: kept}
}

// SnakeCase returns a codec like c whose encoding has the snake_case names. Unknown members keep theirs.
func (c *Codec) SnakeCase() *Codec {
	return &Codec{members: c.members, kept: c.kept, snake: true}
}

// Snake turns a lowerCamelCase name into snake_case.
func Snake(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Camel turns a snake_case name into lowerCamelCase.
func Camel(snake string) string {
	var b strings.Builder
	up := false
	for _, r := range snake {
		if r == '_' {
			up = true
			continue
		}
		if up && r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		up = false
		b.WriteRune(r)
	}
	return b.String()
}

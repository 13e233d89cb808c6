package jsonx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Members is what a decoded object held beyond the fields of its struct. A struct that is to lose nothing has one
// exported field, whose type the package declares and hands to [NewCodec].
type Members struct {
	unknown  map[string]json.RawMessage
	explicit map[string]bool // known members whose zero value was written out; encoded again even if still zero
}

// Get returns the raw JSON of an unknown member, or nil.
func (m *Members) Get(name string) json.RawMessage { return m.unknown[name] }

// Set adds or replaces an unknown member; nil removes it.
func (m *Members) Set(name string, value json.RawMessage) {
	if value == nil {
		delete(m.unknown, name)
		return
	}
	if m.unknown == nil {
		m.unknown = map[string]json.RawMessage{}
	}
	m.unknown[name] = bytes.Clone(value)
}

// Names lists the unknown members in order.
func (m *Members) Names() []string { return slices.Sorted(maps.Keys(m.unknown)) }

// Equal compares the unknown members. That a zero value was written out makes no difference to its meaning.
func (m *Members) Equal(other *Members) bool {
	return maps.EqualFunc(m.unknown, other.unknown, func(a, b json.RawMessage) bool { return SameValue(a, b) })
}

func (m *Members) setExplicit(name string) {
	if m.explicit == nil {
		m.explicit = map[string]bool{}
	}
	m.explicit[name] = true
}

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

// plan is what the codec knows of one struct type.
type plan struct {
	fields  []field
	byName  map[string]int // both spellings
	members int            // index of the field that keeps unknown members, or -1
}

type field struct {
	index        int
	camel, snake string
	quoted       string // the name as it is encoded, with quotes and colon
	guess        bool   // what does not decode is kept as unknown
}

func (c *Codec) plan(t reflect.Type) *plan {
	if p, ok := c.plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{byName: map[string]int{}, members: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == c.kept {
			p.members = i
			continue
		}
		camel, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if camel == "" || camel == "-" {
			continue
		}
		snake := Snake(camel)
		p.byName[camel], p.byName[snake] = len(p.fields), len(p.fields)
		encoded := camel
		if c.snake {
			encoded = snake
		}
		p.fields = append(p.fields, field{
			index: i, camel: camel, snake: snake, quoted: `"` + encoded + `":`, guess: f.Tag.Get("wire") == "guess",
		})
	}
	stored, _ := c.plans.LoadOrStore(t, p)
	return stored.(*plan)
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

// Unmarshal decodes data into the struct that v points to. Members that data lacks keep their value; those that it
// has are replaced whole, messages included, and null resets one.
func (c *Codec) Unmarshal(data []byte, v any) error {
	if err := Valid(data); err != nil {
		return err
	}
	return c.decodeStruct(data, reflect.ValueOf(v).Elem())
}

func (c *Codec) decodeStruct(data []byte, v reflect.Value) error {
	p := c.plan(v.Type())
	var seen uint64 // bit per field; no message comes near 64
	return EachMember(data, func(name, value []byte) error {
		n, known := p.byName[string(name)]
		if !known {
			if p.members >= 0 {
				c.membersOf(p, v).Set(string(name), value)
			}
			return nil
		}
		f := &p.fields[n]
		if seen&(1<<n) != 0 {
			return &Error{Path: f.snake, Want: "one value", Got: "two, perhaps in two spellings"}
		}
		seen |= 1 << n
		target := v.Field(f.index)
		if KindOf(value) == KindNull {
			target.SetZero() // proto JSON: the default
			return nil
		}
		if err := c.decode(value, target); err != nil {
			if !f.guess || p.members < 0 {
				return At(f.snake, err)
			}
			target.SetZero()
			c.membersOf(p, v).Set(f.camel, value)
			return nil
		}
		if p.members >= 0 && target.IsZero() {
			c.membersOf(p, v).setExplicit(f.camel)
		}
		return nil
	})
}

func (c *Codec) membersOf(p *plan, v reflect.Value) *Members {
	return c.members(v.Field(p.members).Addr().Interface())
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	stringType   = reflect.TypeFor[string]()
)

func (c *Codec) decode(value []byte, v reflect.Value) error {
	switch v.Type() {
	case durationType:
		return decodeDuration(value, v)
	case timeType:
		return decodeTime(value, v)
	}
	switch v.Kind() {
	case reflect.String:
		return decodeString(value, v)
	case reflect.Int64:
		n, err := Int(value)
		v.SetInt(n)
		return err
	case reflect.Bool:
		b, err := Bool(value)
		v.SetBool(b)
		return err
	case reflect.Pointer:
		message := reflect.New(v.Type().Elem())
		v.Set(message)
		return c.decodeStruct(value, message.Elem())
	case reflect.Slice:
		return c.decodeList(value, v)
	case reflect.Map:
		return decodeMap(value, v)
	}
	return fmt.Errorf("jsonx: no rule for %s", v.Type())
}

func (c *Codec) decodeList(value []byte, v reflect.Value) error {
	list := reflect.MakeSlice(v.Type(), 0, 4)
	err := EachElement(value, func(i int, element []byte) error {
		item := reflect.New(v.Type().Elem()).Elem()
		if KindOf(element) == KindNull {
			return &Error{Path: fmt.Sprintf("[%d]", i), Want: "an element", Got: "null"}
		}
		if err := c.decode(element, item); err != nil {
			return At(fmt.Sprintf("[%d]", i), err)
		}
		list = reflect.Append(list, item)
		return nil
	})
	v.Set(list)
	return err
}

func decodeMap(value []byte, v reflect.Value) error {
	m := reflect.MakeMap(v.Type())
	err := EachMember(value, func(name, value []byte) error {
		switch k := KindOf(value); k {
		case KindNumber, KindBool:
			return &Error{Path: string(name), Want: fmt.Sprintf("the string %q, in quotes", trimmed(value)), Got: k.String()}
		case KindNull: // not a default here: the entry would be there, and empty
			return &Error{Path: string(name), Want: "a string", Got: "null"}
		}
		s, err := Str(value)
		if err != nil {
			return At(string(name), err)
		}
		m.SetMapIndex(reflect.ValueOf(string(name)), reflect.ValueOf(s))
		return nil
	})
	v.Set(m)
	return err
}

// decodeString takes an enum's number too, as proto JSON demands.
func decodeString(value []byte, v reflect.Value) error {
	if v.Type() != stringType && KindOf(value) == KindNumber {
		v.SetString(string(trimmed(value)))
		return nil
	}
	s, err := Str(value)
	v.SetString(s)
	return err
}

func decodeDuration(value []byte, v reflect.Value) error {
	text, err := Str(value)
	if err != nil {
		return wrong(wantDuration, value)
	}
	d, err := ParseDuration(text)
	v.SetInt(int64(d))
	return err
}

const (
	wantDuration = `a duration in seconds such as "3.5s"`
	wantTime     = "a timestamp such as 2026-11-30T12:00:00Z"
)

// ParseDuration reads a google.protobuf.Duration, such as "3.5s".
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || !strings.HasSuffix(s, "s") || strings.ContainsAny(s, "hmµun") {
		return 0, &Error{Want: wantDuration, Got: fmt.Sprintf("%q", s)}
	}
	return d, nil
}

func decodeTime(value []byte, v reflect.Value) error {
	text, err := Str(value)
	if err != nil {
		return wrong(wantTime, value)
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return &Error{Want: wantTime, Got: fmt.Sprintf("%q", text)}
	}
	v.Set(reflect.ValueOf(t.UTC()))
	return nil
}

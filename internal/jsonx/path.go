package jsonx

import (
	"reflect"
	"strings"
)

// Presence is how much there is at a path.
type Presence int

const (
	Absent Presence = iota // nil or zero
	Empty                  // an empty list, map or message that is not nil: the caller means "nothing"
	Filled
)

// CopyPath copies what src holds at the snake_case path into dst. The messages on the way are made anew, as copies of
// those that dst has, so that nothing else that holds those changes. Both point to structs of one type. The last name may be one that the struct does not know: then an unknown member in either
// spelling is copied. ok is false if the path leads through a name that is no message.
func (c *Codec) CopyPath(dst, src any, path string) (p Presence, ok bool) {
	return c.copyPath(reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem(), strings.Split(path, "."))
}

func (c *Codec) copyPath(dst, src reflect.Value, path []string) (Presence, bool) {
	p := c.plan(dst.Type())
	n, known := p.byName[path[0]]
	if len(path) == 1 {
		if !known {
			return c.copyUnknown(p, dst, src, path[0]), true
		}
		f := &p.fields[n]
		dst.Field(f.index).Set(src.Field(f.index))
		return c.presence(f, src.Field(f.index)), true
	}
	if !known || p.fields[n].kind != kindMessage {
		return Absent, false
	}
	f := &p.fields[n]
	from, to := orZero(f, src.Field(f.index)), dst.Field(f.index)
	message := reflect.New(f.message.typ)
	message.Elem().Set(orZero(f, to))
	to.Set(message)
	return c.copyPath(message.Elem(), from, path[1:])
}

// orZero is the message in a field, or an empty one, which is not to be written to.
func orZero(f *field, v reflect.Value) reflect.Value {
	if v.IsNil() {
		return f.message.zero
	}
	return v.Elem()
}

func (c *Codec) copyUnknown(p *plan, dst, src reflect.Value, name string) Presence {
	from := c.membersOf(p, src)
	if from == nil {
		return Absent
	}
	for _, spelling := range []string{name, Camel(name)} {
		if i, found := from.find(spelling); found {
			c.membersOf(p, dst).put(from.unknown[i])
			return Filled
		}
	}
	return Absent
}

func (c *Codec) presence(f *field, v reflect.Value) Presence {
	switch {
	case f.isZero(v):
		return Absent
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		return Empty
	case f.kind == kindMessage && c.isEmpty(f.message, v.Elem()):
		return Empty
	}
	return Filled
}

// isEmpty reports whether the message encodes as {}.
func (c *Codec) isEmpty(p *plan, v reflect.Value) bool {
	m := c.membersOf(p, v)
	for i := range p.fields {
		if f := &p.fields[i]; !f.isZero(v.Field(f.index)) || m != nil && m.explicit&(1<<i) != 0 {
			return false
		}
	}
	return m == nil || len(m.unknown) == 0
}

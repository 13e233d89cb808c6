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

// CopyPath copies what src holds at the snake_case path into dst, making the messages on the way. Both point to
// structs of one type. The last name may be one that the struct does not know: then an unknown member in either
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
		index := p.fields[n].index
		dst.Field(index).Set(src.Field(index))
		return c.presence(src.Field(index)), true
	}
	if !known || dst.Field(p.fields[n].index).Kind() != reflect.Pointer {
		return Absent, false
	}
	from, to := src.Field(p.fields[n].index), dst.Field(p.fields[n].index)
	if to.IsNil() {
		to.Set(reflect.New(to.Type().Elem()))
	}
	if from.IsNil() {
		from = reflect.New(from.Type().Elem())
	}
	return c.copyPath(to.Elem(), from.Elem(), path[1:])
}

func (c *Codec) copyUnknown(p *plan, dst, src reflect.Value, name string) Presence {
	if p.members < 0 {
		return Absent
	}
	for _, spelling := range []string{name, Camel(name)} {
		if raw := c.membersOf(p, src).Get(spelling); raw != nil {
			c.membersOf(p, dst).Set(spelling, raw)
			return Filled
		}
	}
	return Absent
}

func (c *Codec) presence(v reflect.Value) Presence {
	switch {
	case v.IsZero():
		return Absent
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		return Empty
	case v.Kind() == reflect.Pointer:
		if b, err := c.appendStruct(nil, v.Elem()); err == nil && string(b) == "{}" {
			return Empty
		}
	}
	return Filled
}

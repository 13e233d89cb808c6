package jsonx

import "reflect"

// Shape is what a codec expects at one place of a document. The zero value expects nothing in particular: that is
// the shape of unknown members and of what is below them.
type Shape struct {
	codec *Codec
	typ   reflect.Type // nil in the zero value; never a pointer
}

// Shape is the shape of documents for the struct that v points to.
func (c *Codec) Shape(v any) Shape { return Shape{c, reflect.TypeOf(v)}.direct() }

func (s Shape) direct() Shape {
	if s.typ.Kind() == reflect.Pointer {
		s.typ = s.typ.Elem()
	}
	return s
}

// Member returns the shape of a member, and its name as paths have it: that of a known member in snake_case, any
// other, such as the key of a map, as it stands.
func (s Shape) Member(name string) (canonical string, member Shape) {
	switch {
	case s.typ == nil || s.typ == timeType:
	case s.typ.Kind() == reflect.Map:
		return name, Shape{s.codec, s.typ.Elem()}.direct()
	case s.typ.Kind() == reflect.Struct:
		p := s.codec.plan(s.typ)
		if n, known := p.byName[name]; known {
			f := &p.fields[n]
			return f.snake, Shape{s.codec, s.typ.Field(f.index).Type}.direct()
		}
	}
	return name, Shape{}
}

// Element returns the shape of the elements of a list.
func (s Shape) Element() Shape {
	if s.typ == nil || s.typ.Kind() != reflect.Slice {
		return Shape{}
	}
	return Shape{s.codec, s.typ.Elem()}.direct()
}

// Text reports whether a string is expected, be it a text or the name of an enum's value.
func (s Shape) Text() bool { return s.typ != nil && s.typ.Kind() == reflect.String }

// EachUnknown calls found for each unknown member of the struct that v points to and of the messages below it, those
// of a message before what is below it. It hands over the path of the member, its name, and the names in snake_case
// that the message knows. What a field tagged as a guess did not take is not unknown.
func (c *Codec) EachUnknown(v any, found func(path, name string, known []string)) {
	c.eachUnknown(reflect.ValueOf(v), "", found)
}

func (c *Codec) eachUnknown(v reflect.Value, path string, found func(path, name string, known []string)) {
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	v = v.Elem()
	p := c.plan(v.Type())
	if p.members >= 0 {
		for _, name := range c.membersOf(p, v).Names() {
			if _, known := p.byName[name]; !known {
				found(join(path, name), name, p.names())
			}
		}
	}
	for i := range p.fields {
		f := &p.fields[i]
		switch value, at := v.Field(f.index), join(path, f.snake); value.Kind() {
		case reflect.Pointer:
			c.eachUnknown(value, at, found)
		case reflect.Slice:
			for n := range value.Len() {
				c.eachUnknown(value.Index(n), element(at, n), found)
			}
		}
	}
}

// names lists the known members in snake_case.
func (p *plan) names() []string {
	names := make([]string, 0, len(p.fields))
	for i := range p.fields {
		names = append(names, p.fields[i].snake)
	}
	return names
}

package jsonx

import (
	"reflect"
	"strconv"
)

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
			return f.snake, Shape{s.codec, f.typ}.direct()
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
// of a message before what is below it. It hands over the path of the member, which is valid during the call, its name,
// and the names in snake_case that the message knows; neither is to be written to. What a field tagged as a guess did not
// take is not unknown.
func (c *Codec) EachUnknown(v any, found func(path []byte, name string, known []string)) {
	if v := reflect.ValueOf(v); !v.IsNil() {
		w := &unknowns{codec: c, found: found}
		w.message(c.plan(v.Type().Elem()), v.Elem())
	}
}

type unknowns struct {
	codec *Codec
	path  path
	found func(path []byte, name string, known []string)
}

func (w *unknowns) message(p *plan, v reflect.Value) {
	if m := w.codec.membersOf(p, v); m != nil {
		for i := range m.unknown {
			name := m.unknown[i].name
			if _, known := p.byName[name]; !known {
				above := len(w.path)
				w.path.member(name)
				w.found(w.path, name, p.names)
				w.path = w.path[:above]
			}
		}
	}
	for i := range p.fields {
		f := &p.fields[i]
		value, above := v.Field(f.index), len(w.path)
		switch {
		case f.kind == kindMessage && !value.IsNil():
			w.path.member(f.snake)
			w.message(f.message, value.Elem())
		case f.kind == kindMessages:
			w.path.member(f.snake)
			for n := range value.Len() {
				w.element(f, value.Index(n), n)
			}
		}
		w.path = w.path[:above]
	}
}

func (w *unknowns) element(f *field, v reflect.Value, n int) {
	if v.IsNil() {
		return
	}
	above := len(w.path)
	w.path = append(strconv.AppendInt(append(w.path, '['), int64(n), 10), ']')
	w.message(f.message, v.Elem())
	w.path = w.path[:above]
}

// path is the path of where a walk is. It becomes a string where it is told.
type path []byte

// member leads into a member, as join does.
func (p *path) member(name string) {
	if len(*p) > 0 && name != "" && name[0] != '[' {
		*p = append(*p, '.')
	}
	*p = append(*p, name...)
}

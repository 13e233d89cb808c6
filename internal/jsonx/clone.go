package jsonx

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"
)

// Clone makes dst a deep copy of src, as if src was encoded and decoded again: both point to structs of one type, and
// it fails where Marshal does. dst must be zero.
func (c *Codec) Clone(dst, src any) error { return c.CloneBeside(dst, src, nil) }

// CloneBeside is Clone, but that elements of lists which are the same in other are taken from there and not copied.
// other points to a struct of the same type that was decoded or cloned, or is nil. Neither it nor dst is to be changed
// afterwards.
func (c *Codec) CloneBeside(dst, src, other any) error {
	from := reflect.ValueOf(src).Elem()
	p := c.plan(from.Type())
	beside := p.zero
	if other != nil {
		beside = reflect.ValueOf(other).Elem()
	}
	return c.clone(p, reflect.ValueOf(dst).Elem(), from, beside)
}

func (c *Codec) clone(p *plan, dst, src, beside reflect.Value) error {
	m := c.membersOf(p, src)
	if m != nil && m.hasSet() {
		return c.reread(dst, src)
	}
	var zeros, written uint64
	for i := range p.fields {
		f := &p.fields[i]
		from, to := src.Field(f.index), dst.Field(f.index)
		if f.isZero(from) {
			zeros |= 1 << i
			continue
		}
		if err := c.cloneField(f, to, from, beside.Field(f.index)); err != nil {
			return At(f.snake, err)
		}
		if f.kind == kindTime && f.isZero(to) { // no time at all, which was in some zone
			written |= 1 << i
		}
	}
	if m == nil {
		return nil
	}
	*c.membersOf(p, dst) = Members{m.unknown, m.explicit&zeros | written}
	return c.checkMembers(p, src)
}

// reread is clone by way of JSON. A member that the caller has set may have white space around it or a name that is no
// UTF-8, and a field tagged as a guess may take it.
func (c *Codec) reread(dst, src reflect.Value) error {
	doc, err := c.Marshal(src.Addr().Interface())
	if err != nil {
		return err
	}
	return c.Unmarshal(doc, dst.Addr().Interface())
}

func (c *Codec) cloneField(f *field, dst, src, beside reflect.Value) error {
	switch f.kind {
	case kindText, kindEnum:
		dst.SetString(cleaned(src.String()))
	case kindTime:
		*timeOf(dst) = timeOf(src).Round(0).UTC()
	case kindMessage:
		dst.Set(reflect.New(f.message.typ))
		return c.clone(f.message, dst.Elem(), src.Elem(), orZero(f, beside))
	case kindMessages:
		return c.cloneMessages(f, dst, src, beside)
	case kindTexts:
		list := slices.Clone(*textsOf(src))
		for i, s := range list {
			list[i] = cleaned(s)
		}
		*textsOf(dst) = list
	case kindMap:
		f.setMap(dst, cleanedMap(mapOf(src)))
	case kindOther:
		return noRule(f.typ)
	default:
		dst.Set(src)
	}
	return nil
}

func (c *Codec) cloneMessages(f *field, dst, src, beside reflect.Value) error {
	dst.Set(reflect.MakeSlice(f.typ, src.Len(), src.Len()))
	for i := range src.Len() {
		from := src.Index(i)
		if from.IsNil() {
			return At(element("", i), errNilElement)
		}
		if i < beside.Len() && c.identicalElement(f, from, beside.Index(i)) {
			dst.Index(i).Set(beside.Index(i))
			continue
		}
		copied := reflect.New(f.message.typ)
		dst.Index(i).Set(copied)
		if err := c.clone(f.message, copied.Elem(), from.Elem(), f.message.zero); err != nil {
			return At(element("", i), err)
		}
	}
	return nil
}

// cleaned is what becomes of a string on its way through JSON, which is UTF-8.
func cleaned(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(unescaped(AppendString(nil, s)))
}

func cleanedMap(m map[string]string) map[string]string {
	cloned := maps.Clone(m)
	for key, value := range m {
		if utf8.ValidString(key) && utf8.ValidString(value) {
			continue
		}
		clear(cloned)
		for _, key := range slices.Sorted(maps.Keys(m)) { // in the order in which they are written
			cloned[cleaned(key)] = cleaned(m[key])
		}
		break
	}
	return cloned
}

// Identical reports whether two structs, given by pointers of one type, have the same in every field, with a
// difference between nothing and something empty, and the same unknown members as they are written: then they encode to
// the same.
func (c *Codec) Identical(a, b any) bool {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	return c.identical(c.plan(x.Type()), x, y)
}

func (c *Codec) identical(p *plan, a, b reflect.Value) bool {
	for i := range p.fields {
		f := &p.fields[i]
		if !c.identicalField(f, a.Field(f.index), b.Field(f.index)) {
			return false
		}
	}
	x, y := c.membersOf(p, a), c.membersOf(p, b)
	return x == nil || x.explicit == y.explicit && slices.EqualFunc(x.unknown, y.unknown, func(a, b member) bool {
		return a.name == b.name && bytes.Equal(a.raw, b.raw)
	})
}

func (c *Codec) identicalField(f *field, a, b reflect.Value) bool {
	if zero := f.isZero(a); zero || f.isZero(b) {
		return zero && f.isZero(b)
	}
	switch f.kind {
	case kindText, kindEnum:
		return a.String() == b.String()
	case kindMessage:
		return c.identicalElement(f, a, b)
	case kindMessages:
		for i := range min(a.Len(), b.Len()) {
			if !c.identicalElement(f, a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case kindTexts:
		return slices.Equal(*textsOf(a), *textsOf(b))
	case kindMap:
		return maps.Equal(mapOf(a), mapOf(b))
	case kindOther:
		return false
	}
	return a.Equal(b)
}

func (c *Codec) identicalElement(f *field, a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() {
		return a.IsNil() && b.IsNil()
	}
	return a.Pointer() == b.Pointer() || c.identical(f.message, a.Elem(), b.Elem())
}

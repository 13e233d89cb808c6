package jsonx

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Unmarshal decodes data into the struct that v points to. Members that data lacks keep their value; those that it
// has are replaced whole, messages included, and null resets one. Nothing in v refers to data afterwards.
func (c *Codec) Unmarshal(data []byte, v any) error {
	if err := Valid(data); err != nil {
		return err
	}
	d := &decoder{codec: c, data: data, at: skipSpace(data, 0)}
	target := reflect.ValueOf(v).Elem()
	return d.message(c.plan(target.Type()), target)
}

// decoder goes once over a valid document.
type decoder struct {
	codec *Codec
	data  []byte
	at    int // the first byte of a value, or the one behind it
	texts texts
}

// value passes over the value ahead and returns it.
func (d *decoder) value() []byte {
	start := d.at
	d.at = skipValue(d.data, start)
	return d.data[start:d.at]
}

// open goes into an object or a list, and tells whether there is anything in it. Null counts as empty.
func (d *decoder) open(bracket byte, want string) (more bool, err error) {
	switch d.data[d.at] {
	case bracket:
		d.at = skipSpace(d.data, d.at+1)
		return d.more(bracket), nil
	case 'n':
		d.value()
		return false, nil
	}
	return false, wrong(want, d.value())
}

// next goes from behind a member or element to the following one, and tells whether there is any.
func (d *decoder) next(bracket byte) bool {
	d.at = skipComma(d.data, d.at)
	return d.more(bracket)
}

// more passes the closing bracket, if that is ahead.
func (d *decoder) more(bracket byte) bool {
	if d.data[d.at] != bracket+2 { // as far behind as } is behind { and ] behind [
		return true
	}
	d.at++
	return false
}

func (d *decoder) name() (name []byte) {
	name, d.at = scanName(d.data, d.at)
	return name
}

func (d *decoder) message(p *plan, v reflect.Value) error {
	var (
		seen   uint64 // bit per field; no message comes near 64
		zeros  uint64 // those written out
		others []member
		next   int
	)
	more, err := d.open('{', "an object")
	for ; more; more = d.next('{') {
		name := d.name()
		n, known := p.find(name, next)
		if !known {
			if value := d.value(); p.members >= 0 {
				others = append(others, d.kept(name, value))
			}
			continue
		}
		next = n + 1
		f := &p.fields[n]
		if seen&(1<<n) != 0 {
			return &Error{Path: f.snake, Want: "one value", Got: "two, perhaps in two spellings"}
		}
		seen |= 1 << n
		target, start := v.Field(f.index), d.at
		if d.data[start] == 'n' {
			d.value()
			target.SetZero() // proto JSON: the default
			continue
		}
		if err := d.field(f, target); err != nil {
			if !f.guess || p.members < 0 {
				return At(f.snake, err)
			}
			target.SetZero()
			d.at = start
			others = append(others, d.kept([]byte(f.camel), d.value()))
		} else if f.isZero(target) {
			zeros |= 1 << n
		}
	}
	if m := d.codec.membersOf(p, v); m != nil && err == nil {
		m.explicit |= zeros
		if others != nil {
			m.add(others)
		}
	}
	return err
}

// kept is an unknown member, apart from the document.
func (d *decoder) kept(name, value []byte) member {
	return member{name: d.text(name), raw: bytes.Clone(value), valid: true}
}

func (d *decoder) field(f *field, v reflect.Value) error {
	switch f.kind {
	case kindMessage:
		message := reflect.New(f.message.typ)
		v.Set(message)
		return d.message(f.message, message.Elem())
	case kindMessages:
		return d.messages(f, v)
	case kindTexts:
		return d.list(textsOf(v))
	case kindMap:
		return d.stringMap(f, v)
	}
	return d.scalar(f, v, d.value())
}

func (d *decoder) scalar(f *field, v reflect.Value, value []byte) error {
	switch f.kind {
	case kindEnum, kindText:
		if f.kind == kindEnum && KindOf(value) == KindNumber {
			v.SetString(d.text(value)) // as proto JSON demands
			return nil
		}
		s, err := d.string(value)
		v.SetString(s)
		return err
	case kindInt:
		n, err := Int(value)
		v.SetInt(n)
		return err
	case kindBool:
		b, err := Bool(value)
		v.SetBool(b)
		return err
	case kindDuration:
		return d.duration(value, v)
	case kindTime:
		return decodeTime(value, timeOf(v))
	}
	return noRule(f.typ)
}

func (d *decoder) messages(f *field, v reflect.Value) error {
	v.Set(reflect.MakeSlice(f.typ, 0, 4))
	more, err := d.open('[', "a list")
	for n := 0; more; n++ {
		if d.data[d.at] == 'n' {
			return nullElement(n)
		}
		if n == v.Cap() {
			v.Grow(n)
		}
		v.SetLen(n + 1)
		message := reflect.New(f.message.typ)
		v.Index(n).Set(message)
		if err := d.message(f.message, message.Elem()); err != nil {
			return At(element("", n), err)
		}
		more = d.next('[')
	}
	return err
}

func nullElement(n int) error { return &Error{Path: element("", n), Want: "an element", Got: "null"} }

func (d *decoder) list(v *[]string) error {
	list := []string{}
	more, err := d.open('[', "a list")
	for n := 0; more; n++ {
		if d.data[d.at] == 'n' {
			return nullElement(n)
		}
		s, err := d.string(d.value())
		if err != nil {
			return At(element("", n), err)
		}
		list = append(list, s)
		more = d.next('[')
	}
	*v = list
	return err
}

func (d *decoder) stringMap(f *field, v reflect.Value) error {
	m := map[string]string{}
	more, err := d.open('{', "an object")
	for ; more; more = d.next('{') {
		name := d.name()
		value := d.value()
		switch k := KindOf(value); k {
		case KindNumber, KindBool:
			return &Error{Path: string(name), Want: fmt.Sprintf("the string %q, in quotes", value), Got: k.String()}
		case KindNull: // not a default here: the entry would be there, and empty
			return &Error{Path: string(name), Want: "a string", Got: "null"}
		}
		s, err := d.string(value)
		if err != nil {
			return At(string(name), err)
		}
		m[d.text(name)] = s
	}
	f.setMap(v, m)
	return err
}

// string reads a string as [Str] does.
func (d *decoder) string(value []byte) (string, error) {
	if value[0] != '"' {
		return Str(value)
	}
	return d.text(unescaped(value)), nil
}

func (d *decoder) text(text []byte) string { return d.texts.of(text, len(d.data)-d.at) }

func (d *decoder) duration(value []byte, v reflect.Value) error {
	text, err := d.string(value)
	if err != nil {
		return wrong(wantDuration, value)
	}
	span, err := ParseDuration(text)
	v.SetInt(int64(span))
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

func decodeTime(value []byte, t *time.Time) error {
	if value[0] != '"' {
		return wrong(wantTime, value)
	}
	text := unescaped(value)
	err := t.UnmarshalText(text) // is stricter than Parse, and allocates nothing
	if err != nil {
		*t, err = time.Parse(time.RFC3339Nano, string(text))
	}
	if err != nil {
		return &Error{Want: wantTime, Got: fmt.Sprintf("%q", text)}
	}
	*t = t.UTC()
	return nil
}

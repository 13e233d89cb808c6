package jsonx

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Marshal encodes the struct, or the pointer to one, in v: known members in the order of their fields, then the
// unknown ones in the order of their names.
func (c *Codec) Marshal(v any) ([]byte, error) {
	value, ok := addressable(v)
	if !ok {
		return []byte("null"), nil
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.codec = c
	b, err := e.message(e.buf[:0], c.plan(value.Type()), value)
	if cap(b) <= largestKept {
		e.buf = b
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(b), nil
}

// addressable returns the struct that v is or points to; ok is false if it is a nil pointer. Package encoding/json hands
// structs to a MarshalJSON with a value receiver, and those are copied.
func addressable(v any) (value reflect.Value, ok bool) {
	value = reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		return value.Elem(), !value.IsNil()
	}
	copied := reflect.New(value.Type()).Elem()
	copied.Set(value)
	return copied, true
}

// encoder has memory to use again.
type encoder struct {
	codec *Codec
	buf   []byte
	keys  []string
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

const largestKept = 1 << 20

func (e *encoder) message(b []byte, p *plan, v reflect.Value) ([]byte, error) {
	m := e.codec.membersOf(p, v)
	b = append(b, '{')
	start := len(b)
	for i := range p.fields {
		f := &p.fields[i]
		value := v.Field(f.index)
		if f.isZero(value) && (m == nil || m.explicit&(1<<i) == 0) {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		var err error
		if b, err = e.field(append(b, f.quoted...), f, value); err != nil {
			return b, At(f.snake, err)
		}
	}
	if m == nil {
		return append(b, '}'), nil
	}
	for i := range m.unknown {
		x := &m.unknown[i]
		if err := p.checkUnknown(x, v); err != nil {
			return b, err
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(AppendString(b, x.name), ':'), x.raw...)
	}
	return append(b, '}'), nil
}

func (e *encoder) field(b []byte, f *field, v reflect.Value) ([]byte, error) {
	switch f.kind {
	case kindText:
		return AppendString(b, v.String()), nil
	case kindEnum:
		if text := v.String(); isNumber(text) {
			return append(b, text...), nil // an enum that came as a number goes back as one
		}
		return AppendString(b, v.String()), nil
	case kindInt:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case kindBool:
		return strconv.AppendBool(b, v.Bool()), nil
	case kindDuration:
		return appendDuration(b, time.Duration(v.Int())), nil
	case kindTime:
		return appendTime(b, *timeOf(v)), nil
	case kindMessage:
		return e.element(b, f, v)
	case kindMessages:
		return e.messages(b, f, v)
	case kindTexts:
		return appendTexts(b, *textsOf(v)), nil
	case kindMap:
		return e.stringMap(b, mapOf(v)), nil
	}
	return b, noRule(f.typ)
}

// element encodes the message that v points to.
func (e *encoder) element(b []byte, f *field, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return b, errNilElement
	}
	return e.message(b, f.message, v.Elem())
}

func (e *encoder) messages(b []byte, f *field, v reflect.Value) ([]byte, error) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = e.element(b, f, v.Index(i)); err != nil {
			return b, At(element("", i), err)
		}
	}
	return append(b, ']'), nil
}

func (e *encoder) stringMap(b []byte, m map[string]string) []byte {
	e.keys = e.keys[:0]
	for key := range m {
		e.keys = append(e.keys, key)
	}
	slices.Sort(e.keys)
	b = append(b, '{')
	for i, key := range e.keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, key), ':')
		b = AppendString(b, m[key])
	}
	clear(e.keys) // which the next document is not to keep alive
	return append(b, '}')
}

func appendTexts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, s)
	}
	return append(b, ']')
}

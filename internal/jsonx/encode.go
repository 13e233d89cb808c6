package jsonx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Marshal encodes the struct, or the pointer to one, in v: known members in the order of their fields, then the
// unknown ones in the order of their names.
func (c *Codec) Marshal(v any) ([]byte, error) {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return []byte("null"), nil
		}
		value = value.Elem()
	}
	return c.appendStruct(nil, value)
}

func (c *Codec) appendStruct(b []byte, v reflect.Value) ([]byte, error) {
	p := c.plan(v.Type())
	var kept Members
	if p.members >= 0 {
		kept = c.copyOfMembers(p, v)
	}
	b = append(b, '{')
	start := len(b)
	for i := range p.fields {
		f := &p.fields[i]
		value := v.Field(f.index)
		if value.IsZero() && !kept.explicit[f.camel] {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		var err error
		if b, err = c.append(append(b, f.quoted...), value); err != nil {
			return nil, At(f.snake, err)
		}
	}
	for _, name := range kept.Names() {
		if n, known := p.byName[name]; known && !(p.fields[n].guess && v.Field(p.fields[n].index).IsZero()) {
			return nil, fmt.Errorf("unknown member %q has a field of its own: set the field", name)
		}
		if err := Valid(kept.unknown[name]); err != nil {
			return nil, fmt.Errorf("unknown member %q: %w", name, err)
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(AppendString(b, name), ':'), kept.unknown[name]...)
	}
	return append(b, '}'), nil
}

// copyOfMembers works on structs that cannot be addressed, as encoding/json hands them to a MarshalJSON with a
// value receiver.
func (c *Codec) copyOfMembers(p *plan, v reflect.Value) Members {
	holder := reflect.New(c.kept)
	holder.Elem().Set(v.Field(p.members))
	return *c.members(holder.Interface())
}

func (c *Codec) append(b []byte, v reflect.Value) ([]byte, error) {
	switch v.Type() {
	case durationType:
		return appendDuration(b, time.Duration(v.Int())), nil
	case timeType:
		return appendTime(b, v.Interface().(time.Time)), nil
	}
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); v.Type() != stringType && isNumber(text) {
			return append(b, text...), nil // an enum that came as a number goes back as one
		}
		return AppendString(b, v.String()), nil
	case reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, &Error{Want: "an element", Got: "nil"}
		}
		return c.appendStruct(b, v.Elem())
	case reflect.Slice:
		return c.appendList(b, v)
	case reflect.Map:
		return appendMap(b, v), nil
	}
	return nil, fmt.Errorf("jsonx: no rule for %s", v.Type())
}

func (c *Codec) appendList(b []byte, v reflect.Value) ([]byte, error) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = c.append(b, v.Index(i)); err != nil {
			return nil, At(fmt.Sprintf("[%d]", i), err)
		}
	}
	return append(b, ']'), nil
}

func appendMap(b []byte, v reflect.Value) []byte {
	m := stringMap(v)
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, key), ':')
		b = AppendString(b, m[key])
	}
	return append(b, '}')
}

// appendString quotes s. Unlike json.Marshal it leaves <, > and & alone, which abound in scripts.
func AppendString(b []byte, s string) []byte {
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return true
}

// isNumber tells the numbers of enums; with a zero in front digits are no number in JSON.
func isNumber(s string) bool {
	return s == "0" || s != "" && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// appendDuration writes seconds as proto JSON does, with 0, 3, 6 or 9 digits after the point.
func appendDuration(b []byte, d time.Duration) []byte {
	b = append(b, '"')
	if d < 0 {
		b = append(b, '-')
	}
	seconds, nanos := d/time.Second, d%time.Second
	b = strconv.AppendUint(b, abs(int64(seconds)), 10)
	b = appendFraction(b, abs(int64(nanos)))
	return append(b, 's', '"')
}

// appendTime writes RFC 3339 in UTC, with 0, 3, 6 or 9 digits after the point.
func appendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	b = t.AppendFormat(append(b, '"'), "2006-01-02T15:04:05")
	b = appendFraction(b, uint64(t.Nanosecond()))
	return append(b, 'Z', '"')
}

func appendFraction(b []byte, nanos uint64) []byte {
	switch {
	case nanos == 0:
		return b
	case nanos%1e6 == 0:
		return fmt.Appendf(b, ".%03d", nanos/1e6)
	case nanos%1e3 == 0:
		return fmt.Appendf(b, ".%06d", nanos/1e3)
	}
	return fmt.Appendf(b, ".%09d", nanos)
}

func abs(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

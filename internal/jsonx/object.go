package jsonx

import "bytes"

// Object is an object taken apart: where its members lie, in their order. One Object can take one object after the
// other.
type Object struct {
	Raw []byte // from bracket to bracket

	// Repeats says that the objects are of one kind, such as the records of a list. Most members of a record are byte for
	// byte those of the one before, and one comparison tells then where they lie and that they are valid.
	Repeats bool

	at      []span
	aligned bool // the names are those of the object before
	serial  int
	before  struct { // a copy, since its memory is the caller's
		raw []byte
		at  []span
	}
}

// span is where a member lies: its name with the quotes, and its value.
type span struct {
	name, nameEnd, value, end int
	same                      bool // as in the object before
}

// mostBefore bounds the copy. Records are smaller by far; one that is not gains nothing.
const mostBefore = 64 << 10

// Parse takes the one value in data apart. It fails if that is not valid JSON, or no object. data must stay as it is
// for as long as the Object is used.
func (o *Object) Parse(data []byte) error {
	i := skipSpace(data, 0)
	if i == len(data) || data[i] != '{' {
		if err := Valid(data); err != nil {
			return err
		}
		return NoObject(data)
	}
	end, v := o.scan(data[i:])
	if v != whole || skipSpace(data, i+end) < len(data) {
		return notJSON(data, 0)
	}
	return nil
}

// NoObject is the *Error for a value in place of an object.
func NoObject(value []byte) error { return wrong("an object", value) }

// Len is the number of members.
func (o *Object) Len() int { return len(o.at) }

// Name is the name of the n-th member, unescaped. It is not to be written to.
func (o *Object) Name(n int) []byte { return unescaped(o.Quoted(n)) }

// Quoted is the name of the n-th member as it is written.
func (o *Object) Quoted(n int) []byte { return o.Raw[o.at[n].name:o.at[n].nameEnd] }

// Value is the value of the n-th member. It is not to be written to.
func (o *Object) Value(n int) []byte { return o.Raw[o.at[n].value:o.at[n].end] }

// Member returns the value of the last member called name, as encoding/json would, or nil if there is none. The
// name is ASCII.
func (o *Object) Member(name string) []byte {
	for n := len(o.at) - 1; n >= 0; n-- {
		quoted := o.Quoted(n)
		if len(quoted) == len(name)+len(`""`) && string(quoted[1:len(quoted)-1]) == name ||
			len(quoted) > len(name)+len(`""`) && bytes.IndexByte(quoted, '\\') >= 0 && string(o.Name(n)) == name {
			return o.Value(n)
		}
	}
	return nil
}

// Serial counts the objects that have been here.
func (o *Object) Serial() int { return o.serial }

// Aligned reports whether the object has the same names in the same order as the one before it.
func (o *Object) Aligned() bool { return o.aligned }

// Same reports whether the n-th member is as it was in the object before, byte for byte.
func (o *Object) Same(n int) bool { return o.at[n].same }

// scan is the function scan for the object that data begins with. What it is cut to, the Object is not.
func (o *Object) scan(data []byte) (end int, v verdict) {
	o.reset()
	i := skipSpace(data, 1)
	if i < len(data) && data[i] == '}' {
		return o.found(data[:i+1]), whole
	}
	for {
		s, v := o.member(data, i)
		if v != whole {
			return s.end, v
		}
		o.at = append(o.at, s)
		if i = skipSpace(data, s.end); i >= len(data) {
			return i, cut
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case '}':
			return o.found(data[:i+1]), whole
		default:
			return i, bad
		}
	}
}

// member checks the member that begins at data[i].
func (o *Object) member(data []byte, i int) (s span, v verdict) {
	var last span
	if n := len(o.at); n < len(o.before.at) {
		// With the byte behind it, lest 1 is taken for the start of 12.
		last = o.before.at[n]
		text := o.before.raw[last.name : last.end+1]
		if i+len(text) <= len(data) && string(data[i:i+len(text)]) == string(text) {
			by := i - last.name
			return span{i, last.nameEnd + by, last.value + by, last.end + by, true}, whole
		}
	}
	s.name = i
	if s.nameEnd, s.value, v = scanKey(data, i); v != whole {
		return span{end: s.value}, v
	}
	o.aligned = o.aligned && string(data[i:s.nameEnd]) == string(o.before.raw[last.name:last.nameEnd])
	s.end, v = scan(data, s.value, 1)
	return s, inside(v)
}

// reset makes the Object one without members, for which what was before stays.
func (o *Object) reset() { o.Raw, o.at, o.aligned = nil, o.at[:0], true }

// found ends a scan, and returns the length of the object.
func (o *Object) found(raw []byte) int {
	o.Raw = raw
	o.serial++
	o.aligned = o.aligned && len(o.at) == len(o.before.at)
	o.before.raw, o.before.at = o.before.raw[:0], o.before.at[:0]
	if o.Repeats && len(raw) <= mostBefore {
		o.before.raw = append(o.before.raw, raw...)
		o.before.at = append(o.before.at, o.at...)
	}
	return len(raw)
}

package jsonx

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Object is an object taken apart: where its members lie, in their order. One Object can take one object after the
// other.
type Object struct {
	Raw []byte // from bracket to bracket, with no room to append to: behind it there is what follows in the document

	// Repeats says that the objects are of one kind, such as the records of a list. Most members of a record are byte for
	// byte those of the one before, and one comparison tells then where they lie and that they are valid.
	Repeats bool

	at      []span
	changed []int // which members are not as they were in the object before
	aligned bool  // the names are
	serial  int
	before  struct { // a copy, since its memory is the caller's
		raw []byte
		at  []span
	}
}

// span is where a member lies: its name with the quotes, and its value.
type span struct{ name, nameEnd, value, end int }

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

// EachObject is EachElement for a list of objects. The one that at returns for an element takes it apart; for an element
// that is no object it is nil.
func EachObject(data []byte, at func(i int) *Object, each func(i int, o *Object, element []byte)) error {
	return eachElement(data, func(n, i int) (end int, err error) {
		var o *Object
		if data[i] == '{' {
			o = at(n)
			length, v := o.scan(data[i:])
			if end = i + length; v != whole {
				end = len(data) // as in skipValue
			}
		} else {
			end = skipValue(data, i)
		}
		each(n, o, data[i:end])
		return end, nil
	})
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

// Aligned reports whether the object is known to have the same names in the same order as the one before it.
func (o *Object) Aligned() bool { return o.aligned }

// Changed lists the members that are not known to be, byte for byte, as they were in the object before, in their order.
func (o *Object) Changed() []int { return o.changed }

// scan is the function scan for the object that data begins with. Of one that is not whole, the Object keeps nothing.
func (o *Object) scan(data []byte) (end int, v verdict) {
	o.reset()
	if o.at == nil {
		const perMember, most = 40, 256 // bytes of JSON, and members to make room for at once
		o.at = make([]span, 0, min(len(data)/perMember+1, most))
	}
	if end, v = o.scanMembers(data); v != whole {
		o.reset()
	}
	return end, v
}

func (o *Object) scanMembers(data []byte) (end int, v verdict) {
	i := skipSpace(data, 1)
	if i < len(data) && data[i] == '}' {
		return o.found(data[: i+1 : i+1]), whole
	}
	for {
		if i, v = o.members(data, i); v != whole {
			return i, v
		}
		if i = skipSpace(data, i); i >= len(data) {
			return i, cut
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case '}':
			return o.found(data[: i+1 : i+1]), whole
		default:
			return i, bad
		}
	}
}

// members takes the member that begins at data[i], or all from there on that are as they were in the object before, and
// returns the index behind.
func (o *Object) members(data []byte, i int) (end int, v verdict) {
	n := len(o.at)
	var last span
	if n < len(o.before.at) {
		last = o.before.at[n]
		if same := o.same(n, data[i:]); same > 0 {
			o.at = append(o.at, o.before.at[n:n+same]...)
			for m := range o.at[n:] {
				o.at[n+m].shift(i - last.name)
			}
			return o.at[n+same-1].end, whole
		}
	}
	s := span{name: i}
	if s.nameEnd, s.value, v = scanKey(data, i); v != whole {
		return s.value, v
	}
	o.aligned = o.aligned && string(data[i:s.nameEnd]) == string(o.before.raw[last.name:last.nameEnd])
	s.end, v = scan(data, s.value, 1)
	if o.at = append(o.at, s); o.Repeats {
		o.changed = append(o.changed, n)
	}
	return s.end, inside(v)
}

// same tells how many members of the object before, from the n-th on, data begins with. The byte behind one counts, lest
// 1 is taken for the start of 12.
func (o *Object) same(n int, data []byte) (members int) {
	common := o.before.at[n].name + commonPrefix(data, o.before.raw[o.before.at[n].name:])
	for _, s := range o.before.at[n:] {
		if s.end >= common {
			break
		}
		members++
	}
	return members
}

func (s *span) shift(by int) {
	s.name += by
	s.nameEnd += by
	s.value += by
	s.end += by
}

// commonPrefix is the number of bytes that a and b begin with alike.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		if differ := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); differ != 0 {
			return i + bits.TrailingZeros64(differ)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// reset makes the Object one without members, for which what was before stays.
func (o *Object) reset() { o.Raw, o.at, o.changed, o.aligned = nil, o.at[:0], o.changed[:0], true }

// found ends a scan, and returns the length of the object.
func (o *Object) found(raw []byte) int {
	o.Raw = raw
	o.serial++
	known := len(o.before.raw) > 0 // the object before, which else seems to have no members
	o.aligned = o.aligned && known && len(o.at) == len(o.before.at)
	o.before.raw, o.before.at = o.before.raw[:0], o.before.at[:0]
	if o.Repeats && len(raw) <= mostBefore {
		o.before.raw = append(o.before.raw, raw...)
		o.before.at = append(o.before.at, o.at...)
	}
	return len(raw)
}

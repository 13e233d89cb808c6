package jsonx

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Members is what a decoded object held beyond the fields of its struct. A struct that is to lose nothing has one
// exported field, whose type the package declares and hands to [NewCodec].
//
// What a Members holds is never written to: a change makes a new list. So copies, of the structs around it too, share
// their members at no cost.
type Members struct {
	unknown  []member // in the order of their names
	explicit uint64   // known members whose zero value was written out, a bit per field; encoded again even if still zero
}

// member is an unknown one.
type member struct {
	name  string
	raw   json.RawMessage
	valid bool // raw is a part of a document that was valid
}

// Get returns the raw JSON of an unknown member, or nil. It is a copy.
func (m *Members) Get(name string) json.RawMessage { return bytes.Clone(m.raw(name)) }

// Set adds or replaces an unknown member; nil removes it.
func (m *Members) Set(name string, value json.RawMessage) {
	i, found := m.find(name)
	switch {
	case value != nil:
		m.put(member{name: name, raw: bytes.Clone(value)})
	case found:
		m.unknown = slices.Delete(slices.Clone(m.unknown), i, i+1)
	}
}

// Names lists the unknown members in order.
func (m *Members) Names() []string {
	var names []string
	for i := range m.unknown {
		names = append(names, m.unknown[i].name)
	}
	return names
}

// Equal compares the unknown members. That a zero value was written out makes no difference to its meaning.
func (m *Members) Equal(other *Members) bool {
	return slices.EqualFunc(m.unknown, other.unknown, func(a, b member) bool { return a.name == b.name && sameRaw(a.raw, b.raw) })
}

// hasSet reports whether a member comes from Set and was not read again since.
func (m *Members) hasSet() bool {
	return slices.ContainsFunc(m.unknown, func(x member) bool { return !x.valid })
}

// raw is Get without the copy.
func (m *Members) raw(name string) []byte {
	if i, found := m.find(name); found {
		return m.unknown[i].raw
	}
	return nil
}

func (m *Members) find(name string) (int, bool) {
	return slices.BinarySearchFunc(m.unknown, name, func(x member, name string) int { return strings.Compare(x.name, name) })
}

func (m *Members) put(x member) {
	i, found := m.find(x.name)
	if m.unknown = slices.Clone(m.unknown); found {
		m.unknown[i] = x
	} else {
		m.unknown = slices.Insert(m.unknown, i, x)
	}
}

// add puts what a document has to what is there. Of members with one name the last counts.
func (m *Members) add(found []member) {
	all := found
	if len(m.unknown) > 0 {
		all = slices.Concat(m.unknown, found)
	}
	byName := func(a, b member) int { return strings.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(all, byName) {
		slices.SortStableFunc(all, byName)
	}
	last := 0
	for i := range all {
		if all[i].name != all[last].name {
			last++
		}
		all[last] = all[i]
	}
	m.unknown = all[:last+1]
}

// sameRaw is [SameValue], told at once where nothing differs at all.
func sameRaw(a, b []byte) bool { return bytes.Equal(a, b) && a != nil || SameValue(a, b) }

package jsonx

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Difference is one place at which two structs differ.
type Difference struct {
	// Path is the place in snake_case. An element of a list of messages is named by its key, node_pools[gpu], and an
	// entry of a map by its own: labels.team.
	Path string

	// Old and New are the JSON on either side, nil where there is nothing. A message is compared member by member;
	// an element of a list that only one side has is one difference.
	Old, New []byte

	// Reordered says that a list has the same elements in another order; Old and New are then lists of their keys.
	Reordered bool
}

// Diff compares two structs of one type, or pointers to them. Absent and empty values are equal, and so are a missing
// message and an empty one. key identifies the elements of lists of messages, given as pointers; those for which it
// returns "" are identified by their place.
func (c *Codec) Diff(before, after any, key func(element any) string) []Difference {
	d := differ{codec: c, key: key}
	was, _ := addressable(before)
	is, _ := addressable(after)
	d.message(c.plan(was.Type()), was, is, sides{true, true})
	return d.found
}

// differ compares first and asks for paths and JSON only where something differs, which is almost nowhere.
type differ struct {
	codec *Codec
	key   func(element any) string
	path  path
	found []Difference
	seen  map[string]bool // the keys of a list
}

// sides says on which side there is a message at all, and not only an empty one in its place.
type sides struct{ before, after bool }

func (d *differ) add(before, after []byte) {
	d.found = append(d.found, Difference{Path: string(d.path), Old: before, New: after})
}

// below calls compare with the path of a member.
func (d *differ) below(name string, compare func()) {
	above := len(d.path)
	d.path.member(name)
	compare()
	d.path = d.path[:above]
}

func (d *differ) message(p *plan, before, after reflect.Value, there sides) {
	for i := range p.fields {
		f := &p.fields[i]
		above := len(d.path)
		d.path.member(f.snake)
		d.field(f, before.Field(f.index), after.Field(f.index), there)
		d.path = d.path[:above]
	}
	if was, is := d.codec.membersOf(p, before), d.codec.membersOf(p, after); was != nil {
		d.unknown(was.unknown, is.unknown)
	}
}

// unknown goes through both lists at once, which have their names in order.
func (d *differ) unknown(was, is []member) {
	for len(was) > 0 || len(is) > 0 {
		var x, y member
		if len(is) == 0 || len(was) > 0 && was[0].name <= is[0].name {
			x = was[0]
		}
		if len(was) == 0 || len(is) > 0 && is[0].name <= was[0].name {
			y = is[0]
		}
		if x.raw != nil {
			was = was[1:]
		}
		if y.raw != nil {
			is = is[1:]
		}
		if x.raw == nil || y.raw == nil || !sameRaw(x.raw, y.raw) {
			d.below(max(x.name, y.name), func() { d.add(bytes.Clone(x.raw), bytes.Clone(y.raw)) })
		}
	}
}

func (d *differ) field(f *field, before, after reflect.Value, there sides) {
	switch f.kind {
	case kindMessage:
		if before.Pointer() != after.Pointer() {
			d.message(f.message, orZero(f, before), orZero(f, after), sides{!before.IsNil(), !after.IsNil()})
		}
	case kindMap:
		if was, is := mapOf(before), mapOf(after); !maps.Equal(was, is) {
			d.entries(was, is)
		}
	case kindMessages:
		if before.Len() != after.Len() || before.Pointer() != after.Pointer() {
			d.elements(f, before, after)
		}
	default:
		if !d.codec.identicalField(f, before, after) {
			d.leaf(f, before, after, there)
		}
	}
}

// leaf compares values that have no parts. A zero count is one where there is a message to hold it: one that falls to
// 0 is not gone.
func (d *differ) leaf(f *field, before, after reflect.Value, there sides) {
	number := f.kind == kindInt || f.kind == kindBool
	value := func(v reflect.Value, there bool) []byte {
		if (f.isZero(v) || v.Kind() == reflect.Slice && v.Len() == 0) && !(number && there) {
			return nil
		}
		return d.json(f, v)
	}
	if x, y := value(before, there.before), value(after, there.after); string(x) != string(y) {
		d.add(x, y)
	}
}

func (d *differ) json(f *field, v reflect.Value) []byte {
	e := encoder{codec: d.codec}
	b, err := e.field(nil, f, v)
	if err != nil {
		return []byte("null") // a nil element, which has no JSON
	}
	return b
}

func (d *differ) elementJSON(f *field, v reflect.Value) []byte {
	e := encoder{codec: d.codec}
	b, err := e.element(nil, f, v)
	if err != nil {
		return []byte("null")
	}
	return b
}

func (d *differ) entries(before, after map[string]string) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	quoted := func(m map[string]string, name string) []byte {
		if value, ok := m[name]; ok {
			return AppendString(nil, value)
		}
		return nil
	}
	for _, name := range slices.Compact(names) {
		if x, y := quoted(before, name), quoted(after, name); string(x) != string(y) {
			d.below(name, func() { d.add(x, y) })
		}
	}
}

func (d *differ) elements(f *field, before, after reflect.Value) {
	wasKeys, isKeys := d.keyed(before), d.keyed(after)
	if slices.Equal(wasKeys, isKeys) {
		for i, key := range wasKeys {
			d.both(f, key, before.Index(i), after.Index(i))
		}
		return
	}
	was, is := places(wasKeys), places(isKeys)
	for i, key := range wasKeys {
		if n, ok := is[key]; ok {
			d.both(f, key, before.Index(i), after.Index(n))
		} else {
			d.below("["+key+"]", func() { d.add(d.elementJSON(f, before.Index(i)), nil) })
		}
	}
	for i, key := range isKeys {
		if _, ok := was[key]; !ok {
			d.below("["+key+"]", func() { d.add(nil, d.elementJSON(f, after.Index(i))) })
		}
	}
	x := slices.DeleteFunc(wasKeys, func(key string) bool { _, ok := is[key]; return !ok })
	y := slices.DeleteFunc(isKeys, func(key string) bool { _, ok := was[key]; return !ok })
	if !slices.Equal(x, y) {
		d.found = append(d.found, Difference{Path: string(d.path), Old: appendTexts(nil, x), New: appendTexts(nil, y), Reordered: true})
	}
}

// both compares two elements of one key.
func (d *differ) both(f *field, key string, before, after reflect.Value) {
	if before.Pointer() == after.Pointer() {
		return
	}
	above := len(d.path)
	d.path = append(append(append(d.path, '['), key...), ']')
	d.message(f.message, orZero(f, before), orZero(f, after), sides{true, true})
	d.path = d.path[:above]
}

// places tells where each key is.
func places(keys []string) map[string]int {
	at := make(map[string]int, len(keys))
	for i, key := range keys {
		at[key] = i
	}
	return at
}

// keyed returns the keys of the elements of a list. A key that comes again is numbered.
func (d *differ) keyed(v reflect.Value) []string {
	if v.Len() == 0 {
		return nil
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	clear(d.seen)
	keys := make([]string, 0, v.Len())
	for i := range v.Len() {
		key := ""
		if element := v.Index(i); !element.IsNil() {
			key = d.key(element.Interface())
		}
		if key == "" {
			key = strconv.Itoa(i)
		}
		base := key
		for n := 2; d.seen[key]; n++ {
			key = fmt.Sprintf("%s#%d", base, n)
		}
		d.seen[key] = true
		keys = append(keys, key)
	}
	return keys
}

package jsonx

import (
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
	d.message("", reflect.Indirect(reflect.ValueOf(before)), reflect.Indirect(reflect.ValueOf(after)), sides{true, true})
	return d.found
}

type differ struct {
	codec *Codec
	key   func(element any) string
	found []Difference
}

// sides says on which side there is a message at all, and not only an empty one in its place.
type sides struct{ before, after bool }

func (d *differ) add(path string, before, after []byte) {
	d.found = append(d.found, Difference{Path: path, Old: before, New: after})
}

func (d *differ) message(path string, before, after reflect.Value, there sides) {
	p := d.codec.plan(before.Type())
	for i := range p.fields {
		f := &p.fields[i]
		d.field(join(path, f.snake), before.Field(f.index), after.Field(f.index), there)
	}
	if p.members < 0 {
		return
	}
	was, is := d.codec.copyOfMembers(p, before), d.codec.copyOfMembers(p, after)
	names := slices.Concat(was.Names(), is.Names())
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if x, y := was.Get(name), is.Get(name); x == nil || y == nil || !SameValue(x, y) {
			d.add(join(path, name), x, y)
		}
	}
}

func (d *differ) field(path string, before, after reflect.Value, there sides) {
	switch kind := before.Kind(); {
	case kind == reflect.Pointer:
		d.message(path, orZero(before), orZero(after), sides{!before.IsNil(), !after.IsNil()})
	case kind == reflect.Map:
		d.entries(path, stringMap(before), stringMap(after))
	case kind == reflect.Slice && before.Type().Elem().Kind() == reflect.Pointer:
		d.elements(path, before, after)
	default:
		d.leaf(path, before, after, there)
	}
}

// leaf compares values that have no parts. A zero count is one where there is a message to hold it: one that falls to
// 0 is not gone.
func (d *differ) leaf(path string, before, after reflect.Value, there sides) {
	number := before.Type() != durationType && (before.Kind() == reflect.Int64 || before.Kind() == reflect.Bool)
	value := func(v reflect.Value, there bool) []byte {
		if (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) && !(number && there) {
			return nil
		}
		return d.json(v)
	}
	if x, y := value(before, there.before), value(after, there.after); string(x) != string(y) && !(number && before.Equal(after)) {
		d.add(path, x, y)
	}
}

// orZero is the message that a pointer leads to, or an empty one.
func orZero(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return reflect.Zero(v.Type().Elem())
	}
	return v.Elem()
}

func (d *differ) json(v reflect.Value) []byte {
	b, err := d.codec.append(nil, v)
	if err != nil {
		return []byte("null") // a nil element, which has no JSON
	}
	return b
}

func (d *differ) entries(path string, before, after map[string]string) {
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
			d.add(join(path, name), x, y)
		}
	}
}

func (d *differ) elements(path string, before, after reflect.Value) {
	was, wasKeys := d.keyed(before)
	is, isKeys := d.keyed(after)
	for _, key := range wasKeys {
		at := path + "[" + key + "]"
		if after, ok := is[key]; ok {
			d.message(at, orZero(was[key]), orZero(after), sides{true, true})
		} else {
			d.add(at, d.json(was[key]), nil)
		}
	}
	for _, key := range isKeys {
		if _, ok := was[key]; !ok {
			d.add(path+"["+key+"]", nil, d.json(is[key]))
		}
	}
	x := slices.DeleteFunc(wasKeys, func(key string) bool { return !is[key].IsValid() })
	y := slices.DeleteFunc(isKeys, func(key string) bool { return !was[key].IsValid() })
	if !slices.Equal(x, y) {
		d.found = append(d.found, Difference{Path: path, Old: list(x), New: list(y), Reordered: true})
	}
}

// keyed returns the elements of a list by their keys, and the keys in order. A key that comes again is numbered.
func (d *differ) keyed(v reflect.Value) (elements map[string]reflect.Value, keys []string) {
	elements = map[string]reflect.Value{}
	for i := range v.Len() {
		key := ""
		if element := v.Index(i); !element.IsNil() {
			key = d.key(element.Interface())
		}
		if key == "" {
			key = strconv.Itoa(i)
		}
		base := key
		for n := 2; elements[key].IsValid(); n++ {
			key = fmt.Sprintf("%s#%d", base, n)
		}
		elements[key] = v.Index(i)
		keys = append(keys, key)
	}
	return elements, keys
}

func list(keys []string) []byte {
	b := []byte{'['}
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, key)
	}
	return append(b, ']')
}

func stringMap(v reflect.Value) map[string]string {
	return v.Convert(reflect.TypeFor[map[string]string]()).Interface().(map[string]string)
}

// Package alteration makes of a recorded answer what another version of its server may send. It is for tests.
package alteration

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// These stand in place of a member's JSON: there is none, its name is in another case, and it is there twice, at first with
// a value that no member has. An element of a list is left out for the first two, and has such a value in front of it for the
// third.
const (
	Missing = "-"
	Renamed = "^"
	Twice   = "2×"
)

// Replace returns a copy of a JSON value with the member at a path set to the given JSON, or [Missing], [Renamed] or
// [Twice]. There is such a member, but for a last name that is new.
func Replace(v any, path []string, value string) any {
	if len(path) == 0 {
		return json.RawMessage(value)
	}
	last := len(path) == 1
	switch v := v.(type) {
	case map[string]any:
		o := maps.Clone(v)
		switch delete(o, path[0]); {
		case last && value == Missing:
		case last && value == Twice:
			return twice(o, path[0], v[path[0]])
		case last && value == Renamed:
			o[otherCase(path[0])] = v[path[0]] // names are taken as they are written
		default:
			o[path[0]] = Replace(v[path[0]], path[1:], value)
		}
		return o
	case []any:
		i, _ := strconv.Atoi(path[0])
		l := slices.Clone(v)
		switch {
		case last && (value == Missing || value == Renamed):
			return slices.Delete(l, i, i+1)
		case last && value == Twice:
			return slices.Insert(l, i, odd)
		}
		l[i] = Replace(v[i], path[1:], value)
		return l
	}
	return v
}

// odd is a value that no member has.
var odd any = json.RawMessage(`[[{}],7]`)

// twice is an object with a member in front that it also has, and with it again behind.
func twice(others map[string]any, name string, value any) json.RawMessage {
	member := func(value any) string { return string(encoded(map[string]any{name: value})) }
	first, last := member(odd), member(value)
	middle := strings.TrimSuffix(strings.TrimPrefix(string(encoded(others)), "{"), "}")
	if middle != "" {
		middle += ","
	}
	return json.RawMessage(strings.TrimSuffix(first, "}") + "," + middle + strings.TrimPrefix(last, "{"))
}

// encoded encodes what was decoded from JSON, which cannot fail.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func otherCase(name string) string {
	if upper := strings.ToUpper(name); upper != name {
		return upper
	}
	return strings.ToLower(name)
}

// Paths lists the members of a JSON value at every depth, and the first element of each list with its members.
func Paths(v any) [][]string { return below(v, nil) }

func below(v any, at []string) (paths [][]string) {
	add := func(name string, value any) {
		path := append(slices.Clone(at), name)
		paths = append(append(paths, path), below(value, path)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			add(name, v[name])
		}
	case []any:
		if len(v) > 0 {
			add("0", v[0])
		}
	}
	return paths
}

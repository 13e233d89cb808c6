package jsonx

import (
	"fmt"
	"strings"
)

// Index tells where in a document things are, by the path that an [*Error] would have; "" is the document itself.
type Index map[string]Place

// Place is where a member, or an element of a list, begins. Both are offsets in bytes.
type Place struct {
	Name  int // of a member's name; for an element it is Value
	Value int
}

// Index finds the place of everything in data, which must be valid JSON, a document for the struct that v points to.
// A name that an object has twice is an *Error; then the Index holds the second at its path.
func (c *Codec) Index(data []byte, v any) (Index, error) {
	x := indexer{data: data, found: Index{}}
	i := skipSpace(data, 0)
	x.found[""] = Place{i, i}
	_, err := x.value(i, "", c.Shape(v))
	return x.found, err
}

// Find returns the place of path, or of the nearest thing around it. A path in camelCase is taken for its snake_case
// form.
func (x Index) Find(path string) Place {
	for {
		if place, ok := x[path]; ok {
			return place
		}
		if place, ok := x[Snake(path)]; ok {
			return place
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return x[""]
		}
		path = path[:cut]
	}
}

// element is the path of the element n of the list at path.
func element(path string, n int) string { return fmt.Sprintf("%s[%d]", path, n) }

type indexer struct {
	data  []byte
	found Index
}

// value indexes what is below the value that begins at i, and returns the index behind it.
func (x *indexer) value(i int, path string, s Shape) (end int, err error) {
	switch {
	case i < len(x.data) && x.data[i] == '{':
		return x.object(i, path, s)
	case i < len(x.data) && x.data[i] == '[':
		return x.list(i, path, s)
	}
	return skipValue(x.data, i), nil
}

func (x *indexer) object(i int, path string, s Shape) (end int, err error) {
	spelled := map[string]string{} // canonical name -> as it was written
	for i = skipSpace(x.data, i+1); i < len(x.data) && x.data[i] != '}'; {
		raw, value := scanName(x.data, i)
		name, member := s.Member(string(raw))
		at := join(path, name)
		if at != path {
			x.found[at] = Place{i, value}
		}
		if first, twice := spelled[name]; twice {
			got := "two"
			if first != string(raw) {
				got = "two, in two spellings"
			}
			return 0, &Error{Path: at, Want: "one value", Got: got}
		}
		spelled[name] = string(raw)
		end, err := x.value(value, at, member)
		if err != nil {
			return 0, err
		}
		i = skipComma(x.data, end)
	}
	return i + 1, nil
}

func (x *indexer) list(i int, path string, s Shape) (end int, err error) {
	i = skipSpace(x.data, i+1)
	for n := 0; i < len(x.data) && x.data[i] != ']'; n++ {
		at := element(path, n)
		x.found[at] = Place{i, i}
		end, err := x.value(i, at, s.Element())
		if err != nil {
			return 0, err
		}
		i = skipComma(x.data, end)
	}
	return i + 1, nil
}

package jsonx

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestIndex finds everything in a document, by the paths that errors have.
func TestIndex(t *testing.T) {
	doc := ` {"name":"n" , "innerList" : [{},{"the_text":"x","new":{"camelCase":[true]}}],"map":{"a.b":"c","":"d"},"names":["x"]}`
	index, err := testCodec.Index([]byte(doc), new(outer))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":                               `{"name`,
		"name":                           `"name":"n"`,
		"inner_list":                     `"innerList" : [`,
		"inner_list[0]":                  `{},`,
		"inner_list[1].the_text":         `"the_text":"x"`,
		"inner_list[1].new":              `"new":{`,
		"inner_list[1].new.camelCase[0]": `true]`,
		"map.a.b":                        `"a.b":"c"`,
		"map":                            `"map":{`, // where an empty key leads, too
		"names[0]":                       `"x"]`,
	} {
		place, ok := index[path]
		if !ok || !strings.HasPrefix(doc[place.Name:], want) {
			t.Errorf("%s is at %q, %t; want %q", path, doc[place.Name:], ok, want)
		}
		if path != "" && !strings.HasSuffix(path, "]") {
			if _, value, _ := strings.Cut(want, ":"); !strings.HasPrefix(doc[place.Value:], strings.TrimSpace(value)) {
				t.Errorf("the value of %s is at %q", path, doc[place.Value:])
			}
		}
	}
	if len(index) != 13 {
		t.Errorf("%d places: %v", len(index), index)
	}
	for path, nearest := range map[string]string{
		"innerList[1].theText": "inner_list[1].the_text", "inner_list[1].count": "inner_list[1]", "inner_list[7].count": "inner_list",
		"map.z": "map", "inner.count": "", "inner_list[1].new.other.x": "inner_list[1].new",
	} {
		if got := index.Find(path); got != index[nearest] {
			t.Errorf("nearest to %s: %v, want %s at %v", path, got, nearest, index[nearest])
		}
	}
}

func TestIndexRefusesTwins(t *testing.T) {
	for doc, want := range map[string]string{
		`{"node_size_gb":1,"nodeSizeGb":2}`:      `node_size_gb: want one value, got two, in two spellings`,
		`{"inner_list":[{"count":1,"count":2}]}`: `inner_list[0].count: want one value, got two`,
		`{"map":{"a":"b","c":"d","a":"b"}}`:      `map.a: want one value, got two`,
		`{"new":{"a":1,"\u0061":2}}`:             `new.a: want one value, got two`,
	} {
		index, err := testCodec.Index([]byte(doc), new(outer))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", doc, err, want)
			continue
		}
		path, _, _ := strings.Cut(want, ":")
		if got := index.Find(path); got.Value <= strings.Index(doc, ":") || !strings.HasPrefix(doc[got.Value:], "2") && !strings.HasPrefix(doc[got.Value:], `"b"}`) {
			t.Errorf("%s: the second is at %q", doc, doc[got.Value:])
		}
	}
	// Two spellings of a name that nobody knows are two names.
	if _, err := testCodec.Index([]byte(`{"newThing":1,"new_thing":2}`), new(outer)); err != nil {
		t.Error(err)
	}
}

func TestShape(t *testing.T) {
	s := testCodec.Shape(new(outer))
	for path, want := range map[string]bool{
		"name": true, "color": true, "names []": true, "map x": true, "innerList [] theText": true, "inner_list [] the_text": true,
		"nodeSizeGb": false, "on": false, "span": false, "at": false, "names": false, "map": false, "new": false, "new x": false,
		"new []": false, "name x": false, "names x": false, "at wall": false,
	} {
		at := s
		for _, step := range strings.Fields(path) {
			if step == "[]" {
				at = at.Element()
			} else {
				_, at = at.Member(step)
			}
		}
		if at.Text() != want {
			t.Errorf("%s: text %t", path, at.Text())
		}
	}
	for name, want := range map[string]string{"nodeSizeGb": "node_size_gb", "node_size_gb": "node_size_gb", "newThing": "newThing"} {
		if got, _ := s.Member(name); got != want {
			t.Errorf("%s is called %s, want %s", name, got, want)
		}
	}
	_, m := s.Member("map")
	if got, _ := m.Member("nodeSizeGb"); got != "nodeSizeGb" {
		t.Errorf("a key of a map is called %s", got)
	}
}

func TestEachUnknown(t *testing.T) {
	var v outer
	doc := `{"b":1,"aNew":{"x":1},"rumorTime":5,"inner":{"new":1},"innerList":[{},{"new":2,"count":3}],"map":{"new":"4"}}`
	if err := testCodec.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	v.List = append(v.List, nil)
	var got []string
	testCodec.EachUnknown(&v, func(path []byte, name string, known []string) {
		got = append(got, fmt.Sprintf("%s %s %d", path, name, len(known)))
		if !slices.Contains(known, "the_text") && !slices.Contains(known, "inner_list") {
			t.Errorf("%s: known are %q", path, known)
		}
	})
	want := []string{"aNew aNew 11", "b b 11", "inner.new new 2", "inner_list[1].new new 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	testCodec.EachUnknown((*outer)(nil), func(path []byte, _ string, _ []string) { t.Errorf("found %s in nothing", path) })
}

func TestSnakeCase(t *testing.T) {
	snake := testCodec.SnakeCase()
	doc := `{"nodeSizeGb":5,"innerList":[{"theText":"x","newThing":{"camelCase":1}}],"map":{"camelCase":"y"}}`
	var v outer
	if err := snake.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	out, err := snake.Marshal(&v)
	if want := `{"node_size_gb":5,"inner_list":[{"the_text":"x","newThing":{"camelCase":1}}],"map":{"camelCase":"y"}}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
	if out, err := testCodec.Marshal(&v); err != nil || string(out) != doc {
		t.Errorf("the other codec gives %s, %v", out, err)
	}
}

// TestEnumsThatLookLikeNumbers: as a number goes back what is one in JSON.
func TestEnumsThatLookLikeNumbers(t *testing.T) {
	for doc, want := range map[string]string{`0`: `0`, `"0"`: `0`, `17`: `17`, `"007"`: `"007"`, `"00"`: `"00"`, `"1e3"`: `"1e3"`, `"-1"`: `"-1"`} {
		var v outer
		if err := testCodec.Unmarshal([]byte(`{"color":`+doc+`}`), &v); err != nil {
			t.Fatal(err)
		}
		out, err := testCodec.Marshal(&v)
		if err != nil || string(out) != `{"color":`+want+`}` || !json.Valid(out) {
			t.Errorf("%s goes back as %s, %v", doc, out, err)
		}
	}
}

package jsonx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	const base = `{"name":"n","nodeSizeGb":2,"on":true,"span":"1s","at":"2026-10-05T08:09:00Z","inner":{"theText":"x"},` +
		`"innerList":[{"theText":"a","count":1},{"theText":"b","new":1}],"names":["p","q"],"map":{"k":"v","l":"w"},"z":{"deep":[1,2]}}`
	for _, tt := range []struct{ from, to, want string }{
		{base, base, ""},
		{base, strings.ReplaceAll(base, `"deep":[1,2]`, `"deep" : [1, 2]`), ""},
		// Absent and empty mean the same.
		{`{}`, `{"name":"","nodeSizeGb":0,"on":false,"inner":{},"innerList":[],"names":[],"map":{}}`, ""},
		{`{"name":"n"}`, `{}`, `name: "n" -> nothing`},
		{`{}`, `{"span":"5s","at":"2026-10-05T08:09:00Z"}`, `span: nothing -> "5s"; at: nothing -> "2026-10-05T08:09:00Z"`},
		{`{"nodeSizeGb":2,"on":true}`, `{}`, `node_size_gb: 2 -> 0; on: true -> false`},
		{`{"inner":{"theText":"x","count":1}}`, `{"inner":{"count":2}}`, `inner.the_text: "x" -> nothing; inner.count: 1 -> 2`},
		{`{"inner":{"theText":"x","count":0}}`, `{"inner":{"theText":"x","count":2}}`, `inner.count: 0 -> 2`},
		{`{}`, `{"inner":{"count":2}}`, `inner.count: nothing -> 2`},
		{`{"inner":{"count":2}}`, `{}`, `inner.count: 2 -> nothing`},
		{`{"names":["p","q"]}`, `{"names":["q","p"]}`, `names: ["p","q"] -> ["q","p"]`},
		{`{"map":{"k":"v","l":""}}`, `{"map":{"k":"V","m":""}}`, `map.k: "v" -> "V"; map.l: "" -> nothing; map.m: nothing -> ""`},
		{`{"z":1,"y":1}`, `{"z":1.0,"x":[]}`, `x: nothing -> []; y: 1 -> nothing; z: 1 -> 1.0`},
		{`{"innerList":[{"theText":"a","count":1},{"theText":"b"}]}`, `{"innerList":[{"theText":"b"},{"theText":"c"}]}`,
			`inner_list[a]: {"theText":"a","count":1} -> nothing; inner_list[c]: nothing -> {"theText":"c"}`},
		{`{"innerList":[{"theText":"a"},{"theText":"b"}]}`, `{"innerList":[{"theText":"b"},{"theText":"a","count":3}]}`,
			`inner_list[a].count: 0 -> 3; inner_list: ["a","b"] -> ["b","a"] reordered`},
		{`{"innerList":[{"theText":"b","new":1}]}`, `{"innerList":[{"theText":"b","new":{"x":1}}]}`, `inner_list[b].new: 1 -> {"x":1}`},
		// Elements without a key go by place, and equal keys by their number.
		{`{"innerList":[{"count":1}]}`, `{"innerList":[{"count":2}]}`, `inner_list[0].count: 1 -> 2`},
		{`{"innerList":[{"theText":"a"},{"theText":"a"}]}`, `{"innerList":[{"theText":"a"},{"theText":"a","count":2}]}`, `inner_list[a#2].count: 0 -> 2`},
	} {
		got := describe(testCodec.Diff(decoded(t, tt.from), decoded(t, tt.to), byText))
		if got != tt.want {
			t.Errorf("%s\n  to %s\n got %s\nwant %s", tt.from, tt.to, got, tt.want)
		}
	}
	if got := describe(testCodec.Diff(outer{}, &outer{List: []*inner{nil}}, byText)); got != `inner_list[0]: nothing -> null` {
		t.Errorf("a nil element: %s", got)
	}
}

func byText(element any) string { return element.(*inner).Text }

func decoded(t *testing.T, doc string) *outer {
	t.Helper()
	v := new(outer)
	if err := testCodec.Unmarshal([]byte(doc), v); err != nil {
		t.Fatal(err)
	}
	return v
}

func describe(differences []Difference) string {
	or := func(b json.RawMessage) string {
		if b == nil {
			return "nothing"
		}
		return string(b)
	}
	var parts []string
	for _, d := range differences {
		text := fmt.Sprintf("%s: %s -> %s", d.Path, or(d.Old), or(d.New))
		if d.Reordered {
			text += " reordered"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

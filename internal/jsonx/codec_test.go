package jsonx

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type kept struct{ m Members }

type color string

type inner struct {
	Text  string `json:"theText"`
	Count int64  `json:"count"`
	Kept  kept   `json:"-"`
}

type outer struct {
	Name     string            `json:"name"`
	Color    color             `json:"color"`
	NodeSize int64             `json:"nodeSizeGb"`
	On       bool              `json:"on"`
	Span     time.Duration     `json:"span"`
	At       time.Time         `json:"at"`
	Inner    *inner            `json:"inner"`
	List     []*inner          `json:"innerList"`
	Names    []string          `json:"names"`
	Map      map[string]string `json:"map"`
	Rumor    time.Time         `json:"rumorTime" wire:"guess"`
	Kept     kept              `json:"-"`
}

var testCodec = NewCodec(reflect.TypeFor[kept](), func(field any) *Members { return &field.(*kept).m })

func TestCodecReadsEverySpelling(t *testing.T) {
	var got outer
	doc := `{"name":"n","color":7,"node_size_gb":"120","on":"true","span":"604800.5s","at":"2026-10-05T08:09:00+02:00",
		"inner":{"the_text":"a<b>&c","count":5.0},"inner_list":[{"theText":"x"},{}],"names":[],"map":{"K":"v"}}`
	if err := testCodec.Unmarshal([]byte(doc), &got); err != nil {
		t.Fatal(err)
	}
	want := `{"name":"n","color":7,"nodeSizeGb":120,"on":true,"span":"604800.500s","at":"2026-10-05T06:09:00Z",` +
		`"inner":{"theText":"a<b>&c","count":5},"innerList":[{"theText":"x"},{}],"names":[],"map":{"K":"v"}}`
	out, err := testCodec.Marshal(&got)
	if err != nil || string(out) != want {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
	if got.NodeSize != 120 || got.Span != 604800*time.Second+500*time.Millisecond || got.Inner.Count != 5 {
		t.Errorf("decoded %+v", got)
	}
}

// TestCodecLosesNothing puts unknown members and spelled-out zeros at every level.
func TestCodecLosesNothing(t *testing.T) {
	doc := `{"name":"","on":false,"inner":{"count":0,"new":{"deep":[1,2.50,"x"]}},"innerList":[{"count":1,"newToo":null}],` +
		`"map":{},"@type":"t","zNew":12345678901234567890}`
	var got outer
	if err := testCodec.Unmarshal([]byte(doc), &got); err != nil {
		t.Fatal(err)
	}
	out, err := testCodec.Marshal(&got)
	if err != nil || string(out) != doc {
		t.Errorf("got  %s, %v\nwant %s", out, err, doc)
	}
	got.Inner.Kept.m.Set("new", nil)
	got.Kept.m.Set("zNew", json.RawMessage(`[]`))
	out, _ = testCodec.Marshal(got) // as a value, too
	if bytes.Contains(out, []byte("deep")) || !bytes.Contains(out, []byte(`"zNew":[]`)) {
		t.Errorf("after Set: %s", out)
	}
	if names := got.Kept.m.Names(); !slices.Equal(names, []string{"@type", "zNew"}) {
		t.Errorf("Names = %q", names)
	}
}

func TestCodecNamesThePlace(t *testing.T) {
	for doc, want := range map[string]string{
		`{"inner_list":[{},{"count":"many"}]}`: `inner_list[1].count: want an integer, got "many"`,
		`{"map":{"PriorityWeightAge":1000}}`:   `map.PriorityWeightAge: want the string "1000", in quotes, got a number`,
		`{"innerList":[null]}`:                 `inner_list[0]: want an element, got null`,
		`{"node_size_gb":1,"nodeSizeGb":1}`:    `node_size_gb: want one value, got two, perhaps in two spellings`,
		`{"span":"1h"}`:                        `span: want a duration in seconds such as "3.5s", got "1h"`,
		`{"map":{"a":null}}`:                   `map.a: want a string, got null`,
		`{"span":604800}`:                      `span: want a duration in seconds such as "3.5s", got 604800`,
		`{"at":{"seconds":5}}`:                 `at: want a timestamp such as 2026-11-30T12:00:00Z, got an object`,
		`{"at":"yesterday"}`:                   `at: want a timestamp such as 2026-11-30T12:00:00Z, got "yesterday"`,
		`{"inner":[]}`:                         `inner: want an object, got a list`,
		`{"names":"a"}`:                        `names: want a list, got "a"`,
		`[]`:                                   `want an object, got a list`,
		`{"inner":{}`:                          `JSON cut short after 11 bytes`,
	} {
		var got outer
		if err := testCodec.Unmarshal([]byte(doc), &got); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", doc, err, want)
		}
	}
	_, err := testCodec.Marshal(&outer{List: []*inner{nil}})
	if err == nil || err.Error() != "inner_list[0]: want an element, got nil" {
		t.Errorf("nil element: %v", err)
	}
	var clash outer
	clash.Kept.m.Set("name", json.RawMessage(`1`))
	if _, err := testCodec.Marshal(&clash); err == nil || !strings.Contains(err.Error(), `"name" has a field of its own`) {
		t.Errorf("unknown member with a field's name: %v", err)
	}
}

// TestGuessesCostNothing: a field whose form is a guess keeps what does not fit it, and the document decodes.
func TestGuessesCostNothing(t *testing.T) {
	for _, doc := range []string{`{"rumorTime":{"seconds":5}}`, `{"rumorTime":"yesterday"}`, `{"rumorTime":7}`} {
		var got outer
		if err := testCodec.Unmarshal([]byte(doc), &got); err != nil || !got.Rumor.IsZero() {
			t.Errorf("%s: %v, %v", doc, got.Rumor, err)
		}
		if out, err := testCodec.Marshal(&got); err != nil || string(out) != doc {
			t.Errorf("%s went back as %s, %v", doc, out, err)
		}
		// What a caller sets instead is not to be sent beside it.
		got.Rumor = time.Unix(0, 0)
		if out, err := testCodec.Marshal(&got); err == nil {
			t.Errorf("%s, then set: %s", doc, out)
		}
	}
}

// TestDecodeIntoUsedStruct: what the document has replaces what was there, and null resets it.
func TestDecodeIntoUsedStruct(t *testing.T) {
	used := func() *outer {
		v := &outer{Name: "n", On: true, Span: 1, Inner: &inner{Text: "x", Count: 3}, Names: []string{"a"}, Map: map[string]string{"k": "v"}}
		v.Kept.m.Set("new", json.RawMessage(`1`))
		return v
	}
	for doc, want := range map[string]string{
		`{}`: `{"name":"n","on":true,"span":"0.000000001s","inner":{"theText":"x","count":3},"names":["a"],"map":{"k":"v"},"new":1}`,
		`{"name":null,"on":null,"span":null,"inner":null,"names":null,"map":null}`: `{"new":1}`,
		`{"inner":{"count":4},"names":[],"map":{"l":"w"},"new":2,"on":false}`:      `{"name":"n","on":false,"span":"0.000000001s","inner":{"count":4},"names":[],"map":{"l":"w"},"new":2}`,
	} {
		v := used()
		if err := testCodec.Unmarshal([]byte(doc), v); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
		if out, err := testCodec.Marshal(v); err != nil || string(out) != want {
			t.Errorf("%s: %s, %v\nwant %s", doc, out, err, want)
		}
	}
}

func TestSameValue(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ], "a" : 1 } `, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`9007199254740993`, `9007199254740992`, false}, // one number as float64
		{`"a"`, `"\u0061"`, true},
		{`{"a":`, `{"a":`, false},
	} {
		if got := SameValue([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("SameValue(%s, %s) = %t", tt.a, tt.b, got)
		}
	}
}

func TestCodecRefusesBrokenUnknownMember(t *testing.T) {
	var v outer
	v.Kept.m.Set("broken", json.RawMessage(`{"a":`))
	if _, err := testCodec.Marshal(&v); err == nil || !strings.Contains(err.Error(), `"broken": JSON cut short`) {
		t.Errorf("%v", err)
	}
}

func TestCopyPath(t *testing.T) {
	src := &outer{Names: []string{}, Inner: &inner{Text: "x", Count: 3}, Map: map[string]string{"a": "b"}}
	src.Inner.Kept.m.Set("newThing", json.RawMessage(`{"x":1}`))
	dst := new(outer)
	for _, tt := range []struct {
		path string
		want Presence
		ok   bool
	}{
		{"names", Empty, true}, {"map", Filled, true}, {"inner.the_text", Filled, true}, {"name", Absent, true},
		{"inner.new_thing", Filled, true}, {"nothing", Absent, true}, {"names.x", Absent, false}, {"nothing.x", Absent, false},
	} {
		if got, ok := testCodec.CopyPath(dst, src, tt.path); got != tt.want || ok != tt.ok {
			t.Errorf("CopyPath(%s) = %v, %v; want %v, %v", tt.path, got, ok, tt.want, tt.ok)
		}
	}
	out, _ := testCodec.Marshal(dst)
	if want := `{"inner":{"theText":"x","newThing":{"x":1}},"names":[],"map":{"a":"b"}}`; string(out) != want {
		t.Errorf("copied %s, want %s", out, want)
	}
}

func TestNames(t *testing.T) {
	for camel, snake := range map[string]string{"bootDiskSizeGb": "boot_disk_size_gb", "enablePublicIps": "enable_public_ips", "id": "id"} {
		if Snake(camel) != snake || Camel(snake) != camel {
			t.Errorf("Snake(%s) = %s, Camel(%s) = %s", camel, Snake(camel), snake, Camel(snake))
		}
	}
}

// FuzzCodec decodes any document and asks that what was decoded encodes to the same meaning.
func FuzzCodec(f *testing.F) {
	f.Add([]byte(`{"name":"n","color":7,"node_size_gb":"120","inner":{"the_text":"a","x":[{}]},"inner_list":[{}],"y":1}`))
	f.Add([]byte(`{"on":false,"span":"1.5s","at":"2026-10-05T08:09:00.5Z","map":{"a":"b"},"names":["\u0000"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second outer
		if testCodec.Unmarshal(data, &first) != nil {
			return
		}
		out, err := testCodec.Marshal(&first)
		if err != nil {
			t.Fatalf("%q decodes and does not encode: %v", data, err)
		}
		if err := testCodec.Unmarshal(out, &second); err != nil {
			t.Fatalf("%q encodes to %q, which does not decode: %v", data, out, err)
		}
		again, err := testCodec.Marshal(&second)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("%q encodes to %q and then to %q, %v", data, out, again, err)
		}
		var copied outer
		if err := testCodec.Clone(&copied, &first); err != nil || !testCodec.Identical(&copied, &first) || testCodec.Diff(&copied, &second, byText) != nil {
			t.Fatalf("%q: the copy %+v, %v, is not %+v or not %+v", data, copied, err, first, second)
		}
	})
}

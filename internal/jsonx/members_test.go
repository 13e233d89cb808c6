package jsonx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCopiesOfMembersAreApart: structs are copied by value, and what is set in one is not to show in the other.
func TestCopiesOfMembersAreApart(t *testing.T) {
	var first Members
	for _, name := range []string{"b", "d", "a"} {
		first.Set(name, json.RawMessage(`1`))
	}
	second := first
	second.Set("b", json.RawMessage(`2`))
	second.Set("c", json.RawMessage(`2`))
	second.Set("d", nil)
	second.Set("nothing", nil)
	first.Set("e", json.RawMessage(`1`))
	if got, want := listed(&first), "a=1 b=1 d=1 e=1"; got != want {
		t.Errorf("the first is %s, want %s", got, want)
	}
	if got, want := listed(&second), "a=1 b=2 c=2"; got != want {
		t.Errorf("its copy is %s, want %s", got, want)
	}
	first.Get("a")[0] = '9'
	if got := string(first.Get("a")); got != "1" {
		t.Errorf("what Get returned was changed, and the member became %s", got)
	}
	if first.Get("nothing") != nil || first.Equal(&second) {
		t.Error("found what is not there")
	}
}

func listed(m *Members) string {
	var parts []string
	for _, name := range m.Names() {
		parts = append(parts, name+"="+string(m.Get(name)))
	}
	return strings.Join(parts, " ")
}

// TestDecodedMembersComeInOrder, of those with one name the last, also beside those that were there.
func TestDecodedMembersComeInOrder(t *testing.T) {
	const n = 100
	var doc []string
	for i := range n {
		doc = append(doc, fmt.Sprintf(`"m%02d":0`, n-1-i))
	}
	var v outer
	v.Kept.m.Set("m07", json.RawMessage(`"old"`))
	v.Kept.m.Set("a", json.RawMessage(`"old"`))
	before := v
	if err := testCodec.Unmarshal([]byte("{"+strings.Join(doc, ",")+`,"m07":1,"m07":2}`), &v); err != nil {
		t.Fatal(err)
	}
	names := v.Kept.m.Names()
	if len(names) != n+1 || names[0] != "a" || names[1] != "m00" || names[n] != "m99" || string(v.Kept.m.Get("m07")) != "2" {
		t.Errorf("got %q, m07 is %s", names, v.Kept.m.Get("m07"))
	}
	if got, want := listed(&before.Kept.m), `a="old" m07="old"`; got != want {
		t.Errorf("a copy from before became %s, want %s", got, want)
	}
}

// TestNothingOfTheDocumentIsKept: whoever read it may use its memory again.
func TestNothingOfTheDocumentIsKept(t *testing.T) {
	doc := []byte(`{"name":"n","color":"RED","names":["a","b"],"map":{"k":"v"},"rumorTime":[7],"inner":{"theText":"x","new":{"y":"z"}},"q":"r"}`)
	want := string(doc)
	var v outer
	if err := testCodec.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	for i := range doc {
		doc[i] = '!'
	}
	for key := range v.Map {
		if key != "k" {
			t.Errorf("a key became %q", key)
		}
	}
	got, err := testCodec.Marshal(&v)
	if err != nil || !SameValue(got, []byte(want)) {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

package jsonx

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

const cloned = `{"name":"n","color":7,"on":false,"at":"2026-10-05T08:09:00.500Z","inner":{"count":0,"new":[1]},"innerList":[{"theText":"a"},` +
	`{"theText":"b","count":2}],"names":[],"map":{"k":"v"},"rumorTime":7,"z":1}`

func TestClone(t *testing.T) {
	v := decoded(t, cloned)
	v.Inner.Text, v.Names, v.Map["bad\xff"] = "bad\xfftext", []string{"bad\xff"}, "x"
	v.At = v.At.In(time.FixedZone("here", 3600))
	doc, err := testCodec.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, want := new(outer), decoded(t, string(doc))
	if err := testCodec.Clone(got, v); err != nil || !reflect.DeepEqual(got, want) || !testCodec.Identical(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	v, got = got, new(outer)
	doc, _ = testCodec.Marshal(v)
	_ = testCodec.Clone(got, v)
	got.Names[0], got.Map["k"], got.Inner.Count, got.List[0].Count = "changed", "changed", 9, 9
	got.Inner.Kept.m.Set("new", nil)
	if after, _ := testCodec.Marshal(v); string(after) != string(doc) {
		t.Errorf("a change of the copy changed it to %s", after)
	}
}

// TestCloneReadsWhatWasSet: what a caller sets is not what decoding would have left of it, up to members that a field
// takes after all.
func TestCloneReadsWhatWasSet(t *testing.T) {
	for _, set := range []struct{ name, raw string }{
		{"new", " 1\n"}, {"new", "{\"a\": 1}"}, {"bad\xff", "1"}, {"new", `"bad` + "\xff" + `"`},
		{"rumorTime", "7"}, {"rumor_time", "7"}, {"rumorTime", "null"}, {"rumor_time", `"2026-10-05T08:09:00Z"`}, {"rumorTime", `"0001-01-01T00:00:00Z"`},
	} {
		v := decoded(t, strings.Replace(cloned, `"rumorTime":7,`, "", 1))
		for _, m := range []*Members{&v.Kept.m, &v.Inner.Kept.m, &v.List[1].Kept.m} {
			m.Set(set.name, json.RawMessage(set.raw))
		}
		v.Kept.m.Set("bad\ufffd", json.RawMessage("2"))
		checkCloned(t, v)
	}
}

// TestCloneOfNoTime: the first instant of all is written as such where it has a zone.
func TestCloneOfNoTime(t *testing.T) {
	v := decoded(t, cloned)
	v.At = time.Time{}.In(time.FixedZone("here", 3600))
	checkCloned(t, v)
}

// checkCloned holds Clone and CloneBeside to what they stand for.
func checkCloned(t *testing.T, v *outer) {
	t.Helper()
	doc, err := testCodec.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	want := decoded(t, string(doc))
	for _, other := range []any{nil, decoded(t, cloned)} {
		got := new(outer)
		if err := testCodec.CloneBeside(got, v, other); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("of %s: got %+v, %v\nwant %+v", doc, got, err, want)
		}
	}
}

// TestCloneFailsAsMarshalDoes: both check.
func TestCloneFailsAsMarshalDoes(t *testing.T) {
	broken, clash := decoded(t, cloned), decoded(t, cloned)
	broken.Inner.Kept.m.Set("q", json.RawMessage(`{"a":`))
	clash.List[1].Kept.m.Set("count", json.RawMessage(`1`))
	guessed := decoded(t, cloned)
	guessed.Rumor = time.Unix(0, 0)
	for _, v := range []*outer{{List: []*inner{{}, nil}}, broken, clash, guessed} {
		_, want := testCodec.Marshal(v)
		for _, err := range []error{testCodec.Clone(new(outer), v), testCodec.CloneBeside(new(outer), v, decoded(t, cloned)), testCodec.Check(v)} {
			if want == nil || err == nil || err.Error() != want.Error() {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
}

func TestCloneBeside(t *testing.T) {
	other, v, got := decoded(t, cloned), decoded(t, cloned), new(outer)
	v.List[1].Count++
	v.List = append(v.List, &inner{Text: "c"})
	if err := testCodec.CloneBeside(got, v, other); err != nil || !testCodec.Identical(got, v) {
		t.Errorf("got %+v, %v, want %+v", got, err, v)
	}
	if got.List[0] != other.List[0] || got.List[1] == other.List[1] || got.List[1] == v.List[1] || got.List[2] == v.List[2] || got.Inner == v.Inner {
		t.Error("want what is the same shared with the other, and the rest copied")
	}
}

func TestIdentical(t *testing.T) {
	for _, change := range []struct{ old, new string }{
		{`"n"`, `"N"`}, {`:7,"on"`, `:8,"on"`}, {`"on":false,`, ``}, {`"on":false`, `"on":true`}, {`.500Z`, `.501Z`}, {`"count":0,`, ``},
		{`[1]`, `[1 ]`}, {`"count":2`, `"count":3`}, {`"names":[],`, ``}, {`"names":[]`, `"names":["x"]`}, {`"v"`, `"w"`}, {`"map":{"k":"v"}`, `"map":{}`},
		{`"z":1`, `"y":1`}, {`"z":1`, `"z":2`}, {`,"z":1`, ``}, {`"inner":{"count":0,"new":[1]},`, ``}, {`{"theText":"a"},`, ``},
	} {
		changed := strings.Replace(cloned, change.old, change.new, 1)
		a, b := decoded(t, cloned), decoded(t, changed)
		if changed == cloned || testCodec.Identical(a, b) || testCodec.Identical(b, a) || !testCodec.Identical(b, decoded(t, changed)) {
			t.Errorf("%s in place of %s", change.new, change.old)
		}
	}
	if testCodec.Identical(&outer{List: []*inner{nil}}, &outer{List: []*inner{{}}}) || !testCodec.Identical(&outer{List: []*inner{nil}}, &outer{List: []*inner{nil}}) {
		t.Error("nil elements")
	}
}

// TestCopyPathLeavesOthersAlone: the messages on the way may have other owners, who keep theirs as they are.
func TestCopyPathLeavesOthersAlone(t *testing.T) {
	owner := decoded(t, `{"inner":{"theText":"x","count":1,"a":1}}`)
	dst := *owner
	for _, path := range []string{"inner.count", "inner.b"} {
		if _, ok := testCodec.CopyPath(&dst, decoded(t, `{"inner":{"count":2,"b":2}}`), path); !ok {
			t.Fatal(path)
		}
	}
	was, _ := testCodec.Marshal(owner)
	is, _ := testCodec.Marshal(&dst)
	if string(was) != `{"inner":{"theText":"x","count":1,"a":1}}` || string(is) != `{"inner":{"theText":"x","count":2,"a":1,"b":2}}` {
		t.Errorf("the owner has %s, the copy %s", was, is)
	}
}

package jsonx

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{`{}`, "<nil>"},
		{" { } ", "<nil>"},
		{`{"a":1} x`, "not JSON at byte 9: invalid character 'x' after top-level value"},
		{`{"a":1`, "JSON cut short after 6 bytes"},
		{`[1]`, "want an object, got a list"},
		{`null`, "want an object, got null"},
		{`nil`, "not JSON at byte 2: invalid character 'i' in literal null (expecting 'u')"},
		{` `, "empty body where JSON was expected"},
	} {
		var o Object
		err := o.Parse([]byte(tt.data))
		if err != nil && o.Raw == nil && o.Len() > 0 {
			t.Errorf("%s: %d members of nothing", tt.data, o.Len())
		}
		if err == nil && tt.want != "<nil>" || err != nil && err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.data, err, tt.want)
		}
	}
}

// TestObjectMember: as in encoding/json the last of two counts, and an escaped name is the same name.
func TestObjectMember(t *testing.T) {
	var o Object
	if err := o.Parse([]byte(`{"a":1,"b":2,"\u0061":3,"c\/d":4}`)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "3", "b": "2", "c/d": "4", "d": ""} {
		if got := string(o.Member(name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// follows checks what an Object says about the members of the one before, unless those are nil, and returns its own: the
// names and values one after the other.
func follows(t *testing.T, o *Object, before []string) (members []string) {
	t.Helper()
	members = []string{}
	for n := range o.Len() {
		members = append(members, string(o.Quoted(n)), string(o.Value(n)))
	}
	if !o.Aligned() || before == nil {
		return members
	}
	if len(before) != len(members) {
		t.Fatalf("%.200q is aligned with %.200q", members, before)
	}
	for n := range o.Len() {
		if before[2*n] != members[2*n] || !slices.Contains(o.Changed(), n) && before[2*n+1] != members[2*n+1] {
			t.Fatalf("member %d of %.200q is aligned with %.200q, and %v have changed", n, members, before, o.Changed())
		}
	}
	return members
}

// TestObjectFollows: whichever object comes after another, what is said to be the same is, also where the one before was
// too large to be remembered, or was none.
func TestObjectFollows(t *testing.T) {
	large := func(n int) string { return `{"a":1,"b":"` + strings.Repeat("x", n-len(`{"a":1,"b":""}`)) + `"}` }
	objects := []string{
		`{}`, `{ }`, `{"a":1}`, `{"a":12}`, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"a":1,"a":1}`, `{"a": 1}`, `{"\u0061":1}`, `{"a":{},"b":{}}`,
		large(mostBefore - 1), large(mostBefore), large(mostBefore + 1), `{"a":1,"b":2`, `{"a":1,"b":2}}`, `5`,
	}
	for _, repeats := range []bool{true, false} {
		for _, first := range objects {
			for _, second := range objects {
				o := Object{Repeats: repeats}
				var before []string
				for _, text := range []string{first, second, first, first, second} {
					serial := o.Serial()
					if o.Parse([]byte(text)) == nil {
						before = follows(t, &o, before)
					} else if o.Serial() != serial {
						before = nil // an object and more: nobody has seen it
					}
				}
			}
		}
	}
}

// FuzzObject: whatever objects came before, an object is taken apart as encoding/json does it, and is refused if that
// refuses it. What an Object held is forgotten, also when it lay where the next one lies.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[1,2]}`), []byte(`{"a":12,"b":[1,2]}`), []byte(`{"a":1,"b":[1,2]}`))
	f.Add([]byte(`{"a":{"b":"\"}"}, "c":1}`), []byte(`{"a":{"b":"\"}"}, "c":1`), []byte(`{"a":{"b":"\"}"}, "c":1 }`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte(`{"a":1}`), []byte(`{"a":1 ,"a":2,"b":3}`))
	f.Fuzz(func(t *testing.T, first, second, third []byte) {
		o := Object{Repeats: true}
		buf := make([]byte, max(len(first), len(second), len(third)))
		var before []string
		for _, data := range [][]byte{first, second, third, second, first} {
			n, serial := copy(buf, data), o.Serial()
			var want map[string]json.RawMessage
			isObject := json.Unmarshal(data, &want) == nil && want != nil
			err := o.Parse(buf[:n])
			if (err == nil) != isObject {
				t.Fatalf("%q after %q: %v, object is %v", data, o.before.raw, err, isObject)
			}
			if err == nil && !bytes.Equal(o.Raw, bytes.TrimSpace(data)) {
				t.Fatalf("%q: Raw is %q", data, o.Raw)
			}
			if err == nil {
				before = follows(t, &o, before)
			} else if o.Serial() != serial {
				before = nil // an object and more
			}
			for name, value := range want {
				if got := o.Member(name); isObject && ascii(name) && !bytes.Equal(got, value) {
					t.Fatalf("%q after %q: member %q is %q, want %q", data, o.before.raw, name, got, value)
				}
			}
		}
	})
}

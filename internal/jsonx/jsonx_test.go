package jsonx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestScalars(t *testing.T) {
	for _, tt := range []struct {
		json string
		want int64
	}{
		{`5`, 5}, {`"5"`, 5}, {`5.0`, 5}, {`1.76e+09`, 1760000000}, {`"1760000000"`, 1760000000}, {`null`, 0},
		{`4294967294`, 4294967294}, {`-2`, -2}, {` 7 `, 7},
		{`9223372036854775807`, math.MaxInt64}, {`"9007199254740993"`, 9007199254740993}, // beyond float64
		{`9007199254740993.0`, 9007199254740993}, {`9.007199254740993e15`, 9007199254740993},
		{`7000000000000011.0`, 7000000000000011}, {`-7000000000000011.0`, -7000000000000011}, {`1000000000000000.0000000000000`, 1000000000000000},
		{`0.0`, 0}, {`-0.0e5`, 0}, {`0e-400`, 0}, {`0E999999999`, 0}, {`0.00000000000000000000000000000001e32`, 1},
		{`-9223372036854775808.0`, math.MinInt64}, {`9223372036854775807.0`, math.MaxInt64},
	} {
		if got, err := Int([]byte(tt.json)); err != nil || got != tt.want {
			t.Errorf("Int(%s) = %d, %v; want %d", tt.json, got, err, tt.want)
		}
	}
	for _, bad := range []string{`1.5`, `"soon"`, `""`, `true`, `[]`, `{}`, `9223372036854775808`, `1e30`, `9007199254740993.5`, `"0x10"`, `"1_000"`, `"Infinity"`,
		`7000000000000011.6`, `-7000000000000011.6`, `4503599627370497.5`, `1.0000000000000000000001`, `99999.99999999999999999999`, `1e-400`, `"1e-400"`, `-1E-999999999`,
		`9223372036854775807.5`, `9223372036854775808.0`, `-9223372036854775808.5`,
		"9007199254740993." + strings.Repeat("0", 4<<20)} {
		if got, err := Int([]byte(bad)); err == nil {
			t.Errorf("Int(%s) = %d; want an error", bad, got)
		}
	}
	for text, want := range map[string]float64{`1.5`: 1.5, `"Infinity"`: math.Inf(1), `"-Infinity"`: math.Inf(-1), `null`: 0, `"2"`: 2} {
		if got, err := Float([]byte(text)); err != nil || got != want {
			t.Errorf("Float(%s) = %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := Float([]byte(`"NaN"`)); err != nil || !math.IsNaN(got) {
		t.Errorf(`Float("NaN") = %v, %v`, got, err)
	}
	for text, want := range map[string]bool{`true`: true, `"true"`: true, `1`: true, `false`: false, `"false"`: false, `0`: false, `null`: false} {
		if got, err := Bool([]byte(text)); err != nil || got != want {
			t.Errorf("Bool(%s) = %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := Bool([]byte(`"yes"`)); err == nil {
		t.Errorf(`Bool("yes") = %v; want an error`, got)
	}
	if got, err := Str([]byte(`"a\"b\\c\u00e9\n"`)); err != nil || got != "a\"b\\cé\n" {
		t.Errorf("Str = %q, %v", got, err)
	}
	if _, err := Str([]byte(`5`)); err == nil || err.Error() != "want a string, got 5" {
		t.Errorf("Str(5): %v", err)
	}
	if got := Text([]byte(` {"a":1} `)); got != `{"a":1}` {
		t.Errorf("Text = %q", got)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	_, err := Int([]byte(`"soon"`))
	err = At("jobs", At("[3]", At("priority", At("number", err))))
	if want := `jobs[3].priority.number: want an integer, got "soon"`; err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	for text, want := range map[string]string{
		``:           "empty body",
		`{"a":`:      "JSON cut short after 5 bytes",
		`{"a":1} x`:  "not JSON at byte 9",
		`<html>`:     "not JSON at byte 1",
		`{"a":NaN}`:  "not JSON at byte 6",
		"{\"a\":1,}": "not JSON at byte 8",
	} {
		if err := Valid([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Valid(%s): %v; want %q", text, err, want)
		}
	}
}

func TestMember(t *testing.T) {
	doc := []byte(` { "a" : 1 , "b\u0063":[1,{"x":"]}"}], "a":{"q":"\\"} } `)
	if got := string(Member(doc, "a")); got != `{"q":"\\"}` { // the last one, as encoding/json has it
		t.Errorf("a = %s", got)
	}
	if got := string(Member(doc, "bc")); got != `[1,{"x":"]}"}]` {
		t.Errorf("bc = %s", got)
	}
	if got := Member([]byte(`[1]`), "a"); got != nil {
		t.Errorf("member of a list: %s", got)
	}
}

func TestEachElementWantsAList(t *testing.T) {
	err := EachElement([]byte(`{"a":1}`), func(int, []byte) error { return nil })
	if err == nil || err.Error() != "want a list, got an object" {
		t.Errorf("%v", err)
	}
	if err := EachElement([]byte(`null`), func(int, []byte) error { return fmt.Errorf("called") }); err != nil {
		t.Errorf("null is no empty list: %v", err)
	}
}

// FuzzScan holds the scanner to encoding/json: same members with the same values, in the same nesting. Numbers are integers
// exactly if they are, of 64 bits, however they are written.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":[1,2,{"b":null}],"c":"\"}"}`, `[[],{},"",0,-1.5e3,true]`, `{"a\\":"\\\\\""}`, ` {"a" :1} `,
		`[7000000000000011.6,9007199254740993.0,1.76e+09,5.0,-9223372036854775808.0,9223372036854775807.0,9223372036854775808,1e18,12e-1,120e-1,0e0]`} {
		f.Add([]byte(seed))
	}
	for _, seed := range hostile {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if (Valid(data) == nil) != json.Valid(data) {
			t.Fatalf("Valid disagrees with encoding/json on %q", data)
		}
		walk(data)
		if json.Valid(data) {
			compare(t, data, 100)
		}
	})
}

var plainNumber = regexp.MustCompile(`^-?[0-9.]{1,40}([eE][+-]?[0-9]{1,2})?$`)

// compare goes down that many levels: encoding/json reads all below once more on each.
func compare(t *testing.T, data []byte, levels int) {
	if levels == 0 {
		return
	}
	switch KindOf(data) {
	case KindObject:
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil {
			return
		}
		got := map[string][]byte{}
		if err := EachMember(data, func(name, value []byte) error { got[string(name)] = value; return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%q: members %q, want %q", data, got, want)
		}
		for name, value := range want {
			if string(got[name]) != string(value) {
				t.Fatalf("%q: member %q = %q, want %q", data, name, got[name], value)
			}
			compare(t, value, levels-1)
		}
	case KindArray:
		var want []json.RawMessage
		if json.Unmarshal(data, &want) != nil {
			return
		}
		n := 0
		err := EachElement(data, func(i int, value []byte) error {
			if i != n || i >= len(want) || string(value) != string(want[i]) {
				t.Fatalf("%q: element %d = %q", data, i, value)
			}
			n++
			compare(t, value, levels-1)
			return nil
		})
		if err != nil || n != len(want) {
			t.Fatalf("%q: %d elements, %v; want %d", data, n, err, len(want))
		}
	case KindNumber:
		text := string(bytes.TrimSpace(data))
		if !plainNumber.MatchString(text) {
			return // it may take very long
		}
		want, _ := new(big.Rat).SetString(text)
		got, err := Int(data)
		if whole := want.IsInt() && want.Num().IsInt64(); whole != (err == nil) || whole && got != want.Num().Int64() {
			t.Fatalf("Int(%q) = %d, %v", data, got, err)
		}
	case KindString:
		var want string
		if got, err := Str(data); json.Unmarshal(data, &want) == nil && (err != nil || got != want) {
			t.Fatalf("Str(%q) = %q, %v; want %q", data, got, err, want)
		}
	}
}

func BenchmarkEachMember(b *testing.B) {
	doc := []byte(`{"a":` + strings.Repeat(`{"set":true,"infinite":false,"number":12345},"b":`, 128) + `1}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		_ = EachMember(doc, func(_, _ []byte) error { return nil })
	}
}

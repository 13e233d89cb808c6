package jsonx

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// hostile are texts at the limits of JSON: seeds of FuzzScan, which go test runs too.
var hostile = []string{
	"", " ", "null", "nul", "nulll", "true", "tru", "false", "-", "-1", "01", "1.", "1.5", "1e", "1e+", "1e+5", "-0", "00", "0", "1 2",
	`"`, `"a`, `"a"`, `"a\`, `"\u12"`, `"\u12fg"`, `"\uD800"`, `"\x"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"abcdefgh\n\"", `"abcdefghi\"`,
	"{", "}", "{}", "{ }", "{,}", `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1}`, `{"a":1,}`, `{"a" : 1 , "b":2 }`, `{a:1}`, `{"a":1 "b"}`, `{"a":1}}`, `{"a":01}`,
	"[", "]", "[]", "[ ]", "[,]", "[1", "[1,", "[1]", "[1,]", "[1 2]", "[1]]", "[[[]]]", "[[[]]", "[1}", `{"a":[1}`, "\v1", "\ufeff1", "1\n\t\r ", "+1", ".5", "Infinity", "NaN", "1.0E-3", "-a", "[-]", "[1.]", "[1e]", "[tru]", "[nul",
	strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
}

// wrapped are numbers as Slurm writes them, which have a way of their own through the scanner.
var wrapped = []string{
	`{"set":true,"infinite":false,"number":5}`, `{"set":false,"infinite":false,"number":0}`,
	`[{"set":true,"infinite":false,"number":-1.5e3},{"set":false,"infinite":true,"number":0,"x":[{}]}]`,
}

// TestOneByteMore: a document with one more byte anywhere is one for the scanner if it is one for encoding/json, white
// space above all. So is a document that ends anywhere.
func TestOneByteMore(t *testing.T) {
	for _, doc := range slices.Concat(documents, wrapped) {
		for i := range len(doc) + 1 {
			texts := []string{doc[:i]}
			for _, more := range []string{" ", "\n", "\t", "\r", "\v", "\x00", "0", "-", ".", "e", `"`, `\`, ",", ":", "{", "}", "[", "]"} {
				texts = append(texts, doc[:i]+more+doc[i:])
			}
			for _, text := range texts {
				if err := Valid([]byte(text)); (err == nil) != json.Valid([]byte(text)) {
					t.Fatalf("%q: %v", text, err)
				}
				walk([]byte(text))
			}
		}
	}
}

// walk goes through data in each way there is. Those that want valid JSON must end on any other as well.
func walk(data []byte) {
	o := Object{Repeats: true}
	_ = EachMember(data, func(_, value []byte) error { _ = Member(value, "a"); return nil })
	_ = EachElement(data, func(_ int, value []byte) error { _ = Member(value, "a"); return nil })
	_ = EachObject(data, func(int) *Object { return &o }, func(_ int, o *Object, _ []byte) {
		for n := 0; o != nil && n < o.Len(); n++ {
			_ = o.Name(n)
		}
	})
	_, _ = Int(data)
	_, _ = Float(data)
	_, _ = Bool(data)
	_, _ = Str(data)
	_ = Text(data)
}

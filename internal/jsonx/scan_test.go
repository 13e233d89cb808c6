package jsonx

import (
	"encoding/json"
	"strings"
	"testing"
)

var hostile = []string{
	"", " ", "null", "nul", "nulll", "true", "tru", "false", "-", "-1", "01", "1.", "1.5", "1e", "1e+", "1e+5", "-0", "00", "0", "1 2",
	`"`, `"a`, `"a"`, `"a\`, `"\u12"`, `"\u12fg"`, `"\uD800"`, `"\x"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"abcdefgh\n\"", `"abcdefghi\"`,
	"{", "}", "{}", "{ }", "{,}", `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1}`, `{"a":1,}`, `{"a" : 1 , "b":2 }`, `{a:1}`, `{"a":1 "b"}`, `{"a":1}}`, `{"a":01}`,
	"[", "]", "[]", "[ ]", "[,]", "[1", "[1,", "[1]", "[1,]", "[1 2]", "[1]]", "[[[]]]", "[[[]]", "[1}", `{"a":[1}`, "\v1", "\ufeff1", "1\n\t\r ", "+1", ".5", "Infinity", "NaN", "1.0E-3", "-a", "[-]", "[1.]", "[1e]", "[tru]", "[nul",
	strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
}

// FuzzValid: what is valid JSON is for encoding/json to say.
func FuzzValid(f *testing.F) {
	for _, s := range hostile {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := valid(data), json.Valid(data); got != want {
			t.Fatalf("valid is %v, want %v: %.100q", got, want, data)
		}
	})
}

package jsonx

import "strings"

// hostile are texts at the limits of JSON: seeds of FuzzScan, which go test runs too.
var hostile = []string{
	"", " ", "null", "nul", "nulll", "true", "tru", "false", "-", "-1", "01", "1.", "1.5", "1e", "1e+", "1e+5", "-0", "00", "0", "1 2",
	`"`, `"a`, `"a"`, `"a\`, `"\u12"`, `"\u12fg"`, `"\uD800"`, `"\x"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"abcdefgh\n\"", `"abcdefghi\"`,
	"{", "}", "{}", "{ }", "{,}", `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1}`, `{"a":1,}`, `{"a" : 1 , "b":2 }`, `{a:1}`, `{"a":1 "b"}`, `{"a":1}}`, `{"a":01}`,
	"[", "]", "[]", "[ ]", "[,]", "[1", "[1,", "[1]", "[1,]", "[1 2]", "[1]]", "[[[]]]", "[[[]]", "[1}", `{"a":[1}`, "\v1", "\ufeff1", "1\n\t\r ", "+1", ".5", "Infinity", "NaN", "1.0E-3", "-a", "[-]", "[1.]", "[1e]", "[tru]", "[nul",
	strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
}

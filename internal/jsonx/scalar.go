package jsonx

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Int reads an integer in any spelling that such services use: 5, 5.0, 1.76e+09, the same in quotes, and null
// for 0. Fractions and numbers beyond 64 bits are refused rather than rounded.
func Int(value []byte) (int64, error) {
	text := numeral(value)
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, nil
	}
	if KindOf(value) == KindNull {
		return 0, nil
	}
	if n, ok := wholeNumber(string(text)); ok {
		return n, nil
	}
	return 0, wrong("an integer", value)
}

// wholeNumber reads an integer that is written with a point or an exponent. float64 finds its size, and whether it is one
// as well where it has room for all digits; beyond those it would make 7000000000000011.6 an integer, and another
// number of 9007199254740993.0.
func wholeNumber(text string) (n int64, ok bool) {
	const (
		exact = 15      // digits of which float64 loses none
		most  = 1 << 10 // digits: big numbers take their square in time
	)
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !looksNumeric(text) || f != math.Trunc(f) || math.Abs(f) > 1<<63: // that itself may stand for 2^63-1
		return 0, false
	case f == 0: // so is what is too small for float64
		digits, _, _ := strings.Cut(strings.ToLower(text), "e")
		return 0, !strings.ContainsAny(digits, "123456789")
	case len(text) <= exact && math.Abs(f) < 1<<53:
		return int64(f), true
	case len(text) > most:
		return 0, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Float reads a number as [Int] does, fractions included. "Infinity", "-Infinity" and "NaN" are numbers too.
func Float(value []byte) (float64, error) {
	switch text := numeral(value); {
	case KindOf(value) == KindNull:
		return 0, nil
	case string(text) == "Infinity":
		return math.Inf(1), nil
	case string(text) == "-Infinity":
		return math.Inf(-1), nil
	case string(text) == "NaN":
		return math.NaN(), nil
	default:
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil || !looksNumeric(string(text)) {
			return 0, wrong("a number", value)
		}
		return f, nil
	}
}

// Bool reads true, "true", 1 and their opposites; null is false.
func Bool(value []byte) (bool, error) {
	switch string(numeral(value)) {
	case "true", "True", "TRUE", "1":
		return true, nil
	case "false", "False", "FALSE", "0", "null":
		return false, nil
	}
	return false, wrong("true or false", value)
}

// Str reads a string; null is "". Other kinds are refused: see [Text] for a tolerant reading.
func Str(value []byte) (string, error) {
	switch KindOf(value) {
	case KindString:
		return unquoted(trimmed(value)), nil
	case KindNull:
		return "", nil
	}
	return "", wrong("a string", value)
}

// Text returns the text of a string, and any other value as it is written.
func Text(value []byte) string {
	if KindOf(value) == KindString {
		return unquoted(trimmed(value))
	}
	return string(trimmed(value))
}

// numeral returns value without white space and without quotes.
func numeral(value []byte) []byte {
	value = trimmed(value)
	if len(value) >= 2 && value[0] == '"' {
		return unescaped(value)
	}
	return value
}

func trimmed(value []byte) []byte {
	i, end := skipSpace(value, 0), len(value)
	for end > i && skipSpace(value[end-1:end], 0) == 1 {
		end--
	}
	return value[i:end]
}

// looksNumeric keeps out what strconv takes and JSON does not: hexadecimal, underscores, "inf" and "nan".
func looksNumeric(text string) bool {
	for _, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return len(text) > 0
}

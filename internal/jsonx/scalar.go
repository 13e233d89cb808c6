package jsonx

import (
	"math"
	"math/big"
	"strconv"
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
	f, err := strconv.ParseFloat(string(text), 64)
	// The upper bound is exclusive: 2^63 itself is the first float64 that int64 cannot hold.
	if err != nil || !looksNumeric(text) || f != math.Trunc(f) || f < -(1<<63) || f >= 1<<63 {
		return 0, wrong("an integer", value)
	}
	if math.Abs(f) < 1<<53 {
		return int64(f), nil
	}
	const most = 1 << 10 // digits: their number counts twice below
	if len(text) > most {
		return 0, wrong("an integer", value)
	}
	// Beyond that float64 skips integers, and text may name one of those: 9007199254740993.0.
	if exact, ok := new(big.Rat).SetString(string(text)); ok && exact.IsInt() && exact.Num().IsInt64() {
		return exact.Num().Int64(), nil
	}
	return 0, wrong("an integer", value)
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
		if err != nil || !looksNumeric(text) {
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
func looksNumeric(text []byte) bool {
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return len(text) > 0
}

package jsonx

import (
	"encoding/binary"
	"math/bits"
)

// verdict is what scan makes of the value at a place.
type verdict int

const (
	whole verdict = iota // valid, and ends where scan says
	open                 // a number up to the end of the data: valid if nothing follows
	cut                  // valid as far as it goes, and not complete
	bad
)

// maxDepth is that of encoding/json.
const maxDepth = 10000

// scan checks the value that begins at data[i], below depth lists and objects, and returns the index behind it. It takes
// what encoding/json takes: broken UTF-8 is a part of a string, and the rest is as strict as the standard.
func scan(data []byte, i, depth int) (end int, v verdict) {
	if i >= len(data) {
		return i, cut
	}
	switch data[i] {
	case '"':
		return scanString(data, i+1)
	case '{':
		return scanObject(data, i+1, depth+1)
	case '[':
		return scanList(data, i+1, depth+1)
	case 't':
		return scanWord(data, i, "true")
	case 'f':
		return scanWord(data, i, "false")
	case 'n':
		return scanWord(data, i, "null")
	}
	return scanNumber(data, i)
}

// scanObject goes on behind the bracket.
func scanObject(data []byte, i, depth int) (end int, v verdict) {
	if depth > maxDepth {
		return i, bad
	}
	if i = skipSpace(data, i); i < len(data) && data[i] == '}' {
		return i + 1, whole
	}
	for value := usualMembers(data, i); ; value = 0 {
		if value > 0 {
			i = value
		} else if _, i, v = scanKey(data, i); v != whole {
			return i, v
		}
		if i, v = scan(data, i, depth); v != whole {
			return i, inside(v)
		}
		if i = skipSpace(data, i); i >= len(data) {
			return i, cut
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case '}':
			return i + 1, whole
		default:
			return i, bad
		}
	}
}

// usualMembers returns the index of the number's value, if the object begins with how Slurm writes one; otherwise it
// returns 0. A third of each record is such objects.
func usualMembers(data []byte, i int) (value int) {
	const set, unset = `"set":true,"infinite":false,"number":`, `"set":false,"infinite":false,"number":`
	switch {
	case i+len(unset) > len(data):
	case string(data[i:i+len(set)]) == set:
		return skipSpace(data, i+len(set))
	case string(data[i:i+len(unset)]) == unset:
		return skipSpace(data, i+len(unset))
	}
	return 0
}

// scanKey checks a name and the colon behind it, and returns the index behind the name and that of the value.
func scanKey(data []byte, i int) (nameEnd, value int, v verdict) {
	if i >= len(data) {
		return i, i, cut
	}
	if data[i] != '"' {
		return i, i, bad
	}
	if nameEnd, v = scanString(data, i+1); v != whole {
		return nameEnd, nameEnd, v
	}
	if i = skipSpace(data, nameEnd); i >= len(data) {
		return nameEnd, i, cut
	}
	if data[i] != ':' {
		return nameEnd, i, bad
	}
	return nameEnd, skipSpace(data, i+1), whole
}

// scanList goes on behind the bracket.
func scanList(data []byte, i, depth int) (end int, v verdict) {
	if depth > maxDepth {
		return i, bad
	}
	if i = skipSpace(data, i); i < len(data) && data[i] == ']' {
		return i + 1, whole
	}
	for {
		if i, v = scan(data, i, depth); v != whole {
			return i, inside(v)
		}
		if i = skipSpace(data, i); i >= len(data) {
			return i, cut
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case ']':
			return i + 1, whole
		default:
			return i, bad
		}
	}
}

// inside is the verdict on a list or an object for that on its last value: a number cannot end it.
func inside(v verdict) verdict {
	if v == open {
		return cut
	}
	return v
}

// scanString goes on behind the opening quote.
func scanString(data []byte, i int) (end int, v verdict) {
	for {
		if i = skipText(data, i); i >= len(data) {
			return i, cut
		}
		switch data[i] {
		case '"':
			return i + 1, whole
		case '\\':
			if i, v = scanEscape(data, i+1); v != whole {
				return i, v
			}
		default:
			return i, bad
		}
	}
}

// skipText returns the index of the first quote, backslash or control character, or that behind data.
func skipText(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		word := binary.LittleEndian.Uint64(data[i:])
		if marks := firstMark(word); marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for i < len(data) && data[i] != '"' && data[i] != '\\' && data[i] >= ' ' {
		i++
	}
	return i
}

// scanEscape goes on behind the backslash.
func scanEscape(data []byte, i int) (end int, v verdict) {
	switch {
	case i >= len(data):
		return i, cut
	case simple[data[i]] != 0:
		return i + 1, whole
	case data[i] != 'u':
		return i, bad
	}
	for range 4 {
		if i++; i >= len(data) {
			return i, cut
		}
		if !isHex(data[i]) {
			return i, bad
		}
	}
	return i + 1, whole
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func scanWord(data []byte, i int, word string) (end int, v verdict) {
	n := min(len(word), len(data)-i)
	if string(data[i:i+n]) != word[:n] {
		return i, bad
	}
	if n < len(word) {
		return i + n, cut
	}
	return i + n, whole
}

func scanNumber(data []byte, i int) (end int, v verdict) {
	if data[i] == '-' {
		i++
	}
	start := i
	if i = skipDigits(data, i); i == start || data[start] == '0' && i > start+1 {
		return numberCut(data, i, i == start)
	}
	if i < len(data) && data[i] == '.' {
		start = i + 1
		if i = skipDigits(data, start); i == start {
			return numberCut(data, i, true)
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		start = i
		if i = skipDigits(data, i); i == start {
			return numberCut(data, i, true)
		}
	}
	if i == len(data) {
		return i, open
	}
	return i, whole
}

// numberCut is the verdict on a number that lacks digits at data[i], or has too many before it.
func numberCut(data []byte, i int, lacks bool) (end int, v verdict) {
	if lacks && i == len(data) {
		return i, cut
	}
	return i, bad
}

func skipDigits(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	return i
}

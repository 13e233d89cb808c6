package jsonx

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// AppendString quotes s as json.Marshal does, but that it leaves <, > and & alone, which abound in scripts.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0 // of what goes as it is
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if c < utf8.RuneSelf || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1 {
			b = appendEscape(append(b, s[start:i]...), r)
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, r rune) []byte {
	const short, letters = "\"\\\b\f\n\r\t", `"\bfnrt`
	if i := strings.IndexRune(short, r); i >= 0 {
		return append(b, '\\', letters[i])
	}
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// isNumber tells the numbers of enums; with a zero in front digits are no number in JSON.
func isNumber(s string) bool {
	if s == "" || s[0] == '0' {
		return s == "0"
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// appendDuration writes seconds as proto JSON does, with 0, 3, 6 or 9 digits after the point.
func appendDuration(b []byte, d time.Duration) []byte {
	b = append(b, '"')
	if d < 0 {
		b = append(b, '-')
	}
	seconds, nanos := d/time.Second, d%time.Second
	b = strconv.AppendUint(b, abs(int64(seconds)), 10)
	b = appendFraction(b, abs(int64(nanos)))
	return append(b, 's', '"')
}

// appendTime writes RFC 3339 in UTC, with 0, 3, 6 or 9 digits after the point.
func appendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	b = t.AppendFormat(append(b, '"'), time.RFC3339)
	b = appendFraction(b[:len(b)-len("Z")], uint64(t.Nanosecond()))
	return append(b, 'Z', '"')
}

func appendFraction(b []byte, nanos uint64) []byte {
	digits := 9
	switch {
	case nanos == 0:
		return b
	case nanos%1e6 == 0:
		nanos, digits = nanos/1e6, 3
	case nanos%1e3 == 0:
		nanos, digits = nanos/1e3, 6
	}
	b = append(b, ".000000000"[:1+digits]...)
	for i := len(b) - 1; nanos > 0; i-- {
		b[i] += byte(nanos % 10)
		nanos /= 10
	}
	return b
}

func abs(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

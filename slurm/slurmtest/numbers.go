package slurmtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// number reads {set,infinite,number} or a plain number. Without "set" the
// number is dropped without a word; with "set" alone it is 0; a negative one
// is infinite.
func (d *decoder) number(v value, memory bool, source string) (wrapped, bool) {
	switch v.kind {
	case kindNull:
		return unset, true
	case kindObject:
		return d.wrapper(v, source)
	case kindInt, kindFloat:
		x, _ := strconv.ParseFloat(v.text, 64)
		return limitless(int64(math.RoundToEven(x))), true
	case kindString:
		if n, err := strconv.ParseInt(v.text, 10, 64); err == nil {
			return limitless(n), true
		}
		if n, ok := megabytes(v.text); ok && memory {
			return number(n), true
		}
	}
	text := v.text
	if v.kind == kindList {
		text = string(appendValue(nil, v))
	}
	d.fail(codeConvert, fmt.Sprintf("Expected integer but got \"%s\"", text), source)
	return unset, false
}

func (d *decoder) wrapper(v value, source string) (wrapped, bool) {
	if member, ok := v.member("infinite"); ok && member.yes {
		return infinite, true
	}
	set, _ := v.member("set")
	member, hasNumber := v.member("number")
	if !set.yes {
		return unset, true
	}
	if !hasNumber {
		return number(0), true
	}
	n, ok := d.integer(member, wantInt64, source+"number/")
	return limitless(n), ok
}

func limitless(n int64) wrapped {
	if n < 0 {
		return infinite
	}
	return number(n)
}

// megabytes reads "2G" and its like; a bare number is MiB already.
func megabytes(text string) (int64, bool) {
	text = strings.TrimSuffix(strings.ToUpper(text), "B")
	if text == "" {
		return 0, false
	}
	scale := map[byte]float64{'K': 1.0 / 1024, 'M': 1, 'G': 1024, 'T': 1024 * 1024}[text[len(text)-1]]
	if scale == 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(text[:len(text)-1], 64)
	return int64(math.Ceil(n * scale)), err == nil
}

// time reads a point in time. The zero time is "not given".
func (d *decoder) time(v value, source string) (time.Time, bool) {
	switch v.kind {
	case kindNull:
		return time.Time{}, true
	case kindObject:
		w, ok := d.wrapper(v, source)
		if w.infinite || !w.set || w.number == 0 {
			return time.Time{}, ok
		}
		return time.Unix(w.number, 0), ok
	case kindInt, kindFloat:
		x, _ := strconv.ParseFloat(v.text, 64)
		return time.Unix(int64(x), 0), true
	case kindString:
		digits := strings.Trim(v.text, "0123456789") == ""
		if t, ok := parseTime(v.text, d.now); ok && !(digits && d.version != v42) {
			return t, true
		}
	}
	d.fail(codeConvert, fmt.Sprintf("Parsing of %s for timestamp failed", v.text), source)
	return time.Time{}, false
}

// timeUnits are what may stand behind "now+1". Slurm also takes their plurals.
var timeUnits = map[string]time.Duration{
	"": time.Second, "second": time.Second, "minute": time.Minute, "hour": time.Hour,
	"day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// parseTime reads the forms of time that requests and queries share. RFC 3339
// with a zone is none of them.
func parseTime(text string, now time.Time) (time.Time, bool) {
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "now"); ok {
		return relativeTime(rest, now)
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(text, "uts"), 10, 64); err == nil {
		if n == 0 {
			return time.Time{}, true
		}
		return time.Unix(n, 0), true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	return clockTime(text, now)
}

func relativeTime(rest string, now time.Time) (time.Time, bool) {
	if rest == "" {
		return now, true
	}
	digits := strings.TrimLeft(rest[1:], "0123456789")
	n, err := strconv.Atoi(rest[1 : len(rest)-len(digits)])
	unit, ok := timeUnits[strings.TrimSuffix(digits, "s")]
	if err != nil || !ok || rest[0] != '+' && rest[0] != '-' {
		return time.Time{}, false
	}
	d := time.Duration(n) * unit
	if rest[0] == '-' {
		d = -d
	}
	return now.Add(d), true
}

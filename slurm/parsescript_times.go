package slurm

import (
	"errors"
	"strings"
	"time"
)

// instantOf reads a time that is the same on every clock: "now", "now+2hours", "uts1760000000". It reports false for
// others, which are wall clock times.
func instantOf(text string, now time.Time) (at time.Time, ok bool, err error) {
	if digits, isUnix := cutFold(text, "uts"); isUnix {
		seconds, rest, _ := leadingInt(digits)
		if seconds < 1_000_000 || rest != "" {
			return at, true, errors.New("want uts and seconds since 1970, at least 1000000")
		}
		return time.Unix(seconds, 0).UTC(), true, nil
	}
	offset, relative := cutFold(strings.TrimLeft(text, " \t-"), "now")
	if !relative {
		return at, false, nil
	}
	offset = strings.TrimLeft(offset, " \t")
	if offset == "" {
		return now, true, nil
	}
	span, err := offsetOf(offset[1:])
	switch {
	case offset[0] != '+' && offset[0] != '-' || err != nil:
		return at, true, errors.New(`want "now", or with a whole number and a unit "now+2hours"`)
	case offset[0] == '-':
		span = -span
	}
	return now.Add(span), true, nil
}

var timeUnits = []struct {
	name string
	span time.Duration
}{
	{"second", time.Second}, {"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour}, {"week", 7 * 24 * time.Hour},
}

// offsetOf reads "90", which is seconds, "2hours" or "1 day".
func offsetOf(text string) (time.Duration, error) {
	n, unit, ok := leadingInt(text)
	unit = strings.ToLower(strings.TrimSpace(unit))
	span := time.Second
	for _, u := range timeUnits {
		if unit == u.name || unit == u.name+"s" {
			span, unit = u.span, ""
		}
	}
	if !ok || n < 0 || unit != "" || n > int64(maxSpan/span) {
		return 0, errors.New("no offset")
	}
	return time.Duration(n) * span, nil
}

// clockForms are the wall clock times that sbatch takes, but for its words.
var clockForms = []string{
	"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05", "15:04", "15:04:05", "3:04PM", "3:04 PM",
	"0102", "010206", "1/2", "1/2/06", "1.2", "1.2.06", "1/2/06-15:04", "1/2/06-15:04:05", "1/2-15:04",
}

var clockWords = []string{"today", "tomorrow", "midnight", "noon", "elevenses", "fika", "teatime"}

// isClock reports whether text looks like a wall clock time. Slurm itself reads it, and refuses what is none; this
// is for mistakes that are plain to see.
func isClock(text string) bool {
	upper := strings.ToUpper(strings.TrimSpace(text))
	for _, form := range clockForms {
		if _, err := time.Parse(form, upper); err == nil {
			return true
		}
	}
	for _, word := range clockWords {
		upper = strings.ReplaceAll(upper, strings.ToUpper(word), "")
	}
	return upper != strings.ToUpper(strings.TrimSpace(text)) && strings.Trim(upper, "0123456789-:/. T") == ""
}

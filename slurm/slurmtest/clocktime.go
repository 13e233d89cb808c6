package slurmtest

import (
	"strings"
	"time"
)

// clockWords are times and days that have a name.
var clockWords = map[string]string{
	"midnight": "00:00", "noon": "12:00", "elevenses": "11:00", "fika": "15:00", "teatime": "16:00",
}

var (
	dayForms   = []string{"01/02/06", "1/2/06", "01.02.06", "1.2.06", "01/02", "1/2", "01.02", "1.2"}
	clockForms = []string{"15:04:05", "15:04", "3:04:05PM", "3:04PM"}
)

// clockTime reads wall clock times: a time of today or else tomorrow, a day, or
// both in either order.
func clockTime(text string, now time.Time) (time.Time, bool) {
	var day, clock time.Time
	hasDay, hasClock := false, false
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' }) {
		at, isDay, ok := clockPart(strings.ToLower(part), now)
		switch {
		case !ok || isDay && hasDay || !isDay && hasClock:
			return time.Time{}, false
		case isDay:
			day, hasDay = at, true
		default:
			clock, hasClock = at, true
		}
	}
	if !hasDay && !hasClock {
		return time.Time{}, false
	}
	if !hasDay {
		day = startOf(now)
	}
	at := day.Add(clock.Sub(startOf(clock)))
	if !hasDay && !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, true
}

func clockPart(part string, now time.Time) (at time.Time, isDay, ok bool) {
	switch part {
	case "today":
		return startOf(now), true, true
	case "tomorrow":
		return startOf(now).AddDate(0, 0, 1), true, true
	}
	if named, ok := clockWords[part]; ok {
		part = named
	}
	for _, form := range clockForms {
		if t, err := time.ParseInLocation(form, strings.ToUpper(part), now.Location()); err == nil {
			return t, false, true
		}
	}
	for _, form := range dayForms {
		t, err := time.ParseInLocation(form, part, now.Location())
		if err != nil {
			continue
		}
		if t.Year() == 0 { // none was named: the next such day
			if t = t.AddDate(now.Year(), 0, 0); !t.After(now) {
				t = t.AddDate(1, 0, 0)
			}
		}
		return t, true, true
	}
	return time.Time{}, false, false
}

func startOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

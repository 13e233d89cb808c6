package rest

import (
	"math/big"
	"net/http"
	"regexp"
	"testing"
	"time"
)

var plainSeconds = regexp.MustCompile(`^[0-9]+$`)

// FuzzRetryAfter: what is no whole number of seconds and no date of HTTP asks for nothing, and nothing asks for a pause
// before now. More than half a century of seconds is as much as that.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{
		"", "0", "120", "-5", "+5", "soon", "1.5", "99999999999999999999", "2147483648", "2170000000A", " 7", "Mon, 30 Nov 2026 12:01:00 GMT",
		"Monday, 30-Nov-26 12:01:00 GMT", "Mon Nov 30 12:01:00 2026", "Mon, 30 Nov 9999 12:01:00 GMT", "Mon, 30 Nov 2026 12:01:00 CET",
	} {
		f.Add(value)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		got := retryAfter(http.Header{"Retry-After": {value}}, now)
		var want time.Duration
		if plainSeconds.MatchString(value) {
			seconds, _ := new(big.Int).SetString(value, 10)
			want = 1<<31*time.Second - time.Second
			if seconds.Cmp(big.NewInt(1<<31)) < 0 {
				want = time.Duration(seconds.Int64()) * time.Second
			}
		} else if at, err := http.ParseTime(value); err == nil && at.After(now) {
			want = at.Sub(now)
		}
		if got != want {
			t.Errorf("Retry-After %q: %v, want %v", value, got, want)
		}
	})
}

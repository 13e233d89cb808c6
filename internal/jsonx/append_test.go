package jsonx

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// quotedByEncodingJSON is what AppendString is to be equal to.
func quotedByEncodingJSON(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func TestAppendString(t *testing.T) {
	texts := []string{"", "plain", "#!/bin/bash\nset -eu\n\techo \"a\\b\" > <x> && y\n", "a\xffb\xc3", "\xed\xa0\x80", "\u2027\u2028\u2029\u202a", "é😀\ufffd"}
	for r := range rune(0x100) {
		texts = append(texts, string(r), "a"+string([]byte{byte(r)})+"b")
	}
	for _, s := range texts {
		if got, want := string(AppendString(nil, s)), quotedByEncodingJSON(t, s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\u2028\x7f\xff<>&\b\f\n\r\t\x01\"\\é")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(AppendString([]byte("x"), s)), "x"+quotedByEncodingJSON(t, s); got != want {
			t.Fatalf("%q: got %s, want %s", s, got, want)
		}
	})
}

func TestAppendSpansAndInstants(t *testing.T) {
	for nanos, want := range map[int64]string{
		0: `"0s"`, 1: `"0.000000001s"`, -1: `"-0.000000001s"`, 1_500_000_000: `"1.500s"`, 1_000_100_000: `"1.000100s"`, 10_000_000: `"0.010s"`,
		123_456_789: `"0.123456789s"`, -1 << 63: `"-9223372036.854775808s"`,
	} {
		if got := string(appendDuration(nil, time.Duration(nanos))); got != want {
			t.Errorf("%d: got %s, want %s", nanos, got, want)
		}
	}
	for _, want := range []string{"2026-10-05T08:09:00Z", "2026-10-05T08:09:00.010Z", "0001-01-01T00:00:00.000001Z", "9999-12-31T23:59:59.999999999Z"} {
		at, err := time.Parse(time.RFC3339Nano, want)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendTime(nil, at.In(time.FixedZone("here", -3600)))); got != `"`+want+`"` {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

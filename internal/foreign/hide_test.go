package foreign

import (
	"fmt"
	"strings"
	"testing"
)

// TestCleanIsBounded: the longest script and the longest answer to it cost a moment. It took minutes when each secret was
// looked for by itself.
func TestCleanIsBounded(t *testing.T) {
	var script strings.Builder
	for i := 0; script.Len() < 1_000_000; i++ {
		fmt.Fprintf(&script, "echo step %09d\\n", i)
	}
	secrets := JobSecrets([]byte(`{"script":"` + script.String() + `"}`))
	if len(secrets) < 40_000 {
		t.Fatalf("%d secrets", len(secrets))
	}
	const last = "echo step 000000007"
	for name, body := range map[string]string{
		"a text":           `["` + strings.Repeat("x", 1_000_000) + last + `"]`,
		"many texts":       `[` + strings.Repeat(`"x",`, 250_000) + `"` + last + `"]`,
		"many beginnings":  `["` + strings.Repeat("echo step ", 100_000) + last + `"]`,
		"secrets all over": `["` + strings.Repeat(last+" ", 50_000) + `"]`,
		"no JSON":          strings.Repeat("echo step 00000", 70_000) + last,
	} {
		got := string(Clean([]byte(body), secrets))
		if strings.Contains(got, last) || !strings.Contains(got, Hidden) {
			t.Errorf("%s: a line of the script is left, or nothing hidden, in %d bytes", name, len(got))
		}
	}
}

// TestCleanFindsPartsOfSecrets: the longest goes first, in each form.
func TestCleanFindsPartsOfSecrets(t *testing.T) {
	secrets := []string{"12345678", "x12345678y", `a"<b>"`, ""}
	for body, want := range map[string]string{
		"x12345678y 12345678":        "[hidden] [hidden]",
		`a\"<b>\" a"<b>"`:            "[hidden] [hidden]",
		`a\"\u003cb\u003e\" 1234567`: "[hidden] 1234567",
		`{"12345678":"12345678"}`:    `{"[hidden]":"[hidden]"}`,
		`{"a":"a\"\u003cb>\""}`:      `{"a":"[hidden]"}`,
	} {
		if got := string(Clean([]byte(body), secrets)); got != want {
			t.Errorf("%s became %s, want %s", body, got, want)
		}
	}
}

package foreign

import (
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"as it is", 8, "as it is"},
		{" a\n\tb\r\n\r\nc ", 20, "a b c"},
		{"longer than that", 6, "longer…"},
		{"aä", 2, "a…"}, // not half a character
		{"", 5, ""},
		{"\x1b[2J\x00a\x7fb\u0085c\u2028d", 20, "[2J a b c d"}, // a terminal would clear the screen
		{"a\u202eb\xffc", 20, "a\ufffdb\ufffdc"},
	} {
		if got := Line(tt.text, tt.most); got != tt.want {
			t.Errorf("Line(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
	if got := Clause("It failed.\n", 20); got != "It failed" {
		t.Errorf("Clause = %q", got)
	}
}

func TestCheckHeader(t *testing.T) {
	for name, values := range map[string][]string{
		"": {"x"}, "A B": nil, "A:": {"x"}, "A\r\nB": {"x"}, "Ä": {"x"}, "A": {"fine", "x\n"}, "B": {"\r"}, "C": {"a\x00b"}, "D": {"\x7f"},
	} {
		err := CheckHeader(map[string][]string{name: values})
		if err == nil || strings.ContainsAny(err.Error(), "\r\n\x00\x7f") {
			t.Errorf("%q %q: %v", name, values, err)
		}
	}
	if err := CheckHeader(map[string][]string{"X-Goog-User-Project": {"p"}, "a_b": {"", "tab\t and ä"}}); err != nil {
		t.Error(err)
	}
}

func TestURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://me:secret@host.example:8080/a/b?key=secret#secret": "https://host.example:8080/a/b",
		"/a?secret":                       "/a",
		"//me:secret@host/a":              "//host/a",
		"https://me:secret@host:port/a?k": "host:port/a",
		"%zz#secret":                      "%zz",
		"":                                "",
	} {
		if got := URL(address); got != want {
			t.Errorf("URL(%q) = %q, want %q", address, got, want)
		}
	}
}

package foreign

import "testing"

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
	} {
		if got := Line(tt.text, tt.most); got != tt.want {
			t.Errorf("Line(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
	if got := Clause("It failed.\n", 20); got != "It failed" {
		t.Errorf("Clause = %q", got)
	}
}

package version

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestHeaders(t *testing.T) {
	if !regexp.MustCompile(`^gl-go/[0-9.a-z-]+ gccl/[0-9.]+$`).MatchString(APIClient()) {
		t.Errorf("x-goog-api-client %q", APIClient())
	}
	for runtime, want := range map[string]string{"go1.26.8": "1.26.8", "devel go1.27-abcdef Mon Nov 30": "1.27-abcdef", "go1.26.8 X:jsonv2": "1.26.8"} {
		if got := goVersion(runtime); got != want {
			t.Errorf("goVersion(%q) = %q, want %q", runtime, got, want)
		}
	}
}

// TestChangelogKnowsTheVersion, or still calls it unreleased.
func TestChangelogKnowsTheVersion(t *testing.T) {
	b, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); !strings.Contains(text, "## Unreleased") && !strings.Contains(text, "## "+SDK) {
		t.Errorf("CHANGELOG.md has neither Unreleased nor %s", SDK)
	}
}

//go:build scripts

package style

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVulnSaysWhatItDid: a database that cannot be reached is said, a finding fails, and so does whatever else goes wrong.
func TestVulnSaysWhatItDid(t *testing.T) {
	for _, tt := range []struct {
		says, exit string
		passes     bool
		checked    bool
	}{
		{"No vulnerabilities found.", "0", true, true},
		{"Vulnerability #1: GO-2026-0001", "3", false, true},
		{"govulncheck: fetching vulnerabilities: Get \"https://vuln.go.dev/index/modules.json.gz\": dial tcp: no such host", "1", true, false},
		{"govulncheck: loading packages: there are errors", "1", false, true},
		{"go: golang.org/x/vuln/cmd/govulncheck@v1.9.0: module lookup disabled", "1", false, true},
		{"", "2", false, true},
	} {
		dir := t.TempDir()
		stub := "#!/bin/sh\ncat <<'END' >&2\n" + tt.says + "\nEND\nexit " + tt.exit + "\n"
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(stub), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("make", "vuln")
		cmd.Dir = root
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if (err == nil) != tt.passes || strings.Contains(string(out), "NOT CHECKED") == tt.checked || !strings.Contains(string(out), tt.says) {
			t.Errorf("%q: %v, %s", tt.says, err, out)
		}
	}
}

//go:build scripts

package style

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCIWithoutRoot: .ci/run does for anybody all that needs no root, and does not pretend that this is everything. The
// tools are stubs that write down how they were called.
func TestCIWithoutRoot(t *testing.T) {
	const realSlurm = "make conformance"
	asRoot, said, err := runCI(t, "0", "")
	if err != nil || !slices.Contains(asRoot, realSlurm) || !strings.HasSuffix(said, "\nall checks passed\n") {
		t.Errorf("root: %v, %q, %s", err, asRoot, said)
	}
	asUser, said, err := runCI(t, "1000", "")
	if want := slices.DeleteFunc(asRoot, func(call string) bool { return call == realSlurm }); err != nil || !slices.Equal(asUser, want) {
		t.Errorf("a user: %v, %q, want %q", err, asUser, want)
	}
	if strings.Contains(said, "all checks passed") || !strings.Contains(said, realSlurm) || !strings.Contains(said, "NOT RUN") {
		t.Errorf("a user is told %s", said)
	}
	for _, id := range []string{"0", "1000"} {
		for _, fails := range asUser {
			if _, said, err := runCI(t, id, fails); err == nil || strings.Contains(said, "passed") {
				t.Errorf("with id %s and a failure of %s: %v, %s", id, fails, err, said)
			}
		}
	}
	if _, said, err := runCI(t, "0", realSlurm); err == nil || strings.Contains(said, "passed") {
		t.Errorf("with a failure of the real Slurm: %v, %s", err, said)
	}
}

// runCI runs the script in a folder of its own as a user with this id, where one call fails.
func runCI(t *testing.T, id, fails string) (calls []string, said string, err error) {
	t.Helper()
	dir := t.TempDir()
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	stub := "#!/bin/sh\ncall=\"$(basename \"$0\") $*\"\necho \"$call\" >>'" + filepath.Join(dir, "calls") + "'\n[ \"$call\" != '" + fails + "' ]\n"
	for path, text := range map[string]string{".ci/run": string(script), "bin/go": stub, "bin/make": stub, "bin/id": "#!/bin/sh\necho " + id + "\n", "internal/bench/go.mod": ""} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(dir, ".ci", "run"))
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	text, readErr := os.ReadFile(filepath.Join(dir, "calls"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), string(out), err
}

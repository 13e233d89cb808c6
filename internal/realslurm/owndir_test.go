//go:build scripts

package realslurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFoldersOfOthersAreNotRun: the default is in /var/tmp, where anybody can make a folder of that name, with programs in it,
// before root runs those.
func TestFoldersOfOthersAreNotRun(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o775, 0o757} {
		for _, command := range []string{"up", "down"} {
			dir := filepath.Join(t.TempDir(), "bed")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, mode); err != nil { // which no mask narrows
				t.Fatal(err)
			}
			cmd := exec.Command("bash", "realslurm.sh", command)
			cmd.Env = append(os.Environ(), "REALSLURM_DIR="+dir)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 4 || !strings.Contains(string(out), "others can write to it") {
				t.Errorf("%s, %v: %v, %s", command, mode, err, out)
			}
			if files, _ := os.ReadDir(dir); len(files) > 0 {
				t.Errorf("%s, %v: there is %v", command, mode, files)
			}
		}
	}
}

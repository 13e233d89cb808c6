//go:build unix

package cluster_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestWriteFileKeepsToTheMask: who wants new files to be private has said so by the mask, and a file that is there keeps its
// mode, at every moment.
func TestWriteFileKeepsToTheMask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := t.TempDir()
	for name, want := range map[string]fs.FileMode{"new.yaml": 0o600, "public.yaml": 0o664, "private.json": 0o600, "open.json": 0o666, "script.json": 0o700} {
		path := filepath.Join(dir, name)
		if name != "new.yaml" {
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, want); err != nil {
				t.Fatal(err)
			}
		}
		if err := cluster.WriteFile(path, &cluster.ModelDevelopmentCluster{}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has the mode %v, want %v; %v", name, info.Mode(), want, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 5 {
		t.Errorf("there is %q", files)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) != 0 {
		t.Errorf("left behind: %q", hidden)
	}
}

// TestWriteFileAndLinksOfOthers: in a folder that all may write to, anybody's link can point at a file of mine.
func TestWriteFileAndLinksOfOthers(t *testing.T) {
	shared, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine.yaml")
	link := filepath.Join(shared, "want.yaml")
	for mode, want := range map[fs.FileMode]string{0o755: "{}\n", 0o777: "mine", 0o777 | fs.ModeSticky: "mine"} {
		if err := errors.Join(os.Chmod(shared, mode), os.WriteFile(mine, []byte("mine"), 0o600), os.RemoveAll(link), os.Symlink(mine, link)); err != nil {
			t.Fatal(err)
		}
		err := cluster.WriteFile(link, &cluster.ModelDevelopmentCluster{})
		text, _ := os.ReadFile(mine)
		if string(text) != want || (err == nil) != (want == "{}\n") {
			t.Errorf("in a folder of mode %v: %v, %q", mode, err, text)
		}
		if err := errors.Join(os.Remove(link), cluster.WriteFile(link, &cluster.ModelDevelopmentCluster{})); err != nil {
			t.Errorf("a plain file in a folder of mode %v: %v", mode, err)
		}
	}
}

// TestWriteFileThroughLinks: each link in a row is one that somebody may have put there, and one that leads to nothing yet
// stays a link.
func TestWriteFileThroughLinks(t *testing.T) {
	home, shared := t.TempDir(), t.TempDir()
	other, first, second := filepath.Join(home, "other.yaml"), filepath.Join(home, "first.yaml"), filepath.Join(shared, "second.yaml")
	if err := errors.Join(os.Chmod(shared, 0o777), os.WriteFile(other, []byte("mine"), 0o600), os.Symlink(second, first), os.Symlink(other, second)); err != nil {
		t.Fatal(err)
	}
	if err := cluster.WriteFile(first, &cluster.ModelDevelopmentCluster{}); err == nil {
		t.Error("a link of mine to a link of anybody was followed")
	}
	if text, err := os.ReadFile(other); string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	dangling := filepath.Join(home, "dangling.yaml")
	if err := os.Symlink("new.yaml", dangling); err != nil {
		t.Fatal(err)
	}
	if err := cluster.WriteFile(dangling, &cluster.ModelDevelopmentCluster{}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(home, "new.yaml")); string(text) != "{}\n" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(dangling); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if err := errors.Join(os.Symlink("b.yaml", filepath.Join(home, "a.yaml")), os.Symlink("a.yaml", filepath.Join(home, "b.yaml"))); err != nil {
		t.Fatal(err)
	}
	if err := cluster.WriteFile(filepath.Join(home, "a.yaml"), &cluster.ModelDevelopmentCluster{}); err == nil {
		t.Error("links in a circle lead somewhere")
	}
}

package slurm_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// runWrapper runs the wrapper of a file as a node would, without any environment.
func runWrapper(t *testing.T, shell, file string, args ...string) (out string, code int) {
	t.Helper()
	script, err := slurm.Wrapper(file, args...)
	if err != nil {
		t.Fatal(err)
	}
	if spec := (slurm.JobSpec{Script: script, WorkingDirectory: "/"}); spec.Validate() != nil {
		t.Errorf("the wrapper is no script for a job: %v", spec.Validate())
	}
	path := filepath.Join(t.TempDir(), "wrapper")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, path, "last")
	cmd.Env = []string{"SLURMD_NODENAME=g1"}
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	err = cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return all.String(), failed.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return all.String(), 0
}

const showArguments = `printf '%s' "$(basename "$0")"; for a; do printf '<%s>' "$a"; done; exit 7` + "\n"

func TestWrapper(t *testing.T) {
	odd := []string{"", " ", "-v", "--", "it's", `"`, "`id`", "$(id)", "$HOME", `\`, `a\nb`, "*", "~", "!!", "#", "ü", "a;b&c|d>e", "'; exit 1; '"}
	want := "<" + strings.Join(append(odd[:len(odd):len(odd)], "last"), "><") + ">"
	shells := []string{"/bin/sh"}
	if _, err := os.Stat("/bin/bash"); err == nil {
		shells = append(shells, "/bin/bash") // which a cluster has, and not each machine with Go
	}
	for _, name := range []string{"train.sh", "with space.sh", "it's $(here) \"now\".sh", "-e.sh", "*.sh", `back\slash`, "ü\t.sh"} {
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		for first, mode := range map[string]os.FileMode{
			"#!/bin/sh\n": 0o700, "#! /bin/sh \n": 0o600, "#!/bin/sh -u\n": 0o600, "#!\t/usr/bin/env sh\n": 0o600,
		} {
			text := first + "PATH=/bin:/usr/bin\n" + showArguments + strings.Repeat("# more than fits into a request\n", 60_000)
			if err := os.WriteFile(file, []byte(text), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, mode); err != nil { // whatever the umask
				t.Fatal(err)
			}
			for _, shell := range shells {
				if out, code := runWrapper(t, shell, file, odd...); out != name+want || code != 7 {
					t.Errorf("%s: %q with %q and mode %o: %q, exit code %d; want %q", shell, name, first, mode, out, code, name+want)
				}
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWrapperFails(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"plain": "echo hello\n", "empty": "", "lost": "#!/no/such/interpreter -x\n", "crlf": "#!/bin/sh\r\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"missing": "there is no file " + dir + "/missing on g1\n",
		".":       "there is no file",
		"plain":   "names no interpreter",
		"empty":   "names no interpreter",
		"lost":    "the interpreter /no/such/interpreter that " + dir + "/lost names is not there on g1\n",
		"crlf":    "is not there",
	} {
		out, code := runWrapper(t, "/bin/sh", dir+"/"+name)
		if code != slurm.WrapperExitCode || !strings.HasPrefix(out, "slurm.Wrapper: ") || !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", name, code, out)
		}
	}
	for name, tt := range map[string]struct {
		path  string
		args  []string
		field string
	}{
		"relative":               {"train.sh", nil, "name"},
		"leading dash":           {"-rf", nil, "name"},
		"empty":                  {"", nil, "name"},
		"folder":                 {"/home/alice/", nil, "name"},
		"line break in the path": {"/home/a\nb", nil, "name"},
		"line break":             {"/home/a", []string{"x", "a\nb"}, "args[1]"},
		"NUL":                    {"/home/a", []string{"a\x00b"}, "args[0]"},
		"no UTF-8":               {"/home/\xff", nil, "name"},
	} {
		script, err := slurm.Wrapper(tt.path, tt.args...)
		if script != "" || inputProblems(t, err)[tt.field] == "" || !errors.Is(err, slurm.ErrInvalid) {
			t.Errorf("%s: %q, %v", name, script, err)
		}
	}
}

// TestWrapperOnSlurm: the Slurm in memory knows what the program does, too.
func TestWrapperOnSlurm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.srv.WriteFile("/home/alice/big.sh", "#!/bin/sh\nsleep 100\n[ $1 = deep ] && exit 9\n"+strings.Repeat("#\n", 1<<20))
		for path, want := range map[string]int{"/home/alice/big.sh": 9, "/home/alice/lost.sh": slurm.WrapperExitCode} {
			script, err := slurm.Wrapper(path, "deep")
			if err != nil {
				t.Fatal(err)
			}
			id := b.submit(t, "", func(s *slurm.JobSpec) { s.Script = script })
			time.Sleep(10 * time.Minute)
			jobs, err := b.History(t.Context(), id)
			if err != nil || jobs[0].ExitCode.Code != want {
				t.Errorf("%s: %v, %v; want exit code %d", path, jobs, err, want)
			}
		}
	})
}

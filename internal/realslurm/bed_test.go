package realslurm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// double is a testing.TB that keeps what a Bed tells it: Fatal's text, and the cleanups.
type double struct {
	testing.TB
	fatal    string
	cleanups []func()
}

func (d *double) Helper()           {}
func (d *double) Cleanup(f func())  { d.cleanups = append(d.cleanups, f) }
func (d *double) Fatal(args ...any) { d.fatal = fmt.Sprint(args...); panic(d) }
func (d *double) Fatalf(format string, args ...any) {
	d.Fatal(fmt.Sprintf(format, args...))
}

// finish runs the cleanups as the end of a test does.
func (d *double) finish() {
	for _, f := range slices.Backward(d.cleanups) {
		f()
	}
}

// script stands in for realslurm.sh: it writes down its arguments, and its root is the directory it is in.
const script = `#!/bin/sh
dir=$(dirname "$0")
echo "$*" >>"$dir/calls"
case $1 in
  root) echo "$dir" ;;
  exec) shift; echo "ran $*" ;;
  start) [ "$2" != slurmd ] || { echo "realslurm: slurmd does not serve" >&2; exit 5; } ;;
esac
`

func fakeBed(t *testing.T) (*Bed, *double, func() []string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "realslurm.sh")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "etc", "slurm"), 0o700); err != nil {
		t.Fatal(err)
	}
	conf := "ClusterName=realslurm\n# MinJobAge=1\nMinJobAge=5\n"
	if err := os.WriteFile(filepath.Join(dir, "etc", "slurm", "slurm.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	tb := &double{TB: t}
	bed := connect(tb, path)
	return bed, tb, func() []string {
		data, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")[1:] // after "root"
	}
}

func TestBedCalls(t *testing.T) {
	tests := []struct {
		name   string
		do     func(*Bed)
		during []string
		after  []string // a test that ends leaves the bed as it was
	}{
		{"restart", func(b *Bed) { b.Restart(Controller) }, []string{"restart slurmctld"}, nil},
		{"stop", func(b *Bed) { b.Stop(Database) }, []string{"stop slurmdbd"}, []string{"start slurmdbd"}},
		{
			"stop and start", func(b *Bed) { b.Stop(REST); b.Start(REST) },
			[]string{"stop slurmrestd", "start slurmrestd"}, []string{"start slurmrestd"},
		},
		{
			"configure", func(b *Bed) { b.Configure("MinJobAge", "300") },
			[]string{"configure MinJobAge 300"}, []string{"configure MinJobAge 5"},
		},
		{
			"node down", func(b *Bed) { b.NodeDown("n1") },
			[]string{"exec scontrol update NodeName=n1 State=DOWN Reason=test"},
			[]string{"exec scontrol update NodeName=n1 State=RESUME"},
		},
		{"node resume", func(b *Bed) { b.NodeResume("n1") }, []string{"exec scontrol update NodeName=n1 State=RESUME"}, nil},
		{"requeue", func(b *Bed) { b.Requeue("7") }, []string{"exec scontrol requeue 7"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bed, tb, calls := fakeBed(t)
			tt.do(bed)
			if got := calls(); !slices.Equal(got, tt.during) {
				t.Errorf("called %q, want %q", got, tt.during)
			}
			tb.finish()
			if got := calls()[len(tt.during):]; !slices.Equal(got, tt.after) {
				t.Errorf("called %q at the end, want %q", got, tt.after)
			}
		})
	}
}

func TestBedExec(t *testing.T) {
	bed, _, _ := fakeBed(t)
	if got, want := bed.Exec("squeue", "-h"), "ran squeue -h\n"; got != want {
		t.Errorf("Exec returns %q, want %q", got, want)
	}
}

func TestBedFails(t *testing.T) {
	tests := []struct {
		name string
		do   func(*Bed)
		want string
	}{
		{
			"script", func(b *Bed) { b.Start(Nodes) },
			"realslurm.sh start slurmd: exit status 5: realslurm: slurmd does not serve",
		},
		{"parameter", func(b *Bed) { b.Configure("KillWait", "1") }, "realslurm: slurm.conf does not set KillWait"},
		{"file", func(b *Bed) { b.ReadFile("/home/alice/none") }, "/home/alice/none: no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bed, tb, _ := fakeBed(t)
			defer func() {
				if p := recover(); p != tb || !strings.HasSuffix(tb.fatal, tt.want) {
					t.Errorf("the test fails with %q (%v), want %q", tb.fatal, p, tt.want)
				}
			}()
			tt.do(bed)
		})
	}
}

func TestFindScript(t *testing.T) {
	want, err := filepath.Abs("realslurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := findScript(); err != nil || got != want {
		t.Errorf("findScript() = %q, %v, want %q", got, err, want)
	}
	t.Chdir(os.TempDir())
	if got, err := findScript(); err == nil {
		t.Errorf("findScript() = %q outside of the module", got)
	}
}

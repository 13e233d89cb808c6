package slurm_test

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// The files are those that a real Slurm 24.11.5 wrote for such jobs.
func TestExpandPath(t *testing.T) {
	plain := &slurm.Job{RawID: 4874, ID: "4874", User: "alice", WorkDir: "/home/alice/o", BatchHost: "g1"}
	named := &slurm.Job{RawID: 4897, ID: "4897", Name: "nm", User: "alice", WorkDir: "/home/alice/o/", Nodes: "g[3-4]"}
	task := &slurm.Job{RawID: 4906, ID: "4900_13", ArrayJobID: "4900", IsArrayTask: true, ArrayTaskID: 13, Name: "nm", WorkDir: "/w"}
	rest := &slurm.Job{RawID: 4900, ID: "4900", ArrayJobID: "4900", ArrayTasks: "14-20", Name: "nm", WorkDir: "/w"}
	tests := []struct {
		job           *slurm.Job
		pattern, want string
	}{
		{plain, "", "/home/alice/o/slurm-4874.out"},
		{plain, "%5j-a.out", "/home/alice/o/04874-a.out"},
		{plain, "%12j-b.out", "/home/alice/o/0000004874-b.out"},
		{plain, "%5z-c.out", "/home/alice/o/5z-c.out"},
		{plain, "%10z-d", "/home/alice/o/0z-d"},
		{plain, "%%j-e.out", "/home/alice/o/%j-e.out"},
		{plain, "a%", "/home/alice/o/a%"},
		{plain, "f%5", "/home/alice/o/f5"},
		{plain, `b\%j.out`, "/home/alice/ob%j.out"},
		{plain, `/home/alice/o/c\%j.out`, "/home/alice/o/c%j.out"},
		{plain, `/home/alice/o/d\\e.out`, `/home/alice/o/d\e.out`},
		{plain, "5", "/dev/null"},
		{plain, "0", "/home/alice/o/0"},
		{plain, "g%3a.out", "/home/alice/o/g4294967294.out"},
		{plain, "h%b.out", "/home/alice/o/h4.out"},
		{plain, "i%x", "/home/alice/o/i(null)"},
		{plain, "j%J", "/home/alice/o/j4874"},
		{plain, "l%s", "/home/alice/o/lbatch"},
		{plain, "n%3t", "/home/alice/o/n000"},
		{plain, "o%n", "/home/alice/o/o0"},
		{plain, "p%N", "/home/alice/o/pg1"},
		{plain, "r%A-%5A", "/home/alice/o/r4874-04874"},
		{plain, "s%5x-%5u", "/home/alice/o/s(null)-alice"},
		{plain, "t%5%j", "/home/alice/o/t54874"},
		{plain, "u%%%j", "/home/alice/o/u%4874"},
		{plain, "v% j", "/home/alice/o/v% j"},
		{plain, "w%-5j", "/home/alice/o/w%-5j"},
		{plain, "x%05j", "/home/alice/o/x04874"},
		{plain, "/tmp/y%y", "/tmp/y%y"},
		{named, "%x-%N", "/home/alice/o/nm-g3"},
		{task, "", "/w/slurm-4900_13.out"},
		{task, "z-%A-%a-%4a-%b-%j-%x", "/w/z-4900-13-0013-3-4906-nm"},
		{task, "%N", "/w/%N"},
		{rest, "", "/w/slurm-4900_%a.out"},
		{rest, "%x-%5j-%b", "/w/nm-%5j-%b"},
	}
	for _, tt := range tests {
		if got := slurm.ExpandPath(tt.pattern, tt.job); got != tt.want {
			t.Errorf("%q of job %s: got %s, want %s", tt.pattern, tt.job.ID, got, tt.want)
		}
	}
}

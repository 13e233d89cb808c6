package slurm_test

import (
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestParseJobID(t *testing.T) {
	tests := []struct {
		in, want string
		why      string
	}{
		{"42", "42", "the plain form"},
		{" 42\n", "42", "copied from a terminal"},
		{"0042", "42", "one spelling per job, or ids cannot be compared"},
		{"42_3", "42_3", "array task"},
		{"42_0", "42_0", "tasks may start at 0"},
		{"42+1", "42+1", "heterogeneous component"},
		{"42.batch", "42", "a step as sacct prints it"},
		{"42_3.0", "42_3", "a step of a task"},
		{"4294967293", "4294967293", "the largest id"},
		{"", "", "no id"},
		{"0", "", "Slurm's mark for no job"},
		{"-1", "", "negative"},
		{"+3", "", "a sign is no digit"},
		{"42_+3", "", "a sign is no digit in a task either"},
		{"4294967294", "", "Slurm's NO_VAL"},
		{"4294967295", "", "Slurm's INFINITE"},
		{"99999999999999999999", "", "beyond 64 bits"},
		{"my-run", "", "a name is no id"},
		{"42_[1-3]", "", "a range names several jobs"},
		{"42_", "", "cut short"},
		{"42.", "", "cut short"},
		{".batch", "", "no job"},
		{"42/../jobs", "", "must never reach a path"},
	}
	for _, tt := range tests {
		got, err := slurm.ParseJobID(tt.in)
		if string(got) != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("ParseJobID(%q) = %q, %v; want %q (%s)", tt.in, got, err, tt.want, tt.why)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "slurm: ") {
			t.Errorf("ParseJobID(%q): text %q lacks the package", tt.in, err)
		}
	}
}

func TestParseJobIDErrorIsShort(t *testing.T) {
	_, err := slurm.ParseJobID(strings.Repeat("x", 10000))
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("a foreign text of 10000 bytes must not fill the error, got %d bytes", len(err.Error()))
	}
}

func TestJobIDParts(t *testing.T) {
	tests := []struct {
		id     slurm.JobID
		number int64
		task   int64
		isTask bool
		het    int64
		isHet  bool
	}{
		{id: "42", number: 42},
		{id: "42_3", number: 42, task: 3, isTask: true},
		{id: "42_0", number: 42, task: 0, isTask: true},
		{id: "42+1", number: 42, het: 1, isHet: true},
		{id: ""},
		{id: "soon"},
	}
	for _, tt := range tests {
		if got := tt.id.Number(); got != tt.number {
			t.Errorf("%q.Number() = %d, want %d", tt.id, got, tt.number)
		}
		if n, ok := tt.id.Task(); ok != tt.isTask || ok && n != tt.task {
			t.Errorf("%q.Task() = %d, %v; want %d, %v", tt.id, n, ok, tt.task, tt.isTask)
		}
		if n, ok := tt.id.HetOffset(); ok != tt.isHet || ok && n != tt.het {
			t.Errorf("%q.HetOffset() = %d, %v; want %d, %v", tt.id, n, ok, tt.het, tt.isHet)
		}
	}
}

func TestNewJobIDAndWithTask(t *testing.T) {
	tests := []struct{ got, want slurm.JobID }{
		{slurm.NewJobID(42), "42"},
		{slurm.NewJobID(0), ""},
		{slurm.NewJobID(42).WithTask(3), "42_3"},
		{slurm.JobID("42_7").WithTask(3), "42_3"},
		{slurm.JobID("42+1").WithTask(0), "42_0"},
		{slurm.JobID("soon").WithTask(3), ""},
		{slurm.NewJobID(42).WithTask(-1), ""},
	}
	for i, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("case %d: got %q, want %q", i, tt.got, tt.want)
		}
	}
}

func FuzzParseJobID(f *testing.F) {
	for _, s := range []string{"42", "42_3", "42+1", "42.batch", "", "-1", "4294967295", "0042_007"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := slurm.ParseJobID(s)
		if err != nil {
			if id != "" {
				t.Fatalf("refused %q, yet gave %q", s, id)
			}
			return
		}
		if again, err := slurm.ParseJobID(string(id)); err != nil || again != id {
			t.Fatalf("%q is not stable: %q, %v", id, again, err)
		}
		if strings.Trim(string(id), "0123456789_+") != "" {
			t.Fatalf("%q may not become part of a path", id)
		}
	})
}

package slurm_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestArraySpec(t *testing.T) {
	tests := []struct {
		text, want string
		tasks      []int64
		limit      int
	}{
		{"3", "3", []int64{3}, 0},
		{"0-3%2", "0-3%2", []int64{0, 1, 2, 3}, 2},
		{"7,1-2", "7,1-2", []int64{1, 2, 7}, 0},
		{"0-9:4", "0-8:4", []int64{0, 4, 8}, 0},
		{"5-5:3", "5", []int64{5}, 0},
		{"1-3,2-4,3", "1-3,2-4,3", []int64{1, 2, 3, 4}, 0},
		{"[0-1,3%1]", "0-1,3%1", []int64{0, 1, 3}, 1},
		{"4000000", "4000000", []int64{4000000}, 0},
	}
	for _, tt := range tests {
		a, err := slurm.ParseArraySpec(tt.text)
		if err != nil || a.String() != tt.want || !slices.Equal(a.Tasks(), tt.tasks) || a.Len() != len(tt.tasks) || a.Limit() != tt.limit {
			t.Errorf("%s: got %s with %v, %v", tt.text, a, a.Tasks(), err)
		}
		for n := range int64(12) {
			if a.Contains(n) != slices.Contains(tt.tasks, n) {
				t.Errorf("%s contains %d: %v", tt.text, n, a.Contains(n))
			}
		}
		spec := validSpec()
		spec.Array = a.String()
		if err := spec.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "a", "3-1", "0-5:0", "1%0", "4000001", "1,2,...", "0-4294967293", strings.Repeat("0-4000000,", 5) + "1", "1%99999999999"} {
		if a, err := slurm.ParseArraySpec(text); !errors.Is(err, slurm.ErrInvalid) || !strings.HasPrefix(err.Error(), "slurm: array ") {
			t.Errorf("%q: got %s, %v", text, a, err)
		}
	}
}

func TestArrayOf(t *testing.T) {
	a, err := slurm.ArrayOf(3, 1, 2, 7, 2)
	if err != nil || a.WithLimit(4).String() != "1-3,7%4" || a.WithLimit(4).WithLimit(-1).String() != "1-3,7" {
		t.Errorf("got %s, %v", a, err)
	}
	if none, err := slurm.ArrayOf(); err != nil || none.String() != "" || none.Len() != 0 || none.WithLimit(2).String() != "" {
		t.Errorf("got %q, %v", none, err)
	}
	for _, n := range []int64{-1, 4_000_001} {
		if _, err := slurm.ArrayOf(n); !errors.Is(err, slurm.ErrInvalid) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// FuzzArraySpec: what is written is read again alike, and all ways to ask for the tasks agree.
func FuzzArraySpec(f *testing.F) {
	for _, s := range []string{"0-9%4", "1,5,9", "0-8:4", "[1%1]", "1-3,2-4", "0-10:3,1", "9,1-2:7%3", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := slurm.ParseArraySpec(s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "slurm: array ") || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		text, tasks := a.String(), a.Tasks()
		again, err := slurm.ParseArraySpec(text)
		if err != nil || again.String() != text || !slices.Equal(again.Tasks(), tasks) || again.Limit() != a.Limit() {
			t.Fatalf("%q is written %q and read as %q, %v", s, text, again, err)
		}
		if len(tasks) == 0 || len(tasks) != a.Len() || !slices.IsSorted(tasks) {
			t.Fatalf("%q has the tasks %v", s, tasks)
		}
		for _, n := range tasks[:min(len(tasks), 100)] {
			if !a.Contains(n) || a.Contains(n+1) != slices.Contains(tasks, n+1) || n < 0 {
				t.Fatalf("%q: disagreement about %d", s, n)
			}
		}
		if len(tasks) > 10_000 {
			return
		}
		if of, err := slurm.ArrayOf(tasks...); err != nil || !slices.Equal(of.Tasks(), tasks) {
			t.Fatalf("%q: ArrayOf gives %s, %v", s, of, err)
		}
	})
}

func taskStates(jobs []*slurm.Job) string {
	var all []string
	for _, j := range jobs {
		all = append(all, fmt.Sprintf("%s:%s", j.ID, j.State))
	}
	return strings.Join(all, " ")
}

// One source alone gives what it has, with the failure of the other.
func TestArrayTasksOfOneSource(t *testing.T) {
	b := newBed(t)
	id := b.submit(t, "sleep 3600", func(s *slurm.JobSpec) { s.Array, s.Hold = "0-1", true })
	const want = "1_0:PENDING 1_1:PENDING"
	b.srv.SetDatabaseDown(true)
	jobs, err := b.ArrayTasks(t.Context(), id)
	if taskStates(jobs) != want || !errors.Is(err, slurm.ErrUnavailable) {
		t.Errorf("without accounting: got %s, %v", taskStates(jobs), err)
	}
	b.srv.SetDatabaseDown(false)
	b.srv.SetControllerDown(true)
	jobs, err = b.ArrayTasks(t.Context(), id)
	if taskStates(jobs) != want || !errors.Is(err, slurm.ErrUnavailable) {
		t.Errorf("without controller: got %s, %v", taskStates(jobs), err)
	}
	b.srv.SetDatabaseDown(true)
	if jobs, err = b.ArrayTasks(t.Context(), id); jobs != nil || !errors.Is(err, slurm.ErrUnavailable) {
		t.Errorf("without both: got %s, %v", taskStates(jobs), err)
	}
	if _, err := b.ArrayTasks(t.Context(), "x"); !errors.Is(err, slurm.ErrInvalid) {
		t.Errorf("no id: %v", err)
	}
}

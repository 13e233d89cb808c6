package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

const queueOfFour = `{"jobs":[
	{"job_id":1,"name":"a","user_name":"alice","account":"x","partition":"cpu","job_state":["RUNNING"]},
	{"job_id":2,"name":"b,c","user_name":"bob","account":"y","partition":"cpu,a4","job_state":["PENDING"]},
	{"job_id":3,"name":"a","user_name":"alice","account":"y","partition":"a4","job_state":["CANCELLED","COMPLETING"]},
	{"job_id":4,"name":"d","user_name":"carol","account":"x","partition":"a4","job_state":["RUNNING"]}],
	"errors":[],"warnings":[]}`

func numbers(jobs []*slurm.Job) string {
	var ids []string
	for _, j := range jobs {
		ids = append(ids, string(j.ID))
	}
	return strings.Join(ids, " ")
}

func TestListFilters(t *testing.T) {
	tests := []struct {
		why  string
		opts *slurm.ListOptions
		want string
	}{
		{"nil is everything", nil, "1 2 3 4"},
		{"zero is everything", &slurm.ListOptions{}, "1 2 3 4"},
		{"an empty value is no filter", &slurm.ListOptions{Users: []string{""}, States: []slurm.State{""}, Names: []string{""}}, "1 2 3 4"},
		{"one user", &slurm.ListOptions{Users: []string{"alice"}}, "1 3"},
		{"several, either way", &slurm.ListOptions{Users: []string{"bob, carol", ""}}, "2 4"},
		{"pending jobs may use several partitions", &slurm.ListOptions{Partitions: []string{"a4"}}, "2 3 4"},
		{"base states", &slurm.ListOptions{States: []slurm.State{slurm.StateCancelled, "pending"}}, "2 3"},
		{"a name may hold a comma", &slurm.ListOptions{Names: []string{"b,c"}}, "2"},
		{"accounts", &slurm.ListOptions{Accounts: []string{"x"}}, "1 4"},
		{"all together", &slurm.ListOptions{Users: []string{"alice"}, Accounts: []string{"x"}, Names: []string{"a"}}, "1"},
		{"none", &slurm.ListOptions{Users: []string{"dave"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			c, s := newScripted(t, answer{status: 200, body: queueOfFour})
			jobs, err := c.List(t.Context(), tt.opts)
			if err != nil || numbers(jobs) != tt.want {
				t.Errorf("List gave %q, %v; want %q", numbers(jobs), err, tt.want)
			}
			jobs = nil
			for job, err := range c.Jobs(t.Context(), tt.opts) {
				if err != nil {
					t.Error(err)
				}
				jobs = append(jobs, job)
			}
			if numbers(jobs) != tt.want {
				t.Errorf("Jobs gave %q, want %q", numbers(jobs), tt.want)
			}
			jobs = nil
			it := c.JobIterator(t.Context(), tt.opts)
			job, err := it.Next()
			for ; err == nil; job, err = it.Next() {
				jobs = append(jobs, job)
			}
			if _, again := it.Next(); err != slurm.Done || again != slurm.Done || numbers(jobs) != tt.want {
				t.Errorf("Next gave %q, %v, then %v; want %q", numbers(jobs), err, again, tt.want)
			}
			if len(s.requests) != 3 || strings.Contains(s.requests[0].Path, "?") {
				t.Errorf("%d requests, the first for %s: want 3 without flags", len(s.requests), s.requests[0].Path)
			}
		})
	}
}

func TestListKeepsRawOnRequest(t *testing.T) {
	c, _ := newScripted(t, answer{status: 200, body: queueOfFour})
	for _, raw := range []bool{true, false} {
		jobs, err := c.List(t.Context(), &slurm.ListOptions{Raw: raw})
		if err != nil || (jobs[0].Raw != nil) != raw {
			t.Errorf("Raw %v: got %q, %v", raw, jobs[0].Raw, err)
		}
	}
}

func TestJobsEnd(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: queueOfFour})
	seq := c.Jobs(t.Context(), nil)
	if len(s.requests) != 0 {
		t.Error("asked before the first element was wanted")
	}
	for range seq {
		break
	}
	if len(s.requests) != 1 {
		t.Errorf("%d requests for a loop that ends early", len(s.requests))
	}
	tests := []struct {
		why    string
		answer answer
		want   string
	}{
		{"the call fails", answer{err: errors.New("broken")}, "broken"},
		{"Slurm fails without a list", answer{status: 502, body: `{"errors":[{"error_number":1800}]}`}, "1800"},
		{"Slurm fails beside a list", answer{status: 500, body: strings.Replace(queueOfFour, `"errors":[]`, `"errors":[{"error_number":9207}]`, 1)}, "1 2 3 4 9207"},
		{"no list", answer{status: 200, body: `{}`}, `lacks "jobs"`},
		{"one record is none", answer{status: 200, body: `{"jobs":[{"job_id":1},5,{"job_id":2}]}`}, "1 2 jobs[1]: want an object"},
		{"two records are none", answer{status: 200, body: `{"jobs":[null,{"job_id":1},5]}`}, "1 jobs[0]: want an object and 1 more like it"},
		{"no record is one", answer{status: 200, body: `{"jobs":["x"]}`}, "jobs[0]: want an object"},
		{"nothing in it", answer{status: 502, body: `{"jobs":{},"errors":[{"error_number":1800}]}`}, "1800"},
		{"cut", answer{status: 200, body: `{"jobs":[`}, "damaged"},
	}
	for _, tt := range tests {
		c, _ := newScripted(t, tt.answer)
		var seen []string
		for job, err := range c.Jobs(t.Context(), nil) {
			switch {
			case err == nil:
				seen = append(seen, string(job.ID))
			case job != nil:
				t.Errorf("%s: both %v and %v", tt.why, job, err)
			default:
				seen = append(seen, err.Error())
			}
		}
		got := strings.Join(seen, " ")
		for _, word := range strings.Fields(tt.want) {
			if !strings.Contains(got, word) {
				t.Errorf("%s: got %q, want %q", tt.why, got, tt.want)
			}
		}
		// The list and the sequence of it say the same.
		jobs, err := c.List(t.Context(), nil)
		if last := seen[len(seen)-1]; len(jobs) != len(seen)-1 || err == nil || err.Error() != last {
			t.Errorf("%s: List gave %d jobs and %v, Jobs %q", tt.why, len(jobs), err, seen)
		}
		if errors.Is(err, slurm.ErrPartial) != (len(jobs) > 0) {
			t.Errorf("%s: %d jobs and %v, partial %v", tt.why, len(jobs), err, errors.Is(err, slurm.ErrPartial))
		}
		it := c.JobIterator(context.Background(), nil)
		var first, second error
		for first == nil {
			_, first = it.Next()
		}
		if _, second = it.Next(); fmt.Sprint(first) != fmt.Sprint(second) {
			t.Errorf("%s: Next gave %v, then %v", tt.why, first, second)
		}
	}
}

package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
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

// TestListSince counts in whole seconds, as Slurm does.
func TestListSince(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		var submitted []time.Time
		for range 3 {
			submitted = append(submitted, time.Now())
			b.submit(t, "sleep 3600")
			time.Sleep(10 * time.Second)
		}
		for _, tt := range []struct {
			since time.Time
			want  string
		}{
			{time.Time{}, "1 2 3"}, {time.Unix(0, 0), "1 2 3"}, {submitted[0], "1 2 3"}, {submitted[1], "2 3"},
			{submitted[1].Add(999 * time.Millisecond), "2 3"}, {submitted[1].Add(time.Second), "3"}, {time.Now(), ""},
			{submitted[2].In(time.FixedZone("elsewhere", 3600)), "3"},
		} {
			jobs, err := b.List(t.Context(), &slurm.ListOptions{Since: tt.since, Users: []string{"", "alice"}})
			if err != nil || numbers(jobs) != tt.want {
				t.Errorf("since %v: %q, %v; want %q", tt.since, numbers(jobs), err, tt.want)
			}
		}
	})
	c, _ := newScripted(t, answer{status: 200, body: queueOfFour})
	if jobs, err := c.List(t.Context(), &slurm.ListOptions{Since: time.Unix(1, 0)}); err != nil || len(jobs) != 0 {
		t.Errorf("records that do not tell when: %v, %v", jobs, err)
	}
}

// longQueue is a bed with so many jobs that a list of them is more than the client reads ahead.
func longQueue(t *testing.T) *bed {
	b := newBed(t)
	for range 60 {
		b.submit(t, "sleep 3600", func(s *slurm.JobSpec) { s.Hold = true })
	}
	return b
}

// TestListThatBreaksOff on the way is read again, though not for ever; what came is not lost.
func TestListThatBreaksOff(t *testing.T) {
	for times := range 4 {
		b := longQueue(t)
		before := len(b.platform.Requests())
		if times > 0 {
			b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultCut, Times: times})
		}
		jobs, err := b.List(t.Context(), nil)
		if sent := len(b.platform.Requests()) - before; sent != min(times+1, 3) {
			t.Errorf("cut %d times: asked %d times", times, sent)
		}
		if times < 3 && (err != nil || len(jobs) != 60) || times == 3 && !cutShort(err, len(jobs)) {
			t.Errorf("cut %d times: %d jobs, %v", times, len(jobs), err)
		}
	}
}

// TestJobsThatBreakOff are not asked for again: some of them are out already.
func TestJobsThatBreakOff(t *testing.T) {
	b := longQueue(t)
	before := len(b.platform.Requests())
	b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultCut})
	n, end := 0, error(nil)
	for job, err := range b.Jobs(t.Context(), nil) {
		if n++; err != nil {
			n--
			end = err
		} else if end != nil || job.ID != slurm.NewJobID(int64(n)) {
			t.Errorf("job %v after %v", job, end)
		}
	}
	if sent := len(b.platform.Requests()) - before; !cutShort(end, n) || sent != 1 {
		t.Errorf("%d jobs, %v, asked %d times", n, end, sent)
	}
}

// cutShort reports whether err is that of a list of which n jobs came.
func cutShort(err error, n int) bool {
	var e *slurm.Error
	return errors.As(err, &e) && e.Transient() && errors.Is(err, slurm.ErrPartial) && errors.Is(err, cluster.ErrUnavailable) &&
		errors.Is(err, io.ErrUnexpectedEOF) && n > 0 && n < 60 && strings.HasPrefix(err.Error(),
		fmt.Sprintf("slurm: list jobs: the list is cut after %d of its jobs: the reply was cut short after ", n))
}

// TestListEndsWithItsContext rather than being read again.
func TestListEndsWithItsContext(t *testing.T) {
	b := longQueue(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := len(b.platform.Requests())
	n, end := 0, error(nil)
	for _, err := range b.Jobs(ctx, nil) {
		if n++; n == 5 {
			cancel()
		}
		end = err
	}
	var e *slurm.Error
	if !errors.Is(end, context.Canceled) || !errors.As(end, &e) || e.Transient() || n < 6 {
		t.Errorf("%v after %d jobs", end, n-1)
	}
	if _, err := b.List(ctx, nil); !errors.Is(err, context.Canceled) || len(b.platform.Requests())-before > 2 {
		t.Errorf("%v after %d requests", err, len(b.platform.Requests())-before)
	}
}

// TestWaitDoesNotTrustACutList: the jobs that it lacks have not left the queue.
func TestWaitDoesNotTrustACutList(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		for range 60 {
			b.submit(t, "sleep 3600", func(s *slurm.JobSpec) { s.Hold = true })
		}
		ids := []slurm.JobID{b.submit(t, "sleep 60"), b.submit(t, "sleep 60")}
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultCut, Times: 2})
		jobs, err := b.WaitAll(t.Context(), ids)
		if err != nil || numbers(jobs) != "61 62" || b.platform.PendingFaults() != 0 {
			t.Errorf("%v, %v; %d faults left", jobs, err, b.platform.PendingFaults())
		}
		for _, path := range b.paths() {
			if strings.Contains(path, "/slurmdb/") {
				t.Errorf("asked for %s: a job was taken to be gone", path)
			}
		}
	})
}

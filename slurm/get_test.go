package slurm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		id := b.submit(t, "sleep 60", func(s *slurm.JobSpec) { s.Name = "train" })
		job, err := b.Get(t.Context(), id)
		if err != nil || job.ID != id || job.Name != "train" || !job.Pending() || len(job.Raw) == 0 {
			t.Fatalf("got %v, %v", job, err)
		}
		time.Sleep(2 * time.Minute)
		if job, err = b.Get(t.Context(), id); err != nil || !job.Succeeded() {
			t.Fatalf("got %v, %v", job, err)
		}
		time.Sleep(10 * time.Minute)
		job, err = b.Get(t.Context(), id)
		if !errors.Is(err, slurm.ErrNotFound) || job != nil || !strings.Contains(err.Error(), "history") {
			t.Errorf("got %v, %v: the error must lead on to the history", job, err)
		}
		jobs, err := b.History(t.Context(), id)
		if err != nil || len(jobs) != 1 || !jobs[0].Succeeded() || jobs[0].Source != slurm.SourceAccounting {
			t.Errorf("got %v, %v", jobs, err)
		}
	})
}

// A job is several records for Slurm, and the first one is hardly ever the right one.
func TestGetAmongSeveral(t *testing.T) {
	record := func(number int64, state string, array, task int64, tasks string, het, offset int64) string {
		taskID := `{"set":false,"infinite":false,"number":0}`
		if task >= 0 {
			taskID = fmt.Sprintf(`{"set":true,"number":%d}`, task)
		}
		return fmt.Sprintf(`{"job_id":%d,"job_state":[%q],"array_job_id":{"set":true,"number":%d},"array_task_id":%s,`+
			`"array_task_string":%q,"het_job_id":{"set":true,"number":%d},"het_job_offset":{"set":true,"number":%d}}`,
			number, state, array, taskID, tasks, het, offset)
	}
	answerOf := func(records ...string) answer {
		return answer{status: 200, body: `{"jobs":[` + strings.Join(records, ",") + `],"errors":[],"warnings":[]}`}
	}
	running := answerOf(record(177, "PENDING", 177, -1, "7-9%3", 0, 0), record(184, "RUNNING", 177, 6, "", 0, 0), record(178, "FAILED", 177, 0, "", 0, 0))
	started := answerOf(record(178, "COMPLETED", 177, 0, "", 0, 0), record(177, "RUNNING", 177, 9, "", 0, 0))
	aged := answerOf(record(178, "FAILED", 177, 0, "", 0, 0), record(184, "RUNNING", 177, 6, "", 0, 0))
	het := answerOf(record(191, "RUNNING", 0, -1, "", 191, 0), record(192, "PENDING", 0, -1, "", 191, 1))
	tests := []struct {
		why     string
		answer  answer
		id      slurm.JobID
		path    string
		want    string // id and state, or "" for ErrNotFound
		records int
	}{
		{"an array: the record of its own number", running, "177", "177", "177 PENDING", 3},
		{"an array: the last task took its number", started, "177", "177", "177_9 RUNNING", 2},
		{"an array whose number has aged out: what still runs", aged, "177", "177", "177_6 RUNNING", 2},
		{"a task", running, "177_6", "177_6", "177_6 RUNNING", 1},
		{"a task that has not started", running, "177_8", "177_8", "177 PENDING", 1},
		{"a task that does not exist, though Slurm answers with all", running, "177_5", "177_5", "", 0},
		{"a task by its own number", answerOf(record(184, "RUNNING", 177, 6, "", 0, 0)), "184", "184", "177_6 RUNNING", 1},
		{"a shortened list of tasks may hold it", answerOf(record(177, "PENDING", 177, -1, "1,3,5,...", 0, 0)), "177_99", "177_99", "177 PENDING", 1},
		{"a leader", het, "191", "191", "191 RUNNING", 2},
		{"a component, which Slurm's API cannot name", het, "191+1", "191", "192 PENDING", 1},
		{"a component that does not exist", het, "191+2", "191", "", 0},
		{"an empty list for a missing job, as newer versions send", answerOf(), "42", "42", "", 0},
		{"null for it", answer{status: 200, body: `{"jobs":null}`}, "42", "42", "", 0},
		{"404 with number 2017", answer{status: 404, body: `{"jobs":[],"errors":[{"error_number":2017,"error":"Invalid job id specified"}]}`}, "42", "42", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			c, s := newScripted(t, tt.answer)
			job, err := c.Get(t.Context(), tt.id)
			got := ""
			if job != nil {
				got = string(job.ID) + " " + string(job.State)
			}
			if got != tt.want || errors.Is(err, slurm.ErrNotFound) != (tt.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
			if want := "/slurm/v0.0.42/job/" + tt.path; s.requests[0].Path != want {
				t.Errorf("asked for %s, want %s", s.requests[0].Path, want)
			}
			if all, _ := c.GetAll(t.Context(), tt.id); len(all) != tt.records {
				t.Errorf("GetAll gave %d records, want %d", len(all), tt.records)
			}
		})
	}
}

// Data and a failure in one answer: both are handed on.
func TestPartialAnswers(t *testing.T) {
	c, _ := newScripted(t, answer{status: 500, body: `{"jobs":[{"job_id":42,"job_state":["RUNNING"]}],"errors":[{"error_number":9207,"error":"bad flag"}]}`})
	job, err := c.Get(t.Context(), "42")
	if job == nil || !errors.Is(err, slurm.ErrPartial) {
		t.Errorf("Get: got %v, %v", job, err)
	}
	jobs, err := c.List(t.Context(), nil)
	if len(jobs) != 1 || !errors.Is(err, slurm.ErrPartial) {
		t.Errorf("List: got %v, %v", jobs, err)
	}
	jobs, err = c.History(t.Context(), "42")
	if len(jobs) != 1 || !errors.Is(err, slurm.ErrPartial) {
		t.Errorf("History: got %v, %v", jobs, err)
	}
}

// That a job is gone must follow from the whole answer: a record that cannot be read, or a failure beside records of
// others, leaves it open.
func TestNotFoundNeedsProof(t *testing.T) {
	for _, tt := range []struct {
		why      string
		answer   answer
		notFound bool
	}{
		{"no record", answer{status: 200, body: `{"jobs":[],"errors":[]}`}, true},
		{"null", answer{status: 200, body: `{"jobs":null}`}, true},
		{"Slurm says so", answer{status: 404, body: gone}, true},
		{"the only record is none", answer{status: 200, body: `{"jobs":["x"]}`}, false},
		{"one record is another job's, one is none", answer{status: 200, body: `{"jobs":[{"job_id":43},null]}`}, false},
		{"another job's record beside a failure", answer{status: 500, body: `{"jobs":[{"job_id":43}],"errors":[{"error_number":9207}]}`}, false},
		{"a failure", answer{status: 502, body: `{"jobs":[],"errors":[{"error_number":7000}]}`}, false},
		{"no list", answer{status: 200, body: `{}`}, false},
		{"a text", answer{status: 404, body: "Unable find requested URL."}, false},
	} {
		c, _ := newScripted(t, tt.answer)
		job, live := c.Get(t.Context(), "42")
		jobs, history := c.History(t.Context(), "42")
		if job != nil || jobs != nil {
			t.Errorf("%s: got %v and %v", tt.why, job, jobs)
		}
		for _, err := range []error{live, history, c.Cancel(t.Context(), "42+1"), c.Hold(t.Context(), "42_1")} {
			var failure *slurm.Error
			if !errors.As(err, &failure) || errors.Is(err, slurm.ErrNotFound) != tt.notFound || errors.Is(err, slurm.ErrPartial) {
				t.Errorf("%s: got %v; partial %v", tt.why, err, errors.Is(err, slurm.ErrPartial))
			} else if failure.JobID.Number() != 42 || !strings.Contains(err.Error(), "job 42") {
				t.Errorf("%s: %v names the job %q", tt.why, err, failure.JobID)
			}
		}
		if strings.Contains(live.Error(), "stays in the accounting") != tt.notFound ||
			strings.Contains(history.Error(), "stays in the accounting") {
			t.Errorf("%s: the hint leads to History, and only from elsewhere: %v, %v", tt.why, live, history)
		}
	}
}

func TestBadIDsAreNotSent(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{}`})
	for _, id := range []slurm.JobID{"", "0", "-1", "my-run", "42/../jobs", "42_[1-3]", "4294967294"} {
		calls := map[string]error{
			"Cancel": c.Cancel(t.Context(), id), "Signal": c.Signal(t.Context(), id, "USR1"), "Hold": c.Hold(t.Context(), id),
		}
		_, calls["Get"] = c.Get(t.Context(), id)
		_, calls["History"] = c.History(t.Context(), id)
		_, calls["Wait"] = c.Wait(t.Context(), id)
		_, calls["WaitAll"] = c.WaitAll(t.Context(), []slurm.JobID{"1", id})
		for verb, err := range calls {
			if !errors.Is(err, slurm.ErrInvalid) || !strings.Contains(err.Error(), "job id") || strings.Count(err.Error(), "slurm:") != 1 {
				t.Errorf("%s(%q): %v", verb, id, err)
			}
		}
	}
	if len(s.requests) != 0 {
		t.Errorf("%d requests were sent", len(s.requests))
	}
}

func TestNewClient(t *testing.T) {
	s := &scripted{answers: []answer{{status: 200, body: `{"jobs":[],"pings":[]}`}}}
	for _, tt := range []struct {
		caller slurm.Caller
		name   string
		opts   []slurm.Option
		says   string
	}{
		{nil, "c", nil, "Caller"},
		{s, "", nil, "name"},
		{s, "c", []slurm.Option{slurm.WithVersion("42")}, "v0.0.42"},
		{s, "c", []slurm.Option{slurm.WithVersion("v0.0.42/../..")}, "v0.0.42"},
	} {
		if _, err := slurm.NewClient(tt.caller, tt.name, tt.opts...); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("got %v, want %q", err, tt.says)
		}
	}
	c, err := slurm.NewClient(s, "training", slurm.WithVersion("v0.0.41"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(t.Context(), nil); err != nil || s.requests[0].Path != "/slurm/v0.0.41/jobs/" || s.names[0] != "training" {
		t.Errorf("asked %q of %q, %v", s.requests[0].Path, s.names[0], err)
	}
	if _, err := slurm.Open(t.Context(), "training"); err == nil || !strings.Contains(err.Error(), "projects/PROJECT") {
		t.Errorf("Open without a full name: %v", err)
	}
}

package slurm_test

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// The bubble's clock starts at midnight UTC on 2000-01-01.
const bubbleStart = 946684800

func TestHistoryQueries(t *testing.T) {
	day := time.Unix(1760000000, 999).Add(0)
	tests := []struct {
		why  string
		opts *slurm.HistoryOptions
		want string
	}{
		{"a bounded window, without steps, by default", nil, "start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"empty values are no filter", &slurm.HistoryOptions{Users: []string{"", " "}, Names: []string{""}, States: []slurm.State{""}},
			"start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"a name for each value, never a comma", &slurm.HistoryOptions{Users: []string{"alice,bob", "2001"}, Accounts: []string{"a b"}},
			"users=alice&users=bob&users=2001&account=a%20b&start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"a comma in a name is filtered here", &slurm.HistoryOptions{Names: []string{"a", "b,c"}},
			"start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"special characters", &slurm.HistoryOptions{Names: []string{"a:b&c+d"}, Partitions: []string{"a4"}},
			"partition=a4&job_name=a%3Ab%26c%2Bd&start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"states need both times", &slurm.HistoryOptions{States: []slurm.State{slurm.StateFailed, "timeout"}},
			"state=FAILED&state=TIMEOUT&start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"to PENDING Slurm answers with everything", &slurm.HistoryOptions{States: []slurm.State{slurm.StateFailed, slurm.StatePending}},
			"start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"to an unknown state with a failure", &slurm.HistoryOptions{States: []slurm.State{"QUANTUM"}},
			"start_time=uts946598400&end_time=uts946684860&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"the window ends where it is told to", &slurm.HistoryOptions{End: day}, "start_time=uts1759913600&end_time=uts1760000000&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"and begins so", &slurm.HistoryOptions{Start: day, End: day.Add(time.Hour), Steps: true}, "start_time=uts1760000000&end_time=uts1760003600&show_duplicates=true&disable_truncate_usage_time=true"},
		{"from the beginning: Slurm refuses less than a million seconds", &slurm.HistoryOptions{Start: time.Unix(0, 0), End: day},
			"start_time=uts1000000&end_time=uts1760000000&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
		{"before the epoch", &slurm.HistoryOptions{Start: time.Unix(-5, 0), End: day},
			"start_time=uts1000000&end_time=uts1760000000&skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := newScripted(t, answer{status: 200, body: `{"jobs":[]}`})
				if jobs, err := c.ListHistory(t.Context(), tt.opts); err != nil || len(jobs) != 0 {
					t.Fatalf("got %v, %v: an empty list is no error", jobs, err)
				}
				if want := "/slurmdb/v0.0.42/jobs/?" + tt.want; s.requests[0].Path != want {
					t.Errorf("asked %s\nwant  %s", s.requests[0].Path, want)
				}
				if _, err := url.ParseQuery(tt.want); err != nil {
					t.Error(err)
				}
			})
		})
	}
	c, s := newScripted(t, answer{status: 200, body: `{"jobs":[]}`})
	_, err := c.ListHistory(t.Context(), &slurm.HistoryOptions{Start: day, End: day})
	if inputProblems(t, err)["Start"] == "" || len(s.requests) != 0 {
		t.Errorf("an empty window: %v", err)
	}
}

func TestListHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.submit(t, "sleep 10", func(s *slurm.JobSpec) { s.Name = "good" })
		bad := b.submit(t, "exit 3", func(s *slurm.JobSpec) { s.Name = "bad" })
		b.submit(t, "sleep 90000", func(s *slurm.JobSpec) { s.Name = "long" })
		time.Sleep(20 * time.Minute)
		waiting := b.submit(t, "true", func(s *slurm.JobSpec) { s.Name, s.Partition, s.MinNodes, s.Exclusive = "waits", "cpu", 2, true })
		time.Sleep(time.Minute)

		tests := []struct {
			why  string
			opts *slurm.HistoryOptions
			want string
		}{
			{"everything", nil, "1 2 3 4"},
			{"failed", &slurm.HistoryOptions{States: []slurm.State{slurm.StateFailed}}, string(bad)},
			{"two states", &slurm.HistoryOptions{States: []slurm.State{slurm.StateFailed, slurm.StateCompleted}}, "1 2"},
			{"pending", &slurm.HistoryOptions{States: []slurm.State{slurm.StatePending}}, string(waiting)},
			{"by name", &slurm.HistoryOptions{Names: []string{"long", "good"}}, "1 3"},
			{"another account", &slurm.HistoryOptions{Accounts: []string{"nope"}}, ""},
			{"an account", &slurm.HistoryOptions{Accounts: []string{"research"}, Partitions: []string{"cpu"}}, "1 2 3 4"},
			{"before all of it", &slurm.HistoryOptions{End: time.Unix(bubbleStart-3600, 0)}, ""},
		}
		for _, tt := range tests {
			jobs, err := b.ListHistory(t.Context(), tt.opts)
			if err != nil || numbers(jobs) != tt.want {
				t.Errorf("%s: got %q, %v; want %q", tt.why, numbers(jobs), err, tt.want)
			}
			for _, j := range jobs {
				if len(j.Steps) != 0 || j.Raw != nil {
					t.Errorf("%s: steps or raw record without asking", tt.why)
				}
			}
		}
		jobs, err := b.ListHistory(t.Context(), &slurm.HistoryOptions{Names: []string{"good"}, Steps: true, Raw: true})
		if err != nil || len(jobs) != 1 || len(jobs[0].Steps) == 0 || jobs[0].Raw == nil {
			t.Errorf("got %v, %v", jobs, err)
		}
	})
}

// Slurm leaves a filter out whose value it does not know, and then sends everything.
func TestListHistoryFiltersAgain(t *testing.T) {
	const all = `{"jobs":[{"job_id":1,"user":"alice","account":"x","partition":"cpu","name":"a","state":{"current":["RUNNING"]}},` +
		`{"job_id":2,"user":"bob","account":"y","partition":"cpu,a4","name":"b,c","state":{"current":["FAILED"]}}],` +
		`"warnings":[{"description":"Unknown user"},{"description":"slurmdb_jobs_get(0x1) found nothing"}]}`
	for _, tt := range []struct {
		opts *slurm.HistoryOptions
		want string
	}{
		{&slurm.HistoryOptions{Users: []string{"carol"}}, ""},
		{&slurm.HistoryOptions{Users: []string{"2001"}}, "1 2"}, // records do not tell numbers
		{&slurm.HistoryOptions{Accounts: []string{"y"}}, "2"},
		{&slurm.HistoryOptions{Partitions: []string{"a4"}}, "2"},
		{&slurm.HistoryOptions{Names: []string{"b,c"}}, "2"},
		{&slurm.HistoryOptions{States: []slurm.State{slurm.StatePending, slurm.StateRunning}}, "1"},
	} {
		var warnings []slurm.Warning
		s := &scripted{answers: []answer{{status: 200, body: all}}}
		c, err := slurm.NewClient(s, clusterName, slurm.OnWarning(func(w slurm.Warning) { warnings = append(warnings, w) }))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := c.ListHistory(t.Context(), tt.opts)
		if err != nil || numbers(jobs) != tt.want || len(warnings) != 1 {
			t.Errorf("%+v: got %q, %v, %q; want %q", tt.opts, numbers(jobs), warnings, err, tt.want)
		}
	}
}

func TestHistoryOfRequeuedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		id := b.submit(t, "sleep 100")
		time.Sleep(10 * time.Second)
		if err := b.srv.Requeue(id.Number()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		jobs, err := b.History(t.Context(), id)
		if err != nil || len(jobs) != 2 || !jobs[0].SubmitTime.Before(jobs[1].SubmitTime) || !jobs[1].Succeeded() || jobs[0].Succeeded() {
			t.Errorf("got %v, %v", jobs, err)
		}
	})
	// Slurm sends them in order; nothing here depends on it.
	c, _ := newScripted(t, answer{status: 200, body: `{"jobs":[{"job_id":42,"state":{"current":["COMPLETED"]},"time":{"submission":200}},` +
		`{"job_id":42,"state":{"current":["NODE_FAIL"]},"time":{"submission":100}}]}`})
	jobs, err := c.History(t.Context(), "42")
	if err != nil || len(jobs) != 2 || jobs[1].State != slurm.StateCompleted {
		t.Errorf("got %v, %v: the last record is what became of the job", jobs, err)
	}
}

func TestHistoryOfParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		array := b.submit(t, "sleep 10", func(s *slurm.JobSpec) { s.Array = "0-2" })
		het, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), {WorkingDirectory: "/home/alice"}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		for _, tt := range []struct {
			id   slurm.JobID
			want int
		}{{array, 3}, {array.WithTask(1), 1}, {array.WithTask(9), 0}, {het.JobID, 2}, {het.JobID + "+1", 1}, {"4711", 0}} {
			jobs, err := b.History(t.Context(), tt.id)
			if len(jobs) != tt.want || errors.Is(err, slurm.ErrNotFound) != (tt.want == 0) {
				t.Errorf("%s: got %v, %v; want %d records", tt.id, jobs, err, tt.want)
			}
		}
		if _, err := b.History(t.Context(), "4711"); !strings.Contains(err.Error(), "4711") {
			t.Errorf("%v does not name the job", err)
		}
	})
}

func TestHistoryWarnings(t *testing.T) {
	b := newBed(t)
	if _, err := b.ListHistory(t.Context(), &slurm.HistoryOptions{States: []slurm.State{slurm.StateFailed}}); err != nil || len(b.warnings) != 0 {
		t.Errorf("got %q, %v: that there is nothing needs no warning", b.warnings, err)
	}
	b.srv.SetDatabaseDown(true)
	if _, err := b.ListHistory(t.Context(), nil); !errors.Is(err, slurm.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

// TestHistoryThatBreaksOff is read again, though not for ever. What came of one that stays cut is not given out: it would
// pass for the whole.
func TestHistoryThatBreaksOff(t *testing.T) {
	for times := 1; times <= 3; times++ {
		inBubble(t, func(t *testing.T, b *bed) {
			for range 100 {
				b.submit(t, "true")
			}
			time.Sleep(time.Minute)
			reads := map[string]func() ([]*slurm.Job, error){
				"ListHistory": func() ([]*slurm.Job, error) { return b.ListHistory(t.Context(), nil) },
				"HistoryJobs": func() (jobs []*slurm.Job, err error) {
					opts := &slurm.HistoryOptions{Start: time.Now().Add(-30 * time.Minute)}
					for job, end := range b.HistoryJobs(t.Context(), opts) {
						if err = end; err == nil {
							jobs = append(jobs, job)
						}
					}
					return jobs, err
				},
			}
			for name, read := range reads {
				b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultCut, Times: times})
				before := len(b.platform.Requests())
				jobs, err := read()
				if sent := len(b.platform.Requests()) - before; sent != min(times+1, 3) || b.platform.PendingFaults() != 0 {
					t.Errorf("%s, cut %d times: asked %d times", name, times, sent)
				}
				var stopped *slurm.HistoryError
				switch cut := errors.Is(err, io.ErrUnexpectedEOF); {
				case times < 3 && (err != nil || len(jobs) != 100):
					t.Errorf("%s, cut %d times: %d jobs, %v", name, times, len(jobs), err)
				case times == 3 && (!cut || errors.Is(err, slurm.ErrPartial) || len(jobs) != 0):
					t.Errorf("%s, always cut: %d jobs, %v", name, len(jobs), err)
				case times == 3 && errors.As(err, &stopped) != (name == "HistoryJobs"):
					t.Errorf("%s, always cut: %v does not say how far it was read", name, err)
				}
			}
		})
	}
}

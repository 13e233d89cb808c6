package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// past submits jobs of all kinds over some hours: short and long ones, some that wait for others, arrays, a requeued one,
// and several within a second.
func (b *bed) past(t *testing.T) {
	t.Helper()
	for i := range 40 {
		script := []string{"sleep 30", "sleep 600", "exit 3", "sleep 7200", "true"}[i%5]
		id := b.submit(t, script, func(s *slurm.JobSpec) {
			s.Name = "job" + strconv.Itoa(i%3)
			switch {
			case i%10 == 4:
				s.Array = "0-5%2"
			case i%10 == 7:
				s.Hold = true
			case i%10 == 8:
				s.Partition, s.GPUsPerNode, s.TimeLimit = "a4", 2, time.Minute
			}
		})
		time.Sleep(time.Duration(i%4) * 7 * time.Minute)
		switch i {
		case 17:
			if err := b.Cancel(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		case 13: // as long as the wait before it has let it start
			if err := b.srv.Requeue(id.Number()); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.submit(t, "sleep 90000", func(s *slurm.JobSpec) { s.Partition, s.TimeLimit = "a4", 3*time.Hour })
	time.Sleep(time.Minute)
}

func collect(c *slurm.Client, ctx context.Context, opts *slurm.HistoryOptions) (jobs []*slurm.Job, err error) {
	for job, err := range c.HistoryJobs(ctx, opts) {
		if err != nil {
			return jobs, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// runs names records, and what they say.
func runs(jobs []*slurm.Job) []string {
	var all []string
	for _, j := range jobs {
		all = append(all, fmt.Sprint(j.RawID, " ", j.SubmitTime.Unix(), " ", j.State, " ", j.StartTime.Unix(), " ", j.EndTime.Unix(), " ", j.Elapsed()))
	}
	return all
}

func sameRuns(t *testing.T, why string, got, want []*slurm.Job) {
	t.Helper()
	a, b := runs(got), runs(want)
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("%s: %d records %q\nwant %d: %q", why, len(a), a, len(b), b)
	}
}

// TestHistoryJobs: however the time is cut, each record comes once, as ListHistory has it, in order.
func TestHistoryJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.past(t)
		end := time.Now()
		for why, opts := range map[string]slurm.HistoryOptions{
			"a day":            {},
			"some hours":       {Start: end.Add(-4 * time.Hour), End: end.Add(-30 * time.Minute)},
			"ends":             {States: []slurm.State{slurm.StateFailed, slurm.StateTimeout, slurm.StateCancelled}},
			"ends, some hours": {States: []slurm.State{slurm.StateCompleted}, Start: end.Add(-4 * time.Hour), End: end.Add(-30 * time.Minute)},
			"what runs":        {States: []slurm.State{slurm.StateRunning}},
			"mixed states":     {States: []slurm.State{slurm.StateRunning, slurm.StateCompleted}},
			"what waits":       {States: []slurm.State{slurm.StatePending}},
			"by name":          {Names: []string{"job1"}, Steps: true},
			"by id":            {JobIDs: []slurm.JobID{"14", "5", "8"}},
		} {
			want, err := b.ListHistory(t.Context(), &opts)
			if err != nil || len(want) == 0 {
				t.Fatalf("%s: ListHistory: %d jobs, %v", why, len(want), err)
			}
			for _, opts.PageSize = range []int{1, 2, 5, 0} {
				got, err := collect(b.Client, t.Context(), &opts)
				if err != nil {
					t.Fatalf("%s: %v", why, err)
				}
				sameRuns(t, fmt.Sprint(why, ", pages of ", opts.PageSize), got, want)
				mark := func(j *slurm.Job) time.Time { return j.EligibleTime }
				if strings.HasPrefix(why, "ends") {
					mark = func(j *slurm.Job) time.Time { return j.EndTime }
				}
				if why != "mixed states" && !slices.IsSortedFunc(got, func(a, b *slurm.Job) int { return mark(a).Compare(mark(b)) }) {
					t.Errorf("%s: not in order: %q", why, runs(got))
				}
			}
		}
	})
}

// breaking is a Caller whose n-th call fails.
type breaking struct {
	slurm.Caller
	n   int
	err error
}

func (b *breaking) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (
	*cluster.SlurmResponse, error,
) {
	if b.n--; b.n == 0 {
		return nil, b.err
	}
	return b.Caller.CallSlurm(ctx, name, req, opts...)
}

func TestHistoryJobsGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.past(t)
		down := &cluster.Error{Op: "call Slurm of", Code: codes.Unavailable, Message: "down"}
		for _, states := range [][]slurm.State{nil, {slurm.StateCompleted, slurm.StateFailed}} {
			all := slurm.HistoryOptions{Start: time.Now().Add(-6 * time.Hour), End: time.Now(), PageSize: 3, States: states}
			want, err := b.ListHistory(t.Context(), &all)
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; ; n++ {
				c, err := slurm.NewClient(&breaking{b.platformClient(t), n, down}, "training")
				if err != nil {
					t.Fatal(err)
				}
				opts := all
				got, err := collect(c, t.Context(), &opts)
				if err == nil {
					if n < 10 {
						t.Errorf("only %d requests", n-1)
					}
					break
				}
				var stopped *slurm.HistoryError
				if !errors.As(err, &stopped) || !errors.Is(err, cluster.ErrUnavailable) || strings.Count(err.Error(), "slurm: ") != 1 {
					t.Fatalf("got %v", err)
				}
				opts.Start, opts.Fresh = stopped.Reached, true
				rest, err := collect(c, t.Context(), &opts)
				if err != nil {
					t.Fatal(err)
				}
				sameRuns(t, fmt.Sprint("failure at request ", n), append(got, rest...), want)
			}
		}
	})
}

// platformClient is another client for the same service.
func (b *bed) platformClient(t *testing.T) *cluster.Client {
	t.Helper()
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.platform.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// crowd is an accounting in which a number of jobs ends with each minute, after having run for that minute, and one job
// runs all the time. It notes the windows it is asked for.
type crowd struct {
	perMinute func(minute int64) int
	windows   []string
	most      int // records in an answer
	fail      func(window time.Duration) error
}

func (c *crowd) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	_, query, _ := strings.Cut(req.Path, "?")
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	seconds := func(name string) int64 {
		n, _ := strconv.ParseInt(strings.TrimPrefix(q.Get(name), "uts"), 10, 64)
		return n
	}
	start, end := seconds("start_time"), seconds("end_time")
	window := time.Duration(end-start) * time.Second
	c.windows = append(c.windows, window.String())
	if c.fail != nil {
		if err := c.fail(window); err != nil {
			return nil, err
		}
	}
	records := []string{`{"job_id":1,"state":{"current":["RUNNING"]},"time":{"eligible":1000000,"submission":1000000}}`}
	for minute := start/60 - 1; minute*60 < end; minute++ {
		if minute*60+60 < start {
			continue
		}
		for i := range c.perMinute(minute) {
			records = append(records, fmt.Sprintf(`{"job_id":%d,"state":{"current":["COMPLETED"]},"time":{"eligible":%d,"submission":%d,"end":%d}}`,
				2+minute%1_000_000*1000+int64(i), minute*60, minute*60, minute*60+60))
		}
	}
	c.most = max(c.most, len(records))
	return &cluster.SlurmResponse{Status: 200, Body: []byte(`{"jobs":[` + strings.Join(records, ",") + `]}`)}, nil
}

func TestHistoryWindows(t *testing.T) {
	day := time.Unix(1_760_054_400, 0)
	few := func(int64) int { return 0 }
	tests := []struct {
		why     string
		opts    slurm.HistoryOptions
		crowd   crowd
		windows string // "" for not compared
		jobs    int
	}{
		{"windows grow where little happens", slurm.HistoryOptions{Start: day, End: day.Add(31 * time.Hour)},
			crowd{perMinute: few}, "1h0m0s 2h0m0s 4h0m0s 8h0m0s 16h0m0s", 1},
		{"and end where the time does", slurm.HistoryOptions{Start: day, End: day.Add(100 * time.Minute)},
			crowd{perMinute: few}, "1h0m0s 40m0s", 1},
		{"they stay where they are right", slurm.HistoryOptions{Start: day, End: day.Add(3 * time.Hour), PageSize: 100},
			crowd{perMinute: func(int64) int { return 1 }}, "1h0m0s 1h0m0s 1h0m0s", 182},
		{"and shrink at once where much happens", slurm.HistoryOptions{Start: day, End: day.Add(80 * time.Minute), PageSize: 100},
			crowd{perMinute: func(int64) int { return 10 }}, "1h0m0s 7m30s 7m30s 5m0s", 811},
		{"half an answer that is too large is asked for again", slurm.HistoryOptions{Start: day, End: day.Add(time.Hour), PageSize: 1000},
			crowd{perMinute: func(int64) int { return 1 }, fail: func(window time.Duration) error {
				if window > 20*time.Minute {
					return &cluster.Error{Code: codes.ResourceExhausted, HTTPStatus: 200, Message: "reply too large"}
				}
				return nil
			}}, "1h0m0s 30m0s 15m0s 30m0s 15m0s 30m0s 15m0s 15m0s", 62},
		{"or one that takes too long", slurm.HistoryOptions{Start: day, End: day.Add(time.Hour), PageSize: 10},
			crowd{perMinute: few, fail: func(window time.Duration) error {
				if window > 45*time.Minute {
					return &cluster.Error{Code: codes.DeadlineExceeded, Err: context.DeadlineExceeded}
				}
				return nil
			}}, "1h0m0s 30m0s 30m0s", 1},
		{"ids are one request", slurm.HistoryOptions{JobIDs: []slurm.JobID{"1"}, End: day},
			crowd{perMinute: few}, fmt.Sprint(day.Sub(time.Unix(1_000_000, 0))), 1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			c, err := slurm.NewClient(&tt.crowd, clusterName)
			if err != nil {
				t.Fatal(err)
			}
			jobs, err := collect(c, t.Context(), &tt.opts)
			if err != nil || len(jobs) != tt.jobs {
				t.Errorf("%d jobs, %v; want %d", len(jobs), err, tt.jobs)
			}
			if got := strings.Join(tt.crowd.windows, " "); got != tt.windows {
				t.Errorf("windows %s\nwant    %s", got, tt.windows)
			}
			seen := map[int64]bool{}
			for _, j := range jobs {
				if seen[j.RawID] {
					t.Errorf("job %s came twice", j.ID)
				}
				seen[j.RawID] = true
			}
		})
	}
}

func TestHistoryJobsErrors(t *testing.T) {
	day := time.Unix(1_760_054_400, 0)
	tooLarge := &cluster.Error{Code: codes.ResourceExhausted, Message: "reply too large"}
	for why, tt := range map[string]struct {
		fail error
		want error
		most int // calls
	}{
		"a second that is too large":   {tooLarge, cluster.ErrResourceExhausted, 14},
		"time-outs, whatever the size": {&cluster.Error{Code: codes.DeadlineExceeded, Err: context.DeadlineExceeded}, context.DeadlineExceeded, 4},
		"no answer in time":            {&cluster.Error{Code: codes.DeadlineExceeded, HTTPStatus: 504}, nil, 4},
		"too many requests":            {&cluster.Error{Code: codes.ResourceExhausted, HTTPStatus: 429}, cluster.ErrResourceExhausted, 1},
		"no permission":                {&cluster.Error{Code: codes.PermissionDenied}, cluster.ErrPermissionDenied, 1},
		"something that nobody knows":  {errors.New("odd"), nil, 1},
	} {
		crowd := &crowd{perMinute: func(int64) int { return 0 }, fail: func(time.Duration) error { return tt.fail }}
		c, err := slurm.NewClient(crowd, clusterName)
		if err != nil {
			t.Fatal(err)
		}
		it := c.HistoryIterator(t.Context(), &slurm.HistoryOptions{Start: day, End: day.Add(time.Hour)})
		_, err = it.Next()
		var stopped *slurm.HistoryError
		if !errors.As(err, &stopped) || !stopped.Reached.Equal(day) || !errors.Is(err, tt.fail) || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v", why, err)
		}
		if len(crowd.windows) > tt.most {
			t.Errorf("%s: %d calls, want at most %d", why, len(crowd.windows), tt.most)
		}
		calls := len(crowd.windows)
		if _, again := it.Next(); again != err || len(crowd.windows) != calls {
			t.Errorf("%s: then %v after another call", why, again)
		}
		if !it.Reached().Equal(day) {
			t.Errorf("%s: reached %v", why, it.Reached())
		}
	}
}

func TestHistoryJobsRefuses(t *testing.T) {
	var many []slurm.JobID
	for i := range 5000 {
		many = append(many, slurm.NewJobID(int64(1_000_000+i)))
	}
	day := time.Unix(1_760_054_400, 0)
	for field, opts := range map[string]slurm.HistoryOptions{
		"Start":          {Start: day, End: day},
		"JobIDs[1]":      {JobIDs: []slurm.JobID{"1", "42_[1-3]"}},
		"Nodes[0]":       {Nodes: []string{"g[1-"}},
		"HistoryOptions": {JobIDs: many},
	} {
		c, s := newScripted(t, answer{status: 200, body: `{"jobs":[]}`})
		_, err := collect(c, t.Context(), &opts)
		if inputProblems(t, err)[field] == "" || len(s.requests) != 0 {
			t.Errorf("%s: HistoryJobs: %v", field, err)
		}
		_, err = c.ListHistory(t.Context(), &opts)
		if inputProblems(t, err)[field] == "" || len(s.requests) != 0 {
			t.Errorf("%s: ListHistory: %v", field, err)
		}
	}
}

// A record that is none costs nothing but itself, and is not forgotten.
func TestHistoryJobsPartial(t *testing.T) {
	day := time.Unix(1_760_054_400, 0)
	c, s := newScripted(t,
		answer{status: 200, body: `{"jobs":[{"job_id":1,"time":{"eligible":1760054500,"end":1760054501}},null]}`},
		answer{status: 200, body: `{"jobs":[{"job_id":2,"time":{"eligible":1760064500,"end":1760064501}}]}`})
	it := c.HistoryIterator(t.Context(), &slurm.HistoryOptions{Start: day, End: day.Add(3 * time.Hour)})
	if !it.Reached().IsZero() || len(s.requests) != 0 {
		t.Error("something happened before the first Next")
	}
	first, err := it.Next()
	if err != nil || first.ID != "1" || !it.Reached().Equal(day.Add(time.Hour)) {
		t.Errorf("got %v, %v, reached %v", first, err, it.Reached())
	}
	second, err := it.Next()
	if err != nil || second.ID != "2" {
		t.Errorf("got %v, %v", second, err)
	}
	if _, err := it.Next(); !errors.Is(err, slurm.ErrPartial) || !it.Reached().Equal(day.Add(3*time.Hour)) {
		t.Errorf("got %v, reached %v", err, it.Reached())
	}
}

func TestHistoryJobsStops(t *testing.T) {
	crowd := &crowd{perMinute: func(int64) int { return 1 }}
	c, err := slurm.NewClient(crowd, clusterName)
	if err != nil {
		t.Fatal(err)
	}
	day := time.Unix(1_760_054_400, 0)
	opts := &slurm.HistoryOptions{Start: day, End: day.Add(24 * time.Hour)}
	seq := c.HistoryJobs(t.Context(), opts)
	opts.Start = day.Add(23 * time.Hour) // of no effect, since ranging begins with a copy
	for range seq {
		break
	}
	if len(crowd.windows) != 1 {
		t.Errorf("%d calls for one job", len(crowd.windows))
	}
	it := c.HistoryIterator(t.Context(), opts)
	if _, err := it.Next(); err != nil || !it.Reached().Equal(opts.Start) {
		t.Errorf("in the middle of a window, %v is reached, %v", it.Reached(), err)
	}
}

package slurm_test

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/internal/golden"
	"github.com/trainingclusters/trainingclusters-go/internal/render/rendertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

var update = flag.Bool("update", false, "write the golden files of looks anew")

// look is a value that a notebook can show.
type look interface {
	SimpleRender() map[string]any
	String() string
}

// TestLooksOfNothing: none fails on nil or a zero value, and all say something.
func TestLooksOfNothing(t *testing.T) {
	for _, v := range []look{
		(*slurm.Job)(nil), &slurm.Job{}, (*slurm.Step)(nil), &slurm.Step{}, (*slurm.Node)(nil), &slurm.Node{},
		(*slurm.Usage)(nil), &slurm.Usage{}, (*slurm.JobEvent)(nil), &slurm.JobEvent{}, (*slurm.JobSummary)(nil), &slurm.JobSummary{},
		(*slurm.Submission)(nil), &slurm.Submission{}, (*slurm.Timeline)(nil), &slurm.Timeline{},
		slurm.JobList(nil), slurm.JobList{}, slurm.JobList{nil}, slurm.JobList{{}}, slurm.JobList(nil).Timeline(), slurm.JobList{nil}.Timeline(), slurm.JobList{{}}.Timeline(),
		slurm.NodeList(nil), slurm.NodeList{nil}, slurm.NodeList{{}}, slurm.PartitionList(nil), slurm.PartitionList{nil}, slurm.PartitionList{{}},
		slurm.LicenseList(nil), slurm.LicenseList{nil}, slurm.LicenseList{{}}, slurm.ControllerList(nil), slurm.ControllerList{nil}, slurm.ControllerList{{}},
		slurm.Summary(nil),
	} {
		checkLook(t, v)
	}
}

func checkLook(t *testing.T, v look) {
	t.Helper()
	bundle := v.SimpleRender()
	if err := rendertest.Bundle(bundle); err != nil {
		t.Errorf("%T: %v", v, err)
	}
	if v.String() == "" {
		t.Errorf("%T has no text", v)
	}
	clear(bundle)
	if len(v.SimpleRender()) == 0 {
		t.Errorf("%T returns the same map again", v)
	}
}

// morning is the moment at which the jobs of the tests are read.
var morning = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// shown makes a job that was submitted, started and ended at minutes before that; -1 is never.
func shown(id int64, state slurm.State, submit, start, end int) *slurm.Job {
	before := func(minutes int) time.Time {
		if minutes < 0 {
			return time.Time{}
		}
		return morning.Add(-time.Duration(minutes) * time.Minute)
	}
	return &slurm.Job{
		ID: slurm.NewJobID(id), RawID: id, Name: fmt.Sprintf("train-%d", id), User: "alice", State: state, Source: slurm.SourceQueue,
		SubmitTime: before(submit), EligibleTime: before(submit), StartTime: before(start), EndTime: before(end),
		Nodes: "g[1-2]", NodeCount: 2, Requested: slurm.Resources{{Type: "gres", Name: "gpu", Count: 16}},
	}
}

// shownJobs has what can happen to jobs.
func shownJobs() slurm.JobList {
	requeuedFirst, requeued := shown(11, slurm.StateNodeFail, 240, 230, 200), shown(11, slurm.StateRunning, 200, 190, -1)
	requeued.RestartCount = 1
	held := shown(3, slurm.StatePending, 30, -1, -1)
	held.Hold, held.Reason, held.Nodes = true, "JobHeldUser", ""
	array := shown(4, slurm.StatePending, 20, -1, -1)
	array.ArrayJobID, array.ArrayTasks, array.Reason, array.Nodes = "4", "7-9,20-38", "Priority", ""
	failed := shown(6, slurm.StateFailed, 180, 170, 100)
	failed.ExitCode = slurm.ExitCode{Known: true, Status: slurm.ExitError, Code: 3}
	completing := shown(7, slurm.StateCompleted, 180, 120, 1)
	completing.Flags = []slurm.Flag{slurm.FlagCompleting}
	backwards := shown(10, slurm.StateCompleted, 60, 50, 70) // an end before its start
	future := shown(12, slurm.StateRunning, 10, 0, -1)
	future.StartTime = morning.Add(time.Minute) // by a clock that is ahead
	timeless := &slurm.Job{ID: "13", RawID: 13, Name: "<b>timeless</b> & \"co\"", State: "BRAND_NEW"}
	return slurm.JobList{
		failed, shown(1, slurm.StateRunning, 200, 150, -1), shown(2, slurm.StatePending, 90, -1, -1), held, array,
		shown(5, slurm.StateCompleted, 200, 190, 60), completing, shown(8, slurm.StateCancelled, 100, -1, 40), shown(9, slurm.StateTimeout, 220, 210, 150),
		backwards, requeuedFirst, requeued, future, timeless, nil,
	}
}

func goldenLook(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "looks", name)
	want, err := golden.File(path, got, *update)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (go test -run TestLooks -update writes it anew): %s", path, diff)
	}
}

// TestLooks holds what a notebook shows to golden files, each after its line of plain text.
func TestLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(morning))
		jobs := shownJobs()
		summary, job := slurm.Summary(jobs), jobs[0]
		job.Steps = []slurm.Step{{ID: "6.batch", Name: "batch", State: slurm.StateFailed, Elapsed: 70 * time.Minute, Tasks: 1, CPUTime: time.Hour,
			Used: slurm.TaskUsage{Max: slurm.Peaks{{Resource: slurm.Resource{Type: "mem", Count: 1 << 30}}}, Total: slurm.Resources{{Type: "mem", Count: 1 << 30}}}}}
		job.WorkDir, job.Account, job.TimeLimit = "/home/alice", "research", 2*time.Hour
		nodes := slurm.NodeList{
			{Name: "g1", State: slurm.NodeMixed, CPUs: 224, CPUsUsed: 64, Partitions: []string{"gpu", "all"}, Total: slurm.Resources{{Type: "gres", Name: "gpu", Count: 8}}},
			{Name: "g2", State: slurm.NodeIdle, Flags: []slurm.NodeFlag{slurm.NodeDrain}, Reason: "GPU fell off the bus", CPUs: 224},
		}
		for name, v := range map[string]look{
			"jobs": jobs, "summary": summary, "job": job, "usage": job.Usage(), "step": &job.Steps[0], "nodes": nodes, "node": nodes[1],
			"partitions":  slurm.PartitionList{{Name: "gpu", States: []string{"UP"}, Nodes: "g[1-2]", TotalNodes: 2, Unlimited: true}, {Name: "old", States: []string{"DOWN"}, MaxTime: time.Hour}},
			"licenses":    slurm.LicenseList{{Name: "matlab", Total: 4, Used: 3, Free: 1}},
			"controllers": slurm.ControllerList{{Hostname: "ctl", Up: true, Mode: "primary", Latency: 3 * time.Millisecond}, {Hostname: "ctl2", Mode: "backup1"}},
			"submission":  &slurm.Submission{JobID: "42", Warnings: []slurm.Warning{{Description: "no time limit"}}, UserMessage: "be nice"},
			"event":       &slurm.JobEvent{JobID: "6", Job: job, Old: slurm.StateRunning, New: slurm.StateFailed, Ended: true, Err: errors.New("job 6 failed"), Time: morning},
		} {
			checkLook(t, v)
			bundle := v.SimpleRender()
			goldenLook(t, name+".html", fmt.Sprintf("%s\n%s\n", bundle["text/plain"], bundle["text/html"]))
		}
		for name, timeline := range map[string]*slurm.Timeline{
			"timeline": jobs.Timeline(), "timeline-2": jobs[:2].Timeline(), "timeline-200": manyShown(250).Timeline(), "timeline-0": slurm.JobList{}.Timeline(),
			"timeline-instant": slurm.JobList{shown(1, slurm.StateFailed, 60, 60, 60)}.Timeline(), "timeline-weeks": slurm.JobList{shown(1, slurm.StateCompleted, 40*24*60, 30*24*60, 0)}.Timeline(),
		} {
			checkLook(t, timeline)
			goldenLook(t, name+".svg", timeline.SVG())
		}
	})
}

func manyShown(n int) (jobs slurm.JobList) {
	states := []slurm.State{slurm.StateCompleted, slurm.StateRunning, slurm.StateFailed, slurm.StatePending, slurm.StateCompleted}
	for i := range n {
		submit := 10 * (n - i)
		j := shown(int64(1000+i), states[i%len(states)], submit, submit-submit/5, submit-submit/5-submit/3)
		switch j.State {
		case slurm.StatePending:
			j.StartTime, j.EndTime = time.Time{}, time.Time{}
		case slurm.StateRunning:
			j.EndTime = time.Time{}
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// TestJobListOrder: what runs, what waits, both with the oldest first, what nobody knows, what has ended with the latest
// first, what was never seen.
func TestJobListOrder(t *testing.T) {
	html := shownJobs().SimpleRender()["text/html"].(string)
	text, err := rendertest.Markup(html)
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, want := range []string{"train-11\n", "train-1\n", "train-7\n", "train-12\n", "train-2\n", "train-3\n", "train-4\n", "timeless", "train-8\n",
		"train-5\n", "train-10\n", "train-6\n", "train-9\n", "train-11\n", "not seen"} {
		i := strings.Index(text[last+1:], want)
		if i < 0 {
			t.Fatalf("%q is not after %d in %s", want, last, text)
		}
		last += 1 + i
	}
}

// TestLooksAreBounded: 200 rows are shown, and the others counted.
func TestLooksAreBounded(t *testing.T) {
	jobs := manyShown(5000)
	if got := jobs.String(); got != "5000 jobs: 1000 pending, 1000 running, 2000 completed, 1000 failed" {
		t.Error(got)
	}
	nodes := make(slurm.NodeList, 300)
	for kind, tt := range map[string]struct {
		shows any
		rows  string
		more  string
	}{
		"jobs":     {jobs.SimpleRender()["text/html"], "<tr><td style=\"text-align:left\">", "and 4800 more rows"},
		"timeline": {jobs.TimelineAt(morning).SimpleRender()["image/svg+xml"], "<g>", "and 4800 more jobs"},
		"nodes":    {nodes.SimpleRender()["text/html"], "<tr><td style=\"text-align:left\">", "and 100 more nodes"},
	} {
		text := fmt.Sprint(tt.shows)
		if n := strings.Count(text, tt.rows); n != 200 || !strings.Contains(text, tt.more) {
			t.Errorf("%s: %d rows", kind, n)
		}
	}
}

// TestListsShowWhatNeedsAttentionFirst, then the others by name, so that no cut hides it. The list itself stays as it is.
func TestListsShowWhatNeedsAttentionFirst(t *testing.T) {
	var nodes slurm.NodeList
	for i := range 300 {
		nodes = append(nodes, &slurm.Node{Name: fmt.Sprintf("n%d", 300-i), State: slurm.NodeIdle})
	}
	nodes[0].State, nodes[1].State = slurm.NodeFuture, slurm.NodeUnknown // as they should be
	nodes[280].State, nodes[290].Flags = slurm.NodeDown, []slurm.NodeFlag{slurm.NodeDrain}
	nodes = append(nodes, nil)
	before := slices.Clone(nodes)
	for _, tt := range []struct {
		v    look
		want string
	}{
		{nodes, "n10 n20 n1 n2 n3 n4"},
		{slurm.PartitionList{{Name: "p10", States: []string{"UP"}}, nil, {Name: "p9", States: []string{"UP"}}, {Name: "q", States: []string{"DRAIN"}}}, "q p9 p10 no partition"},
		{slurm.LicenseList{nil, {Name: "b"}, {Name: "a", Free: 1}}, "a b no license"},
		{slurm.ControllerList{{Hostname: "b"}, {Hostname: "a", Up: true}}, "b a"},
	} {
		var names []string
		for _, row := range strings.Split(fmt.Sprint(tt.v.SimpleRender()["text/html"]), `<tr><td style="text-align:left">`)[1:] {
			name, _, _ := strings.Cut(row, "<")
			names = append(names, name)
		}
		if got := strings.Join(names, " ") + " "; !strings.HasPrefix(got, tt.want+" ") {
			t.Errorf("%T shows %.100s", tt.v, got)
		}
	}
	if !slices.Equal(nodes, before) {
		t.Error("the list has another order")
	}
}

// TestLooksAreDeterministic, whatever the order of the jobs, also where there are too many of a kind.
func TestLooksAreDeterministic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(morning))
		lists := []slurm.JobList{shownJobs(), nil, nil, nil, nil}
		for i, state := range []slurm.State{slurm.StateRunning, slurm.StatePending, slurm.StateCompleted, "BRAND_NEW"} {
			for n := range 250 { // of which some are of one moment
				lists[i+1] = append(lists[i+1], shown(int64(n), state, 100+n%40, 50, 10))
			}
		}
		for _, jobs := range lists {
			picture, table := jobs.TimelineAt(morning).SVG(), jobs.SimpleRender()["text/html"]
			slices.Reverse(jobs)
			if got := jobs.TimelineAt(morning).SVG(); got != picture {
				t.Error(cmp.Diff(picture, got))
			}
			if got := jobs.SimpleRender()["text/html"]; got != table {
				t.Error(cmp.Diff(table, got))
			}
		}
	})
}

// TestTimelineCounts jobs throughout, as the title does: each task of an array's record is one. Jobs that were never seen
// are counted apart.
func TestTimelineCounts(t *testing.T) {
	array := shown(999, slurm.StatePending, 20, -1, -1)
	array.ArrayJobID, array.ArrayTasks = "999", "0-21"
	jobs := slurm.JobList{nil, array, nil}
	for i := range 210 {
		jobs = append(jobs, shown(int64(i), slurm.StateRunning, 30, 20, -1))
	}
	svg := jobs.TimelineAt(morning).SVG()
	for _, want := range []string{">timeline of 232 jobs from 2026-03-02 11:30:00 to 2026-03-02 12:00:00 UTC, and 2 jobs not seen<", ">and 32 more jobs<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %.600s", want, svg)
		}
	}
	for text, list := range map[string]slurm.JobList{"timeline of no jobs": {}, "timeline of no jobs, and 1 job not seen": {nil}} {
		if got := list.TimelineAt(morning).String(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

// TestTimelineHasNoBareColors: what is drawn in red has a word for it in its row, also if the job runs again.
func TestTimelineHasNoBareColors(t *testing.T) {
	svg := shownJobs().TimelineAt(morning).SVG()
	for _, want := range []string{">RUNNING after NODE_F… 3h10m00s<", "; after NODE_FAIL<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
}

// TestSummaryOfNoState: a record without a state that can be read is counted by a word, as a list and a tally do.
func TestSummaryOfNoState(t *testing.T) {
	s := slurm.SummaryAt(slurm.JobList{{ID: "1", RawID: 1}}, morning)
	checkLook(t, s)
	if text, html := s.String(), fmt.Sprint(s.SimpleRender()["text/html"]); text != "1 job: 1 unknown" || !strings.Contains(html, ">unknown<") {
		t.Errorf("got %q, %s", text, html)
	}
}

// TestTimelineTicks: each span has some labels, at moments that people would choose.
func TestTimelineTicks(t *testing.T) {
	for _, tt := range []struct {
		span time.Duration
		want []string
	}{
		{0, []string{"Mar 2 11:59:30", "11:59:40", "12:00:30"}},
		{4 * time.Second, []string{"Mar 2 11:59:56", "11:59:57", "12:00:00"}},
		{3 * time.Minute, []string{"Mar 2 11:57:00", "11:57:30", "12:00:00"}},
		{5 * time.Hour, []string{"Mar 2 07:00", "08:00", "12:00"}},
		{30 * time.Hour, []string{"Mar 1 06:00", "12:00", "Mar 2 00:00"}},
		{5 * 24 * time.Hour, []string{"2026-02-26", "2026-03-02"}},
		{30 * 24 * time.Hour, []string{"2026-02-02", "2026-02-09", "2026-03-02"}},
		{20000 * 24 * time.Hour, []string{"19", "20"}},
	} {
		job := &slurm.Job{ID: "1", RawID: 1, State: slurm.StateCompleted, SubmitTime: morning.Add(-tt.span), StartTime: morning.Add(-tt.span), EndTime: morning}
		svg := slurm.JobList{job}.TimelineAt(morning).SVG()
		for _, label := range tt.want {
			if !strings.Contains(svg, `text-anchor="middle" font-size="10">`+label) {
				t.Errorf("%s: no tick %s in %s", tt.span, label, svg)
			}
		}
		if n := strings.Count(svg, "<line"); n < 2 || n > 8 {
			t.Errorf("%s: %d ticks", tt.span, n)
		}
	}
}

// TestLooksOfHostileJobs: a long list of the longest texts is bounded as well.
func TestLooksOfHostileJobs(t *testing.T) {
	var jobs slurm.JobList
	for i := range 300 {
		jobs = append(jobs, hostileJob(strings.Repeat("<&\"'\n\u202e", 2000), "PENDING", int64(i), 0, 0))
	}
	for _, v := range []look{jobs, jobs.TimelineAt(morning), slurm.SummaryAt(jobs, morning), jobs[0]} {
		checkLook(t, v)
	}
}

// hostileJob has a text wherever it can be.
func hostileJob(text, state string, submit, start, end int64) *slurm.Job {
	return &slurm.Job{
		ID: slurm.JobID(text), RawID: submit, Name: text, User: text, Account: text, State: slurm.State(state), Flags: []slurm.Flag{slurm.Flag(text)}, Reason: text,
		ReasonDetail: text, Nodes: text, WorkDir: text, ArrayTasks: text, Dependency: text, RestartCount: int(end), NodeCount: int(start),
		SubmitTime: time.Unix(submit, 0), StartTime: time.Unix(start, 0), EndTime: time.Unix(end, 0), ExitCode: slurm.ExitCode{Known: true, Signal: 1, SignalName: text},
		Steps: []slurm.Step{{ID: text, Name: text, State: slurm.State(state), Nodes: []string{text}, Elapsed: time.Duration(end)}},
	}
}

// hostileLooks are what can be shown of such a job, and of other things with its text.
func hostileLooks(job *slurm.Job) []look {
	text, other := job.Name, *job
	other.ID, other.RawID, other.State, other.Hold, other.SubmitTime = "7", 7, slurm.StatePending, true, time.Time{}
	jobs := slurm.JobList{job, &other, nil}
	return []look{
		job, &job.Steps[0], job.Usage(), jobs, jobs.TimelineAt(job.EndTime), jobs.TimelineAt(time.Time{}), slurm.SummaryAt(jobs, job.StartTime),
		&slurm.JobEvent{JobID: job.ID, Job: job, Old: job.State, New: job.State, Err: errors.New(text), Time: job.EndTime},
		&slurm.Submission{JobID: job.ID, UserMessage: text, Warnings: []slurm.Warning{{Description: text, Source: text}}},
		slurm.NodeList{{Name: text, State: slurm.NodeState(text), Reason: text, Partitions: []string{text}}}, &slurm.Node{Name: text, Comment: text},
		slurm.PartitionList{{Name: text, States: []string{text}, Nodes: text, MaxTime: time.Duration(job.EndTime.Unix())}},
		slurm.LicenseList{{Name: text}}, slurm.ControllerList{{Hostname: text, Mode: text}},
	}
}

// FuzzRender: whatever jobs say and whenever they ran, what is shown is well-formed, bounded, and nothing but text.
func FuzzRender(f *testing.F) {
	looks := len(hostileLooks(hostileJob("", "", 0, 0, 0)))
	for i, text := range []string{"train", "<script>alert(1)</script>", "]]>&amp;--><!--", "a\nb\r\x00\x1b[31m", "\xff\xfe\xc3", `"onload='x'`, "\u202e\u2066txt.exe\u2069",
		"\ufffe\uffff\u2028\U0010ffff", strings.Repeat("<&\"'", 250), strings.Repeat("日", 500)} {
		for what := range looks {
			f.Add(uint8(what), text, string(slurm.StateRunning), int64(1760000000), int64(1760000100), int64(1760003600))
		}
		f.Add(uint8(i), text, text, int64(0), int64(-1), int64(1)<<62)
	}
	f.Add(uint8(4), "x", string(slurm.StatePending), int64(1<<40), int64(-1<<62), int64(0))
	f.Fuzz(func(t *testing.T, what uint8, text, state string, submit, start, end int64) {
		v := hostileLooks(hostileJob(text, state, submit, start, end))[int(what)%looks]
		if err := rendertest.Bundle(v.SimpleRender()); err != nil {
			t.Fatalf("%T: %v", v, err)
		}
	})
}

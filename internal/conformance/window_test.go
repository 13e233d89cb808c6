package conformance

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// narrow is a way to Slurm on which no answer for more than some seconds of the accounting gets through.
type narrow struct {
	slurm.Caller
	most    int64
	windows int // that got through
}

var windowOf = regexp.MustCompile(`start_time=uts(\d+)&end_time=uts(\d+)`)

func (n *narrow) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (
	*cluster.SlurmResponse, error,
) {
	if w := windowOf.FindStringSubmatch(req.Path); w != nil {
		start, _ := strconv.ParseInt(w[1], 10, 64)
		end, _ := strconv.ParseInt(w[2], 10, 64)
		if end-start > n.most {
			return nil, &cluster.Error{Op: "call Slurm of", Code: codes.ResourceExhausted, Message: "reply too large"}
		}
		n.windows++
	}
	return n.Caller.CallSlurm(ctx, name, req, opts...)
}

// records tells records apart, with what must not depend on the window that they are asked for in.
func records(jobs []*slurm.Job) []string {
	var all []string
	for _, j := range jobs {
		elapsed := j.Elapsed()
		if j.EndTime.IsZero() {
			elapsed = 0 // goes on while it is read
		}
		all = append(all, fmt.Sprint(j.RawID, j.SubmitTime, j.EligibleTime, j.StartTime, j.EndTime, elapsed, j.State, j.Flags))
	}
	slices.Sort(all)
	return all
}

// requeuedAndCancelled gives a running job two records: one of the run that it was, and one of a run that never came.
func (b *bed) requeuedAndCancelled(id slurm.JobID) {
	b.t.Helper()
	b.requeue(id)
	b.waitsAgain(id)
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
}

// waitsAgain waits until a requeued job has cleaned up behind its run.
func (b *bed) waitsAgain(id slurm.JobID) *slurm.Job {
	b.t.Helper()
	return b.see(id, "waiting again", func(j *slurm.Job) bool { return j.Pending() && !j.Has(slurm.FlagCompleting) })
}

func (b *bed) collect(c *slurm.Client, options *slurm.HistoryOptions) (jobs []*slurm.Job) {
	b.t.Helper()
	for job, err := range c.HistoryJobs(b.ctx, options) {
		b.must("HistoryJobs", err)
		jobs = append(jobs, job)
	}
	return jobs
}

// historyWindows: windows lose nothing and double nothing, wherever their borders are: jobs that run across several of
// them, tasks of an array, both runs of a requeued job, one that never ran, and one that is still running.
func historyWindows(b *bed) {
	start := time.Now().Add(-time.Second)
	requeued := b.submit("sleep 300")
	b.running(requeued)
	b.requeuedAndCancelled(requeued)
	held := b.submit("true", hold)
	ended := []slurm.JobID{b.submit("sleep 8"), b.submit("true"), b.submit("exit 1"), b.submit("sleep 3")}
	tasks := b.submit("sleep 2", array("0-3%2"))
	b.must("Cancel", b.alice.Cancel(b.ctx, held))
	for _, id := range ended {
		b.recorded(id, 1)
	}
	b.recorded(tasks, 4)
	b.recorded(held, 1)
	last := b.submit("sleep 300")
	b.eventually("the last job to be on record as running", func() (any, bool) {
		jobs, err := b.alice.History(b.ctx, last)
		return jobs, err == nil && jobs[0].Running()
	})
	end := time.Now().Add(2 * time.Second).Truncate(time.Second)
	for what, test := range map[string]struct {
		states []slurm.State
		least  int
	}{
		"any state": {nil, 10},
		"ends":      {[]slurm.State{slurm.StateCompleted, slurm.StateFailed, slurm.StateCancelled}, 9},
		"mixed":     {[]slurm.State{slurm.StateRunning, slurm.StateCompleted}, 8},
		"running":   {[]slurm.State{slurm.StateRunning}, 1},
	} {
		options := slurm.HistoryOptions{Names: []string{b.name}, Start: start, End: end, States: test.states, PageSize: 1}
		want, err := b.alice.ListHistory(b.ctx, &options)
		b.must("ListHistory", err)
		if len(want) < test.least {
			b.t.Errorf("%s: ListHistory has %d records, want at least %d: %v", what, len(want), test.least, want)
		}
		for _, most := range []int64{1, 3, 7} {
			way := &narrow{Caller: b.caller("alice"), most: most}
			c, err := slurm.NewClient(way, "training")
			b.must("NewClient", err)
			if got := records(b.collect(c, &options)); !slices.Equal(got, records(want)) {
				b.t.Errorf("%s, windows of %d s:\n%q\nListHistory:\n%q", what, most, got, records(want))
			}
			if way.windows < int(end.Sub(start).Seconds())/8 {
				b.t.Errorf("%s: only %d windows", what, way.windows)
			}
		}
		// In two parts, as after a failure.
		for border := start.Truncate(time.Second).Add(time.Second); border.Before(end); border = border.Add(3 * time.Second) {
			first, second := options, options
			first.End = border
			second.Start, second.Fresh = border, true
			all := b.collect(b.alice, &first)
			if test.states != nil && what != "ends" {
				continue // what runs belongs to its start and what has ended to its end
			}
			// The end of a whole query takes in jobs of that very second that a border within one leaves to the rest.
			all = slices.DeleteFunc(all, func(j *slurm.Job) bool {
				return what == "ends" && j.EndTime.Equal(border) || what != "ends" && j.EligibleTime.Equal(border)
			})
			all = append(all, b.collect(b.alice, &second)...)
			if got := records(all); !slices.Equal(got, records(want)) {
				b.t.Errorf("%s, in two parts at %v:\n%q\nListHistory:\n%q", what, border, got, records(want))
			}
		}
	}
}

// historyTimes: a list tells of a job what its own record tells, whatever the window, and of all its runs. Slurm's own
// default would cut times to the window, and leave earlier runs out.
func historyTimes(b *bed) {
	id := b.submit("sleep 300")
	b.eventually("a running record", func() (any, bool) {
		jobs, err := b.alice.History(b.ctx, id)
		return jobs, err == nil && jobs[0].Running()
	})
	list := func(steps bool, start, end time.Time) []*slurm.Job {
		jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}, Steps: steps, Start: start, End: end})
		b.must("ListHistory", err)
		return jobs
	}
	for _, steps := range []bool{false, true} {
		for _, j := range list(steps, time.Time{}, time.Time{}) {
			equal(b, "end of a running job", j.EndTime, time.Time{})
		}
	}
	b.requeuedAndCancelled(id)
	done := b.submit("sleep 5")
	one := b.recorded(done, 1)[0]
	for _, steps := range []bool{false, true} {
		jobs := list(steps, one.StartTime.Add(time.Second), one.EndTime.Add(-time.Second))
		i := slices.IndexFunc(jobs, func(j *slurm.Job) bool { return j.ID == done })
		if i < 0 {
			b.t.Fatalf("job %s is not in %v", done, jobs)
		}
		equal(b, "start", jobs[i].StartTime, one.StartTime)
		equal(b, "end", jobs[i].EndTime, one.EndTime)
		equal(b, "elapsed", jobs[i].Elapsed(), one.Elapsed())
	}
	b.eventually("both runs of the requeued job", func() (any, bool) {
		jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{JobIDs: []slurm.JobID{id}})
		b.must("ListHistory", err)
		return jobs, len(jobs) == 2 && jobs[0].SubmitTime.Before(jobs[1].SubmitTime) && jobs[1].State == slurm.StateCancelled
	})
}

func historyFilters(b *bed) {
	plain := b.submit("true", on("a4"))
	keyed := b.submit("true", func(s *slurm.JobSpec) { s.WCKey = b.name })
	held := b.submit("true", hold)
	tasks := b.submit("true", array("0-1"))
	het, err := b.alice.SubmitHet(b.ctx, []*slurm.JobSpec{b.spec("true"), {Name: b.name, WorkingDirectory: "/home/alice"}})
	b.must("SubmitHet", err)
	b.cancelAfter(b.alice, het.JobID)
	b.recorded(plain, 1)
	b.recorded(keyed, 1)
	b.recorded(tasks, 2)
	b.recorded(het.JobID, 2)
	name := []string{b.name}
	node := b.recorded(plain, 1)[0].Nodes
	other := map[string]string{"g1": "g2", "g2": "g1"}[node]
	for what, test := range map[string]struct {
		options slurm.HistoryOptions
		want    int
	}{
		"ids":                  {slurm.HistoryOptions{JobIDs: []slurm.JobID{plain, keyed}}, 2},
		"the id of a held job": {slurm.HistoryOptions{JobIDs: []slurm.JobID{held}}, 1},
		"the id of an array":   {slurm.HistoryOptions{JobIDs: []slurm.JobID{tasks}}, 2},
		"the id of a task":     {slurm.HistoryOptions{JobIDs: []slurm.JobID{tasks.WithTask(1)}}, 1},
		"a leader":             {slurm.HistoryOptions{JobIDs: []slurm.JobID{het.JobID}}, 2},
		"a component":          {slurm.HistoryOptions{JobIDs: []slurm.JobID{het.JobID + "+1"}}, 1},
		"an unknown id":        {slurm.HistoryOptions{JobIDs: []slurm.JobID{unknown}}, 0},
		"an id and a name":     {slurm.HistoryOptions{JobIDs: []slurm.JobID{plain}, Names: []string{"nope"}}, 0},
		"group":                {slurm.HistoryOptions{Names: name, Groups: []string{"alice"}}, 6},
		"other group":          {slurm.HistoryOptions{Names: name, Groups: []string{"bob"}}, 0},
		"QOS":                  {slurm.HistoryOptions{Names: name, QOS: []string{"normal"}}, 6},
		"other QOS":            {slurm.HistoryOptions{Names: name, QOS: []string{"high"}}, 0},
		"key":                  {slurm.HistoryOptions{WCKeys: name}, 1},
		"cluster":              {slurm.HistoryOptions{Names: name, Clusters: []string{"realslurm"}}, 6},
		"other cluster":        {slurm.HistoryOptions{Names: name, Clusters: []string{"elsewhere"}}, 0},
		"node":                 {slurm.HistoryOptions{Names: name, Nodes: []string{node}}, 1},
		"other node":           {slurm.HistoryOptions{Names: name, Nodes: []string{other}}, 0},
		"nodes":                {slurm.HistoryOptions{Names: name, Nodes: []string{"g[1-2]"}}, 1},
		"several lists":        {slurm.HistoryOptions{Names: name, Nodes: []string{"g[1-2]", "n1", "n2"}}, 6},
	} {
		jobs, err := b.alice.ListHistory(b.ctx, &test.options)
		b.must("ListHistory by "+what, err)
		if len(jobs) != test.want {
			b.t.Errorf("by %s there are %v, want %d", what, jobs, test.want)
		}
		equal(b, "HistoryJobs by "+what, len(b.collect(b.alice, &test.options)), test.want)
	}
}

// historyUsage: the accounting measures what runs for long enough, and tells it once it has ended.
func historyUsage(b *bed) {
	long, short := b.submit("sleep 14"), b.submit("sleep 1")
	b.running(long)
	b.eventually("a running record", func() (any, bool) {
		jobs, err := b.alice.History(b.ctx, long)
		return jobs, err == nil && jobs[0].Running() && len(jobs[0].Usage().Missing) == 2
	})
	u := b.recorded(long, 1)[0].Usage()
	cpu, ok1 := u.CPUEfficiency()
	memory, ok2 := u.MemoryEfficiency()
	if len(u.Missing) > 0 || !ok1 || !ok2 || cpu <= 0 || cpu > 0.2 || memory <= 0.001 || memory > 0.5 || u.Memory < 1<<20 ||
		u.MaxRSS.Count != u.Memory || u.MaxRSS.Node == "" || u.MaxRSSStep != string(long)+".batch" || u.Elapsed < 13*time.Second {
		b.t.Errorf("used %+v, %v and %v of it", u, cpu, memory)
	}
	equal(b, "CPU time of the parts", u.UserCPUTime+u.SystemCPUTime, u.CPUTime)
	if v := b.recorded(short, 1)[0].Usage(); !v.CPUMeasured || v.MemoryMeasured || len(v.Missing) != 1 {
		b.t.Errorf("a short job used %+v", v)
	}
	jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}})
	b.must("ListHistory", err)
	for _, j := range jobs {
		equal(b, "missing in a list without steps", len(j.Usage().Missing), 2)
	}
}

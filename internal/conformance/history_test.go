package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func historyCases() []testCase {
	return []testCase{
		{name: "history/pending and running", test: historyOpen},
		{name: "history/job leaves the queue", test: historyLeaves},
		{name: "history/unknown job", test: historyUnknown},
		{name: "history/wait for an unknown job", test: waitUnknown},
		{name: "history/query", test: historyQuery},
		{name: "history/query at once", test: historyQueryAtOnce},
		{name: "history/query by time", test: historyQueryByTime},
		{name: "history/query of nothing", test: historyQueryNothing},
		{name: "history/steps", test: historySteps},
		{name: "history/times in a list", test: historyTimes},
		{name: "history/filters", test: historyFilters},
		{name: "history/windows", test: historyWindows},
		{name: "history/usage", test: historyUsage},
	}
}

func historyOpen(b *bed) {
	id := b.submit("sleep 300", hold)
	var record *slurm.Job
	see := func(state slurm.State) {
		b.eventually("the record to be "+string(state), func() (any, bool) {
			jobs, err := b.alice.History(b.ctx, id)
			if err != nil || len(jobs) != 1 {
				return err, false // a new job may not be there yet
			}
			record = jobs[0]
			return record, record.State == state
		})
	}
	see(slurm.StatePending)
	equal(b, "id", record.ID, id)
	equal(b, "nodes", record.Nodes, "")
	equal(b, "start", record.StartTime.IsZero(), true)
	equal(b, "end", record.EndTime.IsZero(), true)
	equal(b, "ended", record.Ended(), false)
	b.must("Release", b.alice.Release(b.ctx, id))
	job := b.running(id)
	see(slurm.StateRunning)
	equal(b, "nodes", record.Nodes, job.Nodes)
	equal(b, "start", record.StartTime.Equal(job.StartTime), true)
	equal(b, "end", record.EndTime.IsZero(), true)
	equal(b, "exit code known", record.ExitCode.Known, false)
}

func historyLeaves(b *bed) {
	id := b.submit("exit 6")
	b.ended(id)
	b.gone(id)
	_, err := b.alice.Get(b.ctx, id)
	b.refused("Get", err, slurm.ErrNotFound, 2017)
	b.refused("Signal", b.alice.Signal(b.ctx, id, "USR1"), slurm.ErrNotFound, 2017)
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	equal(b, "jobs in the list", len(jobs), 0)
	b.count("records", len(b.recorded(id, 1)), 1)
	job, failed := b.wait(id)
	equal(b, "failed", failed != nil, true)
	equal(b, "source", job.Source, slurm.SourceAccounting)
	equal(b, "exit code", job.ExitCode.Code, 6)
}

func historyUnknown(b *bed) {
	_, err := b.alice.Get(b.ctx, unknown)
	b.refused("Get", err, slurm.ErrNotFound, 2017)
	_, err = b.alice.GetAll(b.ctx, unknown)
	b.refused("GetAll", err, slurm.ErrNotFound, 2017)
	_, err = b.alice.Get(b.ctx, unknown.WithTask(3))
	b.refused("Get", err, slurm.ErrNotFound, 0)
	for _, id := range []slurm.JobID{unknown, unknown.WithTask(3), unknown + "+1"} {
		jobs, err := b.alice.History(b.ctx, id)
		b.refused("History", err, slurm.ErrNotFound, 0)
		equal(b, "records", len(jobs), 0)
	}
}

func waitUnknown(b *bed) {
	job, err := b.alice.Wait(b.ctx, unknown, pace)
	b.refused("Wait", err, slurm.ErrJobLost, 0)
	b.refused("Wait", err, slurm.ErrNotFound, 0)
	if job != nil {
		b.t.Errorf("Wait returns %v", job)
	}
}

func historyQuery(b *bed) {
	start := time.Now().Add(-time.Second)
	good, bad := b.submit("true", on("a4")), b.submit("exit 1")
	held := b.submit("true", hold)
	b.recorded(good, 1)
	b.recorded(bad, 1)
	name := []string{b.name}
	tests := map[string]struct {
		options slurm.HistoryOptions
		want    []slurm.JobID
	}{
		"name":           {slurm.HistoryOptions{Names: name}, []slurm.JobID{good, bad}},
		"COMPLETED":      {slurm.HistoryOptions{Names: name, States: []slurm.State{slurm.StateCompleted}}, []slurm.JobID{good}},
		"FAILED":         {slurm.HistoryOptions{Names: name, States: []slurm.State{slurm.StateFailed}}, []slurm.JobID{bad}},
		"two states":     {slurm.HistoryOptions{Names: name, States: []slurm.State{slurm.StateFailed, slurm.StateCompleted}}, []slurm.JobID{good, bad}},
		"PENDING":        {slurm.HistoryOptions{Names: name, States: []slurm.State{slurm.StatePending}}, nil},
		"user":           {slurm.HistoryOptions{Names: name, Users: []string{"alice"}}, []slurm.JobID{good, bad}},
		"other user":     {slurm.HistoryOptions{Names: name, Users: []string{"bob"}}, nil},
		"two users":      {slurm.HistoryOptions{Names: name, Users: []string{"alice,bob"}}, []slurm.JobID{good, bad}},
		"partition":      {slurm.HistoryOptions{Names: name, Partitions: []string{"a4"}}, []slurm.JobID{good}},
		"account":        {slurm.HistoryOptions{Names: name, Accounts: []string{"research"}}, []slurm.JobID{good, bad}},
		"window":         {slurm.HistoryOptions{Names: name, Start: start, End: time.Now().Add(time.Minute)}, []slurm.JobID{good, bad}},
		"earlier window": {slurm.HistoryOptions{Names: name, Start: start.Add(-2 * time.Hour), End: start.Add(-time.Hour)}, nil},
	}
	for what, test := range tests {
		if test.options.End.IsZero() {
			test.options.End = time.Now().Add(time.Minute)
		}
		jobs, err := b.alice.ListHistory(b.ctx, &test.options)
		b.must("ListHistory by "+what, err)
		equal(b, "jobs by "+what, ids(jobs), fmt.Sprint(test.want))
	}
	if jobs, err := b.alice.History(b.ctx, held); err != nil || len(jobs) != 1 {
		b.t.Errorf("a held job, which no window holds, by its id: %v, %v", jobs, err)
	}
}

// historyQueryAtOnce: a query without an end reaches to now, this second included. Slurm counts in seconds, so that it
// takes some jobs for one of them to start in the second of its submit.
func historyQueryAtOnce(b *bed) {
	for range 5 {
		id := b.submit("sleep 300")
		b.eventually("a running record", func() (any, bool) {
			jobs, err := b.alice.History(b.ctx, id)
			return jobs, err == nil && jobs[0].Running()
		})
		jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}})
		b.must("ListHistory", err)
		if !slices.ContainsFunc(jobs, func(j *slurm.Job) bool { return j.ID == id }) {
			b.t.Errorf("job %s is not among %s", id, ids(jobs))
		}
	}
}

// historyQueryByTime: what belongs to a window is a job that became eligible before its end, and did not end before
// its start. With states, the job must have ended by its end.
func historyQueryByTime(b *bed) {
	id := b.submit("sleep 4")
	record := b.recorded(id, 1)[0]
	hour, done := time.Hour, []slurm.State{slurm.StateCompleted}
	for _, test := range []struct {
		what       string
		start, end time.Time
		states     []slurm.State
		found      bool
	}{
		{"to its eligible time", record.EligibleTime.Add(-hour), record.EligibleTime, nil, false},
		{"to a second later", record.EligibleTime.Add(-hour), record.EligibleTime.Add(time.Second), nil, true},
		{"by state, to before its end", record.EligibleTime.Add(-hour), record.EndTime.Add(-time.Second), done, false},
		{"by state, to its end", record.EligibleTime.Add(-hour), record.EndTime, done, true},
		{"from before its end", record.EndTime.Add(-time.Second), record.EndTime.Add(hour), nil, true},
		{"from its end", record.EndTime, record.EndTime.Add(hour), nil, true},
		{"from a second later", record.EndTime.Add(time.Second), record.EndTime.Add(hour), nil, false},
		{"by state, from its end", record.EndTime, record.EndTime.Add(hour), done, true},
		{"by state, from a second later", record.EndTime.Add(time.Second), record.EndTime.Add(hour), done, false},
	} {
		jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{
			Names: []string{b.name}, Start: test.start, End: test.end, States: test.states,
		})
		b.must("ListHistory", err)
		equal(b, "found "+test.what, len(jobs) == 1, test.found)
	}
}

func ids(jobs []*slurm.Job) string {
	var ids []slurm.JobID
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	slices.SortFunc(ids, func(a, b slurm.JobID) int { return strings.Compare(string(a), string(b)) })
	return fmt.Sprint(ids)
}

func historyQueryNothing(b *bed) {
	jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}})
	b.must("ListHistory", err)
	equal(b, "jobs", len(jobs), 0)
	_, err = b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Users: []string{"nobody-here"}})
	b.refused("ListHistory of an unknown user", err, slurm.ErrInvalid, 2166)
}

func historySteps(b *bed) {
	id := b.submit("sleep 1")
	record := b.recorded(id, 1)[0]
	b.count("steps", len(record.Steps), 1)
	step := record.Steps[0]
	equal(b, "step", step.ID, string(id)+".batch")
	equal(b, "state of the step", step.State, slurm.StateCompleted)
	for _, steps := range []bool{false, true} {
		jobs, err := b.alice.ListHistory(b.ctx, &slurm.HistoryOptions{Names: []string{b.name}, Steps: steps})
		b.must("ListHistory", err)
		if len(jobs) != 1 || (len(jobs[0].Steps) == 1) != steps {
			b.t.Errorf("with Steps %t: %v", steps, jobs)
		}
	}
}

package slurm

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultHistoryWindow is how far [Client.ListHistory] looks back when it is given no start.
const DefaultHistoryWindow = 24 * time.Hour

// History reads a job from the accounting, which knows jobs from moments after their submit on, and keeps them when
// they have left the live queue. The records come oldest first. A job that was requeued has one for each run, all
// with the same id; the last one is what became of the job. An array has one for each task that has started, and a
// heterogeneous job one for each component. The id of a single task or component gives just that.
//
// Until a heterogeneous job starts, the accounting does not know what belongs to it: the id of the leader gives the
// leader alone, without a HetJobID, and that of a component, such as "42+1", is not found. [Client.GetAll] tells.
//
// If the accounting does not know the job, the error matches [ErrNotFound]. Old records are removed at some time, and
// Slurm uses job numbers again after a few million jobs: SubmitTime tells such jobs apart.
//
// Jobs that come with an error matching [ErrPartial] are valid.
func (c *Client) History(ctx context.Context, id JobID) ([]*Job, error) {
	id, err := id.check()
	if err != nil {
		return nil, err
	}
	name := id
	if _, het := id.HetOffset(); het {
		name = id.job()
	}
	r, err := c.read(ctx, "get history of job "+string(id), c.history("job/"+string(name)))
	if err != nil {
		return nil, named(err, id)
	}
	jobs, err := r.jobsOf(id, decodeHistoryJobs)
	bySubmitTime(jobs)
	return jobs, err
}

// bySubmitTime puts the runs of a requeued job in order. Slurm sends them so; tasks that were submitted together
// keep their order.
func bySubmitTime(jobs []*Job) {
	slices.SortStableFunc(jobs, func(a, b *Job) int { return a.SubmitTime.Compare(b.SubmitTime) })
}

// HistoryOptions chooses jobs of the accounting. Within a field one match is enough; fields are combined. Empty
// values are ignored. A value of Users, Accounts and Partitions may hold several with commas.
type HistoryOptions struct {
	Users      []string // names or numbers
	Accounts   []string
	Partitions []string
	Names      []string
	States     []State // what the jobs are now, not what they were within the window

	// Start and End bound the time in which a job waited to start or ran. Without an End it is now, without a
	// Start it is [DefaultHistoryWindow] before End: the accounting of a cluster holds millions of jobs, there are
	// no pages, and Slurm's REST daemon does not give back the memory that a large answer takes. Both are
	// rounded down to seconds. A job is found if it could start before End and had not ended before Start; with
	// States it must also have ended by End. Jobs that are held, or wait for others, have not begun to wait in
	// this sense, and are not found.
	Start, End time.Time

	Steps bool // read the jobs' steps as well, which makes the answer half as large again
	Raw   bool // keep each job's record as it came in Job.Raw, and with them the whole answer in memory
}

// ListHistory reads the jobs of a stretch of time from the accounting, those that still wait or run included. A
// requeued job has a record for each run. For the history of one job use [Client.History].
//
// Slurm does not know all names a filter may hold, and then leaves it out with a warning; the filters are
// therefore applied here once more. Jobs that come with an error matching [ErrPartial] are valid.
func (c *Client) ListHistory(ctx context.Context, opts *HistoryOptions) ([]*Job, error) {
	if opts == nil {
		opts = &HistoryOptions{}
	}
	query, err := opts.query(time.Now())
	if err != nil {
		return nil, err
	}
	r, err := c.read(ctx, "list history", c.history("jobs/?"+query))
	if err != nil {
		return nil, err
	}
	for _, w := range r.warnings {
		// An empty list needs no warning that it is empty.
		if !strings.HasSuffix(w.Description, "found nothing") {
			c.warn([]Warning{w})
		}
	}
	jobs, err := r.jobs(decodeHistoryJobs)
	jobs = slices.DeleteFunc(jobs, func(j *Job) bool { return !opts.match(j) })
	if !opts.Raw {
		for _, j := range jobs {
			j.Raw = nil
		}
	}
	return jobs, err
}

// query is what Slurm can filter itself. Names are repeated for several values, since it takes no commas; times
// are always there, both of them, since without both it ignores a filter for states.
func (o *HistoryOptions) query(now time.Time) (string, error) {
	end, last := o.End, o.End
	if end.IsZero() {
		// Slurm's end is exclusive and its clock is another: a job that starts this second belongs to the window.
		end, last = now, now.Add(clockSkew)
	}
	start := o.Start
	if start.IsZero() {
		start = end.Add(-DefaultHistoryWindow)
	}
	if !start.Before(end) {
		c := &checker{}
		c.add("Start", "%s is not before End, %s", start.Format(time.RFC3339), end.Format(time.RFC3339))
		return "", c.err("list history")
	}
	var q queryString
	q.add("users", split(o.Users)...)
	q.add("account", split(o.Accounts)...)
	q.add("partition", split(o.Partitions)...)
	if names := nonEmpty(o.Names); !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ",") }) {
		q.add("job_name", names...)
	}
	q.add("state", o.queryStates()...)
	q.add("start_time", unixTime(start))
	q.add("end_time", unixTime(last))
	if !o.Steps {
		q.add("skip_steps", "true")
	}
	return strings.Join(q, "&"), nil
}

// unixTime is an instant in the one form that all versions of the API read: before v0.0.42 they refuse bare seconds in a
// query. Slurm takes no less than a million of them, the 12th of January 1970, which is as good as any earlier time.
func unixTime(t time.Time) string { return fmt.Sprintf("uts%d", max(t.Unix(), 1_000_000)) }

// queryStates leaves out all states if one is among them that Slurm does not filter by: a filter for the others
// would lose its jobs. To PENDING it answers with all jobs, to an unknown name with all jobs and a failure.
func (o *HistoryOptions) queryStates() []string {
	var states []string
	for _, s := range nonEmpty(o.States) {
		s = State(strings.ToUpper(string(s)))
		if s == StatePending || !s.known() {
			return nil
		}
		states = append(states, string(s))
	}
	return states
}

func (o *HistoryOptions) match(j *Job) bool {
	users := split(o.Users)
	// Records have the user's name only, so that numbers must be left to Slurm.
	numbered := slices.ContainsFunc(users, func(u string) bool { _, err := strconv.Atoi(u); return err == nil })
	return (numbered || anyOf(users, j.User)) && anyOf(split(o.Accounts), j.Account) && anyOf(nonEmpty(o.Names), j.Name) &&
		anyOf(split(o.Partitions), split([]string{j.Partition})...) && anyState(o.States, j.State)
}

// queryString is a query in the order it was made, so that equal options give equal requests.
type queryString []string

func (q *queryString) add(name string, values ...string) {
	for _, value := range values {
		// A plus sign means a space in some readers of queries and a plus sign in others.
		*q = append(*q, fmt.Sprintf("%s=%s", name, strings.ReplaceAll(url.QueryEscape(value), "+", "%20")))
	}
}

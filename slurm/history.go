package slurm

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
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
func (c *Client) History(ctx context.Context, id JobID) (JobList, error) {
	id, err := id.check("get history of job")
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

// noRecord is the error of [Client.History] for a job that was not found when many were looked up at once.
func (c *Client) noRecord(id JobID) error {
	return notFound(&reply{status: http.StatusOK, op: "get history of job " + string(id), method: http.MethodGet,
		path: c.history("jobs/")}, id)
}

// bySubmitTime puts the runs of a requeued job in order. Slurm sends them so; tasks that were submitted together
// keep their order.
func bySubmitTime(jobs []*Job) {
	slices.SortStableFunc(jobs, func(a, b *Job) int { return a.SubmitTime.Compare(b.SubmitTime) })
}

// HistoryOptions chooses jobs of the accounting. Within a field one match is enough; fields are combined. Empty
// values are ignored. A value of Users, Accounts, Partitions, QOS and WCKeys may hold several with commas.
type HistoryOptions struct {
	// JobIDs names jobs, arrays, array tasks and components of heterogeneous jobs. Held jobs are found too then, and
	// without a Start there is none: a job is looked for as far back as the accounting goes. Some 3,000 fit into a query.
	JobIDs     []JobID
	Users      []string // names or numbers
	Groups     []string // filtered here, not by Slurm: its REST daemon crashes when it is asked for groups
	Accounts   []string
	Partitions []string
	QOS        []string // names; filtered here, not by Slurm, which knows only their numbers
	WCKeys     []string
	Clusters   []string // of those that share the accounting; without any, the cluster of this client
	Nodes      []string // names, or lists such as "g[1-2]": jobs that had one of these nodes
	Names      []string
	States     []State // what the jobs are now, not what they were within the window

	// Start and End bound the time in which a job waited to start or ran. Without an End it is now, without a
	// Start it is [DefaultHistoryWindow] before End: the accounting of a cluster holds millions of jobs, there are
	// no pages, and Slurm's REST daemon does not give back the memory that a large answer takes. Both are
	// rounded down to seconds. A job is found if it could start before End and had not ended before Start; with
	// States it must also have ended by End. Jobs that are held, or wait for others, have not begun to wait in
	// this sense, and are not found.
	Start, End time.Time

	Steps bool // read the jobs' steps as well, which [Job.Usage] needs, and which makes the answer half as large again
	Raw   bool // keep each job's record as it came in Job.Raw, and with them the whole answer in memory

	// Fresh leaves out jobs that belong to the time before Start: those that could start before it, or, where all of
	// States are ends, that ended before it. [Client.HistoryJobs] then goes on where another has stopped. Without a Start
	// it has no effect.
	Fresh bool

	// PageSize is about how many new jobs [Client.HistoryJobs] wants from a request, 1,000 if it is 0 or less. Nothing
	// else uses it.
	PageSize int
}

// ListHistory reads the jobs of a stretch of time from the accounting, those that still wait or run included. A
// requeued job has a record for each run. For the history of one job use [Client.History], and where there may be more
// than some thousand jobs [Client.HistoryJobs], which asks for less at a time.
//
// Slurm does not know all names a filter may hold, and then leaves it out with a warning; the filters are
// therefore applied here once more. Jobs that come with an error matching [ErrPartial] are valid.
func (c *Client) ListHistory(ctx context.Context, opts *HistoryOptions) (JobList, error) {
	if opts == nil {
		opts = &HistoryOptions{}
	}
	w, err := opts.window(time.Now())
	if err != nil {
		return nil, err
	}
	return c.readHistory(ctx, opts, w)
}

// readHistory reads the jobs of one window, in Slurm's order.
func (c *Client) readHistory(ctx context.Context, opts *HistoryOptions, w window) ([]*Job, error) {
	query, err := opts.query(w)
	if err != nil {
		return nil, err
	}
	path := c.history("jobs/?" + query)
	return readWhole(ctx, func() ([]*Job, error) { return c.readWindow(ctx, opts, path) })
}

// readWindow reads such a list once. One that is cut is none: what is missing would pass for jobs that never were.
func (c *Client) readWindow(ctx context.Context, opts *HistoryOptions, path string) ([]*Job, error) {
	var jobs []*Job
	answer, err := c.eachRecord(ctx, opListHistory, path, func(d *decoder, record *jsonx.Object) error {
		job := d.historyJob(record)
		job.keepRaw(opts.Raw)
		if opts.match(job) {
			jobs = append(jobs, job)
		}
		return nil
	})
	switch {
	case answer == nil:
		return nil, err
	case !answer.whole:
		if e, ok := errors.AsType[*Error](err); ok {
			e.Partial = false
		}
		return nil, err
	}
	for _, w := range answer.reply.warnings {
		// An empty list needs no warning that it is empty.
		if !strings.HasSuffix(w.Description, "found nothing") {
			c.warn([]Warning{w})
		}
	}
	return jobs, err
}

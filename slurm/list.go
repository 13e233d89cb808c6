package slurm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/iterator"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// ListOptions chooses jobs of the live queue. The zero value chooses all. Within a field one match is enough;
// fields are combined. Empty values are ignored, and a value of Users, Accounts and Partitions may hold several with
// commas. Slurm cannot choose jobs of the queue itself: it sends all of them, and those that are not wanted are dropped
// as they come.
type ListOptions struct {
	Users      []string
	Accounts   []string
	Partitions []string // jobs that run in one of them, or that wait and may
	Names      []string
	States     []State // base states

	// Since drops jobs that were submitted before. Slurm counts in whole seconds, so it is rounded down to one. A
	// requeue is a new submit to Slurm. The zero value drops none.
	Since time.Time

	Raw bool // keep each job's record as it came in Job.Raw, some 5 kB each
}

// listTries is how often List reads a list that breaks off on the way.
const listTries = 3

// List reads the live queue: the jobs of all users that wait or run, and those that ended some minutes ago. There
// are no pages and Slurm filters nothing, so that a call costs it the whole queue: some 5 kB per job. To follow
// particular jobs, use [Client.WaitAll] or [Client.Get]. The answer is decoded while it arrives, and what is kept of it
// is the jobs that are wanted.
//
// Jobs that come with an error matching [ErrPartial] are valid; others may be missing. A list that breaks off on the
// way is read again, twice at most.
func (c *Client) List(ctx context.Context, opts *ListOptions) (JobList, error) {
	return readWhole(ctx, func() ([]*Job, error) { return c.JobIterator(ctx, opts).all() })
}

// readWhole reads a list until it comes without breaking off, listTries times at most.
func readWhole(ctx context.Context, read func() ([]*Job, error)) ([]*Job, error) {
	for try := 1; ; try++ {
		jobs, err := read()
		if try == listTries || ctx.Err() != nil || !brokeOff(err) {
			return jobs, err
		}
	}
}

// brokeOff reports whether err is the transient failure of an answer that had begun.
func brokeOff(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Err != nil && e.Transient()
}

// Done is what the Next of a [JobIterator], a [HistoryIterator] or a [Watcher] returns at the end. It is iterator.Done of google.golang.org/api.
var Done = iterator.Done

// Jobs is [Client.List] as a sequence: the same call, made when the sequence is first asked for an element, but each
// job is made when its turn comes, so that memory stays the same however long the queue is. A loop that ends early ends
// the call. An error is the last element, with a nil job; the jobs before it are valid if it matches [ErrPartial].
//
// The call lasts as long as the loop, and a list that breaks off is not read again, since jobs of it are out already:
// the error says after how many, and its Transient method that another attempt may well succeed. ctx is that of the
// whole. Without a deadline, each single wait for more of the list is bounded by two minutes; the time that the loop
// takes for a job does not count. The service may end a call that goes on for too long, so collect the jobs first,
// with List, if there is much to do for each.
func (c *Client) Jobs(ctx context.Context, opts *ListOptions) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		it := c.JobIterator(ctx, opts)
		defer it.Stop()
		for {
			job, err := it.Next()
			if err == Done || !yield(job, err) || err != nil {
				return
			}
		}
	}
}

// JobIterator is [Client.Jobs] for callers that cannot range over functions. It makes no call.
func (c *Client) JobIterator(ctx context.Context, opts *ListOptions) *JobIterator {
	if opts == nil {
		opts = &ListOptions{}
	}
	return &JobIterator{ctx: ctx, client: c, filter: opts.filter(), raw: opts.Raw}
}

// JobIterator goes through the live queue, job by job. It is not safe for concurrent use.
type JobIterator struct {
	ctx     context.Context // of the list, whose one call is made by the first Next
	client  *Client
	filter  *jobFilter
	raw     bool
	records *recordStream // nil before the call and after the end
	sketch  Job           // of a record, for the filter
	end     error         // what Next goes on returning
}

// Next returns the next job, and [Done] after the last one. The first call asks for the queue, the later ones read on,
// and block until there is enough of the answer. After an error, Done included, it returns the same error again.
func (it *JobIterator) Next() (*Job, error) {
	if it.end == nil && it.records == nil {
		it.records, it.end = it.client.records(it.ctx, "list jobs", it.client.live("jobs/"))
	}
	for it.end == nil {
		record, err := it.records.next()
		if err == io.EOF {
			err = it.records.verdict()
			if err == nil {
				err = Done
			}
		}
		if err != nil {
			it.finish(err)
			break
		}
		if job := it.job(record); job != nil {
			return job, nil
		}
	}
	return nil, it.end
}

// Stop ends the list early, and frees what it holds: Next returns [Done] from then on. After an error of Next, Done
// included, it does nothing. An iterator that is neither stopped nor read to such an error keeps its connection until
// its context ends.
func (it *JobIterator) Stop() {
	if it.end == nil {
		it.finish(Done)
	}
}

// finish ends the list, and keeps nothing of it: callers may keep the iterator.
func (it *JobIterator) finish(end error) {
	if it.records != nil {
		it.records.close()
	}
	it.end, it.records, it.sketch = end, nil, Job{}
}

// job makes the job of a record, or nil if it is not wanted.
func (it *JobIterator) job(record *jsonx.Object) *Job {
	d := &it.records.decoder
	if it.filter != nil {
		if d.liveSketch(&it.sketch, record); !it.filter.match(&it.sketch) {
			return nil
		}
	}
	job := d.liveJob(record)
	job.keepRaw(it.raw)
	return job
}

// keepRaw makes the record of a job that came in a stream, where the next one overwrites it, the job's own or nothing.
func (j *Job) keepRaw(keep bool) {
	if !keep {
		j.Raw = nil
	}
	j.Raw = bytes.Clone(j.Raw)
}

// all collects what is left.
func (it *JobIterator) all() ([]*Job, error) {
	var jobs []*Job
	for {
		job, err := it.Next()
		switch {
		case err == Done:
			return jobs, nil
		case err != nil:
			return jobs, err
		}
		jobs = append(jobs, job)
	}
}

// jobFilter is a ListOptions made ready for many jobs.
type jobFilter struct {
	users, accounts, partitions, names []string
	states                             []State
	since                              time.Time
}

// filter returns nil if all jobs are wanted.
func (o *ListOptions) filter() *jobFilter {
	f := &jobFilter{
		users: split(o.Users), accounts: split(o.Accounts), partitions: split(o.Partitions),
		names: nonEmpty(o.Names), states: nonEmpty(o.States), since: o.Since.Truncate(time.Second),
	}
	if len(f.users)+len(f.accounts)+len(f.partitions)+len(f.names)+len(f.states) == 0 && f.since.IsZero() {
		return nil
	}
	return f
}

// match looks at nothing but what [filterMembers] names.
func (f *jobFilter) match(j *Job) bool {
	return anyOf(f.users, j.User) && anyOf(f.accounts, j.Account) && anyOf(f.names, j.Name) && anyState(f.states, j.State) &&
		!j.SubmitTime.Before(f.since) &&
		(len(f.partitions) == 0 || anyOf(f.partitions, split([]string{j.Partition})...))
}

// anyOf reports whether one of values is wanted; a filter without values wants everything.
func anyOf(wanted []string, values ...string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(wanted, v) })
}

func anyState(wanted []State, state State) bool {
	wanted = nonEmpty(wanted)
	same := func(s State) bool { return strings.EqualFold(string(s), string(state)) }
	return len(wanted) == 0 || slices.ContainsFunc(wanted, same)
}

// nonEmpty drops empty values of a filter, which would match nothing.
func nonEmpty[S ~string](values []S) []S {
	return slices.DeleteFunc(slices.Clone(values), func(s S) bool { return s == "" })
}

// split takes the values of a filter apart at commas, which Slurm's queries do not take.
func split(values []string) []string {
	var parts []string
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

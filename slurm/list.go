package slurm

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"google.golang.org/api/iterator"
)

// ListOptions chooses jobs of the live queue. The zero value chooses all. Within a field one match is enough;
// fields are combined. Empty values are ignored, and a value of Users, Accounts and Partitions may hold several with
// commas.
type ListOptions struct {
	Users      []string
	Accounts   []string
	Partitions []string // jobs that run in one of them, or that wait and may
	Names      []string
	States     []State // base states
	Raw        bool    // keep each job's record as it came in Job.Raw, and with them the whole answer in memory
}

// List reads the live queue: the jobs of all users that wait or run, and those that ended some minutes ago. There
// are no pages and Slurm filters nothing, so that a call costs it the whole queue: some 5 kB per job. To follow
// particular jobs, use [Client.WaitAll] or [Client.Get].
//
// Jobs that come with an error matching [ErrPartial] are valid; others may be missing.
func (c *Client) List(ctx context.Context, opts *ListOptions) ([]*Job, error) {
	r, err := c.read(ctx, "list jobs", c.live("jobs/"))
	if err != nil {
		return nil, err
	}
	jobs, err := r.jobs(decodeLiveJobs)
	return opts.choose(jobs), err
}

// Done is what [JobIterator.Next] returns at the end. It is iterator.Done of google.golang.org/api.
var Done = iterator.Done

// Jobs is [Client.List] as a sequence: the same single call, made when the sequence is first asked for an element,
// but each job is made only when its turn comes, and none after the loop ends. An error is the last element, with
// a nil job; the jobs before it are valid if it matches [ErrPartial].
func (c *Client) Jobs(ctx context.Context, opts *ListOptions) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		for it := c.JobIterator(ctx, opts); ; {
			job, err := it.Next()
			if err == Done || !yield(job, err) || err != nil {
				return
			}
		}
	}
}

// JobIterator is [Client.Jobs] for callers that cannot range over functions. It makes no call.
func (c *Client) JobIterator(ctx context.Context, opts *ListOptions) *JobIterator {
	return &JobIterator{ctx: ctx, client: c, opts: opts}
}

// JobIterator goes through the live queue, job by job. It is not safe for concurrent use.
type JobIterator struct {
	ctx     context.Context // of the list, whose one call is made by the first Next
	client  *Client
	opts    *ListOptions
	r       *reply // nil before the call
	records []json.RawMessage
	next    int // index of the next record
	decoder decoder
	bad     []string // what is wrong with records that are none
	end     error    // what Next goes on returning
}

// Next returns the next job, and [Done] after the last one. The first call reads the queue, the later ones do no
// I/O. After an error, Done included, it returns the same error again.
func (it *JobIterator) Next() (*Job, error) {
	if it.r == nil && it.end == nil {
		it.end = it.load()
	}
	for it.end == nil && it.next < len(it.records) {
		i := it.next
		it.next++
		job, err := it.decoder.liveJob(it.records[i])
		if err != nil {
			it.bad = append(it.bad, inRecord("jobs", i, err))
		} else if it.opts.match(job) {
			return it.opts.keep(job), nil
		}
	}
	if it.end == nil {
		it.end = it.verdict()
	}
	return nil, it.end
}

// verdict is what is left to say after the last record: the payload came first, but failures beside it are not lost.
func (it *JobIterator) verdict() error {
	var err error
	if len(it.bad) > 0 {
		err = it.r.partial(it.bad)
	}
	if err = it.r.partialErr(err, len(it.records)-len(it.bad)); err == nil {
		err = Done
	}
	return err
}

// load makes the call and finds the records in the answer without decoding them.
func (it *JobIterator) load() error {
	r, err := it.client.read(it.ctx, "list jobs", it.client.live("jobs/"))
	if err != nil {
		return err
	}
	it.r = r
	it.records, err = r.records("jobs")
	return err
}

func (o *ListOptions) choose(jobs []*Job) []*Job {
	jobs = slices.DeleteFunc(jobs, func(j *Job) bool { return !o.match(j) })
	for _, j := range jobs {
		o.keep(j)
	}
	return jobs
}

// keep drops what would hold the whole answer in memory, unless it is asked for.
func (o *ListOptions) keep(j *Job) *Job {
	if o == nil || !o.Raw {
		j.Raw = nil
	}
	return j
}

func (o *ListOptions) match(j *Job) bool {
	return o == nil ||
		anyOf(split(o.Users), j.User) && anyOf(split(o.Accounts), j.Account) && anyOf(nonEmpty(o.Names), j.Name) &&
			anyOf(split(o.Partitions), split([]string{j.Partition})...) && anyState(o.States, j.State)
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

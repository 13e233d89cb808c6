package slurm

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// tokenTrace is what the queue and the accounting hold of a token.
type tokenTrace struct {
	jobs    []*tokenJob // that were accepted; the one to keep comes first
	refused int         // records of refused submits
}

// tokenJob is a job with a token, of one record or several.
type tokenJob struct {
	id        JobID
	source    Source
	open      bool // it has not ended
	cancelled bool
	refused   bool
}

// look reads queue and accounting. What can be read of them is in the trace, also beside an error.
func (c *Client) look(ctx context.Context, token string) (*tokenTrace, error) {
	all := map[JobID]*tokenJob{}
	failure := c.lookQueue(ctx, token, all)
	opts := tokenHistory(token, time.Now())
	if failure != nil {
		opts.States = append(opts.States, StateRunning)
	}
	if err := c.lookHistory(ctx, token, opts, all); failure == nil {
		failure = err
	}
	return newTrace(all), failure
}

// lookQueue reads a list that breaks off again, as List does: what was in the rest of it is not known.
func (c *Client) lookQueue(ctx context.Context, token string, all map[JobID]*tokenJob) (failure error) {
	for try := 1; ; try++ {
		failure = nil
		for job, err := range c.Jobs(ctx, nil) {
			if err != nil {
				failure = err
			} else if job.SubmitToken == token {
				noteRecord(all, job)
			}
		}
		if try == listTries || ctx.Err() != nil || !brokeOff(failure) {
			return failure
		}
	}
}

// lookHistory reads the accounting with one request, unless that is too much for it.
func (c *Client) lookHistory(ctx context.Context, token string, opts *HistoryOptions, all map[JobID]*tokenJob) error {
	it := c.HistoryIterator(ctx, opts)
	it.whole = true
	last := map[int64]*Job{} // by number the last run, which is what became of the job
	job, err := it.Next()
	for ; err == nil; job, err = it.Next() {
		if old := last[job.RawID]; job.SubmitToken == token && (old == nil || old.SubmitTime.Before(job.SubmitTime)) {
			last[job.RawID] = job
		}
	}
	for _, job := range last {
		noteRecord(all, job)
	}
	if err == Done {
		return nil
	}
	return err
}

// tokenSkew is by how much the clock that made a token may be ahead of Slurm's. A job that is overlooked for it would be
// submitted a second time, so it is generous.
const tokenSkew = 10 * time.Minute

// tokenHistory chooses the jobs that can have the token and need not be in the queue any more: those that have ended.
// Asked for by their states, the accounting finds jobs by their end. Otherwise it goes by when they could first
// have started, and leaves out those that were cancelled while they were held.
func tokenHistory(token string, now time.Time) *HistoryOptions {
	opts := &HistoryOptions{States: []State{
		StateCompleted, StateCancelled, StateFailed, StateTimeout, StateNodeFail, StatePreempted, StateBootFail,
		StateDeadline, StateOutOfMemory,
	}}
	if made, ok := tokenTime(token); ok && made.Before(now) {
		opts.Start = made.Add(-tokenSkew)
	}
	return opts
}

// noteRecord enters a record. Those of an array are one job, and of a job in both places the queue knows better.
func noteRecord(all map[JobID]*tokenJob, job *Job) {
	id := cmp.Or(job.ArrayJobID, NewJobID(job.RawID))
	f := all[id]
	if f == nil {
		f = &tokenJob{id: id, source: job.Source, cancelled: true, refused: true}
		all[id] = f
	}
	if f.source != job.Source {
		return
	}
	f.open = f.open || !job.State.Terminal() // a cancelled one that still cleans up needs no more
	f.cancelled = f.cancelled && job.State == StateCancelled
	f.refused = f.refused && job.refused()
}

// newTrace puts the lowest number first, but a job that somebody has cancelled last: of two, the other one then is what
// is left.
func newTrace(all map[JobID]*tokenJob) *tokenTrace {
	t := &tokenTrace{}
	for _, f := range slices.Collect(maps.Values(all)) {
		if f.refused {
			t.refused++
		} else {
			t.jobs = append(t.jobs, f)
		}
	}
	slices.SortFunc(t.jobs, func(a, b *tokenJob) int {
		switch {
		case a.cancelled == b.cancelled:
			return cmp.Compare(a.id.Number(), b.id.Number())
		case a.cancelled:
			return 1
		}
		return -1
	})
	return t
}

// refused reports whether the record is not that of a job, but what a refused submit has left behind.
//
// Slurm 24.11 leaves one after the refusals 2006 and 2014, FAILED, and one for each component of a heterogeneous job
// before the one that it refuses for whatever reason, CANCELLED. All of them have ended within the second in which they
// were submitted, never had a node, and have the exit code of no program: 1 in the accounting, SIGHUP in the queue. A job
// that was accepted and then failed had a node, and one that was cancelled while it waited has the exit code 0.
func (j *Job) refused() bool {
	return j.Ended() && j.Nodes == "" && (j.State == StateFailed || j.State == StateCancelled) &&
		(j.ExitCode.Signal == 1 || j.ExitCode.Code == 1) && j.EndTime.Sub(j.SubmitTime) <= time.Second
}

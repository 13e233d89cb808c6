package slurm

import (
	"context"
	"errors"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// The pace of a wait for jobs. Jobs take minutes to weeks, and each read costs the controller; [lro.WithBackoff]
// sets another pace.
const (
	waitInitial    = 5 * time.Second
	waitMax        = time.Minute
	waitMultiplier = 1.5
)

// Wait blocks until a job has ended, for good or bad, and returns its last record together with how it ended: nil
// for success, and a [*JobError] otherwise. An array or a heterogeneous job has ended when all its tasks or
// components have; the error and the record are then those of the first one that failed.
//
// It reads the job at once and then with pauses: from the live queue, and from the accounting once the job has left that.
// The pauses grow from 5 to 60 seconds, and from 5 seconds anew after each change of the job; see [Client.WaitAll] for what
// else the pace depends on, and for what several waits share. How long to wait is up to ctx alone. Transient failures, a
// restarting controller among them, are borne for 2 minutes in a row; see [lro.WithTolerance]. [lro.OnProgress] and
// [ShowProgress] follow the wait.
//
// If the watching ends before the job does, the error is an [*lro.WaitError]. The job goes on, and Wait may be called
// again, also by another process. The record is then the last one seen, or nil.
//
// A job that is preempted, or loses a node, often goes back into the queue: Wait waits for its next run, unless it
// still stands so half a minute later, or may not be requeued. A job that neither the queue nor the accounting knows
// for a minute, or that has left the queue while the accounting takes it for unfinished for 10 minutes, makes Wait
// fail with [ErrJobLost]; that matches [ErrNotFound] too if there was no trace of the job from the beginning.
func (c *Client) Wait(ctx context.Context, id JobID, opts ...lro.WaitOption) (*Job, error) {
	jobs, errs := c.wait(ctx, []JobID{id}, opts)
	if len(errs) == 0 {
		return jobs[0], nil
	}
	if jobs == nil {
		return nil, errs[0]
	}
	return jobs[0], errs[0]
}

// WaitAll waits for any number of jobs as [Client.Wait] does for one. The records come in the order of ids; a job that was
// never seen has nil. The error joins those of the jobs, in the same order, and the [*lro.WaitError] if the watching ended
// early, which names the jobs that were still pending. With [lro.FailFast], the first failure ends the wait. What [lro.Then]
// adds runs if all jobs have succeeded, at once if ids is empty.
//
// Each read of the queue is one request, however many jobs there are. At first it is for the list, 5 kB a job. After that
// it is for the states alone, 40 bytes a job, and if some have changed, the next read, which comes soon, is for the record
// of the job or, if there are several, for the list. When all jobs have ended, their records are read at once, with one
// request more. The accounting is asked for many jobs at a time. Every 10 minutes the list is read in any case, so that the
// reasons of pending jobs are never older.
//
// The paths that tell of states are Slurm's, and no document of the platform promises them. They are tried, and where the
// platform refuses them, the list is read: if it has not changed, Slurm leaves it out, given that the platform passes on
// queries. What is accepted is found out once for a client.
//
// All waits of a client that run at the same time share their reads, those of [Client.Wait] and [Client.Watch] included:
// the one whose pause ends first reads for all whose pause is half over. Nothing runs, and nothing is kept, while there is
// no wait. A [Watcher] counts until it has ended or was stopped.
//
// The pauses begin anew at 5 seconds when anything has changed. They are at least ten times as long as the read took, up
// to 5 minutes, whatever [lro.WithBackoff] says, and those that the server asks for are kept by all waits.
func (c *Client) WaitAll(ctx context.Context, ids []JobID, opts ...lro.WaitOption) (JobList, error) {
	jobs, errs := c.wait(ctx, ids, opts)
	if len(errs) == 1 {
		return jobs, errs[0]
	}
	return jobs, errors.Join(errs...)
}

func waitSettings(opts []lro.WaitOption) poll.Settings {
	settings := poll.Settings{
		Backoff:   poll.Backoff{Initial: waitInitial, Max: waitMax, Multiplier: waitMultiplier},
		Tolerance: poll.DefaultTolerance,
	}
	for _, opt := range opts {
		if opt != nil {
			opt(&settings)
		}
	}
	return settings
}

func (c *Client) wait(ctx context.Context, ids []JobID, opts []lro.WaitOption) ([]*Job, []error) {
	w := &jobWatch{client: c, settings: waitSettings(opts)}
	tracks, err := newTracks(ids, "wait for")
	switch {
	case err != nil:
		return nil, []error{err}
	case len(ids) == 0:
		return nil, poll.NonNil(w.settings.Finish(ctx))
	}
	w.tracks = onlyOnce(tracks)
	errs := w.run(ctx)
	if len(errs) == 0 {
		errs = poll.NonNil(w.settings.Finish(ctx))
	}
	jobs := make([]*Job, len(ids))
	for i, t := range tracks {
		jobs[i] = t.result()
	}
	return jobs, errs
}

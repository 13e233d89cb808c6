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
// It reads the job at once and then with growing pauses of 5 to 60 seconds: from the live queue, and from the
// accounting once the job has left that. How long to wait is up to ctx alone. Transient failures, a restarting
// controller among them, are borne for 2 minutes in a row; see [lro.WithTolerance]. [lro.OnProgress] follows the wait.
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

// WaitAll waits for any number of jobs as [Client.Wait] does for one, with one read of the queue for all of them each
// time, and one of the accounting for each that has left it. The records come in the order of ids; a job that was never
// seen has nil. The error joins those of the jobs, in the same order, and the [*lro.WaitError] if the watching ended
// early, which names the jobs that were still pending. With [lro.FailFast], the first failure ends the wait. What
// [lro.Then] adds runs if all jobs have succeeded, at once if ids is empty.
func (c *Client) WaitAll(ctx context.Context, ids []JobID, opts ...lro.WaitOption) ([]*Job, error) {
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
	w.tracks = distinct(tracks)
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

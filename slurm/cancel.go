package slurm

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// Cancel ends a job: a pending one at once, a running one after its processes had some time to react (Slurm's
// KillWait, 30 seconds by default). Cancel does not wait for that; [Client.Wait] does. A job that has ended is
// left as it is, and that is no error.
//
// The id of an array cancels all its tasks that have not ended, that of a task just the task, that of a
// heterogeneous job's leader, be it "42" or "42+0", all components, and that of another component just that. Only
// one's own jobs can be cancelled: otherwise the error matches [ErrPermission]. For a job that the queue does not know,
// ended long ago or never, it matches [ErrNotFound]. Older versions of the API tell less: see [WithVersion].
//
// Cancelling twice does no harm, so it is repeated after transient failures.
func (c *Client) Cancel(ctx context.Context, id JobID) error {
	return c.signal(ctx, "cancel job", id, nil, cluster.RepeatAlways)
}

// SignalOption changes to whom [Client.Signal] sends.
type SignalOption func(url.Values)

// ScriptOnly sends the signal to the shell of the batch script alone, rather than to all processes of the job.
func ScriptOnly() SignalOption {
	return func(query url.Values) { query.Set("flags", "BATCH_JOB") }
}

// Signal sends a signal to the processes of a running job: "USR1", "SIGUSR1" and "10" are the same. A name that
// Slurm does not know is refused here, since Slurm kills the job for it. KILL makes the job end as CANCELLED.
// Signal does not tell a script to react; one that does not handle a signal usually dies from it, and the job fails.
//
// A pending job is an error. Of a job array, all running tasks get the signal. Signals are counted by some
// scripts, so Signal is not repeated unless it surely was not sent.
func (c *Client) Signal(ctx context.Context, id JobID, signal string, opts ...SignalOption) error {
	id, err := id.check("signal job")
	if err != nil {
		return err
	}
	name, err := signalName(signal)
	if err != nil {
		ch := &checker{}
		ch.add("signal", "%v", err)
		return ch.err("signal job " + string(id))
	}
	query := url.Values{"signal": {name}}
	for _, opt := range opts {
		opt(query)
	}
	return c.signal(ctx, "signal job", id, query, cluster.RepeatDefault)
}

// signal sends DELETE, which ends a job if the query names no signal.
func (c *Client) signal(ctx context.Context, op string, id JobID, query url.Values, repeat cluster.SlurmRepeat) error {
	id, err := c.ownNumber(ctx, op, id)
	if err != nil {
		return err
	}
	req := &cluster.SlurmRequest{Method: http.MethodDelete, Path: c.live("job/" + string(id)), Repeat: repeat}
	if len(query) > 0 {
		req.Path += "?" + query.Encode()
	}
	r, err := c.call(ctx, op+" "+string(id), req)
	if err != nil {
		return named(err, id)
	}
	c.warn(r.warnings)
	if silent := c.version == "v0.0.40" || c.version == "v0.0.41"; silent && r.err() == nil {
		return c.silentVerdict(ctx, r, id, len(query) > 0)
	}
	return signalVerdict(r, id, len(query) > 0)
}

// silentVerdict is for versions that have no status[] and answer success to any id at all. What the queue says
// afterwards proves at least that there is such a job, and of a pending one that it got no signal.
func (c *Client) silentVerdict(ctx context.Context, r *reply, id JobID, signal bool) error {
	jobs, err := c.liveJobs(ctx, id)
	if err != nil || !signal || slices.ContainsFunc(jobs, func(j *Job) bool { return !j.Pending() }) {
		return err
	}
	failure := r.failure()
	failure.JobID = id
	failure.Problems = []Problem{{Number: numberTryLater, Message: "Job can not be altered now, try again later",
		Description: "job " + string(id) + " is pending"}}
	return failure
}

// ownNumber checks id and replaces "42+1", which Slurm's REST API does not know, by the component's own number.
func (c *Client) ownNumber(ctx context.Context, op string, id JobID) (JobID, error) {
	id, err := id.check(op)
	if err != nil {
		return "", err
	}
	if _, het := id.HetOffset(); !het {
		return id, nil
	}
	jobs, err := c.liveJobs(ctx, id)
	if len(jobs) == 0 {
		return "", err
	}
	return NewJobID(jobs[0].RawID), nil
}

// signalVerdict goes by status[], which lists the jobs that were not signalled; the HTTP status is 200 for all of
// them. That a job has ended already is what a cancel wants, and a part of most answers for an array. To a signal it
// is a failure if it is the very job that was named.
func signalVerdict(r *reply, id JobID, signal bool) error {
	if err := r.err(); err != nil {
		return named(err, id)
	}
	outcomes, err := decodeSignalStatus(r)
	if err != nil {
		return named(err, id)
	}
	failure := r.failure()
	failure.JobID = id
	for _, o := range outcomes {
		if o.Code == numberAlreadyDone && !(signal && o.StepID == string(id)) {
			continue
		}
		failure.Problems = append(failure.Problems, o.problem())
	}
	if len(failure.Problems) == 0 {
		return nil
	}
	return failure
}

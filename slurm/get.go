package slurm

import (
	"context"
	"errors"
	"slices"
)

// Get reads a job from the live queue, which holds all jobs that wait or run, and those that have ended for some
// minutes after (Slurm's MinJobAge, 5 minutes unless the cluster says otherwise). For older ones the error
// matches [ErrNotFound]; [Client.History] keeps them.
//
// Several jobs are more than one record, of which Get returns one, and [Client.GetAll] all:
//   - the id of an array gives its tasks that have not started, or, when all have, the task that took over the
//     array's number; when that one has aged out, the first task that has not ended, or else the last one;
//   - the id of an array task gives the task, or while it has not started, the record of all such tasks;
//   - the id of a heterogeneous job gives its leader.
func (c *Client) Get(ctx context.Context, id JobID) (*Job, error) {
	jobs, err := c.GetAll(ctx, id)
	if len(jobs) == 0 {
		return nil, err
	}
	return pick(jobs, id.job().Number()), err
}

// GetAll reads every record of a job from the live queue: one for a plain job, for an array one for the tasks that
// have not started and one for each other task, for a heterogeneous job one for each component. It is not empty
// unless there is an error. Tasks leave the queue one by one after their end, so that a running array may be
// incomplete here; [Client.History] has the rest.
//
// Jobs that come with an error matching [ErrPartial] are valid.
func (c *Client) GetAll(ctx context.Context, id JobID) (JobList, error) {
	id, err := id.check("get job")
	if err != nil {
		return nil, err
	}
	return c.liveJobs(ctx, id)
}

// liveJobs reads the records of a checked id. Without any, there is an error.
func (c *Client) liveJobs(ctx context.Context, id JobID) ([]*Job, error) {
	name := id
	if _, het := id.HetOffset(); het {
		name = id.job() // Slurm's REST API knows no "42+1"
	}
	r, err := c.read(ctx, "get job "+string(id), c.live("job/"+string(name)))
	if err != nil {
		return nil, named(err, id)
	}
	return r.jobsOf(id, decodeLiveJobs)
}

// jobsOf reads the records of one job. That there are none is an error, and it says "not found" only if nothing else
// is wrong with the answer: the job may be the one whose record could not be read.
func (r *reply) jobsOf(id JobID, decode func(*reply) ([]*Job, error)) ([]*Job, error) {
	jobs, err := r.jobs(decode)
	jobs = matching(jobs, id)
	if len(jobs) > 0 {
		return jobs, named(err, id)
	}
	if err == nil {
		return nil, notFound(r, id)
	}
	return nil, named(r.partialErr(err, 0), id)
}

// jobs reads the records of an answer: the payload first, then the errors. Records beside an error make it a
// partial one.
func (r *reply) jobs(decode func(*reply) ([]*Job, error)) ([]*Job, error) {
	jobs, err := decode(r)
	return jobs, r.partialErr(err, len(jobs))
}

// partialErr is the error of an answer of which n records could be read; err is that of reading them.
func (r *reply) partialErr(err error, n int) error {
	if err == nil {
		err = r.err()
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		failure.Partial = n > 0
	}
	return err
}

// matching returns those of jobs that id names; the result may be jobs itself, and is not to be written to. Asked for an array task, Slurm sends the whole array.
func matching(jobs []*Job, id JobID) []*Job {
	if task, ok := id.Task(); ok {
		return taskRecords(jobs, id.job(), task)
	}
	offset, het := id.HetOffset()
	other := func(j *Job) bool { return j.RawID != id.Number() && j.ArrayJobID != id && j.HetJobID != id }
	if het {
		leader := id.job()
		other = func(j *Job) bool { return j.HetJobID != leader || j.HetOffset != offset }
	}
	if !slices.ContainsFunc(jobs, other) {
		return slices.Clip(jobs)
	}
	return slices.DeleteFunc(slices.Clone(jobs), other)
}

// taskRecords finds an array task: its own record, or the one it shares with others before it starts.
func taskRecords(jobs []*Job, array JobID, task int64) []*Job {
	var own, shared, cut []*Job
	for _, j := range jobs {
		switch {
		case j.ArrayJobID != array:
		case j.IsArrayTask:
			if j.ArrayTaskID == task {
				own = append(own, j)
			}
		default:
			list, err := parseTaskList(j.ArrayTasks)
			if err == nil && list.has(task) {
				shared = append(shared, j)
			} else if err == nil && list.cut {
				cut = append(cut, j)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	if len(shared) > 0 {
		return shared
	}
	return cut
}

// pick returns the one record that stands for the others: see [Client.Get]. It never simply is the first.
func pick(jobs []*Job, number int64) *Job {
	byNumber := func(j *Job) bool { return j.RawID == number }
	if i := slices.IndexFunc(jobs, byNumber); i >= 0 {
		return jobs[i]
	}
	if i := slices.IndexFunc(jobs, func(j *Job) bool { return !j.Ended() }); i >= 0 {
		return jobs[i]
	}
	return jobs[len(jobs)-1]
}

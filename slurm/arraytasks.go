package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// ArrayTasks returns one record for each task of a job array, in the order of their indices: from the live queue for
// tasks that are there, from the accounting for those that have left it. A task that has not started, which Slurm
// keeps in one record with others, gets a copy of that record under its own id; RawID is then the number of the
// array. Of a task that was requeued, the record is that of its last run.
//
// If one of the two sources fails, the other's tasks come with the error; some may then be missing, or older than
// they could be. Otherwise only those are missing of which Slurm keeps nothing: tasks that were cancelled one by one
// before they started. The error matches [ErrNotFound] if neither knows the job, and [ErrInvalid] if it is no array.
func (c *Client) ArrayTasks(ctx context.Context, id JobID) (JobList, error) {
	id, err := id.check("get array tasks")
	if err != nil {
		return nil, err
	}
	array := id.job()
	queued, queueErr := c.GetAll(ctx, array)
	recorded, historyErr := c.History(ctx, array)
	tasks := map[int64]*Job{}
	cut := false
	for _, jobs := range [][]*Job{recorded, queued} {
		cut = unfold(tasks, jobs, array)
	}
	switch {
	case len(queued) == 0 && len(recorded) == 0:
		return nil, cmp.Or(unlessMissing(queueErr), unlessMissing(historyErr), queueErr)
	case len(tasks) == 0:
		return nil, fmt.Errorf("slurm: get array tasks: %w", &idError{"job " + string(array) + " is no array"})
	}
	err = cmp.Or(unlessMissing(queueErr), unlessMissing(historyErr))
	if err == nil && cut && historyErr != nil {
		err = historyErr // the queue has shortened its list, and nobody else knows the tasks
	}
	sorted := make([]*Job, 0, len(tasks))
	for _, job := range tasks {
		sorted = append(sorted, job)
	}
	slices.SortFunc(sorted, func(a, b *Job) int { return cmp.Compare(a.ArrayTaskID, b.ArrayTaskID) })
	return sorted, err
}

// unlessMissing is err unless it says that there is no such job, which one source may do while the other knows it.
func unlessMissing(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// unfold puts the records of an array's tasks into tasks, where the record of a task on its own goes before one that
// it shares, and a later run before an earlier one. It reports whether Slurm has shortened a list of tasks.
func unfold(tasks map[int64]*Job, jobs []*Job, array JobID) (cut bool) {
	own := map[int64]bool{}
	for _, job := range jobs {
		if job.ArrayJobID == array && job.IsArrayTask {
			tasks[job.ArrayTaskID], own[job.ArrayTaskID] = job, true
		}
	}
	for _, job := range jobs {
		if job.ArrayJobID != array || job.IsArrayTask {
			continue
		}
		list, err := parseTaskList(job.ArrayTasks)
		if err != nil || list.checkBounds() != nil {
			cut = cut || job.ArrayTasks != ""
		}
		list.cut = false
		if list.checkBounds() != nil {
			continue
		}
		for _, n := range (ArraySpec{list}).Tasks() {
			if !own[n] {
				one := *job
				one.ID, one.IsArrayTask, one.ArrayTaskID, one.ArrayTasks = array.WithTask(n), true, n, ""
				tasks[n] = &one
			}
		}
	}
	return cut
}

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func arrayCases() []testCase {
	return []testCase{
		{name: "array/parent and tasks", test: arrayParent},
		{name: "array/ends", test: arrayEnds},
		{name: "array/one fails", test: arrayOneFails},
		{name: "array/throttle", test: arrayThrottle},
		{name: "array/steps and lists", test: arraySteps},
		{name: "array/single index", test: arraySingle},
		{name: "array/cancel a pending task", test: arrayCancelPending},
		{name: "array/cancel a running task", test: arrayCancelRunning},
		{name: "array/cancel all", test: arrayCancelAll},
		{name: "array/update", test: arrayUpdate},
	}
}

func (b *bed) all(id slurm.JobID) []*slurm.Job {
	b.t.Helper()
	jobs, err := b.alice.GetAll(b.ctx, id)
	b.must("GetAll", err)
	return jobs
}

func arrayParent(b *bed) {
	id := b.submit("true", hold, array("0-9"))
	jobs := b.all(id)
	b.count("records", len(jobs), 1)
	rest := jobs[0]
	equal(b, "id", rest.ID, id)
	equal(b, "array", rest.ArrayJobID, id)
	equal(b, "is a task", rest.IsArrayTask, false)
	equal(b, "tasks", rest.ArrayTasks, "0-9")
	equal(b, "throttle", rest.ArrayMaxTasks, 0)
	task, err := b.alice.Get(b.ctx, id.WithTask(4))
	b.must("Get task", err)
	equal(b, "record of an unstarted task", task.ID, id)
	_, err = b.alice.Get(b.ctx, id.WithTask(10))
	b.refused("Get of a task that is not", err, slurm.ErrNotFound, 0)
}

func arrayEnds(b *bed) {
	id := b.submit("sleep 3", array("0-2"))
	b.eventually("all tasks to run", func() (any, bool) {
		jobs := b.all(id)
		return jobs, len(jobs) == 3 && !slices.ContainsFunc(jobs, func(j *slurm.Job) bool { return !j.Running() })
	})
	var ids []string
	numbers := map[int64]bool{}
	for _, j := range b.all(id) {
		ids = append(ids, strings.TrimPrefix(string(j.ID), string(id)))
		equal(b, "array of "+string(j.ID), j.ArrayJobID, id)
		equal(b, "is a task", j.IsArrayTask, true)
		equal(b, "unstarted tasks", j.ArrayTasks, "")
		equal(b, "number is not below the array's", j.RawID >= id.Number(), true)
		numbers[j.RawID] = true
	}
	slices.Sort(ids)
	equal(b, "task ids", strings.Join(ids, " "), "_0 _1 _2")
	b.count("different numbers", len(numbers), 3)
	last, err := b.alice.Get(b.ctx, id.WithTask(2))
	b.must("Get last task", err)
	equal(b, "number of the last task", last.RawID, id.Number())
	b.completes(id)
	for i, j := range b.recorded(id, 3) {
		equal(b, fmt.Sprintf("state of task %d", i), j.State, slurm.StateCompleted)
	}
	one := b.recorded(id.WithTask(1), 1)[0]
	equal(b, "recorded id", one.ID, id.WithTask(1))
}

func arrayOneFails(b *bed) {
	id := b.submit("[ $SLURM_ARRAY_TASK_ID = 2 ] && exit 5\nsleep 1", array("1-3"))
	job, failed := b.wait(id)
	if failed == nil {
		b.t.Fatal("Wait: no error for a failed task")
	}
	equal(b, "task", job.ID, id.WithTask(2))
	equal(b, "exit code", job.ExitCode.Code, 5)
	states := map[slurm.JobID]slurm.State{}
	for _, j := range b.recorded(id, 3) {
		states[j.ID] = j.State
	}
	equal(b, "task 1", states[id.WithTask(1)], slurm.StateCompleted)
	equal(b, "task 2", states[id.WithTask(2)], slurm.StateFailed)
	equal(b, "task 3", states[id.WithTask(3)], slurm.StateCompleted)
	b.completes(id.WithTask(3))
}

func arrayThrottle(b *bed) {
	id := b.submit("sleep 1", array("0-2%1"))
	seen := false
	b.eventually("the last task to start", func() (any, bool) {
		jobs, running, rest := b.all(id), 0, false
		for _, j := range jobs {
			if j.Running() {
				running++
			}
			if !j.IsArrayTask && j.Pending() {
				rest = true
				equal(b, "throttle", j.ArrayMaxTasks, 1)
				seen = seen || j.Reason == "JobArrayTaskLimit"
			}
		}
		if running > 1 {
			b.t.Fatalf("%d tasks run at once: %v", running, jobs)
		}
		return jobs, !rest
	})
	equal(b, "reason JobArrayTaskLimit seen", seen, true)
	b.completes(id)
}

func arraySteps(b *bed) {
	for tasks, want := range map[string]string{"0-8:4": "0,4,8", "1,5,9": "1,5,9", "0-3,7": "0-3,7", "0-9%2": "0-9"} {
		job, err := b.alice.Get(b.ctx, b.submit("true", hold, array(tasks)))
		b.must("Get", err)
		equal(b, "tasks of "+tasks, strings.TrimSuffix(job.ArrayTasks, "%2"), want)
	}
}

func arraySingle(b *bed) {
	id := b.submit("[ $SLURM_ARRAY_TASK_ID = 3 ] && exit 4", array("3"))
	job, failed := b.wait(id)
	equal(b, "failed", failed != nil, true)
	equal(b, "id", job.ID, id.WithTask(3))
	equal(b, "exit code", job.ExitCode.Code, 4)
}

func arrayCancelPending(b *bed) {
	id := b.submit("true", hold, array("0-9"))
	b.must("Cancel", b.alice.Cancel(b.ctx, id.WithTask(4)))
	b.eventually("task 4 to leave", func() (any, bool) {
		for _, j := range b.all(id) {
			if j.ArrayTasks == "0-3,5-9" && j.Pending() {
				return nil, true
			}
		}
		return b.all(id), false
	})
}

func arrayCancelRunning(b *bed) {
	id := b.submit("sleep 300", array("0-1"))
	b.running(id.WithTask(0))
	b.running(id.WithTask(1))
	b.must("Cancel", b.alice.Cancel(b.ctx, id.WithTask(0)))
	job, failed := b.wait(id.WithTask(0))
	equal(b, "cancelled", failed != nil && failed.Cancelled(), true)
	equal(b, "id", job.ID, id.WithTask(0))
	equal(b, "the other one runs", b.running(id.WithTask(1)).Running(), true)
}

func arrayCancelAll(b *bed) {
	id := b.submit("sleep 300", array("0-2%1"))
	b.eventually("a task to run", func() (any, bool) {
		jobs := b.all(id)
		return jobs, slices.ContainsFunc(jobs, (*slurm.Job).Running)
	})
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	_, failed := b.wait(id)
	equal(b, "cancelled", failed != nil && failed.Cancelled(), true)
	for _, j := range b.all(id) {
		equal(b, "state of "+j.String(), j.State, slurm.StateCancelled)
	}
}

func arrayUpdate(b *bed) {
	id := b.submit("true", hold, array("0-3"))
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Comment: "all"}))
	for _, j := range b.all(id) {
		equal(b, "comment", j.Comment, "all")
	}
	err := b.alice.Update(b.ctx, id.WithTask(1), &slurm.JobUpdate{Comment: "one"})
	if _, ok := errors.AsType[*slurm.InputError](err); !ok {
		b.t.Errorf("update of an unstarted task: %v", err)
	}
}

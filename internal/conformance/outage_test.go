package conformance

import (
	"errors"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func outageCases() []testCase {
	return []testCase{
		{name: "outage/controller/calls", test: controllerCalls, alone: true},
		{name: "outage/controller/wait", test: controllerWait, alone: true},
		{name: "outage/database/calls", test: databaseCalls, alone: true},
		{name: "outage/database/job in neither place", test: databaseGap, alone: true},
		{name: "outage/REST/wait", test: restWait, alone: true},
	}
}

// controllerCalls: each call fails in its own way, and most of the numbers say nothing.
func controllerCalls(b *bed) {
	id := b.submit("true", hold)
	b.recordedAtAll(id)
	b.stop(controller)
	var ping, list, get, submit, cancel, update error
	var controllers []*slurm.Controller
	var group sync.WaitGroup
	for _, call := range []func(){
		func() { controllers, ping = b.alice.Ping(b.ctx) },
		func() { _, list = b.alice.List(b.ctx, nil) },
		func() { _, get = b.alice.Get(b.ctx, id) },
		func() { _, submit = b.alice.Submit(b.ctx, b.spec("true", hold)) },
		func() { cancel = b.alice.Cancel(b.ctx, id) },
		func() { update = b.alice.Update(b.ctx, id, &slurm.JobUpdate{Comment: "x"}) },
	} {
		group.Go(call)
	}
	group.Wait()
	b.refused("Ping", ping, slurm.ErrUnavailable, 0)
	b.count("controllers", len(controllers), 1)
	equal(b, "up", controllers[0].Up, false)
	b.refused("List", list, slurm.ErrUnavailable, 1800)
	b.refused("Submit", submit, slurm.ErrUnavailable, 1800)
	equal(b, "outcome of the submit unknown", errors.Is(submit, slurm.ErrUncertain), false)
	for name, call := range map[string]struct {
		err    error
		number int
	}{"Get": {get, -1}, "Cancel": {cancel, 1}, "Update": {update, 1000}} {
		if got := numbers(call.err); len(got) != 1 || got[0] != call.number {
			b.t.Errorf("%s: %v, want number %d", name, call.err, call.number)
		}
	}
	jobs, err := b.alice.History(b.ctx, id)
	b.must("History", err)
	b.count("records", len(jobs), 1)
	b.start(controller)
	job := b.pending(id, "JobHeldUser")
	equal(b, "comment", job.Comment, "")
	controllers, err = b.alice.Ping(b.ctx)
	b.must("Ping", err)
	equal(b, "up", controllers[0].Up, true)
}

// recordedAtAll waits until the accounting knows a job, ended or not.
func (b *bed) recordedAtAll(id slurm.JobID) {
	b.t.Helper()
	b.eventually("a record in the accounting", func() (any, bool) {
		_, err := b.alice.History(b.ctx, id)
		return err, err == nil
	})
}

// outcome is what a wait returned.
type outcome struct {
	job *slurm.Job
	err error
}

// waiting waits for a job in the background, and returns once the wait has seen it.
func (b *bed) waiting(id slurm.JobID) (ended <-chan outcome, failedReads func() int) {
	var mu sync.Mutex
	failed, seen := 0, make(chan struct{})
	var once sync.Once
	end := make(chan outcome, 1)
	go func() {
		job, err := b.alice.Wait(b.ctx, id, pace, lro.OnProgress(func(p lro.Progress) {
			once.Do(func() { close(seen) })
			if p.Err != nil {
				mu.Lock()
				failed++
				mu.Unlock()
			}
		}))
		end <- outcome{job, err}
	}()
	select {
	case <-seen:
	case <-b.ctx.Done():
		b.t.Fatal("the wait has not begun")
	}
	return end, func() int {
		mu.Lock()
		defer mu.Unlock()
		return failed
	}
}

// controllerWait: a wait outlasts a restart of the controller.
func controllerWait(b *bed) {
	id := b.submit("sleep 15")
	b.running(id)
	end, failedReads := b.waiting(id)
	b.stop(controller)
	b.eventually("a read to fail", func() (any, bool) { return nil, failedReads() > 0 })
	b.start(controller)
	got := <-end
	b.must("Wait", got.err)
	equal(b, "state", got.job.State, slurm.StateCompleted)
}

func databaseCalls(b *bed) {
	b.stop(database)
	id := b.submit("sleep 1")
	_, err := b.alice.History(b.ctx, id)
	b.refused("History", err, slurm.ErrUnavailable, 7000)
	_, err = b.alice.ListHistory(b.ctx, nil)
	b.refused("ListHistory", err, slurm.ErrUnavailable, 7000)
	_, err = b.alice.Ping(b.ctx)
	b.must("Ping", err)
	b.completes(id) // the queue tells
	b.start(database)
	equal(b, "state", b.recorded(id, 1)[0].State, slurm.StateCompleted)
}

// databaseGap: a job has left the queue, and the accounting does not have it yet.
func databaseGap(b *bed) {
	b.stop(database)
	id := b.submit("sleep 1\nexit 4")
	b.ended(id)
	b.gone(id)
	end, failedReads := b.waiting(id)
	b.eventually("a read to fail", func() (any, bool) { return nil, failedReads() > 0 })
	b.start(database)
	got := <-end
	failed, ok := errors.AsType[*slurm.JobError](got.err)
	if !ok || failed.Job.ExitCode.Code != 4 || failed.Job.Source != slurm.SourceAccounting {
		b.t.Errorf("Wait: %v, %v", got.job, got.err)
	}
}

// restWait: a wait outlasts a restart of the REST daemon, which the platform reports as a cluster out of reach.
func restWait(b *bed) {
	id := b.submit("sleep 15")
	b.running(id)
	end, failedReads := b.waiting(id)
	b.stop(rest)
	b.eventually("a read to fail", func() (any, bool) { return nil, failedReads() > 0 })
	b.start(rest)
	got := <-end
	b.must("Wait", got.err)
	equal(b, "state", got.job.State, slurm.StateCompleted)
}

package slurm_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/endings"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestEndings of the context of a wait, at each moment and in each way.
func TestEndings(t *testing.T) {
	even := lro.WithPauses(endings.Pause, endings.Pause)
	endings.Run(t, []endings.Wait{
		{Name: "Wait", Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 1)
			return b.work(func(ctx context.Context) (err error) {
				b.records = make(slurm.JobList, 1)
				b.records[0], err = b.Wait(ctx, b.ids[0], even)
				return err
			})
		}},
		{Name: "Wait by the accounting", InTurn: true, Reads: 2, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 1)
			return b.byAccounting(b.work(func(ctx context.Context) (err error) {
				b.records = make(slurm.JobList, 1)
				b.records[0], err = b.Wait(ctx, b.ids[0], even)
				return err
			}))
		}},
		{Name: "WaitAll by the accounting", InTurn: true, Reads: 2, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 3)
			return b.byAccounting(b.work(func(ctx context.Context) (err error) {
				b.records, err = b.WaitAll(ctx, b.ids, even)
				return err
			}))
		}},
		{Name: "WaitAll", Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 3)
			return b.work(func(ctx context.Context) (err error) {
				b.records, err = b.WaitAll(ctx, b.ids, even)
				return err
			})
		}},
		{Name: "Watch", Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 3)
			return b.work(func(ctx context.Context) error { return b.follow(b.Watch(ctx, b.ids, even)) })
		}},
		{Name: "Watcher", Remember: true, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 3)
			var w *slurm.Watcher
			return b.work(func(ctx context.Context) (err error) {
				if w == nil {
					w = b.Watcher(ctx, b.ids, even)
				}
				if err = b.next(w); err != nil {
					w = nil // it has the context of its own
				}
				return err
			})
		}},
		{Name: "WatchQueue", Endless: true, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 3)
			work := b.work(func(ctx context.Context) error { return b.follow(b.WatchQueue(ctx, nil, even)) })
			work.Unread = []string{}
			return work
		}},
		{Name: "QueueWatcher", Endless: true, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := beginJobs(t, line, 3)
			work := b.work(func(ctx context.Context) error { return b.next(b.QueueWatcher(ctx, nil, even)) })
			work.Unread = []string{}
			return work
		}},
		{Name: "WaitReady", Pause: 2 * time.Second, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := onLine(t, line)
			return b.readiness(b.WaitReady)
		}},
		{Name: "UntilReady", Pause: 2 * time.Second, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := onLine(t, line)
			op := finishedUpdate(t, b)
			return b.readiness(func(ctx context.Context, opts ...slurm.ReadyOption) error { return op.Wait(ctx, b.UntilReady(opts...)) })
		}},
	})
}

// linedBed is a bed with a client whose requests go over a line, and what its waits have told.
type linedBed struct {
	*bed
	ids     []slurm.JobID
	records slurm.JobList
	events  map[slurm.JobID]*slurm.JobEvent // the latest one of each job
	t       *testing.T
}

func onLine(t *testing.T, line *endings.Line) *linedBed {
	b := newBed(t, huge(), slurmtest.WithCompletingTime(0), slurmtest.WithMinJobAge(72*time.Hour), slurmtest.WithAccountingDelay(lag))
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", option.WithHTTPClient(line.Over(b.platform.HTTPClient())))
	if err != nil {
		t.Fatal(err)
	}
	if b.Client, err = slurm.NewClient(c, "training"); err != nil {
		t.Fatal(err)
	}
	return &linedBed{bed: b, t: t, events: make(map[slurm.JobID]*slurm.JobEvent)}
}

// lag is by how much the accounting lags behind.
const lag = 30 * time.Hour

// beginJobs has jobs that run for long. If there are several, the first of them has failed.
func beginJobs(t *testing.T, line *endings.Line, n int) *linedBed {
	b := onLine(t, line)
	for i := range n {
		script := "sleep 200000"
		if n > 1 && i == 0 {
			script = "exit 3"
		}
		b.ids = append(b.ids, b.submit(t, script, func(s *slurm.JobSpec) { s.TimeLimit = 72 * time.Hour }))
	}
	time.Sleep(time.Minute)
	return b
}

// follow and next take in all events.
func (b *linedBed) follow(events iter.Seq2[*slurm.JobEvent, error]) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		b.take(event)
	}
	return nil
}

func (b *linedBed) next(w *slurm.Watcher) error {
	for {
		event, err := w.Next()
		switch {
		case err == slurm.Done:
			return nil
		case err != nil:
			return err
		}
		b.take(event)
	}
}

func (b *linedBed) take(event *slurm.JobEvent) {
	b.events[event.JobID] = event
}

// work is that of the jobs.
func (b *linedBed) work(wait func(context.Context) error) endings.Work {
	var names []string
	for _, id := range b.ids {
		names = append(names, string(id))
	}
	work := b.endings(wait)
	work.Unread, work.Pending = names, names
	if len(names) > 1 {
		work.Pending = names[1:]
	}
	work.Finish = func() {
		for _, name := range work.Pending {
			if err := b.srv.Finish(slurm.JobID(name).Number(), "COMPLETED", 0); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	work.Kept = b.kept
	return work
}

// kept: the jobs are known, and so is the end of the one that has failed, by a record or by an event.
func (b *linedBed) kept(err error) {
	for i, id := range b.ids {
		job, end := (*slurm.Job)(nil), err
		if event := b.events[id]; event != nil {
			job, end = event.Job, event.Err
		} else if len(b.records) > i {
			job = b.records[i]
		}
		if job == nil || job.ID != id {
			b.t.Errorf("of job %s there is %v", id, job)
			continue
		}
		if failure, ok := errors.AsType[*slurm.JobError](end); job.Failed() && (!ok || failure.Job.ID != id) {
			b.t.Errorf("the failure of job %s is lost: %v", id, err)
		}
	}
}

// byAccounting has the jobs leave the queue, while the accounting has not heard of their end.
func (b *linedBed) byAccounting(work endings.Work) endings.Work {
	work.Finish()
	for _, id := range b.ids {
		if err := b.srv.Purge(id.Number()); err != nil {
			b.t.Fatal(err)
		}
	}
	work.Pending, work.Kept = work.Unread, nil // the accounting has not heard of the jobs
	work.Finish = func() { time.Sleep(lag) }
	work.Fail = func() { b.srv.SetDatabaseDown(true) }
	work.Busy = func() {
		b.platform.Inject(clustertest.Fault{Times: -1, Status: "RESOURCE_EXHAUSTED", RetryAfter: 30 * time.Second, When: func(r clustertest.Request) bool {
			_, path, _ := r.SlurmCall()
			return strings.HasPrefix(path, "/slurmdb/")
		}})
	}
	return work
}

func (b *linedBed) endings(wait func(context.Context) error) endings.Work {
	return endings.Work{
		Wait: wait,
		Fail: func() { b.srv.SetControllerDown(true) },
		Busy: func() {
			b.platform.Inject(clustertest.Fault{Times: -1, Status: "RESOURCE_EXHAUSTED", RetryAfter: 30 * time.Second})
		},
	}
}

// readiness is a wait for the controller. What ends it is that a single answer is enough.
func (b *linedBed) readiness(wait func(context.Context, ...slurm.ReadyOption) error) endings.Work {
	var opts []slurm.ReadyOption
	work := b.endings(func(ctx context.Context) error { return wait(ctx, opts...) })
	work.Pending = []string{"training"}
	work.Finish = func() { opts = append(opts, slurm.SettleFor(0)) }
	work.Advice, work.BadAdvice = "; that is no verdict on the update before it, nor on the controller: wait again", lookAt
	work.Stopped = func(err error) (*lro.WaitError, bool) {
		e, ok := errors.AsType[*slurm.ReadyError](err)
		if !ok {
			return nil, false
		}
		return &lro.WaitError{Pending: []string{e.Cluster}, Polls: e.Pings, Elapsed: e.Elapsed, Cause: e.Cause, Ctx: e.Ctx, Last: e.Last}, true
	}
	return work
}

// finishedUpdate is the operation of an update that has succeeded.
func finishedUpdate(t *testing.T, b *linedBed) *cluster.Operation {
	c := callerOf(t, b.bed).(*cluster.Client)
	m, err := c.GetCluster(t.Context(), "training")
	if err != nil {
		t.Fatal(err)
	}
	op, err := c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return op
}

package slurm

import (
	"context"
	"errors"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// errFailFast is the cause of a wait that lro.FailFast ended.
var errFailFast = errors.New("another job failed first")

// jobWatch is one wait for any number of jobs.
type jobWatch struct {
	client   *Client
	settings poll.Settings
	tracks   []*track
	failed   bool // a job failed or was given up
}

// run waits and returns the failures: those of the jobs in order, then the end of the watching if there is one.
func (w *jobWatch) run(ctx context.Context) (errs []error) {
	start := time.Now()
	polls, err := poll.Run(ctx, w.settings, w.tick)
	for _, t := range w.tracks {
		if t.err != nil {
			errs = append(errs, t.err)
		}
	}
	if end := w.end(err); end != nil {
		end.Polls, end.Elapsed = polls, time.Since(start)
		errs = append(errs, end)
	}
	return errs
}

// tick reads the queue once, and the accounting for what has left it.
func (w *jobWatch) tick(ctx context.Context) (r poll.Result) {
	pending := w.pending()
	queue, err := w.readQueue(ctx, pending)
	left := len(pending)
	if err != nil {
		return poll.Result{Err: err, News: []poll.Progress{{Name: w.name(), Pending: left, Total: len(w.tracks)}}}
	}
	var down error
	for _, t := range pending {
		ask := t.seeQueue(queue.of(t.id), time.Now())
		if ask {
			down = w.readHistory(ctx, t, down)
		}
		if t.stop == nil {
			t.judge(ask, time.Now())
		}
		if !t.waiting() {
			left--
			w.failed = w.failed || t.err != nil || t.stop != nil
		}
		if news, ok := t.news(); ok {
			news.Pending, news.Total = left, len(w.tracks)
			r.News = append(r.News, news)
		}
	}
	r.Done = left == 0 || w.failed && w.settings.FailFast
	return r
}

// name is that of the job if there is only one.
func (w *jobWatch) name() string {
	if len(w.tracks) != 1 {
		return ""
	}
	return string(w.tracks[0].id)
}

func (w *jobWatch) pending() []*track {
	var pending []*track
	for _, t := range w.tracks {
		if t.waiting() {
			pending = append(pending, t)
		}
	}
	return pending
}

// readHistory looks a job up in the accounting. A failure costs that job only: it is borne for a while, and then the
// job is given up. If the accounting does not answer at all, it is not asked for the other jobs of this tick; down is
// its failure then.
func (w *jobWatch) readHistory(ctx context.Context, t *track, down error) error {
	jobs, err := []*Job(nil), down
	if down == nil {
		jobs, err = w.history(ctx, t.id)
	}
	switch {
	case len(jobs) > 0 || err == nil || errors.Is(err, ErrNotFound):
		t.row.Good()
		t.seeHistory(jobs, err)
		return nil
	case ctx.Err() != nil || poll.Transient(err):
		t.stop = t.row.Bear(ctx, w.settings.Tolerance, 0, err)
		t.asked = false
		return err
	}
	// Without accounting, or a right to read it, the queue has to do.
	t.row.Good()
	t.seeHistory(nil, err)
	return nil
}

// readQueue and history are reads of the client, each with a limit of its own.
func (w *jobWatch) readQueue(ctx context.Context, pending []*track) (queueView, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	return w.client.readQueue(ctx, pending)
}

func (w *jobWatch) history(ctx context.Context, id JobID) ([]*Job, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	return w.client.History(ctx, id)
}

// end describes the end of the watching, nil if everything was seen to end. err is what [poll.Run] returned.
func (w *jobWatch) end(err error) *lro.WaitError {
	e := &lro.WaitError{Op: "slurm: wait for job"}
	stopped, _ := errors.AsType[*poll.Stopped](err)
	for _, t := range w.tracks {
		if t.done {
			continue
		}
		e.Pending = append(e.Pending, string(t.id))
		if stopped == nil {
			stopped = t.stop
		}
	}
	switch {
	case len(e.Pending) == 0:
		return nil
	case stopped != nil:
		e.Cause, e.Ctx, e.Last = stopped.Cause, stopped.Ctx, stopped.Last
	default:
		e.Cause = errFailFast
	}
	return e
}

// queueView is what one read of the live queue says about some jobs, by each number they go by.
type queueView map[int64][]*Job

func (v queueView) of(id JobID) []*Job { return matching(v[id.Number()], id) }

func (v queueView) add(j *Job) {
	v[j.RawID] = append(v[j.RawID], j)
	for _, group := range []int64{j.ArrayJobID.Number(), j.HetJobID.Number()} {
		if group != 0 && group != j.RawID {
			v[group] = append(v[group], j)
		}
	}
}

// readQueue makes one call: a job costs Slurm far less than the list, and the list less than two jobs one by one.
func (c *Client) readQueue(ctx context.Context, pending []*track) (queueView, error) {
	view := queueView{}
	if len(pending) > 1 {
		return view, c.readQueueList(ctx, pending, view)
	}
	jobs, err := c.liveJobs(ctx, pending[0].id)
	if len(jobs) == 0 && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	for _, j := range jobs {
		view.add(j)
	}
	return view, nil
}

// readQueueList decodes only the records that are waited for: a queue can hold thousands of others.
func (c *Client) readQueueList(ctx context.Context, pending []*track, view queueView) error {
	wanted := make(map[int64]bool, len(pending))
	for _, t := range pending {
		wanted[t.id.Number()] = true
	}
	list, err := c.eachRecord(ctx, "list jobs", c.live("jobs/"), func(d *decoder, raw []byte) error {
		if !isWanted(raw, wanted) {
			return nil
		}
		job, err := d.liveJob(raw)
		if err == nil {
			job.Raw = nil // raw is overwritten by the next record
			view.add(job)
		}
		return err
	})
	// A failure beside jobs is none for a wait, which asks again anyway. An empty list beside one is how Slurm says
	// that its controller is down, and a list that is cut lacks jobs: neither is a proof that jobs have left the queue.
	if list != nil && list.n > 0 && list.whole {
		return nil
	}
	return err
}

func isWanted(raw []byte, wanted map[int64]bool) bool {
	found := false
	_ = jsonx.EachMember(raw, func(name, value []byte) error {
		switch string(name) {
		case "job_id", "array_job_id", "het_job_id":
			n, err := readNumber(value)
			found = found || err == nil && wanted[n.value]
		}
		return nil
	})
	return found
}

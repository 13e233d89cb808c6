package slurm

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// errFailFast is the cause of a wait that lro.FailFast ended.
var errFailFast = errors.New("another job failed first")

// historyReads is how many jobs are looked up in the accounting one by one at each tick, where it takes no query for many.
const historyReads = 8

// jobWatch is one wait for any number of jobs, or for all that match.
type jobWatch struct {
	client   *Client
	settings poll.Settings
	seat     *seat
	tracks   []*track
	match    func(*Job) bool // nil for a wait for given jobs
	note     func(*track)    // if not nil, it is shown what was seen of a job
	failed   bool            // a job failed or was given up
	turn     int             // of those that are looked up one by one
}

// open takes a seat at the hub, which shares the reads with the other waits of the client.
func (w *jobWatch) open() {
	w.seat = w.client.hub.join(w.match)
	w.settings.Paused = func(pause time.Duration) { w.client.hub.paused(w.seat, pause) }
}

func (w *jobWatch) close() { w.client.hub.leave(w.seat) }

// run waits and returns the failures: those of the jobs in order, then the end of the watching if there is one.
func (w *jobWatch) run(ctx context.Context) (errs []error) {
	w.open()
	defer w.close()
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
	view, err := w.readQueue(ctx)
	if err != nil {
		return poll.Result{Err: err, News: []poll.Progress{{Name: w.name(), Pending: len(w.pending()), Total: len(w.tracks)}}}
	}
	w.admit(view)
	r.Cost, r.Age, r.Lively = view.cost, view.age, view.strange
	pending := w.pending()
	told, now := make([]*track, 0, len(pending)), time.Now()
	var asking []*track
	for _, t := range pending {
		g := view.groups[t.id.Number()]
		if g == nil || g.stale {
			r.Lively = r.Lively || g != nil
			continue // the next read will tell
		}
		told = append(told, t)
		if t.seeQueue(matching(g.jobs, t.id), now) {
			asking = append(asking, t)
		}
	}
	w.readHistory(ctx, asking)
	left := len(w.pending())
	now = time.Now()
	for _, t := range told {
		if t.stop == nil {
			t.judge(now)
		}
		if !t.waiting() {
			w.failed = w.failed || t.err != nil || t.stop != nil
			if t.stop == nil {
				left--
			}
		}
		if w.note != nil {
			w.note(t)
		}
		if news, ok := t.news(); ok {
			news.Pending, news.Total = left, len(w.tracks)
			r.News, r.Lively = append(r.News, news), r.Lively || news.Err == nil
		}
	}
	if w.settings.Round != nil {
		r.Counts = countStates(w.tracks)
	}
	r.Done = left == 0 && w.match == nil || w.failed && w.settings.FailFast
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
	pending := make([]*track, 0, len(w.tracks))
	for _, t := range w.tracks {
		if t.waiting() {
			pending = append(pending, t)
		}
	}
	return pending
}

// readQueue gets the view that is to be had next, and the records that it lacks at once if the wait ends with them.
func (w *jobWatch) readQueue(ctx context.Context) (queueView, error) {
	pending := w.pending()
	numbers := make([]int64, len(pending))
	for i, t := range pending {
		numbers[i] = t.id.Number()
	}
	view, err := w.client.hub.view(ctx, w.seat, numbers)
	if err != nil || !w.ends(view, pending) {
		return view, err
	}
	last, err := w.client.hub.view(ctx, w.seat, numbers)
	if err != nil {
		return last, err
	}
	groups := maps.Clone(view.groups)
	maps.Copy(groups, last.groups)
	last.groups, last.cost = groups, view.cost+last.cost
	return last, nil
}

// ends reports whether the wait probably ends with the records that the view lacks.
func (w *jobWatch) ends(view queueView, pending []*track) bool {
	stale, open := false, w.match != nil
	for _, t := range pending {
		g := view.groups[t.id.Number()]
		switch {
		case g == nil:
			open = true
		case !g.stale:
			open = open || slices.ContainsFunc(matching(g.jobs, t.id), func(j *Job) bool { return !j.Ended() })
		case g.failed && w.settings.FailFast:
			return true
		default:
			stale, open = true, open || !g.ended
		}
	}
	return stale && !open
}

// readHistory looks jobs up in the accounting: with one request, if there are several and the accounting takes such a
// query. A failure costs those jobs only: it is borne for a while, and then they are given up.
func (w *jobWatch) readHistory(ctx context.Context, asking []*track) {
	if len(asking) == 0 {
		return
	}
	taken := false
	attempts := []attempt{{nil, func(ctx context.Context) error {
		taken = true
		return w.readSingly(ctx, asking)
	}}}
	if len(asking) > 1 {
		attempts = slices.Insert(attempts, 0, attempt{&w.client.hub.ways.runs, func(ctx context.Context) error {
			return w.readTogether(ctx, asking)
		}})
	}
	if err := w.client.hub.ways.first(ctx, attempts...); err != nil && !taken {
		for _, t := range asking {
			w.takeHistory(ctx, t, nil, err)
		}
	}
}

func (w *jobWatch) readTogether(ctx context.Context, asking []*track) error {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	numbers := make([]int64, 0, len(asking))
	for _, t := range asking {
		numbers = append(numbers, t.id.Number())
	}
	slices.Sort(numbers)
	found, err := w.client.readRuns(ctx, slices.Compact(numbers))
	if err != nil {
		return err
	}
	for _, t := range asking {
		jobs, err := matching(found[t.id.Number()], t.id), error(nil)
		if len(jobs) == 0 {
			err = w.client.noRecord(t.id)
		}
		w.takeHistory(ctx, t, jobs, err)
	}
	return nil
}

// readSingly has one request for each, and not for all of many at one tick. If the accounting does not answer at all, it
// is not asked for the others.
func (w *jobWatch) readSingly(ctx context.Context, asking []*track) (down error) {
	for i := range min(len(asking), historyReads) {
		t := asking[(w.turn+i)%len(asking)]
		jobs, err := []*Job(nil), down
		if down == nil {
			jobs, err = w.history(ctx, t.id)
		}
		down = w.takeHistory(ctx, t, jobs, err)
	}
	w.turn += historyReads
	return down
}

// takeHistory takes in what the accounting says of a job. It returns the failure if the accounting does not answer.
func (w *jobWatch) takeHistory(ctx context.Context, t *track, jobs []*Job, err error) error {
	switch {
	case len(jobs) > 0 || err == nil || errors.Is(err, ErrNotFound):
		t.row.Good()
		t.seeHistory(jobs, err)
		return nil
	case ctx.Err() != nil || poll.Transient(err):
		tolerance := w.settings.Tolerance
		if w.match != nil {
			tolerance = math.MaxInt64 // nobody waits for this job alone
		}
		t.stop = t.row.Bear(ctx, tolerance, 0, err)
		t.asked = false
		return err
	}
	// Without accounting, or a right to read it, the queue has to do.
	t.row.Good()
	t.seeHistory(nil, err)
	return nil
}

// history is a read of the client with a limit of its own.
func (w *jobWatch) history(ctx context.Context, id JobID) ([]*Job, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	return w.client.History(ctx, id)
}

// end describes the end of the watching, nil if everything was seen to end. err is what the loop returned.
func (w *jobWatch) end(err error) *lro.WaitError {
	e := &lro.WaitError{Op: "slurm: wait for job"}
	if w.match != nil {
		e.Op = "slurm: watch of the queue"
	}
	stopped, _ := errors.AsType[*poll.Stopped](err)
	for _, t := range w.tracks {
		if t.done {
			continue
		}
		e.Pending = append(e.Pending, string(t.id))
		if stopped == nil {
			stopped = t.stop
		}
		if e.Last == nil {
			e.Last = t.row.Last()
		}
	}
	switch {
	case len(e.Pending) == 0 && (w.match == nil || stopped == nil):
		return nil
	case stopped != nil:
		e.Cause, e.Ctx = stopped.Cause, stopped.Ctx
		if stopped.Last != nil {
			e.Last = stopped.Last
		}
	default:
		e.Cause = errFailFast
	}
	return e
}

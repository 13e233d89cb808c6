package lro

import (
	"context"
	"errors"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// errFailFast is the cause of a wait that [FailFast] ended.
var errFailFast = errors.New("another operation failed first")

// watch is one wait for any number of operations.
type watch struct {
	settings poll.Settings
	items    []*item
	pending  int
	failed   bool // an operation failed or was given up
}

// item is one operation of a watch. Failures and news are kept here and not in the Operation, since several waits
// on one Operation each have their own.
type item struct {
	op  *Operation
	row poll.Row

	// The latest read.
	state State
	wish  time.Duration
	err   error

	seen      bool          // some read was good
	shown     State         // as last reported
	notBefore time.Time     // the service asked not to be asked again until then
	stop      *poll.Stopped // set when it is given up
	settled   bool          // not to be read any more: seen to be done, or given up
}

func newWatch(ops []*Operation, s poll.Settings) *watch {
	w := &watch{settings: s}
	known := make(map[*Operation]bool, len(ops))
	for _, o := range ops {
		if !known[o] {
			known[o] = true
			w.items = append(w.items, &item{op: o, state: o.snapshot()})
		}
	}
	w.pending = len(w.items)
	return w
}

// run waits and returns the failures: those of the work in order, then the end of the watching if there is one.
func (w *watch) run(ctx context.Context) (errs []error) {
	start := time.Now()
	polls, err := poll.Run(ctx, w.settings, w.tick)
	for _, it := range w.items {
		if it.state.Err != nil {
			errs = append(errs, it.state.Err)
		}
	}
	if end := w.end(err); end != nil {
		end.Polls, end.Elapsed = polls, time.Since(start)
		errs = append(errs, end)
	}
	return errs
}

// tick reads what is due, once.
func (w *watch) tick(ctx context.Context) (r poll.Result) {
	now := time.Now()
	var due []*item
	for _, it := range w.items {
		if !it.settled && !now.Before(it.notBefore) {
			due = append(due, it)
		}
	}
	readAll(ctx, due)
	for _, it := range due {
		if p, ok := w.take(ctx, it); ok {
			r.News = append(r.News, p)
		}
	}
	r.Done = w.pending == 0 || w.failed && w.settings.FailFast
	r.Wait = w.earliest()
	return r
}

// read fills in the latest read. Once the context is over nothing more is sent.
func (it *item) read(ctx context.Context) {
	it.state, it.wish, it.err = it.op.snapshot(), 0, nil
	if it.state.Done {
		return
	}
	if it.err = ctx.Err(); it.err != nil {
		return
	}
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	it.state, it.wish, it.err = it.op.poll(ctx)
}

// take judges the latest read of it and returns what there is to report.
func (w *watch) take(ctx context.Context, it *item) (p poll.Progress, report bool) {
	if it.err == nil {
		it.row.Good()
		report = !it.seen || it.state.differs(it.shown)
		it.seen, it.shown = true, it.state
	} else {
		it.stop = it.bear(ctx, w.settings.Tolerance)
		// The one failure that ends the whole wait is its result, not its news.
		report = it.stop == nil || ctx.Err() == nil && len(w.items) > 1
	}
	it.notBefore = time.Time{}
	if wish := poll.Wish(it.wish, it.err); wish > 0 {
		it.notBefore = time.Now().Add(wish)
	}
	if it.state.Done || it.stop != nil {
		it.settled = true
		w.pending--
		w.failed = w.failed || !it.state.Succeeded()
	}
	return poll.Progress{
		Name: it.op.name, Message: it.state.Message, Done: it.state.Done,
		Pending: w.pending, Total: len(w.items), Err: it.err,
	}, report
}

// bear judges a failed read: nil if the item is to be read again.
func (it *item) bear(ctx context.Context, tolerance time.Duration) *poll.Stopped {
	if it.op.forgives(it.err) {
		return it.row.Bear(ctx, max(tolerance, freshness), it.wish, forgiven{it.err})
	}
	return it.row.Bear(ctx, tolerance, it.wish, it.err)
}

// forgiven is a NotFound that a new operation may give for a moment.
type forgiven struct{ error }

func (f forgiven) Unwrap() error             { return f.error }
func (f forgiven) Transient() bool           { return true }
func (f forgiven) NotFound() bool            { return true }
func (f forgiven) RetryDelay() time.Duration { return poll.Wish(0, f.error) }

// differs tells whether s says something that is news to someone who has seen before.
func (s State) differs(before State) bool {
	return s.Done != before.Done || s.Message != before.Message ||
		len(s.PartialFailures) != len(before.PartialFailures)
}

// earliest is how long to wait because the service asked to leave every pending operation alone; 0 if it did not.
func (w *watch) earliest() time.Duration {
	var at time.Time
	for _, it := range w.items {
		if it.settled {
			continue
		}
		if it.notBefore.IsZero() {
			return 0
		}
		if at.IsZero() || it.notBefore.Before(at) {
			at = it.notBefore
		}
	}
	return max(0, time.Until(at))
}

// end describes the end of the watching, nil if everything was seen to finish. err is what [poll.Run] returned.
func (w *watch) end(err error) *WaitError {
	e := &WaitError{}
	stopped, _ := errors.AsType[*poll.Stopped](err)
	for _, it := range w.items {
		if it.state.Done {
			continue
		}
		e.Pending = append(e.Pending, it.op.name)
		e.message = it.state.Message
		if stopped == nil && it.stop != nil && it.stop.Ctx != nil {
			stopped = it.stop
		}
		if last := it.row.Last(); last != nil {
			if f, ok := last.(forgiven); ok {
				last = f.error
			}
			e.others = append(e.others, last)
		}
	}
	if len(e.Pending) == 0 {
		return nil
	}
	if len(e.Pending) > 1 {
		e.message = ""
	}
	if len(e.others) > 0 {
		e.Last, e.others = e.others[0], e.others[1:]
	}
	switch {
	case stopped != nil:
		e.Cause, e.Ctx = stopped.Cause, stopped.Ctx
	case w.pending > 0:
		e.Cause = errFailFast
	}
	return e
}

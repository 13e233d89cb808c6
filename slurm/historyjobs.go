package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Bounds of the windows that a history is read in. A longer one than the first saves requests where little happens, and
// none can be shorter than the second in which Slurm counts.
const (
	firstWindow = time.Hour
	minWindow   = time.Second
	maxWindow   = 30 * 24 * time.Hour
	defaultPage = 1000
)

// maxLate is after how many windows in a row that took too long the next one is not made smaller any more: each has
// cost minutes by then, and it may not be the size.
const maxLate = 3

// HistoryJobs is [Client.ListHistory] as a sequence, for histories that are too large to be read at once: it asks for one
// window of time after the other, and holds the jobs of one window only. The windows become shorter where many jobs are
// and longer where few are, from an hour at first down to a second and up to 30 days; see PageSize. One that is too much
// for Slurm, or for the way to it, is asked for again in parts. A query by JobIDs is one request.
//
// A job that belongs to several windows comes once, each run of a requeued job counting as one. The jobs come in the
// order in which they could start; with States that are all ends, in the order of their ends. A job that changes while
// the windows are read comes as it was when it was first seen, and an array that starts tasks meanwhile gives both the
// record of those that wait and, later, tasks of their own. Nothing new is looked for beyond the moment of the first
// request, unless End says so. The accounting lags behind a little, and by more while its database is down: what it
// hears of late may be missing near the present.
//
// An error is the last element, with a nil job. It is a [*HistoryError] if the history was not read to its end, which
// says from where to go on. If it matches [ErrPartial], all windows were read, and single records could not be.
//
// Every window is a call of its own, repeated after transient failures as other reads are; ctx bounds all of them. The
// options are copied at the start; the slices in them must not change meanwhile.
func (c *Client) HistoryJobs(ctx context.Context, opts *HistoryOptions) iter.Seq2[*Job, error] {
	var chosen HistoryOptions
	if opts != nil {
		chosen = *opts
	}
	return func(yield func(*Job, error) bool) {
		for it := c.HistoryIterator(ctx, &chosen); ; {
			job, err := it.Next()
			if err == Done || !yield(job, err) || err != nil {
				return
			}
		}
	}
}

// HistoryError says how far a history was read before the reading failed. It unwraps to the failure.
type HistoryError struct {
	// Reached is the end of what was read. To go on, ask again with this as Start, with Fresh, and with the same End,
	// which must not be zero then if both parts shall add up.
	Reached time.Time
	Err     error
}

// Error returns one line.
func (e *HistoryError) Error() string {
	text := strings.TrimPrefix(strings.TrimPrefix(e.Err.Error(), "slurm: "), opListHistory+": ")
	return foreign.Printable(fmt.Sprintf("slurm: %s: read up to %s, then: %s", opListHistory, e.Reached.Format(time.RFC3339), text))
}

// Unwrap returns Err.
func (e *HistoryError) Unwrap() error { return e.Err }

// HistoryIterator is [Client.HistoryJobs] for callers that cannot range over functions. It makes no call.
func (c *Client) HistoryIterator(ctx context.Context, opts *HistoryOptions) *HistoryIterator {
	it := &HistoryIterator{ctx: ctx, client: c, seen: map[runKey]bool{}}
	if opts != nil {
		it.opts = *opts
	}
	if it.opts.PageSize <= 0 {
		it.opts.PageSize = defaultPage
	}
	return it
}

// HistoryIterator goes through the accounting, job by job. It is not safe for concurrent use.
type HistoryIterator struct {
	ctx    context.Context // of the list; each window is a call
	client *Client
	opts   HistoryOptions

	whole bool // begin with one window for everything
	begun bool
	rest  window          // what is left to read
	size  time.Duration   // of the next window
	from  time.Time       // the start of the window that page is from
	page  []*Job          // read and not yet returned
	seen  map[runKey]bool // what the next window may have again
	late  int             // how many windows in a row took too long
	odd   error           // the first partial error
	end   error           // what Next goes on returning
}

// Next returns the next job, and [Done] after the last one. It reads the next window when it needs to. After an error,
// Done included, it returns the same error again.
func (it *HistoryIterator) Next() (*Job, error) {
	for len(it.page) == 0 && it.end == nil {
		it.end = it.advance()
	}
	if len(it.page) == 0 {
		return nil, it.end
	}
	job := it.page[0]
	it.page = it.page[1:]
	return job, nil
}

// Reached returns the time before which Next has returned everything, and the zero time before its first call. A later
// iterator goes on from there, as after a [HistoryError]; the jobs of an unfinished window come again then.
func (it *HistoryIterator) Reached() time.Time {
	if len(it.page) > 0 {
		return it.from
	}
	return it.rest.start
}

// advance reads one window. It returns nil if there may be more, whether or not the window had jobs.
func (it *HistoryIterator) advance() error {
	if !it.begun {
		if err := it.begin(); err != nil {
			return err
		}
	}
	if !it.rest.start.Before(it.rest.end) {
		return cmp.Or(it.odd, Done)
	}
	w := it.window()
	jobs, err := it.client.readHistory(it.ctx, &it.opts, w)
	switch {
	case errors.Is(err, ErrPartial):
		it.odd = cmp.Or(it.odd, err)
	case err != nil && w.end.Sub(w.start) > minWindow && it.tooMuch(err):
		it.size = max(w.end.Sub(w.start)/2, minWindow)
		return nil
	case err != nil:
		return it.stopped(err)
	}
	it.late = 0
	it.from, it.rest.start = w.start, w.end
	it.page = it.fresh(jobs, w)
	it.adapt(len(it.page))
	return nil
}

func (it *HistoryIterator) begin() (err error) {
	if it.rest, err = it.opts.window(time.Now()); err != nil {
		return err
	}
	it.rest.start, it.rest.end = it.rest.start.Truncate(time.Second), it.rest.end.Truncate(time.Second)
	if epoch := time.Unix(0, 0); it.rest.start.Before(epoch) {
		it.rest.start = epoch
	}
	if it.begun, it.size = true, firstWindow; it.whole || len(nonEmpty(it.opts.JobIDs)) > 0 {
		it.size = it.rest.end.Sub(it.rest.start) // of the time from the epoch on, a duration holds enough
	}
	return nil
}

// stopped leaves alone what was wrong from the start.
func (it *HistoryIterator) stopped(err error) error {
	if _, refused := errors.AsType[*InputError](err); refused {
		return err
	}
	return &HistoryError{Reached: it.rest.start, Err: err}
}

// window is the next one. Slurm is told a later end for the last alone.
func (it *HistoryIterator) window() window {
	w := it.rest
	if end := w.start.Add(it.size).Truncate(time.Second); end.Before(w.end) {
		w.end, w.skew = end, 0
	}
	return w
}

// fresh returns the jobs of a window that belong to it and to none before. A job on the border is left to the next
// window, which has it for sure.
func (it *HistoryIterator) fresh(jobs []*Job, w window) []*Job {
	last := !w.end.Before(it.rest.end)
	again := map[runKey]bool{}
	jobs = slices.DeleteFunc(jobs, func(j *Job) bool {
		key := keyOf(j)
		if !last && !it.opts.mark(j).Before(w.end) {
			return true
		}
		again[key] = j.EndTime.IsZero() || !j.EndTime.Before(w.end)
		return it.seen[key]
	})
	it.remember(again)
	slices.SortStableFunc(jobs, func(a, b *Job) int {
		return cmp.Or(it.opts.mark(a).Compare(it.opts.mark(b)), cmp.Compare(a.RawID, b.RawID), a.SubmitTime.Compare(b.SubmitTime))
	})
	return jobs
}

// remember keeps the records that the next window has as well, and forgets those that have ended: the memory is that of
// the jobs which are active at one moment.
func (it *HistoryIterator) remember(again map[runKey]bool) {
	for key, more := range again {
		if more {
			it.seen[key] = true
		} else {
			delete(it.seen, key)
		}
	}
}

// adapt chooses the size of the next window by how many new jobs the last one had. Jobs that it shares with the one
// before do not count: where many run for long, every window has all of them, however short it is.
func (it *HistoryIterator) adapt(jobs int) {
	switch page := it.opts.PageSize; {
	case jobs > page:
		for ; jobs > page; jobs /= 2 {
			it.size /= 2
		}
		it.size = max(it.size, minWindow)
	case jobs < page/2:
		it.size = min(2*it.size, maxWindow)
	}
}

// tooMuch reports whether a smaller window might have gone well: the answer was too large, or came too late.
func (it *HistoryIterator) tooMuch(err error) bool {
	var outer *cluster.Error
	if !errors.As(err, &outer) || it.ctx.Err() != nil {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || outer.HTTPStatus == http.StatusGatewayTimeout {
		it.late++
		return it.late <= maxLate
	}
	return errors.Is(err, cluster.ErrResourceExhausted) && outer.HTTPStatus != http.StatusTooManyRequests
}

package slurm

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// refreshAfter is how long states alone are trusted. Records also tell what states do not: the reason for which a job is
// pending, and that a number belongs to another job by now.
const refreshAfter = 10 * time.Minute

// fewRecords is up to how many records of a single number are read whole each time, rather than their states.
const fewRecords = 4

// hub lets all waits of a client share their reads of the live queue. It has no goroutine: the wait whose tick is due
// first reads for all that will be due soon, and leaves the result for them. Waits that come while a read is under way
// wait for it, and one of them makes the next for all. So at most one read is under way at a time.
type hub struct {
	client *Client

	mu      sync.Mutex
	seats   map[*seat]bool
	reading chan struct{} // closed at the end of the read that is under way; nil if none is

	// What is below is changed by whoever reads, and looked at by nobody else meanwhile.

	ways   ways
	groups map[int64]*group

	listed  map[int64]bool // the groups that the last whole list told of
	numbers map[int64]bool // of all jobs in it, kept only where somebody watches the queue
	at      int64          // when Slurm made it
	strange bool           // states of numbers have come that were not in it
	hidden  map[int64]bool // those numbers; true once a later list has not shown them either

	quiet    time.Time // until then the server wants no reads
	quietErr error     // how it said so
}

// seat is the place of one wait at the hub.
type seat struct {
	want  []int64         // the numbers it waits for
	match func(*Job) bool // if not nil, it also wants whatever matches

	asking    bool      // is at the hub now
	listed    bool      // has got a whole list, if match is not nil
	served    bool      // has got anything
	seen      time.Time // when the read was made that it got last
	from, due time.Time // the second half of its pause
	ready     *delivery
}

// delivery is a read that another wait has made.
type delivery struct {
	view queueView
	err  error
	at   time.Time
}

// queueView is what one read of the live queue says. A number that is not in it was not asked for: nothing is known of
// what became of it since.
type queueView struct {
	groups  map[int64]*group
	whole   bool          // everything that anybody wants is in it
	listed  bool          // it is from a whole list
	strange bool          // there are jobs that only a list will tell of
	cost    time.Duration // how long the read took
	age     time.Duration // how long ago it was made; 0 for those who made it
}

// join makes a seat. Its owner must leave in the end.
func (h *hub) join(match func(*Job) bool) *seat {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seats == nil {
		h.seats = make(map[*seat]bool)
	}
	s := &seat{match: match}
	h.seats[s] = true
	return s
}

// leave gives the seat up. Without any, nothing of the queue is kept.
func (h *hub) leave(s *seat) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.seats, s)
	if len(h.seats) == 0 {
		h.forget()
	}
}

func (h *hub) forget() {
	h.groups, h.listed, h.numbers, h.hidden, h.at, h.strange = nil, nil, nil, nil, 0, false
	h.quiet, h.quietErr = time.Time{}, nil
}

// paused tells for how long the owner of the seat is going to pause. What is read in the second half of the time between
// its last read and its next one is as good as what it would read itself at the end.
func (h *hub) paused(s *seat, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.due = time.Now().Add(pause)
	s.from = s.due.Add(-s.due.Sub(s.seen) / 2)
}

// view returns what is known of the numbers. It blocks for a read, unless another wait made one during the pause.
func (h *hub) view(ctx context.Context, s *seat, want []int64) (queueView, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.want, s.asking = want, true
	defer func() { s.asking, s.served = false, true }()
	if s.ready != nil && time.Since(s.ready.at) > s.due.Sub(s.from) {
		s.ready = nil // was not picked up in time
	}
	for {
		now := time.Now()
		d := s.ready
		s.ready = nil
		switch {
		case d != nil && (d.err != nil || s.covered(d.view)):
			s.listed, s.seen = s.listed || d.view.listed, d.at
			d.view.age = now.Sub(d.at)
			return d.view, d.err
		case ctx.Err() != nil:
			return queueView{}, ctx.Err()
		case s.served && now.Before(h.quiet):
			return queueView{}, &wished{h.quietErr, h.quiet.Sub(now)}
		case h.reading == nil:
			return h.lead(ctx, s)
		}
		h.await(ctx)
	}
}

// covered reports whether the view tells all that the seat wants.
func (s *seat) covered(v queueView) bool {
	return (s.match == nil || v.whole) && !slices.ContainsFunc(s.want, func(n int64) bool { return v.groups[n] == nil })
}

// await waits for the end of the read that is under way.
func (h *hub) await(ctx context.Context) {
	reading := h.reading
	h.mu.Unlock()
	defer h.mu.Lock()
	select {
	case <-reading:
	case <-ctx.Done():
	}
}

// lead makes a read for all whom it concerns.
func (h *hub) lead(ctx context.Context, s *seat) (queueView, error) {
	p := h.plan(s)
	h.reading = make(chan struct{})
	defer func() {
		close(h.reading)
		h.reading = nil
	}()
	start := time.Now()
	view, err := h.unlocked(ctx, p)
	now := time.Now()
	if wish := poll.Wish(0, err); wish > 0 {
		h.quiet, h.quietErr = now.Add(wish), err
	}
	view.cost = now.Sub(start)
	for _, other := range p.seats {
		concerns := other.covered(view)
		if err != nil {
			// The end of this wait is no failure of the others, nor is what is wrong with its job alone.
			concerns = ctx.Err() == nil && (p.number == 0 || other.match == nil && len(other.want) == 1 && other.want[0] == p.number)
		}
		if other != s && h.seats[other] && concerns {
			other.ready = &delivery{view, err, now}
		}
	}
	h.tidy()
	s.listed, s.seen = s.listed || view.listed, now
	return view, err
}

func (h *hub) unlocked(ctx context.Context, p *plan) (queueView, error) {
	h.mu.Unlock()
	defer h.mu.Lock()
	return h.read(ctx, p)
}

// tidy forgets what nobody wants any more.
func (h *hub) tidy() {
	if len(h.seats) == 0 {
		h.forget()
		return
	}
	wanted, watched := make(map[int64]bool, len(h.groups)), false
	for s := range h.seats {
		watched = watched || s.match != nil
		for _, n := range s.want {
			wanted[n] = true
		}
	}
	maps.DeleteFunc(h.groups, func(n int64, g *group) bool { return !wanted[n] && !(watched && len(g.jobs) > 0) })
	if !watched {
		h.numbers, h.hidden, h.strange = nil, nil, false
	}
}

// wished is a failure by which the server asked for a pause that has not ended.
type wished struct {
	error
	left time.Duration
}

func (w *wished) Unwrap() error             { return w.error }
func (w *wished) Transient() bool           { return poll.Transient(w.error) }
func (w *wished) NotFound() bool            { return poll.NotFound(w.error) }
func (w *wished) RetryDelay() time.Duration { return w.left }

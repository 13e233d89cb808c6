package slurm

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// plan is a read that is to be made.
type plan struct {
	seats   []*seat // for whom
	numbers map[int64]bool
	match   func(*Job) bool
	number  int64 // the one whose records are to be read; 0 for all
	records bool  // records are needed, and not just a confirmation that nothing has changed
	since   bool  // a list may be left out if nothing has changed since the last one
}

// plan says what s should read: for itself, for all that wait in line, and for those whose own read would be due soon.
//
// One request has to do, so it is the lightest that serves s. States confirm what is known. Where they have changed, the
// next read is of records: of the one job, if it is one, and otherwise the list.
func (h *hub) plan(s *seat) *plan {
	now := time.Now()
	p := &plan{numbers: make(map[int64]bool, len(s.want))}
	lacking := map[int64]bool{}
	for other := range h.seats {
		if other.match != nil {
			p.match = either(p.match, other.match)
		}
		soon := !now.Before(other.from) && now.Sub(other.due) <= other.due.Sub(other.from)
		if !other.asking && !soon {
			continue
		}
		p.seats = append(p.seats, other)
		for _, n := range other.want {
			p.numbers[n] = true
			if other.asking && h.lacks(n) {
				lacking[n] = true
			}
		}
	}
	if p.match != nil {
		for n := range h.groups {
			p.numbers[n] = true
		}
	}
	own, old := 0, false
	for _, n := range s.want {
		g := h.groups[n]
		if g == nil || g.stale {
			own, p.number = own+1, n
		}
		old = old || g != nil && now.Sub(g.at) >= refreshAfter
	}
	switch {
	case s.match != nil && (!s.listed || h.strange):
		p.number, p.records = 0, true
	case own > 0:
		p.records = true
		if len(lacking) > 1 {
			p.number = 0
		}
	case p.match == nil && len(p.numbers) == 1 && (old || h.small(s.want[0])):
		p.number, p.records = s.want[0], true
	default:
		p.records, p.since = old, h.covered(p)
	}
	return p
}

// lacks reports whether nothing is known of a number, or something that is known to have changed.
func (h *hub) lacks(n int64) bool { return h.groups[n] == nil || h.groups[n].stale }

// small reports whether the records of a number are few enough to be read each time.
func (h *hub) small(n int64) bool {
	return len(h.groups[n].jobs) <= fewRecords || h.ways.refused(&h.ways.statesOf) && h.ways.refused(&h.ways.states)
}

// covered reports whether the last list told of everything in the plan.
func (h *hub) covered(p *plan) bool {
	for _, s := range p.seats {
		if s.match != nil && !s.listed {
			return false
		}
	}
	for n := range p.numbers {
		if !h.listed[n] || h.groups[n] == nil {
			return false
		}
	}
	return h.at != 0 && (p.match == nil || h.numbers != nil)
}

func either(a, b func(*Job) bool) func(*Job) bool {
	if a == nil {
		return b
	}
	return func(j *Job) bool { return a(j) || b(j) }
}

// read carries out a plan. Each request has a limit of its own: one that gets no answer must not keep those from being made
// that are documented.
func (h *hub) read(ctx context.Context, p *plan) (view queueView, err error) {
	if h.groups == nil {
		h.groups = make(map[int64]*group)
	}
	list := attempt{nil, func(ctx context.Context) (err error) { view, err = h.readList(ctx, p, 0); return err }}
	since := attempt{&h.ways.since, func(ctx context.Context) (err error) { view, err = h.readList(ctx, p, h.at); return err }}
	switch {
	case p.number != 0:
		return h.readOne(ctx, p.number)
	case p.records && p.since:
		return view, h.ways.first(ctx, since, list)
	case p.records:
		return view, h.ways.first(ctx, list)
	}
	states := func(path string) func(context.Context) error {
		return func(ctx context.Context) (err error) { view, err = h.readStates(ctx, p, path); return err }
	}
	var attempts []attempt
	if p.match == nil && queryFits("job_id", len(p.numbers)) {
		if path, ok := numbersQuery(h.client.live("jobs/state/"), "job_id", slices.Sorted(maps.Keys(p.numbers))); ok {
			attempts = append(attempts, attempt{&h.ways.statesOf, states(path)})
		}
	}
	attempts = append(attempts, attempt{&h.ways.states, states(h.client.live("jobs/state/"))})
	if p.since {
		attempts = append(attempts, since)
	}
	err = h.ways.first(ctx, append(attempts, list)...)
	return view, err
}

// readOne reads the records of one number.
func (h *hub) readOne(ctx context.Context, number int64) (queueView, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	jobs, err := h.client.liveJobs(ctx, NewJobID(number))
	if len(jobs) == 0 && !errors.Is(err, ErrNotFound) {
		return queueView{}, err
	}
	g := h.groups[number].renew(number, jobs, time.Now())
	h.groups[number] = g
	return queueView{groups: map[int64]*group{number: g}}, nil
}

// readStates confirms what is known of the numbers of the plan.
func (h *hub) readStates(ctx context.Context, p *plan, path string) (queueView, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	states, err := h.client.readStates(ctx, path)
	if err != nil {
		return queueView{}, err
	}
	for n := range p.numbers {
		if g := h.groups[n]; g != nil {
			h.groups[n] = g.confirm(n, states)
		}
	}
	if p.match != nil {
		h.findStrange(states)
	}
	return h.viewOf(p, false), nil
}

// findStrange looks for jobs that only a list will tell of, and for each but once: jobs/state/ also tells of jobs whose
// records the caller is never shown.
func (h *hub) findStrange(states queueStates) {
	hidden := make(map[int64]bool)
	for _, s := range states {
		if n := s.number; !h.numbers[n] {
			hidden[n] = h.hidden[n]
			h.strange = h.strange || !hidden[n]
		}
	}
	h.hidden = hidden
}

// readList reads the records of all that is wanted, or confirms that nothing has happened since.
func (h *hub) readList(ctx context.Context, p *plan, since int64) (queueView, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	list, err := h.client.readQueueList(ctx, since, p.numbers, p.match)
	if err != nil {
		return queueView{}, err
	}
	now := time.Now()
	if list.unchanged {
		for n := range p.numbers {
			h.groups[n] = h.groups[n].renew(n, h.groups[n].jobs, now)
		}
		return h.viewOf(p, true), nil
	}
	h.listed, h.at, h.strange = p.numbers, list.at, false
	if p.match != nil {
		h.numbers = list.numbers
		for n := range h.hidden {
			h.hidden[n] = true
		}
		for _, jobs := range list.records {
			for _, j := range jobs {
				p.numbers[j.groupNumber()] = true
			}
		}
	}
	for n := range p.numbers {
		h.groups[n] = h.groups[n].renew(n, list.records[n], now)
	}
	return h.viewOf(p, true), nil
}

// viewOf is the view for those in the plan after a read for all of them.
func (h *hub) viewOf(p *plan, listed bool) queueView {
	v := queueView{groups: make(map[int64]*group, len(p.numbers)), whole: true, listed: listed, strange: h.strange}
	for n := range p.numbers {
		if g := h.groups[n]; g != nil {
			v.groups[n] = g
		}
	}
	return v
}

// groupNumber is that of the array or heterogeneous job of a record, or its own.
func (j *Job) groupNumber() int64 {
	switch {
	case j.ArrayJobID != "":
		return j.ArrayJobID.Number()
	case j.HetJobID != "":
		return j.HetJobID.Number()
	}
	return j.RawID
}

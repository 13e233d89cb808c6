package slurm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// JobEvent is a change of the state of a job, an array task or a component, as a [Watcher] has seen it.
type JobEvent struct {
	JobID JobID
	Job   *Job // the record that shows the change; nil only if the job was never seen

	// Old is the base state before, "" for what was not seen before, and New the one now. They are the same if only flags
	// have changed (Job.Flags), if the job was requeued and has come to the same state again, and if the only news is
	// that the job will not come back: see Ended.
	Old, New State

	// Ended says that this is the last event of the job: it is over, and no requeue will bring it back, or it is lost.
	Ended bool
	// Err is how the job ended: nil for success and as long as Ended is false, a [*JobError], or an error that matches
	// [ErrJobLost].
	Err error

	Time time.Time // when it was seen, by the local clock; Job has Slurm's own times
}

// String returns the event in one line: "job 42_3 (train): RUNNING -> COMPLETED". Where Old and New are the same, the
// flags stand beside the state, and whether the job is over: "job 42_3 (train): COMPLETED, ended".
func (e *JobEvent) String() string {
	if e == nil {
		return "no event"
	}
	text := "job " + string(e.JobID)
	if e.Job != nil && e.Job.Name != "" {
		text += " (" + foreign.OneLine(abbreviate(e.Job.Name)) + ")"
	}
	text += ": "
	switch {
	case errors.Is(e.Err, ErrJobLost):
		text += arrow(e.Old, "lost")
	case e.Old != e.New || e.Job == nil:
		text += arrow(e.Old, string(e.New))
	default: // the news is in the flags, or that it is over
		text += e.Job.states()
		if e.Ended {
			text += ", ended"
		}
	}
	return foreign.Printable(text)
}

func arrow(from State, to string) string {
	if from == "" {
		return to
	}
	return string(from) + " -> " + to
}

// WatchOptions chooses the jobs for [Client.WatchQueue]. Within a field one match is enough; fields are combined. Empty
// values are ignored, and a value of Users, Accounts and Partitions may hold several with commas. The zero value chooses
// the jobs of all users.
type WatchOptions struct {
	// Users are names. Slurm's REST API does not tell callers who they are; the User of any job of theirs does.
	Users      []string
	Accounts   []string
	Partitions []string // of jobs that run in one of them, or that wait and may
	Names      []string
}

// matcher returns what tells the chosen jobs.
func (o *WatchOptions) matcher() func(*Job) bool {
	if o == nil {
		o = &WatchOptions{}
	}
	filter := (&ListOptions{Users: o.Users, Accounts: o.Accounts, Partitions: o.Partitions, Names: o.Names}).filter()
	return func(j *Job) bool { return filter == nil || filter.match(j) }
}

// Watch tells of each change of state of the given jobs, from how they stand at first to the end of the last of them:
//
//	for event, err := range client.Watch(ctx, ids) {
//		if err != nil {
//			return err // the watching ended early
//		}
//		fmt.Println(event)
//	}
//
// It looks as [Client.WaitAll] does, shares the reads of all other waits of the client, and takes the same options. Each
// task of an array has events of its own from its start on; those that have not started share one, with the id of the
// array. Events come in the order in which they are seen. None comes twice and no end is missed, whatever fails in
// between; a state that came and went between two reads is not seen.
//
// An error is the last element, with a nil event. It is an [*lro.WaitError] if the watching ended before the jobs did,
// with ctx or by failures. That jobs failed is no error here: the events tell. With [lro.FailFast] the first failure ends
// the watching. The reads begin with the loop, which may run once; they pause while its body runs.
func (c *Client) Watch(ctx context.Context, ids []JobID, opts ...lro.WaitOption) iter.Seq2[*JobEvent, error] {
	return func(yield func(*JobEvent, error) bool) { c.Watcher(ctx, ids, opts...).all(yield) }
}

// WatchQueue is [Client.Watch] for all jobs in the live queue that opts chooses, those that are submitted later included.
// nil chooses the jobs of all users. It begins with an event for each job that is there, also for those that ended some
// minutes ago, and goes on until ctx ends or reads fail for too long. A read is one request too: of the states of all
// jobs, or, if there are new jobs of anybody's or changes of those that are watched, of the whole list.
func (c *Client) WatchQueue(ctx context.Context, opts *WatchOptions, wait ...lro.WaitOption) iter.Seq2[*JobEvent, error] {
	return func(yield func(*JobEvent, error) bool) { c.QueueWatcher(ctx, opts, wait...).all(yield) }
}

// Watcher is [Client.Watch] for callers that cannot range over functions. It makes no call.
func (c *Client) Watcher(ctx context.Context, ids []JobID, opts ...lro.WaitOption) *Watcher {
	w := c.newWatcher(ctx, opts)
	tracks, err := newTracks(ids, "watch")
	if err != nil {
		w.end = err
		return w
	}
	w.watch.tracks = onlyOnce(tracks)
	return w
}

// QueueWatcher is [Client.WatchQueue] for callers that cannot range over functions. It makes no call.
func (c *Client) QueueWatcher(ctx context.Context, opts *WatchOptions, wait ...lro.WaitOption) *Watcher {
	w := c.newWatcher(ctx, wait)
	w.watch.match = opts.matcher()
	return w
}

func (c *Client) newWatcher(ctx context.Context, opts []lro.WaitOption) *Watcher {
	w := &Watcher{ctx: ctx}
	w.watch = &jobWatch{client: c, settings: waitSettings(opts), note: w.note}
	return w
}

// Watcher gives the events of [Client.Watch] and [Client.WatchQueue] one by one. It is not safe for concurrent use.
type Watcher struct {
	ctx    context.Context // of the watching as a whole
	watch  *jobWatch
	loop   *poll.Loop // nil before the first read
	events []*JobEvent
	end    error // what Next returns after the events
}

// Next blocks until there is an event and returns it. After the last one it returns [Done], or what ended the watching,
// again and again.
func (w *Watcher) Next() (*JobEvent, error) {
	for len(w.events) == 0 && w.end == nil {
		w.step()
	}
	if len(w.events) == 0 {
		return nil, w.end
	}
	event := w.events[0]
	w.events[0] = nil
	w.events = w.events[1:]
	return event, nil
}

// Stop ends the watching before its end; afterwards it does nothing. Next returns [Done] from then on. A Watcher whose
// Next is called until it fails needs no Stop.
func (w *Watcher) Stop() {
	if w.loop != nil && w.end == nil {
		w.close()
	}
	w.events = nil
	if w.end == nil {
		w.end = Done
	}
}

func (w *Watcher) close() {
	w.watch.close()
	w.loop.End()
}

func (w *Watcher) all(yield func(*JobEvent, error) bool) {
	defer w.Stop()
	for {
		event, err := w.Next()
		if err == Done || !yield(event, err) || err != nil {
			return
		}
	}
}

// step makes the next read, which may bring events, or the end.
func (w *Watcher) step() {
	if w.watch.match == nil && len(w.watch.tracks) == 0 {
		w.finish(nil)
		return
	}
	if w.loop == nil {
		w.watch.open()
		w.loop = poll.NewLoop(w.watch.settings, w.watch.tick)
	}
	done, err := w.loop.Step(w.ctx)
	if !done && err == nil {
		return
	}
	w.close()
	if end := w.watch.end(err); end != nil {
		end.Polls = w.loop.Polls()
		end.Elapsed = w.loop.Elapsed()
		w.end = end
		return
	}
	var failed error
	for _, t := range w.watch.tracks {
		failed = errors.Join(failed, t.err)
	}
	w.finish(failed)
}

// finish runs what is to follow if all has gone well.
func (w *Watcher) finish(failed error) {
	w.end = Done
	if failed == nil {
		if err := w.watch.settings.Finish(w.ctx); err != nil {
			w.end = err
		}
	}
}

// told is what was last told of a part of a job.
type told struct {
	state    State
	text     string
	restarts int // the accounting does not always tell them, so that they only grow
	ended    bool
}

// note makes events of what is new about a job.
func (w *Watcher) note(t *track) {
	now := time.Now()
	if t.told == nil {
		t.told = make(map[JobID]told)
	}
	for _, j := range t.jobs() {
		key := partKey(j)
		was, seen := t.told[key]
		is := told{j.State, stateText(j.State, j.Flags), max(was.restarts, j.RestartCount), t.parts[key].final(now)}
		if seen && is == was {
			continue
		}
		t.told[key] = is
		e := &JobEvent{JobID: j.ID, Job: j, Old: was.state, New: is.state, Ended: is.ended, Time: now}
		if e.Ended {
			e.Err = j.Err()
		}
		w.events = append(w.events, e)
	}
	if t.lostForGood() {
		e := &JobEvent{JobID: t.id, Job: t.result(), Ended: true, Err: t.err, Time: now}
		if e.Job != nil {
			e.Old = e.Job.State
		}
		w.events = append(w.events, e)
	}
}

// lostForGood reports whether the wait for the job ended without anything telling its end.
func (t *track) lostForGood() bool { return t.done && errors.Is(t.err, ErrJobLost) }

// admit begins to follow the jobs that have come to match, and forgets those that ended and have left the queue.
func (w *jobWatch) admit(view queueView) {
	if w.match == nil || !view.whole {
		return
	}
	known := make(map[int64]*track, len(w.tracks))
	w.tracks = slices.DeleteFunc(w.tracks, func(t *track) bool {
		g := view.groups[t.id.Number()]
		return t.done && (g == nil || len(g.jobs) == 0)
	})
	for _, t := range w.tracks {
		known[t.id.Number()] = t
	}
	for _, n := range slices.Sorted(maps.Keys(view.groups)) {
		g, t := view.groups[n], known[n]
		switch {
		case g.stale:
		case t != nil && t.done && slices.ContainsFunc(g.jobs, func(j *Job) bool { return !j.Ended() }):
			t.done, t.err = false, nil // an ended job was put back into the queue
		case t == nil && slices.ContainsFunc(g.jobs, w.match):
			w.tracks = append(w.tracks, &track{id: NewJobID(n)})
		}
	}
}

// newTracks makes a track for each id, the same one for the same job. verb is for the error.
func newTracks(ids []JobID, verb string) ([]*track, error) {
	tracks := make([]*track, len(ids))
	known := make(map[JobID]*track, len(ids))
	for i, id := range ids {
		id, err := parseJobID(string(id))
		if err != nil {
			if len(ids) > 1 {
				err = fmt.Errorf("ids[%d]: %w", i, err)
			}
			return nil, fmt.Errorf("slurm: %s job: %w", verb, err)
		}
		if known[id] == nil {
			known[id] = &track{id: id}
		}
		tracks[i] = known[id]
	}
	return tracks, nil
}

// onlyOnce returns each track once.
func onlyOnce(tracks []*track) (once []*track) {
	seen := make(map[*track]bool, len(tracks))
	for _, t := range tracks {
		if !seen[t] {
			seen[t] = true
			once = append(once, t)
		}
	}
	return once
}

package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

const (
	// lostAfter is how long a job may be unknown everywhere. A fresh job can be missing from the accounting, and
	// all jobs from a restarting controller, for some seconds.
	lostAfter = time.Minute
	// staleAfter is how long the accounting may take a job for unfinished that has left the queue. It lags behind
	// after an outage of its database, and for ever if the controller lost the job.
	staleAfter = 10 * time.Minute
	// comebackAfter is how long an end that Slurm may revoke by a requeue has to last to be believed.
	comebackAfter = 30 * time.Second
	// clockSkew is by how much the clocks of queue, accounting and this machine may differ.
	clockSkew = time.Minute
)

// track is what a wait knows about one job. Arrays and heterogeneous jobs have several parts, which leave the queue
// one by one: what was seen of them is kept.
type track struct {
	id    JobID
	parts map[JobID]*part
	group bool // an array or heterogeneous job, of which there may be parts that nobody has seen

	ask        bool  // the accounting is needed in this tick
	asked      bool  // it answered
	unknown    bool  // it does not know the job
	historyErr error // why it did not tell

	// Starts of the unbroken times for which nothing has told the end of the job, and for which nothing has known it.
	endlessSince, unknownSince time.Time

	row      poll.Row // failed reads of the accounting
	reported string
	told     map[JobID]told // by part, for a [Watcher]

	done bool
	err  error         // how the job ended, or that it is lost
	stop *poll.Stopped // set when it is given up
}

// part is a job, an array task, the tasks of an array that have not started, or a component.
type part struct {
	job   *Job
	since time.Time // when it was first seen at an end that may be revoked
}

func (t *track) waiting() bool { return !t.done && t.stop == nil }

// partKey names a part. The unstarted tasks of an array share a record, which has the number of the array, as has the
// last task to start.
func partKey(j *Job) JobID {
	if j.ArrayJobID != "" && !j.IsArrayTask {
		return j.ArrayJobID + "_"
	}
	return j.ID
}

// seeQueue takes in what the queue says, and reports whether the accounting must be asked: if the queue does not know
// the job, or knows only ended parts of it and there may be others.
func (t *track) seeQueue(jobs []*Job, now time.Time) (ask bool) {
	t.ask, t.asked, t.unknown, t.historyErr = false, false, false, nil
	for key := range t.parts {
		if strings.HasSuffix(string(key), "_") {
			delete(t.parts, key) // if it still exists, it is in jobs
		}
	}
	open := false
	for _, j := range jobs {
		t.group = t.group || j.ArrayJobID == t.id || j.HetJobID == t.id
		p := t.put(j)
		open = open || !p.final(now)
	}
	if open {
		t.endlessSince, t.unknownSince = time.Time{}, time.Time{}
		t.row.Good() // the accounting is not needed: how it failed before is history
		return false
	}
	t.ask = len(jobs) == 0 || t.group
	return t.ask
}

// seeHistory takes in what the accounting says, oldest records first. What the queue said last about a part that had
// ended stays: it tells exit codes better.
func (t *track) seeHistory(jobs []*Job, err error) {
	t.asked, t.unknown, t.historyErr = true, len(jobs) == 0, err
	for _, j := range jobs {
		p := t.parts[partKey(j)]
		switch {
		case p == nil || p.job.Source == SourceAccounting:
		case j.SubmitTime.Before(p.job.SubmitTime.Add(-clockSkew)):
			continue // an earlier run of the job, or another job that once had its number
		case p.job.Ended() && j.State == p.job.State:
			continue
		case p.job.Ended() && !j.Ended():
			continue // the accounting lags behind
		}
		t.put(j)
		t.group = t.group || j.ArrayJobID == t.id || j.HetJobID == t.id
	}
}

func (t *track) put(j *Job) *part {
	if t.parts == nil {
		t.parts = make(map[JobID]*part)
	}
	p := t.parts[partKey(j)]
	if p == nil {
		p = &part{}
		t.parts[partKey(j)] = p
	}
	p.job = j
	return p
}

// final reports whether the part has ended for good.
func (p *part) final(now time.Time) bool {
	if !p.job.Ended() || !p.job.mayComeBack() {
		p.since = time.Time{}
		return p.job.Ended()
	}
	if p.since.IsZero() {
		p.since = now
	}
	return now.Sub(p.since) >= comebackAfter
}

// mayComeBack reports whether Slurm may put an ended job back into the queue. The accounting, and a record of the
// queue without the member, do not tell whether a job may be requeued.
func (j *Job) mayComeBack() bool {
	if j.neverRequeued {
		return false
	}
	switch j.State {
	case StatePreempted, StateNodeFail, StateBootFail:
		return true
	}
	return j.Has(FlagRequeued) || j.Has(FlagRequeueHold) || j.Has(FlagRequeueFed) || j.Has(FlagSpecialExit)
}

// judge decides whether the job has ended.
func (t *track) judge(now time.Time) {
	final := len(t.parts) > 0
	for _, p := range t.parts {
		final = p.final(now) && final
	}
	switch {
	case final && (t.asked || !t.ask):
		t.done, t.err = true, t.result().Err()
	case t.asked:
		endless, unknown := lasting(&t.endlessSince, true, now), lasting(&t.unknownSince, t.unknown, now)
		if endless >= staleAfter || unknown >= lostAfter {
			t.done, t.err = true, t.lost(max(unknown, endless))
		}
	}
}

// lasting keeps the start of a time that goes on while on is true, and returns for how long it has.
func lasting(since *time.Time, on bool, now time.Time) time.Duration {
	switch {
	case !on:
		*since = time.Time{}
		return 0
	case since.IsZero():
		*since = now
	}
	return now.Sub(*since)
}

// lost is the error for a job of which nothing tells the end.
func (t *track) lost(since time.Duration) error {
	text := "neither the queue nor the accounting knows it"
	if !t.unknown {
		text = "it has left the queue, and the accounting takes it for unfinished"
	}
	text += fmt.Sprintf(" for %s", since.Round(time.Second))
	if job := t.result(); job != nil {
		text += "; last seen " + string(job.State)
		return &lostError{id: t.id, text: text, causes: poll.NonNil(ErrJobLost, unlessNotFound(t.historyErr))}
	}
	return &lostError{id: t.id, text: text, causes: poll.NonNil(ErrJobLost, t.historyErr)}
}

// unlessNotFound drops the error for a job that does not exist: one that was seen did.
func unlessNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

type lostError struct {
	id     JobID
	text   string
	causes []error
}

func (e *lostError) Error() string {
	line := fmt.Sprintf("slurm: wait for job %s: job lost: %s", e.id, e.text)
	if len(e.causes) > 1 && !errors.Is(e.causes[1], ErrNotFound) {
		line += ": " + strings.TrimPrefix(e.causes[1].Error(), "slurm: ")
	}
	return foreign.Printable(line)
}

func (e *lostError) Unwrap() []error { return e.causes }

// result is the record that stands for the job: of several parts the first that failed, and otherwise the one that
// [Client.Get] would give. It is nil if none was seen.
func (t *track) result() *Job {
	if len(t.parts) == 0 {
		return nil
	}
	if len(t.parts) == 1 {
		for _, p := range t.parts {
			return p.job
		}
	}
	jobs := t.jobs()
	for _, j := range jobs {
		if j.Failed() {
			return j
		}
	}
	return pick(jobs, t.id.Number())
}

// jobs returns the parts in the order of tasks and components, those that have not started last.
func (t *track) jobs() []*Job {
	keys := slices.SortedFunc(maps.Keys(t.parts), func(a, b JobID) int {
		x, y := t.parts[a].job, t.parts[b].job
		if x.IsArrayTask != y.IsArrayTask {
			if x.IsArrayTask {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.ArrayTaskID, y.ArrayTaskID), cmp.Compare(x.HetOffset, y.HetOffset))
	})
	jobs := make([]*Job, len(keys))
	for i, key := range keys {
		jobs[i] = t.parts[key].job
	}
	return jobs
}

// news is what there is to report after a tick.
func (t *track) news() (p poll.Progress, report bool) {
	message := t.message()
	report = message != t.reported || t.done || t.row.Last() != nil
	t.reported = message
	return poll.Progress{Name: string(t.id), Message: message, Done: t.done, Err: t.row.Last()}, report
}

// message says in a few words how the job stands. A change of it is news.
func (t *track) message() string {
	switch {
	case len(t.parts) == 0:
		return "unknown to the queue"
	case t.group && len(t.parts) > 1:
		return t.count()
	}
	job := t.result()
	text := string(job.State)
	for _, flag := range job.Flags {
		if string(flag) != text {
			text += "+" + string(flag)
		}
	}
	if reason := job.why(); reason != "" {
		text += ": " + reason
	}
	return text
}

// count says how many parts are in which state.
func (t *track) count() string {
	states := make(map[State]int)
	for _, p := range t.parts {
		states[p.job.State]++
	}
	var words []string
	for _, state := range slices.Sorted(maps.Keys(states)) {
		words = append(words, fmt.Sprintf("%d %s", states[state], state))
	}
	return strings.Join(words, ", ")
}

package slurm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// Timeline is a picture of jobs over time, with a row for each: see [JobList.Timeline].
type Timeline struct {
	rows     []timelineRow
	jobs     int   // with those that have no row
	more     int   // jobs that have no row
	unseen   int   // elements of the list that are nil
	from, to int64 // the first and the last moment, as Unix seconds; equal if nothing is known
	known    bool  // whether any job has a time
}

// timelineRow is a job.
type timelineRow struct {
	id, name, state string
	tone            render.Tone
	parts           []timelinePart // of its runs, in order
	took            string         // how long it ran, or has waited
	detail          string
}

// timelinePart is a stretch of a job's life.
type timelinePart struct {
	from, to int64
	kind     partKind
	tone     render.Tone
}

type partKind int

const (
	partQueued partKind = iota
	partHeld            // queued, but held
	partRan
	partEnd // a moment
)

// Timeline draws when the jobs waited and ran. What waits or runs does so up to now, by the local clock; for a list that
// was read some time ago use [JobList.TimelineAt]. As in a [Summary], records of one run from both sources are one, and the
// runs of a requeued job share its row.
//
// The rows come in the order of submit. Of more than 200 there are those that [JobList.SimpleRender] has first; the jobs of
// the others are counted, and so are elements that are nil. It does no I/O and is safe on nil.
func (l JobList) Timeline() *Timeline { return l.TimelineAt(time.Now()) }

// TimelineAt is [JobList.Timeline] at another moment, such as the one at which the jobs were read.
func (l JobList) TimelineAt(now time.Time) *Timeline {
	jobs := jobRuns(l)
	last := func(runs []jobRun) jobRun { return runs[len(runs)-1] }
	slices.SortStableFunc(jobs, func(a, b []jobRun) int {
		x, y := last(a), last(b)
		return compareStages(x.Job, y.Job)
	})
	t := &Timeline{}
	for _, j := range l {
		if j == nil {
			t.unseen++
		}
	}
	shown, _ := render.Shown(len(jobs))
	for i, runs := range jobs {
		t.jobs += last(runs).jobs
		if i >= shown {
			t.more += last(runs).jobs
		}
	}
	jobs = jobs[:shown]
	slices.SortStableFunc(jobs, func(a, b []jobRun) int {
		return cmp.Or(compareTimes(submitted(a[0].Job), submitted(b[0].Job)), compareIDs(a[0].ID, b[0].ID))
	})
	for _, runs := range jobs {
		t.add(runs, now)
	}
	return t
}

// submitted is when the job came into the queue, or the next moment that is known.
func submitted(j *Job) time.Time {
	for _, at := range []time.Time{j.SubmitTime, j.EligibleTime, j.StartTime} {
		if !at.IsZero() {
			return at
		}
	}
	return j.EndTime
}

func (t *Timeline) add(runs []jobRun, now time.Time) {
	last := runs[len(runs)-1]
	row := timelineRow{id: last.shownID(), name: last.Name, state: last.shownState(), tone: last.State.tone()}
	if last.waits() && last.Hold {
		row.state += ", held"
	}
	after := failedBefore(runs)
	if after != "" {
		row.state += " after " + after
	}
	if last.jobs > 1 {
		row.state = fmt.Sprintf("%d %s", last.jobs, row.state)
	}
	for i, r := range runs {
		var next *Job
		if i+1 < len(runs) {
			next = runs[i+1].Job
		}
		row.parts = append(row.parts, runParts(r.Job, next, now)...)
	}
	if last.waits() && !submitted(last.Job).IsZero() {
		row.took = spanText(now.Sub(submitted(last.Job)))
	} else {
		row.took = spanText(last.elapsedAt(now))
	}
	row.detail = tooltip(last.Job, now)
	if after != "" {
		row.detail += "; after " + after
	}
	for _, p := range row.parts {
		t.include(p)
	}
	t.rows = append(t.rows, row)
}

// failedBefore is how the last of the earlier runs failed, if one did: a word for what the picture shows in a color.
func failedBefore(runs []jobRun) (state string) {
	for i, r := range runs[:len(runs)-1] {
		if runTone(r.Job, runs[i+1].Job) == render.Bad {
			state = string(r.State)
		}
	}
	return state
}

func (t *Timeline) include(p timelinePart) {
	if !t.known {
		t.known, t.from, t.to = true, p.from, p.to
	}
	t.from, t.to = min(t.from, p.from), max(t.to, p.to)
}

// runParts is how a run went: it waited, ran, and ended. Moments that contradict each other are brought into that order,
// since clocks differ, and Slurm corrects some of them afterwards.
func runParts(j, next *Job, now time.Time) (parts []timelinePart) {
	from, start, end := submitted(j), j.StartTime, runEnd(j, next, now)
	if j.waits() {
		start = time.Time{} // a forecast
	}
	if from.IsZero() {
		return nil
	}
	queuedUntil := cmp.Or(unixSeconds(start), unixSeconds(end))
	queued := timelinePart{from: unixSeconds(from), to: max(unixSeconds(from), queuedUntil), tone: render.Waiting}
	if j.waits() && j.Hold {
		queued.kind = partHeld
	}
	parts = append(parts, queued)
	until := queued.to
	if !start.IsZero() && !(start.Equal(end) && j.State == StateCancelled) {
		until = max(until, unixSeconds(end))
		parts = append(parts, timelinePart{from: queued.to, to: until, kind: partRan, tone: runTone(j, next)})
	}
	if j.State.Terminal() || next != nil {
		parts = append(parts, timelinePart{from: until, to: until, kind: partEnd, tone: runTone(j, next)})
	}
	return parts
}

// runTone is that of the state, or of no particular success for a run that a requeue ended.
func runTone(j, next *Job) render.Tone {
	if next != nil && !j.Failed() {
		return render.Muted
	}
	return j.State.tone()
}

// runEnd is when the run ended, or now if it goes on; zero if Slurm does not say.
func runEnd(j, next *Job, now time.Time) time.Time {
	switch {
	case j.waits():
		return now
	case (j.State.Terminal() || j.State == StatePending) && !j.EndTime.IsZero():
		return j.EndTime
	case next != nil:
		return next.SubmitTime
	case j.State.Terminal() && !j.StartTime.IsZero():
		return j.StartTime.Add(j.elapsedAt(now))
	case j.State.Terminal():
		return time.Time{}
	}
	return now
}

// unixSeconds is 0 for no time. It keeps to what Slurm's clock can count, up to the years with four digits.
func unixSeconds(t time.Time) int64 {
	const first, last = 1, 253402300799
	if t.IsZero() {
		return 0
	}
	return min(max(t.Unix(), first), last)
}

func tooltip(j *Job, now time.Time) string {
	parts := []string{j.String()}
	add := func(what, value string) {
		if value != "" {
			parts = append(parts, what+" "+value)
		}
	}
	add("submitted", render.Time(j.SubmitTime))
	if !j.waits() {
		add("started", render.Time(j.StartTime))
	}
	if j.Ended() {
		add("ended", render.Time(j.EndTime))
	}
	add("queued for", spanText(j.queueTime(now)))
	add("ran for", spanText(j.elapsedAt(now)))
	return strings.Join(parts, "; ")
}

// String returns what the picture shows in one line: "timeline of 12 jobs from 2026-01-02 10:00:00 to 2026-01-02 14:00:00 UTC".
func (t *Timeline) String() string {
	if t == nil {
		t = &Timeline{}
	}
	text := "timeline of no jobs"
	if t.jobs > 0 {
		text = "timeline of " + counted(t.jobs, "job")
	}
	if t.known {
		text += fmt.Sprintf(" from %s to %s UTC", dateTime(t.from), dateTime(t.to))
	}
	if t.unseen > 0 {
		text += ", and " + counted(t.unseen, "job") + " not seen"
	}
	return text
}

func dateTime(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateTime) }

// SimpleRender returns what a notebook shows for the timeline: a line of text, and the picture as SVG. It is safe on nil.
func (t *Timeline) SimpleRender() map[string]any { return render.Picture(t.String(), t.SVG()) }

// timeAxis puts moments on a line.
type timeAxis struct {
	from, to    int64 // different
	left, width float64
}

// axis leaves room around a single moment, and none around others: the bars show where it ends.
func (t *Timeline) axis(left, width float64) timeAxis {
	a := timeAxis{from: t.from, to: t.to, left: left, width: width}
	if a.to == a.from {
		a.from, a.to = a.from-30, a.to+30
	}
	return a
}

func (a timeAxis) x(seconds int64) float64 {
	share := float64(seconds-a.from) / float64(a.to-a.from)
	return a.left + a.width*math.Min(1, math.Max(0, share))
}

const (
	aMinute = 60
	anHour  = 60 * aMinute
	aDay    = 24 * anHour
	aWeek   = 7 * aDay
)

// step is the distance of ticks, of which there are to be at most six or so.
func (a timeAxis) step() int64 {
	const most = 6
	for _, step := range []int64{1, 2, 5, 10, 15, 30, aMinute, 2 * aMinute, 5 * aMinute, 10 * aMinute, 15 * aMinute, 30 * aMinute,
		anHour, 2 * anHour, 3 * anHour, 6 * anHour, 12 * anHour, aDay, 2 * aDay, aWeek, 2 * aWeek, 4 * aWeek, 12 * aWeek, 26 * aWeek} {
		if a.to-a.from <= most*step {
			return step
		}
	}
	step := int64(52 * aWeek)
	for a.to-a.from > most*step {
		step *= 2
	}
	return step
}

// tick is a moment with a mark on the axis.
type tick struct {
	at    int64
	label string
}

// ticks are at whole steps in UTC, those of weeks on Mondays.
func (a timeAxis) ticks() (ticks []tick) {
	step := a.step()
	var offset int64
	if step%aWeek == 0 {
		offset = 4 * aDay // 1970 began on a Thursday
	}
	first := a.from + mod(offset-a.from, step)
	for at := first; at <= a.to; at += step {
		ticks = append(ticks, tick{at, tickLabel(at, step, at == first)})
	}
	return ticks
}

func mod(a, b int64) int64 { return (a%b + b) % b }

// tickLabel has the date where it begins.
func tickLabel(at, step int64, first bool) string {
	when := time.Unix(at, 0).UTC()
	clock := when.Format("15:04")
	switch {
	case step >= aDay:
		return when.Format(time.DateOnly)
	case first || mod(at, aDay) < step:
		return when.Format("Jan 2 ") + clock + secondsOf(when, step)
	}
	return clock + secondsOf(when, step)
}

func secondsOf(when time.Time, step int64) string {
	if step >= aMinute {
		return ""
	}
	return when.Format(":05")
}

package slurm

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// JobList is what the calls for several jobs return: a []*Job that a notebook shows as a table. It can be assigned to and
// from a []*Job. Of [Client.WaitAll], an element is nil if its job was never seen.
type JobList []*Job

// String returns the counts in one line: "12 jobs: 1 pending, 3 running, 8 completed". As in a [Tally], each task of an
// array's record counts as a job.
func (l JobList) String() string { return Tally{Counts: sortCounts(l.counts())}.String() }

func (l JobList) counts() map[string]int {
	counts := make(map[string]int)
	for _, j := range l {
		if j == nil {
			counts["unknown"]++
		} else {
			counts[stateWord(j)] += j.tasks()
		}
	}
	return counts
}

// tasks is how many tasks of an array the record stands for, or 1.
func (j *Job) tasks() int {
	if j.unstarted() {
		if list, err := parseTaskList(j.ArrayTasks); err == nil {
			return max(1, int(list.count()))
		}
	}
	return 1
}

// SimpleRender returns what a notebook shows for a list that is the last expression of a cell: a line of text, and a table
// as HTML. The jobs that run come first and then those that wait, both with the oldest first; then those in a state that
// this package does not know; then those that have ended, the latest first, and those that were never seen. Of more than 200
// rows the rest is counted. It does no I/O and is safe on nil.
func (l JobList) SimpleRender() map[string]any {
	return render.Bundle(l.String(), l.table(time.Now()).HTML())
}

func (l JobList) table(now time.Time) *render.Table {
	t := &render.Table{Caption: l.String(), Noun: "rows", Columns: render.Columns("Job", "Name", "User", "State", "Reason", "Elapsed", "Nodes", "GPUs", "Exit")}
	for _, i := range []int{5, 7} {
		t.Columns[i].Number = true
	}
	sorted := l.sorted()
	shown, more := render.Shown(len(sorted))
	t.More = more
	for _, j := range sorted[:shown] {
		t.Rows = append(t.Rows, j.row(now))
	}
	return t
}

func (j *Job) row(now time.Time) []render.Cell {
	if j == nil {
		return []render.Cell{3: {Text: "not seen", Tone: render.Muted}}
	}
	return []render.Cell{
		{Text: j.shownID()}, {Text: j.Name}, {Text: j.User}, j.stateCell(), {Text: j.why()}, {Text: spanText(j.elapsedAt(now))},
		{Text: cmp.Or(j.Nodes, render.Count(j.NodeCount))}, {Text: render.Count(j.GPUs())}, {Text: j.shownExit()},
	}
}

// sorted is the order in which people look for jobs.
func (l JobList) sorted() JobList {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, compareStages)
	return sorted
}

// compareStages puts jobs in that order. Two records are equal in it only if they are of one run.
func compareStages(a, b *Job) int {
	stage := a.stage()
	if order := cmp.Compare(stage, b.stage()); order != 0 || a == nil {
		return order
	}
	var order int
	switch stage {
	case stageRunning:
		order = compareTimes(a.StartTime, b.StartTime)
	case stageEnded:
		order = b.EndTime.Compare(a.EndTime)
	}
	return cmp.Or(order, compareTimes(submitted(a), submitted(b)), compareIDs(a.ID, b.ID), cmp.Compare(a.RawID, b.RawID))
}

// compareTimes puts what has no time last.
func compareTimes(a, b time.Time) int {
	if a.IsZero() != b.IsZero() {
		a, b = b, a
	}
	return a.Compare(b)
}

// The stages of jobs, in that order.
const (
	stageRunning = iota // has nodes, or ends
	stageWaiting
	stageOther // in a state that this package does not know
	stageEnded
	stageUnseen // no job, as in the list of [Client.WaitAll]
)

func (j *Job) stage() int {
	switch {
	case j == nil:
		return stageUnseen
	case j.waits():
		return stageWaiting
	case j.Ended() || j.State == StatePending:
		return stageEnded
	case j.State.known():
		return stageRunning
	}
	return stageOther
}

// shownID is the id with the tasks that the record stands for.
func (j *Job) shownID() string {
	if j.ArrayTasks != "" && !j.IsArrayTask {
		return string(j.ID) + "_[" + abbreviate(j.ArrayTasks) + "]"
	}
	return string(j.ID)
}

// shownState is the base state and the flags.
func (j *Job) shownState() string {
	text := string(j.State)
	for _, flag := range j.Flags {
		if string(flag) != text {
			text += "+" + string(flag)
		}
	}
	return text
}

func (j *Job) stateCell() render.Cell { return render.Cell{Text: j.shownState(), Tone: j.State.tone()} }

func (s State) tone() render.Tone {
	switch {
	case s == StatePending:
		return render.Waiting
	case s == StateRunning:
		return render.Active
	case s.Succeeded():
		return render.Good
	case s.Failed() && s != StateCancelled:
		return render.Bad
	}
	return render.Muted
}

// shownExit is how an ended job exited: "0", "signal 9 (KILL)". The accounting has a success for jobs that were cancelled
// before they ran, which would mislead here.
func (j *Job) shownExit() string {
	if !j.Ended() || !j.ExitCode.Known || j.State != StateCompleted && j.ExitCode.Success() {
		return ""
	}
	return strings.TrimPrefix(j.ExitCode.String(), "exit code ")
}

// spanText is a span as people read it, "" for none.
func spanText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return clock(d)
}

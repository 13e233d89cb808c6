package slurm

import (
	"cmp"
	"slices"
	"time"
)

// jobRun is one run of a job, or the job while it waits for one. jobs is how many it stands for: the record of an
// array's tasks that have not started is several.
type jobRun struct {
	*Job
	jobs int
}

// jobRuns brings the records of a list into jobs, each with its runs in order. Every job has at least one.
func jobRuns(list []*Job) [][]jobRun {
	var jobs [][]jobRun
	tasks := arrayTasks(list)
	for _, j := range distinct(list) {
		r := jobRun{j, tasks.standsFor(j)}
		if r.jobs == 0 {
			continue // all of its tasks have records of their own by now
		}
		if last := len(jobs) - 1; last >= 0 && requeuedAs(jobs[last][len(jobs[last])-1].Job, j) {
			jobs[last] = append(jobs[last], r)
		} else {
			jobs = append(jobs, []jobRun{r})
		}
	}
	return jobs
}

// runKey tells runs apart. An array's tasks that have not started go by its number, together or one by one, and so does
// the task that starts last.
type runKey struct {
	number int64
	id     JobID
	submit time.Time
}

func keyOf(j *Job) runKey { return runKey{j.RawID, j.ID, j.SubmitTime} }

// distinct returns one record for each run, in the order of number and submit. Of two records of one run, from the two
// sources or from two moments, the one counts that knows of later events.
func distinct(list []*Job) []*Job {
	best := map[runKey]*Job{}
	for _, j := range list {
		if j == nil {
			continue
		}
		key := keyOf(j)
		if old := best[key]; old == nil || later(old, j) {
			best[key] = j
		}
	}
	all := make([]*Job, 0, len(best))
	for _, j := range best {
		all = append(all, j)
	}
	slices.SortFunc(all, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.RawID, b.RawID), compareIDs(a.ID, b.ID), a.SubmitTime.Compare(b.SubmitTime))
	})
	return all
}

// later reports whether b knows more than a. Of an ended job the accounting does, of another one the queue, which the
// accounting lags behind.
func later(a, b *Job) bool {
	x, y := progress(a), progress(b)
	if x != y || a.Source == b.Source {
		return x < y || x == y && a.elapsed < b.elapsed
	}
	return (b.Source == SourceAccounting) == (y == 2)
}

func progress(j *Job) int {
	switch {
	case j.waits():
		return 0
	case j.Ended() || j.State == StatePending:
		return 2
	}
	return 1
}

// requeuedAs reports whether next is the run after that of j.
func requeuedAs(j, next *Job) bool {
	if j.RawID != next.RawID || j.ID != next.ID {
		return false
	}
	lost := j.State == StateNodeFail || j.State == StatePreempted || j.State == StateBootFail
	return next.RestartCount > 0 || j.Has(FlagRequeued) || j.State == StatePending || lost
}

// taskKey names a task of one submit of an array.
type taskKey struct {
	array  JobID
	submit time.Time
}

// ownTasks are the tasks of arrays that have records of their own.
type ownTasks map[taskKey]map[int64]bool

func arrayTasks(list []*Job) ownTasks {
	own := ownTasks{}
	for _, j := range list {
		if j == nil || !j.IsArrayTask {
			continue
		}
		key := taskKey{j.ArrayJobID, j.SubmitTime}
		if own[key] == nil {
			own[key] = map[int64]bool{}
		}
		own[key][j.ArrayTaskID] = true
	}
	return own
}

// standsFor returns how many jobs a record is: of an array's rest the tasks that have no record of their own. A record
// from the queue and others from the accounting may be of two moments. Where Slurm has cut a list of tasks short, those
// count that it lists.
func (own ownTasks) standsFor(j *Job) int {
	list, err := parseTaskList(j.ArrayTasks)
	if j.IsArrayTask || j.ArrayJobID == "" || err != nil {
		return 1
	}
	n := list.count()
	for task := range own[taskKey{j.ArrayJobID, j.SubmitTime}] {
		if list.has(task) {
			n--
		}
	}
	return int(max(n, 0))
}

// elapsedAt is Elapsed with a moment for now.
func (j *Job) elapsedAt(now time.Time) time.Duration {
	if j.Source == SourceAccounting || j.elapsed > 0 || j.StartTime.IsZero() || j.waits() || j.State.Terminal() {
		return j.Elapsed()
	}
	return max(0, now.Sub(j.StartTime).Truncate(time.Second))
}

// elapsedBefore is how long a run took that next came after. Its record may be of a moment at which it went on, as that of
// an event is; then the submit of the next run, which is the requeue, ended it.
func (j *Job) elapsedBefore(next *Job, now time.Time) time.Duration {
	elapsed := j.elapsedAt(now)
	if until := next.SubmitTime.Sub(j.StartTime); !j.State.Terminal() && until < elapsed {
		return max(0, until)
	}
	return elapsed
}

package slurm

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// group is what was last read of the live queue about one number: of a plain job, of an array with all its records, or of
// a heterogeneous job with all its components. It is not changed once it was made.
type group struct {
	jobs []*Job
	at   time.Time // when the records were read

	// stale says that states were seen, in a read that tells nothing else, which the records do not show. ended says
	// that all of those are ends, and failed that one of them is a bad end.
	stale, ended, failed bool

	seen  string         // those states, if it is stale
	known string         // states that differ from the records although they were read anew: nothing is to be learnt there
	left  map[int64]bool // numbers of records that are gone
}

// seenState is the state of a job, task or component in an answer of jobs/state/.
type seenState struct {
	number, task  int64
	name          []byte // as it is written in the answer
	text          string
	ended, failed bool
}

// queueStates is an answer of jobs/state/, in the order of the numbers before the mark of each name and of the tasks behind
// it. Slurm has a name "45_3" for the task with the number 45 and the index 3 (before v0.0.41 of the API, it has the number
// of the array there), "42_4" for a task that has not started, "43+1" for a component with the number 43, and "42" otherwise.
type queueStates []seenState

// noIndex is in place of an index for what is no task.
const noIndex = -1

func bySeen(a, b seenState) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.task, b.task))
}

func (v queueStates) Len() int           { return len(v) }
func (v queueStates) Swap(i, j int)      { v[i], v[j] = v[j], v[i] }
func (v queueStates) Less(i, j int) bool { return bySeen(v[i], v[j]) < 0 }

// sorted brings the states into their order, in which Slurm mostly sends them. Of two of one name the last one counts.
func (v queueStates) sorted() queueStates {
	ordered := true
	for i := 1; i < len(v) && ordered; i++ {
		ordered = bySeen(v[i-1], v[i]) < 0
	}
	if ordered {
		return v
	}
	slices.Reverse(v)
	sort.Stable(v) // of package sort, as in the environment of a job
	return slices.CompactFunc(v, func(a, b seenState) bool { return bySeen(a, b) == 0 })
}

// of returns the states under a number.
func (v queueStates) of(number int64) queueStates {
	start, _ := slices.BinarySearchFunc(v, number, func(s seenState, n int64) int { return cmp.Compare(s.number, n) })
	end := start
	for end < len(v) && v[end].number == number {
		end++
	}
	return v[start:end]
}

// index finds a state under its number and task.
func (v queueStates) index(number, task int64) (int, bool) {
	return slices.BinarySearchFunc(v, seenState{number: number, task: task}, bySeen)
}

// record finds a record that is not that of several tasks.
func (v queueStates) record(j *Job) (seenState, bool) {
	i, ok := v.index(j.RawID, taskOf(j))
	if !ok && j.IsArrayTask {
		i, ok = v.index(j.ArrayJobID.Number(), j.ArrayTaskID)
	}
	if !ok {
		return seenState{}, false
	}
	return v[i], true
}

// stateText is a state with its flags in an order that does not depend on who tells them.
func stateText(state State, flags []Flag) string {
	if len(flags) == 0 {
		return string(state)
	}
	words := make([]string, 0, len(flags)+1)
	for _, flag := range flags {
		words = append(words, string(flag))
	}
	slices.Sort(words)
	return strings.Join(append(words, string(state)), "+")
}

// unstarted reports whether the record stands for all tasks of an array that have not started.
func (j *Job) unstarted() bool { return j.ArrayJobID != "" && !j.IsArrayTask }

// confirm returns what is known of a number after its states were read. Records that the queue has dropped are gone; if
// anything else has changed, the group is stale.
func (g *group) confirm(number int64, states queueStates) *group {
	if g.holds(number, states) {
		return g
	}
	var rest *Job
	var kept []*Job
	var seen []seenState
	var gone []int64
	own, same := states.of(number), true
	taken := make([]bool, len(own))
	for _, j := range g.jobs {
		if j.unstarted() {
			rest = j
			continue
		}
		s, ok := states.record(j)
		if !ok {
			gone = append(gone, j.RawID)
			continue
		}
		own.take(number, j, taken)
		seen, kept = append(seen, s), append(kept, j)
		same = same && s.text == stateText(j.State, j.Flags)
	}
	var more []seenState // tasks that have not started, and what the records do not know
	for i, s := range own {
		if !taken[i] {
			more = append(more, s)
		}
	}
	if same = same && tell(rest, more, len(kept)); same && rest != nil && len(more) > 0 {
		kept = append(kept, rest)
	}
	seen = append(seen, more...)
	left := without(number, g.left, gone)
	for raw := range g.left {
		for _, s := range states.of(raw) { // is back
			seen, same = append(seen, s), false
		}
	}
	if same {
		return &group{jobs: kept, at: g.at, known: g.known, left: left}
	}
	text := textOf(seen)
	if text == g.known && !g.stale {
		return g
	}
	if text == g.known {
		return &group{jobs: g.jobs, at: g.at, known: g.known, left: g.left}
	}
	next := &group{jobs: g.jobs, at: g.at, stale: true, ended: true, seen: text, known: g.known, left: g.left}
	for _, s := range seen {
		next.ended = next.ended && s.ended
		next.failed = next.failed || s.failed
	}
	return next
}

// take notes which of the states under a number is that of a record.
func (v queueStates) take(number int64, j *Job, taken []bool) {
	if i, ok := v.index(number, taskOf(j)); ok {
		taken[i] = true
	}
}

// holds reports whether the states are just those of the records. It leaves what takes a closer look to confirm.
func (g *group) holds(number int64, states queueStates) bool {
	if g.stale || len(g.left) > 0 {
		return false
	}
	own := states.of(number)
	if len(g.jobs) == 1 && len(own) == 1 && own[0].isOf(g.jobs[0]) && own[0].isKnown(g.known) {
		return true // as far as can be known
	}
	var few [8]bool // spare most groups an allocation
	taken := append(few[:0], make([]bool, len(own))...)
	for _, j := range g.jobs {
		if j.unstarted() {
			return false
		}
		from := states
		if j.RawID == number {
			from = own // where it is found sooner
		}
		if s, ok := from.record(j); !ok || s.text != stateText(j.State, j.Flags) {
			return false
		}
		own.take(number, j, taken)
	}
	return !slices.Contains(taken, false)
}

// tell reports whether the record of the unstarted tasks, nil if there is none, says just that of them. A group of which
// nothing is left in the queue has changed in no other way.
func tell(rest *Job, tasks []seenState, others int) bool {
	if rest == nil || len(tasks) == 0 {
		return len(tasks) == 0 && (rest == nil || others == 0)
	}
	list, err := parseTaskList(rest.ArrayTasks)
	if err != nil || list.cut || list.count() != int64(len(tasks)) {
		return false
	}
	text := stateText(rest.State, rest.Flags)
	return !slices.ContainsFunc(tasks, func(s seenState) bool { return s.text != text })
}

func taskOf(j *Job) int64 {
	if j.IsArrayTask {
		return j.ArrayTaskID
	}
	return noIndex
}

func (s seenState) isOf(j *Job) bool {
	return !j.unstarted() && s.number == j.RawID && s.task == taskOf(j)
}

// isKnown reports whether text is textOf of this state alone.
func (s seenState) isKnown(text string) bool {
	text, ok := strings.CutPrefix(text, "states: ")
	name, state, _ := strings.Cut(text, " ")
	return ok && state == s.text && name == string(s.plainName())
}

// textOf is the same for the same states. It is never empty.
func textOf(seen []seenState) string {
	words := make([]string, 0, len(seen))
	for _, s := range seen {
		words = append(words, jsonx.Text(s.name)+" "+s.text)
	}
	slices.Sort(words)
	return "states: " + strings.Join(words, ", ")
}

// renew returns what is known of a number after its records were read. g is nil if nothing was known.
func (g *group) renew(number int64, jobs []*Job, at time.Time) *group {
	next := &group{jobs: jobs, at: at}
	if g == nil {
		return next
	}
	present := make(map[int64]bool, len(jobs))
	for _, j := range jobs {
		present[j.RawID] = true
	}
	var gone []int64
	for _, j := range g.jobs {
		if !present[j.RawID] {
			gone = append(gone, j.RawID)
		}
	}
	next.left = without(number, g.left, gone)
	maps.DeleteFunc(next.left, func(raw int64, _ bool) bool { return present[raw] })
	// States that do not agree with the records, however often those are read, must not lead to reading them for ever.
	// They occur: jobs/state/ tells also of jobs that the caller is not shown, and the tasks of long lists are not
	// written out.
	if sameRecords(g.jobs, jobs) {
		if next.known = g.known; g.stale {
			next.known = g.seen
		}
	}
	return next
}

// without returns the numbers of left and gone, apart from that of the group itself.
func without(number int64, left map[int64]bool, gone []int64) map[int64]bool {
	all := maps.Clone(left)
	for _, raw := range gone {
		if raw == number {
			continue
		}
		if all == nil {
			all = make(map[int64]bool)
		}
		all[raw] = true
	}
	return all
}

// sameRecords reports whether two reads gave the same jobs in the same states.
func sameRecords(a, b []*Job) bool {
	if len(a) != len(b) {
		return false
	}
	states := make(map[int64]string, len(a))
	for _, j := range a {
		states[j.RawID] = stateText(j.State, j.Flags) + " " + j.ArrayTasks
	}
	for _, j := range b {
		if states[j.RawID] != stateText(j.State, j.Flags)+" "+j.ArrayTasks {
			return false
		}
	}
	return true
}

package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// Tally is how the jobs of a wait stand after one of its reads: see [OnTally].
type Tally struct {
	// Counts says how many jobs are in which state, in the order of a job's life, without states that no job is in. Each
	// task of an array and each component counts as a job. A task that has not been seen yet is not counted.
	Counts  []TallyCount
	Elapsed time.Duration // since the wait began
	Reads   int           // rounds of reads so far
	Err     error         // a failed read that the wait bears; Counts is then older
	Ended   bool          // the wait is over, for whatever reason
}

// TallyCount is a part of a [Tally].
type TallyCount struct {
	// State is a word: a [State] in lower case with spaces, such as "out of memory"; "configuring" for a running job whose
	// nodes still boot; "completing" for one that is being cleaned up; "unknown" for one that was not seen yet; "lost" for
	// one that nothing will tell of any more.
	State string
	Jobs  int
}

// Total returns the number of jobs.
func (t Tally) Total() (n int) {
	for _, c := range t.Counts {
		n += c.Jobs
	}
	return n
}

// String returns the counts in one line: "128 jobs: 3 pending, 100 running, 24 completed, 1 failed".
func (t Tally) String() string {
	switch n := t.Total(); {
	case n == 0:
		return "no jobs"
	case n == 1:
		return "1 job: " + foreign.Printable(t.Counts[0].State)
	}
	var words []string
	for _, c := range t.Counts {
		words = append(words, fmt.Sprintf("%d %s", c.Jobs, foreign.Printable(c.State)))
	}
	return fmt.Sprintf("%d jobs: %s", t.Total(), strings.Join(words, ", "))
}

// OnTally sets a function that is told after each read of a wait for jobs how all of them stand, and once more when the
// wait ends. It is called on the goroutine that waits and never concurrently, and the wait pauses while it runs. Several
// are called in turn. A wait for operations calls it without counts.
func OnTally(f func(Tally)) lro.WaitOption {
	return func(s *poll.Settings) {
		before := s.Round
		s.Round = func(r poll.Round) {
			if before != nil {
				before(r)
			}
			f(Tally{Counts: sortCounts(r.Counts), Elapsed: r.Elapsed, Reads: r.Polls, Err: r.Err, Ended: r.End})
		}
	}
}

// stateOrder is that of a job's life. Other states come last.
var stateOrder = []string{"unknown", "pending", "configuring", "running", "suspended", "completing", "completed"}

func sortCounts(counts map[string]int) []TallyCount {
	var sorted []TallyCount
	for state, n := range counts {
		sorted = append(sorted, TallyCount{state, n})
	}
	place := func(c TallyCount) int {
		if i := slices.Index(stateOrder, c.State); i >= 0 {
			return i
		}
		return len(stateOrder)
	}
	slices.SortFunc(sorted, func(a, b TallyCount) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.State, b.State))
	})
	return sorted
}

// countStates counts the parts of all tracks.
func countStates(tracks []*track) map[string]int {
	counts := make(map[string]int)
	for _, t := range tracks {
		_, task := t.id.Task()
		switch {
		case t.lostForGood():
			counts["lost"]++
			continue
		case len(t.parts) == 0:
			counts["unknown"]++
		}
		for _, p := range t.parts {
			n := 1
			if p.job.unstarted() && !task {
				if list, err := parseTaskList(p.job.ArrayTasks); err == nil {
					n = max(n, int(list.count()))
				}
			}
			counts[stateWord(p.job)] += n
		}
	}
	return counts
}

func stateWord(j *Job) string {
	switch {
	case j.State.Terminal() && j.Has(FlagCompleting):
		return "completing"
	case j.State.Running() && j.Has(FlagConfiguring):
		return "configuring"
	case j.State == "":
		return "unknown"
	}
	return strings.ToLower(strings.ReplaceAll(string(j.State), "_", " "))
}

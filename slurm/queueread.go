package slurm

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// maxPath bounds a path with its query. Slurm's REST daemon closes the connection on one of more than 48 kB; what the
// platform takes is unknown. Some 500 jobs fit.
const maxPath = 8000

// way is a read that no document of the platform promises: a path of Slurm's, or a query. It is tried, and given up for
// good if what is documented works where it does not.
type way struct {
	accepted bool
	refused  bool
	failures int // passing ones, as long as it was never accepted

	// passed is its last failure if that was taken for no matter of the way, though it was never accepted. The next read
	// goes by what is known to work, and if that does work, the failure counts.
	passed error
}

// passingFailures is how often a way may fail in passing before it is given up that was never accepted.
const passingFailures = 3

// ways are those of one client.
type ways struct {
	mu       sync.Mutex
	statesOf way // jobs/state/?job_id=1&job_id=2
	states   way // jobs/state/
	since    way // jobs/?update_time=uts1
	runs     way // the accounting's jobs/?step=1&step=2
}

// attempt is one read that would do, by a way or, where that is nil, as documented.
type attempt struct {
	way  *way
	read func(context.Context) error
}

// first makes the attempts in their order until one succeeds. Those that failed before it are given up, if they failed
// for good; if all fail, nothing is learnt, and the next read is the documented one alone, so that it stays one request
// while nothing works. The last attempt must be a documented one.
func (w *ways) first(ctx context.Context, attempts ...attempt) error {
	failed, errs := w.detour(attempts)
	sure := len(failed) > 0
	for _, a := range attempts {
		if w.avoids(a.way, sure) {
			continue
		}
		err := a.read(ctx)
		if err == nil {
			w.learn(a.way, failed, errs)
			return nil
		}
		if a.way == nil {
			w.postpone(failed, errs)
		}
		if a.way == nil || ctx.Err() != nil || w.passes(a.way, err) {
			return err
		}
		failed, errs = append(failed, a), append(errs, err)
	}
	return errors.Join(errs...) // not reached: nothing refuses what is documented
}

// detour takes the attempts that are to be gone around this once, with their failures.
func (w *ways) detour(attempts []attempt) (failed []attempt, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range attempts {
		if a.way != nil && a.way.passed != nil {
			failed, errs = append(failed, a), append(errs, a.way.passed)
			a.way.passed = nil
		}
	}
	return failed, errs
}

// avoids reports whether the way is not to be tried: it is given up or, where sure is set, was never accepted.
func (w *ways) avoids(way *way, sure bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return way != nil && (way.refused || sure && !way.accepted)
}

func (w *ways) refused(way *way) bool { return w.avoids(way, false) }

// passes reports whether the failure is no matter of the way: Slurm itself is in trouble, or the platform is and has
// shown before that it takes such requests, or it asks for a pause. Only in the second case is that certain.
func (w *ways) passes(way *way, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	verdict, ok := errors.AsType[*Error](err)
	passes := poll.Transient(err) && (way.accepted || ok && len(verdict.Problems) > 0 || poll.Wish(0, err) > 0)
	if passes && !way.accepted {
		way.passed = err
	}
	return passes
}

// postpone keeps passing failures for the next read, as what is documented has failed too. What refuses a way for good has to
// come from a service that works.
func (w *ways) postpone(failed []attempt, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, f := range failed {
		if !f.way.accepted && poll.Transient(errs[i]) {
			f.way.passed = errs[i]
		}
	}
}

// learn notes that one attempt succeeded where others had failed.
func (w *ways) learn(succeeded *way, failed []attempt, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if succeeded != nil {
		succeeded.accepted, succeeded.passed = true, nil
	}
	for i, f := range failed {
		f.way.failures++
		f.way.refused = !poll.Transient(errs[i]) || f.way.failures >= passingFailures
	}
}

// numbersQuery appends the numbers to a path, each under the name, and reports whether the result is short enough.
func numbersQuery(path, name string, numbers []int64) (string, bool) {
	if !queryFits(name, len(numbers)) {
		return "", false
	}
	b := append(make([]byte, 0, maxPath), path...)
	mark := byte('?')
	for _, n := range numbers {
		b = append(append(append(b, mark), name...), '=')
		b, mark = strconv.AppendInt(b, n, 10), '&'
	}
	return string(b), len(b) <= maxPath
}

// queryFits reports whether so many numbers can be short enough.
func queryFits(name string, numbers int) bool { return numbers*len("&=1"+name) <= maxPath }

// readStates reads nothing but states, of some 39 bytes each where the list has 5 kB: of all jobs, if the query does not
// say otherwise.
func (c *Client) readStates(ctx context.Context, path string) (queueStates, error) {
	r, err := c.read(ctx, "read job states", path)
	if err != nil {
		return nil, err
	}
	var states queueStates
	known := map[string]seenState{} // by what is written: there are few, and thousands of jobs
	seen := 0
	err = decodeRecords(r, "jobs", func(d *decoder, o *jsonx.Object) error {
		seen++
		s, err := d.seenState(o.Member("state"), known)
		if s.name = o.Member("job_id"); !s.place() {
			return &jsonx.Error{Path: "job_id", Want: "a job id", Got: strconv.Quote(abbreviate(jsonx.Text(s.name)))}
		}
		states = append(states, s)
		return inMember([]byte("state"), err)
	})
	// A job that cannot be read here might be taken for one that has left the queue.
	if err != nil {
		return nil, err
	}
	if err := r.err(); err != nil && seen == 0 {
		return nil, err
	}
	return states.sorted(), nil
}

// place reads the number and the task of the state from its name.
func (s *seenState) place() bool {
	parts, ok := splitJobID(s.plainName())
	if s.number, s.task = parts.number, noIndex; parts.mark == '_' {
		s.task = parts.sub
	}
	return ok
}

// plainName is the name without its quotes.
func (s *seenState) plainName() []byte {
	if jsonx.KindOf(s.name) == jsonx.KindString {
		return wordOf(s.name)
	}
	return bytes.TrimSpace(s.name)
}

// seenState reads a state without its place.
func (d *decoder) seenState(raw []byte, known map[string]seenState) (seenState, error) {
	if s, ok := known[string(raw)]; ok {
		return s, nil
	}
	state, flags, err := d.state(raw)
	if err != nil {
		return seenState{}, err
	}
	j := &Job{State: state, Flags: flags}
	s := seenState{text: stateText(state, flags), ended: j.Ended(), failed: j.Failed()}
	known[string(raw)] = s
	return s, nil
}

// queueList is the list of the live queue as far as it was asked for.
type queueList struct {
	records   queueRecords
	numbers   map[int64]bool // of all jobs and arrays in the queue
	at        int64          // when Slurm made it, by its own clock; 0 if it did not say
	unchanged bool           // nothing has happened since the time asked for; the rest is empty then
}

// queueRecords are jobs by each number they go by.
type queueRecords map[int64][]*Job

func (v queueRecords) add(j *Job) {
	v[j.RawID] = append(v[j.RawID], j)
	for _, group := range []int64{j.ArrayJobID.Number(), j.HetJobID.Number()} {
		if group != 0 && group != j.RawID {
			v[group] = append(v[group], j)
		}
	}
}

// readQueueList reads the list of the live queue. It keeps only the jobs that go by a wanted number or, if match is not
// nil, match: a queue can hold thousands of others. If since is not 0, the list may be left out if nothing has changed.
func (c *Client) readQueueList(ctx context.Context, since int64, wanted map[int64]bool, match func(*Job) bool) (*queueList, error) {
	path := c.live("jobs/")
	if since != 0 {
		path += "?update_time=uts" + strconv.FormatInt(since, 10) // bare seconds are refused before v0.0.42
	}
	list := &queueList{records: queueRecords{}, numbers: map[int64]bool{}}
	answer, err := c.eachRecord(ctx, "list jobs", path, func(d *decoder, o *jsonx.Object) error {
		is := list.look(o, wanted)
		if !is && match == nil {
			return nil
		}
		if job := d.liveJob(o); is || match(job) {
			job.Raw = nil // the next record overwrites it
			list.records.add(job)
		}
		return nil
	})
	if answer == nil {
		return nil, err
	}
	list.at = answer.updated
	switch {
	// A failure beside jobs is none for a wait, which asks again anyway.
	case answer.n > 0 && answer.whole:
		return list, nil
	// An empty list beside one is how Slurm says that its controller is down, and one that is cut lacks jobs: neither is a
	// proof that jobs have left the queue.
	case err != nil:
		return nil, err
	// Slurm gives the time of the list for an empty queue, and none where it leaves out the list.
	case since != 0 && list.at == 0:
		list.unchanged = true
	}
	return list, nil
}

// look notes the numbers of a record, and reports whether one of them is wanted.
func (l *queueList) look(o *jsonx.Object, wanted map[int64]bool) (is bool) {
	for _, name := range [...]string{"job_id", "array_job_id", "het_job_id"} {
		if n, err := readNumber(o.Member(name)); err == nil && n.value != 0 {
			l.numbers[n.value] = true
			is = is || wanted[n.value]
		}
	}
	return is
}

// readRuns looks many jobs up in the accounting at once. What it finds is by number, the oldest records first.
func (c *Client) readRuns(ctx context.Context, numbers []int64) (queueRecords, error) {
	found := queueRecords{}
	for len(numbers) > 0 {
		some := numbers
		path, ok := numbersQuery(c.history("jobs/"), "step", some)
		for !ok {
			some = some[:(len(some)+1)/2]
			path, ok = numbersQuery(c.history("jobs/"), "step", some)
		}
		r, err := c.read(ctx, "get history of "+strconv.Itoa(len(some))+" jobs", path)
		if err != nil {
			return nil, err
		}
		jobs, err := r.jobs(decodeHistoryJobs)
		if err != nil {
			return nil, err
		}
		bySubmitTime(jobs)
		for _, j := range jobs {
			j.Raw = nil
			found.add(j)
		}
		numbers = numbers[len(some):]
	}
	return found, nil
}

package slurmtest

import (
	"slices"
	"strings"
	"time"
)

// The base states and flags that this server produces.
const (
	statePending   = "PENDING"
	stateRunning   = "RUNNING"
	stateCompleted = "COMPLETED"
	stateCancelled = "CANCELLED"
	stateFailed    = "FAILED"
	stateTimeout   = "TIMEOUT"
	stateNodeFail  = "NODE_FAIL"
	stateDeadline  = "DEADLINE"
	stateSuspended = "SUSPENDED"
	statePreempted = "PREEMPTED"

	flagConfiguring = "CONFIGURING"
	flagPowerUp     = "POWER_UP_NODE"
	flagCompleting  = "COMPLETING"
	flagRequeued    = "REQUEUED"
	flagStopped     = "STOPPED"
	flagSpecialExit = "SPECIAL_EXIT"
)

// noVal is Slurm's "no value" in 32 bits; it shows in a few places where a
// client would expect a number.
const noVal = 4294967294

// job is one record of the controller: a job, a task of an array that has
// started, or the rest of an array that has not.
type job struct {
	*spec
	id      int64
	user    string
	array   *array
	tasks   []int64 // of the rest record: not started yet
	task    int64   // of a task's own record; -1 otherwise
	het     *het
	offset  int64
	parents []*dependency

	state       string
	reason      string
	description string
	waited      string // the one reason to wait that accounting keeps
	awaited     string // a reason that accounting gets to know at the start
	held        bool
	byAdmin     bool // the hold
	special     bool // requeued as SPECIAL_EXIT
	bornHeld    bool // when accounting first heard of it, which it goes on saying
	completing  bool
	configuring bool
	requeuing   bool // COMPLETING on the way back to PENDING
	wasRequeued bool // a closed record of an earlier attempt
	restarts    int
	exit        exit
	killedBy    string
	signals     []int
	interrupts  []interrupt   // of this attempt
	stopped     time.Time     // by SIGSTOP; zero while it goes on
	paused      time.Duration // how long it was stopped or suspended before
	suspended   time.Time     // when it last was
	idle        time.Duration // how long it was suspended before, which its limit does not count
	ran         bool          // an attempt was started, if not this one
	lostNode    bool          // a node failed under it
	badLimits   bool          // left behind by a submit that was refused

	submit, eligible, accrue, lookAt     time.Time
	start, end                           time.Time
	booted, plannedEnd, completed, purge time.Time
	lastLook                             time.Time

	plan       ending
	outcome    Outcome
	files      map[string]string // there were at its start
	allocation []*share
	placed     string // the partition it was started in
	need       need
	billed     int64    // of the last attempt
	lostTres   string   // what it held when a node failed
	lost       []*share // the same
	gone       bool     // out of the live queue
}

// exit is how a job or its script ended.
type exit struct{ code, signal int }

// ending is what will happen to a running job, and has been worked out at its
// start.
type ending struct {
	state  string
	reason string
	exit   exit
	batch  string // the state of its batch step, if another
}

// share is what a job holds of one node.
type share struct {
	node  *node
	cores []int
	gpus  []int
	mb    int64
}

type array struct {
	id      int64
	limit   int64 // of tasks at a time; 0 is none
	records []*job
}

type het struct {
	components []*job
}

func (j *job) terminal() bool {
	return j.state != statePending && j.state != stateRunning && j.state != stateSuspended
}

// ended is true once nothing more happens to the job.
func (j *job) ended() bool { return j.terminal() && !j.completing }

// states is job_state: the base state first, then flags.
func (j *job) states() []string {
	list := []string{j.state}
	if j.configuring {
		list = append(list, flagConfiguring)
	}
	if j.completing {
		list = append(list, flagCompleting)
	}
	if !j.stopped.IsZero() {
		list = append(list, flagStopped)
	}
	if j.configuring {
		list = append(list, flagPowerUp)
	}
	if j.special {
		list = append(list, flagSpecialExit)
	}
	return list
}

func (j *job) isRest() bool { return j.array != nil && j.task < 0 }

// running counts the array's tasks that take one of its places, up to the end
// of COMPLETING.
func (a *array) running() int64 {
	var n int64
	for _, j := range a.records {
		if j.state == stateRunning || j.completing {
			n++
		}
	}
	return n
}

// nodeNames lists the nodes the job holds or held.
func (j *job) nodeNames() []string {
	var names []string
	for _, share := range j.allocation {
		names = append(names, share.node.Name)
	}
	return names
}

func (j *job) run() Run {
	r := Run{
		JobID: j.id, ArrayTask: j.task, Restarts: j.restarts, Name: j.name, User: j.user, Script: j.script,
		Environment: slices.Clone(j.environment), files: j.files,
	}
	if len(j.argv) > 1 {
		r.Arguments = slices.Clone(j.argv[1:])
	}
	return r
}

func (s *Server) outcomeOf(j *job) Outcome {
	if s.set.run != nil {
		return s.set.run(j.run())
	}
	return simulate(j.run(), s.set.runTime)
}

// begins is called when the script starts: at once, or when the nodes are up.
func (s *Server) begins(j *job, now time.Time) {
	if j.het != nil && j.offset > 0 {
		j.plannedEnd = time.Time{} // the leader's end is theirs
		return
	}
	j.files = s.files
	if !s.exists(j) {
		j.outcome = Outcome{Signal: sigNoOutput}
	} else {
		j.outcome = s.outcomeOf(j)
	}
	s.foresee(j)
}

// foresee works out how a started job will end, unless something intervenes.
func (s *Server) foresee(j *job) {
	o := j.outcome
	j.plan = ending{state: stateCompleted, reason: "None", exit: exit{code: o.ExitCode, signal: o.Signal}}
	switch {
	case o.Signal != 0:
		j.plan.state, j.plan.reason = stateFailed, "RaisedSignal"
	case o.ExitCode != 0:
		j.plan.state, j.plan.reason = stateFailed, "NonZeroExitCode"
	}
	j.plannedEnd = time.Time{}
	if o.RunTime >= 0 && j.stopped.IsZero() {
		j.plannedEnd = j.start.Add(o.RunTime + j.paused)
	}
	s.limit(j)
	if !j.deadline.IsZero() && (j.plannedEnd.IsZero() || j.deadline.Before(j.plannedEnd)) {
		j.plan = ending{state: stateDeadline, reason: "DeadLine", exit: exit{signal: sigTERM}}
		j.plannedEnd = j.deadline
	}
}

// zeroLimitGrace is how long a job with a limit of 0 minutes gets: the
// controller looks at limits only now and then.
const zeroLimitGrace = 30 * time.Second

func (s *Server) limit(j *job) {
	span, ok := j.spec.limit()
	if !ok {
		return
	}
	if span == 0 {
		// The script may well run to its end, and the job is a TIMEOUT all the same.
		j.plan.state, j.plan.reason, j.plan.batch = stateTimeout, "TimeLimit", j.plan.state
		span = zeroLimitGrace
	}
	if at := j.start.Add(span + j.idle); j.plannedEnd.IsZero() || at.Before(j.plannedEnd) {
		j.plannedEnd = at
		j.plan = ending{state: stateTimeout, reason: "TimeLimit", exit: exit{signal: sigTERM}, batch: stateCancelled}
	}
}

// finish ends an attempt at t and lets COMPLETING run if there is any.
func (s *Server) finish(j *job, e ending, t time.Time) {
	j.state, j.reason, j.configuring = e.state, e.reason, false
	j.end, j.exit, j.stopped = t, e.exit, time.Time{}
	if e.reason == "RaisedSignal" {
		j.description = raised(e.exit.signal)
	}
	stay := s.set.completingTime
	if e.exit.signal == sigTERM && j.outcome.IgnoresTerm {
		stay = max(stay, s.set.killWait)
		j.exit.signal = sigKILL
	}
	j.completing, j.completed = true, t.Add(stay)
	s.touch(t)
	if j.het != nil && j.offset == 0 {
		for _, c := range j.het.components[1:] {
			if c.state == stateRunning {
				s.finish(c, e, t)
			}
		}
	}
	if stay == 0 {
		s.settle(j, t)
	}
}

// settle ends COMPLETING: nodes are free again, and the job is either over or
// back in the queue.
func (s *Server) settle(j *job, t time.Time) {
	j.completing = false
	s.free(j)
	s.touch(t)
	if j.requeuing {
		s.restart(j, t)
		return
	}
	j.purge = j.end.Add(s.set.minJobAge)
}

// requeueDelay is how long Slurm keeps a requeued job from starting again.
const requeueDelay = 121 * time.Second

// requeue takes a running job back into the queue. The attempt so far is
// closed as a record of its own, with state in accounting.
func (s *Server) requeue(j *job, past ending, t time.Time) {
	closed := *j
	closed.state, closed.reason, closed.exit = past.state, past.reason, past.exit
	closed.end, closed.wasRequeued, closed.configuring = t, true, false
	at := slices.Index(s.accounting, j)
	s.accounting = slices.Insert(s.accounting, at, &closed)
	j.state, j.reason, j.configuring = statePending, "None", false
	j.restarts++
	j.requeuing, j.completing, j.completed = true, true, t.Add(s.set.completingTime)
	s.touch(t)
	if s.set.completingTime == 0 {
		s.settle(j, t)
	}
}

// restart puts the job back at the end of an attempt, to wait until it may
// start again. The id stays and the submission counts anew.
func (s *Server) restart(j *job, t time.Time) {
	j.requeuing, j.allocation, j.placed = false, nil, ""
	j.interrupts, j.stopped, j.paused, j.idle, j.suspended = nil, time.Time{}, 0, 0, time.Time{}
	j.submit, j.begin = t, t.Add(requeueDelay)
	j.start, j.end, j.eligible, j.lookAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	j.exit, j.killedBy, j.description, j.plannedEnd = exit{}, "", "", time.Time{}
	if j.held {
		j.description = "job requeued in held state"
	}
}

// partitionName is the partition it runs in, or those it asks for.
func (j *job) partitionName() string {
	if j.placed != "" {
		return j.placed
	}
	return strings.Join(j.partitions, ",")
}

// stop ends a job that has not started.
func (s *Server) stop(j *job, e ending, t time.Time) {
	j.state, j.reason, j.exit = e.state, e.reason, e.exit
	j.start, j.end = t, t
	j.purge = t.Add(s.set.minJobAge)
	s.touch(t)
}

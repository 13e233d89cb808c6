package slurmtest

import "time"

// stored is a job as accounting had it at some moment: it lags behind the
// live queue, and sees a job's life by its times.
type stored struct {
	*job
	state      string
	start, end int64
	eligible   int64
	elapsed    int64
	finished   bool
	seen       int64 // the moment of this view
	sampling   time.Duration
}

// asOf gives accounting's view of a record at t, or false before it knew it.
func (s *Server) asOf(j *job, t time.Time) (stored, bool) {
	if j.submit.After(t) || j.requeuing {
		return stored{}, false // between two attempts there is only the record of the last
	}
	if j.het != nil && j.offset > 0 && !j.ran {
		return stored{}, false // accounting hears of the others when they start
	}
	v := stored{
		job: j, seen: t.Unix(), state: j.state, start: unix(j.start), end: unix(j.end), eligible: unix(j.eligible),
		sampling: s.set.sampling,
	}
	started := len(j.allocation) > 0 && !j.start.IsZero()
	switch {
	case j.throttled():
		v.eligible = noVal + 1
	case !j.eligible.IsZero() && j.eligible.After(t):
		v.eligible = unix(j.eligible) // a begin time is known beforehand
	}
	switch {
	case j.terminal() && !j.end.After(t), j.wasRequeued && !j.end.After(t):
		v.finished = true
		if !started && j.state != stateFailed {
			v.start = noVal // it never did
		}
	case started && !j.start.After(t) && j.state != statePending, j.wasRequeued:
		v.state, v.end = stateRunning, 0
		if j.state == stateSuspended {
			v.state = stateSuspended
		}
	default:
		v.state, v.start, v.end = statePending, 0, 0
	}
	if started && v.state != statePending || j.wasRequeued {
		until := t
		if v.finished {
			until = j.end
		}
		v.elapsed = int64(until.Sub(j.start) / time.Second)
	}
	return v, true
}

// current is state.current. CONFIGURING and COMPLETING do not reach accounting.
func (v stored) current() []string {
	if v.finished && v.wasRequeued && v.state == statePending {
		return []string{statePending, flagRequeued}
	}
	return []string{v.state}
}

// stayed says that the job holds nodes in this view.
func (v stored) placedYet() bool {
	return len(v.allocation) > 0 && (v.state != statePending || v.finished)
}

// exitCode is what accounting makes of an end: cancels and timeouts are
// SUCCESS there, and ends without an exit are ERROR 1.
func (v stored) exitCode() object {
	if v.finished {
		switch v.state {
		case stateCompleted, stateFailed, stateCancelled:
			if v.exit.signal == sigHUP {
				return exitObject(exit{code: 1}) // a wait status of 1, which is taken for a code
			}
			if v.state != stateCancelled {
				return exitObject(v.exit)
			}
		case stateDeadline, stateNodeFail:
			return exitObject(exit{code: 1})
		}
	}
	return exitObject(exit{})
}

func (v stored) derivedExit() object {
	if v.finished && v.state == stateNodeFail {
		return pendingExit()
	}
	return exitObject(exit{})
}

func pendingExit() object {
	return object{
		{"status", []string{"PENDING"}},
		{"return_code", unset},
		{"signal", object{{"id", unset}, {"name", ""}}},
	}
}

func cpuTime(d time.Duration) object {
	return object{{"seconds", int64(d / time.Second)}, {"microseconds", int64(d % time.Second / time.Microsecond)}}
}

func (v stored) times() object {
	planned := int64(0) // the wait so far, less than nothing before a begin time
	if v.eligible > 0 && v.eligible <= noVal {
		planned = v.waitedUntil() - v.eligible
	}
	return object{
		{"elapsed", v.elapsed},
		{"eligible", v.eligible},
		{"end", v.end},
		{"planned", number(planned)},
		{"start", v.start},
		{"submission", unix(v.submit)},
		{"suspended", 0},
		{"system", cpuTime(0)},
		{"limit", v.timeLimit},
		{"total", cpuTime(0)}, // of the steps alone it is known
		{"user", cpuTime(0)},
	}
}

func (v stored) waitedUntil() int64 {
	switch {
	case v.start > 0 && v.start != noVal:
		return v.start
	case v.finished:
		return v.end
	}
	return v.seen
}

func (v stored) flags() []string {
	list := []string{}
	if v.placedYet() || v.lost != nil {
		list = append(list, "STARTED_ON_SCHEDULE")
	}
	return append(list, "START_RECEIVED")
}

func (v stored) arrayObject() object {
	id, limit, mask := int64(0), int64(0), ""
	if v.array != nil {
		id = v.array.id
	}
	if v.array != nil && v.id == v.array.id { // the last task, too, which has taken the rest's record
		limit, mask = v.array.limit, v.taskMask()
	}
	return object{
		{"job_id", id},
		{"limits", object{{"max", object{{"running", object{{"tasks", limit}}}}}}},
		{"task_id", v.arrayTask()},
		{"task", mask},
	}
}

func (v stored) hetObject() object {
	if v.het == nil || !v.ran {
		return object{{"job_id", 0}, {"job_offset", unset}}
	}
	return object{{"job_id", v.hetID()}, {"job_offset", number(v.offset)}}
}

// reasonText is one of the few reasons to wait that accounting gets to know,
// and then keeps: it says "None" of jobs that waited for resources.
func (v stored) reasonText() string {
	switch {
	case v.waited != "":
		return v.waited
	case v.isRest() && v.held && v.finished:
		return "JobHeldUser"
	}
	return "None"
}

func (s *Server) tres(v stored) object {
	n := s.shapeOf(v.job)
	requested := tresList(n.cpus, s.requestedMB(v.job, n), n.nodes, n.gpus, n.gpuKind, false)
	allocated := []object{}
	if v.placedYet() {
		cpus, mb, gpus, kind := v.allocated()
		allocated = tresList(cpus, mb, int64(len(v.allocation)), gpus, kind, v.state != stateNodeFail)
	} else if v.lost != nil && !v.wasRequeued {
		before := &job{allocation: v.lost} // what it held when a node failed
		cpus, mb, gpus, kind := before.allocated()
		allocated = tresList(cpus, mb, int64(len(v.lost)), gpus, kind, false)
	}
	return object{{"allocated", allocated}, {"requested", requested}}
}

package slurmtest

import "time"

// advance plays everything that has happened until now, event by event: the
// server has no goroutine and no timer, it catches up when it is asked.
func (s *Server) advance(now time.Time) {
	if s.controllerDown {
		return // whatever ends meanwhile waits with its report
	}
	for {
		next := s.nextEvent(now)
		if next.IsZero() {
			break
		}
		s.step(next)
	}
	if now.After(s.clock) {
		s.clock = now
	}
}

// nextEvent is the earliest point after the clock at which anything changes,
// or the zero time if that lies beyond now.
func (s *Server) nextEvent(now time.Time) time.Time {
	var next time.Time
	for _, j := range s.queue {
		for _, t := range j.moments() {
			if t.After(s.clock) && !t.After(now) && (next.IsZero() || t.Before(next)) {
				next = t
			}
		}
	}
	return next
}

// moments are the points in time at which the job may change by itself.
func (j *job) moments() []time.Time {
	switch {
	case j.completing:
		return []time.Time{j.completed}
	case j.state == statePending:
		return []time.Time{j.begin, j.lookAt, j.lastChance()}
	case j.state == stateRunning && j.configuring:
		return []time.Time{j.booted}
	case j.state == stateRunning:
		return []time.Time{j.plannedEnd}
	}
	return []time.Time{j.purge}
}

// lastChance is when a pending job can no longer end before its deadline.
func (j *job) lastChance() time.Time {
	if j.deadline.IsZero() {
		return time.Time{}
	}
	span, _ := j.spec.limit()
	return j.deadline.Add(-span)
}

// step moves the clock to t and settles everything that is due, until
// nothing more happens at that moment.
func (s *Server) step(t time.Time) {
	if s.controllerDown {
		return
	}
	s.clock = t
	for s.stepOnce(t) {
	}
}

// due is true if a job's moment has come. A zero moment never comes.
func due(moment, now time.Time) bool { return !moment.IsZero() && !moment.After(now) }

func (s *Server) stepOnce(t time.Time) bool {
	changed := false
	for _, j := range s.queue {
		switch {
		case j.completing:
			if due(j.completed, t) {
				s.settle(j, t)
				changed = true
			}
		case j.state == stateRunning && j.configuring:
			if due(j.booted, t) {
				s.powerUp(j, t)
				changed = true
			}
		case j.state == stateRunning:
			if due(j.plannedEnd, t) {
				s.finish(j, j.plan, t)
				changed = true
			}
		case j.state == statePending:
			if at := j.lastChance(); due(at, t) {
				s.stop(j, ending{stateDeadline, "DeadLine", exit{signal: sigHUP}, ""}, t)
				changed = true
			}
		}
	}
	if s.schedule(t) {
		changed = true
	}
	s.age(t)
	return changed
}

// powerUp ends CONFIGURING. Slurm counts a job's run from here.
func (s *Server) powerUp(j *job, t time.Time) {
	j.configuring, j.start = false, t
	s.touch(t)
	s.begins(j, t)
}

// age takes jobs out of the live queue that ended long enough ago.
func (s *Server) age(t time.Time) {
	kept := s.queue[:0]
	for _, j := range s.queue {
		if j.ended() && due(j.purge, t) {
			j.gone = true
			s.touch(t)
			continue
		}
		kept = append(kept, j)
	}
	clear(s.queue[len(kept):])
	s.queue = kept
}

// touch notes that the job table has changed.
func (s *Server) touch(t time.Time) { s.lastUpdate = t }

package slurmtest

import "time"

// signaling is one request to signal jobs.
type signaling struct {
	signal int
	alone  bool // the batch scripts, and not what they started
	user   string
	now    time.Time
}

// cancels says whether it ends the job itself and not only its script.
func (g signaling) cancels() bool { return g.signal == sigKILL && !g.alone }

// deliver brings a signal to the script of a running job, and works out anew
// how it will end. A stopped script finds it when it goes on.
func (s *Server) deliver(j *job, g signaling) {
	j.signals = append(j.signals, g.signal)
	if g.signal == sigKILL {
		j.killedBy = g.user
	}
	if j.het != nil && j.offset > 0 {
		return // the script runs on the leader's nodes
	}
	at := j.scriptTime(g.now)
	switch {
	case g.signal == sigSTOP && j.stopped.IsZero():
		j.stopped = g.now
	case g.signal == sigCONT && !j.stopped.IsZero():
		j.paused += g.now.Sub(j.stopped)
		j.stopped = time.Time{}
	}
	j.interrupts = append(j.interrupts, interrupt{at: at, signal: g.signal, alone: g.alone})
	if s.set.run == nil {
		j.outcome = simulate(j.run(), s.set.runTime, j.interrupts...)
	} else if simulate(j.run(), forever, interrupt{signal: g.signal, alone: g.alone}).Signal == g.signal {
		j.outcome = Outcome{RunTime: at, Signal: g.signal}
	}
	s.foresee(j)
	s.touch(g.now)
}

// scriptTime is how long the script has run so far.
func (j *job) scriptTime(now time.Time) time.Duration {
	if !j.stopped.IsZero() {
		now = j.stopped
	} else if j.state == stateSuspended {
		now = j.suspended
	}
	return now.Sub(j.start) - j.paused
}

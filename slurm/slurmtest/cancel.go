package slurmtest

import "slices"

var cancelFields = map[string]field{
	"signal": {kind: typeString},
	"flags":  oneOf(killWords),
}

// cancel answers DELETE /job/ID: with 200 and no error for every id that is a
// number. What became of it is in status[].
func (s *Server) cancel(c *call) *reply {
	r := &reply{}
	t, ok := parseTarget(c.path[3])
	if !ok {
		return r.reject("Rejecting request. Failure parsing parameters", "op_handler_job")
	}
	d := &decoder{reply: r, now: c.now, version: c.version(), parser: "OPENAPI_JOB_INFO_DELETE_QUERY"}
	var v values
	if c.sent {
		// A body takes the place of the query.
		v = d.object(c.body, cancelFields, "#/")
	} else {
		v, _ = s.queryValues(c, r, cancelFields, d.parser)
	}
	g := s.signaling(c, r, v)
	if s.controllerDown {
		r.fail(codeNotPermitted, "Signal request failed", "slurm_kill_jobs()")
		return r.addStatus(c, []object{})
	}
	report := &report{statuses: []object{}}
	s.kills(report, t, g)
	s.step(c.now)
	return r.addStatus(c, report.statuses)
}

// addStatus: before v0.0.42 there was no word of what became of a cancel.
func (r *reply) addStatus(c *call, statuses []object) *reply {
	if c.version() == v42 {
		r.add("status", statuses)
	} else {
		r.payload = object{} // which puts meta first
	}
	return r
}

// signaling reads the signal; KILL is what a cancel sends. An unknown name is
// reported, and the job is killed all the same.
func (s *Server) signaling(c *call, r *reply, v values) signaling {
	g := signaling{signal: sigKILL, user: c.user, now: c.now, alone: slices.Contains(v.list("flags"), "BATCH_JOB")}
	name := v.text("signal")
	if n, ok := signalNumber(name); ok {
		g.signal = n
	} else if name != "" {
		r.fail(codeNone, "Unknown signal (null)", "#/signal/")
	}
	return g
}

// report gathers what a signal did not reach.
type report struct {
	statuses []object
	quiet    bool // leave out what has ended: a filter does not mean it
}

func (r *report) add(c code, step string, j *job) {
	jobID := unset
	if j != nil {
		jobID = number(j.id)
	}
	r.statuses = append(r.statuses, object{
		{"error", object{{"string", c.text()}, {"code", int(c)}, {"message", c.text()}}},
		{"step_id", step},
		{"job_id", jobID},
		{"federation", object{{"sibling", ""}}},
	})
}

// kills signals what an id names: a job, a task, all of an array, or all of a
// het job if it is the leader's.
func (s *Server) kills(r *report, t target, g signaling) {
	jobs := s.find(t.id)
	if t.isTask {
		s.killTask(r, t, g)
		return
	}
	if len(jobs) == 0 {
		r.add(codeJobID, t.text, nil)
		return
	}
	if len(jobs) > 1 && jobs[0].array != nil {
		jobs = append(jobs[1:], jobs[0]) // the rest of an array is dealt with last
	}
	if jobs[0].het != nil {
		slices.Reverse(jobs) // the end of the leader would end the others
	}
	for _, j := range jobs {
		s.killOne(r, j, g)
	}
}

func (s *Server) killTask(r *report, t target, g signaling) {
	for _, j := range s.queue {
		if j.array == nil || j.array.id != t.id {
			continue
		}
		if j.task == t.task {
			s.killOne(r, j, g)
			return
		}
		if slices.Contains(j.tasks, t.task) {
			s.killTasks(r, j, []int64{t.task}, t.text, g)
			return
		}
	}
	r.add(codeJobID, t.text, nil)
}

// killTasks cancels tasks that have not started. They vanish, unless nothing
// is left: then one CANCELLED record stands for them all.
func (s *Server) killTasks(r *report, rest *job, tasks []int64, step string, g signaling) {
	switch {
	case rest.user != g.user && g.user != admin:
		r.add(codeAccess, step, rest)
	case rest.terminal():
		r.add(codeAlreadyDone, step, rest)
	case g.signal != sigKILL:
		r.add(codeTransition, step, rest)
	case len(tasks) >= len(rest.tasks):
		s.killOne(r, rest, g)
	default:
		rest.drop(tasks)
		s.touch(g.now)
	}
}

func (s *Server) killOne(r *report, j *job, g signaling) {
	switch {
	case j.user != g.user && g.user != admin:
		r.add(codeAccess, j.stepName(), j)
	case j.terminal():
		if !r.quiet {
			r.add(codeAlreadyDone, j.stepName(), j)
		}
	case g.signal != sigKILL && (j.state != stateRunning || j.configuring):
		r.add(codeTransition, j.stepName(), j)
	case !g.cancels() && j.state == stateRunning:
		s.deliver(j, g)
	case j.state == statePending && j.completing:
		// It was on its way back to the queue and g.now goes nowhere.
		j.requeuing, j.killedBy = false, g.user
		j.state, j.reason, j.end = stateCancelled, "None", g.now
		s.touch(g.now)
	case j.state == statePending:
		j.killedBy = g.user
		s.stop(j, ending{state: stateCancelled, reason: j.lastReason()}, g.now)
	default:
		j.killedBy = g.user
		s.finish(j, ending{state: stateCancelled, reason: "None", exit: exit{signal: sigTERM}}, g.now)
	}
}

// lastReason is what a job that never ran shows afterwards: what it last
// waited for, unless that was no more than a place in the array's row.
func (j *job) lastReason() string {
	if j.reason == "JobArrayTaskLimit" {
		return "None"
	}
	return j.reason
}

// stepName is how status[] and step ids spell a job: 177_4, 191+1, 142.
func (j *job) stepName() string {
	switch {
	case j.array != nil && j.task >= 0:
		return itoa(j.array.id) + "_" + itoa(j.task)
	case j.het != nil && j.offset > 0:
		return itoa(j.hetID()) + "+" + itoa(j.offset)
	}
	return itoa(j.id)
}

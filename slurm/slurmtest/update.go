package slurmtest

import (
	"strings"
	"time"
)

const (
	updateFailed = "Job update requested failed"
	updateSource = "slurm_update_job2()"
)

// update answers POST /job/ID with a bare job description. Of a job under
// "job" every member is unknown: a warning, and nothing changes.
func (s *Server) update(c *call) *reply {
	r := &reply{}
	t, ok := parseTarget(c.path[3])
	if !ok {
		return r.reject("Rejecting request. Failure parsing parameters", "op_handler_job")
	}
	r.add("results", nil)
	if c.version() != v42 {
		r.payload = append(r.payload, object{{"job_id", ""}, {"step_id", ""}, {"job_submit_user_msg", ""}}...)
	}
	if t.isTask {
		return r.reject("Rejecting request. Submit job update against Array Job's JobID instead of array task id.",
			"_job_post_update")
	}
	d := &decoder{reply: r, now: c.now, version: c.version(), parser: "JOB_DESC_MSG"}
	v := d.object(c.body, jobFieldsOf[d.version], "#/")
	if d.stopped && !d.quiet {
		return r.fail(codeQuery, "Rejecting request. Failure parsing job update request.", "_job_post_update")
	}
	if d.stopped {
		return r
	}
	if s.controllerDown {
		return r.fail(codeUnexpected, updateFailed, updateSource)
	}
	jobs := s.find(t.id)
	if len(jobs) == 0 {
		return r.fail(codeJobID, updateFailed, updateSource)
	}
	// An update of an array reaches the record that has the array's id.
	if problem := s.change(jobs[0], v, c.user, c.now); problem != codeNone {
		return r.fail(problem, updateFailed, updateSource)
	}
	s.step(c.now)
	return r
}

// change applies an update, all of it or nothing.
func (s *Server) change(j *job, v values, user string, now time.Time) code {
	delete(v, "job_id") // the path decides
	if len(v) == 0 {
		return codeNone
	}
	if problem := s.changeable(j, v, user); problem != codeNone {
		return problem
	}
	next := *j.spec
	if problem := s.revise(j, &next, v); problem != codeNone {
		return problem
	}
	j.spec = &next
	s.holdOrRelease(j, v, user)
	if j.state == stateRunning && v.has("time_limit") {
		s.foresee(j)
	}
	s.touch(now)
	return codeNone
}

func (s *Server) changeable(j *job, v values, user string) code {
	limit, now := v.number("time_limit"), j.timeLimit
	priority, hasPriority := v["priority"].(wrapped)
	switch {
	case j.user != user && user != admin:
		return codeUserID
	case j.terminal():
		return codeFinished
	case v.has("admin_comment"):
		return codeAccess
	case j.held && hasPriority && priority.set && priority.number > 0:
		return codeHeld
	case j.state != stateRunning:
		return codeNone
	case v.has("partition"), v.has("minimum_nodes"), v.has("nodes"), v.has("dependency"), v.has("begin_time"),
		v.has("tres_per_node"), v.has("memory_per_node"), v.has("memory_per_cpu"):
		return codeNotPending
	case v.has("time_limit") && now.set && (limit.infinite || limit.number > now.number):
		return codeAccess
	}
	return codeNone
}

// revise writes the members that can be changed into next.
func (s *Server) revise(j *job, next *spec, v values) code {
	for name, text := range map[string]*string{
		"name": &next.name, "comment": &next.comment, "account": &next.account, "qos": &next.qos,
		"constraints": &next.constraints, "extra": &next.extra, "mail_user": &next.mailUser,
		"standard_output": &next.stdout, "standard_error": &next.stderr, "wckey": &next.wckey,
		"tres_per_node": &next.tresPerNode, "tres_per_job": &next.tresPerJob, "tres_per_task": &next.tresPerTask,
		"tres_per_socket": &next.tresPerSocket, "licenses": &next.licenses,
	} {
		if v.has(name) {
			*text = v.text(name)
		}
	}
	next.tidyTres()
	if v.has("partition") {
		next.partitions = strings.Split(v.text("partition"), ",")
	}
	if problem := s.checkNames(next); problem != codeNone {
		return problem
	}
	if v.has("time_limit") {
		next.timeLimit = v.number("time_limit")
	}
	if v.has("requeue") {
		next.requeue = v.yes("requeue")
	}
	if v.has("begin_time") {
		next.begin = v.time("begin_time")
	}
	if v.has("nice") {
		if next.nice = v.integer("nice", 0); next.nice < 0 {
			return codeNice
		}
	}
	if v.has("minimum_nodes") || v.has("nodes") {
		next.minNodes, next.maxNodes = v.nodeCounts()
	}
	if v.has("dependency") {
		parents, ok := s.parseDependency(v.text("dependency"))
		if !ok {
			return codeDependency
		}
		j.parents, next.dependency = parents, v.text("dependency")
	}
	return codeNone
}

func (j *job) holdReason() string {
	if j.byAdmin {
		return "JobHeldAdmin"
	}
	return "JobHeldUser"
}

// holdOrRelease: hold false releases, as does a priority of infinity. On a
// running job a hold shows and does nothing.
func (s *Server) holdOrRelease(j *job, v values, user string) {
	priority, hasPriority := v["priority"].(wrapped)
	switch {
	case v.has("hold") && v.yes("hold"), hasPriority && priority.set && priority.number == 0:
		j.held, j.byAdmin = true, user == admin && j.user != admin
		j.reason = j.holdReason()
		j.eligible = time.Time{} // for good, if the job runs
	case v.has("hold"), hasPriority && priority.infinite:
		if j.held && j.state == stateRunning {
			j.reason = "None"
		}
		j.held, j.byAdmin, j.special = false, false, false
	}
	if j.state == statePending {
		// Whatever changed, the scheduler has to look at the job afresh.
		j.lookAt, j.eligible = time.Time{}, time.Time{}
	}
}

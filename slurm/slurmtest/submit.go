package slurmtest

import (
	"fmt"
	"time"
)

// submitFields are the members of a submit beside job and jobs.
var submitFields = map[string]field{
	"script": {kind: typeString}, "job": {kind: typeAny}, "jobs": {kind: typeAny},
}

// submit answers POST /job/submit. The order of the questions is Slurm's: is
// it JSON, are the types right, is there a script, are there jobs, and only
// then the controller's own checks.
func (s *Server) submit(c *call) *reply {
	r := &reply{}
	if c.body.kind == kindList {
		return r.fail(codeWantObject, "Rejecting list when dictionary expected", "#/")
	}
	d := &decoder{reply: r, now: c.now, version: c.version(), parser: "JOB_SUBMIT_REQ"}
	top := d.object(c.body, submitFields, "#/")
	single, hasJob := c.body.member("job")
	several, hasJobs := c.body.member("jobs")
	if hasJobs && several.kind != kindList {
		return r.fail(codeWantList, fmt.Sprintf("Rejecting %s when list expected", slurmKinds[several.kind]), "#/jobs/")
	}
	jobs := []value{single}
	if hasJobs {
		jobs = several.list
	}
	d.parser = "JOB_DESC_MSG"
	var decoded []values
	for i, v := range jobs {
		path := "#/job/"
		if hasJobs {
			path = fmt.Sprintf("#/jobs[%d]/", i)
		}
		if !d.stopped {
			decoded = append(decoded, d.jobObject(v, path))
		}
	}
	if d.stopped {
		return r
	}
	script := top.text("script")
	if script == "" && len(decoded) > 0 {
		script = decoded[0].text("script")
	}
	switch {
	case script == "":
		return r.reject(`Populated "script" field is required for job submission`, "_job_post")
	case hasJob && hasJobs:
		return r.reject(`Specify only one "job" or "jobs" fields but never both`, "_job_post")
	case hasJobs && len(decoded) == 0:
		return r.fail(codeNone, "Refusing HetJob submission without any components", "_job_post_het_submit")
	case !hasJob && !hasJobs:
		return r.reject(`Specifing either "job" or "jobs" fields are required to submit job`, "_job_post")
	}
	return s.accept(c, r, decoded, script, hasJobs)
}

func (d *decoder) jobObject(v value, path string) values {
	if v.kind != kindObject && v.kind != kindNull {
		d.fail(codeWantObject, fmt.Sprintf("Rejecting %s when dictionary expected", slurmKinds[v.kind]), path)
		return nil
	}
	return d.object(v, jobFieldsOf[d.version], path)
}

// accept is the controller's half: it checks the jobs and queues them.
func (s *Server) accept(c *call, r *reply, decoded []values, script string, asHet bool) *reply {
	what, source := "Batch job submission failed", "slurm_submit_batch_job()"
	if asHet {
		what, source = "HetJob submission failed", "slurm_submit_batch_het_job()"
	}
	if s.controllerDown {
		return r.fail(codeNoController, what, source)
	}
	var specs []*spec
	for _, v := range decoded {
		d := s.newSpec(v, script)
		problem := s.check(d, v, c.user, c.now)
		if problem == codeNone && s.set.maxSubmitJobs > 0 && s.active(c.user)+s.weight(v) > s.set.maxSubmitJobs {
			problem = codePolicy
		}
		if usesID(problem) {
			s.newID()
		}
		if problem != codeNone && asHet {
			s.leaveComponents(specs, c.user, c.now)
		}
		if leavesRecord(problem) {
			s.leaveBehind(s.newJob(d, values{}, c.user, c.now), c.now)
		}
		if problem != codeNone {
			return r.fail(problem, what, source)
		}
		specs = append(specs, d)
	}
	leader := s.enqueue(specs, decoded, c.user, c.now, asHet)
	s.step(c.now)
	r.payload = object{{"job_id", leader.id}, {"step_id", "batch"}, {"job_submit_user_msg", ""}}
	notNow := s.notNow(leader)
	if notNow != codeNone {
		r.warn("Job submission resulted in non-zero return code: "+notNow.text(), source)
		r.warn(notNow.text(), source)
	}
	if c.version() != v42 {
		result := object{
			{"job_id", leader.id}, {"step_id", "batch"}, {"error_code", int(notNow)}, {"error", notNow.text()},
			{"job_submit_user_msg", ""},
		}
		r.payload = append(object{{"result", result}}, r.payload...)
	}
	return r
}

// weight is how many jobs a submit adds.
func (s *Server) weight(v values) int {
	tasks, _, _ := parseArray(v.text("array"), s.set.maxArraySize)
	return max(len(tasks), 1)
}

// notNow is what Slurm says about a job that it takes and will not run as
// things are.
func (s *Server) notNow(j *job) code {
	switch {
	case j.held && j.het == nil:
		return codeHeld
	case j.reason == "ReqNodeNotAvail":
		return codeNodeNotAvailable
	case j.reason == "PartitionConfig":
		return codePartitionNotNow
	}
	return codeNone
}

func (s *Server) enqueue(specs []*spec, decoded []values, user string, now time.Time, asHet bool) *job {
	var jobs []*job
	for i, d := range specs {
		jobs = append(jobs, s.newJob(d, decoded[i], user, now))
	}
	if asHet && len(jobs) > 1 {
		team := &het{components: jobs}
		for i, j := range jobs {
			j.het, j.offset = team, int64(i)
		}
	}
	s.queue = append(s.queue, jobs...)
	s.accounting = append(s.accounting, jobs...)
	s.touch(now)
	return jobs[0]
}

func (s *Server) newJob(d *spec, v values, user string, now time.Time) *job {
	j := &job{
		spec: d, id: s.newID(), user: user, task: -1, state: statePending, reason: "None", submit: now, lastLook: now,
	}
	priority, asked := v["priority"].(wrapped)
	j.held = v.yes("hold") || asked && priority.set && priority.number == 0
	j.bornHeld = j.held
	j.parents, _ = s.parseDependency(d.dependency)
	if text := v.text("array"); text != "" {
		j.tasks, j.array = nil, &array{id: j.id, records: []*job{j}}
		j.tasks, j.array.limit, _ = parseArray(text, s.set.maxArraySize)
	}
	return j
}

// leaveBehind queues the failed job of a submit that was refused. Its signal
// comes out as exit code 1 in accounting.
func (s *Server) leaveBehind(j *job, now time.Time) {
	j.badLimits = true
	s.queue = append(s.queue, j)
	s.accounting = append(s.accounting, j)
	s.stop(j, ending{state: stateFailed, reason: "BadConstraints", exit: exit{signal: sigHUP}}, now)
}

// leaveComponents queues the cancelled beginnings of a het job of which a later
// component was refused.
func (s *Server) leaveComponents(specs []*spec, user string, now time.Time) {
	if len(specs) == 0 {
		return
	}
	s.enqueue(specs, make([]values, len(specs)), user, now, true)
	for _, j := range s.queue[len(s.queue)-len(specs):] {
		if j.het == nil {
			j.het = &het{components: []*job{j}}
		}
		s.stop(j, ending{state: stateCancelled, reason: "None", exit: exit{signal: sigHUP}}, now)
	}
}

func (s *Server) newID() int64 {
	s.lastID++
	return s.lastID
}

// uid numbers users as they appear, the server's own first.
func (s *Server) uid(user string) int64 {
	n, ok := s.uids[user]
	if !ok {
		n = 2001 + int64(len(s.uids))
		s.uids[user] = n
	}
	return n
}

func (s *Server) userName(text string) (string, bool) {
	for name, n := range s.uids {
		if name == text || itoa(n) == text {
			return name, true
		}
	}
	return "", false
}

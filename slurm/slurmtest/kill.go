package slurmtest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// kill answers DELETE /jobs/: it signals the jobs listed and those that match
// every filter.
func (s *Server) kill(c *call) *reply {
	r := &reply{}
	v, ok := s.killValues(c, r)
	if !ok {
		r.add("status", []object{})
		return r
	}
	g := s.signaling(c, r, v)
	ids := v.list("jobs")
	filters := slices.DeleteFunc(slices.Collect(maps.Keys(v)), func(name string) bool {
		return name == "jobs" || name == "signal" || name == "flags"
	})
	report := &report{statuses: []object{}}
	switch {
	case s.controllerDown:
		r.fail(codeNotPermitted, "Signal request failed", "slurm_kill_jobs()")
	case len(ids) == 0 && len(filters) == 0:
		r.fail(codeNothingToSignal, "Signal request failed", "slurm_kill_jobs()")
	case len(ids) == 0:
		report.quiet = true
		for _, j := range slices.Clone(s.queue) {
			if s.filtered(v, j) {
				s.killOne(report, j, g)
			}
		}
	default:
		for _, text := range ids {
			s.killListed(report, v, text, g)
		}
	}
	s.step(c.now)
	r.add("status", report.statuses)
	return r
}

// killValues reads the filters from the body, or from the query if there is
// no body. A string where a list of ids belongs is one of the few types that
// are refused outright.
func (s *Server) killValues(c *call, r *reply) (values, bool) {
	if !c.sent {
		return s.queryValues(c, r, killFields, "KILL_JOBS_MSG")
	}
	d := &decoder{reply: r, now: c.now, version: c.version(), parser: "KILL_JOBS_MSG"}
	if jobs, ok := c.body.member("jobs"); ok && jobs.kind != kindList && jobs.kind != kindNull {
		d.mismatch(jobs, wantList, "#/jobs/")
		r.fail(codeConvert, fmt.Sprintf("Unexpected type %s when expecting a list", slurmKinds[jobs.kind]),
			"_v"+d.version[len("v0.0."):]+"_parse_KILL_JOBS_MSG_JOBS_ARRAY")
		return nil, false
	}
	v := d.object(c.body, killFields, "#/")
	return v, !d.stopped
}

// killListed deals with one entry of jobs: 2, 2_3, or 2_[4-5].
func (s *Server) killListed(r *report, v values, text string, g signaling) {
	digits, inner, isSet := strings.Cut(text, "_[")
	if !isSet {
		t, ok := parseTarget(text)
		if !ok {
			r.add(codeJobID, text, nil)
			return
		}
		if jobs := s.find(t.id); len(jobs) > 0 && !s.filtered(v, jobs[0]) {
			return
		}
		s.kills(r, t, g)
		return
	}
	tasks, _, ok := parseArray(strings.TrimSuffix(inner, "]"), s.set.maxArraySize)
	id, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil {
		r.add(codeJobID, text, nil)
		return
	}
	for _, task := range tasks {
		s.killTask(r, target{id: id, task: task, isTask: true, text: fmt.Sprintf("%d_%d", id, task)}, g)
	}
}

// filtered says whether the job matches every filter given.
func (s *Server) filtered(v values, j *job) bool {
	is := func(name, text string) bool { return !v.has(name) || v.text(name) == text }
	if states := v.list("job_state"); len(states) > 0 && !slices.Contains(states, j.state) {
		return false
	}
	if nodes := v.list("nodes"); len(nodes) > 0 {
		wanted := expandHosts(strings.Join(nodes, ","))
		if !slices.ContainsFunc(j.nodeNames(), func(n string) bool { return slices.Contains(wanted, n) }) {
			return false
		}
	}
	if uid := v.text("user_id"); uid != "" {
		if name, _ := s.userName(uid); name != j.user {
			return false
		}
	}
	return is("user_name", j.user) && is("account", j.account) && is("partition", j.partitionName()) &&
		is("job_name", j.name) && is("qos", j.qos) && is("reservation", j.reservation) && is("wckey", j.wckey)
}

package slurmtest

import (
	"fmt"
	"time"
)

// liveView is what the query of a live read asks for.
type liveView struct {
	detail bool
	since  time.Time
}

var viewFields = map[string]field{
	"update_time": {kind: typeTime},
	"flags":       oneOf(viewWords),
}

// view reads update_time and flags. Any other name is warned about: there is
// no filter and no paging.
func (s *Server) view(c *call, r *reply, source string) (liveView, bool) {
	v, ok := s.queryValues(c, r, viewFields, "OPENAPI_JOB_INFO_QUERY")
	if !ok {
		r.reject("Rejecting request. Failure parsing query.", source)
		return liveView{}, false
	}
	view := liveView{detail: true, since: v.time("update_time")}
	if flags := v.list("flags"); len(flags) > 0 {
		view.detail = false
		for _, f := range flags {
			view.detail = view.detail || f == "DETAIL"
		}
	}
	return view, true
}

// queryValues decodes a query like an object of strings; a repeated name adds
// to a list and otherwise the last one wins.
func (s *Server) queryValues(c *call, r *reply, known map[string]field, parser string) (values, bool) {
	var doc value
	times := map[string]int{}
	for _, p := range c.query {
		times[p.name]++
	}
	for _, p := range c.query {
		text := value{kind: kindString, text: p.text}
		// A text that is named twice has come to be a list as well, and is refused.
		k := known[p.name].kind
		if k != typeFlags && k != typeFlagSet && k != typeStrings && (k != typeString || times[p.name] == 1) {
			doc.members = append(doc.members, pair{p.name, text})
			continue
		}
		at := len(doc.members)
		for i := range doc.members {
			if doc.members[i].name == p.name {
				at = i
			}
		}
		if at == len(doc.members) {
			doc.members = append(doc.members, pair{p.name, value{kind: kindList}})
		}
		doc.members[at].value.list = append(doc.members[at].value.list, text)
	}
	d := &decoder{reply: r, now: c.now, version: c.version(), parser: parser}
	v := d.object(doc, known, "#/")
	return v, !d.stopped
}

// list answers GET /jobs/. With update_time and nothing newer it says so with
// an empty list, which looks just like an empty queue.
func (s *Server) list(c *call) *reply {
	r := &reply{}
	view, ok := s.view(c, r, "op_handler_jobs")
	switch {
	case !ok:
		return r
	case s.controllerDown:
		r.fail(codeNoController, "Unable to query jobs", "slurm_load_jobs()")
		return s.dump(r, nil, false, false)
	// A change within the second that is asked for is reported again.
	case !view.since.IsZero() && view.since.Unix() > s.lastUpdate.Unix():
		r.warn(fmt.Sprintf("No job changes since update_time[%d]=%s", view.since.Unix(),
			view.since.Format("2006-01-02T15:04:05")), "op_handler_jobs")
		return s.dump(r, nil, false, false)
	case len(s.queue) == 0:
		r.warn("Zero jobs to dump", "")
	}
	return s.dump(r, s.queue, view.detail, true)
}

var stateFields = map[string]field{"job_id": {kind: typeStrings}}

// jobStates answers GET /jobs/state/: 39 bytes a job. Tasks that have not
// started are listed one by one, and one that has is named by its own id,
// but by the array's in v0.0.40.
func (s *Server) jobStates(c *call) *reply {
	r := &reply{}
	v, ok := s.queryValues(c, r, stateFields, "OPENAPI_JOB_STATE_QUERY")
	wanted := map[int64]bool{}
	for _, text := range v.list("job_id") {
		t, valid := parseTarget(text)
		ok = ok && valid
		wanted[t.id] = true
	}
	if !ok {
		return r.reject("Rejecting request. Failure parsing query", "op_handler_job_states")
	}
	if s.controllerDown {
		r.fail(codeUnspecified, "Unable to query job states", "slurm_load_job_state()")
		r.add("jobs", nil)
		return r
	}
	states := []object{}
	for _, j := range s.queue {
		if len(wanted) > 0 && !wanted[j.id] && !(j.array != nil && wanted[j.array.id]) &&
			!(j.het != nil && wanted[j.hetID()]) {
			continue
		}
		for _, name := range j.stateNames(c.version()) {
			states = append(states, object{{"job_id", name}, {"state", j.states()}})
		}
	}
	r.add("jobs", states)
	return r
}

func (j *job) stateNames(version string) []string {
	id := itoa(j.id)
	switch {
	case j.het != nil:
		return []string{id + "+" + itoa(j.offset)}
	case j.array == nil:
		return []string{id}
	case j.task >= 0 && version == v40:
		return []string{itoa(j.array.id) + "_" + itoa(j.task)}
	case j.task >= 0:
		return []string{id + "_" + itoa(j.task)}
	}
	var names []string
	for _, task := range j.tasks {
		names = append(names, id+"_"+itoa(task))
	}
	return names
}

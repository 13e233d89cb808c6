package slurmtest

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	maxID      = 4294967293 // the largest number that parses as a job id
	maxKnownID = 4294967280 // from here on ids are reserved
)

// target is a job id of a path or a list: 177, 177_4, 122.batch.
type target struct {
	id     int64
	task   int64 // -1: none
	isTask bool
	isStep bool
	step   string // "batch", "0"
	text   string // as it is quoted back
}

// parseTarget reads an id leniently, as slurmrestd does: hexadecimal and
// leading zeros are fine, and 1.5 is a step whose text comes out as a float.
func parseTarget(text string) (target, bool) {
	t := target{task: -1, text: text}
	digits, step, isStep := strings.Cut(text, ".")
	digits, task, isTask := strings.Cut(digits, "_")
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil && (strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X")) {
		id, err = strconv.ParseInt(digits[2:], 16, 64)
	}
	if err != nil || id < 1 || id > maxID {
		return t, false
	}
	t.id, t.isStep, t.step, t.isTask = id, isStep, step, isTask
	if isTask {
		if t.task, err = strconv.ParseInt(task, 10, 64); err != nil || t.task < 0 {
			return t, false
		}
	}
	switch {
	case isStep:
		if _, err := strconv.Atoi(step); err == nil {
			x, _ := strconv.ParseFloat(text, 64)
			t.text = strconv.FormatFloat(x, 'f', 6, 64)
		}
	case !isTask:
		t.text = itoa(id)
	}
	return t, true
}

// find gives the live records of an id: a job, every record of an array, or
// every component of a het job.
func (s *Server) find(id int64) []*job {
	var found, tasks []*job
	for _, j := range s.queue {
		switch {
		case j.id == id:
			found = append(found, j)
			if j.het != nil && j.offset == 0 {
				for _, c := range j.het.components[1:] {
					if !c.gone {
						found = append(found, c)
					}
				}
			}
		case j.array != nil && j.array.id == id:
			tasks = append([]*job{j}, tasks...) // the last to start comes first
		}
	}
	return append(found, tasks...)
}

func (s *Server) get(c *call) *reply {
	r := &reply{}
	t, ok := parseTarget(c.path[3])
	switch {
	case !ok:
		return r.reject("Rejecting request. Failure parsing parameters", "op_handler_job")
	case t.id >= maxKnownID:
		return r.fail(codeJobID, fmt.Sprintf("Invalid JobID=%d rejected", t.id), "op_handler_job")
	}
	view, ok := s.view(c, r, "op_handler_job")
	if !ok {
		return r
	}
	if t.isStep {
		r.warn("Job steps are not supported for job searches. Showing whole job instead.", "_handle_job_get")
	}
	var jobs []*job
	if s.controllerDown {
		r.fail(codeUnspecified, "Unable to query JobId="+t.text, "_handle_job_get")
	} else if jobs = s.find(t.id); len(jobs) == 0 {
		r.fail(codeJobID, "Unable to query JobId="+t.text, "_handle_job_get")
	}
	if t.isTask {
		r.warn("Job array Ids are not currently supported for job searches. Showing all jobs in array instead.", "_handle_job_get")
	}
	return s.dump(r, jobs, view.detail, len(jobs) > 0)
}

// dump is the payload of live reads. The two times are that of the answer, and 0
// where nothing was read.
func (s *Server) dump(r *reply, jobs []*job, detail, known bool) *reply {
	records := []object{}
	for _, j := range jobs {
		records = append(records, s.live(j, detail))
	}
	backfill, update := number(0), number(0)
	if known {
		backfill, update = moment(s.clock), moment(s.clock)
	}
	r.payload = object{{"jobs", records}, {"last_backfill", backfill}, {"last_update", update}}
	return r
}

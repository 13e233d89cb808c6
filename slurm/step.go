package slurm

import (
	"cmp"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// readSteps reads the steps of an accounting record. One that is no object is noted, and costs only itself.
func readSteps(d *decoder, j *Job, raw []byte) error {
	if emptyValue(raw) {
		return nil
	}
	return jsonx.EachElement(raw, func(i int, value []byte) error {
		step, err := d.step(value)
		if err != nil {
			j.odd("steps", inElement(i, err))
		}
		if step != nil {
			j.Steps = append(j.Steps, *step)
		}
		return nil
	})
}

// step reads one step. An odd member is reported, and costs only itself; no step comes back if raw is no object.
func (d *decoder) step(raw []byte) (*Step, error) {
	var s Step
	var odd error
	err := jsonx.EachMember(raw, func(name, value []byte) error {
		if err := d.stepMember(&s, string(name), value); err != nil && odd == nil {
			odd = inMember(name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !s.State.Terminal() {
		s.ExitCode = ExitCode{}
	}
	return &s, odd
}

func (d *decoder) stepMember(s *Step, name string, raw []byte) (err error) {
	switch name {
	case "step":
		return d.stepName(s, raw)
	case "state":
		s.State, s.Flags, err = d.state(raw)
	case "exit_code":
		s.ExitCode, err = readExitCode(raw)
	case "time":
		return d.stepTimes(s, raw)
	case "nodes":
		s.Nodes, err = d.words(jsonx.Member(raw, "list"))
	case "tasks":
		s.Tasks, err = readCount(jsonx.Member(raw, "count"))
	case "kill_request_user":
		s.CancelledBy, err = d.text(raw)
	case "tres":
		return d.stepResources(s, raw)
	case "statistics":
		n, err := readNumber(jsonx.Member(jsonx.Member(raw, "energy"), "consumed"))
		s.Energy = max(0, n.unmarked().value)
		return inMember([]byte("energy"), err)
	}
	return err
}

// stepName reads {"id":"42.batch","name":"batch"}. In v0.0.40 the id is an object of its own.
func (d *decoder) stepName(s *Step, raw []byte) (err error) {
	return jsonx.EachMember(raw, func(name, value []byte) error {
		switch string(name) {
		case "id":
			if jsonx.KindOf(value) == jsonx.KindObject {
				s.ID = jsonx.Text(jsonx.Member(value, "job_id")) + "." + jsonx.Text(jsonx.Member(value, "step_id"))
				return nil
			}
			s.ID, err = d.text(value)
		case "name":
			s.Name, err = d.text(value)
		}
		return inMember(name, err)
	})
}

func (d *decoder) stepTimes(s *Step, raw []byte) error {
	return jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "start":
			s.StartTime, err = readTime(value)
		case "end":
			s.EndTime, err = readTime(value)
		case "elapsed":
			s.Elapsed, _, err = readSpan(value, time.Second)
		case "total":
			s.CPUTime, err = readCPUTime(value)
		case "user":
			s.UserCPUTime, err = readCPUTime(value)
		case "system":
			s.SystemCPUTime, err = readCPUTime(value)
		}
		return inMember(name, err)
	})
}

// stepResources reads what a step was given and what it used. Slurm 24.11 calls what its tasks took in, memory above
// all, "requested", and what they put out "consumed".
// An odd one costs only itself.
func (d *decoder) stepResources(s *Step, raw []byte) error {
	var odd error
	err := jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "allocated":
			s.Allocated, err = d.resourceList(value)
		case "requested":
			s.Used, err = d.taskUsage(value)
		case "consumed":
			s.Output, err = d.taskUsage(value)
		}
		odd = cmp.Or(odd, inMember(name, err))
		return nil
	})
	return cmp.Or(err, odd)
}

func (d *decoder) taskUsage(raw []byte) (u TaskUsage, err error) {
	if emptyValue(raw) {
		return u, nil
	}
	err = jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "total":
			u.Total, err = d.amounts(value, 1)
		case "average":
			u.Average, err = d.amounts(value, 1)
		case "max":
			u.Max, err = d.peaks(value)
		case "min":
			u.Min, err = d.peaks(value)
		}
		return inMember(name, err)
	})
	return u, err
}

func (d *decoder) peaks(raw []byte) (Peaks, error) {
	if emptyValue(raw) {
		return nil, nil
	}
	var all Peaks
	err := jsonx.EachElement(raw, func(i int, value []byte) error {
		one, known, err := d.resource(value, 1)
		if err != nil || !known {
			return inElement(i, err)
		}
		p := Peak{Resource: one}
		if p.Node, err = d.text(jsonx.Member(value, "node")); err != nil {
			return inElement(i, inMember([]byte("node"), err))
		}
		task, err := readNumber(jsonx.Member(value, "task"))
		p.Task = task.unmarked().value
		all = append(all, p)
		return inElement(i, inMember([]byte("task"), err))
	})
	return all, err
}

package slurm

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// stepReader reads the steps at one place in the lists of the records: those of one job are less alike.
type stepReader struct {
	object jsonx.Object
	layout layout[Step]
}

// maxStepReaders bounds their number; the last one reads all further steps.
const maxStepReaders = 8

func (d *decoder) stepReader(i int) *stepReader {
	i = min(i, maxStepReaders-1)
	for len(d.steps) <= i {
		d.steps = append(d.steps, &stepReader{object: jsonx.Object{Repeats: true}})
	}
	return d.steps[i]
}

// readSteps reads the steps of an accounting record. One that is no object is noted, and costs only itself.
func readSteps(d *decoder, j *Job, raw []byte) error {
	j.Steps = nil
	if emptyValue(raw) {
		return nil
	}
	var odd oddMembers
	object := func(i int) *jsonx.Object { return &d.stepReader(i).object }
	err := jsonx.EachObject(raw, object, func(i int, o *jsonx.Object, element []byte) {
		var err error
		switch {
		case o != nil:
			j.Steps = append(j.Steps, Step{})
			err = d.step(&j.Steps[len(j.Steps)-1], i, o)
		case jsonx.KindOf(element) == jsonx.KindNull:
			j.Steps = append(j.Steps, Step{})
		default:
			err = jsonx.NoObject(element)
		}
		if err != nil {
			odd = append(odd, oddMember{err: inElement(i, err)})
		}
	})
	if err == nil && odd != nil {
		return odd
	}
	return err
}

// step reads the i-th step of a job. The first odd member is reported, and costs only itself.
func (d *decoder) step(s *Step, i int, record *jsonx.Object) (odd error) {
	d.stepReader(i).layout.read(d, record, stepMembers(), s, func(member string, err error) {
		if odd == nil {
			odd = inMember([]byte(member), err)
		}
	})
	if !s.State.Terminal() {
		s.ExitCode = ExitCode{}
	}
	return odd
}

// stepMembers is the layout of a step in the accounting.
var stepMembers = sync.OnceValue(func() table[Step] {
	return table[Step]{
		"step": plain(readStepName),
		"state": {
			read: func(d *decoder, s *Step, raw []byte) (err error) {
				s.State, s.Flags, err = d.state(raw)
				return err
			},
			own: func(s *Step) { s.Flags = slices.Clone(s.Flags) },
		},
		"exit_code": asExitCode(func(s *Step) *ExitCode { return &s.ExitCode }),
		"time":      plain(readStepTimes),
		"nodes": asOwn(func(s *Step) *[]string { return &s.Nodes }, func(d *decoder, raw []byte) ([]string, error) {
			return d.words(jsonx.Member(raw, "list"))
		}),
		"tasks": as(func(s *Step) *int { return &s.Tasks }, func(_ *decoder, raw []byte) (int, error) {
			return readCount(jsonx.Member(raw, "count"))
		}),
		"kill_request_user": asText(func(s *Step) *string { return &s.CancelledBy }),
		"tres": {read: readStepResources, own: func(s *Step) {
			own(&s.Allocated, &s.Used.Total, &s.Used.Average, &s.Output.Total, &s.Output.Average)
			own(&s.Used.Max, &s.Used.Min, &s.Output.Max, &s.Output.Min)
		}},
		"statistics": as(func(s *Step) *int64 { return &s.Energy }, func(_ *decoder, raw []byte) (int64, error) {
			n, err := readNumber(jsonx.Member(jsonx.Member(raw, "energy"), "consumed"))
			return max(0, n.unmarked().value), inMember([]byte("energy"), err)
		}),
	}
})

// readStepName reads {"id":"42.batch","name":"batch"}. In v0.0.40 the id is an object of its own.
func readStepName(d *decoder, s *Step, raw []byte) error {
	s.ID, s.Name = "", ""
	return jsonx.EachMember(raw, func(name, value []byte) (err error) {
		switch string(name) {
		case "id":
			if jsonx.KindOf(value) == jsonx.KindObject {
				s.ID = jsonx.Text(jsonx.Member(value, "job_id")) + "." + jsonx.Text(jsonx.Member(value, "step_id"))
				return nil
			}
			s.ID, err = d.unshared(value)
		case "name":
			s.Name, err = d.text(value)
		}
		return inMember(name, err)
	})
}

func readStepTimes(_ *decoder, s *Step, raw []byte) error {
	s.StartTime, s.EndTime = time.Time{}, time.Time{}
	s.Elapsed, s.CPUTime, s.UserCPUTime, s.SystemCPUTime = 0, 0, 0, 0
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

// readStepResources reads what a step was given and what it used. Slurm 24.11 calls what its tasks took in, memory above
// all, "requested", and what they put out "consumed".
// An odd one costs only itself.
func readStepResources(d *decoder, s *Step, raw []byte) error {
	s.Allocated, s.Used, s.Output = nil, TaskUsage{}, TaskUsage{}
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

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
		"step": asObject(inner[Step]{
			{"id", as(func(s *Step) *string { return &s.ID }, (*decoder).stepID)},
			{"name", asText(func(s *Step) *string { return &s.Name })},
		}),
		"state": {
			read: func(d *decoder, s *Step, raw []byte) (err error) {
				s.State, s.Flags, err = d.state(raw)
				return err
			},
			own: func(s *Step) { s.Flags = slices.Clone(s.Flags) },
		},
		"exit_code":         asExitCode(func(s *Step) *ExitCode { return &s.ExitCode }),
		"time":              asObject(stepTimes()),
		"nodes":             asObject(inner[Step]{{"list", asWords(func(s *Step) *[]string { return &s.Nodes })}}),
		"tasks":             asObject(inner[Step]{{"count", asCount(func(s *Step) *int { return &s.Tasks })}}),
		"kill_request_user": asText(func(s *Step) *string { return &s.CancelledBy }),
		"tres": {read: stepResources().read, own: func(s *Step) {
			own(&s.Allocated, &s.Used.Total, &s.Used.Average, &s.Output.Total, &s.Output.Average)
			own(&s.Used.Max, &s.Used.Min, &s.Output.Max, &s.Output.Min)
		}},
		"statistics": asObject(inner[Step]{{"energy", asObject(inner[Step]{{"consumed", asEnergy()}})}}),
	}
})

// stepTimes is the layout of "time" in a step.
func stepTimes() inner[Step] {
	return inner[Step]{
		{"start", asTime(func(s *Step) *time.Time { return &s.StartTime })},
		{"end", asTime(func(s *Step) *time.Time { return &s.EndTime })},
		{"elapsed", asSpan(time.Second, func(s *Step) *time.Duration { return &s.Elapsed })},
		{"total", asCPUTime(func(s *Step) *time.Duration { return &s.CPUTime })},
		{"user", asCPUTime(func(s *Step) *time.Duration { return &s.UserCPUTime })},
		{"system", asCPUTime(func(s *Step) *time.Duration { return &s.SystemCPUTime })},
	}
}

// asEnergy reads joules. Where nothing measures them, Slurm has a mark or a negative number.
func asEnergy() member[Step] {
	return as(func(s *Step) *int64 { return &s.Energy }, func(_ *decoder, raw []byte) (int64, error) {
		n, err := readNumber(raw)
		return max(0, n.unmarked().value), err
	})
}

// stepID reads "42.batch". In v0.0.40 it is an object.
func (d *decoder) stepID(raw []byte) (string, error) {
	if jsonx.KindOf(raw) != jsonx.KindObject || emptyValue(raw) {
		return d.unshared(raw)
	}
	job, jobErr := d.text(jsonx.Member(raw, "job_id"))
	step, stepErr := d.text(jsonx.Member(raw, "step_id"))
	if err := cmp.Or(inMember([]byte("job_id"), jobErr), inMember([]byte("step_id"), stepErr)); err != nil {
		return "", err
	}
	return job + "." + step, nil
}

// stepResources is the layout of what a step was given and what it used. Slurm 24.11 calls what its tasks took in, memory
// above all, "requested", and what they put out "consumed".
func stepResources() inner[Step] {
	return inner[Step]{
		{"allocated", as(func(s *Step) *Resources { return &s.Allocated }, (*decoder).resourceList)},
		{"requested", asObject(taskUsage(func(s *Step) *TaskUsage { return &s.Used }))},
		{"consumed", asObject(taskUsage(func(s *Step) *TaskUsage { return &s.Output }))},
	}
}

func taskUsage(field func(*Step) *TaskUsage) inner[Step] {
	sum := func(d *decoder, raw []byte) (Resources, error) { return d.amounts(raw, 1) }
	return inner[Step]{
		{"total", as(func(s *Step) *Resources { return &field(s).Total }, sum)},
		{"average", as(func(s *Step) *Resources { return &field(s).Average }, sum)},
		{"max", as(func(s *Step) *Peaks { return &field(s).Max }, (*decoder).peaks)},
		{"min", as(func(s *Step) *Peaks { return &field(s).Min }, (*decoder).peaks)},
	}
}

// peaks is amounts for a list that also says which task it was.
func (d *decoder) peaks(raw []byte) (Peaks, error) {
	if emptyValue(raw) {
		return nil, nil
	}
	var all Peaks
	var odd error
	err := jsonx.EachElement(raw, func(i int, value []byte) error {
		p, known, err := d.peak(value)
		if known {
			all = append(all, p)
		}
		odd = cmp.Or(odd, inElement(i, err))
		return nil
	})
	return all, cmp.Or(err, odd)
}

func (d *decoder) peak(raw []byte) (p Peak, known bool, err error) {
	if p.Resource, known, err = d.resource(raw, 1); err != nil || !known {
		return p, known, err
	}
	if p.Node, err = d.text(jsonx.Member(raw, "node")); err != nil {
		return p, false, inMember([]byte("node"), err)
	}
	task, err := readNumber(jsonx.Member(raw, "task"))
	p.Task = task.unmarked().value
	return p, err == nil, inMember([]byte("task"), err)
}

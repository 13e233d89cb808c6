package slurmtest

import (
	"slices"
	"strconv"
	"strings"
)

// dependency is one "afterok:47" of a job. Parents are held on to, since what
// has been fulfilled stays fulfilled when the parent leaves the queue.
type dependency struct {
	kind   string
	text   string // "47", as written
	parent *job
	either bool // separated by "?": one of all is enough
}

var dependencyKinds = []string{
	"after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer",
}

// parseDependency resolves a dependency. It fails for an unknown kind and for
// a job that is not, or no longer, in the live queue.
func (s *Server) parseDependency(text string) ([]*dependency, bool) {
	if text == "" {
		return nil, true
	}
	var list []*dependency
	either := strings.Contains(text, "?")
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '?' }) {
		kind, ids, _ := strings.Cut(item, ":")
		if kind == "singleton" && ids == "" {
			list = append(list, &dependency{kind: kind, either: either})
			continue
		}
		if !slices.Contains(dependencyKinds, kind) || ids == "" {
			return nil, false
		}
		for _, id := range strings.Split(ids, ":") {
			parent := s.parent(id)
			if parent == nil {
				return nil, false
			}
			list = append(list, &dependency{kind: kind, text: id, parent: parent, either: either})
		}
	}
	return list, true
}

func (s *Server) parent(text string) *job {
	digits, _, _ := strings.Cut(text, "+") // a delay in minutes, which is not waited for
	digits, task, isTask := strings.Cut(digits, "_")
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	for _, j := range s.queue {
		switch {
		case !isTask && j.id == id:
			return j
		case isTask && j.array != nil && j.array.id == id && itoa(j.task) == task:
			return j
		}
	}
	if isTask {
		return s.parent(digits)
	}
	return nil
}

// ofArray is true if all of an array is depended on.
func (d *dependency) ofArray() bool {
	return d.parent != nil && d.parent.array != nil && !strings.Contains(d.text, "_")
}

type verdict int

const (
	unfulfilled verdict = iota
	fulfilled
	failed
)

func (s *Server) judge(j *job, d *dependency) verdict {
	if d.kind == "singleton" {
		for _, other := range s.queue {
			if other != j && other.id < j.id && other.user == j.user && other.name == j.name && !other.ended() {
				return unfulfilled
			}
		}
		return fulfilled
	}
	parents := []*job{d.parent}
	if d.ofArray() {
		parents = d.parent.array.records
		if d.kind == "aftercorr" && j.isRest() {
			return d.judgeTasks(j.tasks)
		}
	}
	if d.kind == "after" {
		for _, p := range parents {
			if p.state == statePending {
				return unfulfilled
			}
		}
		return fulfilled
	}
	good, over := true, true
	for _, p := range parents {
		over = over && p.ended()
		good = good && p.state == stateCompleted
	}
	switch {
	case !over:
		return unfulfilled
	case d.kind == "afterok" || d.kind == "aftercorr":
		return verdictOf(good)
	case d.kind == "afternotok":
		return verdictOf(!good)
	}
	return fulfilled
}

// judgeTasks is about an array that follows another task by task: it can go on
// if any one of its tasks can.
func (d *dependency) judgeTasks(tasks []int64) verdict {
	best := failed
	for _, task := range tasks {
		switch d.judgeTask(task) {
		case fulfilled:
			return fulfilled
		case unfulfilled:
			best = unfulfilled
		}
	}
	return best
}

func (d *dependency) judgeTask(task int64) verdict {
	for _, p := range d.parent.array.records {
		if p.task == task || slices.Contains(p.tasks, task) {
			if !p.ended() {
				return unfulfilled
			}
			return verdictOf(p.state == stateCompleted)
		}
	}
	return failed // there is no such task
}

// nextTask is the place of the task that may start first.
func (j *job) nextTask() int {
	return max(0, slices.IndexFunc(j.tasks, func(task int64) bool {
		return !slices.ContainsFunc(j.parents, func(d *dependency) bool {
			return d.kind == "aftercorr" && d.ofArray() && d.judgeTask(task) != fulfilled
		})
	}))
}

func verdictOf(yes bool) verdict {
	if yes {
		return fulfilled
	}
	return failed
}

// dependencyReason is "" once the job depends on nothing any more.
func (s *Server) dependencyReason(j *job) string {
	var waiting, hopeless, met, either bool
	for _, d := range j.parents {
		either = either || d.either
		switch s.judge(j, d) {
		case unfulfilled:
			waiting = true
		case failed:
			hopeless = true
		case fulfilled:
			met = true
		}
	}
	switch {
	case either && met:
		return ""
	case hopeless && (!either || !waiting):
		return "DependencyNeverSatisfied"
	case waiting:
		return "Dependency"
	}
	return ""
}

// dependencyText is the record's form: what is still open, each with its
// standing. Fulfilled ones disappear.
func (s *Server) dependencyText(j *job) string {
	if j.state != statePending && j.reason != "DependencyNeverSatisfied" {
		return ""
	}
	separator := ","
	var parts []string
	for _, d := range j.parents {
		standing := s.judge(j, d)
		if standing == fulfilled {
			continue
		}
		text := d.kind
		if d.text != "" {
			text += ":" + d.text
		}
		if d.ofArray() {
			text += "_*"
		}
		if d.either {
			separator = "?"
		}
		parts = append(parts, text+map[verdict]string{unfulfilled: "(unfulfilled)", failed: "(failed)"}[standing])
	}
	return strings.Join(parts, separator)
}

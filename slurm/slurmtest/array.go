package slurmtest

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parseArray reads "0-9", "1-6%2", "0-8:4", "1,5,9". Indexes must lie below
// the limit.
func parseArray(text string, below int64) (tasks []int64, limit int64, ok bool) {
	text, throttle, found := strings.Cut(text, "%")
	if found {
		n, err := strconv.ParseInt(throttle, 10, 64)
		if err != nil || n < 0 {
			return nil, 0, false
		}
		limit = n
	}
	for _, part := range strings.Split(strings.Trim(text, "[]"), ",") {
		some, ok := parseRange(part, below)
		if !ok {
			return nil, 0, false
		}
		tasks = append(tasks, some...)
	}
	slices.Sort(tasks)
	return slices.Compact(tasks), limit, true
}

func parseRange(text string, below int64) ([]int64, bool) {
	span, step, stepped := strings.Cut(text, ":")
	from, to, ranged := strings.Cut(span, "-")
	if !ranged {
		to = from
	}
	first, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	by := int64(1)
	if stepped {
		by, _ = strconv.ParseInt(step, 10, 64)
	}
	if err1 != nil || err2 != nil || by < 1 || first < 0 || last < first || last >= below {
		return nil, false
	}
	var tasks []int64
	for n := first; n <= last; n += by {
		tasks = append(tasks, n)
	}
	return tasks, true
}

// maxTaskString is how much of a list of tasks is written out. A longer one is
// cut to make room for an ellipsis, also within a number.
const maxTaskString = 63

// taskString is array_task_string: what has not started, and the throttle.
func (j *job) taskString() string {
	if len(j.tasks) == 0 {
		return ""
	}
	var digits []string
	for _, n := range j.tasks {
		digits = append(digits, itoa(n))
	}
	text := ranges(digits)
	if len(text) > maxTaskString {
		text = text[:maxTaskString-3] + "..."
	}
	if j.array.limit > 0 {
		text += "%" + itoa(j.array.limit)
	}
	return text
}

// taskMask is the same for accounting, as a hexadecimal bit mask.
func (j *job) taskMask() string {
	if len(j.tasks) == 0 {
		return ""
	}
	var mask big.Int
	for _, n := range j.tasks {
		mask.SetBit(&mask, int(n), 1)
	}
	return "0x" + strings.ToUpper(mask.Text(16))
}

// splitTask gives the next task its own record. The last task keeps the
// array's id and record.
func (s *Server) splitTask(rest *job, t time.Time) *job {
	next := rest.nextTask()
	task := rest.tasks[next]
	if rest.array.limit > 0 {
		rest.eligible = t
	}
	if len(rest.tasks) == 1 {
		rest.task, rest.tasks = task, nil
		return rest
	}
	j := *rest
	own := *rest.spec
	j.spec, j.id, j.task, j.tasks, j.bornHeld = &own, s.newID(), task, nil, false
	rest.tasks = slices.Delete(slices.Clone(rest.tasks), next, next+1)
	// The room was found for the record that is now the rest.
	for _, share := range j.allocation {
		reassign(share.node.cores, rest, &j)
		reassign(share.node.gpus, rest, &j)
	}
	rest.allocation, rest.placed = nil, ""
	rest.array.records = append(rest.array.records, &j)
	s.queue = append(s.queue, &j)
	s.accounting = append(s.accounting, &j)
	return &j
}

func reassign(slots []*job, from, to *job) {
	for i := range slots {
		if slots[i] == from {
			slots[i] = to
		}
	}
}

// drop takes tasks out of the rest that were cancelled before they started.
// They leave no record unless they are all that was left.
func (j *job) drop(tasks []int64) {
	j.tasks = slices.DeleteFunc(slices.Clone(j.tasks), func(n int64) bool { return slices.Contains(tasks, n) })
}

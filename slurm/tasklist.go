package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// taskRange is a part of a list of array tasks: from, from+step … up to to.
type taskRange struct{ from, to, step int64 }

// taskList is the tasks of a job array as Slurm writes them: "0-9%4", "1,5,9", "0-8:4".
type taskList struct {
	ranges []taskRange
	atOnce int64 // how many may run at the same time; 0 for no limit
	cut    bool  // Slurm shortened a long list with "...", so that there are more tasks than listed
}

// parseTaskList reads a list of tasks. Answers of Slurm may also have brackets and an ellipsis, which are taken
// too; a request must not: see checkArray.
func parseTaskList(s string) (taskList, error) {
	var list taskList
	text := strings.TrimSpace(s)
	if before, limit, ok := strings.Cut(text, "%"); ok {
		n, ok := parseIDNumber(strings.TrimSuffix(limit, "]"))
		if !ok || n == 0 {
			return list, fmt.Errorf("%q is no number of tasks to run at once", abbreviate(limit))
		}
		text, list.atOnce = before, n
	}
	parts := strings.Split(strings.Trim(text, "[]"), ",")
	if last := parts[len(parts)-1]; len(parts) > 1 && (strings.HasSuffix(last, "...") || last == "…") {
		// Slurm cuts after 60 characters, also within a number: "…,100,11...".
		list.cut, parts = true, parts[:len(parts)-1]
	}
	for _, part := range parts {
		r, err := parseTaskRange(part)
		if err != nil {
			return list, err
		}
		list.ranges = append(list.ranges, r)
	}
	return list, nil
}

func parseTaskRange(part string) (taskRange, error) {
	span, step, stepped := strings.Cut(part, ":")
	first, last, ranged := strings.Cut(span, "-")
	if !ranged {
		last = first
	}
	r := taskRange{step: 1}
	var ok [3]bool
	r.from, ok[0] = parseIDNumber(first)
	r.to, ok[1] = parseIDNumber(last)
	ok[2] = true
	if stepped {
		r.step, ok[2] = parseIDNumber(step)
	}
	switch {
	case ok != [3]bool{true, true, true} || stepped && !ranged:
		return r, fmt.Errorf("%s is no task or range of tasks", strconv.Quote(abbreviate(part)))
	case r.to < r.from:
		return r, fmt.Errorf("the range %s runs backwards", part)
	case r.step == 0:
		return r, fmt.Errorf("the range %s has a step of 0", part)
	}
	return r, nil
}

// has reports whether task n is in the list.
func (l taskList) has(n int64) bool {
	for _, r := range l.ranges {
		if n >= r.from && n <= r.to && (n-r.from)%r.step == 0 {
			return true
		}
	}
	return false
}

// count returns how many tasks are listed.
func (l taskList) count() (n int64) {
	for _, r := range l.ranges {
		n += (r.to-r.from)/r.step + 1
	}
	return n
}

// notInTaskList tells what a list of tasks in a request is not made of, though an answer's may be.
func notInTaskList(r rune) bool { return !strings.ContainsRune("0123456789,-:%", r) }

// checkArray checks the tasks of a job that is to be submitted.
func (c *checker) checkArray(field, value string) {
	const want = `want task numbers such as "0-9", "1,5,9", "0-8:4" or "0-99%10"`
	if value == "" {
		return
	}
	if strings.ContainsFunc(value, notInTaskList) {
		c.add(field, "%s holds more than digits and their marks: %s", strconv.Quote(abbreviate(value)), want)
		return
	}
	if _, err := parseTaskList(value); err != nil {
		c.add(field, "%v: %s", err, want)
	}
}

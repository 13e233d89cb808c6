package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of an [ArraySpec]: the highest index that any cluster can allow (Slurm's MaxArraySize), and how many times
// tasks may be listed in all.
const (
	maxArrayIndex = 4_000_000
	maxArrayList  = 4 * maxArrayIndex
)

// ArraySpec is the tasks of a job array: the value of [JobSpec].Array and of [Job].ArrayTasks, taken apart. The zero
// value has no tasks.
type ArraySpec struct{ list taskList }

// ParseArraySpec reads "0-9", "1,5,9", "0-8:4", and with "%4" behind it how many tasks may run at once. Brackets
// around it are taken too. Indices above 4,000,000 are refused, since no Slurm takes them, and so is a list that ends
// in "…", as Slurm shortens those of long arrays in the queue: it does not say which tasks there are.
func ParseArraySpec(s string) (ArraySpec, error) {
	list, err := parseTaskList(s)
	if err == nil {
		err = list.checkBounds()
	}
	if err != nil {
		return ArraySpec{}, fmt.Errorf("slurm: array %w", &idError{strconv.Quote(abbreviate(s)) + ": " + err.Error()})
	}
	return ArraySpec{list}, nil
}

func (l taskList) checkBounds() error {
	if l.cut {
		return errors.New("the list has been shortened by Slurm")
	}
	if l.atOnce > maxCount32 {
		return fmt.Errorf("%d tasks at once are more than Slurm can count", l.atOnce)
	}
	total := int64(0)
	for _, r := range l.ranges {
		total += (r.to-r.from)/r.step + 1
		if r.to > maxArrayIndex {
			return fmt.Errorf("task %d is above the %d that Slurm can have at most", r.to, maxArrayIndex)
		}
	}
	if total > maxArrayList {
		return errors.New("lists tasks over and over")
	}
	return nil
}

// ArrayOf returns the array of the given tasks, in the shortest form: 3, 1, 2 and 7 are "1-3,7". It serves to run
// again those tasks of an array that failed. Indices are from 0 to 4,000,000.
func ArrayOf(tasks ...int64) (ArraySpec, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(tasks)))
	var list taskList
	for _, n := range sorted {
		if n < 0 || n > maxArrayIndex {
			return ArraySpec{}, fmt.Errorf("slurm: array: %w", &idError{fmt.Sprintf("no task can have the index %d", n)})
		}
		if last := len(list.ranges) - 1; last >= 0 && list.ranges[last].to == n-1 {
			list.ranges[last].to = n
			continue
		}
		list.ranges = append(list.ranges, taskRange{n, n, 1})
	}
	return ArraySpec{list}, nil
}

// String returns the array in Slurm's spelling, "" if it has no tasks.
func (a ArraySpec) String() string {
	var parts []string
	for _, r := range a.list.ranges {
		last := r.to - (r.to-r.from)%r.step
		part := strconv.FormatInt(r.from, 10)
		if last > r.from {
			part += "-" + strconv.FormatInt(last, 10)
		}
		if last > r.from && r.step > 1 {
			part += ":" + strconv.FormatInt(r.step, 10)
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ",")
	if text != "" && a.list.atOnce > 0 {
		text += "%" + strconv.FormatInt(a.list.atOnce, 10)
	}
	return text
}

// Contains reports whether task is in the array.
func (a ArraySpec) Contains(task int64) bool { return a.list.has(task) }

// Tasks returns the indices of all tasks, in order. A task that is listed twice counts once.
func (a ArraySpec) Tasks() []int64 {
	var tasks []int64
	for _, r := range a.list.ranges {
		for n := r.from; n <= r.to; n += r.step {
			tasks = append(tasks, n)
		}
	}
	slices.Sort(tasks)
	return slices.Compact(tasks)
}

// Len returns the number of tasks.
func (a ArraySpec) Len() int { return len(a.Tasks()) }

// Limit returns how many tasks may run at once, 0 for no limit.
func (a ArraySpec) Limit() int { return int(a.list.atOnce) }

// WithLimit returns the array with at most limit tasks at once; 0 or less is no limit.
func (a ArraySpec) WithLimit(limit int) ArraySpec {
	a.list.atOnce = int64(max(0, min(limit, maxCount32)))
	return a
}

package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// maxMask bounds the length of a task mask in hexadecimal digits. Slurm's largest array has 4,000,001 tasks.
const maxMask = 1_000_001

// readTaskMask reads which tasks of an array have not started. The accounting writes them as a bit mask,
// "0x380" for tasks 7 to 9; newer versions, and the queue, as ranges.
func readTaskMask(d *decoder, j *Job, raw []byte) (err error) {
	if j.ArrayTasks, err = d.text(raw); err != nil {
		return err
	}
	if mask, ok := strings.CutPrefix(j.ArrayTasks, "0x"); ok {
		j.ArrayTasks, err = tasksOfMask(mask)
	}
	return err
}

// tasksOfMask writes a bit mask as ranges, as the queue does: "380" gives "7-9".
func tasksOfMask(mask string) (string, error) {
	if len(mask) > maxMask {
		return "", fmt.Errorf("want a mask of at most %d digits, got %d", maxMask, len(mask))
	}
	var tasks []byte
	first := -1
	add := func(last int) {
		if len(tasks) > 0 {
			tasks = append(tasks, ',')
		}
		if tasks = strconv.AppendInt(tasks, int64(first), 10); last > first {
			tasks = strconv.AppendInt(append(tasks, '-'), int64(last), 10)
		}
		first = -1
	}
	for i := range len(mask) {
		digit, err := strconv.ParseUint(mask[len(mask)-1-i:len(mask)-i], 16, 4)
		if err != nil {
			return "", fmt.Errorf("want a hexadecimal mask, got %q", abbreviate(mask))
		}
		for bit := range 4 {
			task := 4*i + bit
			switch set := digit>>bit&1 == 1; {
			case set && first < 0:
				first = task
			case !set && first >= 0:
				add(task - 1)
			}
		}
	}
	if first >= 0 {
		add(4*len(mask) - 1)
	}
	return string(tasks), nil
}

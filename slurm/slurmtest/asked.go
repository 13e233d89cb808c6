package slurmtest

import (
	"slices"
	"strings"
)

// infinite16 is Slurm's mark for "no limit" in small numbers.
const infinite16 = 65535

// Members of a job description that change nothing here, and stand in the
// record as they were asked for.

func askedText(name string) func(*Server, *job) any {
	return of(func(j *job) string { return j.asked.text(name) })
}

func askedYes(name string) func(*Server, *job) any {
	return of(func(j *job) bool { return j.asked.yes(name) })
}

// askedCount is a number, or without one what Slurm shows then.
func askedCount(name string, without wrapped) func(*Server, *job) any {
	return of(func(j *job) wrapped {
		if n := j.asked.integer(name, -1); n >= 0 && n != infinite16 {
			return number(n)
		}
		return without
	})
}

// laidOut is true for a job that says how its tasks go to nodes.
func (j *job) laidOut() bool {
	return slices.ContainsFunc([]string{"cpus_per_task", "tasks_per_node", "tasks_per_socket", "tasks_per_core"}, func(name string) bool {
		return j.asked.has(name) && j.asked[name] != int64(infinite16)
	})
}

// leastCPUs of a node are those of its tasks, or more if asked for.
func (j *job) leastCPUs() wrapped {
	return number(max(j.asked.integer("minimum_cpus_per_node", 0), max(j.tasksPerNode, 1)*j.cpusPerTask))
}

// profile is a list of words; none stands for "as the cluster has it".
func (j *job) profile() []string {
	if words := j.asked.list("profile"); len(words) > 0 {
		return words
	}
	return []string{"NOT_SET"}
}

// switchWait is bounded by Slurm's max_switch_wait.
func (j *job) switchWait() int64 { return min(j.asked.integer("wait_for_switch", 0), 300) }

// sizes are the numbers of nodes that would do, if several were named.
func (j *job) sizes() []string {
	text := j.asked.text("nodes")
	if !strings.ContainsAny(text, ",:") {
		return []string{}
	}
	counts, _, ok := parseArray(text, 1<<20)
	if !ok {
		return []string{}
	}
	var digits []string
	for _, n := range counts {
		digits = append(digits, itoa(n))
	}
	return []string{ranges(digits)}
}

// inOrder puts flags into the order of Slurm's table.
func inOrder(flags []string, table field) []string {
	sorted := slices.Clone(flags)
	slices.SortFunc(sorted, func(a, b string) int { return slices.Index(table.words, a) - slices.Index(table.words, b) })
	return sorted
}

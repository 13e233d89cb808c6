package slurm

import (
	"strconv"
	"strings"
)

// The functions below build the value of [JobSpec].Dependency. Combine several conditions with a comma if all
// of them must hold, or with "?" if one is enough:
//
//	spec.Dependency = slurm.AfterOK(prepare) + "," + slurm.Singleton()
//
// A job to depend on must still be in the live queue when the new job is submitted, so chains are best
// submitted at once. A job whose condition can no longer come true stays pending for ever, with the reason
// DependencyNeverSatisfied, unless the cluster is set up to cancel it.

// AfterOK lets the job start when all of ids have ended with success; an array counts when all its tasks have.
func AfterOK(ids ...JobID) string { return dependOn("afterok", ids) }

// AfterAny lets the job start when all of ids have ended, whatever became of them.
func AfterAny(ids ...JobID) string { return dependOn("afterany", ids) }

// AfterNotOK lets the job start when all of ids have ended without success.
func AfterNotOK(ids ...JobID) string { return dependOn("afternotok", ids) }

// After lets the job start when all of ids have started or were cancelled.
func After(ids ...JobID) string { return dependOn("after", ids) }

// AfterCorresponding lets task n of the new array start when task n of each of ids has ended with success.
func AfterCorresponding(ids ...JobID) string { return dependOn("aftercorr", ids) }

// Singleton lets the job start when no other job of the same name and user runs or waits before it.
func Singleton() string { return "singleton" }

// dependOn has no error to return. What is no id, or cannot be named here, is kept in a form that
// checkDependency refuses: in "after:42+1", Slurm would take the component for a delay of one minute.
func dependOn(kind string, ids []JobID) string {
	var b strings.Builder
	b.WriteString(kind)
	for _, id := range ids {
		b.WriteByte(':')
		canonical, err := parseJobID(string(id))
		if _, het := canonical.HetOffset(); err != nil || het {
			b.WriteString(strconv.Quote(abbreviate(string(id))))
			continue
		}
		b.WriteString(string(canonical))
	}
	return b.String()
}

var dependencyKinds = []string{"after", "afterany", "afterburstbuffer", "aftercorr", "afternotok", "afterok"}

func (c *checker) checkDependency(field, value string) {
	if value == "" {
		return
	}
	if strings.Contains(value, ",") && strings.Contains(value, "?") {
		c.add(field, `%s mixes "," (all must hold) with "?" (one is enough)`, strconv.Quote(abbreviate(value)))
		return
	}
	for _, condition := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '?' }) {
		c.checkCondition(field, condition)
	}
}

func (c *checker) checkCondition(field, condition string) {
	kind, rest, named := strings.Cut(condition, ":")
	if kind == "singleton" && !named {
		return
	}
	known := false
	for _, k := range dependencyKinds {
		known = known || k == kind
	}
	if !known {
		c.add(field, "%s is no condition: want one of %s with job ids, or singleton",
			strconv.Quote(abbreviate(kind)), strings.Join(dependencyKinds, ", "))
		return
	}
	if !named {
		c.add(field, "%s names no job: want %s:ID", kind, kind)
		return
	}
	for _, name := range strings.Split(rest, ":") {
		if !dependencyTarget(kind, name) {
			c.add(field, "%s cannot be depended on: want a job id or an array task such as 42_3; "+
				"a heterogeneous component goes by its own number", abbreviate(name))
		}
	}
}

// dependencyTarget accepts 42, 42_3 and 42_*; behind "after", Slurm also takes a delay in minutes: 42+5.
func dependencyTarget(kind, name string) bool {
	if job, ok := strings.CutSuffix(name, "_*"); ok {
		name = job
	}
	parts, ok := splitJobID(name)
	return ok && (parts.mark != '+' || kind == "after")
}

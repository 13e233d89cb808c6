package slurm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Bounds of Slurm's fields: the values above them mean "none" and "infinite", or wrap around.
const (
	maxCount16 = 65533
	maxCount32 = math.MaxInt32
)

// Validate reports everything about the spec that Slurm would refuse or misread, in one [*InputError]. It asks
// no server: whether a partition, an account or a directory exists, only a submit can tell. [Client.Submit]
// calls it.
func (s *JobSpec) Validate() error {
	c := &checker{}
	s.check(c)
	return c.err("submit job")
}

func (s *JobSpec) check(c *checker) {
	c.checkScript("Script", s.Script)
	s.checkComponent(c)
}

// checkComponent checks all but the script, which only the first component of a heterogeneous job has.
func (s *JobSpec) checkComponent(c *checker) {
	c.checkDirectory("WorkingDirectory", s.WorkingDirectory)
	c.checkEnvironment("Environment", s.Environment)
	for i, argument := range s.Arguments {
		if !isText(argument) {
			c.text(fmt.Sprintf("Arguments[%d]", i), argument)
		}
	}
	s.checkMemory(c)
	s.checkSignal(c)
	c.checkArray("Array", s.Array)
	c.checkToken("SubmitToken", s.SubmitToken)
	if s.Hold && s.Priority != 0 {
		c.add("Priority", "does not go with Hold: Slurm would forget about the hold, even where it ignores the priority")
	}
	s.checkChanges(c)
	s.checkExtra(c, appendJob)
}

// checkChanges checks what a job that exists can still change about itself.
func (s *JobSpec) checkChanges(c *checker) {
	c.text("Comment", s.Comment)
	s.checkLines(c)
	s.checkCounts(c)
	c.checkTRES(s)
	s.checkTimes(c)
	c.checkDependency("Dependency", s.Dependency)
	for _, m := range s.MailTypes {
		if !slices.Contains(mailTypes, m) {
			c.add("MailTypes", "%s is none that Slurm knows, and Slurm would run the job without it: want one of %s",
				strconv.Quote(abbreviate(string(m))), join(mailTypes))
		}
	}
}

func (c *checker) checkScript(field, script string) {
	switch {
	case strings.TrimSpace(script) == "":
		c.add(field, `empty: want the text of a script that starts with "#!"`)
		return
	case strings.HasPrefix(script, "#!"):
	case strings.HasPrefix(strings.TrimLeft(script, "\ufeff \t\r\n"), "#!"):
		c.add(field, `"#!" must come first, but white space or a byte order mark stands before it: the job fails`)
	default:
		c.add(field, `must start with "#!" and an interpreter, such as "#!/bin/bash": Slurm takes it as it is, and the job fails`)
	}
	if strings.Contains(script, "\r\n") {
		c.add(field, `has Windows line ends: replace "\r\n" by "\n", or no interpreter is found`)
	}
	c.text(field, script)
}

func (c *checker) checkDirectory(field, directory string) {
	switch {
	case directory == "":
		c.add(field, `required: an absolute path on the cluster, such as "/home/alice_example_com"`)
	case !path.IsAbs(directory):
		c.add(field, "%s is relative: want an absolute path, or the job fails without output",
			strconv.Quote(abbreviate(directory)))
	}
	c.line(field, directory)
}

func (s *JobSpec) checkLines(c *checker) {
	for _, l := range []struct{ field, value string }{
		{"Name", s.Name}, {"Stdin", s.Stdin}, {"Stdout", s.Stdout}, {"Stderr", s.Stderr},
		{"Partition", s.Partition}, {"Account", s.Account}, {"QOS", s.QOS}, {"Reservation", s.Reservation},
		{"WCKey", s.WCKey}, {"Constraints", s.Constraints}, {"Licenses", s.Licenses}, {"MailUser", s.MailUser},
	} {
		c.line(l.field, l.value)
	}
	c.checkNodes("RequiredNodes", s.RequiredNodes)
	c.checkNodes("ExcludedNodes", s.ExcludedNodes)
}

func (c *checker) checkNodes(field string, nodes []string) {
	for i, node := range nodes {
		empty := strings.TrimSpace(node) == ""
		if !empty && isLine(node) {
			continue
		}
		name := fmt.Sprintf("%s[%d]", field, i)
		if empty {
			c.add(name, "empty: want the name of a node")
		}
		c.line(name, node)
	}
}

func (s *JobSpec) checkCounts(c *checker) {
	c.count("MinNodes", s.MinNodes, maxCount32)
	c.count("MaxNodes", s.MaxNodes, maxCount32)
	if s.MaxNodes > 0 && s.MaxNodes < s.MinNodes {
		c.add("MaxNodes", "%d is less than MinNodes, %d", s.MaxNodes, s.MinNodes)
	}
	c.count("Tasks", s.Tasks, maxCount32)
	c.count("TasksPerNode", s.TasksPerNode, maxCount16)
	c.count("CPUsPerTask", s.CPUsPerTask, maxCount16)
	if s.Nice < -maxCount32 || s.Nice > maxCount32 {
		c.add("Nice", "%d is beyond what Slurm can hold", s.Nice)
	}
	if s.Priority < 0 || s.Priority > maxJobID {
		c.add("Priority", "%d is no priority: want 0 for Slurm's own, or up to %d", s.Priority, int64(maxJobID))
	}
}

func (s *JobSpec) checkMemory(c *checker) {
	c.memory("MemoryPerNode", s.MemoryPerNode)
	c.memory("MemoryPerCPU", s.MemoryPerCPU)
	if s.MemoryPerCPU == AllMemory {
		c.add("MemoryPerCPU", "AllMemory is for MemoryPerNode")
	}
	if s.MemoryPerNode != 0 && s.MemoryPerCPU != 0 {
		c.add("MemoryPerCPU", "MemoryPerNode is set as well, and Slurm would go by that one: set only one of them")
	}
}

// memory catches the two slips in units: a negative number, and one that was meant as MiB or GiB.
func (c *checker) memory(field string, bytes int64) {
	switch {
	case bytes < 0:
		c.add(field, "%d is negative: want bytes", bytes)
	case bytes > 0 && bytes < mebibyte:
		c.add(field, "%d bytes are less than 1 MiB: the unit is bytes, 64 GiB are 64<<30", bytes)
	}
}

func (s *JobSpec) checkTimes(c *checker) {
	c.limit("TimeLimit", s.TimeLimit)
	c.limit("TimeMinimum", s.TimeMinimum)
	if s.TimeMinimum == Unlimited {
		c.add("TimeMinimum", "Unlimited is for TimeLimit")
	} else if s.TimeLimit > 0 && s.TimeMinimum > s.TimeLimit {
		c.add("TimeMinimum", "%s is more than TimeLimit, %s", s.TimeMinimum, s.TimeLimit)
	}
	c.instant("Begin", s.Begin)
	c.instant("Deadline", s.Deadline)
	if !s.Begin.IsZero() && !s.Deadline.IsZero() && !s.Deadline.After(s.Begin) {
		c.add("Deadline", "%s is not after Begin, %s", s.Deadline.Format(time.RFC3339), s.Begin.Format(time.RFC3339))
	}
}

func (c *checker) limit(field string, d time.Duration) {
	if d < 0 {
		c.add(field, "%s is negative: want 0 for the partition's default, or Unlimited", d)
	}
	c.unit(field, d)
}

// unit catches a bare number that was meant as seconds or minutes. Nobody wants a span that a scheduler cannot tell from 0.
func (c *checker) unit(field string, d time.Duration) {
	if d > 0 && d < time.Millisecond {
		c.add(field, "%s is no time for a job: a bare number counts nanoseconds, ten minutes are 10*time.Minute", d)
	}
}

func (c *checker) instant(field string, t time.Time) {
	if !t.IsZero() && t.Unix() <= 0 {
		c.add(field, "%s lies before 1970", t.Format(time.RFC3339))
	}
}

func (s *JobSpec) checkSignal(c *checker) {
	switch {
	case s.Signal == "" && s.SignalBefore != 0:
		c.add("SignalBefore", "has no effect without Signal")
	case s.Signal == "" && s.SignalScript:
		c.add("SignalScript", "has no effect without Signal")
	case s.Signal != "":
		if _, err := signalName(s.Signal); err != nil {
			c.add("Signal", "%v", err)
		}
	}
	c.unit("SignalBefore", s.SignalBefore)
	if s.SignalBefore < 0 || s.SignalBefore > maxCount16*time.Second {
		c.add("SignalBefore", "%s is out of range: want up to %s", s.SignalBefore, maxCount16*time.Second)
	}
}

// checkExtra refuses names that are sent already, and values that encoding/json cannot write.
func (s *JobSpec) checkExtra(c *checker, write func([]byte, *JobSpec, []extraMember) []byte) {
	if len(s.Extra) == 0 {
		return
	}
	var sent jsonx.Object
	_ = sent.Parse(write(nil, s, nil)) // is one
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		where := "Extra[" + strconv.Quote(abbreviate(name)) + "]"
		switch {
		case name == "":
			c.add("Extra", "a member has no name")
		case name == "script":
			c.add(where, "use the field Script")
		case sent.Member(name) != nil:
			c.add(where, "a field of the spec sets this already")
		case name == "user_id" || name == "group_id":
			c.add(where, "jobs run as the caller; Slurm refuses anybody else")
		default:
			if _, err := json.Marshal(s.Extra[name]); err != nil {
				c.add(where, "cannot be written as JSON: %T", s.Extra[name])
			}
		}
	}
}

func join[S ~string](words []S) string {
	text := make([]string, len(words))
	for i, w := range words {
		text[i] = string(w)
	}
	return strings.Join(text, ", ")
}

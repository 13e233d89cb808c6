package slurm

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sent is a member of a job description in Slurm's API, and what of a spec goes into it. Only what is set is sent: several
// of Slurm's numbers take 0 as a value of its own, and a time limit of 0 ends a job at once.
type sent struct {
	name  string
	fixed bool // a job that exists cannot change it
	// value appends the value, or nothing if the spec does not set it.
	value func(b []byte, s *JobSpec) []byte
}

func changing(name string, value func([]byte, *JobSpec) []byte) sent { return sent{name, false, value} }

func fixed(name string, value func([]byte, *JobSpec) []byte) sent { return sent{name, true, value} }

// sentMembers are all members that a spec has fields for, in the order of their names, in which encoding/json writes those
// of a map.
var sentMembers = sync.OnceValue(func() []sent {
	all := slices.Concat(sentIdentity(), sentResources(), sentTiming(), sentProcess())
	slices.SortFunc(all, func(a, b sent) int { return strings.Compare(a.name, b.name) })
	return all
})

func sentIdentity() []sent {
	return []sent{
		changing("name", sentText(func(s *JobSpec) string { return s.Name })),
		changing("comment", sentText(func(s *JobSpec) string { return s.Comment })),
		changing("partition", sentText(func(s *JobSpec) string { return s.Partition })),
		changing("account", sentText(func(s *JobSpec) string { return s.Account })),
		changing("qos", sentText(func(s *JobSpec) string { return s.QOS })),
		changing("reservation", sentText(func(s *JobSpec) string { return s.Reservation })),
		changing("wckey", sentText(func(s *JobSpec) string { return s.WCKey })),
		changing("dependency", sentText(func(s *JobSpec) string { return s.Dependency })),
		changing("requeue", func(b []byte, s *JobSpec) []byte {
			if s.Requeue == nil {
				return b
			}
			return strconv.AppendBool(b, *s.Requeue)
		}),
		changing("nice", sentCount(func(s *JobSpec) int { return s.Nice })),
		changing("priority", sentAmount(func(s *JobSpec) int64 { return s.Priority })),
		changing("mail_type", sentList(func(s *JobSpec) []MailType { return s.MailTypes })),
		changing("mail_user", sentText(func(s *JobSpec) string { return s.MailUser })),
		fixed("array", sentText(func(s *JobSpec) string { return s.Array })),
		fixed("hold", sentWhen(func(s *JobSpec) bool { return s.Hold }, `true`)),
	}
}

func sentResources() []sent {
	return []sent{
		changing("required_nodes", sentList(func(s *JobSpec) []string { return s.RequiredNodes })),
		changing("excluded_nodes", sentList(func(s *JobSpec) []string { return s.ExcludedNodes })),
		changing("constraints", sentText(func(s *JobSpec) string { return s.Constraints })),
		changing("licenses", sentText(func(s *JobSpec) string { return s.Licenses })),
		changing("minimum_nodes", sentCount(func(s *JobSpec) int { return s.MinNodes })),
		changing("maximum_nodes", sentCount(func(s *JobSpec) int { return s.MaxNodes })),
		changing("tasks", sentCount(func(s *JobSpec) int { return s.Tasks })),
		changing("tasks_per_node", sentCount(func(s *JobSpec) int { return s.TasksPerNode })),
		changing("cpus_per_task", sentCount(func(s *JobSpec) int { return s.CPUsPerTask })),
		changing("shared", sentWhen(func(s *JobSpec) bool { return s.Exclusive }, `["none"]`)), // v0.0.42 has no "exclusive"
		changing("memory_per_node", sentMemory(func(s *JobSpec) int64 { return s.MemoryPerNode })),
		changing("memory_per_cpu", sentMemory(func(s *JobSpec) int64 { return s.MemoryPerCPU })),
		changing("tres_per_job", sentText(func(s *JobSpec) string { return s.TRESPerJob })),
		changing("tres_per_node", sentText((*JobSpec).tresPerNode)),
		changing("tres_per_socket", sentText(func(s *JobSpec) string { return s.TRESPerSocket })),
		changing("tres_per_task", sentText(func(s *JobSpec) string { return s.TRESPerTask })),
	}
}

func sentTiming() []sent {
	return []sent{
		changing("time_limit", sentLimit(func(s *JobSpec) time.Duration { return s.TimeLimit })),
		changing("time_minimum", sentLimit(func(s *JobSpec) time.Duration { return s.TimeMinimum })),
		changing("begin_time", sentAmount(func(s *JobSpec) int64 {
			if s.Begin.IsZero() {
				return 0
			}
			return s.Begin.Unix()
		})),
		changing("deadline", func(b []byte, s *JobSpec) []byte {
			if s.Deadline.IsZero() {
				return b
			}
			return strconv.AppendInt(b, s.Deadline.Unix(), 10) // plain, unlike begin_time
		}),
		fixed("kill_warning_signal", sentText((*JobSpec).signalToSend)),
		fixed("kill_warning_delay", sentAmount(func(s *JobSpec) int64 {
			if s.Signal == "" {
				return 0
			}
			return ceil(int64(s.SignalBefore), int64(time.Second))
		})),
		fixed("kill_warning_flags", sentWhen(func(s *JobSpec) bool { return s.Signal != "" && s.SignalScript }, `["BATCH_JOB"]`)),
	}
}

func (s *JobSpec) signalToSend() string {
	if s.Signal == "" {
		return ""
	}
	name, _ := signalName(s.Signal) // checked before
	return name
}

func sentProcess() []sent {
	return []sent{
		fixed("environment", func(b []byte, s *JobSpec) []byte { return appendVariables(b, s.variables()) }),
		fixed("current_working_directory", sentText(func(s *JobSpec) string { return s.WorkingDirectory })),
		fixed("argv", func(b []byte, s *JobSpec) []byte {
			if len(s.Arguments) == 0 {
				return b
			}
			// Slurm puts the path of its copy of the script in the place of the first one.
			return appendTexts(append(b, `["script",`...), s.Arguments)
		}),
		fixed("standard_input", sentText(func(s *JobSpec) string { return s.Stdin })),
		fixed("standard_output", sentText(func(s *JobSpec) string { return s.Stdout })),
		fixed("standard_error", sentText(func(s *JobSpec) string { return s.Stderr })),
		fixed("open_mode", sentWhen(func(s *JobSpec) bool { return s.AppendOutput }, `["APPEND"]`)),
	}
}

func sentText(field func(*JobSpec) string) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte {
		if value := field(s); value != "" {
			return appendText(b, value)
		}
		return b
	}
}

func sentList[S ~string](field func(*JobSpec) []S) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte {
		if values := field(s); len(values) > 0 {
			return appendTexts(append(b, '['), values)
		}
		return b
	}
}

func sentCount(field func(*JobSpec) int) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte {
		if value := field(s); value != 0 {
			return strconv.AppendInt(b, int64(value), 10)
		}
		return b
	}
}

func sentWhen(field func(*JobSpec) bool, value string) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte {
		if field(s) {
			return append(b, value...)
		}
		return b
	}
}

func sentAmount(field func(*JobSpec) int64) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte { return appendAmount(b, field(s)) }
}

// sentLimit writes a span in minutes.
func sentLimit(field func(*JobSpec) time.Duration) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte {
		d := field(s)
		if d == Unlimited {
			return append(b, `{"set":true,"infinite":true,"number":0}`...)
		}
		return appendAmount(b, minutes(d))
	}
}

// sentMemory writes bytes in MiB, and AllMemory as 0, which is Slurm's word for it.
func sentMemory(field func(*JobSpec) int64) func([]byte, *JobSpec) []byte {
	return func(b []byte, s *JobSpec) []byte {
		n := field(s)
		if n == AllMemory {
			return append(b, `{"set":true,"number":0}`...)
		}
		return appendAmount(b, ceil(n, mebibyte))
	}
}

// appendAmount writes a number with "set": without that, Slurm drops the number and does not say so.
func appendAmount(b []byte, n int64) []byte {
	if n == 0 {
		return b
	}
	return append(strconv.AppendInt(append(b, `{"set":true,"number":`...), n, 10), '}')
}

// minutes rounds up: a job must not get less time than it asked for, and 0 would end it at once.
func minutes(d time.Duration) int64 { return ceil(int64(d), int64(time.Minute)) }

func ceil(value, unit int64) int64 {
	n := value / unit
	if value%unit > 0 {
		n++
	}
	return n
}

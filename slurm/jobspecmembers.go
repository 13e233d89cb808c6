package slurm

import (
	"strconv"
	"time"
)

// appendJob writes the description of a job to submit, but for the script, with further members.
func appendJob(b []byte, s *JobSpec, more []extraMember) []byte {
	w := jobWriter{b: b, more: more, comma: '{', all: true}
	w.members(s)
	return w.end()
}

// appendChanges writes the description of what is to change about a job, which sets nothing else of the spec.
func appendChanges(b []byte, s *JobSpec, more []extraMember) []byte {
	w := jobWriter{b: b, more: more, comma: '{'}
	w.members(s)
	return w.end()
}

// members writes a spec as the members of Slurm's job description that its fields stand for, in the order of their names,
// in which encoding/json writes those of a map. Only what is set is written: several of Slurm's numbers take 0 as a value
// of its own, and a time limit of 0 ends a job at once.
func (w *jobWriter) members(s *JobSpec) {
	w.text("account", s.Account)
	w.arguments("argv", s.Arguments)
	w.text("array", s.Array)
	w.instant("begin_time", s.Begin)
	w.text("comment", s.Comment)
	w.text("constraints", s.Constraints)
	w.count("cpus_per_task", s.CPUsPerTask)
	w.text("current_working_directory", s.WorkingDirectory)
	w.seconds("deadline", s.Deadline)
	w.text("dependency", s.Dependency)
	w.environment("environment", s)
	w.texts("excluded_nodes", s.ExcludedNodes)
	w.when(s.Hold, "hold", `true`)
	w.signal(s)
	w.text("licenses", s.Licenses)
	w.mailTypes("mail_type", s.MailTypes)
	w.text("mail_user", s.MailUser)
	w.count("maximum_nodes", s.MaxNodes)
	w.memory("memory_per_cpu", s.MemoryPerCPU)
	w.memory("memory_per_node", s.MemoryPerNode)
	w.count("minimum_nodes", s.MinNodes)
	w.text("name", s.Name)
	w.count("nice", s.Nice)
	w.when(s.AppendOutput, "open_mode", `["APPEND"]`)
	w.text("partition", s.Partition)
	w.number("priority", s.Priority)
	w.text("qos", s.QOS)
	w.answer("requeue", s.Requeue)
	w.texts("required_nodes", s.RequiredNodes)
	w.text("reservation", s.Reservation)
	w.when(s.Exclusive, "shared", `["none"]`) // v0.0.42 has no "exclusive"
	w.text("standard_error", s.Stderr)
	w.text("standard_input", s.Stdin)
	w.text("standard_output", s.Stdout)
	w.count("tasks", s.Tasks)
	w.count("tasks_per_node", s.TasksPerNode)
	w.limit("time_limit", s.TimeLimit)
	w.limit("time_minimum", s.TimeMinimum)
	w.text("tres_per_job", s.TRESPerJob)
	w.text("tres_per_node", s.tresPerNode())
	w.text("tres_per_socket", s.TRESPerSocket)
	w.text("tres_per_task", s.TRESPerTask)
	w.text("wckey", s.WCKey)
}

func (w *jobWriter) signal(s *JobSpec) {
	if s.Signal == "" {
		return
	}
	w.number("kill_warning_delay", ceil(int64(s.SignalBefore), int64(time.Second)))
	w.when(s.SignalScript, "kill_warning_flags", `["BATCH_JOB"]`)
	name, _ := signalName(s.Signal) // checked before
	w.text("kill_warning_signal", name)
}

// jobWriter writes a job description. Its methods write nothing for a value that is not set.
type jobWriter struct {
	b     []byte
	comma byte          // what stands before the next member
	more  []extraMember // are still to be written, in their places between the others
	all   bool          // environment is written as well, which Slurm wants for each new job
}

// start writes the name of a member, and before it the further members that come first.
func (w *jobWriter) start(name string) {
	for len(w.more) > 0 && w.more[0].name < name {
		w.extra()
	}
	w.b = append(append(append(w.b, w.comma, '"'), name...), `":`...)
	w.comma = ','
}

func (w *jobWriter) extra() {
	w.b = append(appendText(append(w.b, w.comma), w.more[0].name), ':')
	w.b = append(w.b, w.more[0].value...)
	w.comma, w.more = ',', w.more[1:]
}

func (w *jobWriter) end() []byte {
	for len(w.more) > 0 {
		w.extra()
	}
	if w.comma == '{' {
		w.b = append(w.b, '{')
	}
	return append(w.b, '}')
}

func (w *jobWriter) text(name, value string) {
	if value != "" {
		w.start(name)
		w.b = appendText(w.b, value)
	}
}

func (w *jobWriter) texts(name string, values []string) {
	if len(values) > 0 {
		w.start(name)
		w.b = appendTexts(append(w.b, '['), values)
	}
}

func (w *jobWriter) mailTypes(name string, values []MailType) {
	if len(values) > 0 {
		w.start(name)
		w.b = appendTexts(append(w.b, '['), values)
	}
}

func (w *jobWriter) arguments(name string, values []string) {
	if len(values) > 0 {
		w.start(name)
		// Slurm puts the path of its copy of the script in the place of the first one.
		w.b = appendTexts(append(w.b, `["script",`...), values)
	}
}

func (w *jobWriter) environment(name string, s *JobSpec) {
	if w.all {
		w.start(name)
		w.b = appendVariables(w.b, s.variables())
	}
}

func (w *jobWriter) count(name string, value int) {
	if value != 0 {
		w.integer(name, int64(value))
	}
}

func (w *jobWriter) integer(name string, value int64) {
	w.start(name)
	w.b = strconv.AppendInt(w.b, value, 10)
}

func (w *jobWriter) when(is bool, name, value string) {
	if is {
		w.start(name)
		w.b = append(w.b, value...)
	}
}

func (w *jobWriter) answer(name string, value *bool) {
	if value != nil {
		w.start(name)
		w.b = strconv.AppendBool(w.b, *value)
	}
}

// number is sent with "set" always: without it, Slurm drops the number and does not say so.
func (w *jobWriter) number(name string, value int64) {
	if value != 0 {
		w.start(name)
		w.b = append(strconv.AppendInt(append(w.b, `{"set":true,"number":`...), value, 10), '}')
	}
}

// limit writes a span in minutes.
func (w *jobWriter) limit(name string, d time.Duration) {
	w.when(d == Unlimited, name, `{"set":true,"infinite":true,"number":0}`)
	if d != Unlimited {
		w.number(name, minutes(d))
	}
}

// memory writes bytes in MiB, and AllMemory as 0, which is Slurm's word for it.
func (w *jobWriter) memory(name string, bytes int64) {
	w.when(bytes == AllMemory, name, `{"set":true,"number":0}`)
	if bytes != AllMemory {
		w.number(name, ceil(bytes, mebibyte))
	}
}

func (w *jobWriter) instant(name string, t time.Time) {
	if !t.IsZero() {
		w.number(name, t.Unix())
	}
}

// seconds writes a time as a plain number.
func (w *jobWriter) seconds(name string, t time.Time) {
	if !t.IsZero() {
		w.integer(name, t.Unix())
	}
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

package slurm

import (
	"bytes"
	"encoding/json"
	"time"
)

// wire is a job description as Slurm's API names it. Only what is set is in it: several of Slurm's numbers take
// 0 as a value of its own, and a time limit of 0 ends a job at once.
type wire map[string]any

// number is sent with "set" always: without it, Slurm drops the number and does not say so.
type wireNumber struct {
	Set      bool  `json:"set"`
	Infinite bool  `json:"infinite,omitempty"`
	Number   int64 `json:"number"`
}

func (w wire) text(name, value string) {
	if value != "" {
		w[name] = value
	}
}

func (w wire) list(name string, values []string) {
	if len(values) > 0 {
		w[name] = values
	}
}

func (w wire) count(name string, value int) {
	if value != 0 {
		w[name] = value
	}
}

func (w wire) number(name string, value int64) {
	if value != 0 {
		w[name] = wireNumber{Set: true, Number: value}
	}
}

func (w wire) yes(name string, value bool) {
	if value {
		w[name] = true
	}
}

// limit writes a span in minutes.
func (w wire) limit(name string, d time.Duration) {
	if d == Unlimited {
		w[name] = wireNumber{Set: true, Infinite: true}
		return
	}
	w.number(name, minutes(d))
}

// memory writes bytes in MiB, and AllMemory as 0, which is Slurm's word for it.
func (w wire) memory(name string, bytes int64) {
	if bytes == AllMemory {
		w[name] = wireNumber{Set: true}
		return
	}
	w.number(name, ceil(bytes, mebibyte))
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

// members returns the job description without Extra and script.
func (s *JobSpec) members() wire {
	w := s.changes()
	w["environment"] = s.environmentList()
	w.text("current_working_directory", s.WorkingDirectory)
	if len(s.Arguments) > 0 {
		// Slurm puts the path of its copy of the script in the place of the first one.
		w["argv"] = append([]string{"script"}, s.Arguments...)
	}
	w.text("standard_input", s.Stdin)
	w.text("standard_output", s.Stdout)
	w.text("standard_error", s.Stderr)
	if s.AppendOutput {
		w["open_mode"] = []string{"APPEND"}
	}
	s.signal(w)
	w.text("array", s.Array)
	w.yes("hold", s.Hold)
	return w
}

// changes returns what an update and a submit have in common.
func (s *JobSpec) changes() wire {
	w := wire{}
	w.text("name", s.Name)
	w.text("comment", s.Comment)
	s.placement(w)
	s.resources(w)
	s.timing(w)
	s.queueing(w)
	return w
}

func (s *JobSpec) placement(w wire) {
	w.text("partition", s.Partition)
	w.text("account", s.Account)
	w.text("qos", s.QOS)
	w.text("reservation", s.Reservation)
	w.text("wckey", s.WCKey)
	w.list("required_nodes", s.RequiredNodes)
	w.list("excluded_nodes", s.ExcludedNodes)
	w.text("constraints", s.Constraints)
	w.text("licenses", s.Licenses)
}

func (s *JobSpec) resources(w wire) {
	w.count("minimum_nodes", s.MinNodes)
	w.count("maximum_nodes", s.MaxNodes)
	w.count("tasks", s.Tasks)
	w.count("tasks_per_node", s.TasksPerNode)
	w.count("cpus_per_task", s.CPUsPerTask)
	if s.Exclusive {
		w["shared"] = []string{"none"} // v0.0.42 has no "exclusive"
	}
	w.memory("memory_per_node", s.MemoryPerNode)
	w.memory("memory_per_cpu", s.MemoryPerCPU)
	w.text("tres_per_job", s.TRESPerJob)
	w.text("tres_per_node", s.tresPerNode())
	w.text("tres_per_socket", s.TRESPerSocket)
	w.text("tres_per_task", s.TRESPerTask)
}

func (s *JobSpec) timing(w wire) {
	w.limit("time_limit", s.TimeLimit)
	w.limit("time_minimum", s.TimeMinimum)
	if !s.Begin.IsZero() {
		w.number("begin_time", s.Begin.Unix())
	}
	if !s.Deadline.IsZero() {
		w["deadline"] = s.Deadline.Unix() // plain, unlike begin_time
	}
}

func (s *JobSpec) signal(w wire) {
	if s.Signal == "" {
		return
	}
	if name, err := signalName(s.Signal); err == nil {
		w["kill_warning_signal"] = name
	}
	w.number("kill_warning_delay", ceil(int64(s.SignalBefore), int64(time.Second)))
	if s.SignalScript {
		w["kill_warning_flags"] = []string{"BATCH_JOB"}
	}
}

func (s *JobSpec) queueing(w wire) {
	w.text("dependency", s.Dependency)
	if s.Requeue != nil {
		w["requeue"] = *s.Requeue
	}
	w.count("nice", s.Nice)
	w.number("priority", s.Priority)
	if len(s.MailTypes) > 0 {
		w["mail_type"] = s.MailTypes
	}
	w.text("mail_user", s.MailUser)
}

// description is the whole job description but the script.
func (s *JobSpec) description() wire {
	w := s.members()
	for name, value := range s.Extra {
		w[name] = value
	}
	return w
}

// encodeJSON writes value without the escapes for HTML that encoding/json adds, which a script is full of and
// which cost five bytes each of the little room there is.
func encodeJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

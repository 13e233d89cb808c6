package slurmtest

// historyField is one member of an accounting record.
type historyField struct {
	name  string
	value func(*Server, stored) any
}

func fixed(v any) func(*Server, stored) any { return func(*Server, stored) any { return v } }

func seen[T any](f func(stored) T) func(*Server, stored) any {
	return func(_ *Server, v stored) any { return f(v) }
}

// historyMembers are the members of a record of /slurmdb/, in slurmrestd's
// order.
var historyMembers = []historyField{
	{"account", seen(func(v stored) string { return v.account })},
	{"comment", seen(func(v stored) object {
		return object{{"administrator", ""}, {"job", textIf(v.recorded.comment, v.comment)}, {"system", ""}}
	})},
	{"allocation_nodes", seen(func(v stored) int { return len(v.holds()) })},
	{"array", seen(stored.arrayObject)},
	{"association", (*Server).association},
	{"block", fixed("")},
	{"cluster", func(s *Server, _ stored) any { return s.set.cluster }},
	{"constraints", seen(func(v stored) string { return v.constraints })},
	{"container", fixed("")},
	{"derived_exit_code", seen(stored.derivedExit)},
	{"time", seen(stored.times)},
	{"exit_code", seen(stored.exitCode)},
	{"extra", seen(func(v stored) string { return textIf(v.recorded.extra, v.extra) })},
	{"failed_node", seen(stored.failedNode)},
	{"flags", seen(stored.flags)},
	{"group", seen(func(v stored) string { return v.user })},
	{"het", seen(stored.hetObject)},
	{"job_id", seen(func(v stored) int64 { return v.id })},
	{"name", seen(stored.jobName)},
	{"licenses", seen(func(v stored) string { return v.licenses })},
	{"mcs", seen(func(v stored) object { return object{{"label", v.label}} })},
	{"nodes", seen(stored.nodeList)},
	{"partition", seen(func(v stored) string { return v.partitionName() })},
	{"hold", seen(func(v stored) bool { return v.bornHeld })},
	{"priority", seen(stored.firstPriority)},
	{"qos", seen(func(v stored) string { return v.qos })},
	{"qosreq", fixed("")},
	{"required", func(s *Server, v stored) any {
		return object{
			{"CPUs", s.shapeOf(v.job).cpus}, {"memory_per_cpu", v.memPerCPU}, {"memory_per_node", v.memPerNode},
		}
	}},
	{"kill_request_user", seen(stored.killer)},
	{"restart_cnt", seen(func(v stored) int { return v.restarts })},
	{"reservation", seen(func(v stored) object { return object{{"id", 0}, {"name", v.reservation}} })},
	{"script", fixed("")},
	{"stdin_expanded", seen(func(v stored) string { return v.ifGiven(v.stdin, v.expanded) })},
	{"stdout_expanded", seen(func(v stored) string { return v.expanded(v.stdout) })},
	{"stderr_expanded", seen(func(v stored) string { return v.ifGiven(v.stderr, v.expanded) })},
	{"stdout", seen(func(v stored) string { return v.pattern(v.stdout) })},
	{"stderr", seen(func(v stored) string { return v.ifGiven(v.stderr, v.pattern) })},
	{"stdin", seen(func(v stored) string { return v.ifGiven(v.stdin, v.pattern) })},
	{"state", seen(func(v stored) object { return object{{"current", v.current()}, {"reason", v.reasonText()}} })},
	{"steps", seen(stored.steps)},
	{"submit_line", fixed("")},
	{"tres", func(s *Server, v stored) any { return s.tres(v) }},
	{"used_gres", fixed("")},
	{"user", seen(func(v stored) string { return v.user })},
	{"wckey", seen(func(v stored) object { return object{{"wckey", v.wckey}, {"flags", []string{}}} })},
	{"working_directory", seen(func(v stored) string { return v.cwd })},
}

// historyRecord is the record of one job, with its steps if wanted.
func (s *Server) historyRecord(v stored, steps bool) object {
	record := make(object, 0, len(historyMembers))
	for _, f := range historyMembers {
		content := f.value(s, v)
		if f.name == "steps" && !steps {
			content = []object{}
		}
		record = append(record, member{f.name, content})
	}
	return record
}

func textIf(known bool, text string) string {
	if !known {
		return ""
	}
	return text
}

func (s *Server) association(v stored) any {
	return object{
		{"account", v.account}, {"cluster", s.set.cluster}, {"partition", ""}, {"user", v.user}, {"id", 5},
	}
}

// firstPriority is the one that accounting was first told.
func (v stored) firstPriority() wrapped {
	if v.bornHeld {
		return number(0)
	}
	return number(1)
}

func (v stored) jobName() string {
	if v.name == "" {
		return "allocation"
	}
	return v.name
}

// holds are the nodes of the attempt, in this view.
func (v stored) holds() []string {
	if !v.placedYet() {
		return nil
	}
	return v.nodeNames()
}

func (v stored) nodeList() string {
	if !v.placedYet() {
		return "None assigned"
	}
	return joinHosts(v.nodeNames())
}

func (v stored) failedNode() string {
	if !v.finished || v.state != stateNodeFail {
		return ""
	}
	return v.batchHost()
}

func (v stored) killer() string {
	if !v.finished {
		return ""
	}
	return v.killedBy
}

// ifGiven applies f to an output file that was asked for.
func (v stored) ifGiven(text string, f func(string) string) string {
	if text == "" {
		return ""
	}
	return f(text)
}

// pattern is an output file as it was given, made absolute.
func (j *job) pattern(text string) string {
	if text == "" {
		text = j.defaultOutput()
	}
	if text[0] == '/' {
		return text
	}
	return j.cwd + "/" + text
}

// expanded is the pattern with its parts filled in. Accounting puts a relative
// working directory in front once more, and without a slash.
func (j *job) expanded(text string) string {
	path := j.path(text)
	if path[0] != '/' {
		return j.cwd + path
	}
	return path
}

package slurmtest

import (
	"slices"
	"strings"
	"time"
)

// liveField is one member of a live record. Its value is worked out from the
// job, or is what every job of this server has.
type liveField struct {
	name  string
	value func(*Server, *job) any
}

func always(v any) func(*Server, *job) any { return func(*Server, *job) any { return v } }

func of[T any](f func(*job) T) func(*Server, *job) any {
	return func(_ *Server, j *job) any { return f(j) }
}

// liveFields are the members of a record, in slurmrestd's order: the 128 of
// v0.0.42, which are always present, and a few of older versions.
var liveFields = []liveField{
	{"account", of(func(j *job) string { return j.account })},
	{"accrue_time", of((*job).accrued)},
	{"admin_comment", always("")},
	{"allocating_node", always("localhost")},
	{"array_job_id", of((*job).arrayID)},
	{"array_task_id", of((*job).arrayTask)},
	{"array_max_tasks", of(func(j *job) wrapped { return number(j.arrayLimit()) })},
	{"array_task_string", of((*job).taskString)},
	{"association_id", always(5)},
	{"batch_features", askedText("batch_features")},
	{"batch_flag", always(true)},
	{"batch_host", of((*job).batchHost)},
	{"flags", of((*job).flagList)},
	{"burst_buffer", askedText("burst_buffer")},
	{"burst_buffer_state", always("")},
	{"cluster", func(s *Server, _ *job) any { return s.set.cluster }},
	{"cluster_features", always("")},
	{"command", of((*job).command)},
	{"comment", of(func(j *job) string { return j.comment })},
	{"container", askedText("container")},
	{"container_id", askedText("container_id")},
	{"contiguous", askedYes("contiguous")},
	{"core_spec", always(0)},
	{"thread_spec", always(32766)},
	{"cores_per_socket", always(unset)},
	{"billable_tres", of((*job).billable)},
	{"cpus_per_task", of(func(j *job) wrapped { return number(j.cpusPerTask) })},
	{"cpu_frequency_minimum", always(unset)},
	{"cpu_frequency_maximum", always(unset)},
	{"cpu_frequency_governor", always(unset)},
	{"cpus_per_tres", askedText("cpus_per_tres")},
	{"cron", always("")},
	{"deadline", of(func(j *job) wrapped { return moment(j.deadline) })},
	{"delay_boot", askedCount("delay_boot", number(0))},
	{"dependency", (*Server).dependencyValue},
	{"derived_exit_code", always(exitObject(exit{}))},
	{"eligible_time", of((*job).eligibleTime)},
	{"end_time", of((*job).endTime)},
	{"excluded_nodes", of(func(j *job) string { return joinHosts(j.excluded) })},
	{"exit_code", of((*job).exitCode)},
	{"extra", of(func(j *job) string { return j.extra })},
	{"failed_node", of((*job).failedNode)},
	{"features", of(func(j *job) string { return j.constraints })},
	{"federation_origin", always("")},
	{"federation_siblings_active", always("")},
	{"federation_siblings_viable", always("")},
	{"gres_detail", of((*job).gresDetail)},
	{"group_id", func(s *Server, j *job) any { return s.uid(j.user) }},
	{"group_name", of(func(j *job) string { return j.user })},
	{"het_job_id", of(func(j *job) wrapped { return number(j.hetID()) })},
	{"het_job_id_set", of((*job).hetSet)},
	{"het_job_offset", of(func(j *job) wrapped { return number(j.offset) })},
	{"job_id", of(func(j *job) int64 { return j.id })},
	{"job_resources", of((*job).resources)},
	{"job_size_str", of((*job).sizes)},
	{"job_state", of((*job).states)},
	{"last_sched_evaluation", of(func(j *job) wrapped { return moment(j.lastLook) })},
	{"licenses", of(func(j *job) string { return j.licenses })},
	{"mail_type", of(func(j *job) []string { return j.mailType })},
	{"mail_user", of((*job).mailAddress)},
	{"max_cpus", always(number(0))},
	{"max_nodes", of((*job).mostNodes)},
	{"mcs_label", of(func(j *job) string { return j.label })},
	{"memory_per_tres", askedText("memory_per_tres")},
	{"name", of(func(j *job) string { return j.name })},
	{"network", askedText("network")},
	{"nodes", of(func(j *job) string { return joinHosts(j.nodeNames()) })},
	{"nice", of(func(j *job) int64 { return j.nice })},
	{"tasks_per_core", askedCount("tasks_per_core", infinite)},
	{"tasks_per_tres", askedCount("ntasks_per_tres", number(0))},
	{"tasks_per_node", of(func(j *job) wrapped { return number(j.tasksPerNode) })},
	{"tasks_per_socket", askedCount("tasks_per_socket", infinite)},
	{"tasks_per_board", always(number(0))},
	{"cpus", func(s *Server, j *job) any { return number(s.cpuCount(j)) }},
	{"node_count", func(s *Server, j *job) any { return number(s.nodeCount(j)) }},
	{"tasks", (*Server).taskCount},
	{"partition", of((*job).partitionName)},
	{"prefer", askedText("prefer")},
	{"memory_per_cpu", of(func(j *job) wrapped { return j.memPerCPU })},
	{"memory_per_node", of(func(j *job) wrapped { return j.memPerNode })},
	{"minimum_cpus_per_node", of((*job).leastCPUs)},
	{"minimum_tmp_disk_per_node", always(number(0))},
	{"power", always(object{{"flags", []string{}}})},
	{"preempt_time", of((*job).preemptTime)},
	{"preemptable_time", of((*job).preemptableTime)},
	{"pre_sus_time", always(number(0))},
	{"hold", of(func(j *job) bool { return j.held })},
	{"priority", of((*job).priority)},
	{"priority_by_partition", always([]string{})},
	{"profile", of((*job).profile)},
	{"qos", of(func(j *job) string { return j.qos })},
	{"reboot", always(false)},
	{"required_nodes", of(func(j *job) string { return joinHosts(j.required) })},
	{"required_switches", of(func(j *job) int64 { return j.switches })},
	{"minimum_switches", of(func(j *job) int64 { return j.switches })},
	{"requeue", of(func(j *job) bool { return j.spec.requeue })},
	{"resize_time", always(number(0))},
	{"restart_cnt", of(func(j *job) int { return j.restarts })},
	{"resv_name", of(func(j *job) string { return j.reservation })},
	{"scheduled_nodes", always("")},
	{"selinux_context", askedText("selinux_context")},
	{"shared", of(func(j *job) []string { return j.shared })},
	{"exclusive", of((*job).oldExclusive)},
	{"oversubscribe", of(func(j *job) bool { return !j.exclusive() })},
	{"show_flags", always([]string{})},
	{"sockets_per_board", always(0)},
	{"sockets_per_node", askedCount("sockets_per_node", unset)},
	{"start_time", of((*job).startTime)},
	{"state_description", of(func(j *job) string { return j.description })},
	{"state_reason", of(func(j *job) string { return j.reason })},
	{"standard_error", of((*job).stderrPath)},
	{"standard_input", of((*job).stdinPath)},
	{"standard_output", of((*job).stdoutPath)},
	{"submit_time", of(func(j *job) wrapped { return moment(j.submit) })},
	{"suspend_time", of(func(j *job) wrapped { return moment(j.suspended) })},
	{"system_comment", always("")},
	{"time_limit", of(func(j *job) wrapped { return j.timeLimit })},
	{"time_minimum", of(func(j *job) wrapped { return number(j.timeMinimum) })},
	{"threads_per_core", askedCount("threads_per_core", unset)},
	{"tres_bind", askedText("tres_bind")},
	{"tres_freq", askedText("tres_freq")},
	{"tres_per_job", of(func(j *job) string { return j.tresPerJob })},
	{"tres_per_node", of(func(j *job) string { return j.tresPerNode })},
	{"tres_per_socket", of(func(j *job) string { return j.tresPerSocket })},
	{"tres_per_task", of(func(j *job) string { return j.tresPerTask })},
	{"tres_req_str", func(s *Server, j *job) any { return s.tresRequested(j) }},
	{"tres_alloc_str", of((*job).tresAllocated)},
	{"user_id", func(s *Server, j *job) any { return s.uid(j.user) }},
	{"user_name", of(func(j *job) string { return j.user })},
	{"maximum_switch_wait_time", of((*job).switchWait)},
	{"wckey", of(func(j *job) string { return j.wckey })},
	{"current_working_directory", of(func(j *job) string { return j.cwd })},
}

// live is the record of a job in the queue. Without detail the two members
// about allocated cores and GPUs are empty.
func (s *Server) live(j *job, detail bool) object {
	record := make(object, 0, len(liveFields))
	for _, f := range liveFields {
		v := f.value(s, j)
		if !detail && f.name == "job_resources" {
			v = nil
		}
		if !detail && f.name == "gres_detail" {
			v = []string{}
		}
		record = append(record, member{f.name, v})
	}
	return record
}

// flagList is in the order of Slurm's own table.
func (j *job) flagList() []string {
	set := slices.DeleteFunc(slices.Clone(j.flags), func(name string) bool { return name == "STEPMGR_ENABLED" }) // is not set up
	add := func(name string, is bool) {
		if is {
			set = append(set, name)
		}
	}
	add("SKIP_TRES_STRING_ACCOUNTING", j.lostNode)
	add("ACCRUE_COUNT_CLEARED", (j.ran || j.throttled()) && j.state != statePending || j.requeuing)
	add("EXACT_TASK_COUNT_REQUESTED", j.spec.tasks > 0)
	add("EXACT_MEMORY_REQUESTED", j.exactMemory)
	add("JOB_WAS_RUNNING", j.state == stateRunning || j.state == stateSuspended)
	add("USING_DEFAULT_ACCOUNT", j.byDefault.account)
	add("USING_DEFAULT_PARTITION", j.byDefault.partition)
	add("USING_DEFAULT_QOS", j.byDefault.qos)
	add("USING_DEFAULT_WCKEY", j.wckey == "")
	add("DEPENDENT", !j.ran && j.eligible.IsZero() && !j.badLimits)
	var list []string
	for _, name := range strings.Fields(flagWords) {
		if slices.Contains(set, name) {
			list = append(list, name)
		}
	}
	return list
}

func (s *Server) dependencyValue(j *job) any { return s.dependencyText(j) }

// accrued is since when the job's priority grows, which it does not for what
// it has to wait for anyway.
func (j *job) accrued() wrapped {
	if j.ran && j.state != statePending {
		return moment(j.accrue)
	}
	unseen := j.reason == "None" && !j.terminal() && !j.completing // by the scheduler
	if unseen || j.held || slices.Contains([]string{"BeginTime", "PartitionDown", "ReqNodeNotAvail"}, j.reason) {
		return number(0)
	}
	return moment(j.eligible)
}

// eligibleTime of an array's rest is 0 while its throttle holds it back.
func (j *job) eligibleTime() wrapped {
	if j.throttled() {
		return number(0)
	}
	return moment(j.eligible)
}

// mostNodes is 0 once the job has started, and 1 if nobody could have started it
// and it left the number to Slurm.
func (j *job) mostNodes() wrapped {
	switch {
	case j.ran:
		return number(0)
	case (j.bornHeld || j.reason == "ReqNodeNotAvail") && j.maxNodes == 0 && !j.laidOut():
		return number(max(j.minNodes, 1))
	}
	return number(j.maxNodes)
}

// taskCount of a job that ended without a start is what it asked for.
func (s *Server) taskCount(j *job) any {
	if j.terminal() && !j.ran && j.spec.tasksWanted() == 0 {
		return unset
	}
	return number(s.shapeOf(j).tasks)
}

func (j *job) throttled() bool {
	if j.state == statePending {
		return j.isRest() && j.reason == "JobArrayTaskLimit"
	}
	return j.isRest() && j.waited == "JobArrayTaskLimit"
}

// awaitsTime is true for a job with a begin time to come, held or not.
func (j *job) awaitsTime() bool {
	toCome := j.reason == "BeginTime" || j.held && !j.begin.IsZero() && j.begin.Equal(j.eligible)
	return j.state == statePending && toCome
}

// startTime is a forecast while only a begin time is waited for.
func (j *job) startTime() wrapped {
	if j.awaitsTime() {
		return moment(j.begin)
	}
	return moment(j.start)
}

// endTime of a job that has not ended is a forecast: start and time limit.
func (j *job) endTime() wrapped {
	start := j.start
	if j.awaitsTime() {
		start = j.begin
	}
	if !j.end.IsZero() || start.IsZero() || j.terminal() {
		return moment(j.end)
	}
	span, ok := j.spec.limit()
	if !ok {
		span = 365 * 24 * time.Hour // what Slurm takes for no limit
	}
	return moment(start.Add(span))
}

func (j *job) preemptTime() wrapped {
	if j.state != statePreempted {
		return number(0)
	}
	return moment(j.end)
}

func (j *job) preemptableTime() wrapped {
	if j.state != statePreempted {
		return number(0)
	}
	return moment(j.start)
}

func (j *job) priority() wrapped {
	if j.held {
		return number(0)
	}
	return number(1)
}

func (j *job) mailAddress() string {
	if j.mailUser != "" {
		return j.mailUser
	}
	return j.user
}

func (j *job) command() string {
	if len(j.argv) == 0 {
		return ""
	}
	return j.argv[0]
}

func (j *job) batchHost() string {
	if len(j.allocation) == 0 {
		return ""
	}
	return j.allocation[0].node.Name
}

func (j *job) failedNode() string {
	if j.state != stateNodeFail {
		return ""
	}
	return j.batchHost()
}

func (j *job) arrayID() wrapped {
	if j.array == nil {
		return number(0)
	}
	return number(j.array.id)
}

func (j *job) arrayTask() wrapped {
	if j.array == nil || j.task < 0 {
		return unset
	}
	return number(j.task)
}

func (j *job) arrayLimit() int64 {
	if j.array == nil {
		return 0
	}
	return j.array.limit
}

func (j *job) hetID() int64 {
	if j.het == nil {
		return 0
	}
	return j.het.components[0].id
}

package slurm

import (
	"slices"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// liveMembers is the layout of a job in the live queue, for the API versions v0.0.40 to v0.0.42.
var liveMembers = sync.OnceValue(func() table[Job] {
	return table[Job]{
		"job_id":            asJobNumber(func(j *Job) *int64 { return &j.RawID }),
		"array_job_id":      asJobID(func(j *Job) *JobID { return &j.ArrayJobID }),
		"array_task_id":     asIndex(func(j *Job) (*int64, *bool) { return &j.ArrayTaskID, &j.IsArrayTask }),
		"array_task_string": asText(func(j *Job) *string { return &j.ArrayTasks }),
		"array_max_tasks":   asCount(func(j *Job) *int { return &j.ArrayMaxTasks }),
		"het_job_id":        asJobID(func(j *Job) *JobID { return &j.HetJobID }),
		"het_job_offset":    asOffset(func(j *Job) *int64 { return &j.HetOffset }),

		"name":       asText(func(j *Job) *string { return &j.Name }),
		"user_name":  asText(func(j *Job) *string { return &j.User }),
		"user_id":    asExact(func(j *Job) *int64 { return &j.UserID }),
		"group_name": asText(func(j *Job) *string { return &j.Group }),
		"group_id":   asExact(func(j *Job) *int64 { return &j.GroupID }),
		"account":    asText(func(j *Job) *string { return &j.Account }),
		"partition":  asText(func(j *Job) *string { return &j.Partition }),
		"qos":        asText(func(j *Job) *string { return &j.QOS }),
		"resv_name":  asText(func(j *Job) *string { return &j.Reservation }),
		"wckey":      asText(func(j *Job) *string { return &j.WCKey }),
		"cluster":    asText(func(j *Job) *string { return &j.Cluster }),

		"job_state":         asState(),
		"state_reason":      asText(func(j *Job) *string { return &j.Reason }),
		"state_description": asText(func(j *Job) *string { return &j.ReasonDetail }),
		"hold":              asBool(func(j *Job) *bool { return &j.Hold }),
		"priority":          asExact(func(j *Job) *int64 { return &j.Priority }),
		"nice":              asExact(func(j *Job) *int64 { return &j.Nice }),
		"exit_code":         asExitCode(func(j *Job) *ExitCode { return &j.ExitCode }),
		"derived_exit_code": asExitCode(func(j *Job) *ExitCode { return &j.DerivedExitCode }),
		"restart_cnt":       asCount(func(j *Job) *int { return &j.RestartCount }),
		"requeue":           plain(readRequeue),

		"submit_time":   asTime(func(j *Job) *time.Time { return &j.SubmitTime }),
		"eligible_time": asTime(func(j *Job) *time.Time { return &j.EligibleTime }),
		"start_time":    asTime(func(j *Job) *time.Time { return &j.StartTime }),
		"end_time":      asTime(func(j *Job) *time.Time { return &j.EndTime }),
		"deadline":      asTime(func(j *Job) *time.Time { return &j.Deadline }),
		"time_limit":    asTimeLimit(),
		"time_minimum":  asSpan(time.Minute, func(j *Job) *time.Duration { return &j.TimeMinimum }),

		"nodes":           asNodes(func(j *Job) *string { return &j.Nodes }),
		"node_count":      asCount(func(j *Job) *int { return &j.NodeCount }),
		"batch_host":      asText(func(j *Job) *string { return &j.BatchHost }),
		"scheduled_nodes": asText(func(j *Job) *string { return &j.ScheduledNodes }),
		"required_nodes":  asText(func(j *Job) *string { return &j.RequiredNodes }),
		"excluded_nodes":  asText(func(j *Job) *string { return &j.ExcludedNodes }),
		"failed_node":     asText(func(j *Job) *string { return &j.FailedNode }),
		"cpus":            asCount(func(j *Job) *int { return &j.CPUs }),
		"tasks":           asCount(func(j *Job) *int { return &j.Tasks }),
		"tasks_per_node":  asCount(func(j *Job) *int { return &j.TasksPerNode }),
		"cpus_per_task":   asCount(func(j *Job) *int { return &j.CPUsPerTask }),
		"memory_per_node": asMemory(func(j *Job) *int64 { return &j.MemoryPerNode }),
		"memory_per_cpu":  asMemory(func(j *Job) *int64 { return &j.MemoryPerCPU }),
		"tres_req_str":    asResources(func(j *Job) *Resources { return &j.Requested }),
		"tres_alloc_str":  asResources(func(j *Job) *Resources { return &j.Allocated }),
		"tres_per_node":   asText(func(j *Job) *string { return &j.TRESPerNode }),
		"tres_per_job":    asText(func(j *Job) *string { return &j.TRESPerJob }),
		"tres_per_task":   asText(func(j *Job) *string { return &j.TRESPerTask }),
		"features":        asText(func(j *Job) *string { return &j.Constraints }),
		"licenses":        asText(func(j *Job) *string { return &j.Licenses }),
		"dependency":      asText(func(j *Job) *string { return &j.Dependency }),

		"current_working_directory": asText(func(j *Job) *string { return &j.WorkDir }),
		"command":                   asText(func(j *Job) *string { return &j.Command }),
		"standard_input":            asText(func(j *Job) *string { return &j.StandardInput }),
		"standard_output":           asPath(func(j *Job) *string { return &j.StandardOutput }),
		"standard_error":            asPath(func(j *Job) *string { return &j.StandardError }),
		"mail_user":                 asText(func(j *Job) *string { return &j.MailUser }),
		"mail_type":                 asWords(func(j *Job) *[]string { return &j.MailTypes }),
		"comment":                   anew(readComment), // which may bring those of the next two
		"admin_comment":             anew(asText(func(j *Job) *string { return &j.AdminComment }).read),
		"system_comment":            anew(asText(func(j *Job) *string { return &j.SystemComment }).read),
		"extra":                     anew(readExtra),
		"mcs_label":                 anew(readLabel),
	}
})

func asState() member[Job] {
	return member[Job]{read: readState, own: func(j *Job) { j.Flags = slices.Clone(j.Flags) }}
}

func readState(d *decoder, j *Job, raw []byte) (err error) {
	j.State, j.Flags, err = d.state(raw)
	return err
}

// readRequeue also notes that the member was there: without it, nobody knows whether the job may be requeued.
func readRequeue(_ *decoder, j *Job, raw []byte) (err error) {
	j.Requeue, err = readBool(raw)
	j.neverRequeued = err == nil && !emptyValue(raw) && !j.Requeue
	return err
}

// commentMembers is the layout of "comment" in the accounting.
var commentMembers = sync.OnceValue(func() inner[Job] {
	return inner[Job]{
		{"job", asText(func(j *Job) *string { return &j.Comment })},
		{"administrator", asText(func(j *Job) *string { return &j.AdminComment })},
		{"system", asText(func(j *Job) *string { return &j.SystemComment })},
	}
})

// readComment reads the comment in either form: a text in the queue, three of them in the accounting.
func readComment(d *decoder, j *Job, raw []byte) (err error) {
	if jsonx.KindOf(raw) == jsonx.KindObject {
		_, err := commentMembers().add(d, j, raw)
		return err
	}
	j.Comment, err = d.text(raw)
	return err
}

// decodeLiveJobs reads the jobs of an answer of the live queue: see [decodeJobs].
func decodeLiveJobs(r *reply) ([]*Job, error) { return decodeJobs(r, (*decoder).liveJob) }

// liveJob reads one job of the live queue. Job.Raw is the record itself.
func (d *decoder) liveJob(record *jsonx.Object) *Job {
	job := new(Job)
	d.live.read(d, record, liveMembers(), job, job.odd)
	job.Source, job.Raw = SourceQueue, record.Raw
	job.settle()
	return job
}

// liveSketch reads of a job what a filter of a list looks at.
func (d *decoder) liveSketch(job *Job, record *jsonx.Object) {
	d.sketch.read(d, record, filterMembers(), job, job.odd)
}

// filterMembers are the members that a filter of a list looks at: what it drops is not read any further.
var filterMembers = sync.OnceValue(func() table[Job] {
	all := liveMembers()
	return table[Job]{
		"name":        all["name"],
		"user_name":   all["user_name"],
		"account":     all["account"],
		"partition":   all["partition"],
		"job_state":   all["job_state"],
		"submit_time": all["submit_time"],
	}
})

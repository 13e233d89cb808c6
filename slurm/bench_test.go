package slurm

import (
	"encoding/json"
	"testing"
)

// BenchmarkList decodes the recorded list of 2,000 live jobs, 9.4 MB: validation included.
func BenchmarkList(b *testing.B) {
	rec := recording{Status: 200, Body: unzip(b, "jobs-2000.json.gz")}
	resp := rec.response()
	b.SetBytes(int64(len(rec.Body)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := readReply("list jobs", get("/slurm/v0.0.42/jobs/"), resp)
		if err != nil {
			b.Fatal(err)
		}
		if jobs, err := decodeLiveJobs(r); err != nil || len(jobs) != 2000 {
			b.Fatal(len(jobs), err)
		}
	}
}

// BenchmarkListEncodingJSON is what the same fields cost by way of structs and encoding/json.
func BenchmarkListEncodingJSON(b *testing.B) {
	body := unzip(b, "jobs-2000.json.gz")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var list struct{ Jobs []plainJob }
		if err := json.Unmarshal(body, &list); err != nil || len(list.Jobs) != 2000 {
			b.Fatal(len(list.Jobs), err)
		}
	}
}

// BenchmarkHistory decodes the recorded history of 2,000 jobs with their steps, 7.4 MB.
func BenchmarkHistory(b *testing.B) {
	rec := recording{Status: 200, Body: unzip(b, "slurmdb-jobs-2000.json.gz")}
	resp := rec.response()
	b.SetBytes(int64(len(rec.Body)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := readReply("list history", get("/slurmdb/v0.0.42/jobs/"), resp)
		if err != nil {
			b.Fatal(err)
		}
		if jobs, err := decodeHistoryJobs(r); err != nil || len(jobs) != 2000 {
			b.Fatal(len(jobs), err)
		}
	}
}

type wrapper struct {
	Set, Infinite bool
	Number        int64
}

type plainExit struct {
	Status     []string
	ReturnCode wrapper `json:"return_code"`
	Signal     struct {
		ID   wrapper
		Name string
	}
}

// plainJob has a member for each of those that Job reads, in Slurm's own shape.
type plainJob struct {
	JobID           int64     `json:"job_id"`
	ArrayJobID      wrapper   `json:"array_job_id"`
	ArrayTaskID     wrapper   `json:"array_task_id"`
	ArrayTaskString string    `json:"array_task_string"`
	ArrayMaxTasks   wrapper   `json:"array_max_tasks"`
	HetJobID        wrapper   `json:"het_job_id"`
	HetJobOffset    wrapper   `json:"het_job_offset"`
	Name            string    `json:"name"`
	UserName        string    `json:"user_name"`
	UserID          int64     `json:"user_id"`
	GroupName       string    `json:"group_name"`
	GroupID         int64     `json:"group_id"`
	Account         string    `json:"account"`
	Partition       string    `json:"partition"`
	QOS             string    `json:"qos"`
	ResvName        string    `json:"resv_name"`
	WCKey           string    `json:"wckey"`
	Cluster         string    `json:"cluster"`
	JobState        []string  `json:"job_state"`
	StateReason     string    `json:"state_reason"`
	StateDesc       string    `json:"state_description"`
	Hold            bool      `json:"hold"`
	Priority        wrapper   `json:"priority"`
	Nice            int64     `json:"nice"`
	ExitCode        plainExit `json:"exit_code"`
	DerivedExitCode plainExit `json:"derived_exit_code"`
	RestartCount    int64     `json:"restart_cnt"`
	Requeue         bool      `json:"requeue"`
	SubmitTime      wrapper   `json:"submit_time"`
	EligibleTime    wrapper   `json:"eligible_time"`
	StartTime       wrapper   `json:"start_time"`
	EndTime         wrapper   `json:"end_time"`
	Deadline        wrapper   `json:"deadline"`
	TimeLimit       wrapper   `json:"time_limit"`
	TimeMinimum     wrapper   `json:"time_minimum"`
	Nodes           string    `json:"nodes"`
	NodeCount       wrapper   `json:"node_count"`
	BatchHost       string    `json:"batch_host"`
	ScheduledNodes  string    `json:"scheduled_nodes"`
	RequiredNodes   string    `json:"required_nodes"`
	ExcludedNodes   string    `json:"excluded_nodes"`
	FailedNode      string    `json:"failed_node"`
	CPUs            wrapper   `json:"cpus"`
	Tasks           wrapper   `json:"tasks"`
	TasksPerNode    wrapper   `json:"tasks_per_node"`
	CPUsPerTask     wrapper   `json:"cpus_per_task"`
	MemoryPerNode   wrapper   `json:"memory_per_node"`
	MemoryPerCPU    wrapper   `json:"memory_per_cpu"`
	TRESReq         string    `json:"tres_req_str"`
	TRESAlloc       string    `json:"tres_alloc_str"`
	TRESPerNode     string    `json:"tres_per_node"`
	TRESPerJob      string    `json:"tres_per_job"`
	TRESPerTask     string    `json:"tres_per_task"`
	Features        string    `json:"features"`
	Licenses        string    `json:"licenses"`
	Dependency      string    `json:"dependency"`
	WorkDir         string    `json:"current_working_directory"`
	Command         string    `json:"command"`
	StandardInput   string    `json:"standard_input"`
	StandardOutput  string    `json:"standard_output"`
	StandardError   string    `json:"standard_error"`
	MailUser        string    `json:"mail_user"`
	MailType        []string  `json:"mail_type"`
	Comment         string    `json:"comment"`
	AdminComment    string    `json:"admin_comment"`
	SystemComment   string    `json:"system_comment"`
	Extra           string    `json:"extra"`
}

package bench

// The types below are those that a careful user writes for the queue: the members that slurm.Job is made of and no
// others, in Slurm's own shapes. They are what the decoders of general use are given.

// liveList is the answer to a list of the queue.
type liveList struct {
	Jobs       []liveJob `json:"jobs"`
	LastUpdate number    `json:"last_update"`
	Errors     []problem `json:"errors"`
	Warnings   []problem `json:"warnings"`
}

// number is how Slurm writes one that may be missing or without limit.
type number struct {
	Set      bool  `json:"set"`
	Infinite bool  `json:"infinite"`
	Number   int64 `json:"number"`
}

type problem struct {
	Description string `json:"description"`
	Number      int64  `json:"error_number"`
	Error       string `json:"error"`
	Source      string `json:"source"`
}

type exitCode struct {
	Status     []string `json:"status"`
	ReturnCode number   `json:"return_code"`
	Signal     struct {
		ID   number `json:"id"`
		Name string `json:"name"`
	} `json:"signal"`
}

type liveJob struct {
	JobID           int64  `json:"job_id"`
	ArrayJobID      number `json:"array_job_id"`
	ArrayTaskID     number `json:"array_task_id"`
	ArrayTaskString string `json:"array_task_string"`
	ArrayMaxTasks   number `json:"array_max_tasks"`
	HetJobID        number `json:"het_job_id"`
	HetJobOffset    number `json:"het_job_offset"`

	Name      string `json:"name"`
	UserName  string `json:"user_name"`
	UserID    int64  `json:"user_id"`
	GroupName string `json:"group_name"`
	GroupID   int64  `json:"group_id"`
	Account   string `json:"account"`
	Partition string `json:"partition"`
	QOS       string `json:"qos"`
	ResvName  string `json:"resv_name"`
	WCKey     string `json:"wckey"`
	Cluster   string `json:"cluster"`

	JobState        []string `json:"job_state"`
	StateReason     string   `json:"state_reason"`
	StateDesc       string   `json:"state_description"`
	Hold            bool     `json:"hold"`
	Priority        number   `json:"priority"`
	Nice            int64    `json:"nice"`
	ExitCode        exitCode `json:"exit_code"`
	DerivedExitCode exitCode `json:"derived_exit_code"`
	RestartCount    int64    `json:"restart_cnt"`
	Requeue         bool     `json:"requeue"`

	SubmitTime   number `json:"submit_time"`
	EligibleTime number `json:"eligible_time"`
	StartTime    number `json:"start_time"`
	EndTime      number `json:"end_time"`
	Deadline     number `json:"deadline"`
	TimeLimit    number `json:"time_limit"`
	TimeMinimum  number `json:"time_minimum"`

	Nodes          string `json:"nodes"`
	NodeCount      number `json:"node_count"`
	BatchHost      string `json:"batch_host"`
	ScheduledNodes string `json:"scheduled_nodes"`
	RequiredNodes  string `json:"required_nodes"`
	ExcludedNodes  string `json:"excluded_nodes"`
	FailedNode     string `json:"failed_node"`
	CPUs           number `json:"cpus"`
	Tasks          number `json:"tasks"`
	TasksPerNode   number `json:"tasks_per_node"`
	CPUsPerTask    number `json:"cpus_per_task"`
	MemoryPerNode  number `json:"memory_per_node"`
	MemoryPerCPU   number `json:"memory_per_cpu"`
	TRESReq        string `json:"tres_req_str"`
	TRESAlloc      string `json:"tres_alloc_str"`
	TRESPerNode    string `json:"tres_per_node"`
	TRESPerJob     string `json:"tres_per_job"`
	TRESPerTask    string `json:"tres_per_task"`
	Features       string `json:"features"`
	Licenses       string `json:"licenses"`
	Dependency     string `json:"dependency"`

	WorkDir        string   `json:"current_working_directory"`
	Command        string   `json:"command"`
	StandardInput  string   `json:"standard_input"`
	StandardOutput string   `json:"standard_output"`
	StandardError  string   `json:"standard_error"`
	MailUser       string   `json:"mail_user"`
	MailType       []string `json:"mail_type"`
	Comment        string   `json:"comment"`
	AdminComment   string   `json:"admin_comment"`
	SystemComment  string   `json:"system_comment"`
	Extra          string   `json:"extra"`
	MCSLabel       string   `json:"mcs_label"`
}

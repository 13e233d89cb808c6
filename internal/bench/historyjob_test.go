package bench

// historyList is the answer to a list of the accounting, with the members that slurm.Job and slurm.Step are made of.
type historyList struct {
	Jobs     []historyJob `json:"jobs"`
	Errors   []problem    `json:"errors"`
	Warnings []problem    `json:"warnings"`
}

type historyJob struct {
	JobID int64 `json:"job_id"`
	Array struct {
		JobID  int64  `json:"job_id"`
		TaskID number `json:"task_id"`
		Task   string `json:"task"`
		Limits struct {
			Max struct {
				Running struct {
					Tasks int64 `json:"tasks"`
				} `json:"running"`
			} `json:"max"`
		} `json:"limits"`
	} `json:"array"`
	Het struct {
		JobID  int64  `json:"job_id"`
		Offset number `json:"job_offset"`
	} `json:"het"`

	Name        string `json:"name"`
	User        string `json:"user"`
	Group       string `json:"group"`
	Account     string `json:"account"`
	Partition   string `json:"partition"`
	QOS         string `json:"qos"`
	Reservation struct {
		Name string `json:"name"`
	} `json:"reservation"`
	WCKey struct {
		WCKey string `json:"wckey"`
	} `json:"wckey"`

	Cluster string `json:"cluster"`
	State   struct {
		Current []string `json:"current"`
		Reason  string   `json:"reason"`
	} `json:"state"`
	Hold            bool     `json:"hold"`
	Priority        number   `json:"priority"`
	ExitCode        exitCode `json:"exit_code"`
	DerivedExitCode exitCode `json:"derived_exit_code"`
	KillRequestUser string   `json:"kill_request_user"`
	RestartCount    int64    `json:"restart_cnt"`
	Time            struct {
		Submission int64   `json:"submission"`
		Eligible   int64   `json:"eligible"`
		Start      int64   `json:"start"`
		End        int64   `json:"end"`
		Elapsed    int64   `json:"elapsed"`
		Limit      number  `json:"limit"`
		Total      cpuTime `json:"total"`
		User       cpuTime `json:"user"`
		System     cpuTime `json:"system"`
	} `json:"time"`

	Nodes           string `json:"nodes"`
	AllocationNodes int64  `json:"allocation_nodes"`
	FailedNode      string `json:"failed_node"`
	Required        struct {
		MemoryPerNode number `json:"memory_per_node"`
		MemoryPerCPU  number `json:"memory_per_cpu"`
	} `json:"required"`
	TRES struct {
		Requested []tres `json:"requested"`
		Allocated []tres `json:"allocated"`
	} `json:"tres"`
	Constraints string `json:"constraints"`
	Licenses    string `json:"licenses"`

	WorkDir        string `json:"working_directory"`
	SubmitLine     string `json:"submit_line"`
	StdinExpanded  string `json:"stdin_expanded"`
	StdoutExpanded string `json:"stdout_expanded"`
	StderrExpanded string `json:"stderr_expanded"`
	Stdin          string `json:"stdin"`
	Stdout         string `json:"stdout"`
	Stderr         string `json:"stderr"`
	Comment        struct {
		Job           string `json:"job"`
		Administrator string `json:"administrator"`
		System        string `json:"system"`
	} `json:"comment"`
	Extra string `json:"extra"`
	MCS   struct {
		Label string `json:"label"`
	} `json:"mcs"`
	Steps []historyStep `json:"steps"`
}

type cpuTime struct {
	Seconds      int64 `json:"seconds"`
	Microseconds int64 `json:"microseconds"`
}

type tres struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	ID    int64  `json:"id"`
	Count int64  `json:"count"`
}

// peakTRES is the most or the least that a task used, and which task that was.
type peakTRES struct {
	tres
	Node string `json:"node"`
	Task int64  `json:"task"`
}

type taskUsage struct {
	Max     []peakTRES `json:"max"`
	Min     []peakTRES `json:"min"`
	Average []tres     `json:"average"`
	Total   []tres     `json:"total"`
}

type historyStep struct {
	Step struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"step"`
	State    []string `json:"state"`
	ExitCode exitCode `json:"exit_code"`
	Time     struct {
		Start   number  `json:"start"`
		End     number  `json:"end"`
		Elapsed int64   `json:"elapsed"`
		Total   cpuTime `json:"total"`
		User    cpuTime `json:"user"`
		System  cpuTime `json:"system"`
	} `json:"time"`
	Nodes struct {
		List []string `json:"list"`
	} `json:"nodes"`
	Tasks struct {
		Count int64 `json:"count"`
	} `json:"tasks"`
	KillRequestUser string `json:"kill_request_user"`
	TRES            struct {
		Allocated []tres    `json:"allocated"`
		Requested taskUsage `json:"requested"`
		Consumed  taskUsage `json:"consumed"`
	} `json:"tres"`
	Statistics struct {
		Energy struct {
			Consumed number `json:"consumed"`
		} `json:"energy"`
	} `json:"statistics"`
}

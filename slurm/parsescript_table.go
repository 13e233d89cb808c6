package slurm

import (
	"slices"
	"sync"
)

// Whether an option takes a value. That of an optional one must follow at once: --nice=5.
type argKind int

const (
	argNone argKind = iota
	argRequired
	argOptional
)

// scriptOption is an option of sbatch 24.11.
type scriptOption struct {
	name  string
	alias string // another name
	short byte
	arg   argKind
	// resource is for options that each component of a heterogeneous job has for itself.
	resource bool
	set      optionSetter
}

// optionSetter makes of a value what sbatch makes of it. The error says what is wrong with the value.
type optionSetter func(b *batch, value string) error

// scriptOptions are all that sbatch has. The table is made when the first script is read, and no sooner: most programs
// read none. It is filled in a function of its own, since an option's setter may look options up.
func scriptOptions() []scriptOption {
	scriptTable.once.Do(func() {
		scriptTable.options = slices.Concat(jobOptions(), placeOptions(), resourceOptions(), sbatchOwnOptions())
	})
	return scriptTable.options
}

var scriptTable struct {
	once    sync.Once
	options []scriptOption
}

// jobOptions are about the job as a whole.
func jobOptions() []scriptOption {
	return []scriptOption{
		{name: "account", short: 'A', arg: argRequired, set: text(func(s *JobSpec) *string { return &s.Account })},
		{name: "acctg-freq", arg: argRequired, set: extraText("account_gather_frequency")},
		{name: "array", short: 'a', arg: argRequired, set: setArray},
		{name: "bb", arg: argRequired, resource: true, set: extraText("burst_buffer")},
		{name: "begin", short: 'b', arg: argRequired, set: setBegin},
		{name: "chdir", short: 'D', arg: argRequired, set: setDirectory},
		{name: "cluster-constraint", arg: argRequired, set: extraText("cluster_constraint")},
		{name: "comment", arg: argRequired, set: text(func(s *JobSpec) *string { return &s.Comment })},
		{name: "container", arg: argRequired, set: extraText("container")},
		{name: "container-id", arg: argRequired, set: extraText("container_id")},
		{name: "context", arg: argRequired, set: extraText("selinux_context")},
		{name: "deadline", arg: argRequired, set: setDeadline},
		{name: "delay-boot", arg: argRequired, set: setDelayBoot},
		{name: "dependency", short: 'd', arg: argRequired, set: text(func(s *JobSpec) *string { return &s.Dependency })},
		{name: "error", short: 'e', arg: argRequired, set: file(func(s *JobSpec) *string { return &s.Stderr })},
		{name: "export", arg: argRequired, set: setExport},
		{name: "extra", arg: argRequired, set: extraText("extra")},
		{name: "get-user-env", arg: argOptional, set: setLogin},
		{name: "hold", short: 'H', set: func(b *batch, _ string) error { b.spec.Hold = true; return nil }},
		{name: "input", short: 'i', arg: argRequired, set: file(func(s *JobSpec) *string { return &s.Stdin })},
		{name: "job-name", short: 'J', arg: argRequired, set: text(func(s *JobSpec) *string { return &s.Name })},
		{name: "kill-on-invalid-dep", arg: argRequired, set: setKillInvalid},
		{name: "mail-type", arg: argRequired, resource: true, set: setMailType},
		{name: "mail-user", arg: argRequired, resource: true, set: text(func(s *JobSpec) *string { return &s.MailUser })},
		{name: "mcs-label", arg: argRequired, set: extraText("mcs_label")},
		{name: "nice", arg: argOptional, set: setNice},
		{name: "no-kill", short: 'k', arg: argOptional, set: setNoKill},
		{name: "no-requeue", set: func(b *batch, _ string) error { b.spec.Requeue = new(bool); return nil }},
		{name: "oom-kill-step", arg: argOptional, set: setOOMKill},
		{name: "open-mode", arg: argRequired, set: setOpenMode},
		{name: "output", short: 'o', arg: argRequired, set: file(func(s *JobSpec) *string { return &s.Stdout })},
		{name: "priority", arg: argRequired, set: setPriority},
		{name: "profile", arg: argRequired, set: setProfile},
		{name: "qos", short: 'q', arg: argRequired, set: text(func(s *JobSpec) *string { return &s.QOS })},
		{name: "requeue", set: func(b *batch, _ string) error { yes := true; b.spec.Requeue = &yes; return nil }},
		{name: "signal", arg: argRequired, set: setSignal},
		{name: "stepmgr", set: flag("STEPMGR_ENABLED")},
		{name: "time", short: 't', arg: argRequired, set: setTime},
		{name: "time-min", arg: argRequired, set: setTimeMin},
		{name: "wckey", arg: argRequired, set: text(func(s *JobSpec) *string { return &s.WCKey })},
	}
}

// placeOptions are about where a component runs.
func placeOptions() []scriptOption {
	return []scriptOption{
		{name: "batch", arg: argRequired, set: extraText("batch_features")},
		{name: "constraint", short: 'C', arg: argRequired, resource: true, set: text(func(s *JobSpec) *string { return &s.Constraints })},
		{name: "contiguous", resource: true, set: extraYes("contiguous")},
		{name: "distribution", short: 'm', arg: argRequired, resource: true, set: setDistribution},
		{name: "exclude", short: 'x', arg: argRequired, set: nodes("exclude", func(s *JobSpec) *[]string { return &s.ExcludedNodes })},
		{name: "exclusive", arg: argOptional, resource: true, set: setExclusive},
		{name: "licenses", short: 'L', arg: argRequired, resource: true, set: text(func(s *JobSpec) *string { return &s.Licenses })},
		{name: "network", arg: argRequired, resource: true, set: extraText("network")},
		{name: "nodelist", short: 'w', arg: argRequired, resource: true, set: nodes("nodelist", func(s *JobSpec) *[]string { return &s.RequiredNodes })},
		{name: "oversubscribe", short: 's', resource: true, set: shared("oversubscribe")},
		{name: "partition", short: 'p', arg: argRequired, resource: true, set: text(func(s *JobSpec) *string { return &s.Partition })},
		{name: "prefer", arg: argRequired, set: extraText("prefer")},
		{name: "reboot", set: extraYes("reboot")},
		{name: "reservation", arg: argRequired, set: text(func(s *JobSpec) *string { return &s.Reservation })},
		{name: "segment", arg: argRequired, resource: true, set: setSegment},
		{name: "spread-job", resource: true, set: flag("SPREAD_JOB")},
		{name: "switches", arg: argRequired, resource: true, set: setSwitches},
		{name: "use-min-nodes", resource: true, set: flag("PREFER_MINIMUM_NODE_COUNT")},
		{name: "wait-all-nodes", arg: argRequired, set: setWaitAllNodes},
	}
}

// resourceOptions are about how much a component gets.
func resourceOptions() []scriptOption {
	return []scriptOption{
		{name: "core-spec", short: 'S', arg: argRequired, resource: true, set: extraCount("core_specification", 0, maxCount16)},
		{name: "cores-per-socket", arg: argRequired, resource: true, set: setCoresPerSocket},
		{name: "cpu-freq", arg: argRequired, resource: true, set: extraText("cpu_frequency")},
		{name: "cpus-per-gpu", arg: argRequired, resource: true, set: setCPUsPerGPU},
		{name: "cpus-per-task", short: 'c', arg: argRequired, resource: true, set: setCPUsPerTask},
		{name: "extra-node-info", short: 'B', arg: argRequired, resource: true, set: setExtraNodeInfo},
		{name: "gpu-bind", arg: argRequired, resource: true, set: setGPUBind},
		{name: "gpu-freq", arg: argRequired, resource: true, set: setGPUFreq},
		{name: "gpus", short: 'G', arg: argRequired, resource: true, set: keep(func(b *batch) *string { return &b.gpus })},
		{name: "gpus-per-node", arg: argRequired, resource: true, set: keep(func(b *batch) *string { return &b.gpusPerNode })},
		{name: "gpus-per-socket", arg: argRequired, resource: true, set: keep(func(b *batch) *string { return &b.gpusPerSocket })},
		{name: "gpus-per-task", arg: argRequired, resource: true, set: keep(func(b *batch) *string { return &b.gpusPerTask })},
		{name: "gres", arg: argRequired, resource: true, set: setGRES},
		{name: "gres-flags", arg: argRequired, resource: true, set: setGRESFlags},
		{name: "hint", arg: argRequired, resource: true, set: setHint},
		{name: "mem", arg: argRequired, set: setMemory},
		{name: "mem-bind", arg: argRequired, resource: true, set: setMemoryBind},
		{name: "mem-per-cpu", arg: argRequired, resource: true, set: setMemoryPerCPU},
		{name: "mem-per-gpu", arg: argRequired, resource: true, set: setMemoryPerGPU},
		{name: "mincpus", arg: argRequired, resource: true, set: setMinCPUs},
		{name: "nodes", short: 'N', arg: argRequired, resource: true, set: setNodes},
		{name: "ntasks", short: 'n', arg: argRequired, resource: true, set: setTasks},
		{name: "ntasks-per-core", arg: argRequired, resource: true, set: extraCountAs("tasks_per_core", "SLURM_NTASKS_PER_CORE")},
		{name: "ntasks-per-gpu", arg: argRequired, resource: true, set: extraCountAs("ntasks_per_tres", "SLURM_NTASKS_PER_GPU")},
		{name: "ntasks-per-node", alias: "tasks-per-node", arg: argRequired, resource: true, set: setTasksPerNode},
		{name: "ntasks-per-socket", arg: argRequired, resource: true, set: extraCountAs("tasks_per_socket", "SLURM_NTASKS_PER_SOCKET")},
		{name: "ntasks-per-tres", arg: argRequired, resource: true, set: extraCountAs("ntasks_per_tres", "SLURM_NTASKS_PER_TRES")},
		{name: "overcommit", short: 'O', resource: true, set: extraYes("overcommit")},
		{name: "sockets-per-node", arg: argRequired, resource: true, set: setSocketsPerNode},
		{name: "thread-spec", arg: argRequired, resource: true, set: extraCount("thread_specification", 1, maxCount16)},
		{name: "threads-per-core", arg: argRequired, resource: true, set: setThreadsPerCore},
		{name: "tmp", arg: argRequired, resource: true, set: setTmp},
		{name: "tres-bind", arg: argRequired, resource: true, set: extraText("tres_bind")},
		{name: "tres-per-task", arg: argRequired, resource: true, set: keep(func(b *batch) *string { return &b.tresPerTask })},
	}
}

// sbatchOwnOptions are what sbatch does itself. Those that it heeds on its command line only, and those about its own
// output, change nothing about the job.
func sbatchOwnOptions() []scriptOption {
	return []scriptOption{
		{name: "autocomplete", arg: argRequired, set: unsupported("sbatch would list its options and submit nothing")},
		{name: "bbf", arg: argRequired, set: unsupported("sbatch copies that file into the script: do so yourself")},
		{name: "cluster", arg: argRequired, set: unsupported("a client talks to one cluster: make one for the other")},
		{name: "clusters", short: 'M', arg: argRequired, set: unsupported("a client talks to one cluster: make one for each")},
		{name: "export-file", arg: argRequired, set: unsupported("sbatch reads that file where it is called: set Environment")},
		{name: "gid", arg: argRequired, set: unsupported("jobs run as the caller")},
		{name: "help", short: 'h', set: noEffect},
		{name: "ignore-pbs", set: noEffect},
		{name: "nodefile", short: 'F', arg: argRequired, resource: true, set: unsupported("sbatch reads that file where it is called: set RequiredNodes")},
		{name: "parsable", set: noEffect},
		{name: "propagate", arg: argOptional, set: unsupported("the limits would be those of sbatch's own process: call ulimit in the script")},
		{name: "quiet", short: 'Q', set: noEffect},
		{name: "resv-ports", arg: argOptional, resource: true, set: unsupported("no member of the API's job description says it")},
		{name: "test-only", set: unsupported("sbatch would submit nothing: do not submit the job")},
		{name: "uid", arg: argRequired, set: unsupported("jobs run as the caller")},
		{name: "usage", set: noEffect},
		{name: "verbose", short: 'v', set: noEffect},
		{name: "version", short: 'V', set: noEffect},
		{name: "wait", short: 'W', set: unsupported("call Client.Wait")},
		{name: "wrap", arg: argRequired, set: noEffect},
	}
}

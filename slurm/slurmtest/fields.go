package slurmtest

import (
	"maps"
	"strings"
)

// fieldType is what slurmrestd's parser makes of a request member.
type fieldType int

const (
	typeString fieldType = iota
	typeInt
	typeInt64
	typeBool
	typeStrings // a list of strings
	typeHosts   // a list of strings, or one string with commas
	typeNumber  // {set,infinite,number} or a plain number
	typeMemory  // the same, in MiB, or "2G"
	typeTime    // Unix seconds, "now+1hour", "2030-01-02T03:04:05"
	typeFlags   // a list of words from a fixed set
	typeFlagSet // such lists, one for each time the name is given
	typeAny     // taken and not looked at
)

type field struct {
	kind  fieldType
	words []string // of typeFlags
}

// jobFields are the members of a job description, of all versions.
var jobFields = makeFields(map[fieldType]string{
	typeString: `account account_gather_frequency admin_comment allocation_node_list array batch_features
		burst_buffer clusters cluster_constraint comment container container_id cpu_binding cpu_frequency
		cpus_per_tres dependency extra constraints group_id licenses mail_user mcs_label memory_binding
		memory_per_tres name network nodes partition prefer qos reservation script distribution tres_bind
		tres_freq tres_per_job tres_per_node tres_per_socket tres_per_task user_id kill_warning_signal
		current_working_directory selinux_context standard_error standard_input standard_output wckey
		x11_magic_cookie x11_target_host`,
	typeInt: `allocation_node_port core_specification thread_specification delay_boot hetjob_group job_id
		nice tasks oom_kill_step reserve_ports site_factor cpus_per_task minimum_cpus maximum_cpus
		minimum_nodes maximum_nodes minimum_boards_per_node minimum_sockets_per_board sockets_per_node
		threads_per_core tasks_per_node tasks_per_socket tasks_per_core tasks_per_board ntasks_per_tres
		cores_per_socket minimum_cpus_per_node temporary_disk_per_node wait_for_switch x11_target_port`,
	typeInt64:   `end_time`,
	typeBool:    `oversubscribe contiguous hold immediate kill_on_node_fail overcommit reboot requeue wait_all_nodes`,
	typeStrings: `argv environment spank_environment`,
	typeHosts:   `excluded_nodes required_nodes`,
	typeNumber: `distribution_plane_size priority time_limit time_minimum kill_warning_delay
		required_switches segment_size`,
	typeMemory: `memory_per_cpu memory_per_node`,
	typeTime:   `begin_time deadline`,
	typeAny:    `resv_mpi_ports crontab rlimits power_flags`,
}, map[string]field{
	"flags":               oneOf(flagWords),
	"mail_type":           oneOf("BEGIN END FAIL REQUEUE TIME=100% TIME=90% TIME=80% TIME=50% STAGE_OUT ARRAY_TASKS INVALID_DEPENDENCY"),
	"shared":              oneOf("none oversubscribe user mcs topo"),
	"exclusive":           oneOf("true false user mcs topo"),
	"open_mode":           oneOf("APPEND TRUNCATE"),
	"profile":             oneOf("NOT_SET NONE ENERGY LUSTRE NETWORK TASK"),
	"memory_binding_type": oneOf("NONE RANK MAP MASK LOCAL VERBOSE SORT PREFER"),
	"kill_warning_flags":  oneOf(killWords),
	"x11":                 oneOf("FORWARD_ALL_NODES BATCH_NODE FIRST_NODE LAST_NODE"),
	"cpu_binding_flags": oneOf(`CPU_BIND_TO_THREADS CPU_BIND_TO_CORES CPU_BIND_TO_SOCKETS CPU_BIND_TO_LDOMS
		CPU_BIND_NONE CPU_BIND_RANK CPU_BIND_MAP CPU_BIND_MASK CPU_BIND_LDRANK CPU_BIND_LDMAP
		CPU_BIND_LDMASK VERBOSE CPU_BIND_ONE_THREAD_PER_CORE`),
})

// flagWords is also the order in which a record lists its flags.
const flagWords = `KILL_INVALID_DEPENDENCY NO_KILL_INVALID_DEPENDENCY HAS_STATE_DIRECTORY TESTING_BACKFILL
	GRES_BINDING_ENFORCED TEST_NOW_ONLY SEND_JOB_ENVIRONMENT SPREAD_JOB PREFER_MINIMUM_NODE_COUNT
	JOB_KILL_HURRY SKIP_TRES_STRING_ACCOUNTING SIBLING_CLUSTER_UPDATE_ONLY HETEROGENEOUS_JOB
	EXACT_TASK_COUNT_REQUESTED EXACT_CPU_COUNT_REQUESTED TESTING_WHOLE_NODE_BACKFILL TOP_PRIORITY_JOB
	ACCRUE_COUNT_CLEARED GRES_BINDING_DISABLED JOB_WAS_RUNNING JOB_ACCRUE_TIME_RESET CRON_JOB
	EXACT_MEMORY_REQUESTED USING_DEFAULT_ACCOUNT USING_DEFAULT_PARTITION USING_DEFAULT_QOS
	USING_DEFAULT_WCKEY DEPENDENT MAGNETIC PARTITION_ASSIGNED BACKFILL_ATTEMPTED SCHEDULING_ATTEMPTED
	STEPMGR_ENABLED`

const killWords = `BATCH_JOB ARRAY_TASK FULL_STEPS_ONLY FULL_JOB FEDERATION_REQUEUE HURRY OUT_OF_MEMORY
	NO_SIBLING_JOBS RESERVATION_JOB VERBOSE CRON_JOBS WARNING_SENT`

const stateWords = `PENDING RUNNING SUSPENDED COMPLETED CANCELLED FAILED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL
	DEADLINE OUT_OF_MEMORY LAUNCH_FAILED REQUEUED REQUEUE_HOLD SPECIAL_EXIT RESIZING CONFIGURING COMPLETING
	STOPPED RECONFIG_FAIL POWER_UP_NODE REVOKED REQUEUE_FED RESV_DEL_HOLD SIGNALING STAGE_OUT`

const viewWords = "ALL DETAIL MIXED LOCAL SIBLING FEDERATION FUTURE"

// killFields are the members of a request to signal jobs by filter.
var killFields = makeFields(map[fieldType]string{
	typeString:  "account job_name partition qos reservation signal user_id user_name wckey",
	typeStrings: "jobs",
	typeHosts:   "nodes",
}, map[string]field{"flags": oneOf(killWords), "job_state": oneOf(stateWords)})

// oneOf is a list of flags out of words.
func oneOf(words string) field { return field{kind: typeFlags, words: strings.Fields(words)} }

// makeFields joins fields that need only a type, named in one string for each,
// with the others.
func makeFields(kinds map[fieldType]string, others map[string]field) map[string]field {
	fields := map[string]field{}
	for kind, names := range kinds {
		for _, name := range strings.Fields(names) {
			fields[name] = field{kind: kind}
		}
	}
	maps.Copy(fields, others)
	return fields
}

package slurmtest

import (
	"strings"
	"time"
)

// defaultMemPerCPU is Slurm's DefMemPerCPU here, in MiB.
const defaultMemPerCPU = 256

// spec is what a job asks for, after defaults.
type spec struct {
	name, comment, account, qos, wckey string
	partitions                         []string
	cwd, stdin, stdout, stderr         string
	script                             string
	environment, argv                  []string
	dependency                         string
	constraints                        string
	licenses                           string
	mailUser                           string
	mailType, flags, shared            []string
	required, excluded                 []string
	tresPerNode, tresPerJob            string
	tresPerTask, tresPerSocket         string
	extra, reservation, label          string
	recorded                           struct{ comment, extra bool } // whether accounting is told of them
	nice                               int64
	switches                           int64
	requeue                            bool

	minNodes, maxNodes    int64
	tasks                 int64 // 0: by tasksPerNode
	tasksPerNode          int64 // 0: not given
	cpusPerTask           int64
	memPerCPU, memPerNode wrapped
	exactMemory           bool    // one of them was given
	timeLimit             wrapped // minutes
	timeMinimum           int64   // minutes
	begin, deadline       time.Time

	byDefault struct{ account, partition, qos bool }
	asked     values // all of the description
}

func (s *Server) newSpec(v values, script string) *spec {
	d := &spec{
		name: v.text("name"), comment: v.text("comment"), account: v.text("account"), qos: v.text("qos"),
		wckey: v.text("wckey"), cwd: v.text("current_working_directory"), stdin: v.text("standard_input"),
		stdout: v.text("standard_output"), stderr: v.text("standard_error"), script: script,
		environment: v.list("environment"), argv: v.list("argv"), dependency: v.text("dependency"),
		constraints: v.text("constraints"), licenses: v.text("licenses"), mailUser: v.text("mail_user"),
		mailType: v.list("mail_type"), flags: v.list("flags"), shared: v.sharing(), switches: v.number("required_switches").number,
		required: v.list("required_nodes"), excluded: v.list("excluded_nodes"),
		tresPerNode: v.text("tres_per_node"), tresPerJob: v.text("tres_per_job"),
		tresPerTask: v.text("tres_per_task"), tresPerSocket: v.text("tres_per_socket"),
		extra: v.text("extra"), label: v.text("mcs_label"), reservation: v.text("reservation"), nice: v.integer("nice", 0),
		requeue: true, tasks: v.integer("tasks", 0), tasksPerNode: v.integer("tasks_per_node", 0),
		cpusPerTask: max(v.integer("cpus_per_task", 1), 1), memPerCPU: v.number("memory_per_cpu"),
		memPerNode: v.number("memory_per_node"), timeLimit: v.number("time_limit"),
		timeMinimum: v.number("time_minimum").number,
		begin:       v.time("begin_time"), deadline: v.time("deadline"), asked: v,
	}
	d.mailType = inOrder(d.mailType, jobFields["mail_type"])
	d.required, d.excluded = expandAll(d.required), expandAll(d.excluded)
	if v.has("requeue") {
		d.requeue = v.yes("requeue")
	}
	d.recorded.comment, d.recorded.extra = s.conf.storesComments, s.conf.storesExtra
	d.minNodes, d.maxNodes = v.nodeCounts()
	d.fill(s, v.text("partition"))
	return d
}

// nodeCounts reads "1-2" of nodes, then minimum_nodes and maximum_nodes. A
// minimum of -1 is "not given"; one of 0 is kept, for the checks to refuse.
func (v values) nodeCounts() (least, most int64) {
	least = v.integer("minimum_nodes", -1)
	most = v.integer("maximum_nodes", 0)
	if text := v.text("nodes"); text != "" {
		from, to, isRange := strings.Cut(text, "-")
		if counts, _, ok := parseArray(text, 1<<20); ok && strings.ContainsAny(text, ",:") {
			return counts[0], counts[len(counts)-1]
		}
		least = int64(atoi(from))
		if isRange {
			most = int64(atoi(to))
		}
	}
	return least, most
}

// expandAll takes lists of nodes apart.
func expandAll(lists []string) []string {
	var names []string
	for _, list := range lists {
		names = append(names, expandHosts(list)...)
	}
	return names
}

// fill puts in the defaults: partition, account, QOS and time limit.
func (d *spec) fill(s *Server, partitions string) {
	if partitions == "" {
		d.byDefault.partition = true
		for _, p := range s.partitions {
			if p.Default {
				partitions = p.Name
			}
		}
	}
	if partitions != "" {
		d.partitions = strings.Split(partitions, ",")
	}
	if d.account == "" && len(s.set.accounts) > 0 {
		d.account, d.byDefault.account = s.set.accounts[0], true
	}
	if d.qos == "" && len(s.set.qos) > 0 {
		d.qos, d.byDefault.qos = s.set.qos[0], true
	}
	if d.timeLimit == unset && len(d.partitions) > 0 {
		if p := s.partition(d.partitions[0]); p != nil {
			d.timeLimit = p.defaultLimit()
		}
	}
	d.exactMemory = d.memPerNode.set || d.memPerCPU.set
	if d.memPerNode == unset && d.memPerCPU == unset {
		d.memPerCPU = number(defaultMemPerCPU)
	}
	if d.memPerCPU == number(0) {
		d.memPerNode = number(0) // none for a CPU is all of the node
	}
	if _, mb := cutCount(d.asked.text("memory_per_tres")); d.asked.has("memory_per_tres") {
		d.memPerNode = number(mb)
	}
	if d.memPerNode != unset {
		d.memPerCPU = unset // given both, Slurm takes the one per node
	}
	d.tidyTres()
}

func (d *spec) tidyTres() {
	for _, text := range []*string{&d.tresPerNode, &d.tresPerJob, &d.tresPerTask, &d.tresPerSocket} {
		*text = strings.ReplaceAll(*text, "gres:", "gres/")
	}
}

func minutes(d time.Duration) wrapped {
	if d == 0 {
		return infinite
	}
	return number(int64(d / time.Minute))
}

func (p *partition) defaultLimit() wrapped {
	if p.DefaultTime > 0 {
		return minutes(p.DefaultTime)
	}
	return minutes(p.MaxTime)
}

// limit is the job's time limit as a span; ok is false without one.
func (d *spec) limit() (span time.Duration, ok bool) {
	return time.Duration(d.timeLimit.number) * time.Minute, d.timeLimit.set
}

// onNodes is the same job on so many nodes.
func (d *spec) onNodes(count int64) *spec {
	other := *d
	other.minNodes = count
	return &other
}

// tasksWanted is 0 if the number of tasks was left to Slurm.
func (d *spec) tasksWanted() int64 { return max(d.tasks, d.tasksPerNode) }

func (d *spec) exclusive() bool {
	for _, word := range d.shared {
		if word == "none" {
			return true
		}
	}
	return false
}

func (d *spec) hasFlag(name string) bool {
	for _, flag := range d.flags {
		if flag == name {
			return true
		}
	}
	return false
}

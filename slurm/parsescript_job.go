package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// batch is a component of a job while its options are read.
type batch struct {
	c           *checker
	component   int
	hetero      bool
	use         optionUse // that is being read
	line        map[string]int
	spec        *JobSpec
	extra       map[string]any
	environment map[string]string
	exported    map[string]string // variables that --export sets
	flags       []string
	unsupported []ScriptOption

	gres, gpus, gpusPerNode, gpusPerSocket, gpusPerTask, tresPerTask string
	gresFlags                                                        []string
	hint                                                             string
	sockets, cores, threads, minCPUsPerNode                          int64 // 0 for unset
	sizes                                                            taskRange
}

func newBatch(c *checker, component, components int) *batch {
	return &batch{
		c: c, component: component, hetero: components > 1, line: map[string]int{},
		spec:  &JobSpec{Name: "sbatch", LoginEnvironment: true},
		extra: map[string]any{}, environment: map[string]string{},
	}
}

// apply reads the options in the order in which they stand.
func (b *batch) apply(uses []optionUse) {
	for _, use := range uses {
		b.use = use
		b.line[use.option.name] = use.line
		if err := use.option.set(b, use.value); err != nil {
			b.add(use.line, fmt.Sprintf("--%s: %v", use.option.name, err))
		}
	}
}

// add reports a mistake once: an option that a later component keeps is read again for it.
func (b *batch) add(line int, text string) {
	problem := InputProblem{lineField(line), text}
	if !slices.Contains(b.c.problems, problem) {
		b.c.problems = append(b.c.problems, problem)
	}
}

func (b *batch) has(name string) bool { return b.line[name] > 0 }

// exclusions are pairs of options that sbatch does not take together.
var exclusions = [][2]string{
	{"mem", "mem-per-cpu"}, {"mem", "mem-per-gpu"}, {"mem-per-cpu", "mem-per-gpu"},
	{"exclusive", "oversubscribe"}, {"core-spec", "thread-spec"}, {"cpus-per-task", "cpus-per-gpu"},
	{"ntasks-per-gpu", "tres-per-task"}, {"ntasks-per-gpu", "gpus-per-task"}, {"ntasks-per-gpu", "gpus-per-socket"},
	{"ntasks-per-gpu", "ntasks-per-node"}, {"ntasks-per-tres", "tres-per-task"}, {"ntasks-per-tres", "gpus-per-task"},
	{"ntasks-per-tres", "gpus-per-socket"}, {"ntasks-per-tres", "ntasks-per-node"},
}

// finish makes of the options together what sbatch makes of them.
func (b *batch) finish() {
	for _, pair := range exclusions {
		if b.has(pair[0]) && b.has(pair[1]) {
			b.wrong("--%s and --%s exclude each other", pair[0], pair[1])
		}
	}
	if b.spec.Hold {
		b.spec.Priority = 0
	}
	b.takeHint()
	b.countRequired()
	b.checkPlanes()
	_, _, given := b.nodeRange()
	estimate := b.countNodes()
	b.countTasks()
	b.countCPUs(estimate, given)
	b.askForTRES()
	b.count("sockets_per_node", b.sockets)
	b.count("threads_per_core", b.threads)
	if b.threads > 0 {
		b.environment["SLURM_THREADS_PER_CORE"] = strconv.FormatInt(b.threads, 10)
	}
	if !b.spec.LoginEnvironment {
		b.spec.sbatchVariables(func(name, value string) { b.environment[name] = value })
	}
	maps.Copy(b.environment, b.exported)
	if flags := append(b.flags, b.gresFlags...); len(flags) > 0 {
		slices.Sort(flags)
		b.extra["flags"] = slices.Compact(flags)
	}
	if len(b.environment) > 0 {
		b.spec.Environment = b.environment
	}
	if len(b.extra) > 0 {
		b.spec.Extra = b.extra
	}
}

// wrong reports two options that do not go together, at the later one.
func (b *batch) wrong(format string, one, two string) {
	b.add(max(b.line[one], b.line[two]), fmt.Sprintf(format, one, two))
}

func (b *batch) count(member string, n int64) {
	if n > 0 {
		b.extra[member] = n
	}
}

// takeHint heeds --hint unless one of the options is there for which it stands.
func (b *batch) takeHint() {
	if b.hint == "" || b.has("ntasks-per-core") || b.has("threads-per-core") || b.has("extra-node-info") {
		return
	}
	b.sockets, b.cores, b.threads = 0, 0, 0
	for word := range strings.SplitSeq(strings.ToLower(b.hint), ",") {
		switch word {
		case "compute_bound":
			b.cores, b.threads = 0, 1
		case "memory_bound":
			b.cores, b.threads = 1, 1
		case "multithread":
			b.threads = 0
			b.extra["tasks_per_core"], b.environment["SLURM_NTASKS_PER_CORE"] = int64(65535), "65535"
		case "nomultithread":
			b.threads = 1
		}
	}
	b.environment["SLURM_HINT"] = b.hint
}

// nodeRange is the number of nodes asked for, and whether it was asked for at all.
func (b *batch) nodeRange() (least, most int64, given bool) {
	if b.sizes.to > 0 {
		return b.sizes.from, b.sizes.to, true
	}
	return int64(b.spec.MinNodes), int64(b.spec.MaxNodes), b.spec.MinNodes > 0
}

// countRequired asks for as many nodes as are named.
func (b *batch) countRequired() {
	names, err := ExpandHosts(strings.Join(b.spec.RequiredNodes, ","))
	if err == nil && !b.has("nodes") {
		slices.Sort(names)
		b.spec.MinNodes = len(slices.Compact(names))
	}
}

// checkPlanes refuses more nodes than the planes of tasks can be on.
func (b *batch) checkPlanes() {
	plane, err := strconv.ParseInt(b.environment["SLURM_DIST_PLANESIZE"], 10, 64)
	least, _, _ := b.nodeRange()
	least = max(least, 1)
	if tasks := max(int64(b.spec.Tasks), 1); err == nil && tasks/plane < least && (least-1)*plane >= tasks {
		b.wrong("--%s: too few of --%s for planes on so many nodes", "distribution", "ntasks")
	}
}

// countNodes fits nodes, required nodes and tasks together. It returns for how many tasks sbatch counts the CPUs.
func (b *batch) countNodes() (estimate int64) {
	s := b.spec
	least, most, given := b.nodeRange()
	fixed := least == most || most == 0
	estimate = max(int64(s.Tasks), 1)
	switch {
	case s.Tasks == 0 && s.TasksPerNode == 0 && fixed && (given || b.has("extra-node-info")):
		estimate = max(least, 1)
		for _, each := range []int64{b.sockets, b.cores, b.threads} {
			if each > 0 {
				estimate = min(estimate*each, maxCount32)
				s.Tasks = int(estimate)
			}
		}
	case s.Tasks == 0 && fixed && given:
		estimate = least * int64(s.TasksPerNode)
	case !given && s.Tasks > 0 && s.TasksPerNode > 0:
		s.MinNodes = int(ceil(estimate, int64(s.TasksPerNode)))
	case given && s.Tasks > 0 && estimate < max(least, most):
		b.setNodeRange(min(least, estimate), estimate)
	}
	return estimate
}

func (b *batch) setNodeRange(least, most int64) {
	if b.sizes.to > 0 {
		b.extra["minimum_nodes"], b.extra["maximum_nodes"] = least, most
		return
	}
	b.spec.MinNodes, b.spec.MaxNodes = int(least), int(most)
}

// countTasks counts the tasks if they are given by GPU, or have resources of their own and a node each.
func (b *batch) countTasks() {
	least, most, given := b.nodeRange()
	if each, ok := b.extra["ntasks_per_tres"].(int64); ok {
		gpus := gpuCount(b.gpus)
		if gpus == 0 {
			gpus = (gpuCount(b.gpusPerNode) + gpuCount(b.gres)) * max(least, 1)
		}
		if gpus > 0 {
			b.spec.Tasks = int(min(gpus*each, maxCount32))
		} else if b.spec.Tasks == 0 && !(given && least == most) {
			b.wrong("--%s needs GPUs, or --%s", "ntasks-per-gpu", "ntasks")
		}
		return
	}
	if b.tresPerTask == "" && b.gpusPerTask == "" || b.spec.Tasks > 0 {
		return
	}
	switch fixed := given && least == most; {
	case fixed && b.spec.TasksPerNode > 0:
	case fixed && b.spec.CPUsPerTask == 0:
		b.spec.Tasks = int(least)
	case b.gpus == "" && (b.gpusPerTask != "" || strings.Contains(b.tresPerTask, "gres")):
		b.wrong("--%s needs the number of tasks, --%s", "gpus-per-task", "ntasks")
	}
}

// countCPUs says how many CPUs are needed at least where Slurm's controller would count otherwise than sbatch.
func (b *batch) countCPUs(estimate int64, given bool) {
	least, most, _ := b.nodeRange()
	each := max(int64(b.spec.CPUsPerTask), 1)
	_, byGPU := b.extra["ntasks_per_tres"]
	ranged := given && least < most && b.spec.TasksPerNode > 0 && b.spec.Tasks == 0
	switch {
	case b.has("overcommit") && !given:
		b.extra["minimum_cpus"] = int64(1)
	case b.has("overcommit") && ranged:
		b.extra["minimum_cpus"] = least
	case b.has("overcommit"):
	case byGPU:
		b.extra["minimum_cpus"] = estimate * each
	case ranged:
		b.extra["minimum_cpus"] = each
	}
	if b.minCPUsPerNode > 0 {
		b.extra["minimum_cpus_per_node"] = max(b.minCPUsPerNode, int64(b.spec.CPUsPerTask))
	}
}

// gpuCount adds up the numbers in "b200:2,a100:1", or those of "gres/gpu:2,gres/nic:1" that are of GPUs.
func gpuCount(value string) (sum int64) {
	for entry := range strings.SplitSeq(value, ",") {
		name, ofGRES := strings.CutPrefix(entry, "gres/")
		number, isGPU := strings.CutPrefix(name, "gpu:")
		if _, count, ok := oneGPU(number); ok && ofGRES == isGPU {
			sum += int64(count)
		}
	}
	return sum
}

// askForTRES fills in what is asked for of other countable resources, GPUs above all.
func (b *batch) askForTRES() {
	s := b.spec
	for variable, value := range map[string]string{
		"SLURM_GPUS": b.gpus, "SLURM_GPUS_PER_NODE": b.gpusPerNode, "SLURM_GPUS_PER_SOCKET": b.gpusPerSocket,
	} {
		if value != "" {
			b.environment[variable] = value
		}
	}
	s.TRESPerJob = gpuList(b.gpus)
	s.TRESPerSocket = gpuList(b.gpusPerSocket)
	s.TRESPerNode = b.gres
	if kind, count, ok := oneGPU(b.gpusPerNode); ok && !strings.Contains(b.gres, "gpu") {
		s.GPUType, s.GPUsPerNode = kind, count
	} else {
		s.TRESPerNode = joinTRES(gpuList(b.gpusPerNode), b.gres)
	}
	b.askPerTask()
	if bind, ok := b.extra["tres_bind"].(string); ok {
		b.environment["SLURM_TRES_BIND"] = bind
	}
}

// askPerTask also binds each task to its own, as sbatch does, unless --tres-bind says otherwise.
func (b *batch) askPerTask() {
	list := b.tresPerTask
	for _, kind := range []string{"license", "gres"} {
		list = strings.TrimPrefix(strings.ReplaceAll(","+list, ","+kind+":", ","+kind+"/"), ",")
	}
	if kind, count, ok := oneGPU(b.gpusPerTask); ok && !strings.Contains(list, "gres/gpu") {
		list = joinTRES(strings.Replace(GPUs(count, kind), ":"+strconv.Itoa(count), "="+strconv.Itoa(count), 1), list)
	} else if b.gpusPerTask != "" {
		b.add(b.line["gpus-per-task"], "--gpus-per-task: want one number, with a type or without, and none in --tres-per-task")
	}
	if list == "" {
		return
	}
	b.spec.TRESPerTask = list
	b.environment["SLURM_TRES_PER_TASK"] = list
	b.bindTasks(list)
}

// bindTasks binds each task to its own resources where no other option binds it to such.
func (b *batch) bindTasks(list string) {
	given, _ := b.extra["tres_bind"].(string)
	bind := given
	for entry := range strings.SplitSeq(list, ",") {
		kind, count, _ := strings.Cut(entry, "=")
		if i := strings.LastIndexByte(kind, ':'); count == "" && i >= 0 {
			kind, count = kind[:i], kind[i+1:]
		}
		name, ok := strings.CutPrefix(kind, "gres/")
		name, _, _ = strings.Cut(name, ":")
		if !ok || strings.Contains(given, name) {
			continue
		}
		if bind != "" {
			bind += "+"
		}
		bind += "gres/" + name + ":per_task:" + count
	}
	if bind != "" {
		b.extra["tres_bind"] = bind
	}
}

// gpuList writes "b200:2,a100:1" as a list of TRES.
func gpuList(value string) string {
	var list string
	for entry := range strings.SplitSeq(value, ",") {
		if entry != "" {
			list = joinTRES(list, "gres/gpu:"+entry)
		}
	}
	return list
}

func joinTRES(lists ...string) string {
	return strings.Join(slices.DeleteFunc(lists, func(l string) bool { return l == "" }), ",")
}

// oneGPU reads "2" or "b200:2". It reports false for lists, and for forms that Slurm has to judge.
func oneGPU(value string) (kind string, count int, ok bool) {
	number := value
	if i := strings.LastIndexAny(value, ":="); i >= 0 {
		kind, number = value[:i], value[i+1:]
	}
	n, err := wholeInt(number, 1, 65533)
	return kind, int(n), err == nil && !strings.ContainsAny(kind, ":=,/ \t")
}

// derivedVariables are those that sbatch derives from options for each component of a heterogeneous job.
var derivedVariables = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"SLURM_CPUS_PER_GPU": true, "SLURM_GPUS": true, "SLURM_GPU_FREQ": true, "SLURM_GPUS_PER_NODE": true,
		"SLURM_GPUS_PER_SOCKET": true, "SLURM_MEM_PER_GPU": true, "SLURM_TRES_PER_TASK": true, "SLURM_TRES_BIND": true,
		"SLURM_NTASKS_PER_CORE": true, "SLURM_NTASKS_PER_GPU": true, "SLURM_NTASKS_PER_SOCKET": true,
		"SLURM_NTASKS_PER_TRES": true, "SLURM_DIST_PLANESIZE": true, "SLURM_THREADS_PER_CORE": true,
		"SLURM_CPUS_PER_TASK": true, "SLURM_NTASKS_PER_NODE": true,
	}
})

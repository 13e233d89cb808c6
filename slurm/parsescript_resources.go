package slurm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func setDistribution(b *batch, value string) error {
	kind, flags, flagged := strings.Cut(strings.ToLower(value), ",")
	if rest, ok := strings.CutPrefix(strings.ToLower(value), "plane"); ok {
		size, err := wholeInt(strings.TrimPrefix(rest, "="), 1, maxCount16)
		if err != nil {
			return fmt.Errorf("%s lacks the size of a plane: want plane=4", strconv.Quote(abbreviate(value)))
		}
		b.environment["SLURM_DIST_PLANESIZE"] = strconv.FormatInt(size, 10)
	} else if !isDistribution(kind) || flagged && flags != "pack" && flags != "nopack" {
		return fmt.Errorf(`%s is no distribution of tasks: want one such as "block:cyclic,nopack"`, strconv.Quote(abbreviate(value)))
	}
	b.extra["distribution"] = value
	return nil
}

// isDistribution reports whether kind says how tasks go to nodes, sockets and cores.
func isDistribution(kind string) bool {
	switch kind {
	case "arbitrary", "hostfile", "pack", "nopack":
		return true
	}
	levels := strings.Split(kind, ":")
	for i, level := range levels {
		if level != "block" && level != "cyclic" && level != "*" && (level != "fcyclic" || i == 0) {
			return false
		}
	}
	return len(levels) <= 3
}

func setExclusive(b *batch, value string) error {
	b.spec.Exclusive = false
	delete(b.extra, "shared")
	switch word := strings.ToLower(value); word {
	case "", "exclusive":
		b.spec.Exclusive = true
	case "oversubscribe", "user", "mcs", "topo":
		b.extra["shared"] = []string{word}
	default:
		return oneOfWords(value, "user", "mcs", "topo", "oversubscribe")
	}
	return nil
}

func setSegment(b *batch, value string) error {
	n, err := wholeInt(value, 0, maxCount16)
	b.extra["segment_size"] = setNumber(n)
	return err
}

// setSwitches reads "count[@span]".
func setSwitches(b *batch, value string) error {
	count, span, timed := strings.Cut(value, "@")
	if timed {
		wait, err := spanOf(span)
		if err != nil || wait == Unlimited {
			return fmt.Errorf("%s is no time to wait", strconv.Quote(abbreviate(span)))
		}
		b.extra["wait_for_switch"] = int64(wait / time.Second)
	}
	n, err := wholeInt(count, 1, maxCount32)
	b.extra["required_switches"] = setNumber(n)
	return err
}

func setCoresPerSocket(b *batch, value string) (err error) {
	b.cores, err = wholeInt(value, 1, maxCount32)
	if err != nil {
		return err
	}
	return unsupported("no member of the API's job description says it")(b, value)
}

func setSocketsPerNode(b *batch, value string) (err error) {
	b.sockets, err = wholeInt(value, 1, maxCount16)
	return err
}

func setThreadsPerCore(b *batch, value string) (err error) {
	b.threads, err = wholeInt(value, 1, maxCount16)
	return err
}

// setExtraNodeInfo reads "sockets[:cores[:threads]]".
func setExtraNodeInfo(b *batch, value string) (err error) {
	parts := strings.Split(value, ":")
	for i, count := range []*int64{&b.sockets, &b.cores, &b.threads} {
		*count = 0
		if i < len(parts) {
			least, _, _ := strings.Cut(parts[i], "-")
			if least == "" || least == "*" {
				continue
			}
			if *count, err = wholeInt(least, 0, maxCount16); err != nil {
				return err
			}
		}
	}
	if b.cores > 0 {
		_ = unsupported("no member of the API's job description says the cores of a socket")(b, value)
	}
	return nil
}

// setHint is overruled by the options that say the same in detail: see finish.
func setHint(b *batch, value string) error {
	for word := range strings.SplitSeq(value, ",") {
		switch strings.ToLower(word) {
		case "memory_bound":
			_ = unsupported("no member of the API's job description says to use one core of each socket")(b, value)
		case "compute_bound", "multithread", "nomultithread":
		default:
			return oneOfWords(value, "compute_bound", "memory_bound", "multithread", "nomultithread")
		}
	}
	b.hint = value
	return nil
}

func setCPUsPerTask(b *batch, value string) error {
	n, err := wholeInt(value, 1, maxCount16)
	b.spec.CPUsPerTask = int(n)
	return err
}

func setCPUsPerGPU(b *batch, value string) error {
	n, err := wholeInt(value, 1, maxCount32)
	b.extra["cpus_per_tres"] = fmt.Sprintf("gres/gpu:%d", n)
	b.environment["SLURM_CPUS_PER_GPU"] = strconv.FormatInt(n, 10)
	return err
}

func setGPUBind(b *batch, value string) error {
	b.extra["tres_bind"] = "gres/gpu:" + value
	return nil
}

func setGPUFreq(b *batch, value string) error {
	b.extra["tres_freq"] = "gpu:" + value
	b.environment["SLURM_GPU_FREQ"] = value
	return nil
}

// setGRES puts the kind of resource before each entry.
func setGRES(b *batch, value string) error {
	switch strings.ToLower(value) {
	case "help", "list":
		return unsupported("sbatch would list the kinds of resources and submit nothing")(b, value)
	case "none":
		b.gres = ""
		return nil
	}
	entries := strings.Split(value, ",")
	for i, entry := range entries {
		entries[i] = "gres/" + strings.TrimPrefix(entry, "gres/")
	}
	b.gres = strings.Join(entries, ",")
	return nil
}

func setGRESFlags(b *batch, value string) error {
	b.gresFlags = nil
	for word := range strings.SplitSeq(value, ",") {
		switch strings.ToLower(word) {
		case "disable-binding":
			b.gresFlags = append(b.gresFlags, "GRES_BINDING_DISABLED")
		case "enforce-binding":
			b.gresFlags = append(b.gresFlags, "GRES_BINDING_ENFORCED")
		case "multiple-tasks-per-sharing", "one-task-per-sharing":
			_ = unsupported("no flag of version v0.0.42 says it")(b, word)
		default:
			return oneOfWords(word, "disable-binding", "enforce-binding", "multiple-tasks-per-sharing", "one-task-per-sharing")
		}
	}
	if len(b.gresFlags) > 1 && b.gresFlags[0] != b.gresFlags[1] {
		return errors.New("disable-binding and enforce-binding exclude each other")
	}
	return nil
}

// setMemory keeps 0, which sbatch takes for all of each node's memory.
func setMemory(b *batch, value string) (err error) {
	b.spec.MemoryPerNode, err = bytesOf(value)
	if b.spec.MemoryPerNode == 0 {
		b.spec.MemoryPerNode = AllMemory
	}
	return err
}

func setMemoryPerCPU(b *batch, value string) (err error) {
	b.spec.MemoryPerCPU, err = bytesOf(value)
	delete(b.extra, "memory_per_cpu")
	if err == nil && b.spec.MemoryPerCPU == 0 {
		b.extra["memory_per_cpu"] = setNumber(0)
	}
	return err
}

func setMemoryPerGPU(b *batch, value string) error {
	n, err := bytesOf(value)
	mib := strconv.FormatInt(n/mebibyte, 10)
	b.extra["memory_per_tres"] = "gres/gpu:" + mib
	b.environment["SLURM_MEM_PER_GPU"] = mib
	return err
}

// setMemoryBind knows the ways that need no list.
func setMemoryBind(b *batch, value string) error {
	words := map[string]string{
		"none": "NONE", "no": "NONE", "rank": "RANK", "local": "LOCAL", "sort": "SORT",
		"prefer": "PREFER", "p": "PREFER", "verbose": "VERBOSE", "v": "VERBOSE",
		"nosort": "", "quiet": "", "q": "",
	}
	var kinds []string
	for word := range strings.SplitSeq(strings.ToLower(value), ",") {
		kind, ok := words[word]
		switch {
		case strings.HasPrefix(word, "map") || strings.HasPrefix(word, "mask"):
			return unsupported("a binding by lists is for srun: give it there")(b, value)
		case !ok:
			return oneOfWords(word, "none", "rank", "local", "sort", "prefer", "verbose")
		case kind != "":
			kinds = append(kinds, kind)
		}
	}
	b.extra["memory_binding_type"] = kinds
	return nil
}

func setMinCPUs(b *batch, value string) (err error) {
	b.minCPUsPerNode, err = wholeInt(value, 1, maxCount16)
	return err
}

// setNodes reads a number, a range, or a list of possible numbers, "2,4,8" or "2-8:2".
func setNodes(b *batch, value string) error {
	delete(b.extra, "nodes")
	b.spec.MinNodes, b.spec.MaxNodes = 0, 0
	if !strings.ContainsAny(value, ",:") {
		least, most, err := nodesOf(value)
		b.spec.MinNodes, b.spec.MaxNodes = least, most
		if err == nil && least == 0 {
			err = unsupported("Slurm's REST API takes no job on 0 nodes")(b, value)
		}
		return err
	}
	list, err := parseTaskList(value)
	if err != nil || strings.ContainsFunc(value, notInTaskList) || strings.Contains(value, "%") {
		return fmt.Errorf(`%s is no list of numbers of nodes: want "2,4" or "2-8:2"`, strconv.Quote(abbreviate(value)))
	}
	b.extra["nodes"] = value
	b.sizes.from, b.sizes.to = math.MaxInt64, 0
	for _, r := range list.ranges {
		b.sizes.from = min(b.sizes.from, r.from)
		b.sizes.to = max(b.sizes.to, r.to-(r.to-r.from)%r.step)
	}
	return nil
}

func setTasks(b *batch, value string) error {
	n, err := wholeInt(value, 1, maxCount32)
	b.spec.Tasks = int(n)
	return err
}

func setTasksPerNode(b *batch, value string) error {
	n, err := wholeInt(value, 1, maxCount16)
	b.spec.TasksPerNode = int(n)
	return err
}

func setTmp(b *batch, value string) error {
	n, err := bytesOf(value)
	b.extra["temporary_disk_per_node"] = min(n/mebibyte, maxCount32)
	return err
}

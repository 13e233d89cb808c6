package slurmtest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// gpuRequest is one parsed "gres/gpu:b200:8".
type gpuRequest struct {
	kind  string // "" is any
	count int64
}

// parseGPUs reads a trackable-resource string as far as it names GPUs. A name
// without "gres/" is error 2115, another generic resource error 2072.
func parseGPUs(text string) (gpuRequest, code) {
	var request gpuRequest
	if text == "" {
		return request, codeNone
	}
	for _, item := range strings.Split(text, ",") {
		name, found := strings.CutPrefix(item, "gres/")
		if !found {
			if strings.HasPrefix(item, "cpu") || strings.HasPrefix(item, "mem") {
				continue
			}
			return request, codeTres
		}
		name, count := cutCount(name)
		parts := strings.Split(name, ":")
		if parts[0] != "gpu" {
			return request, codeGres
		}
		kind := ""
		if len(parts) > 1 {
			kind = parts[1]
		}
		if kind == request.kind {
			request.count = 0 // the last one of a kind counts
		}
		request.kind = cmp.Or(kind, request.kind)
		request.count += count
	}
	return request, codeNone
}

// cutCount splits "gpu:b200:8" or "gpu=8" into its name and its count, 1 if
// it has none.
func cutCount(text string) (string, int64) {
	i := strings.LastIndexAny(text, ":=")
	if i < 0 {
		return text, 1
	}
	n, err := strconv.ParseInt(text[i+1:], 10, 64)
	if err != nil {
		return text, 1
	}
	return text[:i], n
}

// need is what a job wants of each of its nodes, and in all.
type need struct {
	nodes, tasks, cpus int64
	nodeCPUs, nodeMB   int64 // on one node
	nodeGPUs           int64
	gpus               int64 // in all
	gpuKind            string
	wholeMemory        bool // all of a node's memory, whatever that is
	anyNode            bool // the node count was left to Slurm
}

// shape works out what a job needs when its nodes have cpus CPUs each.
func (d *spec) shape(cpus int64) need {
	n := need{nodes: max(d.minNodes, 1), tasks: d.tasks, anyNode: d.minNodes < 0}
	perNode := d.tasksPerNode
	switch {
	case perNode > 0 && n.tasks == 0:
		n.tasks = perNode * n.nodes
	case perNode > 0:
		n.nodes = max(n.nodes, ceil(n.tasks, perNode))
	case n.tasks > 0 && n.anyNode && cpus > 0:
		n.nodes = max(ceil(n.tasks*d.cpusPerTask, cpus), 1)
	}
	n.tasks = max(n.tasks, n.nodes)
	if perNode == 0 {
		perNode = ceil(n.tasks, n.nodes)
	}
	n.cpus = n.tasks * d.cpusPerTask
	n.nodeCPUs = perNode * d.cpusPerTask
	n.gpuCount(d, perNode)
	n.byTRES(d)
	n.memory(d)
	return n
}

// byTRES counts CPUs that are asked for by GPU, GPUs by tasks, and the CPUs
// that are said to be enough.
func (n *need) byTRES(d *spec) {
	if _, each := cutCount(d.asked.text("cpus_per_tres")); d.asked.has("cpus_per_tres") {
		n.cpus = max(n.cpus, each*n.gpus)
		n.nodeCPUs = max(n.nodeCPUs, each*n.nodeGPUs)
	}
	if each := d.asked.integer("ntasks_per_tres", 0); each > 0 && n.gpus == 0 {
		n.gpus, n.nodeGPUs = d.tasks/each, ceil(d.tasks/each, n.nodes)
	}
	if least := d.asked.integer("minimum_cpus", 0); least > 0 && (d.tasks == 0 || d.asked.yes("overcommit")) {
		n.cpus, n.nodeCPUs = least, ceil(least, n.nodes)
	}
}

func (n *need) memory(d *spec) {
	if d.memPerNode.set {
		n.nodeMB = d.memPerNode.number
		n.wholeMemory = n.nodeMB == 0
		if d.asked.has("memory_per_tres") {
			n.nodeMB *= n.nodeGPUs
		}
		return
	}
	n.nodeMB = d.memPerCPU.number * n.nodeCPUs
}

func (n *need) gpuCount(d *spec, tasksPerNode int64) {
	for _, r := range []struct {
		text  string
		total func(count int64) (all, onNode int64)
	}{
		{d.tresPerNode, func(c int64) (int64, int64) { return c * n.nodes, c }},
		{d.tresPerSocket, func(c int64) (int64, int64) { return c * n.nodes, c }},
		{d.tresPerJob, func(c int64) (int64, int64) { return c, ceil(c, n.nodes) }},
		{d.tresPerTask, func(c int64) (int64, int64) { return c * n.tasks, c * tasksPerNode }},
	} {
		request, _ := parseGPUs(r.text) // refused long ago if it is malformed
		if request.count > 0 {
			n.gpuKind = request.kind
			n.gpus, n.nodeGPUs = r.total(request.count)
		}
	}
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// tresString is the form of tres_req_str and tres_alloc_str.
func tresString(cpus, mb, nodes, gpus int64, gpuKind string) string {
	text := fmt.Sprintf("cpu=%d,mem=%s,node=%d,billing=%d", cpus, memString(mb), nodes, cpus)
	return text + gpuString(gpus, gpuKind)
}

func gpuString(gpus int64, gpuKind string) string {
	if gpus == 0 {
		return ""
	}
	text := fmt.Sprintf(",gres/gpu=%d", gpus)
	if gpuKind != "" {
		text += fmt.Sprintf(",gres/gpu:%s=%d", gpuKind, gpus)
	}
	return text
}

// memString scales MiB to a larger unit only where a multiple of a half of it
// is left, as Slurm does: 3584 is "3.50G" and 32000 stays "32000M".
func memString(mb int64) string {
	n, unit := float64(mb), 0
	for unit < 2 && n >= 1024 && int64(n)%512 == 0 && n == float64(int64(n)) {
		n /= 1024
		unit++
	}
	text := itoa(int64(n))
	if n != float64(int64(n)) {
		text = strconv.FormatFloat(n, 'f', 2, 64)
	}
	return text + "MGT"[unit:unit+1]
}

// tresList is the accounting form of the same; energy is -2, "unknown", once
// a job has run.
func tresList(cpus, mb, nodes, gpus int64, gpuKind string, energy bool) []object {
	entry := func(kind, name string, id int, count int64) object {
		return object{{"type", kind}, {"name", name}, {"id", id}, {"count", count}}
	}
	list := []object{entry("cpu", "", 1, cpus), entry("mem", "", 2, mb)}
	if energy {
		list = append(list, entry("energy", "", 3, -2))
	}
	list = append(list, entry("node", "", 4, nodes), entry("billing", "", 5, cpus))
	if gpus > 0 {
		list = append(list, entry("gres", "gpu", 1001, gpus))
	}
	if gpus > 0 && gpuKind != "" {
		list = append(list, entry("gres", "gpu:"+gpuKind, 1002, gpus))
	}
	return list
}

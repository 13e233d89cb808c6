package slurmtest

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What live and accounting records share.

// exitObject is exit_code: a return code or a signal, never both.
func exitObject(e exit) object {
	status, returned, signal := "SUCCESS", number(int64(e.code)), unset
	switch {
	case e.signal != 0:
		status, returned, signal = "SIGNALED", unset, number(int64(e.signal))
	case e.code != 0:
		status = "ERROR"
	}
	return object{
		{"status", []string{status}},
		{"return_code", returned},
		{"signal", object{{"id", signal}, {"name", signalName(e.signal)}}},
	}
}

// exitCode of a job that has not quite ended is still SUCCESS.
func (j *job) exitCode() object {
	if j.completing && j.state == stateCancelled {
		return exitObject(exit{})
	}
	return exitObject(j.exit)
}

func raised(signal int) string { return fmt.Sprintf("RaisedSignal:%d(%s)", signal, signalText(signal)) }

func (j *job) hetSet() string {
	if j.het == nil {
		return ""
	}
	var ids []string
	for _, c := range j.het.components {
		ids = append(ids, itoa(c.id))
	}
	return ranges(ids)
}

// shapeOf is what the job wants; before it is placed, by its first partition.
func (s *Server) shapeOf(j *job) need {
	if len(j.allocation) > 0 {
		return j.need
	}
	if p := s.partition(strings.Split(j.partitionName(), ",")[0]); p != nil {
		return j.spec.shape(p.cpus())
	}
	return j.spec.shape(0)
}

func (s *Server) nodeCount(j *job) int64 {
	if len(j.allocation) > 0 {
		return int64(len(j.allocation))
	}
	return s.shapeOf(j).nodes
}

func (s *Server) cpuCount(j *job) int64 {
	if cpus, _, _, _ := j.allocated(); cpus > 0 {
		return cpus
	}
	return s.shapeOf(j).cpus
}

// allocated adds up what the job holds or held.
func (j *job) allocated() (cpus, mb, gpus int64, gpuKind string) {
	for _, share := range j.allocation {
		cpus += int64(len(share.cores))
		gpus += int64(len(share.gpus))
		mb += share.mb
		if len(share.gpus) > 0 {
			gpuKind = share.node.GPUType
		}
	}
	return cpus, mb, gpus, gpuKind
}

func (s *Server) tresRequested(j *job) string {
	n := s.shapeOf(j)
	return tresString(n.cpus, s.requestedMB(j, n), n.nodes, n.gpus, n.gpuKind)
}

// requestedMB is all the memory asked for. "0" asks for a whole node's.
func (s *Server) requestedMB(j *job, n need) int64 {
	if n.wholeMemory {
		if p := s.partition(strings.Split(j.partitionName(), ",")[0]); p != nil && len(p.nodes) > 0 {
			return int64(p.nodes[0].MemoryMB) * n.nodes
		}
	}
	if j.memPerNode.set {
		return n.nodeMB * n.nodes
	}
	return j.memPerCPU.number * n.cpus
}

func (j *job) tresAllocated() string {
	cpus, mb, gpus, kind := j.allocated()
	if cpus == 0 {
		return j.lostTres
	}
	return tresString(cpus, mb, int64(len(j.allocation)), gpus, kind)
}

// billable stays after a requeue.
func (j *job) billable() object {
	return object{{"set", j.billed > 0}, {"infinite", false}, {"number", decimal(j.billed)}}
}

var filePattern = regexp.MustCompile(`%(?:%|(\d*)([Aabjux]))`)

// path expands the patterns of an output file and makes it absolute. What only
// the node knows, such as %N, is left alone: so does the controller.
func (j *job) path(pattern string) string {
	if pattern == "" {
		pattern = j.defaultOutput()
	}
	text := filePattern.ReplaceAllStringFunc(pattern, func(one string) string {
		part := filePattern.FindStringSubmatch(one)
		width, _ := strconv.Atoi(part[1])
		number := func(n int64) string { return fmt.Sprintf("%0*d", min(width, 10), n) }
		array, task := j.id, int64(noVal)
		if j.array != nil {
			array = j.array.id
		}
		if j.task >= 0 {
			task = j.task
		}
		switch part[2] {
		case "j":
			return number(j.id)
		case "A":
			return number(array)
		case "a":
			return number(task)
		case "b":
			return number(task % 10)
		case "x":
			return cmp.Or(j.name, "(null)")
		case "u":
			return j.user
		}
		return "%" // of two
	})
	if strings.HasPrefix(text, "/") {
		return text
	}
	return j.cwd + "/" + text
}

func (j *job) defaultOutput() string {
	if j.array != nil {
		return "slurm-%A_%a.out"
	}
	return "slurm-%j.out"
}

func (j *job) stdoutPath() string { return j.path(j.stdout) }

// stderrPath: without a file of its own, errors go where the output goes.
func (j *job) stderrPath() string {
	if j.stderr == "" {
		return j.stdoutPath()
	}
	return j.path(j.stderr)
}

func (j *job) stdinPath() string {
	if j.stdin == "" {
		return "/dev/null"
	}
	return j.path(j.stdin)
}

package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// GPUs returns Slurm's spelling for a number of GPUs, for the TRES fields of [JobSpec]: GPUs(8, "b200") is
// "gres/gpu:b200:8", and without a kind, GPUs(8, "") is "gres/gpu:8".
func GPUs(count int, kind string) string {
	if kind == "" {
		return fmt.Sprintf("gres/gpu:%d", count)
	}
	return fmt.Sprintf("gres/gpu:%s:%d", kind, count)
}

// tresPerNode joins the two ways to ask for resources of each node.
func (s *JobSpec) tresPerNode() string {
	if s.GPUsPerNode == 0 {
		return s.TRESPerNode
	}
	gpus := GPUs(s.GPUsPerNode, s.GPUType)
	if s.TRESPerNode == "" {
		return gpus
	}
	return gpus + "," + s.TRESPerNode
}

func (c *checker) checkTRES(s *JobSpec) {
	c.tres("TRESPerJob", s.TRESPerJob)
	c.tres("TRESPerNode", s.TRESPerNode)
	c.tres("TRESPerSocket", s.TRESPerSocket)
	c.tres("TRESPerTask", s.TRESPerTask)
	c.count("GPUsPerNode", s.GPUsPerNode, 65533)
	switch {
	case s.GPUType != "" && s.GPUsPerNode == 0:
		c.add("GPUType", "has no effect without GPUsPerNode")
	case strings.ContainsAny(s.GPUType, ":=,/ \t\n"):
		c.add("GPUType", `%s is no type: want a name such as "b200"`, strconv.Quote(abbreviate(s.GPUType)))
	}
	if s.GPUsPerNode > 0 && strings.Contains(s.TRESPerNode, "gpu") {
		c.add("TRESPerNode", "asks for GPUs, as GPUsPerNode does: set only one of them")
	}
}

// tres checks a list such as "gres/gpu:b200:8,license/matlab:1". The classic mistake is sbatch's spelling for
// GRES, "gpu:8", which Slurm's REST API refuses with an error that does not say why.
func (c *checker) tres(field, value string) {
	if value == "" {
		return
	}
	c.line(field, value)
	for _, part := range strings.Split(value, ",") {
		kind, _, _ := strings.Cut(part, ":")
		if name, _, ok := strings.Cut(kind, "="); ok {
			kind = name
		}
		switch kind {
		case "gpu", "nic", "mps", "shard", "tpu":
			c.add(field, "%s lacks its kind of resource: want %s", strconv.Quote(abbreviate(part)),
				strconv.Quote("gres/"+abbreviate(part)))
		case "":
			c.add(field, "has an empty entry")
		}
	}
}

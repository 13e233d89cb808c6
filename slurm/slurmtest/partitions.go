package slurmtest

import (
	"net/http"
	"strings"
)

func (s *Server) listPartitions(c *call) *reply {
	r := &reply{}
	if s.controllerDown {
		return &reply{status: http.StatusBadGateway, bare: true} // it does not say why
	}
	if answer, done := s.unchanged(c, r, "op_handler_partitions"); done {
		return answer
	}
	return s.dumpPartitions(r, s.partitions)
}

func (s *Server) onePartition(c *call) *reply {
	r := &reply{}
	p := s.partition(c.path[3])
	switch {
	case s.controllerDown:
		return r.fail(codeNoController, "Unable to query partitions", "slurm_load_partitions()")
	case p == nil:
		return r.reject("Unable to find partition "+c.path[3], "op_handler_partition")
	}
	return s.dumpPartitions(r, []*partition{p})
}

func (s *Server) dumpPartitions(r *reply, parts []*partition) *reply {
	records := []object{}
	for _, p := range parts {
		records = append(records, p.record())
	}
	r.payload = object{{"partitions", records}, {"last_update", moment(s.lastUpdate)}}
	return r
}

func (p *partition) record() object {
	var names []string
	var cpus, mb, gpus int64
	kind := ""
	for _, n := range p.nodes {
		names = append(names, n.Name)
		cpus, mb, gpus = cpus+int64(n.CPUs), mb+int64(n.MemoryMB), gpus+int64(n.GPUs)
		if n.GPUType != "" {
			kind = n.GPUType
		}
	}
	state, defaultTime := "UP", unset
	if p.Down {
		state = "DOWN"
	}
	if p.DefaultTime > 0 {
		defaultTime = minutes(p.DefaultTime)
	}
	return object{
		{"nodes", object{{"allowed_allocation", ""}, {"configured", joinHosts(names)}, {"total", len(names)}}},
		{"accounts", object{{"allowed", strings.Join(p.AllowAccounts, ",")}, {"deny", ""}}},
		{"groups", object{{"allowed", ""}}},
		{"qos", object{{"allowed", ""}, {"deny", ""}, {"assigned", ""}}},
		{"alternate", ""},
		{"tres", object{{"billing_weights", ""}, {"configured", tresString(cpus, mb, int64(len(names)), gpus, kind)}}},
		{"cluster", ""},
		{"select_type", []string{}},
		{"cpus", object{{"task_binding", 0}, {"total", cpus}}},
		{"defaults", object{
			{"memory_per_cpu", 0}, {"partition_memory_per_cpu", unset}, {"partition_memory_per_node", number(0)},
			{"time", defaultTime}, {"job", ""},
		}},
		{"grace_time", 0},
		{"maximums", object{
			{"cpus_per_node", infinite}, {"cpus_per_socket", infinite}, {"memory_per_cpu", 0},
			{"partition_memory_per_cpu", unset}, {"partition_memory_per_node", number(0)}, {"nodes", infinite},
			{"shares", 1}, {"oversubscribe", object{{"jobs", 1}, {"flags", []string{}}}},
			{"time", minutes(p.MaxTime)}, {"over_time_limit", unset},
		}},
		{"minimums", object{{"nodes", 0}}},
		{"name", p.Name},
		{"node_sets", ""},
		{"priority", object{{"job_factor", 1}, {"tier", 1}}},
		{"timeouts", object{{"resume", unset}, {"suspend", unset}}},
		{"partition", object{{"state", []string{state}}}},
		{"suspend_time", unset},
	}
}

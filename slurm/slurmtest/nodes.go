package slurmtest

import (
	"fmt"
	"time"
)

func (s *Server) listNodes(c *call) *reply {
	r := &reply{}
	if s.controllerDown {
		return r.fail(codeNoController, "Failure to query nodes", "_dump_nodes")
	}
	if answer, done := s.unchanged(c, r, "op_handler_nodes"); done {
		return answer
	}
	return s.dumpNodes(r, s.nodes)
}

func (s *Server) oneNode(c *call) *reply {
	r := &reply{}
	n := s.node(c.path[3])
	switch {
	case s.controllerDown:
		return r.fail(codeNoController, "Failure to query node "+c.path[3], "_dump_nodes")
	case n == nil:
		return r.fail(codeNone, "Failure to query node "+c.path[3], "_dump_nodes")
	}
	return s.dumpNodes(r, []*node{n})
}

func (s *Server) dumpNodes(r *reply, nodes []*node) *reply {
	records := []object{}
	for _, n := range nodes {
		records = append(records, n.record(s.started))
	}
	r.payload = object{{"nodes", records}, {"last_update", moment(s.lastUpdate)}}
	return r
}

func (n *node) states() []string {
	list := []string{"MIXED"}
	switch used := n.usedCPUs(); {
	case n.down:
		list[0] = "DOWN"
	case used == 0:
		list[0] = "IDLE"
	case used == n.CPUs:
		list[0] = "ALLOCATED"
	}
	if n.drained {
		list = append(list, "DRAIN")
	}
	return list
}

// reasonUser: an administrator drains nodes, and the controller finds them down.
func (n *node) reasonUser() string {
	if n.drained {
		return "root"
	}
	return ""
}

// gres are the node's GPUs, there and in use.
func (n *node) gres() (configured, used string) {
	if n.GPUs == 0 {
		return "", ""
	}
	kind := "gpu"
	if n.GPUType != "" {
		kind += ":" + n.GPUType
	}
	indexes := "N/A"
	var busy []string
	for i, holder := range n.gpus {
		if holder != nil {
			busy = append(busy, itoa(int64(i)))
		}
	}
	if len(busy) > 0 {
		indexes = ranges(busy)
	}
	return fmt.Sprintf("%s:%d", kind, n.GPUs), fmt.Sprintf("%s:%d(IDX:%s)", kind, len(busy), indexes)
}

func (n *node) tres() (configured, used string) {
	configured = fmt.Sprintf("cpu=%d,mem=%s,billing=%d", n.CPUs, memString(int64(n.MemoryMB)), n.CPUs) +
		gpuString(int64(n.GPUs), n.GPUType)
	if n.usedCPUs() > 0 {
		used = fmt.Sprintf("cpu=%d,mem=%s", n.usedCPUs(), memString(int64(n.usedMB))) +
			gpuString(int64(n.usedGPUs()), n.GPUType)
	}
	return configured, used
}

func (n *node) record(started time.Time) object {
	gres, gresUsed := n.gres()
	tres, tresUsed := n.tres()
	return object{
		{"architecture", "x86_64"}, {"burstbuffer_network_address", ""}, {"boards", 1},
		{"boot_time", moment(started)}, {"cluster_name", ""}, {"cores", min(n.CPUs, coresPerSocket)},
		{"specialized_cores", 0}, {"cpu_binding", 0}, {"cpu_load", 0},
		{"free_mem", number(int64(n.MemoryMB - n.usedMB))}, {"cpus", n.CPUs}, {"effective_cpus", n.CPUs},
		{"specialized_cpus", ""},
		{"energy", object{
			{"average_watts", 0}, {"base_consumed_energy", 0}, {"consumed_energy", 0},
			{"current_watts", number(0)}, {"previous_consumed_energy", 0}, {"last_collected", 0},
		}},
		{"external_sensors", object{}}, {"extra", ""}, {"power", object{}},
		{"features", n.Features}, {"active_features", n.Features}, {"gpu_spec", ""},
		{"gres", gres}, {"gres_drained", "N/A"}, {"gres_used", gresUsed},
		{"instance_id", ""}, {"instance_type", ""}, {"last_busy", moment(started)}, {"mcs_label", ""},
		{"specialized_memory", 0}, {"name", n.Name}, {"next_state_after_reboot", []string{"INVALID"}},
		{"address", "127.0.0.1"}, {"hostname", "ctl"}, {"state", n.states()}, {"operating_system", "Linux"},
		{"owner", ""}, {"partitions", n.partitions}, {"port", 17010}, {"real_memory", n.MemoryMB},
		{"res_cores_per_gpu", 0}, {"comment", ""}, {"reason", n.reason}, {"reason_changed_at", moment(n.changed)},
		{"reason_set_by_user", n.reasonUser()}, {"resume_after", number(0)}, {"reservation", ""},
		{"alloc_memory", n.usedMB}, {"alloc_cpus", n.usedCPUs()}, {"alloc_idle_cpus", n.CPUs - n.usedCPUs()},
		{"tres_used", tresUsed}, {"tres_weighted", decimal(0)}, {"slurmd_start_time", moment(started)},
		{"sockets", max(n.CPUs/coresPerSocket, 1)}, {"threads", 1}, {"temporary_disk", 0}, {"weight", 1},
		{"tres", tres}, {"version", "24.11.5"},
	}
}

package slurmtest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// latency is what pings report, in microseconds.
const latency = 500

func (s *Server) ping(*call) *reply {
	r := &reply{}
	pinged, responding := "UP", true
	if s.controllerDown {
		pinged, responding = "DOWN", false
	}
	r.add("pings", []object{{
		{"hostname", "ctl"}, {"pinged", pinged}, {"responding", responding}, {"latency", latency},
		{"mode", "primary"}, {"primary", true},
	}})
	return r
}

func (s *Server) databasePing(*call) *reply {
	if s.databaseDown {
		return s.noDatabase()
	}
	r := s.databaseReply()
	r.add("pings", []object{{
		{"hostname", "localhost"}, {"responding", true}, {"latency", latency}, {"primary", true},
	}})
	return r
}

// unchanged answers reads of nodes and partitions with nothing new: 304
// without a body, unlike the job list.
func (s *Server) unchanged(c *call, r *reply, source string) (*reply, bool) {
	view, ok := s.view(c, r, source)
	if !ok {
		return r, true
	}
	if !view.since.IsZero() && view.since.Unix() >= s.lastUpdate.Unix() {
		return &reply{status: http.StatusNotModified}, true
	}
	return nil, false
}

func (s *Server) listNodes(c *call) *reply {
	r := &reply{}
	if s.controllerDown {
		return r.fail(codeNoController, "Failure to query nodes", "slurm_load_node()")
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
	used := n.usedCPUs()
	switch {
	case n.down:
		return []string{"DOWN"}
	case used == 0:
		return []string{"IDLE"}
	case used == n.CPUs:
		return []string{"ALLOCATED"}
	}
	return []string{"MIXED"}
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
			busy = append(busy, id(int64(i)))
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
		{"reason_set_by_user", ""}, {"resume_after", number(0)}, {"reservation", ""},
		{"alloc_memory", n.usedMB}, {"alloc_cpus", n.usedCPUs()}, {"alloc_idle_cpus", n.CPUs - n.usedCPUs()},
		{"tres_used", tresUsed}, {"tres_weighted", decimal(0)}, {"slurmd_start_time", moment(started)},
		{"sockets", max(n.CPUs/coresPerSocket, 1)}, {"threads", 1}, {"temporary_disk", 0}, {"weight", 1},
		{"tres", tres}, {"version", "24.11.5"},
	}
}

func (s *Server) listPartitions(c *call) *reply {
	r := &reply{}
	if s.controllerDown {
		return r.fail(codeNoController, "Unable to query partitions", "slurm_load_partitions()")
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

func (s *Server) listLicenses(*call) *reply {
	r := &reply{}
	if s.controllerDown {
		return r.fail(codeNoController, "Unable to query licenses", "slurm_load_licenses()")
	}
	records := []object{}
	for _, l := range s.set.licenses {
		records = append(records, object{
			{"LicenseName", l.name}, {"Total", l.total}, {"Used", l.used}, {"Free", l.total - l.used},
			{"Remote", false}, {"Reserved", 0}, {"LastConsumed", 0}, {"LastDeficit", 0}, {"LastUpdate", 0},
		})
	}
	r.payload = object{{"licenses", records}, {"last_update", moment(s.lastUpdate)}}
	return r
}

package slurmtest

import (
	"slices"
	"strconv"
	"strings"
)

// The versions of the API. Handlers answer as the newest does, with the members
// of all of them; what a version lacks is taken out of its records.
const (
	v40 = "v0.0.40"
	v41 = "v0.0.41"
	v42 = "v0.0.42"
)

var versions = []string{v40, v41, v42}

// absent are the members that each version's records lack, by the list they
// are in. The lists of accounting are "history".
var absent = map[string]map[string]string{
	v40: {
		"jobs": "priority_by_partition required_switches",
		"history": `qosreq restart_cnt stdin_expanded stdout_expanded stderr_expanded stdout stderr stdin
			time/planned`,
		"nodes":      "gpu_spec res_cores_per_gpu",
		"partitions": "select_type",
		"pings":      "responding primary",
	},
	v41: {
		"jobs":    "priority_by_partition required_switches",
		"history": "qosreq restart_cnt",
		"pings":   "responding primary",
	},
	v42: {
		"jobs": "minimum_switches exclusive oversubscribe show_flags",
	},
}

// absentInput are the members that a submit or an update of each version does
// not know.
var absentInput = map[string]string{
	v40: "oom_kill_step segment_size resv_mpi_ports",
	v41: "oom_kill_step cores_per_socket",
	v42: "exclusive oversubscribe cores_per_socket resv_mpi_ports",
}

// jobFieldsOf are the members of a job description, by version.
var jobFieldsOf = func() map[string]map[string]field {
	all := map[string]map[string]field{}
	for _, version := range versions {
		all[version] = map[string]field{}
		lacks := strings.Fields(absentInput[version])
		for name, f := range jobFields {
			if !slices.Contains(lacks, name) {
				all[version][name] = f
			}
		}
	}
	return all
}()

func (c *call) version() string {
	if len(c.path) < 2 || !slices.Contains(versions, c.path[1]) {
		return v42 // what a job of AddJob is written in
	}
	return c.path[1]
}

// suit makes a reply one of its version.
func (r *reply) suit(version string) *reply {
	r.version = version
	for _, m := range r.payload {
		list := m.name
		if r.database && list == "jobs" {
			list = "history"
		}
		records, _ := m.value.([]object)
		for i := range records {
			if lacks := absent[version][list]; lacks != "" {
				records[i] = records[i].without(strings.Fields(lacks), "")
			}
			if version == v40 && list == "jobs" {
				records[i].oldResources()
			}
		}
	}
	return r
}

// without leaves members out: "time/planned" is one of an inner object.
func (o object) without(names []string, path string) object {
	kept := make(object, 0, len(o))
	for _, m := range o {
		if slices.Contains(names, path+m.name) {
			continue
		}
		if inner, ok := m.value.(object); ok && path == "" {
			m.value = inner.without(names, m.name+"/")
		}
		kept = append(kept, m)
	}
	return kept
}

func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// oldResources rewrites job_resources in the form of v0.0.40, which names the
// allocated cores and no others.
func (o object) oldResources() {
	for i := range o {
		if o[i].name != "job_resources" {
			continue
		}
		resources, ok := o[i].value.(object)
		if !ok {
			o[i].value = object{}
			return
		}
		nodes := resources.get("nodes").(object)
		var allocated []object
		for _, n := range nodes.get("allocation").([]object) {
			memory := n.get("memory").(object)
			allocated = append(allocated, object{
				{"sockets", oldSockets(n.get("sockets").([]object))},
				{"nodename", n.get("name")},
				{"cpus_used", 0},
				{"memory_used", 0},
				{"memory_allocated", memory.get("allocated")},
			})
		}
		o[i].value = object{
			{"nodes", nodes.get("list")},
			{"allocated_cores", resources.get("cpus")},
			{"allocated_cpus", 0},
			{"allocated_hosts", nodes.get("count")},
			{"allocated_nodes", allocated},
		}
	}
}

func oldSockets(sockets []object) object {
	old := object{}
	for i, socket := range sockets {
		cores := object{}
		for k, core := range socket.get("cores").([]object) {
			if core.get("status").([]string)[0] == "ALLOCATED" {
				cores = append(cores, member{strconv.Itoa(k), "allocated"})
			}
		}
		if len(cores) > 0 {
			old = append(old, member{strconv.Itoa(i), object{{"cores", cores}}})
		}
	}
	return old
}

// exclusive and oversubscribe say what "shared" alone says since v0.0.42.
func (j *job) oldExclusive() []string {
	list := []string{}
	for _, word := range j.shared {
		switch word {
		case "none":
			word = "true"
		case "oversubscribe":
			word = "false"
		}
		list = append(list, word)
	}
	return list
}

// sharing reads "shared", or the members that stood for it before.
func (v values) sharing() []string {
	shared := v.list("shared")
	for _, word := range v.list("exclusive") {
		switch word {
		case "true":
			word = "none"
		case "false":
			word = "oversubscribe"
		}
		shared = append(shared, word)
	}
	if v.yes("oversubscribe") {
		shared = append(shared, "oversubscribe")
	}
	slices.Sort(shared)
	return slices.Compact(shared)
}

package slurmtest

import (
	"fmt"
	"strconv"
)

// coresPerSocket is how the nodes here are built: CPUs beyond eight are on a
// further socket.
const coresPerSocket = 8

// resources is job_resources: null until something is allocated, and still
// there after the end.
func (j *job) resources() any {
	if len(j.allocation) == 0 {
		return nil
	}
	var nodes []object
	for i, share := range j.allocation {
		nodes = append(nodes, object{
			{"index", i},
			{"name", share.node.Name},
			{"cpus", object{{"count", len(share.cores)}, {"used", 0}}},
			{"memory", object{{"used", 0}, {"allocated", share.mb}}},
			{"sockets", share.sockets()},
		})
	}
	return object{
		{"select_type", []string{"CORE"}},
		{"nodes", object{
			{"count", len(nodes)},
			{"select_type", []string{"ONE_ROW"}},
			{"list", joinHosts(j.nodeNames())},
			{"whole", j.exclusive()},
			{"allocation", nodes},
		}},
		{"cpus", j.need.cpus},
		{"threads_per_core", unset},
	}
}

func (sh *share) sockets() []object {
	held := map[int]bool{}
	for _, core := range sh.cores {
		held[core] = true
	}
	var sockets []object
	for first := 0; first < sh.node.CPUs; first += coresPerSocket {
		var cores []object
		for core := first; core < min(first+coresPerSocket, sh.node.CPUs); core++ {
			status := "UNALLOCATED"
			if held[core] {
				status = "ALLOCATED"
			}
			cores = append(cores, object{{"index", core - first}, {"status", []string{status}}})
		}
		sockets = append(sockets, object{{"index", len(sockets)}, {"cores", cores}})
	}
	return sockets
}

// gresDetail names the GPUs held on each node, while they are held.
func (j *job) gresDetail() []string {
	list := []string{}
	if j.ended() {
		return list
	}
	for _, share := range j.allocation {
		if len(share.gpus) == 0 {
			continue
		}
		kind := "gpu"
		if share.node.GPUType != "" {
			kind += ":" + share.node.GPUType
		}
		var indexes []string
		for _, i := range share.gpus {
			indexes = append(indexes, strconv.Itoa(i))
		}
		list = append(list, fmt.Sprintf("%s:%d(IDX:%s)", kind, len(share.gpus), ranges(indexes)))
	}
	return list
}

package slurmtest

import (
	"slices"
	"strings"
	"time"
)

// Node is a machine.
type Node struct {
	Name     string
	CPUs     int
	MemoryMB int
	GPUs     int
	GPUType  string   // "b200"; may be empty
	Features []string // what constraints can ask for
}

// Partition is a set of nodes with limits. A node that stands in several
// partitions is one node; its first description counts.
type Partition struct {
	Name          string
	Nodes         []Node
	Default       bool          // takes jobs that name no partition
	DefaultTime   time.Duration // for jobs without a limit; 0 is MaxTime
	MaxTime       time.Duration // 0 is no limit
	Down          bool          // takes jobs and starts none
	AllowAccounts []string      // empty allows all
}

// Nodes makes a node like the given one for each name of a host list such as
// "g[1-4]" or "g1,g2".
func Nodes(hostlist string, like Node) []Node {
	var nodes []Node
	for _, name := range expandHosts(hostlist) {
		n := like
		n.Name = name
		nodes = append(nodes, n)
	}
	return nodes
}

// DefaultPartitions is what a server has unless told otherwise: "cpu", the
// default, with nodes n1 and n2 of 8 CPUs (30 minutes unless asked, at most a
// day), and "a4" with g1 and g2 of 16 CPUs and 8 b200 GPUs (an hour, at most
// four).
func DefaultPartitions() []Partition {
	cpu := Node{CPUs: 8, MemoryMB: 32000, Features: []string{"cpu", "c4"}}
	gpu := Node{CPUs: 16, MemoryMB: 64000, GPUs: 8, GPUType: "b200", Features: []string{"a4", "b200"}}
	return []Partition{
		{
			Name: "cpu", Nodes: Nodes("n[1-2]", cpu), Default: true,
			DefaultTime: 30 * time.Minute, MaxTime: 24 * time.Hour,
		},
		{
			Name: "a4", Nodes: Nodes("g[1-2]", gpu),
			DefaultTime: time.Hour, MaxTime: 4 * time.Hour,
		},
	}
}

// node is a machine and who holds which part of it.
type node struct {
	Node
	cores      []*job // by core; nil is free
	gpus       []*job // by GPU
	usedMB     int
	down       bool
	drained    bool
	reason     string
	changed    time.Time
	partitions []string
}

type partition struct {
	Partition
	nodes []*node
}

type license struct {
	name        string
	total, used int
}

// build joins the nodes that several partitions share. Node lists go by name.
func build(partitions []Partition) ([]*partition, []*node) {
	var parts []*partition
	var all []*node
	for _, p := range partitions {
		part := &partition{Partition: p}
		for _, n := range p.Nodes {
			i := slices.IndexFunc(all, func(have *node) bool { return have.Name == n.Name })
			if i < 0 {
				i = len(all)
				all = append(all, &node{Node: n, cores: make([]*job, n.CPUs), gpus: make([]*job, n.GPUs)})
			}
			all[i].partitions = append(all[i].partitions, p.Name)
			part.nodes = append(part.nodes, all[i])
		}
		parts = append(parts, part)
	}
	slices.SortFunc(all, func(a, b *node) int { return strings.Compare(a.Name, b.Name) })
	return parts, all
}

func free(slots []*job) int {
	n := 0
	for _, holder := range slots {
		if holder == nil {
			n++
		}
	}
	return n
}

// take hands the first n free slots to j and says which they are.
func take(slots []*job, n int, j *job) []int {
	var taken []int
	for i := range slots {
		if len(taken) < n && slots[i] == nil {
			slots[i] = j
			taken = append(taken, i)
		}
	}
	return taken
}

func release(slots []*job, j *job) {
	for i := range slots {
		if slots[i] == j {
			slots[i] = nil
		}
	}
}

func (n *node) usedCPUs() int { return len(n.cores) - free(n.cores) }
func (n *node) usedGPUs() int { return len(n.gpus) - free(n.gpus) }

func (s *Server) partition(name string) *partition {
	for _, p := range s.partitions {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (s *Server) node(name string) *node {
	for _, n := range s.nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

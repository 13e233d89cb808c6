package slurm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// NodeState is the base state of a node. The set is open.
type NodeState string

// The base states of nodes in Slurm 24.11.
const (
	NodeIdle      NodeState = "IDLE"      // no job runs on it
	NodeMixed     NodeState = "MIXED"     // jobs use a part of it
	NodeAllocated NodeState = "ALLOCATED" // jobs use all of it
	NodeDown      NodeState = "DOWN"      // unusable
	NodeError     NodeState = "ERROR"     // unusable
	NodeFuture    NodeState = "FUTURE"    // configured, but not there yet
	NodeUnknown   NodeState = "UNKNOWN"   // not heard of since the controller started
)

func (s NodeState) known() bool {
	switch s {
	case NodeIdle, NodeMixed, NodeAllocated, NodeDown, NodeError, NodeFuture, NodeUnknown:
		return true
	}
	return false
}

// Idle reports whether no job runs on the node. Whether it takes any is for [Node.Usable] to say.
func (s NodeState) Idle() bool { return s == NodeIdle }

// Busy reports whether jobs run on the node.
func (s NodeState) Busy() bool { return s == NodeMixed || s == NodeAllocated }

// Mixed reports whether jobs use a part of the node.
func (s NodeState) Mixed() bool { return s == NodeMixed }

// Allocated reports whether jobs use all of the node.
func (s NodeState) Allocated() bool { return s == NodeAllocated }

// Down reports whether s is [NodeDown]. A cloud node that is powered down can be that too: see [Node.Usable].
func (s NodeState) Down() bool { return s == NodeDown }

// Errored reports whether s is [NodeError].
func (s NodeState) Errored() bool { return s == NodeError }

// Future reports whether the node is configured, but not there yet.
func (s NodeState) Future() bool { return s == NodeFuture }

// Unknown reports whether s is [NodeUnknown], which is a state of Slurm's. It is false for one that this package does not
// know.
func (s NodeState) Unknown() bool { return s == NodeUnknown }

// String returns the state as Slurm spells it.
func (s NodeState) String() string { return string(s) }

// NodeFlag says more about a node's state. A node that is IDLE with DRAIN takes no jobs. The set is open.
type NodeFlag string

// The flags that decide whether a node takes jobs.
const (
	NodeDrain         NodeFlag = "DRAIN"          // an administrator, or Slurm itself, keeps jobs off it
	NodeFail          NodeFlag = "FAIL"           // expected to fail
	NodeMaintenance   NodeFlag = "MAINTENANCE"    // in a reservation for maintenance
	NodeNotResponding NodeFlag = "NOT_RESPONDING" // the controller cannot reach it
	NodeCloud         NodeFlag = "CLOUD"          // exists only while it is needed
	NodePoweredDown   NodeFlag = "POWERED_DOWN"   // does not exist at present; a job makes Slurm create it
	NodePoweringUp    NodeFlag = "POWERING_UP"    // is being created
	NodePoweringDown  NodeFlag = "POWERING_DOWN"  // is being deleted
	NodeCompleting    NodeFlag = "COMPLETING"     // a job on it is ending
	NodeReserved      NodeFlag = "RESERVED"       // in a reservation
	NodePlanned       NodeFlag = "PLANNED"        // kept free for a job that is to start
)

// Node is a compute node as the Slurm controller sees it.
type Node struct {
	Name       string
	Address    string
	Hostname   string
	State      NodeState
	Flags      []NodeFlag
	Reason     string // why it is down or drained; "" otherwise
	ReasonTime time.Time
	ReasonUser string

	Partitions     []string
	Features       []string // those it may have
	ActiveFeatures []string
	GRES           string // "gpu:b200:8"
	GRESUsed       string // "gpu:b200:0(IDX:N/A)"

	CPUs        int
	CPUsUsed    int
	Memory      int64 // bytes configured
	MemoryUsed  int64 // bytes given to jobs
	MemoryFree  int64 // bytes the operating system reports as free; 0 if unknown
	Total       Resources
	Used        Resources
	BootTime    time.Time
	LastBusy    time.Time
	Reservation string
	Comment     string
	Version     string // of Slurm on the node

	Odd []OddMember // members that could not be read, as in Job
}

// Has reports whether the node has the flag.
func (n *Node) Has(flag NodeFlag) bool { return slices.Contains(n.Flags, flag) }

// Usable reports whether the node can take jobs, now or once it is powered up or free again.
func (n *Node) Usable() bool {
	switch n.State {
	case NodeIdle, NodeMixed, NodeAllocated:
		return !n.Has(NodeDrain) && !n.Has(NodeFail) && !n.Has(NodeMaintenance) && !n.Has(NodeNotResponding)
	case NodeDown:
		return n.Has(NodeCloud) && n.Has(NodePoweredDown)
	}
	return false
}

// GPUs returns the number of GPUs of the node.
func (n *Node) GPUs() int64 { return n.Total.GPUs() }

// String returns the node in one line: name, state with flags, and reason.
func (n *Node) String() string {
	if n == nil {
		return "no node"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "node %s %s", n.Name, n.State)
	for _, flag := range n.Flags {
		b.WriteString("+" + string(flag))
	}
	if n.Reason != "" {
		b.WriteString(": " + foreign.OneLine(n.Reason))
	}
	return foreign.Printable(b.String())
}

// decodeNodes reads the list "nodes" of an answer: see [decodeRecords].
func decodeNodes(r *reply) ([]*Node, error) {
	var nodes []*Node
	err := decodeRecords(r, "nodes", func(d *decoder, record *jsonx.Object) error {
		var node Node
		node.Odd = eachOdd(record, func(name string, value []byte) error { return d.nodeMember(&node, name, value) })
		nodes = append(nodes, &node)
		return nil
	})
	return nodes, err
}

func (d *decoder) nodeMember(n *Node, name string, raw []byte) (err error) {
	switch name {
	case "name":
		n.Name, err = d.text(raw)
	case "address":
		n.Address, err = d.text(raw)
	case "hostname":
		n.Hostname, err = d.text(raw)
	case "state":
		err = d.nodeState(n, raw)
	case "reason":
		n.Reason, err = d.text(raw)
	case "reason_changed_at":
		n.ReasonTime, err = readTime(raw)
	case "reason_set_by_user":
		n.ReasonUser, err = d.text(raw)
	case "partitions":
		n.Partitions, err = d.words(raw)
	case "features":
		n.Features, err = d.words(raw)
	case "active_features":
		n.ActiveFeatures, err = d.words(raw)
	case "gres":
		n.GRES, err = d.text(raw)
	case "gres_used":
		n.GRESUsed, err = d.text(raw)
	default:
		return d.nodeAmount(n, name, raw)
	}
	return err
}

func (d *decoder) nodeAmount(n *Node, name string, raw []byte) (err error) {
	switch name {
	case "cpus":
		n.CPUs, err = readCount(raw)
	case "alloc_cpus":
		n.CPUsUsed, err = readCount(raw)
	case "real_memory":
		n.Memory, err = readMemory(raw)
	case "alloc_memory":
		n.MemoryUsed, err = readMemory(raw)
	case "free_mem":
		n.MemoryFree, err = readMemory(raw)
	case "tres":
		n.Total, err = d.resources(raw)
	case "tres_used":
		n.Used, err = d.resources(raw)
	case "boot_time":
		n.BootTime, err = readTime(raw)
	case "last_busy":
		n.LastBusy, err = readTime(raw)
	case "reservation":
		n.Reservation, err = d.text(raw)
	case "comment":
		n.Comment, err = d.text(raw)
	case "version":
		n.Version, err = d.text(raw)
	}
	return err
}

// nodeState splits the list of names as baseState does for jobs.
func (d *decoder) nodeState(n *Node, raw []byte) error {
	names, err := d.words(raw)
	for _, name := range names {
		switch {
		case NodeState(name).known() && n.State == "":
			n.State = NodeState(name)
		case name != "":
			n.Flags = append(n.Flags, NodeFlag(name))
		}
	}
	if n.State == "" && len(names) > 0 {
		n.State = NodeState(names[0])
	}
	return err
}

// eachOdd calls member for each member of a record, and collects the errors instead of stopping at them.
func eachOdd(record *jsonx.Object, member func(name string, value []byte) error) (odd []OddMember) {
	for n := range record.Len() {
		name := string(record.Name(n))
		if err := member(name, record.Value(n)); err != nil {
			odd = append(odd, oddOf(name, err))
		}
	}
	return odd
}

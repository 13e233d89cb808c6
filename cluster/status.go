package cluster

import "time"

// ClusterStatus is what the service reports of a cluster.
type ClusterStatus struct {
	State State `json:"state"`
	// NodesStatus has one entry for each node.
	NodesStatus []*NodeStatus `json:"nodesStatus"`
	// Detail is a text for people, where there is one.
	Detail string `json:"detail"`

	Unknown Unknown `json:"-"`
}

// NodeStatus is what the service reports of a node. Only the name of NodeState is published; the other three
// facts are documented without their names, and if the service calls them otherwise, or gives them another form, they
// are in Unknown.
type NodeStatus struct {
	NodeState       NodeState `json:"nodeState"`
	Instance        string    `json:"instance" wire:"guess"`        // the Compute Engine VM, CLUSTER-POOL-INDEX
	NodePoolID      string    `json:"nodePoolId" wire:"guess"`      // the pool it belongs to
	StateUpdateTime time.Time `json:"stateUpdateTime" wire:"guess"` // when the state last changed

	Unknown Unknown `json:"-"`
}

// State is the state of a cluster. New values may appear at any time.
type State string

const (
	StateProvisioning State = "PROVISIONING"
	StateRunning      State = "RUNNING"
	StateUpdating     State = "UPDATING"
	StateStopping     State = "STOPPING"
	StateError        State = "ERROR"
)

// Running reports whether the cluster takes jobs and updates.
func (s State) Running() bool { return s == StateRunning }

// Failed reports whether the cluster is in state ERROR.
func (s State) Failed() bool { return s == StateError }

// Provisioning reports whether the cluster is being created.
func (s State) Provisioning() bool { return s == StateProvisioning }

// Updating reports whether an update is under way.
func (s State) Updating() bool { return s == StateUpdating }

// Stopping reports whether s is STOPPING.
func (s State) Stopping() bool { return s == StateStopping }

// Changing reports whether the service is at work on the cluster.
func (s State) Changing() bool {
	return s == StateProvisioning || s == StateUpdating || s == StateStopping
}

// NodeState is the state of a node. New values may appear at any time; REPAIRING, for one, is documented apart
// from the others.
type NodeState string

const (
	NodeStatePreparing NodeState = "PREPARING"
	NodeStateRunning   NodeState = "RUNNING"
	NodeStateUpdating  NodeState = "UPDATING"
	NodeStateRepairing NodeState = "REPAIRING"
	NodeStateError     NodeState = "ERROR"
)

// Running reports whether the node is up.
func (s NodeState) Running() bool { return s == NodeStateRunning }

// Failed reports whether the node is in state ERROR.
func (s NodeState) Failed() bool { return s == NodeStateError }

// Preparing reports whether s is PREPARING.
func (s NodeState) Preparing() bool { return s == NodeStatePreparing }

// Updating reports whether s is UPDATING.
func (s NodeState) Updating() bool { return s == NodeStateUpdating }

// Repairing reports whether s is REPAIRING.
func (s NodeState) Repairing() bool { return s == NodeStateRepairing }

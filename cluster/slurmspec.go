package cluster

import "fmt"

// OrchestratorSpec configures what schedules jobs. There is only Slurm.
type OrchestratorSpec struct {
	SlurmSpec *SlurmSpec `json:"slurmSpec"`

	Unknown Unknown `json:"-"`
}

// SlurmSpec configures Slurm. Each field but the first is updated by a mask path of its own, and as a whole.
type SlurmSpec struct {
	// HomeDirectoryStorage is the Filestore instance mounted as /home,
	// projects/PROJECT/locations/LOCATION/instances/NAME. Required; not updatable.
	HomeDirectoryStorage string `json:"homeDirectoryStorage"`

	// Partitions of the cluster. Where DefaultPartitionID is empty the first one is the default, so that their
	// order matters. Mask path: [PathPartitions].
	Partitions []*Partition `json:"partitions"`

	// DefaultPartitionID names the partition of jobs that ask for none. An update that removes that partition
	// is refused. Mask path: [PathDefaultPartitionID].
	DefaultPartitionID string `json:"defaultPartitionId"`

	// LoginNodePoolID is the pool of the login nodes. Mask path: [PathLoginNodePoolID].
	LoginNodePoolID string `json:"loginNodePoolId"`

	// PrologBashScripts and EpilogBashScripts are whole scripts, run before and after each job. Scripts that the
	// service manages run beside them and are not listed. Mask paths: [PathPrologBashScripts] and
	// [PathEpilogBashScripts].
	PrologBashScripts []string `json:"prologBashScripts"`
	EpilogBashScripts []string `json:"epilogBashScripts"`

	// Config holds cluster-wide parameters of slurm.conf. It excludes Scheduling and Accounting.
	// Mask path: [PathConfig].
	Config SlurmConfig `json:"config"`

	// NodeSets add parameters to the nodes of a pool, at most one for each pool and none for the login pool.
	// Mask path: [PathNodeSets].
	NodeSets []*NodeSet `json:"nodeSets"`

	// Scheduling and Accounting are the older form of Config. A cluster uses either these two or Config; a
	// request with both is refused. Mask paths: [PathScheduling] and [PathAccounting].
	Scheduling *Scheduling `json:"scheduling"`
	Accounting *Accounting `json:"accounting"`

	Unknown Unknown `json:"-"`
}

// Partition returns the partition with this id, or nil. It is the partition itself and no copy.
func (s *SlurmSpec) Partition(id string) *Partition {
	for _, p := range s.Partitions {
		if p != nil && p.ID == id {
			return p
		}
	}
	return nil
}

// SetDefaultPartition makes the partition with this id the default. It is an error, and nothing is changed, if there
// is no such partition. To return to the first one of the list, set DefaultPartitionID to "" and mask
// Clear([PathDefaultPartitionID]).
func (m *ModelDevelopmentCluster) SetDefaultPartition(id string) error {
	s := m.Slurm()
	if id == "" || s.Partition(id) == nil {
		return fmt.Errorf("cluster: cannot make %s the default partition; want the id of a partition: %s",
			quote(id), oneOf(s.partitionIDs()))
	}
	s.DefaultPartitionID = id
	return nil
}

func (s *SlurmSpec) partitionIDs() (ids []string) {
	for _, p := range s.Partitions {
		if p != nil {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// NodeSet returns the node set of the pool with this id, or nil. It is the node set itself and no copy.
func (s *SlurmSpec) NodeSet(poolID string) *NodeSet {
	for _, n := range s.NodeSets {
		if n != nil && n.NodePoolID == poolID {
			return n
		}
	}
	return nil
}

// EnsureNodeSet returns the node set of the pool with this id, adding an empty one where there is none:
//
//	m.Slurm().EnsureNodeSet("cpu").Config.Set("Weight", "10")
func (s *SlurmSpec) EnsureNodeSet(poolID string) *NodeSet {
	if n := s.NodeSet(poolID); n != nil {
		return n
	}
	n := &NodeSet{NodePoolID: poolID}
	s.NodeSets = append(s.NodeSets, n)
	return n
}

// Partition is a Slurm partition over one or more node pools.
type Partition struct {
	// ID is the partition's name in Slurm, unique in the cluster.
	ID string `json:"id"`
	// NodePoolIDs are the pools whose nodes it has, one or more.
	NodePoolIDs []string `json:"nodePoolIds"`
	// Config holds parameters of the PartitionName line of slurm.conf, such as MaxTime or PriorityTier.
	Config SlurmConfig `json:"config"`

	Unknown Unknown `json:"-"`
}

// NodeSet adds parameters to the NodeName line of a pool, such as Weight or Features.
type NodeSet struct {
	// NodePoolID is the pool.
	NodePoolID string `json:"nodePoolId"`
	// Config holds the parameters.
	Config SlurmConfig `json:"config"`

	Unknown Unknown `json:"-"`
}

// Scheduling is the older form of scheduling parameters. A member left out is reset to its default by an update
// that masks [PathScheduling].
type Scheduling struct {
	PriorityType            string `json:"priorityType"` // PriorityType in slurm.conf, and so on
	PriorityWeightAge       int64  `json:"priorityWeightAge"`
	PriorityWeightAssoc     int64  `json:"priorityWeightAssoc"`
	PriorityWeightFairshare int64  `json:"priorityWeightFairshare"`
	PriorityWeightJobSize   int64  `json:"priorityWeightJobSize"`
	PriorityWeightPartition int64  `json:"priorityWeightPartition"`
	PriorityWeightQOS       int64  `json:"priorityWeightQos"`
	PriorityWeightTRES      string `json:"priorityWeightTres"`
	PreemptType             string `json:"preemptType"`
	PreemptMode             string `json:"preemptMode"`       // a comma list
	PreemptExemptTime       string `json:"preemptExemptTime"` // in Slurm's form, such as 00:10:00

	Unknown Unknown `json:"-"`
}

// Accounting is the older form of accounting parameters.
type Accounting struct {
	AccountingStorageEnforce string `json:"accountingStorageEnforce"` // a comma list

	Unknown Unknown `json:"-"`
}

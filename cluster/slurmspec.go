package cluster

import "errors"

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

func (s *SlurmSpec) check() error {
	if s == nil {
		return nil
	}
	if len(s.Config) > 0 && (s.Scheduling != nil || s.Accounting != nil) {
		return errors.New("orchestrator_spec.slurm_spec has config together with scheduling or accounting, which the " +
			"service refuses; put every setting into config under its slurm.conf name and set Scheduling and Accounting to nil")
	}
	return nil
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

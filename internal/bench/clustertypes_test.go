package bench

import "time"

// The types below are the fields of cluster.ModelDevelopmentCluster as a careful user writes them: plain ones, which
// lose what they do not know.

type plainCluster struct {
	Name             string             `json:"name,omitempty"`
	DisplayName      string             `json:"displayName,omitempty"`
	Network          *plainNetwork      `json:"network,omitempty"`
	NodePools        []*plainPool       `json:"nodePools,omitempty"`
	OrchestratorSpec *plainOrchestrator `json:"orchestratorSpec,omitempty"`
	RuntimeSpec      *plainRuntime      `json:"runtimeSpec,omitempty"`
	Labels           map[string]string  `json:"labels,omitempty"`
	ClusterStatus    *plainStatus       `json:"clusterStatus,omitempty"`
	CreateTime       time.Time          `json:"createTime,omitzero"`
	UpdateTime       time.Time          `json:"updateTime,omitzero"`
}

type plainNetwork struct {
	Network    string `json:"network,omitempty"`
	Subnetwork string `json:"subnetwork,omitempty"`
}

type plainRuntime struct {
	ServiceAccount string `json:"serviceAccount,omitempty"`
}

type plainPool struct {
	ID                   string            `json:"id,omitempty"`
	MachineSpec          *plainMachine     `json:"machineSpec,omitempty"`
	ScalingSpec          *plainScaling     `json:"scalingSpec,omitempty"`
	Zone                 string            `json:"zone,omitempty"`
	EnablePublicIPs      bool              `json:"enablePublicIps,omitempty"`
	BootDisk             *plainDisk        `json:"bootDisk,omitempty"`
	ProvisioningModel    string            `json:"provisioningModel,omitempty"`
	FlexStartMaxDuration string            `json:"flexStartMaxDuration,omitempty"`
	StartupScript        string            `json:"startupScript,omitempty"`
	Filestores           []string          `json:"filestores,omitempty"`
	Lustres              []string          `json:"lustres,omitempty"`
	Labels               map[string]string `json:"labels,omitempty"`
	NodeImage            string            `json:"nodeImage,omitempty"`
}

type plainMachine struct {
	MachineType         string         `json:"machineType,omitempty"`
	AcceleratorType     string         `json:"acceleratorType,omitempty"`
	AcceleratorCount    int64          `json:"acceleratorCount,omitempty"`
	ReservationAffinity *plainAffinity `json:"reservationAffinity,omitempty"`
}

type plainAffinity struct {
	Type   string   `json:"reservationAffinityType,omitempty"`
	Key    string   `json:"key,omitempty"`
	Values []string `json:"values,omitempty"`
}

type plainScaling struct {
	MinNodeCount int64 `json:"minNodeCount,omitempty"`
	MaxNodeCount int64 `json:"maxNodeCount,omitempty"`
}

type plainDisk struct {
	BootDiskType   string `json:"bootDiskType,omitempty"`
	BootDiskSizeGB int64  `json:"bootDiskSizeGb,omitempty"`
}

type plainOrchestrator struct {
	SlurmSpec *plainSlurm `json:"slurmSpec,omitempty"`
}

type plainSlurm struct {
	HomeDirectoryStorage string            `json:"homeDirectoryStorage,omitempty"`
	Partitions           []*plainPartition `json:"partitions,omitempty"`
	DefaultPartitionID   string            `json:"defaultPartitionId,omitempty"`
	LoginNodePoolID      string            `json:"loginNodePoolId,omitempty"`
	PrologBashScripts    []string          `json:"prologBashScripts,omitempty"`
	EpilogBashScripts    []string          `json:"epilogBashScripts,omitempty"`
	Config               map[string]string `json:"config,omitempty"`
	NodeSets             []*plainNodeSet   `json:"nodeSets,omitempty"`
	Scheduling           *plainScheduling  `json:"scheduling,omitempty"`
	Accounting           *plainAccounting  `json:"accounting,omitempty"`
}

type plainPartition struct {
	ID          string            `json:"id,omitempty"`
	NodePoolIDs []string          `json:"nodePoolIds,omitempty"`
	Config      map[string]string `json:"config,omitempty"`
}

type plainNodeSet struct {
	NodePoolID string            `json:"nodePoolId,omitempty"`
	Config     map[string]string `json:"config,omitempty"`
}

type plainScheduling struct {
	PriorityType            string `json:"priorityType,omitempty"`
	PriorityWeightAge       int64  `json:"priorityWeightAge,omitempty"`
	PriorityWeightAssoc     int64  `json:"priorityWeightAssoc,omitempty"`
	PriorityWeightFairshare int64  `json:"priorityWeightFairshare,omitempty"`
	PriorityWeightJobSize   int64  `json:"priorityWeightJobSize,omitempty"`
	PriorityWeightPartition int64  `json:"priorityWeightPartition,omitempty"`
	PriorityWeightQOS       int64  `json:"priorityWeightQos,omitempty"`
	PriorityWeightTRES      string `json:"priorityWeightTres,omitempty"`
	PreemptType             string `json:"preemptType,omitempty"`
	PreemptMode             string `json:"preemptMode,omitempty"`
	PreemptExemptTime       string `json:"preemptExemptTime,omitempty"`
}

type plainAccounting struct {
	AccountingStorageEnforce string `json:"accountingStorageEnforce,omitempty"`
}

type plainStatus struct {
	State       string             `json:"state,omitempty"`
	NodesStatus []*plainNodeStatus `json:"nodesStatus,omitempty"`
	Detail      string             `json:"detail,omitempty"`
}

type plainNodeStatus struct {
	NodeState       string    `json:"nodeState,omitempty"`
	Instance        string    `json:"instance,omitempty"`
	NodePoolID      string    `json:"nodePoolId,omitempty"`
	StateUpdateTime time.Time `json:"stateUpdateTime,omitzero"`
}

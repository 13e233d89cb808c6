package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// largeCluster is the answer of GetCluster for a cluster with so many pools, in the service's layout: with GPUs, scripts,
// and members of a later version at several levels.
func largeCluster(tb testing.TB, pools int) []byte {
	tb.Helper()
	var list, partitions, nodes []string
	for i := range pools {
		id := fmt.Sprintf("pool%02d", i)
		list = append(list, largePool(i, id))
		partitions = append(partitions, fmt.Sprintf(`{"id":"part-%s","nodePoolIds":[%q],"config":{"MaxTime":"7-00:00:00","PriorityTier":"%d"}}`, id, id, i))
		for n := range 2 {
			nodes = append(nodes, fmt.Sprintf(`{"nodeState":"RUNNING","instance":"training-%s-%d","nodePoolId":%q,`+
				`"stateUpdateTime":"2026-10-05T08:%02d:%02d.123456Z","health":{"checks":[%d,2]}}`, id, n, id, i%60, n, i))
		}
	}
	doc := fmt.Sprintf(`{"name":"projects/123456789012/locations/us-central1/modelDevelopmentClusters/training","displayName":"training",
		"network":{"network":"projects/my-project/global/networks/my-network","subnetwork":"projects/my-project/regions/us-central1/subnetworks/my-subnet"},
		"nodePools":[%s],"orchestratorSpec":{"slurmSpec":{"homeDirectoryStorage":"projects/my-project/locations/us-central1-a/instances/home",
		"partitions":[%s],"defaultPartitionId":"part-pool01","loginNodePoolId":"pool00","prologBashScripts":["#!/bin/bash\necho prolog\n"],
		"config":{"PriorityType":"priority/multifactor","PriorityWeightAge":"1000","PreemptType":"preempt/partition_prio","PreemptMode":"REQUEUE"},
		"nodeSets":[{"nodePoolId":"pool01","config":{"Weight":"10"}}],"futureSpec":{"mode":"NEW"}}},
		"labels":{"env":"prod","team":"research"},"clusterStatus":{"state":"RUNNING","nodesStatus":[%s]},
		"createTime":"2026-10-01T00:00:00.5Z","updateTime":"2026-10-05T08:09:00Z","etag":"abc","policy":{"window":{"day":"SUNDAY","hours":[1,2,3]}}}`,
		strings.Join(list, ","), strings.Join(partitions[1:], ","), strings.Join(nodes, ","))
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(doc), "", "  "); err != nil {
		tb.Fatal(err)
	}
	return indented.Bytes()
}

// largePool is a login pool, or every third one of a kind.
func largePool(i int, id string) string {
	var own string
	switch {
	case i == 0:
		own = `"machineSpec":{"machineType":"n2-standard-8"},"scalingSpec":{"minNodeCount":1,"maxNodeCount":1}`
	case i%3 == 0:
		own = `"machineSpec":{"machineType":"a4-highgpu-8g","acceleratorType":"NVIDIA_B200","acceleratorCount":8,"reservationAffinity":{` +
			`"reservationAffinityType":"SPECIFIC_RESERVATION","key":"compute.googleapis.com/reservation-name",` +
			`"values":["projects/my-project/zones/us-central1-a/reservations/res-` + id + `"]},"topology":{"kind":"RAIL","domains":4}},` +
			`"scalingSpec":{"minNodeCount":2,"maxNodeCount":16},"provisioningModel":"RESERVATION"`
	case i%3 == 1:
		own = `"machineSpec":{"machineType":"a3-megagpu-8g","acceleratorType":"NVIDIA_H100_MEGA_80GB","acceleratorCount":8},` +
			`"scalingSpec":{"maxNodeCount":8},"provisioningModel":"FLEX_START","flexStartMaxDuration":"604800s"`
	default:
		own = `"machineSpec":{"machineType":"n2-standard-32"},"scalingSpec":{"minNodeCount":0,"maxNodeCount":4},` +
			`"startupScript":"#!/bin/bash\nset -eu\necho \"pool ` + id + `\" > /etc/pool && mkdir -p /scratch\n"`
	}
	disk := "hyperdisk-balanced"
	if i%3 == 2 {
		disk = "pd-ssd"
	}
	return fmt.Sprintf(`{"id":%q,%s,"zone":"us-central1-a","enablePublicIps":false,"bootDisk":{"bootDiskType":%q,"bootDiskSizeGb":"200"},
		"filestores":["projects/my-project/locations/us-central1-a/instances/data"],"labels":{"team":"research","tier":"t%d"},
		"nodeImage":"projects/example-image-project/global/images/example-slurm-image-20260901","maintenance":{"policy":"DEFERRED","days":[1,2]}}`,
		id, own, disk, i%4)
}

// plainCluster has the fields of a cluster as somebody would write them out for encoding/json.
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
	ReservationAffinityType string   `json:"reservationAffinityType,omitempty"`
	Key                     string   `json:"key,omitempty"`
	Values                  []string `json:"values,omitempty"`
}

type plainScaling struct {
	MinNodeCount int64 `json:"minNodeCount,omitempty"`
	MaxNodeCount int64 `json:"maxNodeCount,omitempty"`
}

type plainDisk struct {
	BootDiskType   string `json:"bootDiskType,omitempty"`
	BootDiskSizeGB int64  `json:"bootDiskSizeGb,string,omitempty"`
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

type plainStatus struct {
	State       string       `json:"state,omitempty"`
	NodesStatus []*plainNode `json:"nodesStatus,omitempty"`
	Detail      string       `json:"detail,omitempty"`
}

type plainNode struct {
	NodeState       string    `json:"nodeState,omitempty"`
	Instance        string    `json:"instance,omitempty"`
	NodePoolID      string    `json:"nodePoolId,omitempty"`
	StateUpdateTime time.Time `json:"stateUpdateTime,omitzero"`
}

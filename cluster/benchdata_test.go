package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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

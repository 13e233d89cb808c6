package bench

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

const pools = 50

// clusterDocument is a cluster as the service sends it: 50 pools of several kinds with partitions and the states of
// their nodes, and members at several levels that nobody knows yet.
func clusterDocument() []byte {
	var nodePools, partitions, nodeSets, nodes []string
	for i := range pools {
		nodePools = append(nodePools, poolDocument(i))
		partitions = append(partitions, fmt.Sprintf(`{"id":"part%d","nodePoolIds":["pool%d"],"config":{"MaxTime":"4-00:00:00"},"exclusive":%t}`,
			i, i, i%5 == 0))
		nodeSets = append(nodeSets, fmt.Sprintf(`{"nodePoolId":"pool%d","config":{"Weight":"%d"}}`, i, i+1))
		for n := range 4 {
			nodes = append(nodes, fmt.Sprintf(`{"nodeState":"RUNNING","instance":"training-pool%d-%d","nodePoolId":"pool%d",`+
				`"stateUpdateTime":"2026-10-05T08:09:00Z","physicalHost":"host-%d-%d"}`, i, n, i, i, n))
		}
	}
	return fmt.Appendf(nil, `{"name":"%s/modelDevelopmentClusters/training","displayName":"training",`+
		`"network":{"network":"projects/my-project/global/networks/my-network",`+
		`"subnetwork":"projects/my-project/regions/us-central1/subnetworks/my-subnet","mtu":8896},"nodePools":[%s],`+
		`"orchestratorSpec":{"slurmSpec":{"homeDirectoryStorage":"projects/my-project/locations/us-central1-a/instances/my-filestore",`+
		`"partitions":[%s],"defaultPartitionId":"part1","loginNodePoolId":"pool0","nodeSets":[%s],`+
		`"config":{"PriorityType":"priority/multifactor","PriorityWeightAge":"1000"},"topology":{"plugin":"tree","levels":[1,2,3]}}},`+
		`"labels":{"env":"prod","team":"research"},"createTime":"2026-10-01T09:00:00.123456Z","updateTime":"2026-10-05T08:10:00.654321Z",`+
		`"etag":"abc123","clusterStatus":{"state":"RUNNING","nodesStatus":[%s]}}`,
		parent, strings.Join(nodePools, ","), strings.Join(partitions, ","), strings.Join(nodeSets, ","), strings.Join(nodes, ","))
}

func poolDocument(i int) string {
	machine := `{"machineType":"n2-standard-8"}`
	model, disk, count := "ON_DEMAND", "pd-standard", 4
	switch {
	case i == 0: // the login pool
		count = 1
	case i%2 == 1:
		machine = `{"machineType":"a4-highgpu-8g","acceleratorType":"NVIDIA_B200","acceleratorCount":8,"reservationAffinity":` +
			`{"reservationAffinityType":"SPECIFIC_RESERVATION","key":"compute.googleapis.com/reservation-name",` +
			`"values":["projects/my-project/zones/us-central1-a/reservations/my-reservation"]},"rdma":true}`
		model, disk = "RESERVATION", "hyperdisk-balanced"
	}
	return fmt.Sprintf(`{"id":"pool%d","machineSpec":%s,"scalingSpec":{"minNodeCount":%d,"maxNodeCount":%d},"zone":"us-central1-a",`+
		`"enablePublicIps":true,"bootDisk":{"bootDiskType":"%s","bootDiskSizeGb":200},"provisioningModel":"%s",`+
		`"lustres":["projects/my-project/locations/us-central1-a/instances/my-lustre"],"labels":{"pool":"pool%d","tier":"train"},`+
		`"nodeImage":"projects/example-image-project/global/images/example-slurm-image-20260901","maintenance":{"policy":"AUTO","window":%d}}`,
		i, machine, count, count, disk, model, i, i)
}

func readCluster(t testing.TB, data []byte) *cluster.ModelDevelopmentCluster {
	t.Helper()
	m := new(cluster.ModelDevelopmentCluster)
	if err := m.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return m
}

// ourCluster decodes as Client.GetCluster does, and encodes again, if it shall, as updates do.
func ourCluster(data []byte, encode bool) contender {
	return contender{ours, func() error {
		m := new(cluster.ModelDevelopmentCluster)
		if err := m.UnmarshalJSON(data); err != nil || len(m.NodePools) != pools {
			return fmt.Errorf("%d pools: %w", len(m.NodePools), err)
		}
		if !encode {
			return nil
		}
		_, err := m.MarshalJSON()
		return err
	}}
}

// roundTrip encodes what into has decoded.
func roundTrip[T any](name string, data []byte) contender {
	return contender{name, func() error {
		v := new(T)
		if err := json.Unmarshal(data, v); err != nil {
			return err
		}
		_, err := json.Marshal(v)
		return err
	}}
}

// BenchmarkClusterDecoding reads a cluster of 50 pools.
func BenchmarkClusterDecoding(b *testing.B) {
	data := clusterDocument()
	contenders := []contender{
		ourCluster(data, false),
		into(plainMap, json.Unmarshal, data, func(m *map[string]any) bool { return len((*m)["nodePools"].([]any)) == pools }),
	}
	compare(b, len(data), append(contenders, intoEach(data, func(c *plainCluster) bool { return len(c.NodePools) == pools })...)...)
}

// BenchmarkClusterRoundTrip reads it and writes it again: ours with what it does not know, and the plain types without.
func BenchmarkClusterRoundTrip(b *testing.B) {
	data := clusterDocument()
	compare(b, len(data), ourCluster(data, true), roundTrip[map[string]any](plainMap, data), roundTrip[plainCluster]("json", data))
}

// smallChange is the cluster with another size for one pool.
func smallChange(t testing.TB, data []byte) *cluster.ModelDevelopmentCluster {
	want := readCluster(t, data)
	want.NodePool("pool7").ScalingSpec.MaxNodeCount++
	return want
}

// BenchmarkPlanUpdate works out what it means to change one of 50 pools, and BenchmarkPlanNothing what it means to change
// none.
func BenchmarkPlanUpdate(b *testing.B) {
	data := clusterDocument()
	plans(b, readCluster(b, data), smallChange(b, data), 1)
}

func BenchmarkPlanNothing(b *testing.B) {
	data := clusterDocument()
	plans(b, readCluster(b, data), readCluster(b, data), 0)
}

func plans(b *testing.B, current, want *cluster.ModelDevelopmentCluster, changes int) {
	compare(b, 0, contender{ours, func() error {
		plan := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		if plan.Refused() || len(plan.Changes) != changes {
			return fmt.Errorf("another plan: %v", plan)
		}
		return nil
	}})
}

// TestClustersAgree: ours brings back all of the document, and the plain types what ours has fields for.
func TestClustersAgree(t *testing.T) {
	data := clusterDocument()
	whole := decoded[map[string]any](t, data, json.Unmarshal)
	mine := readCluster(t, data)
	if got := again[map[string]any](t, mine); !reflect.DeepEqual(got, whole) {
		t.Errorf("got\n%v\nwant\n%v", got, whole)
	}
	plain := decoded[plainCluster](t, data, json.Unmarshal)
	if got := again[plainCluster](t, mine); !reflect.DeepEqual(got, plain) {
		t.Errorf("got\n%v\nwant\n%v", got, plain)
	}
	for _, u := range unmarshalers {
		if got := decoded[plainCluster](t, data, u.unmarshal); !reflect.DeepEqual(got, plain) {
			t.Errorf("%s has read something else than encoding/json", u.name)
		}
	}
	if len(mine.Unknown.Names()) != 1 || len(mine.NodePools[1].MachineSpec.Unknown.Names()) != 1 {
		t.Errorf("unknown members: %v, %v", mine.Unknown.Names(), mine.NodePools[1].MachineSpec.Unknown.Names())
	}
}

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

func ExampleModelDevelopmentCluster_Validate() {
	m, err := cluster.ReadFile("testdata/payloads/gpu-filestore.json")
	if err != nil {
		log.Fatal(err)
	}
	m.NodePool("a4").BootDisk.BootDiskType = "pd-standard"
	m.Slurm().LoginNodePoolID = "front"
	m.DisplayName = "My cluster"

	v := m.Validate(&cluster.ValidateOptions{ID: "training", Location: "us-central1"})
	for _, found := range v.Errors {
		fmt.Println(found.Field)
	}
	for _, found := range v.Warnings {
		fmt.Println("perhaps", found.Field)
	}
	// Output:
	// node_pools[1].boot_disk.boot_disk_type
	// orchestrator_spec.slurm_spec.login_node_pool_id
	// perhaps display_name
}

func ExampleValidation_String() {
	m, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Validate(nil))
	m.NodePool("cpu").ScalingSpec.MinNodeCount = 3
	m.NodePool("cpu").BootDisk = nil
	fmt.Println(m.Validate(nil))
	// Output:
	// no problems
	// error: node_pools[0].scaling_spec.max_node_count: is 2, less than min_node_count, which is 3
	// warning: node_pools[0].boot_disk: is not set; the service has refused worker pools without one
}

// Should a rule of Validate have become wrong, the service decides.
func ExampleWithoutValidation() {
	ctx := context.Background()
	c := newClient(ctx)

	m, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		log.Fatal(err)
	}
	m.Slurm().HomeDirectoryStorage = "my-filestore"
	var e *cluster.Error
	_, err = c.CreateCluster(ctx, "research", m)
	if errors.As(err, &e) {
		fmt.Println(e.Attempts, e.Violations[0].Field)
	}
	_, err = c.CreateCluster(ctx, "research", m, cluster.WithoutValidation())
	if errors.As(err, &e) {
		fmt.Println(e.Attempts, e.Violations[0].Field)
	}
	// Output:
	// 0 orchestrator_spec.slurm_spec.home_directory_storage
	// 1 orchestrator_spec.slurm_spec.home_directory_storage
}

// A cluster with settings in the older form takes none in the newer one until it is migrated, in one update.
func ExampleModelDevelopmentCluster_MigrateToConfig() {
	ctx := context.Background()
	c := newLegacyClient(ctx)

	m, err := c.GetCluster(ctx, "legacy")
	if err != nil {
		log.Fatal(err)
	}
	if err := m.MigrateToConfig(); err != nil {
		log.Fatal(err)
	}
	m.Slurm().Config.Set("PreemptMode", "REQUEUE")
	mask := cluster.FieldMask{cluster.PathConfig, cluster.Clear(cluster.PathScheduling), cluster.Clear(cluster.PathAccounting)}
	op, err := c.UpdateCluster(ctx, m, mask, cluster.UpdateModeUserOnly)
	if err != nil {
		log.Fatal(err)
	}
	if err := op.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	m, err = c.GetCluster(ctx, "legacy")
	if err != nil {
		log.Fatal(err)
	}
	s := m.Slurm()
	fmt.Println(s.Scheduling == nil, s.Accounting == nil, s.Config["PreemptMode"], s.Config["AccountingStorageEnforce"])
	// Output: true true REQUEUE associations,limits,qos
}

// newLegacyClient is newClient with a cluster "legacy", whose settings are in the older form.
func newLegacyClient(ctx context.Context) *cluster.Client {
	srv := clustertest.NewServer(clustertest.WithOperationTime(0))
	m, err := cluster.ReadFile("testdata/payloads/cpu-advanced-slurm-legacy.json")
	if err != nil {
		log.Fatal(err)
	}
	doc, err := m.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	if err := srv.AddCluster("legacy", doc); err != nil {
		log.Fatal(err)
	}
	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

func ExampleModelDevelopmentCluster_SetDefaultPartition() {
	m := &cluster.ModelDevelopmentCluster{Name: "training"}
	m.Slurm().Partitions = []*cluster.Partition{
		{ID: "cpu", NodePoolIDs: []string{"cpu"}},
		{ID: "gpu", NodePoolIDs: []string{"a4"}},
	}
	fmt.Println(m.SetDefaultPartition("a4"))
	fmt.Println(m.SetDefaultPartition("gpu"), m.Slurm().DefaultPartitionID)
	// To send it: FieldMask{cluster.PathDefaultPartitionID}.

	// Output:
	// cluster: cannot make "a4" the default partition; want the id of a partition: there are cpu, gpu
	// <nil> gpu
}

func ExampleSlurmSpec_EnsureNodeSet() {
	m := new(cluster.ModelDevelopmentCluster)
	m.Slurm().EnsureNodeSet("cpu").Config.Set("Weight", "10")
	m.Slurm().EnsureNodeSet("cpu").Config.Set("Features", "spot")
	fmt.Println(len(m.Slurm().NodeSets), m.Slurm().NodeSet("cpu").Config)
	// Output: 1 map[Features:spot Weight:10]
}

func ExampleSlurmConfig_Overlay() {
	config := cluster.SlurmConfig{"PreemptMode": "REQUEUE", "MaxJobCount": "10000"}
	config.Overlay(cluster.SlurmConfig{"preempt_mode": "CANCEL", "PriorityWeightAge": "1000"})
	fmt.Println(config)
	// Output: map[MaxJobCount:10000 PreemptMode:CANCEL PriorityWeightAge:1000]
}

func ExampleSlurmConfig_SetPreemptModes() {
	config := cluster.SlurmConfig{"PreemptType": "preempt/partition_prio"}
	config.SetPreemptModes(cluster.PreemptModeSuspend, cluster.PreemptModeGang)
	fmt.Println(config["PreemptMode"], config.PreemptModes())
	// Output: SUSPEND,GANG [SUSPEND GANG]
}

// One option of SchedulerParameters changes and the others stay.
func ExampleParameterList() {
	config := cluster.SlurmConfig{"SchedulerParameters": "bf_continue,bf_window=1440,bf_resolution=600"}

	options := config.SchedulerParameters()
	options.Set("bf_window", "2880")
	options.Set("defer", "") // a bare flag
	options.Delete("bf_resolution")
	config.SetSchedulerParameters(options)

	fmt.Println(config["SchedulerParameters"])
	window, ok := config.SchedulerParameters().Get("bf_window")
	fmt.Println(window, ok)
	// Output:
	// bf_continue,bf_window=2880,defer
	// 2880 true
}

package cluster_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

type (
	edit = func(*cluster.ModelDevelopmentCluster)
	spec = cluster.ModelDevelopmentCluster
)

// pool and slurmSpec make edits of the one part that a row is about. Pool 0 is the login pool, pool 1 has A4 machines.
func pool(i int, change func(*cluster.NodePool)) edit {
	return func(m *spec) { change(m.NodePools[i]) }
}

func slurmSpec(change func(*cluster.SlurmSpec)) edit {
	return func(m *spec) { change(m.Slurm()) }
}

// machine makes pool 1 one of CPU or GPU machines that is right in all else.
func machine(machineType string, accelerator cluster.AcceleratorType, count int64) edit {
	return pool(1, func(p *cluster.NodePool) {
		p.MachineSpec = &cluster.MachineSpec{MachineType: machineType, AcceleratorType: accelerator, AcceleratorCount: count}
		p.ProvisioningModel = ""
		if count > 0 {
			p.ProvisioningModel = cluster.ProvisioningModelSpot
		}
	})
}

func both(first, second edit) edit { return func(m *spec) { first(m); second(m) } }

func onePartition(p cluster.Partition) edit {
	return slurmSpec(func(s *cluster.SlurmSpec) { s.Partitions = []*cluster.Partition{&p} })
}

func config(pairs ...string) edit {
	return slurmSpec(func(s *cluster.SlurmSpec) {
		for i := 0; i < len(pairs); i += 2 {
			if s.Config == nil {
				s.Config = cluster.SlurmConfig{}
			}
			s.Config[pairs[i]] = pairs[i+1]
		}
	})
}

func nodeSets(ids ...string) edit {
	return slurmSpec(func(s *cluster.SlurmSpec) {
		for _, id := range ids {
			s.NodeSets = append(s.NodeSets, &cluster.NodeSet{NodePoolID: id, Config: cluster.SlurmConfig{"Weight": "10"}})
		}
	})
}

// renamed gives pool 1 another id, also where that is referred to.
func renamed(id string) edit {
	return both(pool(1, func(p *cluster.NodePool) { p.ID = id }), onePartition(cluster.Partition{ID: "gpu", NodePoolIDs: []string{id}}))
}

// rule is one row: bad breaks one rule of a cluster that has no problems, which gives one finding; good is a near
// miss, which gives none.
type rule struct {
	name  string
	field string
	says  string
	bad   edit
	good  edit
}

const slurmPath = "orchestrator_spec.slurm_spec."

func errorRules() []rule {
	const reserved = "projects/my-project/zones/us-central1-a/reservations/"
	affinity := func(change func(*cluster.ReservationAffinity)) edit {
		return pool(1, func(p *cluster.NodePool) { change(p.MachineSpec.ReservationAffinity) })
	}
	scaling := func(i int, least, most int64) edit {
		return pool(i, func(p *cluster.NodePool) {
			p.ScalingSpec = &cluster.ScalingSpec{MinNodeCount: least, MaxNodeCount: most}
		})
	}
	model := func(m cluster.ProvisioningModel) edit {
		return both(machine("a4-highgpu-8g", cluster.AcceleratorTypeNvidiaB200, 8), pool(1, func(p *cluster.NodePool) { p.ProvisioningModel = m }))
	}
	flex := func(d time.Duration) edit {
		return both(model(cluster.ProvisioningModelFlexStart), pool(1, func(p *cluster.NodePool) { p.FlexStartMaxDuration = d }))
	}
	disk := func(kind string) edit { return pool(1, func(p *cluster.NodePool) { p.BootDisk.BootDiskType = kind }) }
	image := func(name string) edit { return pool(1, func(p *cluster.NodePool) { p.NodeImage = name }) }
	home := func(name string) edit {
		return slurmSpec(func(s *cluster.SlurmSpec) { s.HomeDirectoryStorage = name })
	}
	login := func(id string) edit { return slurmSpec(func(s *cluster.SlurmSpec) { s.LoginNodePoolID = id }) }
	byDefault := func(id string) edit {
		return slurmSpec(func(s *cluster.SlurmSpec) { s.DefaultPartitionID = id })
	}
	partitionConfig := func(name, value string) edit {
		return slurmSpec(func(s *cluster.SlurmSpec) { s.Partitions[0].Config.Set(name, value) })
	}
	older := func(s *cluster.Scheduling, a *cluster.Accounting) edit {
		return slurmSpec(func(spec *cluster.SlurmSpec) { spec.Scheduling, spec.Accounting = s, a })
	}
	enforce := &cluster.Accounting{AccountingStorageEnforce: "limits"}
	weights := &cluster.Scheduling{PriorityWeightAge: 5}
	aged := config("PriorityWeightAge", "5")
	return []rule{
		{"a nil pool", "node_pools[2]", "is nil; want a node pool",
			func(m *spec) { m.NodePools = append(m.NodePools, nil) }, func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("cpu")) }},
		{"a pool without id", "node_pools[2].id", "is not set; want an id that is unique in the cluster",
			func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("")) }, func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("cpu")) }},
		{"two pools of one id", "node_pools[2].id", `is "a4", as an earlier pool's is`,
			func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("a4")) }, func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("a40")) }},
		{"no machine type", "node_pools[2].machine_spec.machine_type", "is not set; want a machine type such as",
			func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("cpu")); m.NodePools[2].MachineSpec = nil },
			func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("cpu")) }},
		{"an affinity that is not specific", "node_pools[1].machine_spec.reservation_affinity.reservation_affinity_type", `is "ANY_RESERVATION"; want SPECIFIC_RESERVATION`,
			affinity(func(a *cluster.ReservationAffinity) { a.ReservationAffinityType = "ANY_RESERVATION" }),
			affinity(func(a *cluster.ReservationAffinity) { a.ReservationAffinityType = "3" })}, // an enum as a number
		{"a reservation without values", "node_pools[1].machine_spec.reservation_affinity.values", "SPECIFIC_RESERVATION needs projects/PROJECT/zones/ZONE/reservations/RESERVATION",
			affinity(func(a *cluster.ReservationAffinity) { a.Values = nil }),
			affinity(func(a *cluster.ReservationAffinity) { a.Values = append(a.Values, reserved+"second") })},
		{"a reservation by its short name", "node_pools[1].machine_spec.reservation_affinity.values[1]", `is "my-reservation"; want projects/PROJECT/zones/ZONE/reservations/RESERVATION`,
			affinity(func(a *cluster.ReservationAffinity) { a.Values = append(a.Values, "my-reservation") }),
			affinity(func(a *cluster.ReservationAffinity) { a.Values = append(a.Values, reserved+"r/reservationBlocks/b") })},
		{"a negative minimum", "node_pools[1].scaling_spec.min_node_count", "is -1; want 0 or more", scaling(1, -1, 2), scaling(1, 0, 2)},
		{"min above max", "node_pools[1].scaling_spec.max_node_count", "is 2, less than min_node_count, which is 3", scaling(1, 3, 2), scaling(1, 2, 3)},
		{"a login pool that scales", "node_pools[0].scaling_spec", "has min_node_count 1 and max_node_count 2; the login pool does not scale", scaling(0, 1, 2), scaling(0, 2, 2)},
		{"an A4 with pd-standard", "node_pools[1].boot_disk.boot_disk_type", `is "pd-standard"; a4-highgpu-8g takes hyperdisk-balanced alone, or none for the default`,
			disk("pd-standard"), disk("")},
		{"GPUs without a model", "node_pools[1].provisioning_model", "is not set; pools with GPUs need ON_DEMAND, SPOT, RESERVATION or FLEX_START", model(""), model("SPOT")},
		{"a model that says nothing", "node_pools[1].provisioning_model", "is not set", model("PROVISIONING_MODEL_UNSPECIFIED"), model("FLEX_START")},
		{"STANDARD", "node_pools[1].provisioning_model", "STANDARD is none; want ON_DEMAND,", model("STANDARD"), model("ON_DEMAND")},
		{"flex start below 30 s", "node_pools[1].flex_start_max_duration", "is 29s; want 30 seconds to 7 days", flex(29 * time.Second), flex(30 * time.Second)},
		{"flex start beyond a week", "node_pools[1].flex_start_max_duration", "is 168h0m1s; want", flex(604801 * time.Second), flex(604800 * time.Second)},
		{"an image by its short name", "node_pools[1].node_image", `is "debian-12"; want projects/PROJECT/global/images/IMAGE or projects/PROJECT/global/images/family/FAMILY`,
			image("debian-12"), image("projects/p/global/images/family/debian-12")},
		{"no home directory", slurmPath + "home_directory_storage", "is not set; want a Filestore instance, projects/PROJECT/locations/LOCATION/instances/INSTANCE", home(""), home("projects/p/locations/us-central1-a/instances/f")},
		{"a home directory by its short name", slurmPath + "home_directory_storage", `is "my-filestore"; want`, home("my-filestore"), home("projects/example.com:p/locations/us-central1/instances/f")},
		{"a nil partition", slurmPath + "partitions[1]", "is nil; want a partition",
			slurmSpec(func(s *cluster.SlurmSpec) { s.Partitions = append(s.Partitions, nil) }), onePartition(cluster.Partition{ID: "gpu", NodePoolIDs: []string{"a4"}})},
		{"a partition without id", slurmPath + "partitions[0].id", "is not set", onePartition(cluster.Partition{NodePoolIDs: []string{"a4"}}), onePartition(cluster.Partition{ID: "p", NodePoolIDs: []string{"a4"}})},
		{"two partitions of one id", slurmPath + "partitions[1].id", `is "a4", as an earlier partition's is`,
			slurmSpec(func(s *cluster.SlurmSpec) {
				s.Partitions = append(s.Partitions, &cluster.Partition{ID: "a4", NodePoolIDs: []string{"a4"}})
			}),
			slurmSpec(func(s *cluster.SlurmSpec) {
				s.Partitions = append(s.Partitions, &cluster.Partition{ID: "a4-low", NodePoolIDs: []string{"a4"}})
			})},
		{"a partition without pools", slurmPath + "partitions[0].node_pool_ids", "is empty; want one node pool or more", onePartition(cluster.Partition{ID: "gpu"}), onePartition(cluster.Partition{ID: "gpu", NodePoolIDs: []string{"a4"}})},
		{"a partition of a pool that is none", slurmPath + "partitions[0].node_pool_ids[1]", `is "gpu"; want the id of a node pool: there are login, a4`,
			onePartition(cluster.Partition{ID: "gpu", NodePoolIDs: []string{"a4", "gpu"}}), onePartition(cluster.Partition{ID: "gpu", NodePoolIDs: []string{"a4", "a4"}})},
		{"Default in a partition", slurmPath + "partitions[0].config.default", "is refused here; use default_partition_id", partitionConfig("default", "YES"), config("Default", "YES")},
		{"a default partition that is none", slurmPath + "default_partition_id", `is "gpu"; want the id of a partition: there are a4`, byDefault("gpu"), byDefault("a4")},
		{"no login pool", slurmPath + "login_node_pool_id", "is not set; want the id of a node pool: there are login, a4", login(""), login("login")},
		{"a login pool that is none", slurmPath + "login_node_pool_id", `is "front"; want`, login("front"), func(m *spec) { m.Slurm().LoginNodePoolID = "front"; m.NodePools[0].ID = "front" }},
		{"config beside scheduling", slurmPath + "config", "stands together with scheduling or accounting", both(aged, older(weights, nil)), older(weights, enforce)},
		{"config beside accounting", slurmPath + "config", "as MigrateToConfig does", both(aged, older(nil, enforce)), both(nodeSets("a4"), older(nil, enforce))},
		{"a parameter that the service keeps", slurmPath + "config.Health_CheckProgram", "is set by the service; leave it out", config("Health_CheckProgram", "/bin/x"), config("HealthCheckPrograms", "/bin/x")},
		{"a prolog by parameter", slurmPath + "config.Prolog", "is refused; use prolog_bash_scripts", config("Prolog", "/bin/x"), config("PrologFlags", "Alloc")},
		{"an epilog in a node set", slurmPath + "node_sets[0].config.epilog", "is refused; use epilog_bash_scripts",
			both(nodeSets("a4"), slurmSpec(func(s *cluster.SlurmSpec) { s.NodeSet("a4").Config.Set("epilog", "x") })), nodeSets("a4")},
		{"a parameter of slurmdbd", slurmPath + "partitions[0].config.storage_host", "belongs to slurmdbd.conf", partitionConfig("storage_host", "x"), partitionConfig("MaxTime", "1-0")},
		{"a parameter twice", slurmPath + "config.max_job_count", `"MaxJobCount" and "max_job_count" are one parameter, as case and underscores do not count; keep one`,
			config("MaxJobCount", "5", "max_job_count", "5"), config("MaxJobCount", "5", "max_jobs_count", "5")},
		{"a parameter without name", slurmPath + "config", `has a parameter without a name, "_"`, config("_", "x"), config("_a", "x")},
		{"a line break in a value", slurmPath + "config.MaxJobCount", "has a line break in its value", config("MaxJobCount", "5\nProlog=/x"), config("MaxJobCount", "5 ")},
		{"a line break in a name", slurmPath + "config.A\nB", "is no name of slurm.conf", config("A\nB", "x"), config("AB", "x")},
		{"a name with its value", slurmPath + "config.A=B", "want it without spaces, = and #", config("A=B", "x"), config("A", "B=x")},
		{"a nil node set", slurmPath + "node_sets[0]", "is nil; want a node set", slurmSpec(func(s *cluster.SlurmSpec) { s.NodeSets = append(s.NodeSets, nil) }), nodeSets()},
		{"a node set of a pool that is none", slurmPath + "node_sets[0].node_pool_id", `is "gpu"; want the id of a node pool`, nodeSets("gpu"), nodeSets("a4")},
		{"a node set of no pool", slurmPath + "node_sets[0].node_pool_id", `is not set; want the id of a node pool`, nodeSets(""), nodeSets("a4")},
		{"a node set of the login pool", slurmPath + "node_sets[0].node_pool_id", `is "login", the login pool, which takes no node set`, nodeSets("login"), nodeSets("a4")},
		{"two node sets of a pool", slurmPath + "node_sets[1].node_pool_id", `is "a4", which has a node set already`, nodeSets("a4", "a4"),
			func(m *spec) { m.NodePools = append(m.NodePools, cpuPool("cpu")); nodeSets("a4", "cpu")(m) }},
	}
}

func cpuPool(id string) *cluster.NodePool {
	return &cluster.NodePool{
		ID: id, MachineSpec: &cluster.MachineSpec{MachineType: "n2-standard-8"}, Zone: "us-central1-a",
		ScalingSpec: &cluster.ScalingSpec{MaxNodeCount: 2}, BootDisk: &cluster.DiskSpec{},
	}
}

func warningRules() []rule {
	const instance = "projects/my-project/locations/us-central1-a/instances/x"
	display := func(name string) edit { return func(m *spec) { m.DisplayName = name } }
	network := func(network, subnetwork string) edit {
		return func(m *spec) { m.Network = &cluster.NetworkSpec{Network: network, Subnetwork: subnetwork} }
	}
	const net, sub = "projects/p/global/networks/n", "projects/p/regions/us-central1/subnetworks/s"
	pool1 := func(change func(*cluster.NodePool)) edit { return pool(1, change) }
	disk := func(d *cluster.DiskSpec) edit { return pool1(func(p *cluster.NodePool) { p.BootDisk = d }) }
	a3 := machine("a3-ultragpu-8g", cluster.AcceleratorTypeNvidiaH200141GB, 8)
	a4x := func(least, most int64) edit {
		return both(machine("a4x-highgpu-4g", "", 4), pool1(func(p *cluster.NodePool) {
			p.ScalingSpec = &cluster.ScalingSpec{MinNodeCount: least, MaxNodeCount: most}
		}))
	}
	model := func(m cluster.ProvisioningModel) edit {
		return pool1(func(p *cluster.NodePool) { p.ProvisioningModel = m })
	}
	affinity := func(a *cluster.ReservationAffinity) edit {
		return pool1(func(p *cluster.NodePool) { p.MachineSpec.ReservationAffinity = a })
	}
	zone := func(z string) edit { return pool(0, func(p *cluster.NodePool) { p.Zone = z }) }
	script := func(n int) edit {
		return pool1(func(p *cluster.NodePool) { p.StartupScript = strings.Repeat("x", n) })
	}
	scripts := func(s ...string) edit {
		return slurmSpec(func(spec *cluster.SlurmSpec) { spec.PrologBashScripts, spec.EpilogBashScripts = s[:1], s[1:] })
	}
	scheduling := func(preemptType, mode string) edit {
		return slurmSpec(func(s *cluster.SlurmSpec) {
			s.Scheduling = &cluster.Scheduling{PreemptType: preemptType, PreemptMode: mode}
		})
	}
	qos := func(name, value string) edit {
		return slurmSpec(func(s *cluster.SlurmSpec) { s.Partitions[0].Config.Set(name, value) })
	}
	const none, prio = "preempt/none", "preempt/partition_prio"
	return []rule{
		{"a long display name", "display_name", `is "vtc-gemma4"; the documented form is a lowercase letter`, display("vtc-gemma4"), display("vtcgemma44")},
		{"no network", "network.network", "is not set; want projects/PROJECT/global/networks/NETWORK", network("", sub), network(net, sub)},
		{"a network by its short name", "network.network", `is "default"; want`, network("default", sub), network(net, sub)},
		{"a subnetwork by its short name", "network.subnetwork", `is "default"; want projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK`, network(net, "default"), network(net, sub)},
		{"a subnetwork elsewhere", "network.subnetwork", `is in "us-east4"; want a subnetwork of the cluster's region, us-central1`, network(net, "projects/p/regions/us-east4/subnetworks/s"), network(net, sub)},
		{"a long pool id", "node_pools[1].id", "want a lowercase letter followed by at most 14", renamed("a234567890123456"), renamed("a23456789012345")},
		{"a machine type that is none", "node_pools[1].machine_spec.machine_type", `"a4-highgpu8g" is none of the machine types that the service documents; did you mean a4-highgpu-8g?`,
			machine("a4-highgpu8g", "NVIDIA_B200", 8), machine("a4-highgpu-8g", "NVIDIA_B200", 8)},
		{"a machine behind a list of its own", "node_pools[1].machine_spec.machine_type", "a3-highgpu-8g is open only to projects", machine("a3-highgpu-8g", "NVIDIA_H100_80GB", 8), machine("a3-megagpu-8g", "NVIDIA_H100_MEGA_80GB", 8)},
		{"another accelerator", "node_pools[1].machine_spec.accelerator_type", `is "NVIDIA_H100_80GB"; the GPUs of a3-megagpu-8g are NVIDIA_H100_MEGA_80GB`, machine("a3-megagpu-8g", "NVIDIA_H100_80GB", 8), machine("g4-standard-96", "", 2)},
		{"an accelerator on a CPU machine", "node_pools[1].machine_spec.accelerator_type", `is "NVIDIA_B200", but n2-standard-8 has no GPUs`,
			both(machine("n2-standard-8", "NVIDIA_B200", 0), model(cluster.ProvisioningModelSpot)), machine("n2-standard-8", "", 0)},
		{"too few GPUs", "node_pools[1].machine_spec.accelerator_count", "is 4; a4-highgpu-8g has 8 GPUs", machine("a4-highgpu-8g", "NVIDIA_B200", 4), machine("g4-standard-192", "NVIDIA_RTX_PRO_6000", 4)},
		{"RESERVATION without one", "node_pools[1].machine_spec.reservation_affinity", "is not set, although the provisioning model is RESERVATION", affinity(nil), both(affinity(nil), model("SPOT"))},
		{"RESERVATION of no type and values", "node_pools[1].machine_spec.reservation_affinity.values", "is empty; the provisioning model RESERVATION needs",
			affinity(&cluster.ReservationAffinity{ReservationAffinityType: "3"}), affinity(&cluster.ReservationAffinity{ReservationAffinityType: "3", Values: []string{"projects/p/zones/us-central1-a/reservations/r"}})},
		{"a reservation of no type", "node_pools[1].machine_spec.reservation_affinity.reservation_affinity_type", "is not set; want SPECIFIC_RESERVATION",
			affinity(&cluster.ReservationAffinity{Values: []string{"projects/p/zones/us-central1-a/reservations/r"}}),
			affinity(&cluster.ReservationAffinity{ReservationAffinityType: "SPECIFIC_RESERVATION", Values: []string{"projects/p/zones/us-central1-a/reservations/r"}})},
		{"a reservation with another model", "node_pools[1].machine_spec.reservation_affinity", `but the provisioning model is "SPOT"; want RESERVATION`, model("SPOT"), model("RESERVATION")},
		{"a reservation in another zone", "node_pools[1].machine_spec.reservation_affinity.values[0]", `is in zone "us-central1-a"; want a reservation in the pool's zone, us-central1-b`,
			pool1(func(p *cluster.NodePool) { p.Zone = "us-central1-b" }), pool1(func(p *cluster.NodePool) { p.Zone = "us-central1-a" })},
		{"17 nodes of A4X", "node_pools[1].scaling_spec.max_node_count", "is 17; nodes of A4X come in multiples of 18", a4x(0, 17), a4x(18, 36)},
		{"17 nodes of A4X at least", "node_pools[1].scaling_spec.min_node_count", "is 17;", a4x(17, 18), a4x(0, 18)},
		{"no zone", "node_pools[0].zone", "is not set; want a zone such as us-central1-a", zone(""), zone("us-central1-f")},
		{"a zone elsewhere", "node_pools[0].zone", `is "us-central2-a"; want a zone of the cluster's region, such as us-central1-a`, zone("us-central2-a"), zone("us-central1-b")},
		{"a worker pool without boot disk", "node_pools[1].boot_disk", "is not set; the service has refused worker pools without one", disk(nil), pool(0, func(p *cluster.NodePool) { p.BootDisk = nil })},
		{"an A3 Ultra with pd-ssd", "node_pools[1].boot_disk.boot_disk_type", `is "pd-ssd"; a3-ultragpu-8g probably takes hyperdisk-balanced alone`,
			both(a3, disk(&cluster.DiskSpec{BootDiskType: "pd-ssd"})), both(machine("n2-standard-8", "", 0), disk(&cluster.DiskSpec{BootDiskType: "pd-ssd"}))},
		{"a small disk", "node_pools[1].boot_disk.boot_disk_size_gb", "is 39; want 40 or more, or 0 for the default", disk(&cluster.DiskSpec{BootDiskSizeGB: 39}), disk(&cluster.DiskSpec{BootDiskSizeGB: 40})},
		{"a model for CPU machines", "node_pools[0].provisioning_model", `is "ON_DEMAND"; leave it out for pools without GPUs`,
			pool(0, func(p *cluster.NodePool) { p.ProvisioningModel = "ON_DEMAND" }), pool(0, func(p *cluster.NodePool) { p.ProvisioningModel = "PROVISIONING_MODEL_UNSPECIFIED" })},
		{"a model that is none", "node_pools[1].provisioning_model", `"FLEXSTART" is none that the service documents; want ON_DEMAND, SPOT, RESERVATION or FLEX_START`,
			both(affinity(nil), model("FLEXSTART")), both(affinity(nil), model("4"))},
		{"a flex start duration without the model", "node_pools[1].flex_start_max_duration", `has no effect, as the provisioning model is "SPOT"`,
			both(affinity(nil), pool1(func(p *cluster.NodePool) { p.ProvisioningModel, p.FlexStartMaxDuration = "SPOT", time.Hour })),
			both(affinity(nil), pool1(func(p *cluster.NodePool) { p.ProvisioningModel, p.FlexStartMaxDuration = "FLEX_START", time.Hour }))},
		{"a long startup script", "node_pools[1].startup_script", "has 262145 bytes; want at most 256 KB", script(256<<10 + 1), script(256 << 10)},
		{"a Filestore instance by its short name", "node_pools[1].filestores[0]", `is "x"; want projects/PROJECT/locations/LOCATION/instances/INSTANCE`,
			pool1(func(p *cluster.NodePool) { p.Filestores = []string{"x"} }), pool1(func(p *cluster.NodePool) { p.Filestores = []string{instance} })},
		{"a Lustre instance by its short name", "node_pools[1].lustres[1]", `is "projects/p/locations//instances/x"; want`,
			pool1(func(p *cluster.NodePool) { p.Lustres = []string{instance, "projects/p/locations//instances/x"} }), pool1(func(p *cluster.NodePool) { p.Lustres = []string{instance} })},
		{"a partition id of many letters", slurmPath + "partitions[0].id", "want a lowercase letter followed by at most 62", onePartition(cluster.Partition{ID: strings.Repeat("p", 64), NodePoolIDs: []string{"a4"}}),
			onePartition(cluster.Partition{ID: strings.Repeat("p", 63), NodePoolIDs: []string{"a4"}})},
		{"a partition id in capitals", slurmPath + "partitions[0].id", `is "GPU"`, onePartition(cluster.Partition{ID: "GPU", NodePoolIDs: []string{"a4"}}), onePartition(cluster.Partition{ID: "g-p2", NodePoolIDs: []string{"a4"}})},
		{"a partition id that ends in a dash", slurmPath + "partitions[0].id", `is "gpu-"`, onePartition(cluster.Partition{ID: "gpu-", NodePoolIDs: []string{"a4"}}), onePartition(cluster.Partition{ID: "g", NodePoolIDs: []string{"a4"}})},
		{"the login pool in a partition", slurmPath + "partitions[0].node_pool_ids[1]", `is "login", the login pool, which runs no jobs`,
			onePartition(cluster.Partition{ID: "gpu", NodePoolIDs: []string{"a4", "login"}}), onePartition(cluster.Partition{ID: "login", NodePoolIDs: []string{"a4"}})},
		{"a QoS", slurmPath + "partitions[0].config.allow_qos", `is "high,low"; Slurm's controller does not start if one of these QoS is not defined`, qos("allow_qos", "high,low"), qos("AllowQos", "ALL")},
		{"an empty prolog", slurmPath + "prolog_bash_scripts[0]", "is empty; want a whole script, or leave it out", scripts(" \n"), scripts("#!/bin/sh")},
		{"an empty epilog", slurmPath + "epilog_bash_scripts[1]", "is empty", scripts("x", "y", ""), scripts("x", "y")},
		{"preemption without a type", slurmPath + "config.preemptmode", `is "SUSPEND,GANG", but PreemptType is not set and preempt/none by default, and with both Slurm's controller does not start; set PreemptType`,
			config("preemptmode", "suspend, GANG"), config("preemptmode", "GANG")},
		{"preemption of type none", slurmPath + "config.PreemptMode", `is "REQUEUE", but PreemptType is preempt/none`, config("PreemptMode", "REQUEUE", "preempt_type", none), config("PreemptMode", "OFF", "PreemptType", none)},
		{"a type without a mode", slurmPath + "config.PreemptMode", `is not set, but PreemptType is "preempt/partition_prio"`, config("PreemptType", prio), config("PreemptType", prio, "PreemptMode", "CANCEL")},
		{"preemption of type none, older form", slurmPath + "scheduling.preempt_mode", `is "SUSPEND,GANG", but PreemptType is preempt/none`, scheduling(none, "SUSPEND,GANG"), scheduling(prio, "SUSPEND,GANG")},
		{"preemption without a type, older form", slurmPath + "scheduling.preempt_mode", `but PreemptType is not set and preempt/none by default`, scheduling("", "SUSPEND,GANG"), scheduling("", "")},
	}
}

var inPlace = &cluster.ValidateOptions{ID: "training", Location: "us-central1"}

// TestEveryRule breaks one rule at a time, and then nearly.
func TestEveryRule(t *testing.T) {
	for kind, rules := range map[string][]rule{"error: ": errorRules(), "warning: ": warningRules()} {
		for _, r := range rules {
			m := parse(t, payload(t, "gpu-filestore.json"))
			r.bad(m)
			v := m.Validate(inPlace)
			found := append(v.Errors, v.Warnings...)
			if len(found) != 1 || found[0].Field != r.field || !strings.Contains(found[0].Description, r.says) || !strings.HasPrefix(v.String(), kind) {
				t.Errorf("%s: found\n%v\nwant %s%s: %s", r.name, v, kind, r.field, r.says)
			}
			if strings.Contains(v.String(), "\n") {
				t.Errorf("%s: more than one line: %q", r.name, v)
			}
			m = parse(t, payload(t, "gpu-filestore.json"))
			r.good(m)
			if v := m.Validate(inPlace); v.String() != "no problems" || v.Err() != nil {
				t.Errorf("%s: the near miss has\n%v", r.name, v)
			}
		}
	}
}

// TestWorkerPoolsNeedNoEqualCounts, although one sentence of the service's guides says so: another has 0..2, and a
// fixed size is as good.
func TestWorkerPoolsNeedNoEqualCounts(t *testing.T) {
	for _, counts := range []cluster.ScalingSpec{{MaxNodeCount: 2}, {MinNodeCount: 1, MaxNodeCount: 5}, {MinNodeCount: 2, MaxNodeCount: 2}, {}} {
		m := parse(t, payload(t, "gpu-filestore.json"))
		m.NodePool("a4").ScalingSpec = &counts
		if v := m.Validate(inPlace); v.String() != "no problems" {
			t.Errorf("%+v: %v", counts, v)
		}
	}
}

// TestPlace is about what a create request says beside the cluster.
func TestPlace(t *testing.T) {
	const badID = `error: model_development_cluster_id: cluster id "Training" has 'T' at position 1; want a lowercase letter followed by at most 9 lowercase letters or digits`
	for _, tt := range []struct {
		name string
		opts *cluster.ValidateOptions
		want string
	}{
		{"", nil, "no problems"},
		{"projects/p/locations/us-central1/modelDevelopmentClusters/", &cluster.ValidateOptions{}, "no problems"},
		{"projects/p/locations/us-central1/modelDevelopmentClusters/Training", nil, badID},
		{"Training", nil, badID},
		{"Training", &cluster.ValidateOptions{ID: "training"}, "no problems"},
		{"", &cluster.ValidateOptions{ID: "trainingset1"}, `cluster id "trainingset1" has 12 characters`},
		{"projects/p/locations/us-east4/modelDevelopmentClusters/t", inPlace, "no problems"},
		{"projects/p/locations/us-east4/modelDevelopmentClusters/t", nil, `warning: network.subnetwork: is in "us-central1"; want a subnetwork of the cluster's region, us-east4`},
		{"", &cluster.ValidateOptions{Location: "us-central2"}, `warning: parent: "us-central2" is none of the regions that the service documents: us-central1, us-east1,`},
	} {
		m := parse(t, payload(t, "gpu-filestore.json"))
		m.Name = tt.name
		if got := m.Validate(tt.opts).String(); !strings.Contains(got, tt.want) || tt.want == "no problems" && got != tt.want {
			t.Errorf("name %q, %+v: %s\nwant %s", tt.name, tt.opts, got, tt.want)
		}
	}
}

// TestGuidesAreValid: what the service's guides and users have created has no errors, and these warnings.
func TestGuidesAreValid(t *testing.T) {
	warnings := map[string]string{
		// It was taken all the same.
		"user-a3-mega-on-demand.json": `warning: display_name: is "vtc-gemma4-4b-a3h100"; the documented form is a lowercase letter followed by at most 9 lowercase letters or digits, although the service has taken others`,
	}
	for _, prefix := range []string{"cpu-", "flex-", "gpu-", "user-", "update-resize", "response-cluster-"} {
		for _, name := range payloadNames(t, prefix) {
			m := parse(t, payload(t, name))
			want, ok := warnings[name]
			if !ok {
				want = "no problems"
			}
			if got := m.Validate(&cluster.ValidateOptions{Location: "us-central1"}).String(); got != want {
				t.Errorf("%s: %s\nwant %s", name, got, want)
			}
		}
	}
	// A part of a cluster is none.
	if v := parse(t, payload(t, "orchestration-config-mixed-case.json")).Validate(nil); len(v.Errors) != 2 {
		t.Errorf("a part of a cluster: %v", v)
	}
}

// TestFindingsComeTogether, in the order of the document, in the error as in the lists.
func TestFindingsComeTogether(t *testing.T) {
	m := &cluster.ModelDevelopmentCluster{DisplayName: "My Cluster", NodePools: []*cluster.NodePool{{}, nil, {ID: "a"}}}
	s := m.Slurm()
	s.Partitions = []*cluster.Partition{nil, {}}
	s.NodeSets = []*cluster.NodeSet{nil, {}}
	s.DefaultPartitionID = "p"
	s.Config = cluster.SlurmConfig{"Prolog": "x", "PreemptMode": "SUSPEND,GANG", "preempt_mode": "x\ny"}
	s.Accounting = &cluster.Accounting{}
	s.PrologBashScripts = []string{""}
	v := m.Validate(&cluster.ValidateOptions{ID: "Not-Good", Location: "moon"})
	wantErrors := []string{"model_development_cluster_id", "node_pools[0].id", "node_pools[0].machine_spec.machine_type", "node_pools[1]",
		"node_pools[2].machine_spec.machine_type", slurmPath + "home_directory_storage", slurmPath + "partitions[0]", slurmPath + "partitions[1].id",
		slurmPath + "partitions[1].node_pool_ids", slurmPath + "default_partition_id", slurmPath + "login_node_pool_id", slurmPath + "config",
		slurmPath + "config.Prolog", slurmPath + "config.preempt_mode", slurmPath + "node_sets[0]", slurmPath + "node_sets[1].node_pool_id"}
	wantWarnings := []string{"parent", "display_name", "network.network", "network.subnetwork", "node_pools[0].zone", "node_pools[0].boot_disk",
		"node_pools[2].zone", "node_pools[2].boot_disk", slurmPath + "prolog_bash_scripts[0]", slurmPath + "config.PreemptMode"}
	if got := fields(v.Errors); got != strings.Join(wantErrors, "\n") {
		t.Errorf("errors\n%s", got)
	}
	if got := fields(v.Warnings); got != strings.Join(wantWarnings, "\n") {
		t.Errorf("warnings\n%s", got)
	}
	if lines := strings.Split(v.String(), "\n"); len(lines) != len(wantErrors)+len(wantWarnings) || !strings.HasPrefix(lines[len(wantErrors)], "warning: parent: ") {
		t.Errorf("text\n%v", v)
	}
	err := v.Err()
	var e *cluster.Error
	if !errors.Is(err, cluster.ErrInvalidArgument) || !errors.As(err, &e) || e.Code != codes.InvalidArgument || len(e.Violations) != len(v.Errors) || e.Attempts != 0 {
		t.Fatalf("%#v", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "cluster: validate: INVALID_ARGUMENT: model_development_cluster_id: ") || strings.Contains(text, "\n") {
		t.Errorf("%v", err)
	}
	for _, field := range wantErrors {
		if !strings.Contains(err.Error(), field+": ") || !strings.Contains(e.Message, field+": ") {
			t.Errorf("%s is not in %v", field, err)
		}
	}
}

func fields(found []cluster.Violation) string {
	var names []string
	for _, v := range found {
		names = append(names, v.Field)
	}
	return strings.Join(names, "\n")
}

func TestNothingIsNoCluster(t *testing.T) {
	var m *cluster.ModelDevelopmentCluster
	if v := m.Validate(nil); v.String() != "error: the cluster is nil; want at least its network, node pools and Slurm settings" {
		t.Errorf("%v", v)
	}
	var v *cluster.Validation
	if v.Err() != nil || v.String() != "no problems" {
		t.Errorf("%v, %v", v.Err(), v)
	}
	if v := new(cluster.ModelDevelopmentCluster).Validate(nil); len(v.Errors) != 2 {
		t.Errorf("an empty cluster: %v", v)
	}
}

// TestFindingsHoldNoScript: scripts and parameters may be secret.
func TestFindingsHoldNoScript(t *testing.T) {
	m := parse(t, payload(t, "gpu-filestore.json"))
	m.NodePools[1].StartupScript = strings.Repeat("hunter2", 50000)
	m.Slurm().Config = cluster.SlurmConfig{"StoragePass": "hunter2", "MaxJobCount": "hunter2\n"}
	m.Slurm().HomeDirectoryStorage = strings.Repeat("x/", 5000)
	if text := m.Validate(nil).String(); strings.Contains(text, "hunter2") || len(text) > 2000 {
		t.Errorf("%.3000s", text)
	}
}

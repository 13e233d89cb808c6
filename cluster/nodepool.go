package cluster

import (
	"fmt"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// NodePool is a group of equal machines. Pools cannot be updated one by one: an update sends the whole list.
type NodePool struct {
	// ID names the pool within the cluster; partitions, node sets and the login pool refer to it. It is part of
	// the names of the VMs, CLUSTER-POOL-INDEX with an index from 0.
	ID string `json:"id"`

	// MachineSpec is the machine of each node, and ScalingSpec how many there are.
	MachineSpec *MachineSpec `json:"machineSpec"`
	ScalingSpec *ScalingSpec `json:"scalingSpec"`

	// Zone is where the nodes are, such as us-central1-a.
	Zone string `json:"zone"`

	// EnablePublicIPs gives nodes an external address. Without one they need Cloud NAT to reach the internet.
	EnablePublicIPs bool `json:"enablePublicIps"`

	// BootDisk of each node. Worker pools without one have been refused by the service.
	BootDisk *DiskSpec `json:"bootDisk"`

	// ProvisioningModel is required for pools with GPUs. CPU pools default to ON_DEMAND.
	ProvisioningModel ProvisioningModel `json:"provisioningModel"`

	// FlexStartMaxDuration is how long a VM of the FLEX_START model lives, from 30 seconds to 7 days, which is
	// the default (0).
	FlexStartMaxDuration time.Duration `json:"flexStartMaxDuration"`

	// StartupScript runs on each node when it starts. Changing it recreates the nodes.
	StartupScript string `json:"startupScript"`

	// Filestores are existing Filestore instances, projects/PROJECT/locations/LOCATION/instances/NAME, mounted
	// at /mnt/filestore. Changing them recreates the nodes.
	Filestores []string `json:"filestores"`

	// Lustres are existing Managed Lustre instances, in the same form. Changing them recreates the nodes.
	Lustres []string `json:"lustres"`

	// Labels of the pool.
	Labels map[string]string `json:"labels"`

	// NodeImage is a Compute Engine image or image family by its full path. Another image recreates the nodes.
	//
	// Empty means today's default image of the machine type, which moves: under
	// [UpdateModeUserAndService] any update then resolves it anew. A cluster that was never updated reads back
	// empty; after an update the resolved image reads back, and sending that back pins the pool to it.
	NodeImage string `json:"nodeImage"`

	Unknown Unknown `json:"-"`
}

// String gives the pool's id, size and machine: "a4 0..2 x a4-highgpu-8g".
func (p *NodePool) String() string {
	if p == nil {
		return "no pool"
	}
	size, machine := "0", "unknown machine"
	if s := p.ScalingSpec; s != nil {
		size = fmt.Sprint(s.MaxNodeCount)
		if s.MinNodeCount != s.MaxNodeCount {
			size = fmt.Sprintf("%d..%d", s.MinNodeCount, s.MaxNodeCount)
		}
	}
	if p.MachineSpec != nil && p.MachineSpec.MachineType != "" {
		machine = p.MachineSpec.MachineType
	}
	return foreign.Printable(fmt.Sprintf("%s %s x %s", p.ID, size, machine))
}

// MachineSpec is the machine of a pool's nodes.
type MachineSpec struct {
	// MachineType is a Compute Engine machine type such as a4-highgpu-8g or n2-standard-8.
	MachineType string `json:"machineType"`
	// AcceleratorType is the GPU of the machine, for machines that have any.
	AcceleratorType AcceleratorType `json:"acceleratorType"`
	// AcceleratorCount is the number of GPUs in each node.
	AcceleratorCount int64 `json:"acceleratorCount"`
	// ReservationAffinity names the reservation to consume, with the RESERVATION model.
	ReservationAffinity *ReservationAffinity `json:"reservationAffinity"`

	Unknown Unknown `json:"-"`
}

// ScalingSpec bounds the number of nodes of a pool. Nodes with an index below the minimum are static and always
// kept; those above are created when a job waits for them and removed when idle.
type ScalingSpec struct {
	// MinNodeCount may be 0, except in the login pool, where it must equal MaxNodeCount.
	MinNodeCount int64 `json:"minNodeCount"`
	MaxNodeCount int64 `json:"maxNodeCount"`

	Unknown Unknown `json:"-"`
}

// DiskSpec is a boot disk.
type DiskSpec struct {
	// BootDiskType is pd-standard, pd-ssd or hyperdisk-balanced. Some machines take only the last, or none.
	BootDiskType string `json:"bootDiskType"`
	// BootDiskSizeGB is the size in gigabytes; 0 means the service's default.
	BootDiskSizeGB int64 `json:"bootDiskSizeGb"`

	Unknown Unknown `json:"-"`
}

// ReservationAffinity ties a pool to a reservation.
type ReservationAffinity struct {
	ReservationAffinityType ReservationAffinityType `json:"reservationAffinityType"`
	// Key is compute.googleapis.com/reservation-name.
	Key string `json:"key"`
	// Values are full names, projects/PROJECT/zones/ZONE/reservations/NAME. The project may be another one that
	// shares its reservation.
	Values []string `json:"values"`

	Unknown Unknown `json:"-"`
}

// ProvisioningModel says how VMs are obtained. Values that this version does not know decode and encode as they
// are, here and in the other enums of this package.
type ProvisioningModel string

const (
	ProvisioningModelOnDemand    ProvisioningModel = "ON_DEMAND"
	ProvisioningModelSpot        ProvisioningModel = "SPOT"
	ProvisioningModelReservation ProvisioningModel = "RESERVATION"
	ProvisioningModelFlexStart   ProvisioningModel = "FLEX_START"
)

// OnDemand reports whether m is [ProvisioningModelOnDemand]. The default of CPU pools, "", is another value.
func (m ProvisioningModel) OnDemand() bool { return m == ProvisioningModelOnDemand }

// Spot reports whether m is [ProvisioningModelSpot].
func (m ProvisioningModel) Spot() bool { return m == ProvisioningModelSpot }

// Reservation reports whether m is [ProvisioningModelReservation].
func (m ProvisioningModel) Reservation() bool { return m == ProvisioningModelReservation }

// FlexStart reports whether m is [ProvisioningModelFlexStart].
func (m ProvisioningModel) FlexStart() bool { return m == ProvisioningModelFlexStart }

// AcceleratorType is the model of a GPU.
type AcceleratorType string

// The first four are documented for this service; the others are in its enum, for the machine families a4x and
// g4, which it supports.
const (
	AcceleratorTypeNvidiaH10080GB     AcceleratorType = "NVIDIA_H100_80GB"
	AcceleratorTypeNvidiaH100Mega80GB AcceleratorType = "NVIDIA_H100_MEGA_80GB"
	AcceleratorTypeNvidiaH200141GB    AcceleratorType = "NVIDIA_H200_141GB"
	AcceleratorTypeNvidiaB200         AcceleratorType = "NVIDIA_B200"
	AcceleratorTypeNvidiaGB200        AcceleratorType = "NVIDIA_GB200"
	AcceleratorTypeNvidiaRTXPro6000   AcceleratorType = "NVIDIA_RTX_PRO_6000"
)

// H100 reports whether t is [AcceleratorTypeNvidiaH10080GB].
func (t AcceleratorType) H100() bool { return t == AcceleratorTypeNvidiaH10080GB }

// H100Mega reports whether t is [AcceleratorTypeNvidiaH100Mega80GB].
func (t AcceleratorType) H100Mega() bool { return t == AcceleratorTypeNvidiaH100Mega80GB }

// H200 reports whether t is [AcceleratorTypeNvidiaH200141GB].
func (t AcceleratorType) H200() bool { return t == AcceleratorTypeNvidiaH200141GB }

// B200 reports whether t is [AcceleratorTypeNvidiaB200].
func (t AcceleratorType) B200() bool { return t == AcceleratorTypeNvidiaB200 }

// GB200 reports whether t is [AcceleratorTypeNvidiaGB200].
func (t AcceleratorType) GB200() bool { return t == AcceleratorTypeNvidiaGB200 }

// RTXPro6000 reports whether t is [AcceleratorTypeNvidiaRTXPro6000].
func (t AcceleratorType) RTXPro6000() bool { return t == AcceleratorTypeNvidiaRTXPro6000 }

// ReservationAffinityType says which reservations may be consumed. The service documents only
// SPECIFIC_RESERVATION.
type ReservationAffinityType string

const ReservationAffinityTypeSpecificReservation ReservationAffinityType = "SPECIFIC_RESERVATION"

// SpecificReservation reports whether one reservation is named.
func (t ReservationAffinityType) SpecificReservation() bool {
	return t == ReservationAffinityTypeSpecificReservation
}

// ReservationName is the key of a [ReservationAffinity].
const ReservationName = "compute.googleapis.com/reservation-name"

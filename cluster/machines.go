package cluster

import (
	"slices"
	"strings"
)

// machine is what the service documents about a machine type.
type machine struct {
	name        string // a name that ends in a dash stands for all types that begin with it
	gpus        int64  // in each node
	accelerator AcceleratorType
	disk        diskRule
}

// diskRule says whether a machine boots from hyperdisk-balanced alone.
type diskRule int

const (
	anyDisk         diskRule = iota
	hyperdiskLikely          // others have been reported not to work
	hyperdiskOnly            // the service refuses others
)

// machines are the documented machine types. Which accelerator a4x and g4 have is not documented; the names are
// those in the enum of the service.
var machines = []machine{
	{"a4x-highgpu-4g", 4, AcceleratorTypeNvidiaGB200, hyperdiskLikely},
	{"a4-highgpu-8g", 8, AcceleratorTypeNvidiaB200, hyperdiskOnly},
	{"a3-ultragpu-8g", 8, AcceleratorTypeNvidiaH200141GB, hyperdiskLikely},
	{"a3-megagpu-8g", 8, AcceleratorTypeNvidiaH100Mega80GB, hyperdiskLikely},
	{"a3-highgpu-8g", 8, AcceleratorTypeNvidiaH10080GB, anyDisk},
	{"g4-standard-48", 1, AcceleratorTypeNvidiaRTXPro6000, hyperdiskLikely},
	{"g4-standard-96", 2, AcceleratorTypeNvidiaRTXPro6000, hyperdiskLikely},
	{"g4-standard-192", 4, AcceleratorTypeNvidiaRTXPro6000, hyperdiskLikely},
	{"g4-standard-384", 8, AcceleratorTypeNvidiaRTXPro6000, hyperdiskLikely},
	{"n2-standard-", 0, "", anyDisk},
	{"n2-highmem-", 0, "", anyDisk},
	{"n2-highcpu-", 0, "", anyDisk},
	{"h4d-standard-", 0, "", hyperdiskLikely},
	{"h4d-highmem-", 0, "", hyperdiskLikely},
}

// gpuFamilies are the machine families of Compute Engine whose machines have GPUs.
var gpuFamilies = []string{"a2", "a3", "a4", "a4x", "g2", "g4"}

func findMachine(machineType string) (machine, bool) {
	for _, m := range machines {
		if machineType == m.name || strings.HasSuffix(m.name, "-") && strings.HasPrefix(machineType, m.name) {
			return m, true
		}
	}
	return machine{}, false
}

// family is the part of a machine type before the first dash: a4x.
func (s *MachineSpec) family() string {
	family, _, _ := strings.Cut(s.MachineType, "-")
	return family
}

// hasGPUs reports whether the machine has GPUs, by its type or because the spec asks for some.
func (s *MachineSpec) hasGPUs() bool {
	return s.AcceleratorType != "" || s.AcceleratorCount > 0 || slices.Contains(gpuFamilies, s.family())
}

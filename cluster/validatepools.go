package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func (c *checker) nodePools(pools []*NodePool) {
	for i, p := range pools {
		at := fmt.Sprintf("%s[%d]", PathNodePools, i)
		if p == nil {
			c.errorf(at, "is nil; want a node pool")
			continue
		}
		c.nodePool(p, at)
	}
}

func (c *checker) nodePool(p *NodePool, at string) {
	machine := orZero(p.MachineSpec)
	c.poolID(p.ID, at+".id")
	c.machineSpec(machine, at+".machine_spec")
	c.reservationAffinity(p, machine.ReservationAffinity, at+".machine_spec.reservation_affinity")
	c.scalingSpec(p, at+".scaling_spec")
	c.zone(p.Zone, at+".zone")
	c.bootDisk(p, at+".boot_disk")
	c.provisioningModel(p.ProvisioningModel, machine, at+".provisioning_model")
	c.flexStartMaxDuration(p, at+".flex_start_max_duration")
	c.startupScript(p.StartupScript, at+".startup_script")
	for i, name := range p.Filestores {
		c.resourceName(name, fmt.Sprintf("%s.filestores[%d]", at, i), instanceName)
	}
	for i, name := range p.Lustres {
		c.resourceName(name, fmt.Sprintf("%s.lustres[%d]", at, i), instanceName)
	}
	c.nodeImage(p.NodeImage, at+".node_image")
}

// instanceName is the form of names of Filestore and Lustre instances.
const instanceName = "projects/*/locations/*/instances/*"

func (c *checker) poolID(id, at string) {
	switch {
	case id == "":
		c.errorf(at, "is not set; want an id that is unique in the cluster")
		return
	case slices.Contains(c.pools, id):
		c.errorf(at, "is %s, as an earlier pool's is; want an id that is unique in the cluster", quote(id))
	case !isShortName(id, 15):
		c.warnf(at, "is %s; want a lowercase letter followed by at most 14 lowercase letters or digits", quote(id))
	}
	c.pools = append(c.pools, id)
}

func (c *checker) machineSpec(s *MachineSpec, at string) {
	if s.MachineType == "" {
		c.errorf(at+".machine_type", "is not set; want a machine type such as n2-standard-8 or a4-highgpu-8g")
		return
	}
	m, documented := findMachine(s.MachineType)
	if !documented {
		c.warnf(at+".machine_type", "%s is none of the machine types that the service documents%s",
			quote(s.MachineType), meant(s.MachineType))
		return
	}
	if s.MachineType == "a3-highgpu-8g" {
		c.warnf(at+".machine_type", "a3-highgpu-8g is open only to projects that Google has allowed it for, apart from "+
			"the service itself")
	}
	c.accelerator(s, m, at)
}

// meant guesses what a machine type that does not exist was to be.
func meant(machineType string) string {
	var known []string
	for _, m := range machines {
		known = append(known, m.name)
	}
	if near := nearest(machineType, known); near != "" && !strings.HasSuffix(near, "-") {
		return "; did you mean " + near + "?"
	}
	return ""
}

func (c *checker) accelerator(s *MachineSpec, m machine, at string) {
	// The service documents no accelerator type for a4x and g4, so that none is as good as the right one.
	optional := m.gpus > 0 && slices.Contains([]string{"a4x", "g4"}, s.family())
	switch got := string(s.AcceleratorType); {
	case s.AcceleratorType == m.accelerator, got == "" && optional, isNumber(got):
	case m.gpus == 0:
		c.warnf(at+".accelerator_type", "is %s, but %s has no GPUs; leave it out", quote(got), s.MachineType)
	default:
		c.warnf(at+".accelerator_type", "is %s; the GPUs of %s are %s", quoteOrNone(got), s.MachineType, m.accelerator)
	}
	if s.AcceleratorCount != m.gpus {
		c.warnf(at+".accelerator_count", "is %d; %s has %d GPUs", s.AcceleratorCount, s.MachineType, m.gpus)
	}
}

func (c *checker) reservationAffinity(p *NodePool, a *ReservationAffinity, at string) {
	reserved := p.ProvisioningModel == ProvisioningModelReservation
	if a == nil {
		if reserved {
			c.warnf(at, "is not set, although the provisioning model is RESERVATION; want the reservation among its values")
		}
		return
	}
	if !reserved {
		c.warnf(at, "names a reservation, but the provisioning model is %s; want RESERVATION",
			quoteOrNone(string(p.ProvisioningModel)))
	}
	kind := a.ReservationAffinityType
	specific := kind == ReservationAffinityTypeSpecificReservation
	switch {
	case kind == "":
		c.warnf(at+".reservation_affinity_type", "is not set; want SPECIFIC_RESERVATION, the only one that is supported")
	case !specific && !isNumber(string(kind)):
		c.errorf(at+".reservation_affinity_type", "is %s; want SPECIFIC_RESERVATION, the only one that is supported",
			quote(string(kind)))
	}
	switch {
	case len(a.Values) > 0:
		c.reservations(p, a.Values, at+".values")
	case specific:
		c.errorf(at+".values", "is empty; SPECIFIC_RESERVATION needs %s", form(reservationName))
	case reserved:
		c.warnf(at+".values", "is empty; the provisioning model RESERVATION needs %s", form(reservationName))
	}
}

const reservationName = "projects/*/zones/*/reservations/*"

func (c *checker) reservations(p *NodePool, values []string, at string) {
	for i, value := range values {
		field := fmt.Sprintf("%s[%d]", at, i)
		parts := strings.Split(value, "/")
		// Blocks and sub-blocks of a reservation may follow its name.
		if !matches(reservationName, strings.Join(parts[:min(6, len(parts))], "/")) {
			c.errorf(field, "is %s; want %s", quoteOrNone(value), form(reservationName))
		} else if zone := parts[3]; p.Zone != "" && zone != p.Zone {
			c.warnf(field, "is in zone %s; want a reservation in the pool's zone, %s", quote(zone), p.Zone)
		}
	}
}

// scalingSpec does not ask for equal counts but of the login pool: worker pools with 0..2 are documented.
func (c *checker) scalingSpec(p *NodePool, at string) {
	s := orZero(p.ScalingSpec)
	switch least, most := s.MinNodeCount, s.MaxNodeCount; {
	case least < 0:
		c.errorf(at+".min_node_count", "is %d; want 0 or more", least)
	case least > most:
		c.errorf(at+".max_node_count", "is %d, less than min_node_count, which is %d", most, least)
	case c.isLogin(p) && least != most:
		c.errorf(at, "has min_node_count %d and max_node_count %d; the login pool does not scale, so want equal ones",
			least, most)
	}
	if orZero(p.MachineSpec).family() == "a4x" {
		c.wholeDomains(s.MinNodeCount, at+".min_node_count")
		c.wholeDomains(s.MaxNodeCount, at+".max_node_count")
	}
}

// isLogin reports whether p is known to be the login pool.
func (c *checker) isLogin(p *NodePool) bool { return c.login != "" && p.ID == c.login }

// wholeDomains is about A4X machines, which come as racks of 18 that share an NVLink.
func (c *checker) wholeDomains(n int64, at string) {
	if n > 0 && n%18 != 0 {
		c.warnf(at, "is %d; nodes of A4X come in multiples of 18", n)
	}
}

func (c *checker) zone(zone, at string) {
	switch {
	case zone == "":
		c.warnf(at, "is not set; want a zone such as us-central1-a")
	case c.region != "" && !strings.HasPrefix(zone, c.region+"-"):
		c.warnf(at, "is %s; want a zone of the cluster's region, such as %s-a", quote(zone), c.region)
	}
}

func (c *checker) bootDisk(p *NodePool, at string) {
	if p.BootDisk == nil {
		if c.scope.has(PathLoginNodePoolID) && !c.isLogin(p) {
			c.warnf(at, "is not set; the service has refused worker pools without one")
		}
		return
	}
	const hyperdiskBalanced = "hyperdisk-balanced"
	machineType, disk := orZero(p.MachineSpec).MachineType, p.BootDisk.BootDiskType
	if m, _ := findMachine(machineType); disk != "" && disk != hyperdiskBalanced {
		switch m.disk {
		case hyperdiskOnly:
			c.errorf(at+".boot_disk_type", "is %s; %s takes %s alone, or none for the default",
				quote(disk), machineType, hyperdiskBalanced)
		case hyperdiskLikely:
			c.warnf(at+".boot_disk_type", "is %s; %s probably takes %s alone, or none for the default",
				quote(disk), machineType, hyperdiskBalanced)
		}
	}
	if size := p.BootDisk.BootDiskSizeGB; size != 0 && size < 40 {
		c.warnf(at+".boot_disk_size_gb", "is %d; want 40 or more, or 0 for the default", size)
	}
}

func (c *checker) provisioningModel(model ProvisioningModel, s *MachineSpec, at string) {
	models := []ProvisioningModel{
		ProvisioningModelOnDemand, ProvisioningModelSpot, ProvisioningModelReservation, ProvisioningModelFlexStart,
	}
	const choice = "ON_DEMAND, SPOT, RESERVATION or FLEX_START"
	m, documented := findMachine(s.MachineType)
	switch {
	case model == "" || model == "PROVISIONING_MODEL_UNSPECIFIED":
		if s.hasGPUs() {
			c.errorf(at, "is not set; pools with GPUs need %s", choice)
		}
	case model == "STANDARD":
		c.errorf(at, "STANDARD is none; want %s, of which ON_DEMAND is the nearest", choice)
	case documented && m.gpus == 0 && !s.hasGPUs():
		c.warnf(at, "is %s; leave it out for pools without GPUs", quote(string(model)))
	case !slices.Contains(models, model) && !isNumber(string(model)):
		c.warnf(at, "%s is none that the service documents; want %s", quote(string(model)), choice)
	}
}

func (c *checker) flexStartMaxDuration(p *NodePool, at string) {
	const least, most = 30 * time.Second, 604800 * time.Second
	d := p.FlexStartMaxDuration
	switch {
	case d == 0:
	case d < least || d > most:
		c.errorf(at, "is %v; want 30 seconds to 7 days (604800s)", d)
	case p.ProvisioningModel != ProvisioningModelFlexStart:
		c.warnf(at, "has no effect, as the provisioning model is %s; want FLEX_START", quoteOrNone(string(p.ProvisioningModel)))
	}
}

func (c *checker) startupScript(script, at string) {
	const most = 256 << 10
	if len(script) > most {
		c.warnf(at, "has %d bytes; want at most 256 KB: put what is long into a bucket or on Filestore", len(script))
	}
}

func (c *checker) nodeImage(image, at string) {
	const single, family = "projects/*/global/images/*", "projects/*/global/images/family/*"
	if image != "" && !matches(single, image) && !matches(family, image) {
		c.errorf(at, "is %s; want %s or %s", quote(image), form(single), form(family))
	}
}

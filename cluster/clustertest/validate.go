package clustertest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// checker collects what the service finds wrong with a cluster. It refuses only what the service is known or
// documented to refuse.
type checker struct{ found []violation }

const rootPath = "model_development_cluster."

func (c *checker) failf(path, format string, args ...any) {
	c.found = append(c.found, violation{rootPath + path, fmt.Sprintf(format, args...)})
}

// checkCluster checks a whole cluster: the body of a create, or what an update would lead to.
func checkCluster(doc document) *apiError {
	var c checker
	slurm := doc.slurm()
	pools := c.pools(doc.children("node_pools"), slurm.text("login_node_pool_id"))
	c.slurm(slurm, pools)
	if len(c.found) > 0 {
		return foundErrors(c.found)
	}
	return nil
}

// pools checks the node pools and returns their ids.
func (c *checker) pools(pools []document, login string) []string {
	var ids []string
	for i, p := range pools {
		path := fmt.Sprintf("node_pools[%d]", i)
		id := p.text("id")
		switch {
		case id == "":
			c.failf(path+".id", "is required")
		case slices.Contains(ids, id):
			c.failf(path+".id", "duplicate node pool id %q", id)
		}
		ids = append(ids, id)
		c.scaling(p.child("scaling_spec"), path+".scaling_spec", id == login)
		c.machine(p, path)
		c.provisioning(p, path)
		if image := p.text("node_image"); image != "" && !imageName.MatchString(image) {
			c.failf(path+".node_image", "must be projects/PROJECT/global/images/... ; got %q", image)
		}
	}
	return ids
}

var (
	imageName       = regexp.MustCompile(`^projects/[^/]+/global/images/(family/)?[^/]+$`)
	instanceName    = regexp.MustCompile(`^projects/[^/]+/locations/[^/]+/instances/[^/]+$`)
	reservationName = regexp.MustCompile(`^projects/[^/]+/zones/[^/]+/reservations/[^/]+(/.*)?$`)
)

func (c *checker) scaling(spec document, path string, login bool) {
	least, most := spec.int("min_node_count"), spec.int("max_node_count")
	switch {
	case least < 0:
		c.failf(path+".min_node_count", "must not be negative; got %d", least)
	case least > most:
		c.failf(path+".max_node_count", "must be at least min_node_count; got min %d, max %d", least, most)
	case login && least != most:
		c.failf(path, "min_node_count and max_node_count of the login node pool must be equal; got %d and %d",
			least, most)
	}
}

// isGPU tells machine types whose nodes have GPUs.
func isGPU(spec document) bool {
	family, _, _ := strings.Cut(spec.text("machine_type"), "-")
	return slices.Contains([]string{"a2", "a3", "a4", "a4x", "g2", "g4"}, family) ||
		spec.text("accelerator_type") != "" || spec.int("accelerator_count") > 0
}

func (c *checker) machine(p document, path string) {
	spec := p.child("machine_spec")
	machineType, disk := spec.text("machine_type"), p.child("boot_disk").text("boot_disk_type")
	if machineType == "" {
		c.failf(path+".machine_spec.machine_type", "is required")
	}
	if machineType == "a4-highgpu-8g" && disk != "" && disk != "hyperdisk-balanced" {
		c.failf(path+".boot_disk.boot_disk_type", "Machine type %s requires boot_disk_type to be unset (the default) "+
			"or \"hyperdisk-balanced\"; got %q. See b/503144983.", machineType, disk)
	}
	affinity, at := spec.child("reservation_affinity"), path+".machine_spec.reservation_affinity"
	kind := affinity.text("reservation_affinity_type")
	if kind != "" && kind != "SPECIFIC_RESERVATION" {
		c.failf(at+".reservation_affinity_type", "only SPECIFIC_RESERVATION is supported; got %s", kind)
	}
	values := affinity.texts("values")
	if kind == "SPECIFIC_RESERVATION" && len(values) == 0 {
		c.failf(at+".values", "is required for SPECIFIC_RESERVATION")
	}
	for i, v := range values {
		if !reservationName.MatchString(v) {
			c.failf(fmt.Sprintf("%s.values[%d]", at, i),
				"must be projects/PROJECT/zones/ZONE/reservations/NAME; got %q", v)
		}
	}
}

func (c *checker) provisioning(p document, path string) {
	if p.text("provisioning_model") == "" && isGPU(p.child("machine_spec")) {
		c.failf(path+".provisioning_model", "must be set for GPU node pools")
	}
	text := p.text("flex_start_max_duration")
	if text == "" {
		return
	}
	if d, ok := parseSeconds(text); !ok || d < 30*time.Second || d > 604800*time.Second {
		c.failf(path+".flex_start_max_duration", "must be between 30s and 604800s; got %q", text)
	}
}

const slurmPath = "orchestrator_spec.slurm_spec."

func (c *checker) slurm(slurm document, pools []string) {
	login := slurm.text("login_node_pool_id")
	if home := slurm.text("home_directory_storage"); home == "" {
		c.failf(slurmPath+"home_directory_storage", "is required")
	} else if !instanceName.MatchString(home) {
		c.failf(slurmPath+"home_directory_storage",
			"must be projects/PROJECT/locations/LOCATION/instances/NAME; got %q", home)
	}
	if !slices.Contains(pools, login) {
		c.failf(slurmPath+"login_node_pool_id", "unknown node pool %q", login)
	}
	c.partitions(slurm, pools)
	c.nodeSets(slurm.children("node_sets"), pools, login)
	c.config(slurm.dict("config"), slurmPath+"config")
	_, scheduling := slurm["scheduling"]
	_, accounting := slurm["accounting"]
	if len(slurm.dict("config")) > 0 && (scheduling || accounting) {
		c.failf(slurmPath+"config", "cannot be used together with scheduling or accounting")
	}
}

func (c *checker) partitions(slurm document, pools []string) {
	var ids []string
	for i, p := range slurm.children("partitions") {
		path := fmt.Sprintf("%spartitions[%d]", slurmPath, i)
		id := p.text("id")
		switch {
		case id == "":
			c.failf(path+".id", "is required")
		case slices.Contains(ids, id):
			c.failf(path+".id", "duplicate partition id %q", id)
		}
		ids = append(ids, id)
		if len(p.texts("node_pool_ids")) == 0 {
			c.failf(path+".node_pool_ids", "at least one node pool is required")
		}
		for j, pool := range p.texts("node_pool_ids") {
			if !slices.Contains(pools, pool) {
				c.failf(fmt.Sprintf("%s.node_pool_ids[%d]", path, j), "unknown node pool %q", pool)
			}
		}
		c.config(p.dict("config"), path+".config", "default")
	}
	if id := slurm.text("default_partition_id"); id != "" && !slices.Contains(ids, id) {
		c.failf(slurmPath+"default_partition_id",
			"partition %q is the default partition and must be among the partitions", id)
	}
}

func (c *checker) nodeSets(sets []document, pools []string, login string) {
	var seen []string
	for i, set := range sets {
		path := fmt.Sprintf("%snode_sets[%d]", slurmPath, i)
		pool := set.text("node_pool_id")
		switch {
		case !slices.Contains(pools, pool):
			c.failf(path+".node_pool_id", "unknown node pool %q", pool)
		case pool == login:
			c.failf(path+".node_pool_id", "the login node pool %q takes no node set", pool)
		case slices.Contains(seen, pool):
			c.failf(path+".node_pool_id", "duplicate node set for node pool %q", pool)
		}
		seen = append(seen, pool)
		c.config(set.dict("config"), path+".config")
	}
}

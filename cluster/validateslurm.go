package cluster

import (
	"fmt"
	"slices"
	"strings"
)

const (
	slurmPath         = "orchestrator_spec.slurm_spec"
	pathHomeDirectory = slurmPath + ".home_directory_storage"
)

func (c *checker) slurm(s *SlurmSpec) {
	c.homeDirectoryStorage(s.HomeDirectoryStorage)
	c.partitions(s.Partitions)
	c.defaultPartitionID(s)
	c.loginNodePoolID(s.LoginNodePoolID)
	c.scripts(s.PrologBashScripts, PathPrologBashScripts)
	c.scripts(s.EpilogBashScripts, PathEpilogBashScripts)
	c.config(s)
	c.nodeSets(s.NodeSets)
	c.scheduling(orZero(s.Scheduling))
}

func (c *checker) homeDirectoryStorage(name string) {
	if c.scope.whole() && !matches(instanceName, name) {
		c.errorf(pathHomeDirectory, "is %s; want a Filestore instance, %s", quoteOrNone(name), form(instanceName))
	}
}

func (c *checker) partitions(partitions []*Partition) {
	var ids []string
	for i, p := range partitions {
		at := fmt.Sprintf("%s[%d]", PathPartitions, i)
		if p == nil {
			c.errorf(at, "is nil; want a partition")
			continue
		}
		switch {
		case p.ID == "":
			c.errorf(at+".id", "is not set; want an id that is unique in the cluster")
		case slices.Contains(ids, p.ID):
			c.errorf(at+".id", "is %s, as an earlier partition's is; want an id that is unique in the cluster", quote(p.ID))
		case !isLabel(p.ID):
			c.warnf(at+".id", "is %s; want a lowercase letter followed by at most 62 lowercase letters, digits or dashes, "+
				"the last one no dash", quote(p.ID))
		}
		ids = append(ids, p.ID)
		c.nodePoolIDs(p.NodePoolIDs, at+".node_pool_ids")
		c.partitionConfig(p.Config, at+".config")
	}
}

// isLabel reports whether s is a label of RFC 1034 in lowercase.
func isLabel(s string) bool {
	return isShortName(strings.ReplaceAll(s, "-", "0"), 63) && s[0] != '-' && s[len(s)-1] != '-'
}

func (c *checker) nodePoolIDs(ids []string, at string) {
	if len(ids) == 0 {
		c.errorf(at, "is empty; want one node pool or more")
	}
	for i, id := range ids {
		field := fmt.Sprintf("%s[%d]", at, i)
		c.existingPool(id, field)
		if id != "" && c.login == id {
			c.warnf(field, "is %s, the login pool, which runs no jobs; leave it out", quote(id))
		}
	}
}

// existingPool checks a reference to a node pool, if the pools are there to be seen.
func (c *checker) existingPool(id, at string) bool {
	if !c.scope.has(PathNodePools) || slices.Contains(c.pools, id) {
		return true
	}
	c.errorf(at, "is %s; want the id of a node pool: %s", quoteOrNone(id), oneOf(c.pools))
	return false
}

func (c *checker) defaultPartitionID(s *SlurmSpec) {
	id := s.DefaultPartitionID
	if id != "" && c.scope.has(PathPartitions, PathDefaultPartitionID) && s.Partition(id) == nil {
		c.errorf(PathDefaultPartitionID, "is %s; want the id of a partition: %s", quote(id), oneOf(s.partitionIDs()))
	}
}

func (c *checker) loginNodePoolID(id string) {
	if c.scope.has(PathLoginNodePoolID) {
		c.existingPool(id, PathLoginNodePoolID)
	}
}

func (c *checker) scripts(scripts []string, at string) {
	for i, script := range scripts {
		if strings.TrimSpace(script) == "" {
			c.warnf(fmt.Sprintf("%s[%d]", at, i), "is empty; want a whole script, or leave it out")
		}
	}
}

func (c *checker) nodeSets(sets []*NodeSet) {
	var seen []string
	for i, set := range sets {
		at := fmt.Sprintf("%s[%d]", PathNodeSets, i)
		if set == nil {
			c.errorf(at, "is nil; want a node set")
			continue
		}
		id := set.NodePoolID
		switch exists := c.existingPool(id, at+".node_pool_id"); {
		case !exists:
		case id == "":
			c.errorf(at+".node_pool_id", "is not set; want the id of a node pool")
		case id == c.login:
			c.errorf(at+".node_pool_id", "is %s, the login pool, which takes no node set; want a pool whose nodes run jobs",
				quote(id))
		case slices.Contains(seen, id):
			c.errorf(at+".node_pool_id", "is %s, which has a node set already; put all its parameters into one", quote(id))
		}
		seen = append(seen, id)
		c.parameters(set.Config, at+".config")
	}
}

// bothForms is what is wrong with a cluster that has settings in the newer and in the older form.
const bothForms = "stands together with scheduling or accounting, which the service refuses; put every setting into " +
	"config under its slurm.conf name, as MigrateToConfig does"

func (s *SlurmSpec) hasBothForms() bool {
	return len(s.Config) > 0 && (s.Scheduling != nil || s.Accounting != nil)
}

package cluster

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// findRefusals adds what UpdateCluster refuses, or the service because of what the cluster is now.
func (p *Plan) findRefusals(want *ModelDevelopmentCluster, paths []maskPath) {
	if err := p.Mode.suits(p.Mask); err != nil {
		p.refuse("update_mode", "%w", err)
	}
	for _, path := range paths {
		if path.name == AllFields {
			continue
		}
		if err := want.copyMasked(new(ModelDevelopmentCluster), path); err != nil {
			p.refuse("update_mask", "%w", err)
		}
	}
	if paths[0].name != AllFields {
		return
	}
	if len(p.result.NodePools) == 0 {
		p.refuse(PathNodePools, "an update of all fields without node pools would delete them all; start from GetCluster")
	}
	for _, c := range p.Changes {
		if _, ok := maskPathOf(c.Path); !ok {
			p.refuse(c.Path, "it is set when the cluster is created and cannot be updated; send what was read, %s", firstOf(string(c.Old), "nothing"))
		}
	}
}

// validate adds what is wrong with the cluster as it would be. What was wrong before is left out: the service has
// taken it, so that a rule here must be mistaken.
func (p *Plan) validate() {
	if err := p.current.busy(); err != nil {
		p.refuse("cluster_status.state", "%w", err)
	}
	before, after := p.current.Validate(nil), p.result.Validate(nil)
	p.Refusals = append(p.Refusals, newOnes(before.Errors, after.Errors)...)
	p.Warnings = append(p.Warnings, newOnes(before.Warnings, after.Warnings)...)
	p.Warnings = append(p.Warnings, newOnes(unknownMembers(p.current), unknownMembers(p.result))...)
}

// busy finds a cluster in a state in which it takes no update, as far as one knows: the service does not publish it.
// New states get the benefit of the doubt.
func (m *ModelDevelopmentCluster) busy() error {
	if s := m.State(); s.Changing() || s.Failed() {
		return fmt.Errorf("the cluster is %s, and an update probably wants it %s; cluster.WithoutValidation sends it all the same", s, StateRunning)
	}
	return nil
}

var indexes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\d+\]`) })

// newOnes are the violations of after that before does not have, at whatever place in their list.
func newOnes(before, after []Violation) []Violation {
	key := func(v Violation) string { return indexes().ReplaceAllString(v.Field, "[]") + ": " + v.Description }
	known := map[string]int{}
	for _, v := range before {
		known[key(v)]++
	}
	var found []Violation
	for _, v := range after {
		if known[key(v)]--; known[key(v)] < 0 {
			found = append(found, v)
		}
	}
	return found
}

func (p *Plan) findWarnings(want *ModelDevelopmentCluster, paths []maskPath) {
	p.warnOfUnsent(want, paths)
	p.warnOfDefaultPartition()
	p.warnOfIdlePools()
	for i, pool := range p.result.NodePools {
		if image := p.images[pool.ID]; isFamily(image) {
			p.warn(fmt.Sprintf("%s[%d].node_image", PathNodePools, i), "%s is a family, which stands for its newest image; to pin the pool name an image",
				image)
		}
	}
}

// warnOfUnsent names what want has changed outside of the mask. What want has nothing for does not count, nor do images
// that it leaves to the service: it may come from a file that holds only a part.
func (p *Plan) warnOfUnsent(want *ModelDevelopmentCluster, paths []maskPath) {
	if paths[0].name == AllFields {
		return
	}
	var unsent []string
	for _, d := range differences(p.current, want) {
		name, _ := maskPathOf(d.Path)
		if sends(paths, name) || want.presence(name) == jsonx.Absent || leavesImage(d) || slices.Contains(unsent, name) {
			continue
		}
		unsent = append(unsent, name)
		p.warn(name, "it differs from the cluster, but the mask does not name it: the change is not sent")
	}
}

// warnOfDefaultPartition: without a default_partition_id the first partition is the default.
func (p *Plan) warnOfDefaultPartition() {
	first := func(m *ModelDevelopmentCluster) string {
		s := m.slurm()
		if s.DefaultPartitionID == "" && len(s.Partitions) > 0 {
			return s.Partitions[0].ID
		}
		return s.DefaultPartitionID
	}
	was, is := first(p.current), first(p.result)
	if was != is && is != "" && p.result.slurm().DefaultPartitionID == "" && was != "" {
		p.warn(PathPartitions, "the default partition becomes %q in place of %q, because default_partition_id is not set and the first "+
			"partition is the default", is, was)
	}
}

// warnOfIdlePools names pools that no partition has: those that lose their last one, and new ones that were not given
// any. The service takes that.
func (p *Plan) warnOfIdlePools() {
	for i, pool := range p.result.NodePools {
		before := p.current.NodePool(pool.ID)
		wasIdle := before != nil && !p.current.slurm().partitioned(pool.ID)
		if wasIdle || p.result.slurm().partitioned(pool.ID) || pool.ID == p.result.slurm().LoginNodePoolID {
			continue
		}
		p.warn(fmt.Sprintf("%s[%d]", PathNodePools, i), "no partition has the pool %q, so that no job runs on its nodes; name it in the "+
			"node_pool_ids of one", pool.ID)
	}
}

// partitioned reports whether a partition has the pool.
func (s *SlurmSpec) partitioned(pool string) bool {
	return slices.ContainsFunc(s.Partitions, func(p *Partition) bool { return slices.Contains(p.NodePoolIDs, pool) })
}

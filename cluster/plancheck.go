package cluster

import (
	"fmt"
	"slices"
	"strings"

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
	if p.same {
		return
	}
	before, after := &Validation{}, p.result.Validate(nil)
	if len(after.Errors)+len(after.Warnings) > 0 {
		before = p.current.Validate(nil)
	}
	p.Refusals = append(p.Refusals, newOnes(before.Errors, after.Errors)...)
	p.Warnings = append(p.Warnings, newOnes(before.Warnings, after.Warnings)...)
	p.Warnings = append(p.Warnings, newUnknown(p.current, p.result)...)
}

// busy finds a cluster in a state in which it takes no update, as far as one knows: the service does not publish it.
// New states get the benefit of the doubt.
func (m *ModelDevelopmentCluster) busy() error {
	const sends = "cluster.WithoutValidation sends it all the same"
	switch s := m.State(); {
	case s.Changing():
		return fmt.Errorf("the cluster is %s, and an update probably wants it %s: wait for what goes on there, or %s", s, StateRunning, sends)
	case s.Failed():
		return fmt.Errorf("the cluster is %s, and an update probably wants it %s; %s", s, StateRunning, sends)
	}
	return nil
}

// newOnes are the violations of after that before does not have, at whatever place in their list.
func newOnes(before, after []Violation) (found []Violation) {
	known := counts{}
	for _, v := range before {
		*known.at(v.Field, v.Description)++
	}
	for _, v := range after {
		n := known.at(v.Field, v.Description)
		if *n--; *n < 0 {
			found = append(found, v)
		}
	}
	return found
}

// newUnknown does the same for unknown members, and describes only those that are new.
func newUnknown(before, after *ModelDevelopmentCluster) (found []Violation) {
	known := counts{}
	codec.EachUnknown(before, func(path []byte, _ string, _ []string) { *known.at(string(path), "")++ })
	codec.EachUnknown(after, func(path []byte, name string, names []string) {
		n := known.at(string(path), "")
		if *n--; *n < 0 {
			found = append(found, unknownMember(string(path), name, names))
		}
	})
	return found
}

// counts counts what is said of fields, those of all elements of a list together.
type counts map[string]*int

func (c counts) at(field, what string) *int {
	var scratch [256]byte
	key := append(append(withoutIndexes(scratch[:0], field), ": "...), what...)
	n := c[string(key)]
	if n == nil {
		n = new(int)
		c[string(key)] = n
	}
	return n
}

// withoutIndexes appends a path with [] in place of [7].
func withoutIndexes(b []byte, path string) []byte {
	for {
		start := strings.IndexByte(path, '[')
		if start < 0 {
			return append(b, path...)
		}
		end := start + 1
		for end < len(path) && path[end] >= '0' && path[end] <= '9' {
			end++
		}
		b = append(b, path[:start+1]...)
		if end == len(path) || path[end] != ']' { // it is a name that has a bracket
			end = start + 1
		}
		path = path[end:]
	}
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
	rest := *want // what is sent need not be compared
	for _, path := range paths {
		codec.CopyPath(&rest, p.current, path.name)
	}
	var unsent []string
	for _, d := range differences(p.current, &rest) {
		name, _ := maskPathOf(d.Path)
		if sends(paths, name) || sends(paths, jsonx.Snake(name)) || want.presence(name) == jsonx.Absent || leavesImage(d) || slices.Contains(unsent, name) {
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
	before, after := p.current.slurm().partitioned(), p.result.slurm().partitioned()
	for i, pool := range p.result.NodePools {
		wasIdle := p.was[pool.ID] != nil && !before[pool.ID]
		if wasIdle || after[pool.ID] || pool.ID == p.result.slurm().LoginNodePoolID {
			continue
		}
		p.warn(fmt.Sprintf("%s[%d]", PathNodePools, i), "no partition has the pool %q, so that no job runs on its nodes; name it in the "+
			"node_pool_ids of one", pool.ID)
	}
}

// partitioned has the pools that partitions have.
func (s *SlurmSpec) partitioned() map[string]bool {
	pools := map[string]bool{}
	for _, p := range s.Partitions {
		for _, id := range p.NodePoolIDs {
			pools[id] = true
		}
	}
	return pools
}

package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// Effect is something that an update does to nodes, images or Slurm.
type Effect struct {
	Kind EffectKind `json:"kind"`
	// Name is the node pool or the partition; "" if the whole cluster is concerned.
	Name string `json:"name,omitempty"`
	// Nodes is how many nodes of the pool are concerned at most.
	Nodes int64 `json:"nodes,omitempty"`
	// Possible means that it may happen: what decides it only the service knows, such as today's default image.
	Possible bool `json:"possible,omitempty"`
	// Reason says why.
	Reason string `json:"reason"`
}

// EffectKind is a kind of effect. Those that cost nodes, sessions or jobs are [EffectKind.Destructive], and
// [EditOptions] allows them one by one.
type EffectKind string

const (
	// EffectPoolRemoval deletes a node pool with all its nodes.
	EffectPoolRemoval EffectKind = "POOL_REMOVAL"
	// EffectNodeRemoval takes nodes from a pool whose maximum count falls, with the jobs on them.
	EffectNodeRemoval EffectKind = "NODE_REMOVAL"
	// EffectNodeRecreation drains the compute nodes of a pool and replaces them.
	EffectNodeRecreation EffectKind = "NODE_RECREATION"
	// EffectLoginRecreation replaces or removes login nodes, which ends the SSH sessions there and loses what is on
	// their boot disks.
	EffectLoginRecreation EffectKind = "LOGIN_RECREATION"
	// EffectPartitionRemoval takes away a partition; jobs in it cannot go on.
	EffectPartitionRemoval EffectKind = "PARTITION_REMOVAL"

	// EffectPoolCreation makes a new node pool.
	EffectPoolCreation EffectKind = "POOL_CREATION"
	// EffectNodeAddition adds nodes to a pool: static ones at once, dynamic ones (Possible) as jobs wait for them.
	EffectNodeAddition EffectKind = "NODE_ADDITION"
	// EffectNodeRelease makes static nodes dynamic: they go when no job needs them.
	EffectNodeRelease EffectKind = "NODE_RELEASE"
	// EffectImageKept leaves the image of a pool's nodes as it is.
	EffectImageKept EffectKind = "IMAGE_KEPT"
	// EffectImagePinned fixes a pool to an image, so that it gets no newer one.
	EffectImagePinned EffectKind = "IMAGE_PINNED"
	// EffectSlurmReload regenerates slurm.conf and reloads the Slurm controller. Jobs go on. Bad combinations of
	// settings can keep the controller from starting although the operation succeeds.
	EffectSlurmReload EffectKind = "SLURM_RELOAD"
	// EffectServiceRefresh renews what the service manages: its startup, prolog and epilog parts.
	EffectServiceRefresh EffectKind = "SERVICE_REFRESH"
)

// Destructive reports whether the effect costs nodes, sessions or jobs.
func (k EffectKind) Destructive() bool {
	switch k {
	case EffectPoolRemoval, EffectNodeRemoval, EffectNodeRecreation, EffectLoginRecreation, EffectPartitionRemoval:
		return true
	}
	return false
}

// findEffects fills in the effects.
func (p *Plan) findEffects(paths []maskPath) {
	sent := sends(paths, PathNodePools)
	for _, before := range p.current.NodePools {
		if after := p.will[before.ID]; after != nil {
			p.poolEffects(before, after, sent)
		} else {
			p.removalEffects(before)
		}
	}
	for _, after := range p.result.NodePools {
		if p.was[after.ID] == nil {
			p.effect(EffectPoolCreation, after, maxNodes(after), false, "new in node_pools, with "+
				firstOf(p.images[after.ID], "today's default image of its machine type"))
			p.imageEffect(after)
		}
	}
	p.partitionEffects()
	if i := slices.IndexFunc(p.Changes, func(c Change) bool { return strings.HasPrefix(c.Path, "orchestrator_spec.") }); i >= 0 {
		p.effect(EffectSlurmReload, nil, 0, false, "slurm.conf is regenerated; jobs go on, though a node may reboot after its job; "+
			"whether the controller starts with it only a ping shows")
	}
	if p.Mode == UpdateModeUserAndService {
		p.effect(EffectServiceRefresh, nil, 0, false, string(p.Mode)+" renews the service's own startup, prolog and epilog parts")
	}
}

func (p *Plan) effect(kind EffectKind, pool *NodePool, nodes int64, possible bool, reason string) {
	e := Effect{Kind: kind, Nodes: nodes, Possible: possible, Reason: reason}
	if pool != nil {
		e.Name = pool.ID
	}
	p.Effects = append(p.Effects, e)
}

// sends reports whether an update with these paths has the field in its body.
func sends(paths []maskPath, field string) bool {
	return slices.ContainsFunc(paths, func(path maskPath) bool { return path.name == field || path.name == AllFields })
}

func (p *Plan) removalEffects(pool *NodePool) {
	p.effect(EffectPoolRemoval, pool, maxNodes(pool), false, "left out of node_pools")
	if pool.ID == p.current.slurm().LoginNodePoolID {
		p.effect(EffectLoginRecreation, pool, maxNodes(pool), false, "the pool of the login nodes is deleted")
	}
}

// Changes of these fields of a pool recreate its nodes by the service's own word; those of the next ones probably do,
// since Compute Engine cannot make them in a VM that exists. Size, labels and image are looked at apart.
var (
	recreating = []string{"startup_script", "filestores", "lustres"}
	mayStay    = []string{"id", "scaling_spec", "labels", "node_image"}
)

func (p *Plan) poolEffects(before, after *NodePool, sent bool) {
	var fields []string
	if before != after {
		fields = changedPoolFields(before, after)
	}
	if was, is := p.current.slurm().LoginNodePoolID == before.ID, p.result.slurm().LoginNodePoolID == before.ID; was != is {
		fields = append(fields, "login_node_pool_id")
	}
	if len(fields) > 0 {
		sure := slices.ContainsFunc(fields, func(field string) bool { return slices.Contains(recreating, field) })
		verb := map[bool]string{true: " changes", false: " change"}[len(fields) == 1]
		p.effect(p.recreation(before.ID), before, maxNodes(before), !sure, enumerate(fields)+verb)
	} else if reason, possible := p.imageChange(before, after); reason != "" {
		p.effect(p.recreation(before.ID), before, maxNodes(before), possible, reason)
	}
	if sent {
		p.imageEffect(after)
	}
	p.countEffects(before, after)
}

// changedPoolFields are the fields of a pool whose change can recreate its nodes; members that this version does not
// know are among them.
func changedPoolFields(before, after *NodePool) (fields []string) {
	for _, d := range codec.Diff(before, after, elementID) {
		field, _, _ := strings.Cut(d.Path, ".")
		switch {
		case slices.Contains(mayStay, field) || slices.Contains(fields, field):
		case field == "provisioning_model" && before.model() == after.model():
		default:
			fields = append(fields, field)
		}
	}
	return fields
}

// model is the provisioning model, with the documented default of pools without GPUs.
func (p *NodePool) model() ProvisioningModel {
	if p.ProvisioningModel == "" && !orZero(p.MachineSpec).hasGPUs() {
		return ProvisioningModelOnDemand
	}
	return p.ProvisioningModel
}

// recreation is the kind of effect that replacing the nodes of a pool is.
func (p *Plan) recreation(pool string) EffectKind {
	if pool == p.current.slurm().LoginNodePoolID {
		return EffectLoginRecreation
	}
	return EffectNodeRecreation
}

// countEffects compares the sizes of a pool.
func (p *Plan) countEffects(before, after *NodePool) {
	leastBefore, mostBefore := minNodes(before), maxNodes(before)
	least, most := minNodes(after), maxNodes(after)
	removal := EffectNodeRemoval
	if before.ID == p.current.slurm().LoginNodePoolID {
		removal = EffectLoginRecreation
	}
	if most < mostBefore {
		p.effect(removal, before, mostBefore-most, false, fmt.Sprintf("max_node_count falls from %d to %d", mostBefore, most))
	}
	if least < leastBefore && most > least {
		p.effect(EffectNodeRelease, before, min(leastBefore, most)-least, false,
			fmt.Sprintf("min_node_count falls from %d to %d", leastBefore, least))
	}
	if least > leastBefore {
		p.effect(EffectNodeAddition, before, least-leastBefore, false, fmt.Sprintf("min_node_count rises from %d to %d", leastBefore, least))
	}
	if most > mostBefore && most > least {
		p.effect(EffectNodeAddition, before, most-mostBefore, true, fmt.Sprintf("max_node_count rises from %d to %d", mostBefore, most))
	}
}

func minNodes(p *NodePool) int64 { return orZero(p.ScalingSpec).MinNodeCount }
func maxNodes(p *NodePool) int64 { return orZero(p.ScalingSpec).MaxNodeCount }

func (p *Plan) partitionEffects() {
	after := p.result.slurm()
	for _, partition := range p.current.slurm().Partitions {
		if after.Partition(partition.ID) == nil {
			p.Effects = append(p.Effects, Effect{Kind: EffectPartitionRemoval, Name: partition.ID, Reason: "left out of partitions"})
		}
	}
}

// slurm is the Slurm settings, or empty ones; unlike Slurm it adds nothing to m.
func (m *ModelDevelopmentCluster) slurm() *SlurmSpec {
	return orZero(orZero(m.OrchestratorSpec).SlurmSpec)
}

// enumerate is "a", "a and b" or "a, b and c".
func enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

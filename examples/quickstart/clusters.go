package main

import (
	"context"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

func (t *tour) create(ctx context.Context) error {
	spec, err := cluster.Parse(demo.GuideCluster)
	if err != nil {
		return err
	}
	op, err := t.clusters.CreateCluster(ctx, t.cfg.cluster, spec)
	if err != nil {
		return err
	}
	t.say("create", "accepted as %s", op.Name())
	if err := op.Wait(ctx, t.watch("create")...); err != nil {
		return err
	}
	m, err := op.Cluster()
	if err != nil {
		return err
	}
	t.say("create", "done: %s", m)
	return nil
}

func (t *tour) read(ctx context.Context) error {
	m, err := t.clusters.GetCluster(ctx, t.cfg.cluster)
	if err != nil {
		return err
	}
	t.say("read", "%s", m)
	return nil
}

// resize sets the size of the first worker pool. It reads first and sends all pools back, since the list of pools is
// replaced whole.
func (t *tour) resize(ctx context.Context) error {
	m, err := t.clusters.GetCluster(ctx, t.cfg.cluster)
	if err != nil {
		return err
	}
	for _, pool := range m.NodePools {
		if pool.ID == m.Slurm().LoginNodePoolID || pool.ScalingSpec == nil {
			continue
		}
		before := pool.String()
		pool.ScalingSpec.MaxNodeCount = t.cfg.resize
		pool.ScalingSpec.MinNodeCount = min(pool.ScalingSpec.MinNodeCount, t.cfg.resize)
		t.say("resize", "%s becomes %s (mask %s, mode %s)", before, pool, cluster.PathNodePools, cluster.UpdateModeUserOnly)
		break
	}
	op, err := t.clusters.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	if err != nil {
		return err
	}
	t.say("resize", "accepted as %s", op.Name())
	if err := op.Wait(ctx, t.watch("resize")...); err != nil {
		return err
	}
	return t.read(ctx)
}

func (t *tour) remove(ctx context.Context) error {
	op, err := t.clusters.DeleteCluster(ctx, t.cfg.cluster)
	if err != nil {
		return err
	}
	t.say("delete", "accepted as %s", op.Name())
	if err := op.Wait(ctx, t.watch("delete")...); err != nil {
		return err
	}
	t.say("delete", "done")
	return nil
}

// Command resize changes the size of a node pool and waits for it. It takes no nodes away unless -allow-removal is given.
//
//	go run ./examples/resize    # a cluster embedded in the program
//	go run ./examples/resize -project my-project -region us-central1 -cluster training -pool cpu -max 8
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("resize", flag.ContinueOnError)
	place := demo.Flags(flags)
	pool := flags.String("pool", "cpu", "id of the node pool")
	most := flags.Int64("max", 0, "how many nodes the pool may have; if 0, 8 on the embedded servers")
	removal := flags.Bool("allow-removal", false, "remove nodes if need be, with the jobs and the SSH sessions on them")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	if *most == 0 && place.Embedded() {
		*most = 8
	}
	if *most < 1 {
		return errors.New("say how many nodes the pool may have, such as -max 8")
	}
	c, err := cluster.NewClient(ctx, place.Parent(), opts...)
	if err != nil {
		return err
	}
	options := &cluster.EditOptions{Review: func(plan *cluster.Plan) error { _, err := fmt.Fprintln(out, plan); return err }}
	if *removal {
		options.Allow = []cluster.EffectKind{cluster.EffectNodeRemoval, cluster.EffectLoginRecreation}
	}
	op, err := c.EditCluster(ctx, place.Cluster, size(*pool, *most), options)
	var refused *cluster.PlanError
	switch {
	case errors.Is(err, cluster.ErrUnchanged):
		_, err = fmt.Fprintf(out, "Pool %s has that size already.\n", *pool)
		return err
	case errors.As(err, &refused) && len(refused.Forbidden) > 0:
		fmt.Fprintln(out, refused.Plan)
		return fmt.Errorf("%w, as -allow-removal does", err)
	case err != nil:
		return err
	}
	fmt.Fprintf(out, "\nAccepted as %s\n", op.Name())
	if err := op.Wait(ctx, demo.Progress(out)); err != nil {
		return err
	}
	m, err := op.Cluster()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Done: %s\n", m.NodePool(*pool))
	return err
}

// size is the edit: it changes the cluster as it was read, and all else stays.
func size(id string, most int64) func(*cluster.ModelDevelopmentCluster) error {
	return func(m *cluster.ModelDevelopmentCluster) error {
		pool := m.NodePool(id)
		if pool == nil || pool.ScalingSpec == nil {
			return fmt.Errorf("no pool %q that has a size in %s", id, m)
		}
		pool.ScalingSpec.MinNodeCount, pool.ScalingSpec.MaxNodeCount = min(pool.ScalingSpec.MinNodeCount, most), most
		return nil
	}
}

// Command migrate moves the Slurm settings of a cluster from the older form, the fields scheduling and accounting, to
// config, where they have their names of slurm.conf. A cluster takes settings in one of the two forms only.
//
//	go run ./examples/migrate    # a cluster embedded in the program, with settings in the older form
//	go run ./examples/migrate -project my-project -cluster training -send
//
// It shows the plan, and sends just that to a real cluster with -send only.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("migrate", flag.ContinueOnError)
	place := demo.Flags(flags)
	place.Document = demo.LegacyCluster
	send := flags.Bool("send", false, "send the change to a real cluster, and do not only show it")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	c, err := cluster.NewClient(ctx, place.Parent(), opts...)
	if err != nil {
		return err
	}
	// An edit clears in the same update what the struct does not have any more.
	edit := (*cluster.ModelDevelopmentCluster).MigrateToConfig
	op, err := c.EditCluster(ctx, place.Cluster, edit, &cluster.EditOptions{Review: demo.Review(out, *send || place.Embedded())})
	if err != nil {
		return demo.Unsent(out, err)
	}
	// That the service took the settings does not prove that Slurm starts with them.
	s, err := slurm.NewClient(c, place.Cluster)
	if err != nil {
		return err
	}
	if err := op.Wait(ctx, demo.Progress(out), s.UntilReady(place.Settle())); err != nil {
		return err
	}
	m, err := op.Cluster()
	if err != nil {
		return err
	}
	config := m.Slurm().Config
	for _, parameter := range slices.Sorted(maps.Keys(config)) {
		fmt.Fprintf(out, "%s=%s\n", parameter, config[parameter])
	}
	return nil
}

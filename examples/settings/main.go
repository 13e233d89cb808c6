// Command settings changes Slurm settings of a cluster: jobs give way to those in partitions of higher priority, the
// scheduler plans two days ahead, and jobs that name no partition go to the given one. Other settings stay.
//
//	go run ./examples/settings    # a cluster embedded in the program
//	go run ./examples/settings -project my-project -cluster training -partition cpu -send
//
// It shows the plan, and sends just that to a real cluster with -send only.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("settings", flag.ContinueOnError)
	place := demo.Flags(flags)
	partition := flags.String("partition", "cpu", "partition of jobs that name none")
	send := flags.Bool("send", false, "send the change to a real cluster, and do not only show it")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	c, err := cluster.NewClient(ctx, place.Parent(), opts...)
	if err != nil {
		return err
	}
	edit := func(m *cluster.ModelDevelopmentCluster) error {
		config := &m.Slurm().Config
		// Slurm's controller does not start with such a mode and without a type.
		config.Set("PreemptType", "preempt/partition_prio")
		config.SetPreemptModes(cluster.PreemptModeSuspend, cluster.PreemptModeGang)
		scheduler := config.SchedulerParameters()
		scheduler.Set("bf_window", "2880") // the other options stay
		config.SetSchedulerParameters(scheduler)
		return m.SetDefaultPartition(*partition)
	}
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
	fmt.Fprintf(out, "PreemptMode %v, SchedulerParameters %v\n", config.PreemptModes(), config.SchedulerParameters())
	return nil
}

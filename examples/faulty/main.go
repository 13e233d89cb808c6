// Command faulty reports a faulty node: its host is sent to repair, or with -replace the node is made anew.
//
//	go run ./examples/faulty    # a cluster embedded in the program
//	go run ./examples/faulty -project my-project -cluster training -node training-a4-0 -text "Xid 79 on GPU 3"
//
// The jobs on the node are lost. The service takes reports on hosts for A3 Ultra and A4 machines.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("faulty", flag.ContinueOnError)
	place := demo.Flags(flags)
	place.Document, place.OperationTime = demo.GPUCluster, 2*time.Second
	node := flags.String("node", "", "the node's VM, CLUSTER-POOL-INDEX; on the embedded servers the first with GPUs")
	behavior := flags.String("behavior", string(cluster.FaultBehaviorUnrecoverableGPUError), "PERFORMANCE, SILENT_DATA_CORRUPTION or UNRECOVERABLE_GPU_ERROR")
	text := flags.String("text", "Xid 79 on GPU 3: it has fallen off the bus", "what was seen of the fault")
	replace := flags.Bool("replace", false, "replace the node instead of reporting its host")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, name, err := place.Clusters(ctx, opts...)
	if err != nil {
		return err
	}
	if *node == "" && place.Embedded() {
		*node = name + "-a4-0"
	}
	action := &cluster.NodeAction{NodeID: *node}
	if !*replace {
		reason := &cluster.FaultReason{Behavior: cluster.FaultBehavior(*behavior), Description: *text}
		action.ReportFaultyHost = &cluster.ReportFaultyHost{FaultReasons: []*cluster.FaultReason{reason}}
	}
	op, err := c.ReportFaultyNodes(ctx, name, action)
	if errors.Is(err, cluster.ErrInvalidArgument) {
		return fmt.Errorf("%w; -replace takes nodes of all machines", err)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s reported as %s\n", *node, op.Name())
	if err := show(ctx, out, c, name, *node); err != nil {
		return err
	}
	if err := op.Wait(ctx, demo.Progress(out)); err != nil {
		return err
	}
	return show(ctx, out, c, name, *node)
}

// show prints the state of the node.
func show(ctx context.Context, out io.Writer, c *cluster.Client, name, node string) error {
	m, err := c.GetCluster(ctx, name)
	if err != nil {
		return err
	}
	for _, status := range m.ClusterStatus.NodesStatus {
		if status.Instance == node {
			fmt.Fprintf(out, "%s is %s\n", node, status.NodeState)
		}
	}
	return nil
}

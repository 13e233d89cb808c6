// Command faulty reports a faulty node: its host is sent to repair, or with -replace the node is deleted and made anew.
// Either way the jobs on it are lost, so it shows what it would send, and sends it to a real cluster with -send only.
//
//	go run ./examples/faulty    # a cluster embedded in the program
//	go run ./examples/faulty -project my-project -cluster training -node training-a4-0 \
//		-behavior UNRECOVERABLE_GPU_ERROR -text "Xid 79 on GPU 3" -send
//
// The service takes reports on hosts for A3 Ultra and A4 machines, while the node is RUNNING.
package main

import (
	"context"
	"encoding/json"
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
	node := flags.String("node", "", "the node's VM, CLUSTER-POOL-INDEX")
	behavior := flags.String("behavior", "", "what is wrong: PERFORMANCE, SILENT_DATA_CORRUPTION or UNRECOVERABLE_GPU_ERROR")
	text := flags.String("text", "", "what was seen of the fault, for those who repair it")
	replace := flags.Bool("replace", false, "delete the node, to have it made anew, and do not report its host")
	send := flags.Bool("send", false, "send the report to a real cluster, and do not only show it")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	if len(args) == 0 { // on the embedded servers, a fault that is invented
		*node, *behavior, *text = "training-a4-0", "UNRECOVERABLE_GPU_ERROR", "Xid 79 on GPU 3"
	}
	action := &cluster.NodeAction{NodeID: *node}
	switch {
	case *node == "" || *replace == (*behavior != "") || *replace == (*text != ""):
		return errors.New("want -node, and with it either -behavior and -text, for a report on its host, or -replace")
	case !*replace:
		reason := &cluster.FaultReason{Behavior: cluster.FaultBehavior(*behavior), Description: *text}
		action.ReportFaultyHost = &cluster.ReportFaultyHost{FaultReasons: []*cluster.FaultReason{reason}}
	}
	c, err := cluster.NewClient(ctx, place.Parent(), opts...)
	if err != nil {
		return err
	}
	if err := demo.ShowNode(ctx, out, c, place.Cluster, *node); err != nil {
		return err
	}
	fmt.Fprint(out, "to be sent: ")
	if err := json.NewEncoder(out).Encode(action); err != nil {
		return err
	}
	if !*send && !place.Embedded() {
		_, err = fmt.Fprintln(out, "Not sent; -send does that, and the jobs on the node are lost.")
		return err
	}
	op, err := c.ReportFaultyNodes(ctx, place.Cluster, action)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "accepted as %s\n", op.Name())
	if err := op.Wait(ctx, demo.Progress(out)); err != nil {
		return err
	}
	return demo.ShowNode(ctx, out, c, place.Cluster, *node)
}

// Command testing runs a job, and again if a node fails under it. What matters is package retry, which does that: its
// test is an example of tests for code that uses this SDK, with the servers in memory of the packages clustertest and
// slurmtest, in a bubble of testing/synctest, where hours pass at once.
//
//	go test -v ./examples/testing/retry
//	go run ./examples/testing    # a cluster embedded in the program
//	go run ./examples/testing -project my-project -cluster training -dir /home/USERNAME
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/testing/retry"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("testing", flag.ContinueOnError)
	place := demo.Flags(flags)
	spec := &slurm.JobSpec{Name: "steady", Script: "#!/bin/bash\nsleep 3\n"}
	flags.StringVar(&spec.WorkingDirectory, "dir", "/home/alice", "working directory of the job, on the cluster")
	times := flags.Int("times", 3, "how often to submit the job at most")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	if *times < 1 {
		return fmt.Errorf("-times %d: want once or more often", *times)
	}
	s, err := slurm.Open(ctx, place.Name(), opts...)
	if err != nil {
		return err
	}
	job, err := retry.Run(ctx, s, spec, *times, place.Pace())
	if job != nil {
		fmt.Fprintln(out, job)
	}
	return err
}

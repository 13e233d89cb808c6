// Command resume begins a job in one process and waits for it in another, which needs no more than the job's id, or the
// token if the submit's answer was lost. The names of operations, which other examples print, serve in the same way.
//
//	go run ./examples/resume    # both, on a cluster embedded in the program
//	go run ./examples/resume -project my-project -cluster training -dir /home/USERNAME    # prints an id
//	go run ./examples/resume -project my-project -cluster training 41 projects/…/operations/7    # waits for these
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("resume", flag.ContinueOnError)
	place := demo.Flags(flags)
	place.Arguments = true
	dir := flags.String("dir", "/home/alice", "working directory of the job, on the cluster")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	c, err := cluster.NewClient(ctx, place.Parent(), opts...)
	if err != nil {
		return err
	}
	s, err := slurm.NewClient(c, place.Cluster)
	if err != nil {
		return err
	}
	for _, name := range flags.Args() {
		err = errors.Join(err, wait(ctx, out, c, s, name))
	}
	if flags.NArg() > 0 {
		return err
	}
	id, err := s.Submit(ctx, &slurm.JobSpec{Name: "long", WorkingDirectory: *dir, Script: "#!/bin/bash\nsleep 3\n"})
	keep := string(id) // there can be one beside an error, too
	if lost, ok := errors.AsType[*slurm.UncertainError](err); ok {
		keep = lost.Token
	}
	if keep != "" {
		fmt.Fprintln(out, "keep:", keep)
	}
	if err == nil && place.Embedded() {
		err = run(ctx, append(args, keep), out, opts...) // with clients of its own, as another process has them
	}
	return err
}

// wait waits for what has this name.
func wait(ctx context.Context, out io.Writer, c *cluster.Client, s *slurm.Client, name string) error {
	if strings.Contains(name, "/operations/") {
		op := c.Operation(name)
		defer func() { fmt.Fprintln(out, op) }() // with what the wait has found out
		return op.Wait(ctx)
	}
	id, err := slurm.ParseJobID(name)
	if strings.HasPrefix(name, "tc-") {
		id, err = s.Recover(ctx, name)
	}
	if id == "" {
		return err
	}
	job, ended := s.Wait(ctx, id) // also beside an error: see slurm.ErrPartial
	fmt.Fprintln(out, job)
	return errors.Join(err, ended)
}

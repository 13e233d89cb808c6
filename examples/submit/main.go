// Command submit submits a job, waits for its end, and says how it went.
//
//	go run ./examples/submit    # a cluster embedded in the program
//	go run ./examples/submit -project my-project -cluster training -dir /home/USERNAME -script train.sh
//
// A job that fails is an error that tells why; a wait that ends before the job is another one, and the job goes on. If
// the answer to the submit is lost, there may be a job: -recover looks for it, and waits for it, instead of making another.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("submit", flag.ContinueOnError)
	place := demo.Flags(flags)
	spec := &slurm.JobSpec{Name: "hello", Script: "#!/bin/bash\nhostname\nsleep 5\n"}
	flags.StringVar(&spec.WorkingDirectory, "dir", "/home/alice", "working directory of the job, on the cluster")
	flags.StringVar(&spec.Partition, "partition", "", "partition of the job; the cluster's default if empty")
	flags.IntVar(&spec.GPUsPerNode, "gpus", 0, "GPUs on each node")
	flags.DurationVar(&spec.TimeLimit, "time", time.Hour, "time limit of the job")
	limit := flags.Duration("limit", 24*time.Hour, "stop waiting after this long")
	script := flags.String("script", "", "file with the script, here; if empty, a script that says hello")
	token := flags.String("recover", "", "token of an earlier submit whose answer was lost; nothing is submitted")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	if *script != "" {
		text, err := os.ReadFile(*script)
		if err != nil {
			return err
		}
		spec.Script = string(text)
	}
	s, err := slurm.Open(ctx, place.Name(), opts...)
	if err != nil {
		return err
	}
	var id slurm.JobID
	var partial error // that leaves an id: Slurm can run a job and ignore a part of it
	if *token != "" {
		id, partial = s.Recover(ctx, *token)
	} else {
		id, partial = s.Submit(ctx, spec)
	}
	if id == "" {
		return partial // if there may be a job all the same, a *slurm.UncertainError, which says its token
	}
	fmt.Fprintf(out, "submitted job %s\n", id)
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	job, err := s.Wait(ctx, id, slurm.ShowProgress(out))
	var failed *slurm.JobError
	var left *lro.WaitError
	switch {
	case errors.As(err, &failed):
		fmt.Fprintf(out, "failed: %s; its output is in %s\n", job, job.StandardOutput)
	case errors.As(err, &left):
		fmt.Fprintf(out, "job %s goes on without being watched\n", id)
	case err == nil:
		fmt.Fprintf(out, "done: %s after %s; its output is in %s\n", job, job.Elapsed(), job.StandardOutput)
	}
	return errors.Join(partial, err)
}

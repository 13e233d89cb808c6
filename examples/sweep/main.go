// Command sweep submits one job for each of several learning rates, waits for all of them, and sums them up.
//
//	go run ./examples/sweep    # a cluster embedded in the program
//	go run ./examples/sweep -project my-project -cluster training -dir /home/USERNAME -jobs 100
//
// One request a round follows all of the jobs, however many there are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// train stands for the training.
const train = "#!/bin/bash\nsleep 3\necho trained with $RATE\n"

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("sweep", flag.ContinueOnError)
	place := demo.Flags(flags)
	count := flags.Int("jobs", 8, "how many learning rates to try")
	dir := flags.String("dir", "/home/alice", "working directory of the jobs, on the cluster")
	opts, err := place.Parse(args, opts)
	if err != nil {
		return err
	}
	if *count < 1 {
		return fmt.Errorf("-jobs %d: want one job or more", *count)
	}
	s, err := slurm.Open(ctx, place.Name(), opts...)
	if err != nil {
		return err
	}
	ids, failed := submit(ctx, s, *count, *dir)
	fmt.Fprintf(out, "submitted %d of %d jobs\n", len(ids), *count)
	// What has been submitted runs, also if the rest failed. The errors name the jobs that failed or were left running, and
	// the token of a submit with a lost answer, for s.Recover.
	jobs, err := s.WaitAll(ctx, ids, slurm.ShowProgress(out))
	fmt.Fprintln(out, slurm.Summary(jobs))
	return errors.Join(failed, err)
}

// submit returns the ids of the jobs that there are, also beside an error.
func submit(ctx context.Context, s *slurm.Client, count int, dir string) (ids []slurm.JobID, err error) {
	rate := 0.1
	for i := range count {
		id, err := s.Submit(ctx, &slurm.JobSpec{
			Name:             fmt.Sprintf("sweep-%d", i),
			WorkingDirectory: dir,
			TimeLimit:        time.Hour,
			Environment:      map[string]string{"RATE": fmt.Sprint(rate)},
			Script:           train,
		})
		if id != "" {
			ids = append(ids, id)
		}
		if err != nil {
			return ids, err
		}
		rate /= 2
	}
	return ids, nil
}

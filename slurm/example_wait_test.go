package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func ExampleClient_Wait() {
	client := openTraining(context.Background())
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Hour, errors.New("maintenance window over"))
	defer cancel()
	id, err := client.Submit(ctx, job("train", "true"))
	if err != nil {
		log.Fatal(err)
	}

	job, err := client.Wait(ctx, id, lro.OnProgress(func(p lro.Progress) {
		fmt.Println(p.Name, p.Message)
	}))
	fmt.Println(job.Succeeded(), err)
	// Output:
	// 1 COMPLETED
	// true <nil>
}

func ExampleClient_WaitAll() {
	ctx := context.Background()
	client := openTraining(ctx)
	var ids []slurm.JobID
	for _, script := range []string{"true", "exit 5", "true"} {
		id, err := client.Submit(ctx, job("train", script))
		if err != nil {
			log.Fatal(err)
		}
		ids = append(ids, id)
	}

	jobs, err := client.WaitAll(ctx, ids) // one request for all of them each time
	for _, job := range jobs {
		fmt.Println(job.ID, job.State)
	}
	var failed *slurm.JobError
	fmt.Println(errors.As(err, &failed), failed.Job.ID)
	// Output:
	// 1 COMPLETED
	// 2 FAILED
	// 3 COMPLETED
	// true 2
}

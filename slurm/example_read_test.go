package slurm_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func ExampleExpandHosts() {
	names, err := slurm.ExpandHosts("g[08-10],n7")
	fmt.Println(names, err)

	_, err = slurm.ExpandHosts("n[1-999999999]")
	fmt.Println(err)
	// Output:
	// [g08 g09 g10 n7] <nil>
	// slurm: node list "n[1-999999999]": more than 65536 names
}

// A job that failed is an error that carries the job.
func ExampleJobError() {
	start := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	job := &slurm.Job{
		ID: "42", Name: "train", State: slurm.StateFailed, Reason: "NonZeroExitCode", Nodes: "g[1-2]",
		ExitCode:  slurm.ExitCode{Known: true, Status: slurm.ExitError, Code: 3},
		StartTime: start, EndTime: start.Add(5 * time.Second),
	}
	err := job.Err()
	fmt.Println(err)

	var failed *slurm.JobError
	if errors.As(err, &failed) && !failed.Infrastructure() {
		fmt.Println("look at", failed.Job.ID)
	}
	// Output:
	// slurm: job 42 (train) FAILED: NonZeroExitCode, exit code 3, on g[1-2] after 5s
	// look at 42
}

// Kinds of failure are matched with errors.Is, whatever HTTP status they came with.
func ExampleError() {
	var err error = &slurm.Error{
		Op: "submit job", Status: 500,
		Problems: []slurm.Problem{{Number: 2050, Message: "Job violates accounting/QOS policy",
			Description: "Batch job submission failed", Source: "slurm_submit_batch_job()"}},
	}
	fmt.Println(err)
	fmt.Println("later perhaps:", errors.Is(err, slurm.ErrLimit))
	// Output:
	// slurm: submit job: 2050 Job violates accounting/QOS policy: Batch job submission failed (slurm_submit_batch_job()); wait until jobs have ended, or ask for less [HTTP 500]
	// later perhaps: true
}

func ExampleResources() {
	resources := slurm.Resources{
		{Type: "cpu", Count: 32},
		{Type: "mem", Count: 8 << 30},
		{Type: "gres", Name: "gpu", Count: 16},
		{Type: "gres", Name: "gpu:b200", Count: 16},
	}
	fmt.Println(resources)
	fmt.Println(resources.GPUs(), "GPUs")
	// Output:
	// cpu=32,mem=8G,gres/gpu=16,gres/gpu:b200=16
	// 16 GPUs
}

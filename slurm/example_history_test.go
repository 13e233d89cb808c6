package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// A year of jobs, without holding them. After a failure it goes on where it stopped.
func ExampleClient_HistoryJobs() {
	ctx := context.Background()
	client := openTraining(ctx)
	for _, script := range []string{"true", "exit 5", "true"} {
		if _, err := client.Submit(ctx, job("train", script)); err != nil {
			log.Fatal(err)
		}
	}

	end := time.Now().Add(time.Minute)
	opts := &slurm.HistoryOptions{Start: end.AddDate(-1, 0, 0), End: end}
	failed := 0
	for tries := 0; tries < 3; tries++ {
		var err error
		var record *slurm.Job
		for record, err = range client.HistoryJobs(ctx, opts) {
			if err == nil && record.Failed() {
				failed++
			}
		}
		var stopped *slurm.HistoryError
		if !errors.As(err, &stopped) {
			fmt.Println(failed, "failed,", err)
			return
		}
		opts.Start, opts.Fresh = stopped.Reached, true
	}
	// Output: 1 failed, <nil>
}

func ExampleClient_HistoryIterator() {
	ctx := context.Background()
	client := openTraining(ctx)
	if _, err := client.Submit(ctx, job("train", "exit 5")); err != nil {
		log.Fatal(err)
	}

	it := client.HistoryIterator(ctx, &slurm.HistoryOptions{Users: []string{"alice"}})
	for {
		record, err := it.Next()
		if err == slurm.Done {
			break
		}
		if err != nil {
			log.Fatal(err) // and go on another time, from it.Reached()
		}
		fmt.Println(record.ID, record.State)
	}
	// Output: 1 FAILED
}

func ExampleJob_Usage() {
	job := &slurm.Job{ // as client.History returns it
		Source: slurm.SourceAccounting, State: slurm.StateCompleted,
		Allocated: slurm.Resources{{Type: "cpu", Count: 4}, {Type: "mem", Count: 8 << 30}},
		Steps: []slurm.Step{{
			ID: "42.batch", State: slurm.StateCompleted, CPUTime: 90 * time.Second,
			Used: slurm.TaskUsage{
				Total: slurm.Resources{{Type: "mem", Count: 6 << 30}},
				Max:   slurm.Peaks{{Resource: slurm.Resource{Type: "mem", Count: 6 << 30}, Node: "g1"}},
			},
		}},
	}
	usage := job.Usage()
	if share, ok := usage.MemoryEfficiency(); ok {
		fmt.Printf("%.0f%% of the memory, most of it by task %d on %s\n", 100*share, usage.MaxRSS.Task, usage.MaxRSS.Node)
	}
	for _, missing := range (&slurm.Job{Source: slurm.SourceQueue}).Usage().Missing {
		fmt.Println(missing)
	}
	// Output:
	// 75% of the memory, most of it by task 0 on g1
	// CPU time: the queue does not know it, the accounting does: read the job with History
	// memory: the queue does not know it, the accounting does: read the job with History
}

func ExampleSummary() {
	start := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	jobs := []*slurm.Job{ // as client.List and client.ListHistory return them
		{
			ID: "41", RawID: 41, State: slurm.StateCompleted, EligibleTime: start.Add(-time.Minute), StartTime: start, EndTime: start.Add(3 * time.Hour),
			Allocated: slurm.Resources{{Type: "cpu", Count: 16}, {Type: "node", Count: 1}, {Type: "gres", Name: "gpu:b200", Count: 8}},
		},
		{
			ID: "42", RawID: 42, State: slurm.StateTimeout, EligibleTime: start.Add(-time.Hour), StartTime: start, EndTime: start.Add(time.Hour),
			Allocated: slurm.Resources{{Type: "cpu", Count: 16}, {Type: "node", Count: 1}, {Type: "gres", Name: "gpu:b200", Count: 8}},
		},
	}
	fmt.Println(slurm.Summary(jobs))
	// Output:
	// 2 jobs: 1 COMPLETED, 1 TIMEOUT
	//             total   mean    median  max
	// queue time  1h1m0s  30m30s  1m0s    1h0m0s
	// run time    4h0m0s  2h0m0s  1h0m0s  3h0m0s
	// 4.0 node hours, 64.0 CPU hours, 32.0 GPU hours (b200 32.0), 8.0 of them wasted
	// 1 TIMEOUT, such as job 42, 8.0 GPU hours
}

// A script that is too large for a request lies on storage that the nodes share, and a short one runs it.
func ExampleWrapper() {
	ctx := context.Background()
	client := openTraining(ctx)
	script, err := slurm.Wrapper("/home/alice/train.sh", "--data", "it's here")
	if err != nil {
		log.Fatal(err)
	}
	spec := job("train", "")
	spec.Script = script
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}
	job, err := client.Get(ctx, id)
	fmt.Println(job.ExitCode.Code == slurm.WrapperExitCode, err) // nobody has put the file there
	// Output: true <nil>
}

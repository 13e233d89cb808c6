package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// Submit a job, wait for it, and tell a failed job from a wait that was cut short.
func Example() {
	ctx := context.Background()
	client := openTraining(ctx) // slurm.Open(ctx, "projects/my-project/locations/us-central1/modelDevelopmentClusters/training")

	id, err := client.Submit(ctx, &slurm.JobSpec{
		Name:             "train",
		Partition:        "a4",
		WorkingDirectory: "/home/alice_example_com",
		GPUsPerNode:      8,
		TimeLimit:        2 * time.Hour,
		Script:           "#!/bin/bash\npython train.py\nexit 3\n",
	})
	if err != nil {
		log.Fatal(err)
	}
	job, err := client.Wait(ctx, id)
	var failed *slurm.JobError
	var stopped *lro.WaitError
	switch {
	case errors.As(err, &failed):
		fmt.Println(job.Name, "failed:", failed.Job.State, job.ExitCode)
	case errors.As(err, &stopped):
		fmt.Println("still running, go on later with", stopped.Pending)
	case err == nil:
		fmt.Println(job.Name, "succeeded")
	}
	// Output:
	// train failed: FAILED exit code 3
}

// Test your own code against a cluster in memory: the client and all of its code are the real ones.
func ExampleNewClient() {
	ctx := context.Background()
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()))
	if err := service.AddCluster("training", nil); err != nil {
		log.Fatal(err)
	}
	clusters, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", service.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	client, err := slurm.NewClient(clusters, "training", slurm.OnWarning(func(w slurm.Warning) {
		fmt.Println("warning:", w.Description)
	}))
	if err != nil {
		log.Fatal(err)
	}
	spec := job("train", "true")
	spec.Hold = true
	id, err := client.Submit(ctx, spec)
	fmt.Println(id, err)
	// Output:
	// warning: Job submission resulted in non-zero return code: Job is in held state, pending scheduler release
	// warning: Job is in held state, pending scheduler release
	// 1 <nil>
}

func ExampleClient_Submit() {
	ctx := context.Background()
	client := openTraining(ctx)

	_, err := client.Submit(ctx, &slurm.JobSpec{
		WorkingDirectory: "work",
		TimeLimit:        time.Hour,
		Script:           "python train.py\n",
	})
	var input *slurm.InputError
	if errors.As(err, &input) {
		for _, problem := range input.Problems {
			fmt.Println(problem.Field)
		}
	}
	// Output:
	// Script
	// WorkingDirectory
}

// The warnings of an accepted job tell what Slurm did not understand.
func ExampleClient_SubmitJob() {
	ctx := context.Background()
	client := openTraining(ctx)

	spec := job("train", "true")
	spec.Extra = map[string]any{"exclusive": true}
	submission, err := client.SubmitJob(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.JobID, submission.Warnings)
	// Output:
	// 1 [Ignoring unknown field "exclusive" of type boolean in DATA_PARSER_JOB_DESC_MSG (#/job/exclusive/)]
}

// A server with GPUs and a client without, which start together.
func ExampleClient_SubmitHet() {
	ctx := context.Background()
	client := openTraining(ctx)

	server := job("serve", "srun --het-group=0 serve : --het-group=1 load")
	server.Partition, server.GPUsPerNode = "a4", 1
	load := &slurm.JobSpec{Name: "load", Partition: "cpu", WorkingDirectory: "/home/alice"}
	submission, err := client.SubmitHet(ctx, []*slurm.JobSpec{server, load})
	if err != nil {
		log.Fatal(err)
	}
	components, err := client.GetAll(ctx, submission.JobID)
	for _, c := range components {
		fmt.Println(c.HetOffset, c.Name, c.Partition)
	}
	fmt.Println(err)
	// Output:
	// 0 serve a4
	// 1 load cpu
	// <nil>
}

func ExampleClient_Get() {
	ctx := context.Background()
	client := openTraining(ctx)
	id, err := client.Submit(ctx, job("train", "sleep 3600"))
	if err != nil {
		log.Fatal(err)
	}

	job, err := client.Get(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.Name, job.State, job.Running(), job.TimeLimit)

	_, err = client.Get(ctx, "4711")
	fmt.Println(errors.Is(err, slurm.ErrNotFound))
	// Output:
	// train RUNNING true 30m0s
	// true
}

// The tasks of an array that have not started share a record.
func ExampleClient_GetAll() {
	ctx := context.Background()
	client := openTraining(ctx)
	spec := job("sweep", "sleep 3600")
	spec.Array = "0-9%2"
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}

	jobs, err := client.GetAll(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	for _, job := range jobs {
		fmt.Printf("%s %s %q\n", job.ID, job.State, job.ArrayTasks)
	}
	task, err := client.Get(ctx, id.WithTask(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(task.ID, task.State)
	// Output:
	// 1 PENDING "2-9"
	// 1_1 RUNNING ""
	// 1_0 RUNNING ""
	// 1_1 RUNNING
}

func ExampleClient_List() {
	ctx := context.Background()
	client := openTraining(ctx)
	for _, name := range []string{"one", "two", "three"} {
		if _, err := client.Submit(ctx, job(name, "sleep 3600")); err != nil {
			log.Fatal(err)
		}
	}

	jobs, err := client.List(ctx, &slurm.ListOptions{Names: []string{"two"}, States: []slurm.State{slurm.StateRunning}})
	for _, job := range jobs {
		fmt.Println(job.ID, job.Name)
	}
	fmt.Println(err)
	// Output:
	// 2 two
	// <nil>
}

func ExampleClient_Jobs() {
	ctx := context.Background()
	client := openTraining(ctx)
	for _, name := range []string{"one", "two", "three"} {
		if _, err := client.Submit(ctx, job(name, "sleep 3600")); err != nil {
			log.Fatal(err)
		}
	}

	for job, err := range client.Jobs(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(job.Name)
		if job.Name == "two" {
			break
		}
	}
	// Output:
	// one
	// two
}

// Interpreters that cannot range over functions take the jobs one by one.
func ExampleClient_JobIterator() {
	ctx := context.Background()
	client := openTraining(ctx)
	if _, err := client.Submit(ctx, job("one", "sleep 3600")); err != nil {
		log.Fatal(err)
	}

	it := client.JobIterator(ctx, nil)
	defer it.Stop() // matters only where the loop ends early
	for {
		job, err := it.Next()
		if err == slurm.Done {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(job.Name)
	}
	// Output:
	// one
}

func ExampleClient_Cancel() {
	ctx := context.Background()
	client := openTraining(ctx)
	id, err := client.Submit(ctx, job("train", "sleep 3600"))
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(client.Cancel(ctx, id))
	fmt.Println(client.Cancel(ctx, id)) // of a job that has ended, likewise
	fmt.Println(errors.Is(client.Cancel(ctx, "4711"), slurm.ErrNotFound))
	// Output:
	// <nil>
	// <nil>
	// true
}

// Ask a script to save its work. A name that Slurm does not know would kill the job, so it is not sent.
func ExampleClient_Signal() {
	ctx := context.Background()
	client := openTraining(ctx)
	id, err := client.Submit(ctx, job("train", "trap save USR1\nsleep 3600"))
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(client.Signal(ctx, id, "USR1", slurm.ScriptOnly()))
	fmt.Println(client.Signal(ctx, id, "USER1") != nil)
	job, err := client.Get(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.State)
	// Output:
	// <nil>
	// true
	// RUNNING
}

func ExampleClient_History() {
	ctx := context.Background()
	client := openTraining(ctx, slurmtest.WithMinJobAge(0)) // this queue forgets ended jobs at once
	id, err := client.Submit(ctx, job("train", "exit 5"))
	if err != nil {
		log.Fatal(err)
	}

	runs, err := client.History(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	last := runs[len(runs)-1] // a requeued job has several
	fmt.Println(last.State, last.ExitCode)
	// Output:
	// FAILED exit code 5
}

func ExampleClient_ListHistory() {
	ctx := context.Background()
	client := openTraining(ctx)
	for _, script := range []string{"true", "exit 5", "sleep 3600"} {
		if _, err := client.Submit(ctx, job("train", script)); err != nil {
			log.Fatal(err)
		}
	}

	jobs, err := client.ListHistory(ctx, &slurm.HistoryOptions{
		States: []slurm.State{slurm.StateFailed, slurm.StateTimeout},
		Start:  time.Now().Add(-7 * 24 * time.Hour),
		End:    time.Now().Add(time.Minute),
	})
	for _, job := range jobs {
		fmt.Println(job.ID, job.State)
	}
	fmt.Println(err)
	// Output:
	// 2 FAILED
	// <nil>
}

func ExampleClient_Update() {
	ctx := context.Background()
	client := openTraining(ctx)
	spec := job("train", "sleep 3600")
	spec.TimeLimit = 4 * time.Hour
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(client.Update(ctx, id, &slurm.JobUpdate{TimeLimit: 2 * time.Hour}))
	err = client.Update(ctx, id, &slurm.JobUpdate{TimeLimit: 8 * time.Hour}) // only administrators give more
	fmt.Println(errors.Is(err, slurm.ErrPermission))
	// Output:
	// <nil>
	// true
}

func ExampleClient_Hold() {
	ctx := context.Background()
	client := openTraining(ctx)
	spec := job("train", "sleep 3600")
	spec.Begin = time.Now().Add(24 * time.Hour)
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}

	if err := client.Hold(ctx, id); err != nil {
		log.Fatal(err)
	}
	held, err := client.Get(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(held.State, held.Hold)
	fmt.Println(client.Release(ctx, id))
	// Output:
	// PENDING true
	// <nil>
}

// A held job waits until it is released, and then for what it would have waited for anyway.
func ExampleClient_Release() {
	ctx := context.Background()
	client := openTraining(ctx)
	spec := job("train", "true")
	spec.Hold = true
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}

	if err := client.Release(ctx, id); err != nil {
		log.Fatal(err)
	}
	done, err := client.Wait(ctx, id)
	fmt.Println(done, err)
	// Output: job 1 (train) COMPLETED on n1 <nil>
}

func ExampleClient_Licenses() {
	ctx := context.Background()
	client := openTraining(ctx, slurmtest.WithLicense("matlab", 4))

	licenses, err := client.Licenses(ctx)
	for _, l := range licenses {
		fmt.Println(l.Name, l.Free, "of", l.Total)
	}
	fmt.Println(err)
	// Output:
	// matlab 4 of 4
	// <nil>
}

func ExampleOpen() {
	ctx := context.Background()
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()))
	if err := service.AddCluster("training", nil); err != nil {
		log.Fatal(err)
	}

	// For a real cluster leave out the options: the default credentials are found then.
	client, err := slurm.Open(ctx, "projects/my-project/locations/us-central1/modelDevelopmentClusters/training",
		service.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := client.List(ctx, nil)
	fmt.Println(len(jobs), err)
	// Output: 0 <nil>
}

// A cluster whose Slurm is older or newer than the default is asked what it speaks.
func ExampleDetectVersion() {
	ctx := context.Background()
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer()))
	if err := service.AddCluster("training", nil); err != nil {
		log.Fatal(err)
	}
	clusters, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", service.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}

	version, err := slurm.DetectVersion(ctx, clusters, "training")
	if err != nil {
		log.Fatal(err)
	}
	client, err := slurm.NewClient(clusters, "training", slurm.WithVersion(version))
	fmt.Println(version, client.Cluster(), err)
	// Output: v0.0.42 training <nil>
}

func ExampleClient_Ping() {
	ctx := context.Background()
	client := openTraining(ctx)

	controllers, err := client.Ping(ctx)
	fmt.Println(len(controllers), controllers[0].Up, err)
	// Output:
	// 1 true <nil>
}

func ExampleClient_Partitions() {
	ctx := context.Background()
	client := openTraining(ctx)

	partitions, err := client.Partitions(ctx)
	for _, p := range partitions {
		fmt.Println(p.Name, p.Up(), p.TotalNodes, p.GPUs(), p.MaxTime)
	}
	fmt.Println(err)
	// Output:
	// cpu true 2 0 24h0m0s
	// a4 true 2 16 4h0m0s
	// <nil>
}

func ExampleClient_Nodes() {
	ctx := context.Background()
	client := openTraining(ctx)

	nodes, err := client.Nodes(ctx)
	for _, n := range nodes {
		fmt.Println(n.Name, n.Usable(), n.GPUs())
	}
	fmt.Println(err)
	// Output:
	// g1 true 8
	// g2 true 8
	// n1 true 0
	// n2 true 0
	// <nil>
}

// Whatever has no verb here can be called by its path.
func ExampleClient_Do() {
	ctx := context.Background()
	client := openTraining(ctx)
	id, err := client.Submit(ctx, job("train", "sleep 3600"))
	if err != nil {
		log.Fatal(err)
	}

	var out struct {
		Jobs []struct {
			State []string `json:"state"`
		} `json:"jobs"`
	}
	err = client.Do(ctx, "GET", "/slurm/v0.0.42/jobs/state/?job_id="+string(id), nil, &out)
	fmt.Println(out.Jobs, err)
	// Output:
	// [{[RUNNING]}] <nil>
}

// Chain jobs: the second one starts when the first has succeeded.
func ExampleAfterOK() {
	ctx := context.Background()
	client := openTraining(ctx)
	prepare, err := client.Submit(ctx, job("prepare", "sleep 3600"))
	if err != nil {
		log.Fatal(err)
	}

	spec := job("train", "true")
	spec.Dependency = slurm.AfterOK(prepare)
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}
	train, err := client.Get(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.State, train.Dependency)
	// Output:
	// PENDING afterok:1(unfulfilled)
}

func ExampleGPUs() {
	spec := job("train", "srun train")
	spec.TRESPerTask = slurm.GPUs(1, "b200")
	fmt.Println(spec.TRESPerTask, spec.Validate())
	// Output: gres/gpu:b200:1 <nil>
}

func ExampleParseJobID() {
	id, err := slurm.ParseJobID("42.batch") // as sacct prints it
	fmt.Println(id, err)
	_, err = slurm.ParseJobID("my-run")
	fmt.Println(err != nil)
	// Output:
	// 42 <nil>
	// true
}

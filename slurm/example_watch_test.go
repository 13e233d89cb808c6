package slurm_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// React to each job as soon as it has ended.
func ExampleClient_Watch() {
	ctx := context.Background()
	client := openTraining(ctx)
	var ids []slurm.JobID
	for _, script := range []string{"true", "exit 5"} {
		id, err := client.Submit(ctx, job("train", script))
		if err != nil {
			log.Fatal(err)
		}
		ids = append(ids, id)
	}

	ended := map[slurm.JobID]bool{}
	for event, err := range client.Watch(ctx, ids) {
		if err != nil {
			log.Fatal(err) // the watching ended early
		}
		if event.Ended {
			ended[event.JobID] = event.Err == nil
		}
	}
	fmt.Println(ended)
	// Output:
	// map[1:true 2:false]
}

// A notebook, which cannot range over functions, asks for one event after the other.
func ExampleClient_Watcher() {
	ctx := context.Background()
	client := openTraining(ctx)
	id, err := client.Submit(ctx, job("train", "true"))
	if err != nil {
		log.Fatal(err)
	}

	w := client.Watcher(ctx, []slurm.JobID{id})
	defer w.Stop()
	for {
		event, err := w.Next()
		if err == slurm.Done {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if event.Ended {
			fmt.Println(event.JobID, event.New)
		}
	}
	// Output:
	// 1 COMPLETED
}

// Follow all jobs of a user until the context ends.
func ExampleClient_WatchQueue() {
	client := openTraining(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	id, err := client.Submit(ctx, job("train", "sleep 3600"))
	if err != nil {
		log.Fatal(err)
	}
	mine, err := client.Get(ctx, id)
	if err != nil {
		log.Fatal(err)
	}

	for event, err := range client.WatchQueue(ctx, &slurm.WatchOptions{Users: []string{mine.User}}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event)
		break
	}
	// Output:
	// job 1 (train): RUNNING
}

func ExampleClient_QueueWatcher() {
	ctx := context.Background()
	client := openTraining(ctx)
	if _, err := client.Submit(ctx, job("train", "sleep 3600")); err != nil {
		log.Fatal(err)
	}

	w := client.QueueWatcher(ctx, nil) // the jobs of all users
	defer w.Stop()
	event, err := w.Next()
	fmt.Println(event, err)
	// Output:
	// job 1 (train): RUNNING <nil>
}

// One line on the terminal that is drawn anew after each read.
func ExampleShowProgress() {
	ctx := context.Background()
	client := openTraining(ctx)
	id, err := client.Submit(ctx, job("train", "true"))
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.WaitAll(ctx, []slurm.JobID{id}, slurm.ShowProgress(os.Stderr))
	fmt.Println(err)
	// Output:
	// <nil>
}

func ExampleOnTally() {
	ctx := context.Background()
	client := openTraining(ctx)
	var ids []slurm.JobID
	for _, script := range []string{"true", "exit 5"} {
		id, err := client.Submit(ctx, job("train", script))
		if err != nil {
			log.Fatal(err)
		}
		ids = append(ids, id)
	}

	_, err := client.WaitAll(ctx, ids, slurm.OnTally(func(t slurm.Tally) {
		if t.Ended {
			fmt.Println(t)
		}
	}))
	fmt.Println(err != nil)
	// Output:
	// 2 jobs: 1 completed, 1 failed
	// true
}

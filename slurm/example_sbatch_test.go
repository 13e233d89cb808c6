package slurm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// A script that was written for sbatch is submitted as sbatch would.
func ExampleParseScript() {
	ctx := context.Background()
	client := openTraining(ctx)
	script, err := slurm.ParseScript(`#!/bin/bash
#SBATCH --job-name=train --partition=a4
#SBATCH --nodes=2 --gpus-per-node=8
#SBATCH --time=4:00:00
#SBATCH --wait
srun python train.py
`)
	if err != nil {
		log.Fatal(err)
	}
	for _, option := range script.Unsupported {
		fmt.Println(option)
	}
	script.Spec.WorkingDirectory = "/home/alice"
	id, err := client.Submit(ctx, script.Spec)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id, script.Spec.Name, script.Spec.MinNodes, script.Spec.GPUsPerNode, script.Spec.TimeLimit)
	// Output:
	// line 5: --wait: call Client.Wait
	// 1 train 2 8 4h0m0s
}

// Those tasks of an array that failed run once more.
func ExampleClient_ArrayTasks() {
	ctx := context.Background()
	client := openTraining(ctx)
	spec := job("sweep", "[ $SLURM_ARRAY_TASK_ID = 2 ] && exit 1\ntrue")
	spec.Array = "0-3"
	id, err := client.Submit(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Wait(ctx, id); err != nil {
		fmt.Println(err)
	}

	tasks, err := client.ArrayTasks(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	var failed []int64
	for _, task := range tasks {
		fmt.Println(task.ID, task.State)
		if task.Failed() {
			failed = append(failed, task.ArrayTaskID)
		}
	}
	again, err := slurm.ArrayOf(failed...)
	if err != nil {
		log.Fatal(err)
	}
	spec.Array = again.String()
	fmt.Println("again:", spec.Array)
	// Output:
	// slurm: job 1_2 (sweep) FAILED: NonZeroExitCode, exit code 1, on n1
	// 1_0 COMPLETED
	// 1_1 COMPLETED
	// 1_2 FAILED
	// 1_3 COMPLETED
	// again: 2
}

func ExampleParseArraySpec() {
	array, err := slurm.ParseArraySpec("0-8:4,20%2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(array.Len(), array.Tasks(), array.Contains(4), array.Limit())
	fmt.Println(array.WithLimit(1))
	// Output:
	// 4 [0 4 8 20] true 2
	// 0-8:4,20%1
}

func ExampleExpandPath() {
	job := &slurm.Job{RawID: 42, Name: "train", WorkDir: "/home/alice"}
	fmt.Println(slurm.ExpandPath("logs/%x-%6j.out", job))
	fmt.Println(slurm.ExpandPath("", job))
	// Output:
	// /home/alice/logs/train-000042.out
	// /home/alice/slurm-42.out
}

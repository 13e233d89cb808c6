package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// work is what both processes know: the clients, and nothing about what was begun.
type work struct {
	clusters  *cluster.Client
	jobs      *slurm.Client
	name, dir string
	out       io.Writer
	pace      lro.WaitOption
}

// begin submits two jobs and stops to watch them after a second. It returns the ids of those that have not ended.
func (w *work) begin(ctx context.Context) ([]string, error) {
	var ids []slurm.JobID
	for _, script := range []string{"#!/bin/bash\nsleep 3\n", "#!/bin/bash\nsleep 4\n"} {
		id, err := w.jobs.Submit(ctx, &slurm.JobSpec{Name: "long", WorkingDirectory: w.dir, Script: script})
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := w.jobs.WaitAll(ctx, ids, w.pace)
	var left *lro.WaitError
	if errors.As(err, &left) { // the watching has ended, and not the jobs
		return left.Pending, nil
	}
	return nil, err
}

// edit begins to change the cluster and returns the name of the operation.
func (w *work) edit(ctx context.Context) (string, error) {
	op, err := w.clusters.EditCluster(ctx, w.name, func(m *cluster.ModelDevelopmentCluster) error {
		m.Labels = map[string]string{"team": "vision"}
		return nil
	}, nil)
	if err != nil {
		return "", err
	}
	return op.Name(), nil
}

// resume waits for what has these names, operations first: a cluster may not be reached for jobs while it changes.
func (w *work) resume(ctx context.Context, names []string) error {
	var ops []*lro.Operation
	var ids []slurm.JobID
	for _, name := range names {
		if strings.Contains(name, "/operations/") {
			ops = append(ops, w.clusters.Operation(name).Operation)
			continue
		}
		id, err := slurm.ParseJobID(name)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := lro.WaitAll(ctx, ops, w.pace); err != nil {
		return err
	}
	for _, op := range ops {
		fmt.Fprintln(w.out, op)
	}
	jobs, err := w.jobs.WaitAll(ctx, ids, w.pace)
	for _, job := range jobs {
		fmt.Fprintln(w.out, job)
	}
	return err
}

// another runs this program in a process of its own.
func another(ctx context.Context, out io.Writer, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	process := exec.CommandContext(ctx, program, args...)
	process.Stdout, process.Stderr = out, os.Stderr
	return process.Run()
}

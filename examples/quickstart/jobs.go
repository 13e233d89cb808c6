package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// guideJob is the job of the service's guide.
func (t *tour) guideJob() *slurm.JobSpec {
	return &slurm.JobSpec{
		Name:             "my-run",
		Partition:        t.cfg.partition,
		WorkingDirectory: t.cfg.dir,
		MinNodes:         1,
		TasksPerNode:     1,
		TimeLimit:        2 * time.Hour,
		Environment:      map[string]string{"PATH": "/bin:/usr/bin"},
		Script:           "#!/bin/bash\necho hello\nsleep 5\necho done\n",
	}
}

func (t *tour) submit(ctx context.Context) (err error) {
	t.job, err = t.jobs.Submit(ctx, t.guideJob())
	if t.job != "" { // beside an error, too: then Slurm has ignored a part of the description
		t.say("submit", "job %s", t.job)
	}
	return err
}

func (t *tour) list(ctx context.Context) error {
	jobs, err := t.jobs.List(ctx, &slurm.ListOptions{Names: []string{"my-run"}})
	if err != nil {
		return err
	}
	for _, job := range jobs {
		t.say("list", "%s", job)
	}
	return nil
}

func (t *tour) wait(ctx context.Context) error {
	job, err := t.jobs.Wait(ctx, t.job, t.watch("wait")...)
	if err != nil {
		return err
	}
	t.say("wait", "%s after %s", job, job.Elapsed())
	t.output(job)
	return nil
}

// output shows the end of what the job wrote, if its file can be read here.
func (t *tour) output(job *slurm.Job) {
	text, err := os.ReadFile(filepath.Join(t.cfg.root, job.StandardOutput))
	if err != nil {
		return // as a rule it is on the cluster
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-5):] {
		t.say("output", "%s", line)
	}
}

// cancel submits a second job and ends it. What a wait then reports is a failure of the job, since it did not
// succeed.
func (t *tour) cancel(ctx context.Context) error {
	spec := t.guideJob()
	spec.Name, spec.Script = "too-long", "#!/bin/bash\nsleep 3600\n"
	id, partial := t.jobs.Submit(ctx, spec)
	if id == "" {
		return partial
	}
	if err := errors.Join(partial, t.jobs.Cancel(ctx, id)); err != nil {
		return err
	}
	job, err := t.jobs.Wait(ctx, id, t.watch("cancel")...)
	if job == nil || job.State != slurm.StateCancelled {
		return err
	}
	t.say("cancel", "%s", job)
	return nil
}

func (t *tour) history(ctx context.Context) error {
	records, err := t.jobs.History(ctx, t.job)
	if err != nil {
		return err
	}
	for _, job := range records {
		t.say("history", "%s, %s to %s", job, job.StartTime.Format(time.TimeOnly), job.EndTime.Format(time.TimeOnly))
	}
	return nil
}

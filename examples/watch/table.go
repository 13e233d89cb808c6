package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// table has the latest event of each job.
type table map[slurm.JobID]*slurm.JobEvent

func (t table) note(e *slurm.JobEvent) { t[e.JobID] = e }

// active counts the jobs that wait or run.
func (t table) active() (n int) {
	for _, e := range t {
		if !e.Ended {
			n++
		}
	}
	return n
}

// String has the jobs by number, the first task of an array first.
func (t table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-20s %-12s %-12s %-10s %s\n", "JOB", "NAME", "USER", "STATE", "NODES", "REASON")
	for _, e := range slices.SortedFunc(maps.Values(t), byNumber) {
		job := e.Job
		if job == nil {
			job = &slurm.Job{}
		}
		fmt.Fprintf(&b, "%-8s %-20.20s %-12.12s %-12s %-10s %s\n", e.JobID, plain(job.Name), plain(job.User), e.New, job.Nodes, job.Reason)
	}
	return b.String()
}

// plain keeps somebody else's text, such as a name, from moving the cursor.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

func byNumber(a, b *slurm.JobEvent) int {
	taskA, _ := a.JobID.Task()
	taskB, _ := b.JobID.Task()
	return cmp.Or(cmp.Compare(a.JobID.Number(), b.JobID.Number()), cmp.Compare(taskA, taskB))
}

// submitSome gives the embedded servers jobs to watch: one that succeeds, one that fails, and one after both.
func submitSome(ctx context.Context, s *slurm.Client) error {
	var before []slurm.JobID
	for _, spec := range []*slurm.JobSpec{
		{Name: "prepare", Script: "#!/bin/bash\nsleep 2\n"},
		{Name: "train", Script: "#!/bin/bash\nsleep 5\nexit 1\n"},
		{Name: "evaluate", Script: "#!/bin/bash\nsleep 2\n"},
	} {
		spec.WorkingDirectory = "/home/alice"
		if len(before) == 2 {
			spec.Dependency = slurm.AfterAny(before...)
		}
		id, err := s.Submit(ctx, spec)
		if err != nil {
			return err
		}
		before = append(before, id)
	}
	return nil
}

package slurm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestThenAfterJobs: the options of a wait are the same for jobs, and so is what this one does.
func TestThenAfterJobs(t *testing.T) {
	errStep := errors.New("the step failed")
	for _, tt := range []struct {
		why     string
		scripts []string
		err     error // of the step
		runs    bool
	}{
		{"all succeed", []string{"sleep 100", "true"}, nil, true},
		{"the step fails", []string{"sleep 100", "true"}, errStep, true},
		{"one fails", []string{"sleep 100", "exit 3"}, nil, false},
		{"none", nil, errStep, true},
	} {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				ran := 0
				then := lro.Then(func(context.Context) error { ran++; return tt.err })
				var ids []slurm.JobID
				for _, script := range tt.scripts {
					ids = append(ids, b.submit(t, script))
				}
				jobs, err := b.WaitAll(t.Context(), ids, then)
				if (ran == 1) != tt.runs || ran > 1 || tt.runs && err != tt.err || len(jobs) != len(ids) {
					t.Errorf("WaitAll: %v, %v; the step ran %d times", jobs, err, ran)
				}
				if len(ids) == 0 {
					return
				}
				ran = 0
				last := ids[len(ids)-1]
				job, err := b.Wait(t.Context(), last, then)
				if (ran == 1) != tt.runs || ran > 1 || tt.runs && err != tt.err || job == nil || job.ID != last {
					t.Errorf("Wait: %v, %v; the step ran %d times", job, err, ran)
				}
			})
		})
	}
}

package slurm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestNoJobIDIsToldByItsVerb: an error says what was not done, and no place in a list reads like the id of a job.
func TestNoJobIDIsToldByItsVerb(t *testing.T) {
	b := newBed(t)
	for want, call := range map[string]func(context.Context, slurm.JobID) error{
		"slurm: get job: ": func(ctx context.Context, id slurm.JobID) error {
			if _, err := b.Get(ctx, id); err == nil {
				return nil
			}
			_, err := b.GetAll(ctx, id)
			return err
		},
		"slurm: get history of job: ": func(ctx context.Context, id slurm.JobID) error { _, err := b.History(ctx, id); return err },
		"slurm: get array tasks: ":    func(ctx context.Context, id slurm.JobID) error { _, err := b.ArrayTasks(ctx, id); return err },
		"slurm: cancel job: ":         b.Cancel,
		"slurm: signal job: ":         func(ctx context.Context, id slurm.JobID) error { return b.Signal(ctx, id, "USR1") },
		"slurm: hold job: ":           b.Hold,
		"slurm: release job: ":        b.Release,
		"slurm: update job: ":         func(ctx context.Context, id slurm.JobID) error { return b.Update(ctx, id, &slurm.JobUpdate{Name: "x"}) },
		"slurm: wait for job: ":       func(ctx context.Context, id slurm.JobID) error { _, err := b.Wait(ctx, id); return err },
		"slurm: wait for job: ids[1]: ": func(ctx context.Context, id slurm.JobID) error {
			_, err := b.WaitAll(ctx, []slurm.JobID{"7", id})
			return err
		},
		"slurm: watch job: ids[1]: ": func(ctx context.Context, id slurm.JobID) error {
			_, err := b.Watcher(ctx, []slurm.JobID{"7", id}).Next()
			return err
		},
	} {
		for id, why := range map[slurm.JobID]string{"": "the job id is empty; a submit that failed gives none", "seven": `"seven" is not a job id: `} {
			err := call(t.Context(), id)
			if !errors.Is(err, slurm.ErrInvalid) || !strings.HasPrefix(err.Error(), want+why) {
				t.Errorf("got %v, want %s%s", err, want, why)
			}
		}
	}
}

// TestBareNumbersAreNoSpans: in TimeLimit: 120 somebody meant minutes, or seconds, and the job would end after one minute.
func TestBareNumbersAreNoSpans(t *testing.T) {
	for field, set := range map[string]func(*slurm.JobSpec){
		"TimeLimit":    func(s *slurm.JobSpec) { s.TimeLimit = 120 },
		"TimeMinimum":  func(s *slurm.JobSpec) { s.TimeLimit, s.TimeMinimum = time.Hour, 1440 },
		"SignalBefore": func(s *slurm.JobSpec) { s.Signal, s.SignalBefore = "USR1", 300 },
	} {
		spec := validSpec()
		set(spec)
		err := spec.Validate()
		var refused *slurm.InputError
		if !errors.As(err, &refused) || len(refused.Problems) != 1 || refused.Problems[0].Field != field || !strings.Contains(err.Error(), "time.Minute") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := newBed(t).Update(t.Context(), "1", &slurm.JobUpdate{TimeLimit: 120}); !errors.Is(err, slurm.ErrInvalid) || !strings.Contains(err.Error(), "120ns") {
		t.Errorf("got %v", err)
	}
}

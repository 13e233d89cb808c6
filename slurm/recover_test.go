package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// A job that was accepted is found in whatever way it has ended.
func TestRecoverFindsJobsThatEnded(t *testing.T) {
	tests := []struct {
		why    string
		change func(*slurm.JobSpec)
		after  func(*testing.T, *bed, slurm.JobID)
	}{
		{"runs", func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\nsleep 100h\n" }, nil},
		{"succeeded", func(*slurm.JobSpec) {}, nil},
		{"failed", func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\nexit 1\n" }, nil},
		{"failed at once", func(s *slurm.JobSpec) { s.WorkingDirectory = "/nope" }, nil},
		{"was hung up", func(s *slurm.JobSpec) { s.Script = "#!/bin/sh\nkill -HUP $$\n" }, nil},
		{"array", func(s *slurm.JobSpec) { s.Array = "0-3%1" }, nil},
		{"failed before it had a node", func(s *slurm.JobSpec) { s.Hold = true }, func(t *testing.T, b *bed, id slurm.JobID) {
			time.Sleep(time.Minute)
			if err := b.srv.Finish(id.Number(), "FAILED", 1); err != nil {
				t.Error(err)
			}
		}},
		{"cancelled while held", func(s *slurm.JobSpec) { s.Hold = true }, func(t *testing.T, b *bed, id slurm.JobID) {
			if err := b.Cancel(t.Context(), id); err != nil {
				t.Error(err)
			}
		}},
		{"waits", func(s *slurm.JobSpec) { s.Hold = true }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, slurmtest.WithDirectories("/home"), slurmtest.WithCompletingTime(0),
					slurmtest.WithScheduleDelay(0), slurmtest.WithRunTime(0)) // what fails does so at once
				spec := validSpec()
				spec.SubmitToken = slurm.NewSubmitToken()
				tt.change(spec)
				id, err := b.Submit(t.Context(), spec)
				if err != nil {
					t.Fatal(err)
				}
				if tt.after != nil {
					tt.after(t, b, id)
				}
				for range 4 { // from the queue, and from the accounting
					if got, err := b.Recover(t.Context(), spec.SubmitToken); got != id || err != nil {
						t.Errorf("got %q, %v, want %q", got, err, id)
					}
					time.Sleep(20 * time.Hour)
				}
				if _, err := b.Recover(t.Context(), slurm.NewSubmitToken()); !errors.Is(err, slurm.ErrNotFound) {
					t.Errorf("another token: %v", err)
				}
			})
		})
	}
}

func TestRecoverWithoutOnePlace(t *testing.T) {
	synctest.Test(t, recoverWithoutOnePlace)
}

func recoverWithoutOnePlace(t *testing.T) {
	b := newBed(t)
	spec := validSpec()
	spec.SubmitToken, spec.Script = slurm.NewSubmitToken(), "#!/bin/sh\nsleep 1h\n"
	b.srv.SetDatabaseDown(true)
	if _, err := b.Recover(t.Context(), spec.SubmitToken); !errors.Is(err, slurm.ErrUnavailable) || errors.Is(err, slurm.ErrNotFound) {
		t.Errorf("without the accounting: %v", err)
	}
	id, err := b.Submit(t.Context(), spec)
	if id != "" || !errors.Is(err, slurm.ErrUnavailable) || errors.Is(err, slurm.ErrUncertain) || b.submits() != 0 ||
		!strings.Contains(err.Error(), "nothing was sent") || strings.Count(err.Error(), "slurm: ") != 1 {
		t.Errorf("own token without the accounting: %q, %v", id, err)
	}
	b.srv.SetDatabaseDown(false)
	if _, err := b.Submit(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	b.srv.SetDatabaseDown(true)
	time.Sleep(time.Minute)
	if id, err := b.Recover(t.Context(), spec.SubmitToken); id != "1" || err != nil {
		t.Errorf("from the queue: %q, %v", id, err)
	}
	b.srv.SetDatabaseDown(false)
	b.srv.SetControllerDown(true)
	if id, err := b.Recover(t.Context(), spec.SubmitToken); id != "1" || err != nil {
		t.Errorf("a running job, from the accounting: %q, %v", id, err)
	}
	b.srv.SetControllerDown(false)
	if err := b.srv.Finish(1, "COMPLETED", 0); err != nil {
		t.Fatal(err)
	}
	b.srv.SetControllerDown(true)
	if id, err := b.Recover(t.Context(), spec.SubmitToken); id != "1" || err != nil {
		t.Errorf("from the accounting: %q, %v", id, err)
	}
}

func TestRecoverRefusesWhatIsNoToken(t *testing.T) {
	b := newBed(t)
	for _, token := range []string{"", "short", "-leading-dash", strings.Repeat("x", 65), "with space", "tc=123456"} {
		_, err := b.Recover(t.Context(), token)
		if inputProblems(t, err)["token"] == "" {
			t.Errorf("%q: %v", token, err)
		}
	}
	b.wantPaths(t)
}

// Of two jobs, the one that somebody has cancelled is not the one to keep.
func TestRecoverKeepsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropTwice}))
		spec := validSpec()
		spec.Hold = true
		ctx, cancel := context.WithCancel(t.Context())
		b.platform.Inject(onReads(clustertest.Fault{Kind: clustertest.FaultDropBefore, Times: 5}))
		go func() { time.Sleep(100 * time.Millisecond); cancel() }()
		_, err := b.Submit(ctx, spec)
		lost, ok := errors.AsType[*slurm.UncertainError](err)
		if !ok || b.open() != 2 {
			t.Fatalf("got %v, %d jobs", err, b.open())
		}
		b.platform.ClearFaults()
		if err := b.Cancel(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if id, err := b.Recover(t.Context(), lost.Token); id != "2" || err != nil || b.open() != 1 {
				t.Errorf("got %q, %v, %d jobs", id, err, b.open())
			}
		}
	})
}

// Of the accounting, no more is read than can hold the job.
func TestRecoverReadsNoMoreThanItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		fresh := slurm.NewSubmitToken()
		made := time.Now()
		time.Sleep(72 * time.Hour)
		for token, start := range map[string]time.Time{
			fresh: made.Add(-10 * time.Minute), "nightly-2026-11-30": time.Now().Add(-24 * time.Hour),
			// Of the same form, and from the future: a clock was wrong.
			"tc-zzzzzzzzzzzzzzzzzzzzzzzzzw": time.Now().Add(-24 * time.Hour),
		} {
			b.srv.ResetRequests()
			if _, err := b.Recover(t.Context(), token); !errors.Is(err, slurm.ErrNotFound) {
				t.Errorf("%s: %v", token, err)
			}
			want := fmt.Sprintf("start_time=uts%d", start.Unix())
			paths := b.paths()
			if len(paths) != 2 || !strings.Contains(paths[1], want) || !strings.Contains(paths[1], "skip_steps=true") ||
				slices.Contains(paths, "PENDING") {
				t.Errorf("%s: asked %q, want %s", token, paths, want)
			}
		}
	})
}

package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// onSubmit makes a fault happen to submits alone.
func onSubmit(f clustertest.Fault) clustertest.Fault {
	f.When = func(r clustertest.Request) bool { return strings.Contains(string(r.Body), "/job/submit") }
	return f
}

// onReads makes a fault happen to the reads of the queue and of the accounting.
func onReads(f clustertest.Fault) clustertest.Fault {
	f.When = func(r clustertest.Request) bool { return strings.Contains(string(r.Body), "HTTP_METHOD_GET") }
	return f
}

// submits counts the submits that have come to Slurm.
func (b *bed) submits() (n int) {
	for _, path := range b.paths() {
		if strings.HasSuffix(path, "/job/submit") {
			n++
		}
	}
	return n
}

// open counts the jobs that nobody has cancelled.
func (b *bed) open() (n int) {
	for _, j := range b.srv.Jobs() {
		if j.State != "CANCELLED" {
			n++
		}
	}
	return n
}

// An answer that is lost after the work was done is the case in which people end up with two jobs.
func TestSubmitOnce(t *testing.T) {
	tests := []struct {
		why       string
		fault     clustertest.Fault
		jobs      int // that are there when Submit returns, and minutes later
		later     int
		uncertain bool
		took      time.Duration // the bubble's clock stands still while something happens
	}{
		{"lost after the work", clustertest.Fault{Kind: clustertest.FaultDropAfter}, 1, 1, false, 2 * time.Second},
		{"cut", clustertest.Fault{Kind: clustertest.FaultCut}, 1, 1, false, 2 * time.Second},
		{"an answer of another type", clustertest.Fault{Kind: clustertest.FaultContentType}, 1, 1, false, 0},
		{"lost on the way", clustertest.Fault{Kind: clustertest.FaultDropBefore}, 0, 0, true, time.Minute},
		{"a proxy's page", clustertest.Fault{Kind: clustertest.FaultReply}, 0, 0, true, time.Minute},
		{"unavailable, perhaps too late", clustertest.Fault{}, 0, 0, true, time.Minute},
		{"held up for half a minute", clustertest.Fault{Kind: clustertest.FaultDropLate, Delay: 29 * time.Second}, 1, 1, false, 32 * time.Second},
		{"held up for two minutes", clustertest.Fault{Kind: clustertest.FaultDropLate, Delay: 2 * time.Minute}, 0, 1, true, time.Minute},
		{"sent twice on the way", clustertest.Fault{Kind: clustertest.FaultDropTwice}, 1, 1, false, 2 * time.Second},
		{"connection refused once: surely unsent", clustertest.Fault{Kind: clustertest.FaultRefused}, 1, 1, false, time.Second},
		{"quota once: surely unsent", clustertest.Fault{Status: "RESOURCE_EXHAUSTED"}, 1, 1, false, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				b.platform.Inject(onSubmit(tt.fault))
				start := time.Now()
				id, err := b.Submit(t.Context(), validSpec())
				if took := time.Since(start); took > tt.took+500*time.Millisecond {
					t.Errorf("took %s", took)
				}
				if got := b.open(); got != tt.jobs {
					t.Errorf("%d jobs, want %d", got, tt.jobs)
				}
				if errors.Is(err, slurm.ErrUncertain) != tt.uncertain || (err == nil) == tt.uncertain || (id == "") != tt.uncertain {
					t.Fatalf("got %q, %v", id, err)
				}
				time.Sleep(5 * time.Minute)
				if got := b.open(); got != tt.later {
					t.Errorf("%d jobs in the end, want %d", got, tt.later)
				}
				lost, ok := errors.AsType[*slurm.UncertainError](err)
				if !ok {
					return
				}
				id, err = b.Recover(t.Context(), lost.Token)
				if tt.later == 1 && (id != "1" || err != nil) || tt.later == 0 && !errors.Is(err, slurm.ErrNotFound) {
					t.Errorf("Recover: %q, %v", id, err)
				}
			})
		})
	}
}

// A submit that succeeds costs one request, whatever it carries.
func TestSubmitAsksNothingMore(t *testing.T) {
	b := newBed(t)
	if _, err := b.Submit(t.Context(), validSpec()); err != nil {
		t.Fatal(err)
	}
	b.wantPaths(t, "POST /slurm/v0.0.42/job/submit")
}

func TestSubmitWarnsOfALostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropTwice}))
		spec := validSpec()
		spec.Hold, spec.Comment = true, "mine"
		submission, err := b.SubmitJob(t.Context(), spec)
		if err != nil || submission.JobID != "1" {
			t.Fatalf("got %+v, %v", submission, err)
		}
		want := []string{"the job was found by its token, since the answer to the submit was lost: cluster: call Slurm",
			"job 2 is a second one of the same request, and was cancelled"}
		if len(submission.Warnings) != 2 || fmt.Sprint(b.warnings) != fmt.Sprint(submission.Warnings) {
			t.Fatalf("got %q, OnWarning got %q", submission.Warnings, b.warnings)
		}
		for i, w := range submission.Warnings {
			if w.Source != "SubmitToken" || !strings.HasPrefix(w.Description, want[i]) {
				t.Errorf("got %q, want %q", w, want[i])
			}
		}
		if first, _ := b.srv.Job(1); first.State != "PENDING" || first.Comment != "mine" {
			t.Errorf("kept %+v", first)
		}
	})
}

// What was sent twice need not arrive twice at once.
func TestSubmitLooksForASecondJob(t *testing.T) {
	for _, script := range []string{"sleep 1h", "true"} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, slurmtest.WithScheduleDelay(0), slurmtest.WithRunTime(0), slurmtest.WithCompletingTime(0))
			spec := validSpec()
			spec.SubmitToken, spec.Script = slurm.NewSubmitToken(), "#!/bin/sh\n"+script+"\n"
			b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
			go func() {
				time.Sleep(1900 * time.Millisecond)
				again := fmt.Sprintf(`{"script":%q,"job":{"environment":["A=B"],"current_working_directory":"/home/alice",`+
					`"mcs_label":"tc-submit:%s"}}`, spec.Script, spec.SubmitToken)
				if _, err := b.srv.AddJob("alice", []byte(again)); err != nil {
					t.Error(err)
				}
			}()
			submission, err := b.SubmitJob(t.Context(), spec)
			if err != nil || submission.JobID != "1" || len(submission.Warnings) != 2 {
				t.Fatalf("got %+v, %v", submission, err)
			}
			want, state := "job 2 is a second one of the same request, and was cancelled", "CANCELLED"
			if script == "true" {
				want, state = "job 2 is a second one of the same request, and had ended before it could be cancelled", "COMPLETED"
			}
			if second, _ := b.srv.Job(2); second.State != state || submission.Warnings[1].Description != want {
				t.Errorf("%s, and the warning %q", second.State, submission.Warnings[1])
			}
		})
	}
}

// A second job that cannot be cancelled goes on costing money: nobody must miss it.
func TestSubmitCannotCancelASecondJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		denied := clustertest.Fault{Status: "PERMISSION_DENIED", Times: -1, When: func(r clustertest.Request) bool {
			return strings.Contains(string(r.Body), "HTTP_METHOD_DELETE")
		}}
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropTwice}), denied)
		spec := validSpec()
		spec.Hold = true
		id, err := b.Submit(t.Context(), spec)
		if id != "1" || !errors.Is(err, slurm.ErrPartial) || errors.Is(err, slurm.ErrUncertain) ||
			!strings.Contains(err.Error(), "job 2 is a second one of the same request, and could not be cancelled: ") {
			t.Errorf("got %q, %v", id, err)
		}
	})
}

func TestSubmitAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("stop"))
		_, err := b.Submit(ctx, validSpec())
		if !errors.Is(err, context.Canceled) || errors.Is(err, slurm.ErrUncertain) {
			t.Errorf("got %v: nothing was sent", err)
		}
		b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultDelay, Delay: time.Minute})
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		start := time.Now()
		_, err = b.Submit(ctx, validSpec())
		lost, ok := errors.AsType[*slurm.UncertainError](err)
		if !errors.Is(err, context.DeadlineExceeded) || !ok || lost.Token == "" || lost.Op != "submit job" {
			t.Errorf("got %v: it was sent", err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("the caller had to wait for %s", took)
		}
		// While it looks, too, it goes by the caller's context.
		b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultDropBefore})
		ctx, stop = context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		start = time.Now()
		_, err = b.Submit(ctx, validSpec())
		if took := time.Since(start); took != 20*time.Second || !errors.Is(err, slurm.ErrUncertain) {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// What a refusal leaves behind is no job, and proves that there is none: the request goes out once more for the reason.
func TestSubmitRefusalWithoutAnAnswer(t *testing.T) {
	tests := []struct {
		why    string
		change func(*slurm.JobSpec)
		number int
	}{
		{"2006", func(s *slurm.JobSpec) { s.Extra = map[string]any{"minimum_nodes": 0} }, 2006},
		{"2014", func(s *slurm.JobSpec) { s.MinNodes = 50 }, 2014},
		{"2014 of an array", func(s *slurm.JobSpec) { s.MinNodes, s.Array = 50, "0-3" }, 2014},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				spec := validSpec()
				tt.change(spec)
				b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
				id, err := b.Submit(t.Context(), spec)
				refusal, ok := errors.AsType[*slurm.Error](err)
				if id != "" || !ok || refusal.Problems[0].Number != tt.number || b.submits() != 2 {
					t.Errorf("got %q, %v after %d submits", id, err, b.submits())
				}
				b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter, Times: 2}))
				id, err = b.Submit(t.Context(), spec)
				if id != "" || !errors.Is(err, slurm.ErrInvalid) || errors.Is(err, slurm.ErrUncertain) || b.submits() != 4 {
					t.Errorf("without any answer: got %q, %v after %d submits", id, err, b.submits())
				}
				// The accounting keeps such records for longer, and it tells less.
				spec.SubmitToken = slurm.NewSubmitToken()
				if _, err := b.Submit(t.Context(), spec); !errors.Is(err, slurm.ErrInvalid) {
					t.Error(err)
				}
				for range 2 {
					if id, err := b.Recover(t.Context(), spec.SubmitToken); id != "" || !errors.Is(err, slurm.ErrInvalid) || errors.Is(err, slurm.ErrNotFound) {
						t.Errorf("Recover: %q, %v", id, err)
					}
					time.Sleep(time.Hour)
				}
			})
		})
	}
}

func TestSubmitHetOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		first, second := validSpec(), &slurm.JobSpec{WorkingDirectory: "/home/alice", Partition: "a4", GPUsPerNode: 1}
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropTwice}))
		submission, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{first, second})
		if err != nil || submission.JobID != "1" || b.open() != 2 {
			t.Errorf("got %+v, %v, %d components", submission, err, b.open())
		}
		jobs, err := b.GetAll(t.Context(), "1")
		if err != nil || len(jobs) != 2 || jobs[0].SubmitToken == "" {
			t.Errorf("got %v, %v", jobs, err)
		}
		// One that is refused leaves the first component behind, CANCELLED.
		second.Partition = "nope"
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
		submission, err = b.SubmitHet(t.Context(), []*slurm.JobSpec{first, second})
		if submission != nil || !errors.Is(err, slurm.ErrInvalid) || !strings.Contains(err.Error(), "2000") {
			t.Errorf("got %+v, %v", submission, err)
		}
	})
}

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

// The same token in another process is the same job.
func TestSubmitTokenOfOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		for _, token := range []string{"nightly-2026-11-30", slurm.NewSubmitToken()} {
			b.srv.ResetRequests()
			spec := validSpec()
			spec.SubmitToken = token
			first, err := b.Submit(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			b.wantReads(t, 1)
			for range 3 {
				again, err := b.SubmitJob(t.Context(), spec)
				if err != nil || again.JobID != first || !strings.Contains(again.Warnings[0].Description, "nothing was sent") {
					t.Errorf("got %+v, %v, want %s", again, err, first)
				}
				time.Sleep(5 * time.Hour)
			}
			if b.submits() != 1 {
				t.Errorf("%d submits", b.submits())
			}
			// Its answer is looked for like that of others.
			spec.SubmitToken += "2"
			b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
			if id, err := b.Submit(t.Context(), spec); err != nil || id == first {
				t.Errorf("got %q, %v", id, err)
			}
		}
		spec := validSpec()
		spec.SubmitToken = "too short"
		if found := inputProblems(t, spec.Validate()); found["SubmitToken"] == "" {
			t.Errorf("got %v", found)
		}
		_, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), {WorkingDirectory: "/x", SubmitToken: "component"}})
		if found := inputProblems(t, err); found["[1].SubmitToken"] == "" {
			t.Errorf("got %v", found)
		}
	})
}

// wantReads checks that each submit so far was preceded by a look at the queue and one at the accounting.
func (b *bed) wantReads(t *testing.T, submits int) {
	t.Helper()
	paths := b.paths()
	if len(paths) != 3*submits || paths[0] != "GET /slurm/v0.0.42/jobs/" || !strings.HasPrefix(paths[1], "GET /slurmdb/v0.0.42/jobs/?") {
		t.Errorf("Slurm was asked %q", paths)
	}
}

func TestWithoutSubmitToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		c := b.another(t, slurm.WithoutSubmitToken())
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
		start := time.Now()
		_, err := c.Submit(t.Context(), validSpec())
		lost, ok := errors.AsType[*slurm.UncertainError](err)
		if !ok || lost.Token != "" || !strings.Contains(err.Error(), "look for it in the queue") || time.Since(start) > 0 {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		b.wantPaths(t, "POST /slurm/v0.0.42/job/submit")
		jobs, err := c.List(t.Context(), &slurm.ListOptions{Raw: true})
		if err != nil || len(jobs) != 1 || jobs[0].SubmitToken != "" || !strings.Contains(string(jobs[0].Raw), `"mcs_label":""`) {
			t.Errorf("got %v, %v", jobs, err)
		}
		spec := validSpec()
		spec.SubmitToken = "nightly-2026-11-30"
		for range 2 {
			if id, err := c.Submit(t.Context(), spec); id != "2" || err != nil {
				t.Errorf("own token: %q, %v", id, err)
			}
		}
	})
}

// The token goes where the cluster, and the spec, have no other use.
func TestSubmitTokenPlaces(t *testing.T) {
	tests := []struct {
		why        string
		labels     string
		parameters string
		extra      map[string]any
		member     string // where it goes; "" is nowhere
		requests   int    // of the first submit; the next one knows
		text       string // Job.Extra
	}{
		{"by default", "mcs/none", "", nil, "mcs_label", 1, ""},
		{"a label of the user's", "mcs/none", "", map[string]any{"mcs_label": "secret"}, "extra", 1, ""},
		{"nodes shared by label", "mcs/none", "", map[string]any{"shared": []string{"mcs"}}, "extra", 1, ""},
		{"an extra of the user's", "mcs/none", "", map[string]any{"extra": "mine"}, "mcs_label", 1, "mine"},
		{"both of the user's", "mcs/none", "", map[string]any{"extra": "mine", "mcs_label": "x"}, "", 1, "mine"},
		{"labels have a meaning", "mcs/user", "", nil, "extra", 2, ""},
		{"extra has one", "mcs/none", "extra_constraints", nil, "mcs_label", 1, ""},
		{"both have", "mcs/user", "extra_constraints", nil, "", 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				for name, value := range map[string]string{"MCSPlugin": tt.labels, "SchedulerParameters": tt.parameters} {
					if err := b.srv.Configure(name, value); err != nil {
						t.Fatal(err)
					}
				}
				spec := validSpec()
				spec.Comment, spec.WCKey, spec.Extra = "a comment", "key", tt.extra
				for i, want := range []int{tt.requests, tt.requests + 1} {
					id, err := b.Submit(t.Context(), spec)
					if err != nil || b.submits() != want {
						t.Fatalf("submit %d: %q, %v after %d requests", i, id, err, b.submits())
					}
					for read, get := range map[string]func() ([]*slurm.Job, error){
						"queue":      func() ([]*slurm.Job, error) { return b.GetAll(t.Context(), id) },
						"accounting": func() ([]*slurm.Job, error) { return b.History(t.Context(), id) },
					} {
						jobs, err := get()
						if err != nil || len(jobs) != 1 {
							t.Fatalf("%s: %v, %v", read, jobs, err)
						}
						j := jobs[0]
						if j.Comment != "a comment" || j.WCKey != "key" || j.Extra != tt.text || (j.SubmitToken == "") != (tt.member == "") {
							t.Errorf("%s: comment %q, key %q, extra %q, token %q", read, j.Comment, j.WCKey, j.Extra, j.SubmitToken)
						}
					}
				}
				b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
				id, err := b.Submit(t.Context(), spec)
				if (err == nil) != (tt.member != "") || (id == "") != (tt.member == "") {
					t.Errorf("lost answer: %q, %v", id, err)
				}
				spec.SubmitToken = "nightly-2026-11-30"
				_, err = b.Submit(t.Context(), spec)
				if tt.member == "" && inputProblems(t, err)["SubmitToken"] == "" || tt.member != "" && err != nil {
					t.Errorf("own token: %v", err)
				}
			})
		})
	}
}

// Where accounting does not keep a member, the queue still leads to the job.
func TestSubmitTokenWithoutStoreFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		if err := b.srv.Configure("AccountingStoreFlags", ""); err != nil {
			t.Fatal(err)
		}
		spec := validSpec()
		spec.SubmitToken, spec.Comment = slurm.NewSubmitToken(), "not kept"
		id, err := b.Submit(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		jobs, err := b.History(t.Context(), id)
		if err != nil || jobs[0].Comment != "" || jobs[0].SubmitToken != spec.SubmitToken {
			t.Errorf("got %+v, %v", jobs, err)
		}
		if got, err := b.Recover(t.Context(), spec.SubmitToken); got != id || err != nil {
			t.Errorf("Recover: %q, %v", got, err)
		}
	})
}

func TestNewSubmitToken(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := slurm.NewSubmitToken()
		if seen[token] || !strings.HasPrefix(token, "tc-") || len(token) != 29 || strings.Trim(token[3:], "0123456789abcdefghjkmnpqrstvwxyz") != "" {
			t.Fatalf("%q", token)
		}
		seen[token] = true
	}
}

// Of the accounting, no more is read than can hold the job.
func TestRecoverReadsNoMoreThanItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		fresh := slurm.NewSubmitToken()
		made := time.Now()
		time.Sleep(72 * time.Hour)
		for token, start := range map[string]time.Time{
			fresh: made.Add(-time.Minute), "nightly-2026-11-30": time.Now().Add(-24 * time.Hour),
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

package slurm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// inBubble runs f with a bed whose time is virtual.
func inBubble(t *testing.T, f func(*testing.T, *bed), opts ...slurmtest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newBed(t, opts...)) })
}

func TestWaitEndings(t *testing.T) {
	tests := []struct {
		why, script string
		change      func(*slurm.JobSpec)
		state       slurm.State
		says        string // of the error, "" for none
	}{
		{"success", "sleep 100", nil, slurm.StateCompleted, ""},
		{"success at once", "true", nil, slurm.StateCompleted, ""},
		{"an exit code", "exit 3", nil, slurm.StateFailed, "FAILED: NonZeroExitCode, exit code 3"},
		{"the time limit", "sleep 3600", func(s *slurm.JobSpec) { s.TimeLimit = time.Minute }, slurm.StateTimeout, "TIMEOUT"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				id := b.submit(t, tt.script, func(s *slurm.JobSpec) {
					if tt.change != nil {
						tt.change(s)
					}
				})
				job, err := b.Wait(t.Context(), id)
				if job == nil || job.ID != id || job.State != tt.state {
					t.Fatalf("got %v, %v", job, err)
				}
				var failure *slurm.JobError
				switch {
				case tt.says == "" && err != nil:
					t.Error(err)
				case tt.says != "" && (!errors.As(err, &failure) || failure.Job != job || !strings.Contains(err.Error(), tt.says)):
					t.Errorf("got %v, want a JobError with %q", err, tt.says)
				}
			})
		})
	}
}

// Whatever the pace of the queue, the accounting takes over without a gap that a wait would fall into.
func TestWaitAcrossTheGap(t *testing.T) {
	tests := []struct {
		why  string
		opts []slurmtest.Option
		lost bool
	}{
		{"the job leaves the queue between two reads", []slurmtest.Option{slurmtest.WithMinJobAge(time.Second)}, false},
		{"the accounting lags half a minute", []slurmtest.Option{slurmtest.WithMinJobAge(time.Second), slurmtest.WithAccountingDelay(30 * time.Second)}, false},
		{"the accounting lags for 5 minutes and shows it running", []slurmtest.Option{slurmtest.WithMinJobAge(time.Second), slurmtest.WithAccountingDelay(5 * time.Minute)}, false},
		// Without any time in the queue after its end, so that no read happens upon it there.
		{"the accounting lags for hours", []slurmtest.Option{slurmtest.WithMinJobAge(0), slurmtest.WithAccountingDelay(5 * time.Hour)}, true},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				id := b.submit(t, "sleep 1000")
				job, err := b.Wait(t.Context(), id)
				if errors.Is(err, slurm.ErrJobLost) != tt.lost || job == nil || job.ID != id {
					t.Errorf("got %v, %v", job, err)
				}
				if !tt.lost && (err != nil || !job.Succeeded()) {
					t.Errorf("got %v, %v", job, err)
				}
			}, tt.opts...)
		})
	}
}

func TestWaitForNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		start := time.Now()
		job, err := b.Wait(t.Context(), "4711")
		if job != nil || !errors.Is(err, slurm.ErrJobLost) || !errors.Is(err, slurm.ErrNotFound) {
			t.Fatalf("got %v, %v", job, err)
		}
		if elapsed := time.Since(start); elapsed < time.Minute || elapsed > 2*time.Minute {
			t.Errorf("gave up after %v, want about a minute", elapsed)
		}
		if !strings.HasPrefix(err.Error(), "slurm: wait for job 4711: job lost: neither the queue nor the accounting knows it for ") {
			t.Errorf("text: %v", err)
		}
		var watching *lro.WaitError
		if errors.As(err, &watching) {
			t.Error("a WaitError would say that the job goes on")
		}
	})
}

var errMaintenance = errors.New("maintenance window over")

func TestWaitThroughOutages(t *testing.T) {
	// Longer than the longest pause and the retries of a call together, so that a read surely falls into it.
	const short = 90 * time.Second
	tests := []struct {
		why    string
		outage func(*bed, bool)
		length time.Duration
		borne  bool
	}{
		{"the controller restarts", func(b *bed, down bool) { b.srv.SetControllerDown(down) }, short, true},
		{"the controller is gone for long", func(b *bed, down bool) { b.srv.SetControllerDown(down) }, 10 * time.Minute, false},
		{"the database is down while the job is in the queue", func(b *bed, down bool) { b.srv.SetDatabaseDown(down) }, 30 * time.Minute, true},
		{"the platform is unavailable", func(b *bed, down bool) {
			b.platform.ClearFaults()
			if down {
				b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Times: -1})
			}
		}, short, true},
		{"permission is taken away", func(b *bed, down bool) {
			b.platform.ClearFaults()
			if down {
				b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Status: "PERMISSION_DENIED", Times: -1})
			}
		}, short, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				id := b.submit(t, "sleep 3600", func(s *slurm.JobSpec) { s.TimeLimit = 2 * time.Hour })
				time.AfterFunc(10*time.Minute, func() { tt.outage(b, true) })
				time.AfterFunc(10*time.Minute+tt.length, func() { tt.outage(b, false) })
				failures := 0
				job, err := b.Wait(t.Context(), id, lro.OnProgress(func(p lro.Progress) {
					if p.Err != nil {
						failures++
						if p.Name != string(id) || p.Pending != 1 || p.Total != 1 || p.Done {
							t.Errorf("got %+v", p)
						}
					}
				}))
				var watching *lro.WaitError
				if tt.borne && (err != nil || !job.Succeeded()) {
					t.Errorf("got %v, %v", job, err)
				}
				if !tt.borne && (!errors.As(err, &watching) || watching.Last == nil || job == nil || !job.Running()) {
					t.Errorf("got %v, %v", job, err)
				}
				if tt.length == short && tt.borne && failures == 0 {
					t.Error("a tolerated failure is news")
				}
			})
		})
	}
}

// The job ends and leaves the queue while the database is down: it cannot be told how, so the wait bears it for a
// while, and does not make up an ending.
func TestWaitWithoutDatabase(t *testing.T) {
	for _, outage := range []time.Duration{time.Minute, time.Hour} {
		inBubble(t, func(t *testing.T, b *bed) {
			id := b.submit(t, "sleep 100")
			time.AfterFunc(90*time.Second, func() { b.srv.SetDatabaseDown(true) })
			time.AfterFunc(90*time.Second+outage, func() { b.srv.SetDatabaseDown(false) })
			job, err := b.Wait(t.Context(), id)
			var watching *lro.WaitError
			switch {
			case outage == time.Minute && (err != nil || !job.Succeeded()):
				t.Errorf("got %v, %v", job, err)
			case outage == time.Hour && (!errors.As(err, &watching) || !errors.Is(err, slurm.ErrUnavailable)):
				t.Errorf("got %v, %v", job, err)
			}
		}, slurmtest.WithMinJobAge(0))
	}
}

func TestWaitForADay(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 86000", func(s *slurm.JobSpec) { s.TimeLimit = 24 * time.Hour })
		for n := 3; n < 3000; n += 9 {
			b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Nth: n, Times: 3, Kind: clustertest.FaultDropBefore})
		}
		b.srv.ResetRequests()
		job, err := b.Wait(t.Context(), id)
		if err != nil || !job.Succeeded() {
			t.Fatalf("got %v, %v", job, err)
		}
		// Pauses of 30 to 60 seconds.
		if n := len(b.paths()); n < 1400 || n > 2900 {
			t.Errorf("%d reads in a day", n)
		}
	})
}

func TestWaitProgress(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 100", func(s *slurm.JobSpec) { s.Hold = true })
		time.AfterFunc(time.Minute, func() { _ = b.Release(t.Context(), id) })
		var news []string
		_, err := b.Wait(t.Context(), id, lro.OnProgress(func(p lro.Progress) {
			news = append(news, p.Message)
			if p.Done != (p.Message == "COMPLETED") || p.Done != (p.Pending == 0) || p.Total != 1 || p.Name != string(id) {
				t.Errorf("got %+v", p)
			}
		}))
		if got := strings.Join(news, ", "); err != nil || !strings.HasPrefix(got, "PENDING") ||
			!strings.Contains(got, "JobHeldUser") || !strings.HasSuffix(got, "RUNNING, COMPLETED") {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// TestSilentReadDoesNotHoldTheWait: a connection that has gone silent ends no read by itself, and the deadline of a
// wait may be a day away. Each read has a limit, and one that runs into it is borne like any other failure.
func TestSilentReadDoesNotHoldTheWait(t *testing.T) {
	for _, silent := range []string{"/slurm/", "/slurmdb/"} {
		inBubble(t, func(t *testing.T, b *bed) {
			id := b.submit(t, "sleep 60")
			b.platform.Inject(clustertest.Fault{Kind: clustertest.FaultDelay, Delay: 1000 * time.Hour, When: func(r clustertest.Request) bool {
				method, path, _ := r.SlurmCall()
				return method == "GET" && strings.HasPrefix(path, silent)
			}})
			ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
			defer cancel()
			start := time.Now()
			job, err := b.Wait(ctx, id)
			if err != nil || job.State != slurm.StateCompleted || time.Since(start) > 10*time.Minute {
				t.Errorf("silent at %s: %v, %v after %v", silent, job, err, time.Since(start))
			}
			if n := b.platform.PendingFaults(); n != 0 {
				t.Errorf("silent at %s: the fault did not happen", silent)
			}
		}, slurmtest.WithMinJobAge(time.Nanosecond))
	}
}

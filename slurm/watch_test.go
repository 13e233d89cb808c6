package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// brief is an event in a few words: "1 RUNNING>COMPLETED ended".
func brief(e *slurm.JobEvent) string {
	text := string(e.JobID) + " "
	if e.Old != "" {
		text += string(e.Old) + ">"
	}
	text += string(e.New)
	if e.Job != nil && e.Job.Has(slurm.FlagCompleting) {
		text += "+COMPLETING"
	}
	if e.Ended {
		text += " ended"
	}
	switch failed := (*slurm.JobError)(nil); {
	case errors.Is(e.Err, slurm.ErrJobLost):
		text += " lost"
	case errors.As(e.Err, &failed):
		text += " badly"
	}
	return text
}

// watchAll collects all events, those of jobs that are being cleaned up aside.
func watchAll(ctx context.Context, c *slurm.Client, ids []slurm.JobID, opts ...lro.WaitOption) (events []string, err error) {
	for e, err := range c.Watch(ctx, ids, opts...) {
		if err != nil {
			return events, err
		}
		events = append(events, brief(e))
	}
	return events, nil
}

func wantEvents(t *testing.T, got []string, want string) {
	t.Helper()
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestWatch(t *testing.T) {
	noCompleting := slurmtest.WithCompletingTime(0)
	tests := []struct {
		why, script string
		change      func(*slurm.JobSpec)
		after       time.Duration
		disturb     func(*bed, slurm.JobID) error
		want        string
		opts        []slurmtest.Option
	}{
		{"a job", "sleep 300", nil, 0, nil, "1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>COMPLETED ended", nil},
		{"one that fails", "sleep 300\nexit 3", nil, 0, nil, "1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>FAILED ended badly", nil},
		{"one that leaves the queue at once", "sleep 300", nil, 0, nil, "1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>COMPLETED ended",
			[]slurmtest.Option{slurmtest.WithMinJobAge(0), slurmtest.WithAccountingDelay(time.Minute)}},
		{"requeued", "sleep 300", nil, 100 * time.Second, func(b *bed, id slurm.JobID) error { return b.srv.Requeue(id.Number()) },
			"1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>PENDING, 1 PENDING>RUNNING, 1 RUNNING>COMPLETED ended", nil},
		{"preempted for good", "sleep 300", nil, 100 * time.Second, func(b *bed, id slurm.JobID) error { return b.srv.Finish(id.Number(), "PREEMPTED", 0) },
			"1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>PREEMPTED, 1 PREEMPTED>PREEMPTED ended badly", nil},
		{"an array that grows tasks", "sleep 300", func(s *slurm.JobSpec) { s.Array = "0-2%1" }, 0, nil,
			"1 PENDING, 1_0 RUNNING, 1_0 RUNNING>COMPLETED ended, 1_1 RUNNING, 1_1 RUNNING>COMPLETED ended, 1_2 RUNNING, 1_2 RUNNING>COMPLETED ended", nil},
		{"an array whose tasks nobody sees", "sleep 1", func(s *slurm.JobSpec) { s.Array = "0-1" }, 0, nil,
			"1 PENDING, 1_0 COMPLETED ended, 1_1 COMPLETED ended", []slurmtest.Option{slurmtest.WithMinJobAge(0)}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				id := b.submit(t, tt.script, func(s *slurm.JobSpec) {
					if tt.change != nil {
						tt.change(s)
					}
				})
				if tt.disturb != nil {
					time.AfterFunc(tt.after, func() {
						if err := tt.disturb(b, id); err != nil {
							t.Error(err)
						}
					})
				}
				got, err := watchAll(t.Context(), b.Client, []slurm.JobID{id})
				if err != nil {
					t.Error(err)
				}
				wantEvents(t, got, tt.want)
			}, append(tt.opts, noCompleting)...)
		})
	}
}

// TestWatchMany: every job has each of its events once, whatever fails meanwhile, and the watching costs one request per
// read.
func TestWatchMany(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		g := b.gated(t)
		var ids []slurm.JobID
		for i := range 60 {
			ids = append(ids, b.submit(t, fmt.Sprintf("sleep %d", 200+60*(i%20))))
		}
		for at, outage := range map[time.Duration]func(bool){
			5 * time.Minute: b.srv.SetControllerDown, 12 * time.Minute: b.srv.SetDatabaseDown,
		} {
			time.AfterFunc(at, func() { outage(true) })
			time.AfterFunc(at+90*time.Second, func() { outage(false) })
		}
		g.calls = nil
		reads, seen := 0, map[slurm.JobID][]slurm.State{}
		for e, err := range b.Watch(t.Context(), ids, steady, slurm.OnTally(func(tally slurm.Tally) { reads = tally.Reads })) {
			if err != nil {
				t.Fatal(err)
			}
			past := seen[e.JobID]
			if len(past) > 0 && past[len(past)-1] != e.Old || len(past) == 0 && e.Old != "" || e.Ended != (e.New == slurm.StateCompleted) {
				t.Errorf("after %v: %v, ended %v", past, e, e.Ended)
			}
			seen[e.JobID] = append(past, e.New)
		}
		for _, id := range ids {
			if states := seen[id]; len(states) < 2 || states[len(states)-1] != slurm.StateCompleted {
				t.Errorf("job %s: %v", id, states)
			}
		}
		if queue := g.count("") - g.count("runs") - g.count("many runs"); queue > reads+1 {
			t.Errorf("%d requests in %d reads", queue, reads)
		}
	}, huge(), slurmtest.WithCompletingTime(0), slurmtest.WithMinJobAge(10*time.Second))
}

func TestWatchLost(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		got, err := watchAll(t.Context(), b.Client, []slurm.JobID{b.submit(t, "sleep 300"), "4711"})
		if err != nil {
			t.Error(err)
		}
		wantEvents(t, got, "1 PENDING, 1 PENDING>RUNNING, 4711  ended lost, 1 RUNNING>COMPLETED ended")
	}, slurmtest.WithCompletingTime(0))
}

// TestWatchEnds: what ends it, and what is left to say then.
func TestWatchEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		bad, slow := b.submit(t, "sleep 60\nexit 4"), b.submit(t, "sleep 1500")
		ids := []slurm.JobID{bad, slow, bad}
		var watching *lro.WaitError

		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := watchAll(ctx, b.Client, ids); !errors.As(err, &watching) || !errors.Is(err, context.DeadlineExceeded) || len(watching.Pending) != 2 || watching.Polls == 0 {
			t.Errorf("at the deadline: %v", err)
		}
		got, err := watchAll(t.Context(), b.Client, ids, lro.FailFast())
		if !errors.As(err, &watching) || len(watching.Pending) != 1 || !strings.HasSuffix(got[len(got)-1], "FAILED ended badly") {
			t.Errorf("fail fast: %v, %v", got, err)
		}
		if _, err := watchAll(t.Context(), b.Client, []slurm.JobID{"1", "soon"}); err == nil || !strings.Contains(err.Error(), "slurm: watch job: ids[1]: ") {
			t.Errorf("got %v", err)
		}
		steps := 0
		then := lro.Then(func(context.Context) error { steps++; return errMaintenance })
		for _, tt := range []struct {
			ids   []slurm.JobID
			steps int
			err   error
		}{{nil, 1, errMaintenance}, {[]slurm.JobID{bad}, 1, nil}, {[]slurm.JobID{slow}, 2, errMaintenance}} {
			if _, err := watchAll(t.Context(), b.Client, tt.ids, then); err != tt.err || steps != tt.steps {
				t.Errorf("%v: %v after %d steps", tt.ids, err, steps)
			}
		}
	})
}

func TestWatcher(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 300")
		w := b.Watcher(t.Context(), []slurm.JobID{id, id})
		for _, want := range []string{"1 PENDING", "1 PENDING>RUNNING", "1 RUNNING>COMPLETED ended"} {
			e, err := w.Next()
			if err != nil || brief(e) != want {
				t.Fatalf("got %v, %v, want %s", e, err, want)
			}
			if want == "1 PENDING" {
				time.Sleep(time.Minute) // a slow reader misses nothing
			}
		}
		for range 2 {
			if e, err := w.Next(); e != nil || err != slurm.Done {
				t.Errorf("after the end: %v, %v", e, err)
			}
		}
		w.Stop()

		b.srv.ResetRequests()
		w = b.Watcher(t.Context(), []slurm.JobID{id})
		w.Stop()
		if _, err := w.Next(); err != slurm.Done || len(b.paths()) != 0 {
			t.Errorf("stopped before the first read: %v, %v", err, b.paths())
		}
		for e := range b.Watch(t.Context(), []slurm.JobID{id}) {
			if e.New != slurm.StateCompleted || e.Old != "" || !e.Ended {
				t.Errorf("at the second look: %v", e)
			}
			break
		}
	}, slurmtest.WithCompletingTime(0))
}

// TestAbandonedWatcher: nobody reads for a watcher that nobody asks any more.
func TestAbandonedWatcher(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		abandoned := b.Watcher(t.Context(), []slurm.JobID{b.submit(t, "sleep 1700"), b.submit(t, "sleep 1700")})
		if _, err := abandoned.Next(); err != nil {
			t.Fatal(err)
		}
		id := b.submit(t, "sleep 1500")
		time.AfterFunc(10*time.Minute, b.srv.ResetRequests)
		if _, err := b.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for _, path := range b.paths() {
			if path != "GET /slurm/v0.0.42/job/"+string(id) {
				t.Errorf("asked for %s", path)
			}
		}
		time.Sleep(10 * time.Minute)
		var got []string
		for {
			e, err := abandoned.Next()
			if err != nil {
				break
			}
			got = append(got, brief(e))
		}
		if len(got) < 3 || !strings.HasSuffix(got[len(got)-1], ">COMPLETED ended") {
			t.Errorf("it goes on with %v", got)
		}
	}, slurmtest.WithCompletingTime(0))
}

func TestWatchQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		g := b.gated(t)
		other := func() {
			if _, err := b.srv.AddJob("bob", []byte(`{"script":"#!/bin/bash\nsleep 100","job":{"current_working_directory":"/home/bob","environment":["A=1"]}}`)); err != nil {
				t.Error(err)
			}
		}
		b.submit(t, "sleep 100")
		other()
		time.AfterFunc(3*time.Minute, func() { b.submit(t, "sleep 200", func(s *slurm.JobSpec) { s.Array = "5-6%1" }) })
		for i := range 20 {
			time.AfterFunc(time.Duration(i)*7*time.Minute/10, other)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Minute, errMaintenance)
		defer cancel()
		g.calls = nil
		var got []string
		var end error
		reads := 0
		for e, err := range b.WatchQueue(ctx, &slurm.WatchOptions{Users: []string{"alice"}}, steady, slurm.OnTally(func(tally slurm.Tally) { reads = tally.Reads })) {
			if err != nil {
				end = err
				break
			}
			if e.Job.User != "alice" {
				t.Errorf("an event of %s's", e.Job.User)
			}
			got = append(got, brief(e))
		}
		// The read that first sees the array comes before or after its first task has started.
		rest := slices.Index(got, "8 PENDING")
		if rest < 3 || rest > 4 {
			t.Fatalf("got %q", got)
		}
		wantEvents(t, slices.Delete(got, rest, rest+1), "1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>COMPLETED ended, "+
			"8_5 RUNNING, 8_5 RUNNING>COMPLETED ended, 8_6 RUNNING, 8_6 RUNNING>COMPLETED ended")
		var watching *lro.WaitError
		if !errors.As(end, &watching) || !errors.Is(end, errMaintenance) || len(watching.Pending) != 0 || strings.Contains(end.Error(), "  ") {
			t.Errorf("got %v", end)
		}
		if n := g.count("list") + g.count("states") + g.count("list since"); n > reads || g.count("states of") > 0 {
			t.Errorf("%d requests in %d reads", n, reads)
		}
		if lists, states := g.count("list"), g.count("states"); lists == 0 || states < lists {
			t.Errorf("%d lists and %d reads of states", lists, states)
		}
	}, huge(), slurmtest.WithCompletingTime(0), slurmtest.WithMinJobAge(30*time.Second))
}

// TestWatchQueueOnly: without filters, the jobs of all; with states refused, all the same.
func TestWatchQueueOnly(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		b.submit(t, "sleep 100")
		time.AfterFunc(100*time.Second, func() { b.srv.SetControllerDown(true) })
		time.AfterFunc(200*time.Second, func() { b.srv.SetControllerDown(false) })
		w := b.QueueWatcher(t.Context(), nil)
		defer w.Stop()
		var got []string
		for len(got) < 3 {
			e, err := w.Next()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, brief(e))
		}
		wantEvents(t, got, "1 PENDING, 1 PENDING>RUNNING, 1 RUNNING>COMPLETED ended")
	}, slurmtest.WithCompletingTime(0), slurmtest.WithMinJobAge(time.Second))
}

// TestWatchAndWaitAtOnce: they share their reads, and each gets all that it asked for.
func TestWatchAndWaitAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		var ids []slurm.JobID
		for i := range 20 {
			ids = append(ids, b.submit(t, fmt.Sprintf("sleep %d", 300+30*i)))
		}
		b.srv.ResetRequests()
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				ended := map[slurm.JobID]int{}
				for e, err := range b.Watch(t.Context(), ids) {
					if err != nil {
						t.Error(err)
					} else if e.Ended {
						ended[e.JobID]++
					}
				}
				if len(ended) != len(ids) {
					t.Errorf("%d ends", len(ended))
				}
			})
			group.Go(func() {
				jobs, err := b.WaitAll(t.Context(), ids)
				if err != nil || slices.ContainsFunc(jobs, func(j *slurm.Job) bool { return !j.Succeeded() }) {
					t.Errorf("got %v, %v", jobs, err)
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		group.Go(func() {
			for _, err := range b.WatchQueue(ctx, nil) {
				var watching *lro.WaitError
				if err != nil && !errors.As(err, &watching) {
					t.Error(err)
				}
			}
		})
		time.AfterFunc(20*time.Minute, cancel)
		group.Wait()
		if n := len(b.paths()); n > 500 {
			t.Errorf("%d requests in 20 minutes", n)
		}
	}, huge())
}

func TestJobEventText(t *testing.T) {
	for want, e := range map[string]*slurm.JobEvent{
		"job 42_3 (train): RUNNING -> COMPLETED": {JobID: "42_3", Job: &slurm.Job{Name: "train"}, Old: "RUNNING", New: "COMPLETED"},
		"job 42: COMPLETED, ended":               {JobID: "42", Job: &slurm.Job{State: "COMPLETED"}, Old: "COMPLETED", New: "COMPLETED", Ended: true},
		"job 42: RUNNING+RESIZING":               {JobID: "42", Job: &slurm.Job{State: "RUNNING", Flags: []slurm.Flag{"RESIZING"}}, Old: "RUNNING", New: "RUNNING"},
		"job 42: PENDING":                        {JobID: "42", Job: &slurm.Job{}, New: "PENDING"},
		"job 42: RUNNING -> lost":                {JobID: "42", Old: "RUNNING", Err: fmt.Errorf("it is gone: %w", slurm.ErrJobLost)},
		"job 7 (a [2J\ufffd b): PENDING":         {JobID: "7", Job: &slurm.Job{Name: "a\x1b[2J\u202e\nb"}, New: "PENDING"},
	} {
		if got := e.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestClientOutlivesBubble: what a wait leaves in its client belongs to no bubble.
func TestClientOutlivesBubble(t *testing.T) {
	c, _ := newScripted(t, answer{status: 200, body: `{"jobs":[{"job_id":1,"job_state":["COMPLETED"]}],"errors":[]}`})
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			got, err := watchAll(t.Context(), c, []slurm.JobID{"1"})
			if err != nil {
				t.Error(err)
			}
			wantEvents(t, got, "1 COMPLETED ended")
		})
	}
}

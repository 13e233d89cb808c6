package slurm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// taskScript makes task 1 of an array fail, and task n take n minutes.
func taskScript(run slurmtest.Run) slurmtest.Outcome {
	o := slurmtest.Outcome{RunTime: time.Duration(run.ArrayTask+1) * time.Minute}
	if run.ArrayTask == 1 {
		o.ExitCode = 5
	}
	return o
}

func TestWaitForArray(t *testing.T) {
	for _, age := range []time.Duration{5 * time.Minute, time.Second} {
		t.Run(fmt.Sprintf("queue keeps jobs for %s", age), func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				id := b.submit(t, "run", func(s *slurm.JobSpec) { s.Array = "0-9%2" })
				start := time.Now()
				job, err := b.Wait(t.Context(), id)
				// Two at a time, 1 to 10 minutes long: 30 minutes.
				if elapsed := time.Since(start); elapsed < 28*time.Minute {
					t.Errorf("ended after %v, while tasks were running", elapsed)
				}
				var failure *slurm.JobError
				if !errors.As(err, &failure) || job.ID != id.WithTask(1) || failure.Job != job || !strings.Contains(err.Error(), "exit code 5") {
					t.Errorf("got %v, %v; want the failure of task 1", job, err)
				}
				if age > time.Minute && job.Source != slurm.SourceQueue {
					t.Error("what the queue said about an ended task is better than the accounting's version")
				}
				if job, err := b.Wait(t.Context(), id.WithTask(9)); err != nil || job.ID != id.WithTask(9) || !job.Succeeded() {
					t.Errorf("task 9: got %v, %v", job, err)
				}
			}, slurmtest.WithMinJobAge(age), slurmtest.WithRun(taskScript))
		})
	}
}

// The queue is enough to tell that an array has ended, even if the accounting still shows it running.
func TestWaitForArrayBeforeAccounting(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 300", func(s *slurm.JobSpec) { s.Array = "0-2" })
		start := time.Now()
		job, err := b.Wait(t.Context(), id)
		if elapsed := time.Since(start); err != nil || !job.Succeeded() || elapsed > 7*time.Minute {
			t.Errorf("got %v, %v after %v", job, err, elapsed)
		}
	}, slurmtest.WithMinJobAge(time.Hour), slurmtest.WithAccountingDelay(4*time.Minute))
}

func TestWaitForTask(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "run", func(s *slurm.JobSpec) { s.Array = "0-9%2" })
		start := time.Now()
		job, err := b.Wait(t.Context(), id.WithTask(2))
		if err != nil || job.ID != id.WithTask(2) || !job.Succeeded() || time.Since(start) > 6*time.Minute {
			t.Errorf("got %v, %v after %v", job, err, time.Since(start))
		}
		if _, err := b.Wait(t.Context(), id.WithTask(99)); !errors.Is(err, slurm.ErrJobLost) {
			t.Errorf("a task that does not exist: %v", err)
		}
	}, slurmtest.WithRun(taskScript))
}

func TestWaitForCancelledArray(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 600", func(s *slurm.JobSpec) { s.Array = "0-9%1" })
		time.AfterFunc(time.Minute, func() { _ = b.Cancel(t.Context(), id) })
		_, err := b.Wait(t.Context(), id)
		var failure *slurm.JobError
		if !errors.As(err, &failure) || !failure.Cancelled() {
			t.Errorf("got %v", err)
		}
	})
}

func TestWaitForHet(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		first := validSpec()
		first.Script = "#!/bin/bash\nsleep 300\n"
		het, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{first, {WorkingDirectory: "/home/alice"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			id   slurm.JobID
			want int64
		}{{het.JobID, 0}, {het.JobID + "+1", 1}} {
			job, err := b.Wait(t.Context(), tt.id)
			if err != nil || !job.Succeeded() || job.HetOffset != tt.want {
				t.Errorf("%s: got %v, %v", tt.id, job, err)
			}
		}
	}, slurmtest.WithMinJobAge(time.Second))
}

// A job that comes back has not ended.
func TestWaitForRequeuedJob(t *testing.T) {
	tests := []struct {
		why     string
		disturb func(*bed, slurm.JobID) error
		requeue bool
		state   slurm.State
	}{
		{"requeued", func(b *bed, id slurm.JobID) error { return b.srv.Requeue(id.Number()) }, true, slurm.StateCompleted},
		{"its node failed", func(b *bed, _ slurm.JobID) error { return b.srv.FailNode("n1") }, true, slurm.StateCompleted},
		{"its node failed, and it may not be requeued", func(b *bed, _ slurm.JobID) error { return b.srv.FailNode("n1") }, false, slurm.StateNodeFail},
		{"preempted, though it might be requeued", func(b *bed, id slurm.JobID) error { return b.srv.Finish(id.Number(), "PREEMPTED", 0) }, true, slurm.StatePreempted},
	}
	for _, age := range []time.Duration{5 * time.Minute, 0} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, age %s", tt.why, age), func(t *testing.T) {
				inBubble(t, func(t *testing.T, b *bed) {
					id := b.submit(t, "sleep 300", func(s *slurm.JobSpec) { s.Requeue = new(tt.requeue) })
					time.AfterFunc(100*time.Second, func() {
						if err := tt.disturb(b, id); err != nil {
							t.Error(err)
						}
					})
					job, err := b.Wait(t.Context(), id)
					if job == nil || job.State != tt.state || (err == nil) != (tt.state == slurm.StateCompleted) {
						t.Errorf("got %v, %v", job, err)
					}
					var failure *slurm.JobError
					if err != nil && (!errors.As(err, &failure) || !failure.Infrastructure()) {
						t.Errorf("got %v", err)
					}
				}, slurmtest.WithMinJobAge(age))
			})
		}
	}
}

func TestWaitAll(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		slow := b.submit(t, "sleep 1000")
		bad := b.submit(t, "sleep 30\nexit 4")
		array := b.submit(t, "sleep 10", func(s *slurm.JobSpec) { s.Array = "0-2" })
		ids := []slurm.JobID{slow, bad, array, "4711", slow}
		b.srv.ResetRequests()
		jobs, err := b.WaitAll(t.Context(), ids)
		if len(jobs) != 5 || jobs[0].ID != slow || !jobs[0].Succeeded() || jobs[1].ID != bad || jobs[2].ArrayJobID != array || jobs[3] != nil || jobs[4] != jobs[0] {
			t.Errorf("got %v: want the order of the arguments", jobs)
		}
		var failure *slurm.JobError
		if !errors.As(err, &failure) || failure.Job != jobs[1] || !errors.Is(err, slurm.ErrJobLost) {
			t.Errorf("got %v", err)
		}
		if lines := strings.Split(err.Error(), "\n"); len(lines) != 2 || !strings.Contains(lines[0], "job 2 ") || !strings.Contains(lines[1], "4711") {
			t.Errorf("got %q: want one line for each failure, in order", err)
		}
		lists, states, singles := 0, 0, 0
		for _, path := range b.paths() {
			switch {
			case path == "GET /slurm/v0.0.42/jobs/":
				lists++
			case strings.HasPrefix(path, "GET /slurm/v0.0.42/jobs/state/?job_id="):
				states++
			case strings.HasPrefix(path, "GET /slurm/v0.0.42/job/"):
				singles++
			case strings.HasPrefix(path, "GET /slurm/"):
				t.Errorf("asked for %s", path)
			}
		}
		if lists == 0 || states < 2*lists || singles == 0 {
			t.Errorf("%d reads of the list, %d of states and %d of single jobs: want some of each", lists, states, singles)
		}
	})
}

// Among many, tasks and components are found in the same list.
func TestWaitAllForParts(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		array := b.submit(t, "run", func(s *slurm.JobSpec) { s.Array = "0-9%2" })
		first := validSpec()
		het, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{first, {WorkingDirectory: "/home/alice"}})
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := b.WaitAll(t.Context(), []slurm.JobID{array.WithTask(2), het.JobID + "+1", array.WithTask(1), het.JobID})
		var failure *slurm.JobError
		if !errors.As(err, &failure) || failure.Job != jobs[2] {
			t.Errorf("got %v", err)
		}
		if jobs[0].ID != array.WithTask(2) || jobs[1].HetOffset != 1 || jobs[2].ID != array.WithTask(1) || jobs[3].ID != het.JobID {
			t.Errorf("got %v", jobs)
		}
		for _, path := range b.paths() {
			if strings.HasPrefix(path, "GET /slurmdb") && !strings.HasSuffix(path, "/"+string(het.JobID)) {
				t.Errorf("%s: asked the accounting for a job in the queue", path)
			}
		}
	}, slurmtest.WithRun(taskScript))
}

// What is odd about a list must not end a wait for jobs that it tells about, nor may a list that is missing.
func TestWaitAllOddLists(t *testing.T) {
	const both = `{"jobs":[{"job_id":1,"job_state":["COMPLETED"]},%s{"job_id":2,"job_state":["%s"]}],"errors":[%s]}`
	answers := []answer{
		{status: 502, body: `{"errors":[{"error_number":1800}]}`},
		{status: 200, body: `{"errors":[]}`},
		{status: 200, body: `{"jobs":[`},
		{status: 500, body: fmt.Sprintf(both, `null,5,{"job_id":"soon"},`, "RUNNING", `{"error_number":9207}`)},
		{status: 200, body: `{"jobs":[{"job_id":2,"job_state":["COMPLETED"]}]}`},
	}
	synctest.Test(t, func(t *testing.T) {
		c, s := newScripted(t, answers...)
		jobs, err := c.WaitAll(t.Context(), []slurm.JobID{"1", "2"})
		if err != nil || !jobs[0].Succeeded() || !jobs[1].Succeeded() {
			t.Errorf("got %v, %v", jobs, err)
		}
		if got := s.requests[len(s.requests)-1].Path; got != "/slurm/v0.0.42/job/2" {
			t.Errorf("the last job was asked for with %s", got)
		}
	})
}

// While its controller is down, Slurm sends an empty list beside its failure. That is an outage, which is borne as one
// and ends as one: no job has left the queue, and the accounting need not be asked.
func TestWaitAllDownController(t *testing.T) {
	for why, down := range map[string]answer{
		"as recorded":       {status: 502, body: `{"jobs":[],"last_update":{"set":true,"number":0},"errors":[{"error_number":1800}],"warnings":[]}`},
		"null":              {status: 502, body: `{"jobs":null,"errors":[{"error_number":1800}]}`},
		"a poor number":     {status: 500, body: `{"jobs":[],"errors":[{"error_number":-1,"error":"Unspecified error"}]}`},
		"a status alone":    {status: 502, body: `{"jobs":[],"errors":[]}`},
		"errors beside 200": {status: 200, body: `{"jobs":[],"errors":[{"error_number":1800}]}`},
	} {
		t.Run(why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := newScripted(t, down)
				start := time.Now()
				_, err := c.WaitAll(t.Context(), []slurm.JobID{"1", "2"})
				var watching *lro.WaitError
				if !errors.As(err, &watching) || len(watching.Pending) != 2 || errors.Is(err, slurm.ErrJobLost) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(start); took < 2*time.Minute || took > 4*time.Minute {
					t.Errorf("took %v, want the default tolerance", took)
				}
				for _, r := range s.requests {
					if r.Path != "/slurm/v0.0.42/jobs/" {
						t.Errorf("asked %s", r.Path)
					}
				}
			})
		})
	}
}

func TestWaitAllEdges(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{}`})
	if jobs, err := c.WaitAll(t.Context(), nil); jobs != nil || err != nil || len(s.requests) != 0 {
		t.Errorf("no ids: got %v, %v", jobs, err)
	}
	if _, err := c.WaitAll(t.Context(), []slurm.JobID{"1", "soon"}); err == nil || !strings.Contains(err.Error(), "wait for job: ids[1]: ") {
		t.Errorf("got %v", err)
	}
}

// One read for all jobs per tick, whatever their number, one more for the records in the end, and none of the accounting
// while they are in the queue.
func TestWaitAllRequests(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		var ids []slurm.JobID
		for range 500 {
			ids = append(ids, b.submit(t, "sleep 60"))
		}
		b.srv.ResetRequests()
		polls := 0
		// Few polls: each of them is a list of 500 jobs through two servers.
		jobs, err := b.WaitAll(t.Context(), ids, lro.WithBackoff(gax.Backoff{Initial: 50 * time.Second}),
			lro.OnProgress(func(p lro.Progress) { polls = p.Polls }))
		if err != nil || len(jobs) != 500 {
			t.Fatalf("got %d jobs, %v", len(jobs), err)
		}
		if n := len(b.paths()); n < polls || n > polls+1 || n < 3 || n > 10 {
			t.Errorf("%d requests in %d polls", n, polls)
		}
	}, slurmtest.WithPartitions(slurmtest.Partition{
		Name: "cpu", Default: true, Nodes: slurmtest.Nodes("n[1-2]", slurmtest.Node{CPUs: 256, MemoryMB: 1 << 20}),
	}))
}

func TestWaitAllFailFast(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		slow, bad := b.submit(t, "sleep 3000"), b.submit(t, "sleep 60\nexit 4")
		start := time.Now()
		jobs, err := b.WaitAll(t.Context(), []slurm.JobID{slow, bad}, lro.FailFast())
		var failure *slurm.JobError
		var watching *lro.WaitError
		if !errors.As(err, &failure) || !errors.As(err, &watching) || watching.Pending[0] != string(slow) || time.Since(start) > 5*time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if !jobs[0].Running() || !jobs[1].Failed() {
			t.Errorf("got %v", jobs)
		}
	})
}

// A job that left the queue while the database is down is given up; the others are waited for all the same.
func TestWaitAllWithoutDatabase(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		short, also, long := b.submit(t, "sleep 60"), b.submit(t, "sleep 60"), b.submit(t, "sleep 1500")
		time.AfterFunc(30*time.Second, func() { b.srv.SetDatabaseDown(true) })
		time.AfterFunc(20*time.Minute, func() { b.srv.SetDatabaseDown(false) })
		jobs, err := b.WaitAll(t.Context(), []slurm.JobID{short, also, long})
		var watching *lro.WaitError
		if !errors.As(err, &watching) || strings.Join(watching.Pending, " ") != string(short+" "+also) || !errors.Is(err, slurm.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		if !jobs[2].Succeeded() || jobs[0] == nil {
			t.Errorf("got %v", jobs)
		}
		failed := false
		for _, r := range b.srv.Requests() {
			again := strings.HasPrefix(r.Path, "/slurmdb/") && r.Status != 200
			if failed && again {
				t.Error("a database that is down was asked twice in one tick")
			}
			failed = again
		}
	}, slurmtest.WithMinJobAge(0))
}

func TestWaitAllProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		ids := []slurm.JobID{b.submit(t, "sleep 60"), b.submit(t, "sleep 600")}
		pending := 2
		done := map[string]bool{}
		_, err := b.WaitAll(t.Context(), ids, lro.OnProgress(func(p lro.Progress) {
			if p.Total != 2 || p.Pending > pending {
				t.Errorf("got %+v after %d pending", p, pending)
			}
			pending = p.Pending
			if p.Done {
				done[p.Name] = true
			}
		}))
		if err != nil || pending != 0 || len(done) != 2 {
			t.Errorf("ended with %d pending, %v done, %v", pending, done, err)
		}
	})
}

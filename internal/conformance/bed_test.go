package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// patience bounds a case. The slowest wait for a time limit of a minute, which a real Slurm looks at now and then, or
// for a requeued job, which it starts after two.
const patience = 5 * time.Minute

// pace is for waits that are expected to end within seconds.
var pace = lro.WithBackoff(gax.Backoff{Initial: 100 * time.Millisecond, Max: time.Second, Multiplier: 1.5})

// bed is what a case works with: a Slurm, and clients of two users.
type bed struct {
	controls
	t          *testing.T
	ctx        context.Context
	name       string // of the case's jobs, which no other case or run uses
	alice, bob *slurm.Client

	mu       sync.Mutex
	warnings []slurm.Warning // to alice
}

func newBed(t *testing.T, name string, c controls) *bed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	b := &bed{controls: c, t: t, ctx: ctx}
	b.name = strings.Map(plain, name) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	b.alice = b.client("alice", slurm.OnWarning(func(w slurm.Warning) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.warnings = append(b.warnings, w)
	}))
	b.bob = b.client("bob")
	return b
}

// plain keeps commas out of names, which separate them in queries, and what else may mean something.
func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// caller is the client of the cluster's service, as a user.
func (b *bed) caller(user string) *cluster.Client {
	b.t.Helper()
	return b.callerOf(b.handler(user))
}

func (b *bed) callerOf(slurm http.Handler) *cluster.Client {
	b.t.Helper()
	srv := clustertest.NewServer(clustertest.WithTB(b.t), clustertest.WithSlurm(slurm))
	if err := srv.AddCluster("training", nil); err != nil {
		b.t.Fatal(err)
	}
	c, err := cluster.NewClient(b.ctx, "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func (b *bed) client(user string, opts ...slurm.Option) *slurm.Client {
	b.t.Helper()
	return b.clientOf(b.handler(user), opts...)
}

// clientOf is a client of a Slurm with something in front of it.
func (b *bed) clientOf(h http.Handler, opts ...slurm.Option) *slurm.Client {
	b.t.Helper()
	c, err := slurm.NewClient(b.callerOf(h), "training", opts...)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

type change = func(*slurm.JobSpec)

// spec is a job of alice's. script lacks the first line.
func (b *bed) spec(script string, changes ...change) *slurm.JobSpec {
	spec := &slurm.JobSpec{
		Name: b.name, Script: "#!/bin/bash\n" + script + "\n", WorkingDirectory: "/home/alice", Stdout: "/dev/null",
	}
	for _, c := range changes {
		c(spec)
	}
	return spec
}

// submit submits a job that must be accepted, for as long as the case lasts.
func (b *bed) submit(script string, changes ...change) slurm.JobID {
	b.t.Helper()
	id, err := b.alice.Submit(b.ctx, b.spec(script, changes...))
	if err != nil {
		b.t.Fatalf("Submit: %v", err)
	}
	b.cancelAfter(b.alice, id)
	return id
}

// cancelAfter frees the nodes for other cases.
func (b *bed) cancelAfter(c *slurm.Client, id slurm.JobID) {
	b.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.t.Context()), time.Minute)
		defer cancel()
		if err := c.Cancel(ctx, id); err != nil && !errors.Is(err, slurm.ErrNotFound) {
			b.t.Errorf("clean up: %v", err)
		}
	})
}

// hold, on and the like are changes that many cases need.
func hold(s *slurm.JobSpec) { s.Hold = true }

func on(partition string) change { return func(s *slurm.JobSpec) { s.Partition = partition } }

func limit(d time.Duration) change { return func(s *slurm.JobSpec) { s.TimeLimit = d } }

func array(tasks string) change { return func(s *slurm.JobSpec) { s.Array = tasks } }

func extra(name string, value any) change {
	return func(s *slurm.JobSpec) { s.Extra = map[string]any{name: value} }
}

// eventually asks until the answer is yes. got is what to show if it never is.
func (b *bed) eventually(what string, check func() (got any, ok bool)) {
	b.t.Helper()
	for {
		got, ok := check()
		if ok {
			return
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("waited in vain for %s, last: %v", what, got)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// see reads a job from the queue until it is as wanted.
func (b *bed) see(id slurm.JobID, what string, check func(*slurm.Job) bool) (job *slurm.Job) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("job %s: %s", id, what), func() (any, bool) {
		now, err := b.alice.Get(b.ctx, id)
		if err != nil {
			if b.ctx.Err() == nil {
				b.t.Fatalf("Get(%s), for %s: %v", id, what, err)
			}
			return job, false
		}
		job = now
		return job, check(job)
	})
	return job
}

func (b *bed) running(id slurm.JobID) *slurm.Job {
	b.t.Helper()
	return b.see(id, "running", (*slurm.Job).Running)
}

// ended sees the end in the queue, which says more of it than the accounting.
func (b *bed) ended(id slurm.JobID) *slurm.Job {
	b.t.Helper()
	return b.see(id, "its end", (*slurm.Job).Ended)
}

func (b *bed) pending(id slurm.JobID, reason string) *slurm.Job {
	b.t.Helper()
	return b.see(id, "pending with reason "+reason, func(j *slurm.Job) bool { return j.Pending() && j.Reason == reason })
}

// recorded reads a job from the accounting until all of n records have ended.
func (b *bed) recorded(id slurm.JobID, n int) (jobs []*slurm.Job) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("%d ended records of job %s in the accounting", n, id), func() (any, bool) {
		var err error
		jobs, err = b.alice.History(b.ctx, id)
		if err != nil && !errors.Is(err, slurm.ErrNotFound) {
			b.t.Fatalf("History(%s): %v", id, err)
		}
		ended := 0
		for _, j := range jobs {
			if j.Ended() {
				ended++
			}
		}
		return jobs, ended == n && len(jobs) == n
	})
	return jobs
}

// gone waits until the queue does not know the job any more.
func (b *bed) gone(id slurm.JobID) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("job %s to leave the queue", id), func() (any, bool) {
		job, err := b.alice.Get(b.ctx, id)
		if err != nil && !errors.Is(err, slurm.ErrNotFound) {
			b.t.Fatalf("Get(%s): %v", id, err)
		}
		return job, err != nil
	})
}

func (b *bed) must(what string, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// refused checks that Slurm refused for a reason: by the kind of the error, and by Slurm's number unless that is 0.
func (b *bed) refused(what string, err, kind error, number int) {
	b.t.Helper()
	if !errors.Is(err, kind) {
		b.t.Errorf("%s: error %v does not match %q", what, err, kind)
	}
	if number == 0 {
		return
	}
	if got := numbers(err); len(got) == 0 || got[0] != number {
		b.t.Errorf("%s: error %v has numbers %v, want %d", what, err, got, number)
	}
}

func numbers(err error) (numbers []int) {
	if e, ok := errors.AsType[*slurm.Error](err); ok {
		for _, p := range e.Problems {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers
}

// wait waits and returns the job with the error for its end, nil or not.
func (b *bed) wait(id slurm.JobID) (*slurm.Job, *slurm.JobError) {
	b.t.Helper()
	job, err := b.alice.Wait(b.ctx, id, pace)
	failed, ok := errors.AsType[*slurm.JobError](err)
	if err != nil && !ok {
		b.t.Fatalf("Wait(%s): %v", id, err)
	}
	return job, failed
}

func (b *bed) completes(id slurm.JobID) *slurm.Job {
	b.t.Helper()
	job, failed := b.wait(id)
	if failed != nil {
		b.t.Fatalf("Wait(%s): %v", id, failed)
	}
	equal(b, "state", job.State, slurm.StateCompleted)
	return job
}

func equal[T comparable](b *bed, what string, got, want T) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// count is an equal that the rest of a case relies on.
func (b *bed) count(what string, got, want int) {
	b.t.Helper()
	if got != want {
		b.t.Fatalf("number of %s is %d, want %d", what, got, want)
	}
}

// warned waits for nothing: warnings come with the answer.
func (b *bed) warned(source string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.warnings {
		if w.Source == source {
			return
		}
	}
	b.t.Errorf("warnings are %v, want one from %s", b.warnings, source)
}

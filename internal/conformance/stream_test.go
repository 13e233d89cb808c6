package conformance

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// whole is a Caller that cannot hand on an answer while it arrives.
type whole struct{ client *cluster.Client }

func (w whole) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*cluster.SlurmResponse, error) {
	return w.client.CallSlurm(ctx, name, req, opts...)
}

// manyHeld submits n held jobs and an array of held tasks.
func (b *bed) manyHeld(n int) {
	b.t.Helper()
	const hands = 4
	ids := make([]slurm.JobID, n)
	errs := make([]error, n)
	var group sync.WaitGroup
	for hand := range hands {
		group.Go(func() {
			for i := hand; i < n; i += hands {
				ids[i], errs[i] = b.alice.Submit(b.ctx, b.spec("true", hold))
			}
		})
	}
	group.Wait()
	for i, id := range ids {
		b.must("Submit", errs[i])
		b.cancelAfter(b.alice, id)
	}
	b.submit("true", hold, array("0-99"))
}

// listStreamed: what arrives bit by bit is what an answer in memory holds.
func listStreamed(b *bed) {
	const n = 300
	b.manyHeld(n)
	mine := &slurm.ListOptions{Names: []string{b.name}, Raw: true}
	listed, err := b.alice.List(b.ctx, mine)
	b.must("List", err)
	b.count("jobs listed", len(listed), n+1)
	var streamed []*slurm.Job
	for job, err := range b.alice.Jobs(b.ctx, mine) {
		b.must("Jobs", err)
		streamed = append(streamed, job)
	}
	inMemory, err := slurm.NewClient(whole{b.caller("alice")}, "training")
	b.must("NewClient", err)
	held, err := inMemory.List(b.ctx, mine)
	b.must("List", err)
	for what, jobs := range map[string][]*slurm.Job{"Jobs": streamed, "a List of an answer in memory": held} {
		b.count(what, len(jobs), len(listed))
		for i, job := range jobs {
			if got, want := apart(b, job), apart(b, listed[i]); !reflect.DeepEqual(got, want) {
				b.t.Fatalf("job %d of %s is\n%+v, of List\n%+v", i, what, got, want)
			}
		}
	}
}

// apart is a job without what the scheduler writes into its record in between, when it looks at a held job again.
func apart(b *bed, job *slurm.Job) [2]any {
	b.t.Helper()
	var raw map[string]any
	b.must("read Job.Raw", json.Unmarshal(job.Raw, &raw))
	for _, member := range []string{"last_sched_evaluation", "flags"} {
		delete(raw, member)
	}
	bare := *job
	bare.Raw = nil
	return [2]any{bare, raw}
}

// listClosedEarly: nothing is left of a list that was not read to its end.
func listClosedEarly(b *bed) {
	b.manyHeld(100)
	for range 3 {
		for job, err := range b.alice.Jobs(b.ctx, nil) {
			b.must("Jobs", err)
			if job.Name == b.name {
				break
			}
		}
		it := b.alice.JobIterator(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
		job, err := it.Next()
		b.must("Next", err)
		it.Stop()
		if after, err := it.Next(); after != nil || err != slurm.Done {
			b.t.Errorf("Next after Stop: %v, %v", after, err)
		}
		again, err := b.alice.Get(b.ctx, job.ID)
		b.must("Get", err)
		equal(b, "job read in between", again.ID, job.ID)
	}
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	b.count("jobs listed", len(jobs), 101)
}

// listSince: Slurm counts a requeue as a submit.
func listSince(b *bed) {
	id := b.submit("sleep 300")
	job := b.running(id)
	found := func(since time.Time) bool {
		jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}, Since: since})
		b.must("List", err)
		return len(jobs) == 1
	}
	next := job.SubmitTime.Add(time.Second)
	equal(b, "found since its submit", found(job.SubmitTime), true)
	equal(b, "found since a little later", found(job.SubmitTime.Add(time.Millisecond)), true)
	equal(b, "found since the second after", found(next), false)
	b.eventually("the second after", func() (any, bool) { return next, time.Now().After(next.Add(time.Second)) })
	b.requeue(id)
	job = b.waitsAgain(id)
	if job.SubmitTime.Before(next) || !found(next) {
		b.t.Errorf("a requeued job was submitted at %v, and found %v", job.SubmitTime, found(next))
	}
}

package conformance

import (
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func listCases() []testCase {
	return []testCase{
		// A thousand jobs make every list slow, and must be gone before there are none.
		{name: "list/1,000 jobs", test: listThousand, alone: true},
		{name: "list/no jobs", test: listNone, alone: true},
		{name: "list/one job", test: listOne},
		{name: "list/array of 1,000", test: listArray},
		{name: "list/streamed", test: listStreamed},
		{name: "list/closed early", test: listClosedEarly},
		{name: "list/since", test: listSince},
	}
}

// listNone waits until the queue is empty: what earlier cases left ages out of it.
func listNone(b *bed) {
	b.eventually("an empty queue", func() (any, bool) {
		jobs, err := b.alice.List(b.ctx, nil)
		b.must("List", err)
		return jobs, len(jobs) == 0
	})
	for job, err := range b.alice.Jobs(b.ctx, nil) {
		b.t.Errorf("Jobs yields %v, %v", job, err)
	}
}

func listOne(b *bed) {
	id := b.submit("true", hold)
	filters := map[string]*slurm.ListOptions{
		"name":                 {Names: []string{b.name}},
		"name, user and state": {Names: []string{"x", b.name}, Users: []string{"alice"}, States: []slurm.State{"PENDING"}},
		"name and partition":   {Names: []string{b.name}, Partitions: []string{"cpu"}, Accounts: []string{"research"}},
	}
	for what, options := range filters {
		jobs, err := b.alice.List(b.ctx, options)
		b.must("List", err)
		if len(jobs) != 1 || jobs[0].ID != id {
			b.t.Errorf("by %s: %v", what, jobs)
		}
	}
	for what, options := range map[string]*slurm.ListOptions{
		"state":     {Names: []string{b.name}, States: []slurm.State{slurm.StateRunning}},
		"partition": {Names: []string{b.name}, Partitions: []string{"a4"}},
		"user":      {Names: []string{b.name}, Users: []string{"bob"}},
	} {
		jobs, err := b.alice.List(b.ctx, options)
		b.must("List", err)
		equal(b, "number of jobs by another "+what, len(jobs), 0)
	}
}

func listThousand(b *bed) {
	const n, hands = 1000, 4
	ids := make([]slurm.JobID, n)
	errs := make([]error, hands)
	var group sync.WaitGroup
	for hand := range hands {
		group.Go(func() {
			for i := hand; i < n && errs[hand] == nil; i += hands {
				ids[i], errs[hand] = b.alice.Submit(b.ctx, b.spec("true", hold))
			}
		})
	}
	group.Wait()
	cancelAll := func() {
		path := "/slurm/v0.0.42/jobs/?job_name=" + url.QueryEscape(b.name) + "&user_name=alice"
		b.must("cancel all", b.alice.Do(b.ctx, http.MethodDelete, path, nil, nil))
	}
	defer cancelAll()
	b.must("Submit", errors.Join(errs...))
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	found := map[slurm.JobID]bool{}
	for _, j := range jobs {
		found[j.ID] = j.Pending()
	}
	for _, id := range ids {
		if !found[id] {
			b.t.Fatalf("job %s is not among the %d listed", id, len(jobs))
		}
	}
	b.count("number of jobs", len(jobs), n)
	cancelAll()
	jobs, err = b.alice.WaitAll(b.ctx, ids, pace)
	failed, ok := errors.AsType[*slurm.JobError](err)
	if !ok || !failed.Cancelled() {
		b.t.Errorf("WaitAll: %v", err)
	}
	for i, j := range jobs {
		if j == nil || j.ID != ids[i] || j.State != slurm.StateCancelled {
			b.t.Fatalf("job %s is %v", ids[i], j)
		}
	}
}

// listArray: tasks that have not started are one record, however many.
func listArray(b *bed) {
	id := b.submit("true", hold, array("0-999"))
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	if len(jobs) != 1 || jobs[0].ID != id || jobs[0].ArrayTasks != "0-999" {
		b.t.Errorf("jobs are %v", jobs)
	}
}

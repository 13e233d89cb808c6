package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// fixed is a Caller with one answer, which costs no allocation of its own.
type fixed struct{ resp cluster.SlurmResponse }

func (f *fixed) CallSlurm(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmResponse, error) {
	return &f.resp, nil
}

// TestSubmitAllocations: a submit allocates for what it says, not for how long the script is.
func TestSubmitAllocations(t *testing.T) {
	const most = 26 * allocFactor // 20 with Go 1.26
	c, err := slurm.NewClient(&fixed{cluster.SlurmResponse{Status: 200, Body: []byte(`{"job_id":42,"errors":[],"warnings":[]}`)}}, clusterName)
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range []int{1, 1000} {
		spec := validSpec()
		spec.Name, spec.Partition, spec.Account = "train", "gpu", "research"
		spec.Script = "#!/bin/bash\n" + strings.Repeat("srun python train.py\n", lines)
		spec.Environment = map[string]string{"A": "1", "B": "2", "C": "3"}
		allocs := testing.AllocsPerRun(200, func() {
			if id, err := c.Submit(context.Background(), spec); id != "42" || err != nil {
				t.Fatal(id, err)
			}
		})
		if allocs > most {
			t.Errorf("a submit of %d lines makes %v allocations, more than %d", lines, allocs, most)
		}
	}
}

// parrot is a Caller that asks once for each path, repeats the answer, and ends a wait after some calls.
type parrot struct {
	next    slurm.Caller
	mu      sync.Mutex
	answers map[string]*cluster.SlurmResponse
	left    int
	end     func()
}

func (p *parrot) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*cluster.SlurmResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left--; p.left <= 0 {
		p.end()
	}
	// The time from which on Slurm lists what has changed is in the query, and differs from call to call.
	path, _, _ := strings.Cut(req.Path, "update_time")
	if resp := p.answers[path]; resp != nil {
		return resp, nil
	}
	resp, err := p.next.CallSlurm(ctx, name, req, opts...)
	if err == nil {
		p.answers[path] = resp
	}
	return resp, err
}

// TestWaitAllocations: a round of a wait for one job, whose record is read each time. There are some 100 an hour.
func TestWaitAllocations(t *testing.T) {
	const most = 110 * allocFactor // 88 with Go 1.26
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{b.submit(t, "sleep 3600", long)}
		g := b.gated(t)
		caller := &parrot{next: g, answers: map[string]*cluster.SlurmResponse{}}
		c, err := slurm.NewClient(caller, "training")
		if err != nil {
			t.Fatal(err)
		}
		rounds := func(n int) uint64 { return roundsOf(t, c, ids, n, &caller.left, &caller.end) }
		rounds(3) // answers that are repeated from now on
		few, many := rounds(10), rounds(110)
		if perRound := int(many-few) / 100; perRound > most {
			t.Errorf("a round makes %d allocations, more than %d", perRound, most)
		}
	}, huge())
}

// roundsOf counts the allocations of a wait that a caller ends after n calls.
func roundsOf(t *testing.T, c *slurm.Client, ids []slurm.JobID, n int, left *int, end *func()) uint64 {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	*left, *end = n, cancel
	return allocsOf(func() {
		var watching *lro.WaitError
		if _, err := c.WaitAll(ctx, ids, steady); !errors.As(err, &watching) {
			t.Errorf("got %v", err)
		}
	})
}

// standing is a queue in which nothing ever happens.
type standing struct {
	list, states cluster.SlurmResponse
	left         int
	end          func()
}

func newStanding(jobs int) *standing {
	list, states := []byte(`{"jobs":[`), []byte(`{"jobs":[`)
	for i := range jobs {
		if i > 0 {
			list, states = append(list, ','), append(states, ',')
		}
		list = fmt.Appendf(list, `{"job_id":%d,"job_state":["RUNNING"]}`, i+1)
		states = fmt.Appendf(states, `{"job_id":"%d","state":["RUNNING"]}`, i+1)
	}
	list = append(list, `],"last_update":{"set":true,"infinite":false,"number":946684800},"errors":[],"warnings":[]}`...)
	return &standing{
		list:   cluster.SlurmResponse{Status: 200, Body: list},
		states: cluster.SlurmResponse{Status: 200, Body: append(states, `],"errors":[],"warnings":[]}`...)},
	}
}

func (s *standing) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	if s.left--; s.left <= 0 {
		s.end()
	}
	if strings.Contains(req.Path, "/jobs/state/") {
		return &s.states, nil
	}
	return &s.list, nil
}

// TestStandingWaitAllocations: a tick in which nothing has changed allocates nothing for each of the jobs, be they a few,
// whose numbers fit into a query, or many.
func TestStandingWaitAllocations(t *testing.T) {
	for jobs, most := range map[int]int{100: 95, 2000: 105} { // 74 and 81 with Go 1.26
		synctest.Test(t, func(t *testing.T) {
			caller := newStanding(jobs)
			c, err := slurm.NewClient(caller, "training")
			if err != nil {
				t.Fatal(err)
			}
			var ids []slurm.JobID
			for i := range jobs {
				ids = append(ids, slurm.NewJobID(int64(i+1)))
			}
			rounds := func(n int) uint64 { return roundsOf(t, c, ids, n, &caller.left, &caller.end) }
			few := rounds(5)
			perTick := int(rounds(25)-few) / 20
			if perTick > most*allocFactor {
				t.Errorf("a tick of %d jobs makes %d allocations, more than %d", jobs, perTick, most*allocFactor)
			}
		})
	}
}

// allocsOf counts what f allocates, and other goroutines meanwhile.
func allocsOf(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

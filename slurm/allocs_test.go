package slurm_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

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
	const most = 100 * allocFactor // 80 with Go 1.26
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

// TestWaitAllocations: a round of a wait for jobs whose state does not change, of which there are some 100 an hour.
func TestWaitAllocations(t *testing.T) {
	for _, tt := range []struct{ jobs, most int }{
		{1, 130},                  // 99 with Go 1.26: the record is read
		{manyJobs, 40 * manyJobs}, // 32 for each job: states are
	} {
		inBubble(t, func(t *testing.T, b *bed) {
			var ids []slurm.JobID
			for range tt.jobs {
				ids = append(ids, b.submit(t, "sleep 3600", long))
			}
			g := b.gated(t)
			caller := &parrot{next: g, answers: map[string]*cluster.SlurmResponse{}}
			c, err := slurm.NewClient(caller, "training")
			if err != nil {
				t.Fatal(err)
			}
			rounds := func(n int) (allocs uint64) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				caller.left, caller.end = n, cancel
				return allocsOf(func() {
					var watching *lro.WaitError
					if _, err := c.WaitAll(ctx, ids, steady); !errors.As(err, &watching) {
						t.Errorf("got %v", err)
					}
				})
			}
			rounds(3) // answers that are repeated from now on
			few, many := rounds(10), rounds(110)
			perRound := int(many-few) / 100
			if perRound > tt.most*allocFactor {
				t.Errorf("a round of %d jobs makes %d allocations, more than %d", tt.jobs, perRound, tt.most*allocFactor)
			}
		}, huge())
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

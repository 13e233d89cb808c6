package slurm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// chaos is a bad line: two of five submits go wrong, and one of ten other requests.
func chaos(random *rand.Rand) []clustertest.Fault {
	faults := []clustertest.Fault{
		{Kind: clustertest.FaultDropBefore},
		{Kind: clustertest.FaultDropAfter},
		{Kind: clustertest.FaultDropTwice},
		{Kind: clustertest.FaultDropLate, Delay: 700 * time.Millisecond},
		{Kind: clustertest.FaultDropLate, Delay: 30 * time.Second},
		{Kind: clustertest.FaultDropLate, Delay: 3 * time.Minute},
		{Kind: clustertest.FaultDelay, Delay: 5 * time.Second},
		{Kind: clustertest.FaultCut},
		{Kind: clustertest.FaultReply},
		{Kind: clustertest.FaultRefused},
		{Status: "UNAVAILABLE"},
		{Status: "RESOURCE_EXHAUSTED"},
	}
	drawn := -1
	for i := range faults {
		faults[i].Times = -1
		// The server asks all of them about a request, in this order, and about one request at a time: the first one draws.
		faults[i].When = func(r clustertest.Request) bool {
			if i == 0 {
				drawn = random.IntN(10 * len(faults))
				if strings.Contains(string(r.Body), "/job/submit") {
					drawn /= 4
				}
			}
			return i == drawn
		}
	}
	return faults
}

// A thousand jobs over a bad line: each is there once, or its caller held an ErrUncertain, and none is there twice.
func TestThousandSubmitsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, slurmtest.WithMinJobAge(5*time.Second), slurmtest.WithPartitions(slurmtest.Partition{
			Name: "cpu", Default: true, Nodes: slurmtest.Nodes("n[1-20]", slurmtest.Node{CPUs: 64, MemoryMB: 1 << 20}),
		}))
		b.platform.Inject(chaos(rand.New(rand.NewPCG(1, 0)))...)
		callers := submitMany(t, b, 1000)
		time.Sleep(10 * time.Minute) // should anything still be held up
		callers.tally(t, b)
	})
}

// callers is what those who submit come to hold.
type callers struct {
	mu      sync.Mutex
	holds   map[string]slurm.JobID // by the job's name
	unknown int                    // how many submits failed with ErrUncertain
	missing int                    // how many of these have made no job
}

func submitMany(t *testing.T, b *bed, jobs int) *callers {
	client := b.another(t) // without the callback of the bed, which is for one caller
	all := &callers{holds: map[string]slurm.JobID{}}
	var group sync.WaitGroup
	const atOnce = 4
	for first := range atOnce {
		group.Go(func() {
			for i := first; i < jobs; i += atOnce {
				all.submit(t, client, fmt.Sprint("job-", i))
			}
		})
	}
	group.Wait()
	return all
}

func (all *callers) submit(t *testing.T, client *slurm.Client, name string) {
	spec := validSpec()
	spec.Name, spec.Script = name, "#!/bin/bash\nsleep 20\n"
	id, err := client.Submit(t.Context(), spec)
	for err != nil && !errors.Is(err, slurm.ErrUncertain) && id == "" {
		id, err = client.Submit(t.Context(), spec) // any other failure proves that there is no job
	}
	lost, unknown := errors.AsType[*slurm.UncertainError](err)
	if unknown {
		time.Sleep(4 * time.Minute) // longer than anything is held up here
		for id, err = client.Recover(t.Context(), lost.Token); err != nil && !errors.Is(err, slurm.ErrNotFound); {
			id, err = client.Recover(t.Context(), lost.Token)
		}
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	switch {
	case unknown && err != nil:
		all.missing++
	case err != nil:
		t.Errorf("%s: %q, %v", name, id, err)
	default:
		all.holds[name] = id
	}
	if unknown {
		all.unknown++
	}
}

// tally compares what the callers hold with what there is.
func (all *callers) tally(t *testing.T, b *bed) {
	t.Helper()
	jobs, cancelled := 0, 0
	for _, j := range b.srv.Jobs() {
		if j.State == "CANCELLED" {
			cancelled++ // a second one
			continue
		}
		jobs++
		if id := slurm.NewJobID(j.ID); all.holds[j.Name] != id {
			t.Errorf("there is job %s, and the caller of %s holds %q", id, j.Name, all.holds[j.Name])
		}
	}
	if jobs+all.missing != 1000 || jobs != len(all.holds) {
		t.Errorf("there are %d jobs, callers hold %d and miss %d", jobs, len(all.holds), all.missing)
	}
	// Otherwise the line was not as bad as it should be.
	if all.unknown <= all.missing || all.missing == 0 || cancelled == 0 {
		t.Errorf("%d were unknown, %d of them missing, and %d cancelled", all.unknown, all.missing, cancelled)
	}
}

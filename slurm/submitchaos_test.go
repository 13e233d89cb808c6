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

// sent is what a caller holds after a submit.
type sent struct {
	id  slurm.JobID
	err error
}

// A thousand jobs over a bad line: each is there once, or its caller holds an ErrUncertain, and none is there twice.
func TestThousandSubmitsOnce(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, slurmtest.WithMinJobAge(5*time.Second), slurmtest.WithPartitions(slurmtest.Partition{
					Name: "cpu", Default: true, Nodes: slurmtest.Nodes("n[1-20]", slurmtest.Node{CPUs: 64, MemoryMB: 1 << 20}),
				}))
				b.platform.Inject(chaos(rand.New(rand.NewPCG(seed, 0)))...)
				held := submitMany(t, b, 1000, 4)
				time.Sleep(10 * time.Minute) // until nothing is held up any more
				b.platform.ClearFaults()
				tally(t, b, held)
			})
		})
	}
}

func submitMany(t *testing.T, b *bed, jobs, callers int) []sent {
	client := b.another(t) // without the callback of the bed, which is for one caller
	held := make([]sent, jobs)
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for i := caller; i < jobs; i += callers {
				spec := validSpec()
				spec.Name, spec.Script = fmt.Sprint("job-", i), "#!/bin/bash\nsleep 20\n"
				for held[i].id == "" && !errors.Is(held[i].err, slurm.ErrUncertain) {
					held[i].id, held[i].err = client.Submit(t.Context(), spec) // any other failure proves that there is no job
				}
			}
		})
	}
	group.Wait()
	return held
}

// tally compares what the callers hold with what there is.
func tally(t *testing.T, b *bed, held []sent) {
	t.Helper()
	unknown, missing := 0, 0
	recovered := make(map[string]slurm.JobID)
	for i, h := range held {
		id := h.id
		if lost, ok := errors.AsType[*slurm.UncertainError](h.err); ok {
			var err error
			unknown++
			if id, err = b.Recover(t.Context(), lost.Token); errors.Is(err, slurm.ErrNotFound) {
				missing++
				continue
			} else if err != nil {
				t.Errorf("job-%d: Recover: %v", i, err)
			}
		} else if h.err != nil {
			t.Errorf("job-%d: %v", i, h.err)
		}
		recovered[fmt.Sprint("job-", i)] = id
	}
	jobs, cancelled := 0, 0
	for _, j := range b.srv.Jobs() {
		if j.State == "CANCELLED" {
			cancelled++ // a second one
			continue
		}
		jobs++
		if id := slurm.NewJobID(j.ID); recovered[j.Name] != id {
			t.Errorf("there is job %s, and the caller of %s holds %q", id, j.Name, recovered[j.Name])
		}
	}
	if jobs+missing != len(held) || unknown == 0 || missing == 0 || cancelled == 0 {
		t.Errorf("of %d there are %d and missing %d; %d were unknown, %d cancelled", len(held), jobs, missing, unknown, cancelled)
	}
	t.Logf("of %d there are %d and missing %d; %d were unknown, %d cancelled", len(held), jobs, missing, unknown, cancelled)
}

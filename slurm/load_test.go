package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// sharers is how many share a client, and loadCalls how many calls they make together.
const (
	sharers   = 64
	loadCalls = 10_000
)

// load is one client over a socket to both servers, and what its callers hold.
type load struct {
	platform *cluster.Client
	*slurm.Client
	service *clustertest.Server
	srv     *slurmtest.Server

	mu        sync.Mutex
	open      map[net.Conn]bool // connections of the server
	submitted map[string]slurm.JobID
	failed    int
	calls     int
}

func newLoad(t *testing.T) (l *load, stop func()) {
	l = &load{open: map[net.Conn]bool{}, submitted: map[string]slurm.JobID{}}
	l.srv = slurmtest.NewServer(slurmtest.WithMinJobAge(time.Second), slurmtest.WithRunTime(0), slurmtest.WithScheduleDelay(0),
		slurmtest.WithCompletingTime(0), slurmtest.WithKillWait(0), slurmtest.WithPartitions(slurmtest.Partition{
			Name: "cpu", Default: true, Nodes: slurmtest.Nodes("n[1-20]", slurmtest.Node{CPUs: 64, MemoryMB: 1 << 20}),
		}))
	l.service = clustertest.NewServer(clustertest.WithSlurm(l.srv), clustertest.WithOperationTime(0))
	if err := l.service.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(l.service)
	server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.open[c] = true; state == http.StateClosed || state == http.StateHijacked {
			delete(l.open, c)
		}
	}
	server.Start()
	var err error
	l.platform, err = cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", auth.WithToken("t"), auth.WithEndpoint(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	if l.Client, err = slurm.NewClient(l.platform, "training"); err != nil {
		t.Fatal(err)
	}
	return l, server.Close
}

// badLine lets one of fifty requests fail. Of a submit it loses the answer or refuses it outright: where the request is lost,
// its caller looks for the job for a minute.
func badLine(random *rand.Rand) []clustertest.Fault {
	faults := []clustertest.Fault{
		{Kind: clustertest.FaultDropAfter}, {Kind: clustertest.FaultCut}, {Status: "RESOURCE_EXHAUSTED"},
		{Kind: clustertest.FaultDropBefore}, {Kind: clustertest.FaultReply}, {Status: "UNAVAILABLE"}, {Status: "INTERNAL"},
	}
	const ofSubmits = 3 // of the first ones
	drawn := -1
	for i := range faults {
		faults[i].Times = -1
		// The server asks all of them about a request, in this order: the first one draws.
		faults[i].When = func(r clustertest.Request) bool {
			if i == 0 {
				kinds := len(faults)
				if strings.Contains(string(r.Body), "/job/submit") {
					kinds = ofSubmits
				}
				if drawn = random.IntN(50 * kinds); drawn >= kinds {
					drawn = len(faults)
				}
			}
			return i == drawn
		}
	}
	return faults
}

// call makes one of the calls that there are.
func (l *load) call(ctx context.Context, n int) error {
	name := fmt.Sprint("job-", n)
	known := l.known(n)
	switch n % 20 {
	case 0, 1:
		_, err := l.platform.GetCluster(ctx, "training")
		return err
	case 2:
		_, err := l.platform.ListClusters(ctx, nil).Collect()
		return err
	case 3:
		m := &cluster.ModelDevelopmentCluster{Name: "training", Labels: map[string]string{"n": name}}
		_, err := l.platform.UpdateCluster(ctx, m, cluster.FieldMask{"labels"}, cluster.UpdateModeUserOnly)
		if errors.Is(err, cluster.ErrFailedPrecondition) || errors.Is(err, cluster.ErrAborted) || errors.Is(err, cluster.ErrUnavailable) {
			return nil // another update goes on, or the line is bad: an update is not repeated
		}
		return err
	case 4, 5, 6, 7:
		id, err := l.Submit(ctx, &slurm.JobSpec{Name: name, Script: "#!/bin/sh\ntrue\n", WorkingDirectory: "/home/alice"})
		l.mu.Lock()
		defer l.mu.Unlock()
		if err == nil {
			l.submitted[name] = id
		}
		return err
	case 8, 9, 10:
		_, err := l.GetAll(ctx, known)
		return unlessAbsent(err)
	case 11:
		for _, err := range l.Jobs(ctx, nil) {
			return err // the rest is left
		}
		return nil
	case 12, 13:
		_, err := l.List(ctx, &slurm.ListOptions{Names: []string{name}})
		return err
	case 14:
		return unlessAbsent(l.Cancel(ctx, known))
	case 15, 16:
		_, err := l.History(ctx, known)
		return unlessAbsent(err)
	case 17:
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, err := l.Wait(ctx, known)
		if errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*slurm.JobError)) {
			return nil
		}
		return unlessAbsent(err)
	case 18:
		_, err := l.Nodes(ctx)
		return err
	}
	_, err := l.Ping(ctx)
	return err
}

// known is the job of an earlier submit.
func (l *load) known(n int) slurm.JobID {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ; n >= 0; n-- {
		if id := l.submitted[fmt.Sprint("job-", n)]; id != "" {
			return id
		}
	}
	return "1"
}

// unlessAbsent takes the absence of a job for an answer: it may have left the queue, or never have been.
func unlessAbsent(err error) error {
	if errors.Is(err, slurm.ErrNotFound) || errors.Is(err, slurm.ErrJobLost) || errors.Is(err, slurm.ErrAlreadyDone) {
		return nil
	}
	return err
}

// run makes the calls from first to last, by all callers.
func (l *load) run(t *testing.T, first, last int) {
	var next atomic.Int64
	next.Store(int64(first))
	var group sync.WaitGroup
	for range sharers {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < last; n = int(next.Add(1)) - 1 {
				err := l.call(t.Context(), n)
				if l.mu.Lock(); err != nil {
					l.failed++
					if l.failed < 20 {
						t.Logf("call %d: %v", n, err)
					}
				}
				if l.calls++; l.calls%500 == 0 {
					l.service.ResetRequests()
					l.srv.ResetRequests()
				}
				l.mu.Unlock()
			}
		})
	}
	group.Wait()
	l.service.ResetRequests()
	l.srv.ResetRequests()
}

// settled waits for what goes on behind the calls to end: nobody tells when.
func settled(t *testing.T, what string, done func() (int, bool)) {
	t.Helper()
	last := 0
	for range 1000 {
		n, ok := done()
		if ok {
			return
		}
		last = n
		<-time.After(10 * time.Millisecond)
	}
	t.Errorf("%s: still %d", what, last)
}

// TestLoad: a client that many share for long keeps no goroutine, no connection beyond those it may, and no memory, and runs
// each job once.
func TestLoad(t *testing.T) {
	calls := loadCalls
	if testing.Short() {
		calls /= 5
	}
	warm(t)
	goroutines, objects := runtime.NumGoroutine(), heap()
	l, stop := newLoad(t)
	l.service.Inject(badLine(rand.New(rand.NewPCG(1, 2)))...)
	l.run(t, 0, calls)
	t.Logf("%d calls, %d failed", calls, l.failed)
	if l.failed > calls/20 || len(l.submitted) < calls/6 {
		t.Errorf("%d calls failed, and %d jobs were submitted", l.failed, len(l.submitted))
	}
	settled(t, "open connections", func() (int, bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.open), len(l.open) <= 100 // what Google's transport keeps idle for a host
	})
	there := map[string]int{}
	for _, j := range l.srv.Jobs() {
		there[j.Name]++
		if id := l.submitted[j.Name]; id != "" && id != slurm.NewJobID(j.ID) {
			t.Errorf("%s is job %d, and its caller holds %s", j.Name, j.ID, id)
		}
	}
	for name := range l.submitted {
		if there[name] != 1 {
			t.Errorf("%s is there %d times", name, there[name])
		}
	}
	stop()
	settled(t, "goroutines", func() (int, bool) { return runtime.NumGoroutine() - goroutines, runtime.NumGoroutine() <= goroutines })
	// Without the servers, which keep each job and operation, there is nothing left but the client.
	client := l.Client
	l, stop, there = nil, nil, nil
	kept := int64(heap()) - int64(objects)
	if t.Logf("the client keeps %d objects", kept); kept > int64(calls/4+500) {
		t.Errorf("the client keeps %d objects after %d calls", kept, calls)
	}
	runtime.KeepAlive(client)
}

// warm makes what the packages make once, at the first calls.
func warm(t *testing.T) {
	l, stop := newLoad(t)
	l.run(t, 0, 200)
	stop()
}

// heap is the number of objects in use once the garbage is collected.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapObjects
}

// TestOutageIsNotMultiplied: while nothing works, callers that go on asking are not joined by retries, but for a few at first.
func TestOutageIsNotMultiplied(t *testing.T) {
	for name, fault := range map[string]clustertest.Fault{
		"503":         {},
		"503 later":   {RetryAfter: 2 * time.Second},
		"429":         {Status: "RESOURCE_EXHAUSTED"},
		"500":         {Status: "INTERNAL"},
		"a page":      {Kind: clustertest.FaultReply},
		"refused":     {Kind: clustertest.FaultRefused},
		"dropped":     {Kind: clustertest.FaultDropBefore},
		"cut answers": {Kind: clustertest.FaultCut},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				platform, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.platform.ClientOptions()...)
				if err != nil {
					t.Fatal(err)
				}
				client, err := slurm.NewClient(platform, "training") // so that both have one budget
				if err != nil {
					t.Fatal(err)
				}
				fault.Times = -1
				b.platform.Inject(fault)
				var calls atomic.Int64
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				var group sync.WaitGroup
				for first := range sharers {
					group.Go(func() {
						for n := first; ctx.Err() == nil; n++ {
							calls.Add(1)
							if err := readOne(ctx, platform, client, n); err == nil {
								t.Error("a call succeeded")
							}
							time.Sleep(time.Second)
						}
					})
				}
				time.Sleep(30 * time.Second)
				before, requests := calls.Load(), len(b.platform.Requests())
				group.Wait()
				made, sent := calls.Load()-before, len(b.platform.Requests())-requests
				if made < sharers || float64(sent) > 1.1*float64(made) {
					t.Errorf("%d calls made %d requests", made, sent)
				}
				if early := int64(requests); early > before+200 { // the budget, and what succeeded before
					t.Errorf("the first %d calls made %d requests", before, early)
				}
			})
		})
	}
}

// readOne makes a call that takes one request.
func readOne(ctx context.Context, platform *cluster.Client, c *slurm.Client, n int) (err error) {
	switch n % 8 {
	case 6:
		_, err = platform.GetCluster(ctx, "training")
	case 7:
		_, err = platform.ListClusters(ctx, nil).Collect()
	case 0:
		_, err = c.Get(ctx, "1")
	case 1:
		_, err = c.List(ctx, nil)
	case 2:
		err = c.Cancel(ctx, "1")
	case 3:
		_, err = c.History(ctx, "1")
	case 4:
		_, err = c.Partitions(ctx)
	default:
		_, err = c.Nodes(ctx)
	}
	return err
}

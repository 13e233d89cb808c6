package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// gate is a Caller that counts the calls, and lets only some pass.
type gate struct {
	next slurm.Caller
	stop func(path string) (*cluster.SlurmResponse, error) // both nil: the call passes

	mu    sync.Mutex
	calls []string
}

func (g *gate) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*cluster.SlurmResponse, error) {
	g.mu.Lock()
	g.calls = append(g.calls, req.Path)
	g.mu.Unlock()
	if g.stop != nil {
		if resp, err := g.stop(req.Path); resp != nil || err != nil {
			return resp, err
		}
	}
	return g.next.CallSlurm(ctx, name, req, opts...)
}

// count returns how many of the calls so far were for a kind of path.
func (g *gate) count(kind string) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, path := range g.calls {
		if kind == "" || pathKind(path) == kind {
			n++
		}
	}
	return n
}

func pathKind(path string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	_, rest, _ = strings.Cut(rest, "/")
	rest, query, _ := strings.Cut(rest, "?")
	switch {
	case strings.HasPrefix(path, "/slurmdb/") && query != "":
		return "many runs"
	case strings.HasPrefix(path, "/slurmdb/"):
		return "runs"
	case rest == "jobs/state/" && query != "":
		return "states of"
	case rest == "jobs/state/":
		return "states"
	case rest == "jobs/" && query != "":
		return "list since"
	case rest == "jobs/":
		return "list"
	}
	return strings.SplitN(rest, "/", 2)[0]
}

// gated puts a gate between the bed's client and the platform.
func (b *bed) gated(t testing.TB, opts ...slurm.Option) *gate {
	t.Helper()
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.platform.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{next: c}
	if b.Client, err = slurm.NewClient(g, "training", opts...); err != nil {
		t.Fatal(err)
	}
	return g
}

func invalid() error {
	return &cluster.Error{Op: "call Slurm", Code: 3, HTTPStatus: 400, Message: "no Slurm path"}
}

// passing is a failure that time heals.
type passing struct{ error }

func (passing) Transient() bool           { return true }
func (passing) NotFound() bool            { return false }
func (passing) RetryDelay() time.Duration { return 0 }

// pausing is one that comes with the time to wait.
type pausing struct {
	passing
	pause time.Duration
}

func (p pausing) RetryDelay() time.Duration { return p.pause }

// huge is a partition on which a thousand jobs run at once.
func huge() slurmtest.Option {
	return slurmtest.WithPartitions(slurmtest.Partition{
		Name: "cpu", Default: true, Nodes: slurmtest.Nodes("n[1-4]", slurmtest.Node{CPUs: 256, MemoryMB: 1 << 20}),
	})
}

func long(s *slurm.JobSpec) { s.TimeLimit = 2 * time.Hour }

// steady is a pace of one read every 7.5 to 15 seconds.
var steady = lro.WithBackoff(gax.Backoff{Initial: 15 * time.Second, Max: 15 * time.Second, Multiplier: 1})

// TestWaitAllThousandJobs: 200 ticks for a thousand jobs are 200 requests, and one for the end, whether the platform
// takes what no document promises or not, and though jobs end all the time.
func TestWaitAllThousandJobs(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		jobsInAll := 1000
		if refuses {
			jobsInAll = 30 // each read is of records then, which takes the test servers long
		}
		t.Run(fmt.Sprintf("the platform refuses what is not documented: %v", refuses), func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				g := b.gated(t)
				if refuses {
					g.stop = func(path string) (*cluster.SlurmResponse, error) {
						if strings.Contains(path, "?") || strings.Contains(path, "state") {
							return nil, invalid()
						}
						return nil, nil
					}
				}
				var ids []slurm.JobID
				for i := range jobsInAll {
					// Ten waves, after 4, 8, … 40 minutes.
					ids = append(ids, b.submit(t, fmt.Sprintf("sleep %d", 240+240*(i%10)), long))
				}
				g.calls = nil
				reads := 0
				jobs, err := b.WaitAll(t.Context(), ids, steady, slurm.OnTally(func(tally slurm.Tally) {
					reads = tally.Reads
					if len(tally.Counts) > 0 && tally.Total() != jobsInAll {
						t.Errorf("tally of %d jobs", tally.Total())
					}
				}))
				if err != nil || len(jobs) != jobsInAll || slices.ContainsFunc(jobs, func(j *slurm.Job) bool { return !j.Succeeded() }) {
					t.Fatalf("got %d jobs, %v", len(jobs), err)
				}
				if reads < 190 || reads > 240 {
					t.Errorf("%d reads in 40 minutes", reads)
				}
				// The records of the last wave, and the first try of each of three ways where they are refused.
				constant := 1
				if refuses {
					constant = 3
				}
				if n := g.count(""); n > reads+constant {
					t.Errorf("%d requests in %d reads", n, reads)
				}
				if lists := g.count("list"); !refuses && lists > 20 {
					t.Errorf("%d of %d requests were for the list", lists, reads)
				}
				if refuses && (g.count("states of") > 1 || g.count("states") > 1 || g.count("list since") > 1) {
					t.Error("a refused path was tried again")
				}
			}, huge())
		})
	}
}

// TestLearnedWays: what the platform takes is found out once, and whatever it takes, the wait goes on.
func TestLearnedWays(t *testing.T) {
	notThere := &cluster.SlurmResponse{Status: 404, Body: []byte("Unable find requested URL. Please view /openapi/v3 for API reference.")}
	down := passing{errors.New("unavailable")}
	undocumented := func(resp *cluster.SlurmResponse, err error) func(string, int) (*cluster.SlurmResponse, error) {
		return func(kind string, _ int) (*cluster.SlurmResponse, error) {
			if strings.HasPrefix(kind, "states") || kind == "list since" {
				return resp, err
			}
			return nil, nil
		}
	}
	three := map[string]int{"states of": 3, "states": 3, "list since": 3}
	tests := []struct {
		why    string
		stop   func(kind string, nth int) (*cluster.SlurmResponse, error)
		most   map[string]int // calls of each kind at most
		mainly string         // what most ticks use
	}{
		{"everything is taken", func(string, int) (*cluster.SlurmResponse, error) { return nil, nil },
			map[string]int{"states": 0, "list since": 10}, "states of"},
		{"no query is taken", func(kind string, _ int) (*cluster.SlurmResponse, error) {
			if kind == "states of" || kind == "list since" {
				return nil, invalid()
			}
			return nil, nil
		}, map[string]int{"states of": 1, "list since": 1}, "states"},
		{"an older Slurm", func(kind string, _ int) (*cluster.SlurmResponse, error) {
			if strings.HasPrefix(kind, "states") {
				return notThere, nil
			}
			return nil, nil
		}, map[string]int{"states of": 1, "states": 1}, "list since"},
		{"only what is documented", undocumented(nil, invalid()), map[string]int{"states of": 1, "states": 1, "list since": 1}, "list"},
		{"what is not documented never gets through, as if in passing", undocumented(nil, down), three, "list"},
		{"it never does, with a pause each time", undocumented(nil, pausing{down, 5 * time.Second}), three, "list"},
		{"with a pause that is longer than failures are borne", undocumented(nil, pausing{down, 3 * time.Minute}), three, "list"},
		{"it never does, as if Slurm were in trouble", undocumented(&cluster.SlurmResponse{Status: 500,
			Body: []byte(`{"jobs":[],"errors":[{"error_number":-1,"error":"Unspecified error"}]}`)}, nil), three, "list"},
		{"a pause of what was not taken before, once", func(kind string, nth int) (*cluster.SlurmResponse, error) {
			if kind == "states of" && nth < 3 {
				return nil, pausing{down, 5 * time.Second}
			}
			return nil, nil
		}, map[string]int{"states": 0, "list": 8}, "states of"},
		{"a passing failure of what was taken before", func(kind string, nth int) (*cluster.SlurmResponse, error) {
			if kind == "states of" && nth%7 == 3 {
				return nil, down
			}
			return nil, nil
		}, map[string]int{"states": 0, "list": 6}, "states of"},
		{"the platform changes its mind", func(kind string, nth int) (*cluster.SlurmResponse, error) {
			if strings.HasPrefix(kind, "states") && nth > 5 {
				return nil, invalid()
			}
			return nil, nil
		}, map[string]int{"states of": 6, "states": 6}, "list since"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				g := b.gated(t)
				g.stop = func(path string) (*cluster.SlurmResponse, error) {
					return tt.stop(pathKind(path), g.count(pathKind(path)))
				}
				ids := []slurm.JobID{b.submit(t, "sleep 3000", long), b.submit(t, "sleep 3060", long), b.submit(t, "sleep 2000", long)}
				g.calls = nil
				jobs, err := b.WaitAll(t.Context(), ids, steady)
				if err != nil || slices.ContainsFunc(jobs, func(j *slurm.Job) bool { return !j.Succeeded() }) {
					t.Errorf("got %v, %v", jobs, err)
				}
				for kind, most := range tt.most {
					if n := g.count(kind); n > most {
						t.Errorf("%d calls for %s, want %d at most", n, kind, most)
					}
				}
				if main, all := g.count(tt.mainly), g.count(""); main < all*7/10 {
					t.Errorf("%d of %d calls for %s", main, all, tt.mainly)
				}
			})
		})
	}
}

// TestWaitsShareReads: however many waits a client has, they cost what the liveliest of them would.
func TestWaitsShareReads(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		g := b.gated(t)
		var ids []slurm.JobID
		for range 200 {
			ids = append(ids, b.submit(t, "sleep 3600", long))
		}
		g.calls = nil
		var group sync.WaitGroup
		for i, id := range ids {
			group.Go(func() {
				time.Sleep(time.Duration(i%7) * time.Second)
				if job, err := b.Wait(t.Context(), id); err != nil || !job.Succeeded() || job.ID != id {
					t.Errorf("got %v, %v", job, err)
				}
			})
		}
		time.Sleep(10 * time.Minute)
		before := g.count("")
		time.Sleep(40 * time.Minute)
		// Pauses of 30 to 60 seconds.
		if n := g.count("") - before; n < 40 || n > 90 {
			t.Errorf("%d requests in 40 minutes", n)
		}
		group.Wait()
		if n := g.count(""); n > 450 {
			t.Errorf("%d requests for 200 waits of an hour", n)
		}
	}, huge())
}

// TestLeaderLeaves: the end of the wait that reads for all is no matter of the others.
func TestLeaderLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		one, two := b.submit(t, "sleep 100"), b.submit(t, "sleep 100")
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDelay, Delay: 20 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var group sync.WaitGroup
		group.Go(func() {
			var watching *lro.WaitError
			if _, err := b.Wait(ctx, one); !errors.As(err, &watching) {
				t.Errorf("got %v", err)
			}
		})
		group.Go(func() {
			time.Sleep(time.Second)
			failed := false
			job, err := b.Wait(t.Context(), two, lro.WithTolerance(0), lro.OnProgress(func(p lro.Progress) { failed = failed || p.Err != nil }))
			if err != nil || !job.Succeeded() || failed {
				t.Errorf("got %v, %v", job, err)
			}
		})
		group.Wait()
	})
}

// TestQuietForAll: a pause that the server asks one wait for is kept by all.
func TestQuietForAll(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		one, two := b.submit(t, "sleep 2000", long), b.submit(t, "sleep 2000", long)
		var group sync.WaitGroup
		for _, id := range []slurm.JobID{one, two} {
			group.Go(func() {
				if job, err := b.Wait(t.Context(), id, steady, lro.WithTolerance(time.Hour)); err != nil || !job.Succeeded() {
					t.Errorf("got %v, %v", job, err)
				}
			})
		}
		time.Sleep(time.Minute)
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Status: "RESOURCE_EXHAUSTED", RetryAfter: 4 * time.Minute})
		time.Sleep(15 * time.Second) // until somebody has met it
		b.srv.ResetRequests()
		time.Sleep(220 * time.Second)
		if n := len(b.paths()); n != 0 {
			t.Errorf("%d requests while the server wanted none", n)
		}
		group.Wait()
	})
}

// TestPace: quick while things change, and slow where reads are.
func TestPace(t *testing.T) {
	gaps := func(t *testing.T, b *bed, wait func()) (at []time.Duration) {
		t.Helper()
		start := time.Now()
		b.platform.ClearFaults()
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Times: -1, Kind: clustertest.FaultDelay, When: func(clustertest.Request) bool {
			at = append(at, time.Since(start))
			return false
		}})
		wait()
		return at
	}
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{b.submit(t, "sleep 1800"), b.submit(t, "sleep 3600", long)}
		at := gaps(t, b, func() {
			if _, err := b.WaitAll(t.Context(), ids); err != nil {
				t.Error(err)
			}
		})
		quick := 0
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; at[i] > 10*time.Minute && at[i] < 59*time.Minute && gap < 10*time.Second {
				quick++
				if at[i] < 30*time.Minute || at[i] > 33*time.Minute {
					t.Errorf("a read after %v, and another %v later", at[i-1], gap)
				}
			}
		}
		if quick < 2 {
			t.Errorf("%d quick reads after the first job had ended: %v", quick, at)
		}
	})
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{b.submit(t, "sleep 1800"), b.submit(t, "sleep 1800")}
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Times: -1, Kind: clustertest.FaultDelay, Delay: 8 * time.Second})
		b.srv.ResetRequests()
		if _, err := b.WaitAll(t.Context(), ids); err != nil {
			t.Error(err)
		}
		if n := len(b.paths()); n < 15 || n > 26 {
			t.Errorf("%d reads of 8 seconds in 30 minutes, want pauses of 80 seconds", n)
		}
	})
}

// TestWaitForBigArray: the records of all tasks are read when something has changed, and their states otherwise. The
// names of tasks in jobs/state/ differ between versions.
func TestWaitForBigArray(t *testing.T) {
	for _, version := range []string{"v0.0.40", "v0.0.41", "v0.0.42"} {
		t.Run(version, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				g := b.gated(t, slurm.WithVersion(version))
				// 20 at a time, for half an hour each.
				id := b.submit(t, "sleep 1800", func(s *slurm.JobSpec) { s.Array = "0-59%20" })
				g.calls = nil
				start := time.Now()
				job, err := b.Wait(t.Context(), id, steady)
				if took := time.Since(start); err != nil || !job.Succeeded() || took < 90*time.Minute || took > 95*time.Minute {
					t.Errorf("got %v, %v after %v", job, err, took)
				}
				states, records := g.count("states of"), g.count("job")
				// Two changes, each of which may be seen in two parts, the end, and a look every ten minutes.
				if records > 30 || states < 10*records {
					t.Errorf("%d reads of states and %d of records", states, records)
				}
			}, huge())
		})
	}
}

// TestManyLeaveTheQueue: jobs that nobody saw end are looked up together, and one by one where that is refused, some at a
// time.
func TestManyLeaveTheQueue(t *testing.T) {
	for _, refused := range []bool{false, true} {
		inBubble(t, func(t *testing.T, b *bed) {
			g := b.gated(t)
			g.stop = func(path string) (*cluster.SlurmResponse, error) {
				if refused && pathKind(path) == "many runs" {
					return nil, invalid()
				}
				return nil, nil
			}
			var ids []slurm.JobID
			for i := range 120 {
				ids = append(ids, b.submit(t, fmt.Sprintf("sleep 300\nexit %d", i%2), func(s *slurm.JobSpec) {
					if i == 0 {
						s.Array = "0-3"
					}
				}))
			}
			g.calls = nil
			jobs, err := b.WaitAll(t.Context(), append(ids, "99999"), steady)
			failed := 0
			for i, job := range jobs[:120] {
				if !job.Ended() || job.Failed() != (i%2 == 1) || job.Source != slurm.SourceAccounting {
					t.Errorf("job %d: %v", i, job)
				}
				if job.Failed() {
					failed++
				}
			}
			if !errors.Is(err, slurm.ErrNotFound) || failed != 60 || jobs[120] != nil {
				t.Errorf("%d failed, %v", failed, err)
			}
			many, runs := g.count("many runs"), g.count("runs")
			if !refused && (many > 10 || runs > 20) || refused && (many != 1 || runs < 120 || runs > 200) {
				t.Errorf("refused %v: %d reads for many, %d for one", refused, many, runs)
			}
		}, huge(), slurmtest.WithMinJobAge(0))
	}
}

// TestUpdateTime: the answer that nothing has changed looks like an empty queue, and is none.
func TestUpdateTime(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		g := b.gated(t)
		g.stop = func(path string) (*cluster.SlurmResponse, error) {
			if strings.HasPrefix(pathKind(path), "states") {
				return nil, invalid()
			}
			return nil, nil
		}
		ids := []slurm.JobID{b.submit(t, "sleep 600"), b.submit(t, "sleep 1200")}
		g.calls = nil
		jobs, err := b.WaitAll(t.Context(), ids, steady)
		if err != nil || !jobs[0].Succeeded() || !jobs[1].Succeeded() {
			t.Errorf("got %v, %v", jobs, err)
		}
		if g.count("many runs")+g.count("runs") != 0 {
			t.Error("the accounting was asked for jobs that were in the queue")
		}
		if since, list := g.count("list since"), g.count("list"); list > 2 || since < 50 {
			t.Errorf("%d lists and %d with an update_time", list, since)
		}
	})
}

// TestSecondWaitSeesNewJob: what others have read before a job was submitted says nothing about it.
func TestSecondWaitSeesNewJob(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		others := []slurm.JobID{b.submit(t, "sleep 3000", long), b.submit(t, "sleep 3000", long)}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := b.WaitAll(t.Context(), others); err != nil {
				t.Error(err)
			}
		})
		for range 50 {
			time.Sleep(11 * time.Second)
			id := b.submit(t, "sleep 4")
			var first string
			job, err := b.Wait(t.Context(), id, lro.OnProgress(func(p lro.Progress) {
				if first == "" {
					first = p.Message
				}
			}))
			if err != nil || !job.Succeeded() || strings.Contains(first, "unknown") {
				t.Errorf("got %v, %v; at first %q", job, err, first)
			}
		}
		group.Wait()
	})
}

package lro_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// fixed is a pace without growth: pauses in [d/2, d].
func fixed(d time.Duration) lro.WaitOption {
	return lro.WithBackoff(gax.Backoff{Initial: d, Max: d})
}

// waitError insists on a *WaitError.
func waitError(t *testing.T, err error) *lro.WaitError {
	t.Helper()
	e, ok := errors.AsType[*lro.WaitError](err)
	if !ok {
		t.Fatalf("err = %v (%T), want a *WaitError", err, err)
	}
	return e
}

func TestWaitForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A third of the reads fails for the whole day: 503s, cut answers, a proxy's page.
		trouble := []step{{err: unavailable()}, {body: `{"name": "`}, {body: "<html>"}, {err: io.ErrUnexpectedEOF}}
		s := newService()
		var steps []step
		for i := range 6000 {
			if i%3 == 2 {
				steps = append(steps, trouble[i/3%len(trouble)])
			} else {
				steps = append(steps, runs(nameA, "provisioning"))
			}
		}
		finish := func(context.Context) {
			if time.Since(s.start) >= 24*time.Hour {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.script[nameA] = []step{succeeds(nameA)}
			}
		}
		for i := range steps {
			steps[i].then = finish
		}
		s.add(nameA, steps...)
		op := lro.New(s, nameA)
		if err := op.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		took, reads := time.Since(s.start), s.count(nameA)
		if took < 24*time.Hour || took > 24*time.Hour+time.Minute {
			t.Errorf("took %v, want a day", took)
		}
		// Pauses of 15 to 30 s.
		if reads < 24*3600/30 || reads > 24*3600/15 {
			t.Errorf("%d reads in a day", reads)
		}
		if !op.State().Succeeded() {
			t.Errorf("state = %v", op)
		}
	})
}

func TestWaitReadsAtOnceAndNeverAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, succeeds(nameA))
		op := lro.New(s, nameA)
		for range 3 {
			if err := op.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if s.count(nameA) != 1 || time.Since(s.start) != 0 {
			t.Errorf("%d reads in %v, want one at once", s.count(nameA), time.Since(s.start))
		}
	})
}

func TestWaitFailedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		op := lro.New(serving(nameA, runs(nameA, ""), fails(nameA, 8, "no quota")), nameA)
		err := op.Wait(t.Context())
		failure, ok := err.(*lro.OperationError)
		if !ok || failure.Name != nameA || err.Error() != "lro: operation "+nameA+" failed: RESOURCE_EXHAUSTED: no quota" {
			t.Errorf("err = %v", err)
		}
		if _, ok := errors.AsType[*lro.WaitError](err); ok {
			t.Error("failed work looks like an ended watch")
		}
	})
}

func TestWaitPace(t *testing.T) {
	cases := []struct {
		why     string
		backoff *gax.Backoff
		full    []time.Duration
	}{
		{"the default", nil, []time.Duration{2 * time.Second, 3 * time.Second, 4500 * time.Millisecond}},
		{"zero fields keep their defaults", &gax.Backoff{Multiplier: 10}, []time.Duration{2 * time.Second, 20 * time.Second, 30 * time.Second}},
		{"Initial above the default Max", &gax.Backoff{Initial: time.Minute}, []time.Duration{time.Minute, time.Minute}},
		{"Max below the default Initial", &gax.Backoff{Max: time.Second}, []time.Duration{time.Second, time.Second}},
		{"Max wins over Initial", &gax.Backoff{Initial: time.Minute, Max: 4 * time.Second}, []time.Duration{4 * time.Second, 4 * time.Second}},
		{"all of it", &gax.Backoff{Initial: 10 * time.Second, Max: 35 * time.Second, Multiplier: 2},
			[]time.Duration{10 * time.Second, 20 * time.Second, 35 * time.Second, 35 * time.Second}},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				steps := slices.Repeat([]step{runs(nameA, "")}, len(c.full))
				s := serving(nameA, append(steps, succeeds(nameA))...)
				var opts []lro.WaitOption
				if c.backoff != nil {
					opts = append(opts, lro.WithBackoff(*c.backoff), nil)
				}
				if err := lro.New(s, nameA).Wait(t.Context(), opts...); err != nil {
					t.Fatal(err)
				}
				for i, full := range c.full {
					if gap := s.at[i+1] - s.at[i]; gap < full/2 || gap > full {
						t.Errorf("pause %d = %v, want one in [%v, %v]", i+1, gap, full/2, full)
					}
				}
			})
		})
	}
}

func TestRetryAfter(t *testing.T) {
	cases := []struct {
		why  string
		step step
		want time.Duration
	}{
		{"with a good answer", step{body: runs(nameA, "").body, after: 77 * time.Second}, 77 * time.Second},
		{"with an answer that cannot be read", step{body: "<html>", after: 77 * time.Second}, 77 * time.Second},
		{"in an error", step{err: &callError{text: "429", transient: true, delay: 88 * time.Second}}, 88 * time.Second},
		{"capped with a good answer", step{body: runs(nameA, "").body, after: time.Hour}, 5 * time.Minute},
		{"capped in an error", step{err: &callError{text: "429", transient: true, delay: time.Hour}}, 5 * time.Minute},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serving(nameA, c.step, succeeds(nameA))
				if err := lro.New(s, nameA).Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if s.at[1] != c.want {
					t.Errorf("second read after %v, want %v", s.at[1], c.want)
				}
			})
		})
	}
}

func TestRetryAfterBeyondDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		quota := &callError{text: "cluster: read: RESOURCE_EXHAUSTED", transient: true, delay: 2 * time.Minute}
		s := serving(nameA, step{err: quota})
		e := waitError(t, lro.New(s, nameA).Wait(ctx))
		if s.count(nameA) != 1 || time.Since(s.start) != 0 || e.Elapsed != 0 || e.Polls != 1 {
			t.Errorf("%d reads in %v, want one and no pause: %+v", s.count(nameA), time.Since(s.start), e)
		}
		if !errors.Is(e, context.DeadlineExceeded) || !errors.Is(e, quota) || e.Last != quota {
			t.Errorf("%v is not both the deadline and the failed read", e)
		}
		want := "lro: wait for " + nameA + " ended after 0s and 1 read: the server asks for a pause of 2m0s, which is beyond the " +
			"deadline in 1m0s: context deadline exceeded; the last read failed: cluster: read: RESOURCE_EXHAUSTED; " +
			"the work goes on and can be waited for again by name"
		if e.Error() != want {
			t.Errorf("text = %s\nwant   %s", e, want)
		}
	})
}

func TestTolerance(t *testing.T) {
	cases := []struct {
		why       string
		opts      []lro.WaitOption
		low, high time.Duration
	}{
		{"two minutes by default", nil, 2 * time.Minute, 2*time.Minute + 10*time.Second},
		{"as set", []lro.WaitOption{lro.WithTolerance(time.Hour)}, time.Hour, time.Hour + 10*time.Second},
		{"none", []lro.WaitOption{lro.WithTolerance(0)}, 0, 0},
		{"less than none", []lro.WaitOption{lro.WithTolerance(-time.Hour)}, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				down := unavailable()
				s := serving(nameA, step{err: down})
				e := waitError(t, lro.New(s, nameA).Wait(t.Context(), append(c.opts, fixed(10*time.Second))...))
				if e.Elapsed < c.low || e.Elapsed > c.high || e.Elapsed != time.Since(s.start) {
					t.Errorf("ended after %v, want between %v and %v", e.Elapsed, c.low, c.high)
				}
				if e.Last != down || e.Ctx != nil || e.Cause != nil || e.Polls != s.count(nameA) {
					t.Errorf("WaitError = %+v", e)
				}
			})
		})
	}
}

func TestGoodReadResetsTolerance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := step{err: unavailable()}
		// At a pause of a minute at most, three failures in a row may reach two minutes, and two cannot.
		steps := slices.Repeat([]step{down, down, runs(nameA, "")}, 50)
		s := serving(nameA, append(steps, succeeds(nameA))...)
		if err := lro.New(s, nameA).Wait(t.Context(), fixed(time.Minute)); err != nil {
			t.Errorf("Wait = %v", err)
		}
		if s.count(nameA) != 151 {
			t.Errorf("%d reads, want 151", s.count(nameA))
		}
	})
}

func TestPermanentReadFailureEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for what, err := range map[string]error{
			"403": forbidden(), "404": missing(nameA), "unknown": errors.New("cluster: odd"),
		} {
			s := serving(nameA, runs(nameA, "provisioning\nnodes"), step{err: err})
			e := waitError(t, lro.New(s, nameA).Wait(t.Context(), fixed(10*time.Second)))
			if s.count(nameA) != 2 || e.Polls != 2 || !errors.Is(e, err) || !slices.Equal(e.Pending, []string{nameA}) {
				t.Errorf("%s: %d reads, %+v", what, s.count(nameA), e)
			}
			if errors.Is(e, context.Canceled) || errors.Is(e, context.DeadlineExceeded) {
				t.Errorf("%s: %v blames the context", what, e)
			}
			want := " and 2 reads: " + err.Error() + `; last message: "provisioning nodes"; ` +
				"that is no verdict on the work, which may go on and can be waited for again by name"
			if !strings.HasPrefix(e.Error(), "lro: wait for "+nameA+" ended after ") || !strings.HasSuffix(e.Error(), want) {
				t.Errorf("%s: text = %s\nwant ... %s", what, e, want)
			}
		}
	})
}

func TestNotFoundOfFreshOperation(t *testing.T) {
	started := func(s *service) *lro.Operation {
		op, err := lro.Started(s, []byte(runs(nameA, "").body))
		if err != nil {
			t.Fatal(err)
		}
		return op
	}
	gone := step{err: missing(nameA)}
	cases := []struct {
		why   string
		steps []step
		make  func(s *service) *lro.Operation
		opts  []lro.WaitOption
		good  bool
		reads int // 0: see low and high
		low   time.Duration
		high  time.Duration
	}{
		{why: "forgiven twice", steps: []step{gone, gone, succeeds(nameA)}, make: started, good: true, reads: 3, high: 20 * time.Second},
		{why: "forgiven for 30 seconds", steps: []step{gone}, make: started, low: 30 * time.Second, high: 40 * time.Second},
		{why: "whatever the tolerance", steps: []step{gone, succeeds(nameA)}, make: started, opts: []lro.WaitOption{lro.WithTolerance(0)}, good: true, reads: 2, high: 10 * time.Second},
		{why: "not after a good read", steps: []step{runs(nameA, ""), gone}, make: started, reads: 2, high: 10 * time.Second},
		{why: "not if resumed", steps: []step{gone}, make: func(s *service) *lro.Operation { return lro.New(s, nameA) }, reads: 1},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serving(nameA, c.steps...)
				err := c.make(s).Wait(t.Context(), append(c.opts, fixed(10*time.Second))...)
				if (err == nil) != c.good {
					t.Errorf("Wait = %v", err)
				}
				if !c.good {
					e := waitError(t, err)
					var call *callError
					if !errors.As(e, &call) || !call.notFound || e.Last != error(call) {
						t.Errorf("%v does not carry the failed read", e)
					}
				}
				if took := time.Since(s.start); c.reads != 0 && s.count(nameA) != c.reads || took < c.low || took > c.high {
					t.Errorf("%d reads in %v", s.count(nameA), took)
				}
			})
		})
	}
}

// The error comes as the service gave it, though it was forgiven.
func TestContextEndsOnForgivenNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := missing(nameA)
		op, err := lro.Started(serving(nameA, step{err: gone}), []byte(runs(nameA, "").body))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if e := waitError(t, op.Wait(ctx)); e.Last != gone || e.Elapsed != 10*time.Second {
			t.Errorf("WaitError = %+v", e)
		}
	})
}

// Settings of 0 mean the default, and whoever waits for something else with these options starts from there.
func TestNoToleranceIsNoDefault(t *testing.T) {
	var s poll.Settings
	if lro.WithTolerance(0)(&s); s.Tolerance >= 0 {
		t.Errorf("Tolerance = %v, which does not mean none", s.Tolerance)
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := unavailable()
		s := serving(nameA,
			runs(nameA, "request received"), runs(nameA, "request received"), runs(nameA, "provisioning"),
			step{err: down}, runs(nameA, "provisioning"), succeeds(nameA))
		var got []lro.Progress
		err := lro.New(s, nameA).Wait(t.Context(), lro.OnProgress(func(p lro.Progress) {
			if p.Elapsed != s.at[p.Polls-1] {
				t.Errorf("Elapsed = %v at poll %d, want %v", p.Elapsed, p.Polls, s.at[p.Polls-1])
			}
			p.Elapsed = 0
			got = append(got, p)
		}))
		if err != nil {
			t.Fatal(err)
		}
		want := []lro.Progress{
			{Name: nameA, Message: "request received", Polls: 1, Pending: 1, Total: 1},
			{Name: nameA, Message: "provisioning", Polls: 3, Pending: 1, Total: 1},
			{Name: nameA, Message: "provisioning", Polls: 4, Pending: 1, Total: 1, Err: down},
			{Name: nameA, Done: true, Polls: 6, Total: 1},
		}
		if !slices.Equal(got, want) {
			t.Errorf("progress =\n%+v\nwant\n%+v", got, want)
		}
	})
}

// The failure that ends the wait is its result and no news; and of several callbacks the last one counts.
func TestProgressLeavesTheResultOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := lro.OnProgress(func(p lro.Progress) { t.Errorf("told of %+v", p) })
		if err := lro.New(serving(nameA, step{err: forbidden()}), nameA).Wait(t.Context(), never); err == nil {
			t.Error("Wait succeeded")
		}
		if err := lro.New(serving(nameA, succeeds(nameA)), nameA).Wait(t.Context(), never, lro.OnProgress(nil)); err != nil {
			t.Error(err)
		}
	})
}

func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, runs(nameA, ""), runs(nameA, ""), succeeds(nameA))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		e := waitError(t, lro.New(s, nameA).Wait(ctx))
		if len(e.Pending) != 1 {
			t.Fatalf("pending = %q", e.Pending)
		}
		if err := lro.New(s, e.Pending[0]).Wait(t.Context()); err != nil {
			t.Errorf("resumed by name: %v", err)
		}
	})
}

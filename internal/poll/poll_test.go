package poll_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// fault is a failed read with all that it can say about itself.
type fault struct {
	text      string
	permanent bool
	notFound  bool
	delay     time.Duration
}

func (f *fault) Error() string             { return f.text }
func (f *fault) Transient() bool           { return !f.permanent }
func (f *fault) NotFound() bool            { return f.notFound }
func (f *fault) RetryDelay() time.Duration { return f.delay }

var busy = &fault{text: "busy"}

// script ticks through results and repeats the last one. It notes when each tick came.
type script struct {
	results []poll.Result
	at      []time.Duration
	start   time.Time
}

func newScript(results ...poll.Result) *script {
	return &script{results: results, start: time.Now()}
}

func (s *script) tick(context.Context) poll.Result {
	s.at = append(s.at, time.Since(s.start))
	return s.results[min(len(s.at), len(s.results))-1]
}

func (s *script) gaps() []time.Duration {
	gaps := make([]time.Duration, 0, len(s.at))
	for i := 1; i < len(s.at); i++ {
		gaps = append(gaps, s.at[i]-s.at[i-1])
	}
	return gaps
}

var (
	running = poll.Result{}
	done    = poll.Result{Done: true}
)

func failed(err error) poll.Result { return poll.Result{Err: err} }

func TestRunReadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(done)
		polls, err := poll.Run(t.Context(), poll.Settings{}, s.tick)
		if polls != 1 || err != nil || s.at[0] != 0 {
			t.Errorf("Run = %d, %v at %v; want one tick at once", polls, err, s.at)
		}
	})
}

func TestPaceKeepsHalfOfEachPause(t *testing.T) {
	cases := []struct {
		why     string
		backoff poll.Backoff
		full    []time.Duration // the pause before jitter
	}{
		{"the defaults grow by half from 2 s to 30 s", poll.Backoff{}, []time.Duration{
			2000 * time.Millisecond, 3000 * time.Millisecond, 4500 * time.Millisecond, 6750 * time.Millisecond,
			10125 * time.Millisecond, 15187500 * time.Microsecond, 22781250 * time.Microsecond,
			30 * time.Second, 30 * time.Second,
		}},
		{"a multiplier of 1 keeps the pause", poll.Backoff{Initial: 4 * time.Second, Multiplier: 1},
			[]time.Duration{4 * time.Second, 4 * time.Second, 4 * time.Second}},
		{"Max caps Initial too", poll.Backoff{Initial: time.Hour, Max: time.Second},
			[]time.Duration{time.Second, time.Second}},
		{"a huge multiplier does not overflow", poll.Backoff{Initial: time.Second, Max: time.Hour, Multiplier: 1e300},
			[]time.Duration{time.Second, time.Hour, time.Hour}},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				results := make([]poll.Result, len(c.full)+1)
				results[len(c.full)] = done
				s := newScript(results...)
				if _, err := poll.Run(t.Context(), poll.Settings{Backoff: c.backoff}, s.tick); err != nil {
					t.Fatal(err)
				}
				for i, gap := range s.gaps() {
					if gap < c.full[i]/2 || gap > c.full[i] {
						t.Errorf("pause %d = %v, want one in [%v, %v]", i+1, gap, c.full[i]/2, c.full[i])
					}
				}
			})
		})
	}
}

func TestJitterSpreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := make([]poll.Result, 101)
		results[100] = done
		s := newScript(results...)
		fixed := poll.Backoff{Initial: 8 * time.Second, Multiplier: 1}
		if _, err := poll.Run(t.Context(), poll.Settings{Backoff: fixed}, s.tick); err != nil {
			t.Fatal(err)
		}
		low, high := time.Hour, time.Duration(0)
		for _, gap := range s.gaps() {
			low, high = min(low, gap), max(high, gap)
		}
		// 100 draws leave the outer quarter of [4s, 8s] untouched with a probability of 3e-13.
		if low > 5*time.Second || high < 7*time.Second {
			t.Errorf("100 pauses lie in [%v, %v]; want them spread over [4s, 8s]", low, high)
		}
	})
}

func TestServersWish(t *testing.T) {
	cases := []struct {
		why    string
		result poll.Result
		want   time.Duration
	}{
		{"with a good answer", poll.Result{Wait: 42 * time.Second}, 42 * time.Second},
		{"in an error", failed(&fault{text: "busy", delay: 33 * time.Second}), 33 * time.Second},
		{"in a wrapped error", failed(fmt.Errorf("read: %w", &fault{text: "busy", delay: 33 * time.Second})), 33 * time.Second},
		{"the longer of two", poll.Result{Wait: 40 * time.Second, Err: &fault{text: "busy", delay: time.Second}}, 40 * time.Second},
		{"a day is capped", poll.Result{Wait: 24 * time.Hour}, 5 * time.Minute},
		{"a millisecond is no license to hammer", poll.Result{Wait: time.Millisecond}, time.Second},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(c.result, done)
				if _, err := poll.Run(t.Context(), poll.Settings{}, s.tick); err != nil {
					t.Fatal(err)
				}
				if s.at[1] != c.want {
					t.Errorf("second tick after %v, want %v", s.at[1], c.want)
				}
			})
		})
	}
}

func TestNegativeWishIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(poll.Result{Wait: -time.Hour}, done)
		if _, err := poll.Run(t.Context(), poll.Settings{}, s.tick); err != nil {
			t.Fatal(err)
		}
		if s.at[1] < time.Second || s.at[1] > 2*time.Second {
			t.Errorf("second tick after %v, want the pace of its own", s.at[1])
		}
	})
}

func TestWishBeyondDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		asked := &fault{text: "quota", delay: 2 * time.Minute}
		s := newScript(failed(asked))
		polls, err := poll.Run(ctx, poll.Settings{}, s.tick)
		if polls != 1 || time.Since(s.start) != 0 {
			t.Errorf("%d ticks in %v, want one and no pause", polls, time.Since(s.start))
		}
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, asked) {
			t.Errorf("err = %v; want it to be both the deadline and the failed read", err)
		}
		want := "stopped after 0s and 1 polls: the server asks for a pause of 2m0s, which is beyond the deadline in 1m0s: " +
			"context deadline exceeded; the last read failed: quota"
		if err == nil || err.Error() != want {
			t.Errorf("text = %v\nwant   %s", err, want)
		}
	})
}

// A good answer with a wish beyond the deadline is no failure: the wait sleeps until the deadline, since only that
// keeps the promise to wait as long as the context allows.
func TestWishBeyondDeadlineAfterGoodRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s := newScript(poll.Result{Wait: 2 * time.Minute})
		polls, err := poll.Run(ctx, poll.Settings{}, s.tick)
		if polls != 1 || time.Since(s.start) != time.Minute || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %d, %v after %v", polls, err, time.Since(s.start))
		}
	})
}

func TestTolerance(t *testing.T) {
	steady := poll.Backoff{Initial: 20 * time.Second, Max: 20 * time.Second}
	cases := []struct {
		why       string
		tolerance time.Duration
		low, high time.Duration // when the wait ends
	}{
		{"two minutes by default", 0, 2 * time.Minute, 2*time.Minute + 20*time.Second},
		{"as set", time.Hour, time.Hour, time.Hour + 20*time.Second},
		{"none", -1, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(failed(busy))
				_, err := poll.Run(t.Context(), poll.Settings{Backoff: steady, Tolerance: c.tolerance}, s.tick)
				if took := time.Since(s.start); took < c.low || took > c.high {
					t.Errorf("ended after %v, want between %v and %v", took, c.low, c.high)
				}
				stopped, ok := errors.AsType[*poll.Stopped](err)
				if !ok || stopped.Last != busy || stopped.Cause != nil || stopped.Ctx != nil {
					t.Errorf("err = %#v; want a Stopped by nothing but the read", err)
				}
				if ok && (stopped.Polls != len(s.at) || stopped.Elapsed != time.Since(s.start)) {
					t.Errorf("Stopped after %d polls and %v; want %d, %v", stopped.Polls, stopped.Elapsed, len(s.at), time.Since(s.start))
				}
			})
		})
	}
}

func TestGoodReadResetsTolerance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Pauses of 30 to 60 seconds: two failures in a row stay within two minutes, and twenty rows of two with a
		// good read after each are far beyond.
		var results []poll.Result
		for range 20 {
			results = append(results, failed(busy), failed(busy), running)
		}
		s := newScript(append(results, done)...)
		pace := poll.Backoff{Initial: time.Minute, Max: time.Minute}
		polls, err := poll.Run(t.Context(), poll.Settings{Backoff: pace}, s.tick)
		if polls != 61 || err != nil {
			t.Errorf("Run = %d, %v; want 61 ticks and success", polls, err)
		}
	})
}

func TestPermanentFailureEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := &fault{text: "denied", permanent: true}
		s := newScript(running, failed(busy), failed(denied))
		polls, err := poll.Run(t.Context(), poll.Settings{}, s.tick)
		if polls != 3 || !errors.Is(err, denied) || errors.Is(err, busy) {
			t.Errorf("Run = %d, %v; want to end with the third tick", polls, err)
		}
		if err == nil || !strings.HasSuffix(err.Error(), "and 3 polls: denied") {
			t.Errorf("text = %v", err)
		}
	})
}

// Done together with an error is a contradiction, and a wait must never make a success of one.
func TestErrorWinsOverDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := &fault{text: "denied", permanent: true}
		s := newScript(poll.Result{Done: true, Err: busy}, poll.Result{Done: true, Err: denied})
		polls, err := poll.Run(t.Context(), poll.Settings{}, s.tick)
		if polls != 2 || !errors.Is(err, denied) {
			t.Errorf("Run = %d, %v; want the first error borne and the second to end it", polls, err)
		}
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := errors.New("other")
		s := newScript(
			poll.Result{News: []poll.Progress{{Name: "a", Message: "begun"}, {Name: "b", Err: other}}, Wait: 10 * time.Second},
			poll.Result{Err: busy, Wait: 10 * time.Second},
			poll.Result{Err: busy, News: []poll.Progress{{Name: "a", Pending: 1}}, Wait: 10 * time.Second},
			running,
			poll.Result{Done: true, News: []poll.Progress{{Name: "a", Done: true}}},
		)
		var got []poll.Progress
		_, err := poll.Run(t.Context(), poll.Settings{Progress: func(p poll.Progress) {
			if p.Polls == 5 {
				p.Elapsed = 0 // drawn by lot
			}
			got = append(got, p)
		}}, s.tick)
		if err != nil {
			t.Fatal(err)
		}
		want := []poll.Progress{
			{Name: "a", Message: "begun", Polls: 1},
			{Name: "b", Polls: 1, Err: other},
			{Polls: 2, Elapsed: 10 * time.Second, Err: busy},
			{Name: "a", Pending: 1, Polls: 3, Elapsed: 20 * time.Second, Err: busy},
			{Name: "a", Done: true, Polls: 5},
		}
		if len(got) != len(want) {
			t.Fatalf("got %d pieces of news, want %d: %v", len(got), len(want), got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("news %d = %+v\n    want %+v", i, got[i], want[i])
			}
		}
	})
}

func TestCancelFromProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newScript(poll.Result{News: []poll.Progress{{Name: "a"}}})
		polls, err := poll.Run(ctx, poll.Settings{Progress: func(poll.Progress) { cancel() }}, s.tick)
		if polls != 1 || !errors.Is(err, context.Canceled) || time.Since(s.start) != 0 {
			t.Errorf("Run = %d, %v after %v; want to end at once", polls, err, time.Since(s.start))
		}
	})
}

// TestAdaptedPauses: growth begins anew after a change, a slow read slows the pace, and an old answer makes up for a part
// of the pause.
func TestAdaptedPauses(t *testing.T) {
	lively := poll.Result{Lively: true}
	cases := []struct {
		why      string
		results  []poll.Result
		low, top time.Duration // of the last pause
	}{
		{"a change after five pauses", []poll.Result{running, running, running, running, running, lively}, time.Second, 2 * time.Second},
		{"the pause after that", []poll.Result{running, running, running, running, lively, running}, 1500 * time.Millisecond, 3 * time.Second},
		{"a read of three seconds", []poll.Result{{Cost: 3 * time.Second}}, 30 * time.Second, 30 * time.Second},
		{"a read of a minute", []poll.Result{{Cost: time.Minute}}, 5 * time.Minute, 5 * time.Minute},
		{"a quick read", []poll.Result{{Cost: time.Millisecond}}, time.Second, 2 * time.Second},
		{"a slow read and a wish", []poll.Result{{Cost: time.Minute, Wait: 7 * time.Second}}, 7 * time.Second, 7 * time.Second},
		{"a clock that was set back", []poll.Result{{Cost: -time.Hour, Age: -time.Hour}}, time.Second, 2 * time.Second},
		{"an answer of two seconds ago", []poll.Result{{Cost: time.Second, Age: 2 * time.Second}}, 8 * time.Second, 8 * time.Second},
		{"an old answer", []poll.Result{{Cost: time.Second, Age: time.Hour}}, 5 * time.Second, 5 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(append(c.results, done)...)
				var told []time.Duration
				settings := poll.Settings{Paused: func(d time.Duration) { told = append(told, d) }}
				if _, err := poll.Run(t.Context(), settings, s.tick); err != nil {
					t.Fatal(err)
				}
				gaps := s.gaps()
				if last := gaps[len(gaps)-1]; last < c.low || last > c.top {
					t.Errorf("last pause is %v, want one in [%v, %v]", last, c.low, c.top)
				}
				if !slices.Equal(told, gaps) {
					t.Errorf("told of %v, paused %v", told, gaps)
				}
			})
		})
	}
}

// TestRounds: one for each tick, and one for the end, whatever the end.
func TestRounds(t *testing.T) {
	counts := map[string]int{"a": 1}
	synctest.Test(t, func(t *testing.T) {
		for _, last := range []poll.Result{done, failed(errors.New("for good"))} {
			s := newScript(poll.Result{Counts: counts}, failed(busy), last)
			var got []string
			settings := poll.Settings{Round: func(r poll.Round) {
				got = append(got, fmt.Sprint(r.Polls, r.Counts, r.Err, r.End))
			}}
			_, err := poll.Run(t.Context(), settings, s.tick)
			want := []string{"1 map[a:1] <nil> false", "2 map[a:1] busy false", "3 map[a:1] <nil> false", "3 map[a:1] <nil> true"}
			if err != nil {
				want = slices.Delete(want, 2, 3) // the failure is the result
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// TestLoop: whoever steps late does not pause any more.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(running, running, done)
		l := poll.NewLoop(poll.Settings{}, s.tick)
		for i, wait := range []time.Duration{time.Hour, 0, 0} {
			finished, err := l.Step(t.Context())
			if err != nil || finished != (i == 2) || l.Polls() != i+1 {
				t.Errorf("step %d: %v, %v after %d", i, finished, err, l.Polls())
			}
			time.Sleep(wait)
		}
		if gaps := s.gaps(); gaps[0] != time.Hour || gaps[1] > 3*time.Second || l.Elapsed() != gaps[0]+gaps[1] {
			t.Errorf("pauses of %v, %v in all", gaps, l.Elapsed())
		}
	})
}

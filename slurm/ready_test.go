package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

const (
	noController = "1800 Unable to contact slurm controller"
	lookAt       = "look at what that changed in config and partitions, such as PreemptType with PreemptMode"
)

// phase is how the controller is from a moment on, counted from the beginning of the wait.
type phase struct {
	from time.Duration
	down bool
}

// play takes the controller down and up again.
func (b *bed) play(phases ...phase) {
	for _, p := range phases {
		if p.from == 0 {
			b.srv.SetControllerDown(p.down)
			continue
		}
		time.AfterFunc(p.from, func() { b.srv.SetControllerDown(p.down) })
	}
}

func TestWaitReady(t *testing.T) {
	const down, up, never = true, false, time.Hour
	for _, tt := range []struct {
		why      string
		opts     []slurm.ReadyOption
		phases   []phase
		after    time.Duration // when it ends at the earliest; at the latest, two pauses later, of 5 seconds and of 1
		ready    bool
		min, max int // pings
		says     string
	}{
		{"up all along", nil, nil, 20 * time.Second, true, 5, 11, ""},
		{"down right away, for good", nil, []phase{{0, down}}, 5 * time.Minute, false, 60, 130, "has not answered for 5m0s"},
		{"up at first, and then down for good: what a single ping misses", nil, []phase{{10 * time.Second, down}},
			5 * time.Minute, false, 60, 130, "has not answered for 4m"},
		{"down, and back in time", nil, []phase{{0, down}, {time.Minute, up}}, 80 * time.Second, true, 16, 40, ""},
		{"down only after some time, and back", nil, []phase{{10 * time.Second, down}, {40 * time.Second, up}}, time.Minute, true, 12, 40, ""},
		{"back too late to settle", nil, []phase{{0, down}, {290 * time.Second, up}}, 5 * time.Minute, false, 60, 130,
			"was not seen to answer for a whole 20s"},
		{"back later than the default bound", []slurm.ReadyOption{slurm.GiveUpAfter(15 * time.Minute)},
			[]phase{{0, down}, {10 * time.Minute, up}}, 620 * time.Second, true, 120, 260, ""},
		{"another bound", []slurm.ReadyOption{slurm.GiveUpAfter(time.Minute)}, []phase{{0, down}}, time.Minute, false, 12, 30, "has not answered for 1m0s"},
		{"a longer settling time", []slurm.ReadyOption{nil, slurm.SettleFor(time.Minute)}, nil, time.Minute, true, 12, 30, ""},
		{"a longer settling time sees more", []slurm.ReadyOption{slurm.SettleFor(time.Minute)},
			[]phase{{30 * time.Second, down}, {40 * time.Second, up}}, 100 * time.Second, true, 20, 50, ""},
		{"a single answer", []slurm.ReadyOption{slurm.SettleFor(0)}, []phase{{time.Second, down}}, 0, true, 1, 1, ""},
		{"no bound", []slurm.ReadyOption{slurm.GiveUpAfter(0)}, []phase{{0, down}, {never, up}}, never + 20*time.Second, true, 720, 1500, ""},
	} {
		t.Run(tt.why, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				b.play(tt.phases...)
				start := time.Now()
				err := b.WaitReady(t.Context(), tt.opts...)
				if took := time.Since(start); took < tt.after || took > tt.after+6*time.Second || !tt.ready && took != tt.after {
					t.Errorf("ended after %v, want %v", took, tt.after)
				}
				if n := len(b.paths()); n < tt.min || n > tt.max {
					t.Errorf("%d pings, want %d to %d", n, tt.min, tt.max)
				}
				if tt.ready {
					if err != nil {
						t.Error(err)
					}
					return
				}
				e := notReady(t, err)
				if !errors.Is(err, slurm.ErrUnavailable) || e.Ctx != nil || e.Cause != nil || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v: %#v", err, e)
				}
				if e.Cluster != "training" || e.Pings != len(b.paths()) || e.Elapsed != tt.after {
					t.Errorf("got %+v", e)
				}
				for _, want := range []string{"slurm: the Slurm controller of cluster training " + tt.says, noController, lookAt,
					fmt.Sprintf("(%d pings in %v)", e.Pings, e.Elapsed), "the update before it may have succeeded all the same"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q lacks %q", err, want)
					}
				}
			})
		})
	}
}

// notReady checks what all failures have in common.
func notReady(t *testing.T, err error) *slurm.ReadyError {
	t.Helper()
	var e *slurm.ReadyError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *ReadyError", err)
	}
	if text := err.Error(); strings.ContainsAny(text, "\n") || strings.Count(text, "slurm: ") != 1 || !strings.HasPrefix(text, "slurm: ") {
		t.Errorf("%q is not one line of this package", text)
	}
	return e
}

// TestWaitReadyComesToAnEnd as soon as the controller has settled, not only after the next pause.
func TestWaitReadyComesToAnEnd(t *testing.T) {
	for range 20 { // the pauses are drawn by lot
		inBubble(t, func(t *testing.T, b *bed) {
			if err := b.WaitReady(t.Context(), slurm.GiveUpAfter(21*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWaitReadyEndsAtOnce after a failure that no time heals.
func TestWaitReadyEndsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		start := time.Now()
		lost, err := slurm.NewClient(callerOf(t, b), "nowhere")
		if err != nil {
			t.Fatal(err)
		}
		old, err := slurm.NewClient(callerOf(t, b), "training", slurm.WithVersion("v0.0.99"))
		if err != nil {
			t.Fatal(err)
		}
		b.platform.Deny("aiplatform.modelDevelopmentClusters.run")
		denied := b.WaitReady(t.Context())
		b.platform.Allow("aiplatform.modelDevelopmentClusters.run")
		for what, got := range map[string]struct{ err, kind error }{
			"permission": {denied, cluster.ErrPermissionDenied},
			"cluster":    {lost.WaitReady(t.Context()), cluster.ErrNotFound},
			"version":    {old.WaitReady(t.Context()), slurm.ErrUnknownPath},
		} {
			e := notReady(t, got.err)
			if !errors.Is(got.err, got.kind) || e.Pings != 1 || !strings.Contains(got.err.Error(), " cannot be asked (1 ping in ") ||
				!strings.HasSuffix(got.err.Error(), "; that is no verdict on the update before it, which may have succeeded") {
				t.Errorf("%s: %v", what, got.err)
			}
		}
		if time.Since(start) != 0 {
			t.Errorf("ended after %v", time.Since(start))
		}
	})
}

func callerOf(t *testing.T, b *bed) slurm.Caller {
	t.Helper()
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.platform.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWaitReadyBearsThePlatform while it cannot reach the cluster, and pings that nobody answers.
func TestWaitReadyBearsThePlatform(t *testing.T) {
	for name, fault := range map[string]clustertest.Fault{
		"unavailable":  {Verb: clustertest.VerbCallSlurm, Times: -1},
		"disconnected": {Verb: clustertest.VerbCallSlurm, Times: -1, Kind: clustertest.FaultDropBefore},
		"silent":       {Verb: clustertest.VerbCallSlurm, Times: -1, Kind: clustertest.FaultDelay, Delay: 1000 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bed) {
				b.platform.Inject(fault)
				start := time.Now()
				err := b.WaitReady(t.Context())
				e := notReady(t, err)
				var call *cluster.Error
				if time.Since(start) != 5*time.Minute || e.Ctx != nil || e.Silence != 5*time.Minute || !errors.As(e.Last, &call) {
					t.Errorf("%v after %v", err, time.Since(start))
				}
				time.AfterFunc(2*time.Minute, b.platform.ClearFaults)
				if err := b.WaitReady(t.Context()); err != nil {
					t.Errorf("the platform is back: %v", err)
				}
			})
		})
	}
}

// TestWaitReadyKeepsThePauseOfThePlatform, and does not sleep towards a certain end.
func TestWaitReadyKeepsThePauseOfThePlatform(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Times: -1, RetryAfter: 2 * time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		e := notReady(t, b.WaitReady(ctx))
		if time.Since(start) != 0 || e.Ctx != context.DeadlineExceeded || e.Last == nil || e.Silence <= 0 {
			t.Errorf("%v: %+v after %v", e, e, time.Since(start))
		}
		// Pings at 0, 2 and 4 minutes, and no more than that.
		if e := notReady(t, b.WaitReady(t.Context())); e.Ctx != nil || e.Pings != 3 {
			t.Errorf("%v: %+v", e, e)
		}
	})
}

func TestWaitReadyRefusesABoundThatIsTooShort(t *testing.T) {
	b := newBed(t)
	err := b.WaitReady(t.Context(), slurm.SettleFor(time.Minute), slurm.GiveUpAfter(time.Minute))
	if got := inputProblems(t, err)["GiveUpAfter"]; !strings.Contains(got, "1m0s would end the wait") || len(b.paths()) != 0 {
		t.Errorf("got %v after %q", err, b.paths())
	}
}

// TestUntilReady is what it is all for: the operation of the update succeeds, and some seconds later the settings reach
// the controller, which cannot start with them.
func TestUntilReady(t *testing.T) {
	for _, deadly := range []bool{false, true} {
		inBubble(t, func(t *testing.T, b *bed) {
			c := callerOf(t, b).(*cluster.Client)
			m, err := c.GetCluster(t.Context(), "training")
			if err != nil {
				t.Fatal(err)
			}
			m.Slurm().Partitions[0].Config = cluster.SlurmConfig{"AllowQos": "nobody_has_defined_this"}
			op, err := c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathPartitions}, cluster.UpdateModeUserOnly)
			if err != nil {
				t.Fatal(err)
			}
			synced := lro.Then(func(context.Context) error {
				b.play(phase{10 * time.Second, deadly})
				return nil
			})
			err = op.Wait(t.Context(), synced, b.UntilReady())
			var failed *lro.OperationError
			var watching *lro.WaitError
			switch {
			case !op.State().Succeeded():
				t.Errorf("the update has not succeeded: %v", op)
			case !deadly && err != nil:
				t.Error(err)
			case deadly && (errors.As(err, &failed) || errors.As(err, &watching) || notReady(t, err).Pings < 60):
				t.Errorf("got %v", err)
			}
			if _, err := b.Ping(t.Context()); (err != nil) != deadly {
				t.Errorf("a ping afterwards: %v", err)
			}
		})
	}
}

// TestUntilReadyAfterFailure does not ask about what was not changed.
func TestUntilReadyAfterFailure(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		b.platform.FailNextOperation(clustertest.VerbDelete, "INTERNAL", "no luck")
		op, err := callerOf(t, b).(*cluster.Client).DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		var failed *lro.OperationError
		if err := op.Wait(t.Context(), b.UntilReady()); !errors.As(err, &failed) || len(b.paths()) != 0 {
			t.Errorf("got %v after %q", err, b.paths())
		}
	})
}

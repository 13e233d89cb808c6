package lro_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// TestManyHands uses one Operation from 32 goroutines in every way there is. Under the race detector it shows that
// this is safe; in any case that all see the same end and that nobody reads after it.
func TestManyHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService()
		answer := runs(nameA, "provisioning")
		answer.takes = 10 * time.Millisecond
		var once sync.Once
		ended := s.start.Add(10 * time.Minute)
		answer.then = func(context.Context) {
			if time.Now().After(ended) {
				once.Do(func() {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.script[nameA] = []step{fails(nameA, 8, "no quota")}
				})
			}
		}
		s.add(nameA, answer)
		op := lro.New(s, nameA)
		var group sync.WaitGroup
		for i := range 32 {
			group.Go(func() {
				var err error
				switch i % 4 {
				case 0:
					err = op.Wait(t.Context(), lro.OnProgress(func(lro.Progress) { _ = op.String() }))
				case 1:
					err = lro.WaitAll(t.Context(), []*lro.Operation{op, op})
				case 2:
					for !op.Done() {
						_, _ = op.Poll(t.Context()) // the one after the end counts
						time.Sleep(3 * time.Second)
					}
					_, err = op.Poll(t.Context())
				case 3:
					for !op.State().Done {
						if op.State().Err != nil {
							t.Error("a running operation has failed")
						}
						time.Sleep(time.Second)
					}
					err = op.State().Err
				}
				if failure, ok := errors.AsType[*lro.OperationError](err); !ok || failure.Message != "no quota" {
					t.Errorf("hand %d: %v", i, err)
				}
			})
		}
		group.Wait()
		reads := s.count(nameA)
		if _, err := op.Poll(t.Context()); err == nil || s.count(nameA) != reads {
			t.Errorf("read after the end: %v", err)
		}
	})
}

// TestOvertaking sends a second read while the first is under way, and lets the answers come in out of order.
func TestOvertaking(t *testing.T) {
	slow := func(s step) step {
		s.takes = 2 * time.Minute
		return s
	}
	for _, c := range []struct {
		why           string
		first, second step
		done          bool
		message       string
	}{
		{"a newer message stays", slow(runs(nameA, "old")), runs(nameA, "new"), false, "new"},
		{"the end stays", slow(runs(nameA, "old")), succeeds(nameA), true, ""},
		{"the end counts whenever it comes in", slow(succeeds(nameA)), runs(nameA, "new"), true, ""},
		{"nothing comes after the end", succeeds(nameA), slow(runs(nameA, "new")), true, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.first.takes += time.Second // so that the second is sent meanwhile
				s := serving(nameA, c.first, c.second)
				op := lro.New(s, nameA)
				var group sync.WaitGroup
				for range 2 {
					group.Go(func() {
						if _, err := op.Poll(t.Context()); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
				}
				group.Wait()
				if state := op.State(); state.Done != c.done || state.Message != c.message || s.count(nameA) != 2 {
					t.Errorf("state = %+v after %d reads", state, s.count(nameA))
				}
			})
		})
	}
}

// A read that fails after another hand has seen the end has nothing to tell.
func TestFailureAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, step{err: forbidden(), takes: time.Minute}, succeeds(nameA))
		op := lro.New(s, nameA)
		time.AfterFunc(time.Second, func() {
			if _, err := op.Poll(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if err := op.Wait(t.Context(), lro.OnProgress(func(p lro.Progress) {
			if !p.Done || p.Err != nil {
				t.Errorf("told of %+v", p)
			}
		})); err != nil || s.count(nameA) != 2 {
			t.Errorf("Wait = %v after %d reads", err, s.count(nameA))
		}
	})
}

// A wait reads nothing after another hand has seen the end.
func TestWaitLearnsFromOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, runs(nameA, ""), succeeds(nameA))
		op := lro.New(s, nameA)
		time.AfterFunc(time.Second, func() {
			if _, err := op.Poll(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if err := op.Wait(t.Context(), fixed(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if s.count(nameA) != 2 {
			t.Errorf("%d reads, want 2", s.count(nameA))
		}
	})
}

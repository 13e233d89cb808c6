package lro_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// TestPanicsReachTheCaller: what a Service throws arrives where the wait was called, once nothing of the wait runs any
// more. A single read is on that goroutine by itself.
func TestPanicsReachTheCaller(t *testing.T) {
	thrown := errors.New("thrown")
	for n := 1; n <= 20; n += 19 {
		synctest.Test(t, func(t *testing.T) {
			s := newService()
			var names []string
			for i := range n {
				name := fmt.Sprintf("%s/operations/%d", parent, i)
				names = append(names, name)
				answer := runs(name, "")
				answer.takes = 30 * time.Second // unless it is told to stop
				s.add(name, answer)
			}
			s.add(names[0], step{then: func(context.Context) { throw(thrown) }, takes: time.Second})
			start := time.Now()
			defer func() {
				got := recover()
				if n > 1 {
					p, ok := got.(*lro.Panic)
					if !ok || !strings.Contains(string(p.Stack), "lro_test.throw") || !strings.Contains(p.String(), "thrown") ||
						!strings.Contains(p.String(), "lro_test.throw") {
						t.Fatalf("recovered %v", got)
					}
					got = p.Value
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if got != thrown || s.active > 0 || len(s.at) != min(n, 8) || time.Since(start) != time.Second {
					t.Errorf("%d operations: recovered %v, while %d reads of %d go on, after %v", n, got, s.active, len(s.at), time.Since(start))
				}
			}()
			t.Errorf("the wait returns %v", lro.WaitAll(t.Context(), resume(s, names...)))
		})
	}
}

// throw panics, in a frame that can be told from others.
//
//go:noinline
func throw(err error) { panic(err) }

// TestGoexitReachesTheCaller, as t.FailNow in a fake Service does.
func TestGoexitReachesTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService().
			add(nameA, step{then: func(context.Context) { runtime.Goexit() }}).
			add(nameB, runs(nameB, ""))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		returned := make(chan error, 1)
		go func() {
			defer close(returned)
			returned <- lro.WaitAll(ctx, resume(s, nameA, nameB))
		}()
		if err, ok := <-returned; ok {
			t.Errorf("the wait returns %v", err)
		}
	})
}

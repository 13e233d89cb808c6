package lro_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// idle is a Service with one answer, which costs no allocation of its own. It ends a wait after some reads.
type idle struct {
	reading lro.Reading
	left    int
	end     func()
}

func (s *idle) ReadOperation(context.Context, string) (*lro.Reading, error) {
	if s.left--; s.left == 0 {
		s.end()
	}
	return &s.reading, nil
}

func (s *idle) CancelOperation(context.Context, string) error { return nil }

// TestPollAllocations: one read of an operation that runs.
func TestPollAllocations(t *testing.T) {
	const most = 35 // 27 with Go 1.26
	s := &idle{reading: lro.Reading{Body: []byte(runs(nameA, "provisioning").body)}}
	op := lro.New(s, nameA)
	allocs := testing.AllocsPerRun(200, func() {
		if _, err := op.Poll(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > most*allocFactor {
		t.Errorf("a poll makes %v allocations, more than %d", allocs, most*allocFactor)
	}
}

// TestWaitAllocations: one read of a wait, with the pause before it.
func TestWaitAllocations(t *testing.T) {
	const most = 42 // 33 with Go 1.26
	synctest.Test(t, func(t *testing.T) {
		s := &idle{reading: lro.Reading{Body: []byte(runs(nameA, "provisioning").body)}}
		reads := func(n int) uint64 {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.left, s.end = n, cancel
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var watching *lro.WaitError
			if err := lro.New(s, nameA).Wait(ctx, fixed(time.Second)); !errors.As(err, &watching) {
				t.Errorf("got %v", err)
			}
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		reads(10)
		few, many := reads(10), reads(1010)
		perRead := int(many-few) / 1000
		if perRead > most*allocFactor {
			t.Errorf("a read makes %d allocations, more than %d", perRead, most*allocFactor)
		}
	})
}

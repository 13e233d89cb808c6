package lro_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/endings"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

var errWindow = errors.New("maintenance window over")

// TestEndings of the context, at each moment and in each way.
func TestEndings(t *testing.T) {
	endings.Run(t, []endings.Wait{
		{Name: "Wait", Remember: true, Begin: func(_ *testing.T, line *endings.Line) endings.Work {
			s := onLine(line, nameA)
			op := lro.New(s, nameA)
			return s.work(func(ctx context.Context) error { return op.Wait(ctx, fixed(endings.Pause)) })
		}},
		{Name: "WaitAll", Remember: true, Reads: 3, Later: 2, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			s := onLine(line, nameB, nameC).add(nameA, fails(nameA, 8, "no quota"))
			ops := resume(s, nameA, nameB, nameC)
			work := s.work(func(ctx context.Context) error { return lro.WaitAll(ctx, ops, fixed(endings.Pause)) })
			work.Unread = []string{nameA, nameB, nameC}
			work.Kept = func(err error) {
				if failure, ok := errors.AsType[*lro.OperationError](err); !ok || failure.Name != nameA {
					t.Errorf("the failure that was known is lost: %v", err)
				}
			}
			return work
		}},
	})
}

// lined is a service whose reads go over a line.
type lined struct {
	*service
	line  *endings.Line
	names []string
}

// onLine returns a service on which the operations run.
func onLine(line *endings.Line, names ...string) *lined {
	s := &lined{newService(), line, names}
	s.all(func(name string) step { return runs(name, "") })
	return s
}

func (s *lined) add(name string, steps ...step) *lined {
	s.service.add(name, steps...)
	return s
}

// all gives every read of the operations the same answer.
func (s *lined) all(answer func(name string) step) {
	for _, name := range s.names {
		s.service.add(name, answer(name))
	}
}

func (s *lined) ReadOperation(ctx context.Context, name string) (*lro.Reading, error) {
	if err := s.line.Read(ctx); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return s.service.ReadOperation(ctx, name)
}

func (s *lined) work(wait func(context.Context) error) endings.Work {
	down := func(delay time.Duration) func() {
		return func() {
			for name := range s.script {
				failure := unavailable()
				failure.delay = delay
				s.service.add(name, step{err: failure})
			}
		}
	}
	return endings.Work{
		Wait: wait, Pending: s.names, Finish: func() { s.all(succeeds) }, Fail: down(0), Busy: down(30 * time.Second),
	}
}

// TestSilentReadDoesNotHoldTheWait: a connection that has gone silent ends no read by itself, and the deadline of a
// wait may be a day away.
func TestSilentReadDoesNotHoldTheWait(t *testing.T) {
	for _, names := range [][]string{{nameA}, {nameA, nameB}} {
		synctest.Test(t, func(t *testing.T) {
			s := newService()
			var ops []*lro.Operation
			for _, name := range names {
				s.add(name, runs(name, ""), step{takes: 1000 * time.Hour}, step{takes: 1000 * time.Hour}, succeeds(name))
				ops = append(ops, lro.New(s, name))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
			defer cancel()
			var borne []error
			err := lro.WaitAll(ctx, ops, lro.OnProgress(func(p lro.Progress) {
				if p.Err != nil {
					borne = append(borne, p.Err)
				}
			}))
			if took := time.Since(s.start); err != nil || took > 3*time.Minute {
				t.Errorf("%d operations: %v after %v", len(names), err, took)
			}
			if len(borne) != 2*len(names) || !errors.Is(borne[0], context.DeadlineExceeded) {
				t.Errorf("%d operations: borne %v", len(names), borne)
			}
		})
	}
}

// TestSilenceEndsTheWait in the end, as a failed read and not as the end of the context.
func TestSilenceEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, step{takes: 1000 * time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		err := lro.New(s, nameA).Wait(ctx)
		var ended *lro.WaitError
		if !errors.As(err, &ended) || ended.Ctx != nil || ended.Last == nil || ended.Elapsed > 10*time.Minute {
			t.Errorf("%v: %#v", err, ended)
		}
	})
}

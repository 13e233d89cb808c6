package lro_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

func resume(s lro.Service, names ...string) []*lro.Operation {
	ops := make([]*lro.Operation, len(names))
	for i, name := range names {
		ops[i] = lro.New(s, name)
	}
	return ops
}

func TestWaitAllOfNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := lro.WaitAll(ctx, nil); err != nil {
		t.Errorf("WaitAll(nil) = %v", err)
	}
}

func TestWaitAllRefusesBeforeReading(t *testing.T) {
	s := serving(nameA, succeeds(nameA))
	for want, ops := range map[string][]*lro.Operation{
		"lro: operation 2 of 3 to wait for is nil":                                                                {lro.New(s, nameA), nil, lro.New(s, nameB)},
		`lro: operation name "42" has 1 parts instead of 6; want projects/PROJECT/locations/REGION/operations/ID`: {lro.New(s, nameA), lro.New(s, "42")},
	} {
		if err := lro.WaitAll(t.Context(), ops); err == nil || err.Error() != want {
			t.Errorf("WaitAll = %v, want %s", err, want)
		}
	}
	if s.count(nameA) != 0 {
		t.Error("something was read")
	}
}

func TestWaitAllJoinsFailuresInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService().
			add(nameA, runs(nameA, ""), runs(nameA, ""), fails(nameA, 8, "no quota")).
			add(nameB, succeeds(nameB)).
			add(nameC, fails(nameC, 3, "no zone"))
		ops := resume(s, nameA, nameB, nameC)
		// Twice in the list is read and told once.
		err := lro.WaitAll(t.Context(), append(ops, ops[0], ops[2]))
		want := "lro: operation " + nameA + " failed: RESOURCE_EXHAUSTED: no quota\n" +
			"lro: operation " + nameC + " failed: INVALID_ARGUMENT: no zone"
		if err == nil || err.Error() != want {
			t.Errorf("WaitAll = %v\nwant %s", err, want)
		}
		if s.count(nameA) != 3 || s.count(nameB) != 1 || s.count(nameC) != 1 {
			t.Errorf("reads = %v", s.reads)
		}
		if _, ok := errors.AsType[*lro.WaitError](err); ok {
			t.Error("a *WaitError, though all have finished")
		}
	})
}

func TestWaitAllOfTwoHundred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService()
		var names []string
		var wantReads, wantFailed int
		for i := range 200 {
			name := fmt.Sprintf("%s/operations/%d", parent, 5000+i)
			var steps []step
			for range i % 7 {
				answer := runs(name, "")
				answer.takes = 100 * time.Millisecond
				steps = append(steps, answer)
			}
			end := succeeds(name)
			if i%50 == 49 {
				end = fails(name, 13, fmt.Sprint("number ", i))
				wantFailed++
			}
			wantReads += len(steps) + 1
			names = append(names, name)
			s.add(name, append(steps, end)...)
		}
		var last lro.Progress
		finished := 0
		err := lro.WaitAll(t.Context(), resume(s, names...), lro.OnProgress(func(p lro.Progress) {
			if last = p; p.Done {
				finished++
			}
			if p.Total != 200 || p.Done && p.Pending != 200-finished {
				t.Errorf("progress = %+v after %d have finished", p, finished)
			}
		}))
		var numbers []string
		for line := range strings.Lines(err.Error()) {
			numbers = append(numbers, strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
		}
		if !slices.Equal(numbers, []string{"49", "99", "149", "199"}) {
			t.Errorf("failed = %q in %d lines", numbers, wantFailed)
		}
		if len(s.at) != wantReads || s.most != 8 {
			t.Errorf("%d reads, at most %d at a time; want %d, 8", len(s.at), s.most, wantReads)
		}
		if finished != 200 || last.Polls != 7 || last.Pending != 0 {
			t.Errorf("%d finished, last news %+v", finished, last)
		}
	})
}

func TestWaitAllFailFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService().add(nameA, runs(nameA, "provisioning")).
			add(nameB, runs(nameB, ""), fails(nameB, 8, "no quota")).add(nameC, runs(nameC, "deleting"))
		err := lro.WaitAll(t.Context(), resume(s, nameA, nameB, nameC), lro.FailFast())
		failure, ok := errors.AsType[*lro.OperationError](err)
		if !ok || failure.Name != nameB {
			t.Errorf("failure = %v", failure)
		}
		e := waitError(t, err)
		if !slices.Equal(e.Pending, []string{nameA, nameC}) || e.Ctx != nil || e.Last != nil || e.Polls != 2 {
			t.Errorf("WaitError = %+v", e)
		}
		if text := e.Error(); !strings.HasPrefix(text, "lro: wait for "+nameA+", "+nameC+" ended after ") ||
			!strings.HasSuffix(text, " and 2 reads: another operation failed first; the work goes on and can be waited for again by name") {
			t.Errorf("text = %s", text)
		}
	})
}

// The last failure leaves nothing pending, so there is no watching to report about.
func TestWaitAllFailFastWithNothingLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService().add(nameA, fails(nameA, 3, "no")).add(nameB, succeeds(nameB))
		err := lro.WaitAll(t.Context(), resume(s, nameA, nameB), lro.FailFast())
		if _, ok := err.(*lro.OperationError); !ok {
			t.Errorf("WaitAll = %v (%T)", err, err)
		}
	})
}

func TestWaitAllEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := unavailable()
		s := newService().
			add(nameA, fails(nameA, 8, "no quota")).
			add(nameB, runs(nameB, "provisioning")).
			add(nameC, step{err: down})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errWindow)
		defer cancel()
		err := lro.WaitAll(ctx, resume(s, nameA, nameB, nameC))
		e := waitError(t, err)
		if !slices.Equal(e.Pending, []string{nameB, nameC}) || e.Elapsed != time.Minute || e.Last != down {
			t.Errorf("WaitError = %+v", e)
		}
		if failure, ok := errors.AsType[*lro.OperationError](err); !ok || failure.Name != nameA {
			t.Errorf("the failure that was known is lost: %v", err)
		}
		for _, target := range []error{context.DeadlineExceeded, errWindow, down} {
			if !errors.Is(err, target) {
				t.Errorf("%v is not %v", err, target)
			}
		}
	})
}

// One operation that cannot be read any more must cost the others neither their end nor their names.
func TestWaitAllGivesUpOnlyTheUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := missing(nameA)
		s := newService().
			add(nameA, step{err: gone}).
			add(nameB, runs(nameB, ""), runs(nameB, ""), succeeds(nameB))
		var told []lro.Progress
		err := lro.WaitAll(t.Context(), resume(s, nameA, nameB), lro.OnProgress(func(p lro.Progress) { told = append(told, p) }))
		e := waitError(t, err)
		if !slices.Equal(e.Pending, []string{nameA}) || e.Last != gone || e.Polls != 3 || s.count(nameA) != 1 {
			t.Errorf("WaitError = %+v, reads %v", e, s.reads)
		}
		if len(told) != 3 || told[0].Name != nameA || told[0].Err != gone || told[0].Pending != 1 {
			t.Errorf("progress = %+v; want to be told at once", told)
		}
	})
}

func TestWaitAllToleratesEachOnItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// B always answers, which must not make up for A, down for good.
		s := newService().add(nameA, step{err: unavailable()}).add(nameB, runs(nameB, ""))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var a, b int
		e := waitError(t, lro.WaitAll(ctx, resume(s, nameA, nameB), fixed(10*time.Second)))
		if a, b = s.count(nameA), s.count(nameB); a < 12 || a > 25 || b < 360 {
			t.Errorf("A was read %d times, B %d times; want A given up after 2 minutes and B not", a, b)
		}
		if !slices.Equal(e.Pending, []string{nameA, nameB}) || !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("WaitError = %+v", e)
		}
	})
}

func TestWaitAllHoldsBackOnlyWhoAskedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quota := step{err: &callError{text: "429", transient: true, delay: 95 * time.Second}}
		s := newService().
			add(nameA, quota, succeeds(nameA)).
			add(nameB, slices.Repeat([]step{runs(nameB, "")}, 5)...)
		ctx, cancel := context.WithTimeout(t.Context(), 120*time.Second)
		defer cancel()
		e := waitError(t, lro.WaitAll(ctx, resume(s, nameA, nameB), fixed(10*time.Second)))
		if !slices.Equal(e.Pending, []string{nameB}) || s.count(nameA) != 2 || s.count(nameB) < 12 {
			t.Errorf("pending %q, reads %v", e.Pending, s.reads)
		}
	})
}

// If all of them are to be left alone, the round comes when the first may be read again.
func TestWaitAllPausesForTheEarliestWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := runs(nameA, ""), runs(nameB, "")
		a.after, b.after = 40*time.Second, 100*time.Second
		s := newService().add(nameA, a, succeeds(nameA)).add(nameB, b, succeeds(nameB))
		if err := lro.WaitAll(t.Context(), resume(s, nameA, nameB)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.at[:3], []time.Duration{0, 0, 40 * time.Second}) || s.at[3] != 100*time.Second {
			t.Errorf("reads at %v", s.at)
		}
	})
}

func TestWaitErrorNamesAHandful(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		s := newService()
		for i := range 200 {
			name := fmt.Sprintf("%s/operations/%d", parent, 5000+i)
			names = append(names, name)
			s.add(name, step{err: forbidden()})
		}
		e := waitError(t, lro.WaitAll(t.Context(), resume(s, names...)))
		if !slices.Equal(e.Pending, names) || len(e.Unwrap()) != 200 {
			t.Errorf("%d pending, %d failures", len(e.Pending), len(e.Unwrap()))
		}
		want := "lro: wait for " + strings.Join(names[:3], ", ") + " and 197 more ended after 0s and 1 read: " +
			"cluster: read: PERMISSION_DENIED (and 199 similar failures); " +
			"that is no verdict on the work, which may go on and can be waited for again by name"
		if e.Error() != want {
			t.Errorf("text = %s\nwant   %s", e, want)
		}
	})
}

// Once the context is over, the rest of a round is not sent any more.
func TestWaitAllSendsNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newService()
		var names []string
		for i := range 100 {
			name := fmt.Sprintf("%s/operations/%d", parent, 5000+i)
			answer := runs(name, "")
			answer.takes = time.Second
			names = append(names, name)
			s.add(name, answer)
		}
		time.AfterFunc(1500*time.Millisecond, cancel)
		e := waitError(t, lro.WaitAll(ctx, resume(s, names...)))
		if len(s.at) != 16 || len(e.Pending) != 100 || e.Elapsed != 1500*time.Millisecond || e.Last != nil {
			t.Errorf("%d reads, %d pending after %v, last %v", len(s.at), len(e.Pending), e.Elapsed, e.Last)
		}
	})
}

// A package that waits for something else says so in the text.
func TestWaitErrorOfAnotherKind(t *testing.T) {
	e := &lro.WaitError{Op: "slurm: wait for job", Pending: []string{"42"}, Polls: 3, Elapsed: 90*time.Second + 300*time.Millisecond,
		Cause: context.Canceled, Ctx: context.Canceled}
	want := "slurm: wait for job 42 ended after 1m30s and 3 reads: context canceled; the work goes on and can be waited for again by name"
	if e.Error() != want {
		t.Errorf("text = %s\nwant   %s", e, want)
	}
	e = &lro.WaitError{Pending: []string{"42"}, Ctx: context.Canceled}
	if text := e.Error(); !strings.Contains(text, ": context canceled; ") {
		t.Errorf("text without a cause = %s", text)
	}
}

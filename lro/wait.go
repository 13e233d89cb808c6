package lro

import (
	"context"
	"errors"
	"fmt"
)

// Wait blocks until the operation has finished, and returns nil, an [*OperationError] if the work failed, or a
// [*WaitError] if only the watching ended; [Then] adds what else has to hold after a success. A name that cannot be one
// is reported before anything is sent, by another error. A finished operation is not read at all. It starts no
// goroutine, and any number of waits on one Operation may run at once.
//
// The first read comes at once, then one after each pause; see [WithBackoff] for the pace and [WithTolerance] for
// failed reads. There is no limit in time but ctx, which ends the wait within a read or a pause.
func (o *Operation) Wait(ctx context.Context, opts ...WaitOption) error {
	return waitAll(ctx, []*Operation{o}, opts)
}

// WaitAll blocks until all of ops have finished, and returns nil if all of them succeeded. Otherwise it joins, see
// [errors.Join], the [*OperationError] of each operation that failed, in the order of ops, and, if the watching of
// some has ended before they did, one [*WaitError] that names all of those. With [FailFast] the first failure ends
// the wait.
//
// Each round reads all operations that have not finished, at most eight at a time; no goroutine outlives its round. A panic
// of the Service there becomes one of WaitAll when the other reads have stopped: a [*Panic], or the value itself in a round
// that reads a single operation.
// A pause that the service asks for holds back the operation it was said about, and the others go on. So does a
// read that fails for good: its operation is not read any more and is named by the *WaitError in the end. An
// operation that ops holds twice is read and reported once. An entry that is nil or has an impossible name is
// refused before anything is sent; an empty ops is nothing to wait for, and what [Then] added runs at once.
func WaitAll(ctx context.Context, ops []*Operation, opts ...WaitOption) error {
	return waitAll(ctx, ops, opts)
}

func waitAll(ctx context.Context, ops []*Operation, opts []WaitOption) error {
	for i, o := range ops {
		if o == nil {
			return fmt.Errorf("lro: operation %d of %d to wait for is nil", i+1, len(ops))
		}
		if err := o.usable(); err != nil {
			return err
		}
	}
	s := settings(opts)
	if len(ops) == 0 {
		return s.Finish(ctx)
	}
	switch errs := newWatch(ops, s).run(ctx); len(errs) {
	case 0:
		return s.Finish(ctx)
	case 1:
		return errs[0]
	default:
		return errors.Join(errs...)
	}
}

package lro

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// readers is how many operations are read at a time: enough to go through 200 of them in a few seconds, and few
// enough not to run into the limits of a project's requests.
const readers = 8

// Panic is what [WaitAll] panics with, on the goroutine that called it, when a [Service] has panicked in a read on another
// one. A wait for a single operation reads on the caller's goroutine, which a panic reaches by itself.
type Panic struct {
	Value any    // what the Service panicked with
	Stack []byte // where
}

// String is the value and the stack, which the runtime prints if nobody recovers.
func (p *Panic) String() string {
	return fmt.Sprintf("%v\n\nlro: this is a panic of a read in WaitAll:\n%s", p.Value, p.Stack)
}

// readAll reads each item once. A single one is read on the caller's goroutine.
func readAll(ctx context.Context, items []*item) {
	if len(items) == 1 {
		items[0].read(ctx)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := reads{items: items, cancel: cancel}
	var group sync.WaitGroup
	for range min(len(items), readers) {
		group.Go(func() { r.work(ctx) })
	}
	group.Wait()
	switch {
	case r.panicked != nil:
		panic(r.panicked)
	case r.exited:
		runtime.Goexit()
	}
}

// reads are those of one round, shared by the goroutines that make them.
type reads struct {
	items  []*item
	next   atomic.Int64
	cancel context.CancelFunc

	broken   sync.Once
	panicked *Panic
	exited   bool // by runtime.Goexit, as tests end
}

// work reads items until there are none left. If a read does not return, the others are told to stop: what happened is
// the caller's, who must not be kept waiting for them.
func (r *reads) work(ctx context.Context) {
	returned := false
	defer func() {
		if !returned {
			r.stop(recover())
		}
	}()
	for i := r.take(); i < len(r.items); i = r.take() {
		r.items[i].read(ctx)
	}
	returned = true
}

func (r *reads) take() int { return int(r.next.Add(1)) - 1 }

// stop keeps the first reason.
func (r *reads) stop(value any) {
	r.broken.Do(func() {
		if r.exited = value == nil; !r.exited {
			r.panicked = &Panic{value, debug.Stack()}
		}
	})
	r.cancel()
}

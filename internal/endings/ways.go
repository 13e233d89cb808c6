package endings

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errWindow is the cause that a caller gives.
var errWindow = errors.New("maintenance window over")

// way is one in which a context ends, after a span of time.
type way struct {
	name  string
	make  func(ctx context.Context, after time.Duration) (context.Context, func())
	ctx   error  // of the context
	cause error  // of its end
	words string // for both, in an error
}

var ways = []way{
	{"cancel", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(after, cancel)
		return ctx, cancel
	}, context.Canceled, context.Canceled, "context canceled"},
	{"cancel with cause", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(after, func() { cancel(errWindow) })
		return ctx, func() { cancel(nil) }
	}, context.Canceled, errWindow, "maintenance window over (context canceled)"},
	{"deadline", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		ctx, cancel := context.WithTimeoutCause(ctx, after, errWindow)
		return ctx, cancel
	}, context.DeadlineExceeded, errWindow, "maintenance window over (context deadline exceeded)"},
	{"parent's deadline", func(ctx context.Context, after time.Duration) (context.Context, func()) {
		parent, stop := context.WithTimeout(ctx, after)
		ctx, cancel := context.WithTimeoutCause(parent, 48*time.Hour, errors.New("not this one"))
		return ctx, func() { cancel(); stop() }
	}, context.DeadlineExceeded, context.DeadlineExceeded, "context deadline exceeded"},
}

// watched is a context that counts those that are derived of it and still live: each of them can hold a timer, and is
// the caller's to keep until the end of the caller's own context.
type watched struct {
	context.Context
	done chan struct{}
	mu   sync.Mutex
	live map[*func()]bool // what is to be told of the end
}

func watch(ctx context.Context) *watched {
	w := &watched{Context: ctx, done: make(chan struct{}), live: make(map[*func()]bool)}
	context.AfterFunc(ctx, w.end)
	return w
}

// Done is a channel of its own: package context knows its contexts by theirs, and asks any other for its AfterFunc.
func (w *watched) Done() <-chan struct{} { return w.done }

// Err agrees with Done, which comes a moment after the end of the context within.
func (w *watched) Err() error {
	select {
	case <-w.done:
		return w.Context.Err()
	default:
		return nil
	}
}

// AfterFunc is what package context calls for each context that it derives.
func (w *watched) AfterFunc(f func()) (stop func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.done:
		go f()
	default:
		w.live[&f] = true
	}
	return func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		was := w.live[&f]
		delete(w.live, &f)
		return was
	}
}

func (w *watched) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.done)
	for f := range w.live {
		delete(w.live, f)
		go (*f)()
	}
}

func (w *watched) derived() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.live)
}

// want: next Lister.All
// want: instance Lister.All
// want: instance Waiter.Done
// want: instance Waiter.Watch
// want: instance Sealed.Watch
// want: interface Found.Get
// want: option Dialer.Dial

// Package ifacemethods has methods of interfaces, which can be called and implemented no better than others.
package ifacemethods

import (
	"iter"
	"sync/atomic"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

type Lister interface {
	All() iter.Seq2[string, error]
}

// Twin offers both, and is implemented here alone.
type Twin interface {
	all() iter.Seq2[string, error]
	All() iter.Seq2[string, error]
	Next() (string, error)
}

type Waiter interface {
	Done() *atomic.Pointer[bool]
	Watch(flag *atomic.Pointer[bool])
}

// Sealed is only called: its results are taken as they come.
type Sealed interface {
	Done() *atomic.Pointer[bool]
	Watch(flag *atomic.Pointer[bool])
	sealed()
}

// Found gives what is internal, deep inside.
type Found interface {
	Get() (map[string][]func() *jsonx.Error, error)
}

type Dialer interface {
	Dial(opts ...option.ClientOption)
	sealed()
}

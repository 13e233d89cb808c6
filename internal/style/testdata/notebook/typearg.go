// want: interface Waiter.Wait
// want: instance Waiter.Wait

// Package typearg has a proxy that needs an import which its file lacks: that of time, which stands only inside of a type.
package typearg

import (
	"sync/atomic"
	"time"
)

type Waiter interface {
	Wait() *atomic.Pointer[time.Time]
}

// want: instance Waiter.Wait

// Package typeargdirect mentions time in another interface as well, so that the proxies' file imports it.
package typeargdirect

import (
	"sync/atomic"
	"time"
)

type Waiter interface {
	Wait() *atomic.Pointer[time.Time]
}

type Clock interface {
	Now() time.Time
}

// want: instance Wait
// want: instance Job.Done
// want: instance Current
// want: instance Callback

// Package instance asks for values whose types cannot be written.
package instance

import (
	"iter"
	"sync/atomic"
)

func Wait(flags *atomic.Pointer[int]) {}

type Job struct{ Done atomic.Pointer[bool] }

var Current atomic.Pointer[Job]

type Callback func(iter.Seq[int])

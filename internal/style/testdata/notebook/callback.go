// want: instance Watch
// want: instance Hooks.Seen

// Package callback has callbacks that need type arguments.
package callback

import "iter"

func Watch(seen func(iter.Seq2[string, error])) {}

type Hooks struct{ Seen func(iter.Seq[int]) }

// want: generic Map
// want: generic Box
// want: generic Short
// want: generic *

// Package generics exports nothing else.
package generics

func Map[T any](in []T) []T { return in }

type Box[T any] struct{ In T }

type Short[T any] = Box[T]

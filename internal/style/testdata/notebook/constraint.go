// want: interface Keyed
// want: generic Find

// Package constraint exports a constraint.
package constraint

type Keyed interface {
	~string | ~int
	Key() string
}

func Find[K Keyed](k K) {}

// Package enumtest checks the methods by which the constants of an enum are told. It is for tests.
package enumtest

import "testing"

// TellApart checks that each method holds for its own constant alone, and none for a value that nobody knows.
func TellApart[E ~string](t *testing.T, methods map[E]func(E) bool) {
	t.Helper()
	for constant, holds := range methods {
		for other := range methods {
			if holds(other) != (other == constant) {
				t.Errorf("%T: is %s the %s? %v", constant, other, constant, other != constant)
			}
		}
		if holds("BRAND_NEW") || holds("") {
			t.Errorf("%T: a value that is not known is %s", constant, constant)
		}
	}
}

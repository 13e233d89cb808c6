// want: predicate State

// Package predicate has a state that cannot be asked.
package predicate

type State string

const (
	On  State = "ON"
	Off State = "OFF"
)

// String answers nothing.
func (s State) String() string { return string(s) }

// ID is no enum: it has one constant.
type ID string

const None ID = ""

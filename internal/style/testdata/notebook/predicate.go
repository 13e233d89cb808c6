// want: predicate State
// want: predicate Mode
// want: predicate Kind
// want: predicate Flag

// Package predicate has enums that cannot be asked.
package predicate

type State string

const (
	On  State = "ON"
	Off State = "OFF"
)

// On tells one of the two.
func (s State) On() bool { return s == On }

// String answers nothing.
func (s State) String() string { return string(s) }

// Mode has but one constant.
type Mode string

const Fast Mode = "FAST"

// Kind has a method that does not tell the two apart.
type Kind string

const (
	Left  Kind = "LEFT"
	Right Kind = "RIGHT"
)

func (k Kind) Known() bool { return k == Left || k == Right }

func (k Kind) Same(other Kind) (Kind, bool) { return k, k == other }

// Flag has methods that nobody can call, or that tell something else.
type Flag string

const (
	Up   Flag = "UP"
	Down Flag = "DOWN"
)

func (f Flag) up() bool   { return f == Up }
func (f Flag) Down() bool { return f != Down }

// ID is no enum: its constant stands for none.
type ID string

const None ID = ""

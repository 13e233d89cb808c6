package slurm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// InputError says that a request was refused before anything was sent, with everything that is wrong with it.
// Besides mistakes that Slurm would refuse, it reports those that Slurm would accept and then run as something
// else, or as a job that fails at once.
type InputError struct {
	Op       string         // what was being done: "submit job"
	Problems []InputProblem // never empty
}

// InputProblem is one mistake in a request.
type InputProblem struct {
	Field string // of the Go struct: "TimeLimit"
	Text  string // what is wrong and what would be right; never holds the script or a value of the environment
}

// Error returns one line with all problems.
func (e *InputError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Field + ": " + p.Text
	}
	return foreign.Printable("slurm: " + e.Op + ": " + strings.Join(lines, "; "))
}

// Is reports whether target is [ErrInvalid]: a request refused here is one that cannot succeed as it stands.
func (e *InputError) Is(target error) bool { return target == ErrInvalid }

// checker collects the mistakes of one request.
type checker struct {
	prefix   string // of the field names: "[1]." for the second component of a heterogeneous job
	problems []InputProblem
}

func (c *checker) add(field, format string, args ...any) {
	c.problems = append(c.problems, InputProblem{c.prefix + field, fmt.Sprintf(format, args...)})
}

func (c *checker) err(op string) error {
	if len(c.problems) == 0 {
		return nil
	}
	return &InputError{Op: op, Problems: c.problems}
}

// line checks a text that has to be one line. JSON cannot carry bytes that are not UTF-8, Slurm cuts a text at
// a NUL, and a line break in a name ends up in the tables and mails of others.
func (c *checker) line(field, value string) {
	switch {
	case isLine(value):
	case !utf8.ValidString(value):
		c.add(field, "not UTF-8")
	default:
		c.add(field, "must be one line without a NUL byte")
	}
}

func isLine(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n', c == '\r', c == 0:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}

func isText(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// text checks a text that may have several lines.
func (c *checker) text(field, value string) {
	switch {
	case isText(value):
	case !utf8.ValidString(value):
		c.add(field, "not UTF-8")
	default:
		c.add(field, "must not hold a NUL byte: Slurm cuts the text there")
	}
}

// count checks a number of things; 0 means that it is left to Slurm.
func (c *checker) count(field string, value, most int) {
	switch {
	case value < 0:
		c.add(field, "%d is negative: want 0 for Slurm's default, or more", value)
	case value > most:
		c.add(field, "%d is more than Slurm's limit of %d", value, most)
	}
}

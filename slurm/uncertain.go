package slurm

import (
	"errors"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// UncertainError is the failure of a submit after which nobody here knows whether a job was accepted. It matches
// [ErrUncertain], and the failure that led to it.
type UncertainError struct {
	Op string // what was being done: "submit job"
	// Token is what [Client.Recover] finds the job by, once there is one. It is empty if the job carries none: see
	// [WithoutSubmitToken].
	Token string
	Err   error // why the outcome is not known: a cut connection, the end of the context, an unreadable answer
}

// Error returns one line: the operation, what to do, and the cause.
func (e *UncertainError) Error() string {
	advice := "look for it in the queue"
	if e.Token != "" {
		advice = "Recover finds it by the submit token " + e.Token
	}
	return foreign.Printable("slurm: " + e.Op + ": outcome unknown, the job may have been accepted, or may yet be: " + advice +
		"; do not submit it again before that: " +
		strings.TrimPrefix(causeOf(e.Err), e.Op+": "))
}

// Unwrap returns [ErrUncertain] and the cause.
func (e *UncertainError) Unwrap() []error { return []error{ErrUncertain, e.Err} }

// uncertain marks err unless it proves that the request was not carried out.
func uncertain(op string, err error) error {
	if outer, ok := errors.AsType[*cluster.Error](err); ok && outer.Unprocessed {
		return err
	}
	// A short text with a 4xx status is Slurm's own refusal of a path or a body.
	if own, ok := errors.AsType[*Error](err); ok && own.Status >= 400 && own.Status < 500 {
		return err
	}
	return &UncertainError{Op: op, Err: err}
}

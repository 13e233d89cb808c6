package demo

import (
	"errors"
	"fmt"
	"io"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// errUnsent ends an edit that is only to be shown.
var errUnsent = errors.New("not sent")

// Review is for cluster.EditOptions: it shows the plan, and lets the edit send that very plan or ends it.
func Review(out io.Writer, send bool) func(*cluster.Plan) error {
	return func(plan *cluster.Plan) error {
		fmt.Fprintln(out, plan)
		if !send {
			return errUnsent
		}
		return nil
	}
}

// Unsent tells why an edit with [Review] has sent nothing, and returns the error if that is a failure.
func Unsent(out io.Writer, err error) error {
	switch {
	case errors.Is(err, cluster.ErrUnchanged):
		fmt.Fprintln(out, "Nothing changes.")
	case errors.Is(err, errUnsent):
		fmt.Fprintln(out, "\nNot sent; -send does that.")
	default:
		return err
	}
	return nil
}

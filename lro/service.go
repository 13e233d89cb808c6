package lro

import (
	"context"
	"time"
)

// Service is the API that runs the operations. The operations of package cluster hold one; a test needs no more
// than a few lines for its own.
//
// An error may say what it means for a wait by methods Transient() bool, NotFound() bool and
// RetryDelay() time.Duration, all three; *cluster.Error has them. Of other errors a wait bears those of the network
// and of cut answers, and ends at the rest. A Service must be safe for concurrent use: [WaitAll] reads up to eight
// operations at a time.
type Service interface {
	// ReadOperation reads the operation called name once.
	ReadOperation(ctx context.Context, name string) (*Reading, error)

	// CancelOperation asks for the end of the operation called name and does not wait for it.
	CancelOperation(ctx context.Context, name string) error
}

// Adviser is what a [Service] may implement as well: it knows what a failure of the work means for whoever started it.
type Adviser interface {
	// Advise returns what to do about the failed operation that failed describes, as half a sentence for people, or
	// "" if it has nothing to say. It becomes the Hint of failed.Err. It is called with each answer that tells of a
	// failure, so it should do no I/O.
	Advise(failed State) string
}

// Reading is the answer to one read of an operation.
type Reading struct {
	// Body is a google.longrunning.Operation in JSON. It is copied, so the Service may use it again.
	Body []byte

	// RetryAfter is the pause that the service asked for before the next read, 0 if it asked for none.
	RetryAfter time.Duration

	// Taken, if not nil, is called once when the body has been read: with nil, or with the error that whoever asked
	// gets because the body is not the operation that was asked for. It is for a Service that traces its calls.
	Taken func(err error)
}

package lro

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/names"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// freshness is how long a new operation may be unknown to the servers that are asked about it. Others have met such
// a 404 on operations of Google's services; half a minute covers it without hiding a wrong name for long.
const freshness = 30 * time.Second

// Operation is work that a service does on its own time: what it is called, and what has been read about it so far.
// It stays usable after it has finished, and costs nothing then. Safe for concurrent use.
//
// The zero Operation is of no use; make one with [New] or [Started].
type Operation struct {
	service Service
	name    string
	fresh   time.Time // until when NotFound is forgiven; zero for an operation that was resumed by name

	mu      sync.Mutex
	state   State
	read    bool   // a read has succeeded
	sent    uint64 // reads sent
	applied uint64 // the latest of them that made it into state
}

// New returns the operation called name, "projects/P/locations/R/operations/ID", to resume work that was started
// elsewhere: in another process, before a restart, in a notebook cell that ran last week. It does no I/O, and a
// name that cannot be one is reported by the first method that would have to send it.
func New(s Service, name string) *Operation {
	return &Operation{service: s, name: name, state: State{Name: name}}
}

// Started returns the operation that body describes, the answer of the call that started the work: a
// google.longrunning.Operation in JSON. It does no I/O. It fails if body does not name an operation.
//
// Unlike with [New], a NotFound from a read is forgiven for 30 seconds or until the first read succeeds: a service
// may hand out the name of an operation before all of its servers know it.
func Started(s Service, body []byte) (*Operation, error) {
	state, err := decodeFor(s, "", body)
	if err != nil {
		return nil, err
	}
	return &Operation{service: s, name: state.Name, state: state, fresh: time.Now().Add(freshness)}, nil
}

// Name returns the name of the operation. It is all that [New] needs, now or weeks later; keep it in a file, a
// database or a notebook cell.
func (o *Operation) Name() string { return o.name }

// State returns what is known so far. It does no I/O: before the first read of a resumed operation only the name is
// known. The result is a copy.
func (o *Operation) State() State { return o.snapshot().clone() }

// snapshot is State without the copy of the slices, for those who do not write to them.
func (o *Operation) snapshot() State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state
}

// Done tells whether the operation is known to have finished, well or badly. It does no I/O.
func (o *Operation) Done() bool { return o.snapshot().Done }

// Poll reads the operation once and returns what is known then. It neither pauses nor tries again, and a finished
// operation is not read any more.
//
// The error is an [*OperationError] if the work failed. Otherwise the call failed: then the state is the last known
// one, and the error is whatever the service gave, or says what is wrong with the answer or with the name.
func (o *Operation) Poll(ctx context.Context) (State, error) {
	state, _, err := o.poll(ctx)
	if err != nil && !o.forgives(err) {
		return state.clone(), err
	}
	return state.clone(), state.err()
}

// Cancel asks the service to stop the work, and does not wait for that: the operation goes on until a read says
// otherwise. A service that honors the request ends the operation with an [*OperationError] for which
// [OperationError.Canceled] holds; but services promise only their best effort, may finish the work regardless, and
// may not know the method at all. A finished operation is left alone, without I/O and without an error.
func (o *Operation) Cancel(ctx context.Context) error {
	if o.Done() {
		return nil
	}
	if err := o.usable(); err != nil {
		return err
	}
	return o.service.CancelOperation(ctx, o.name)
}

// String returns one line with the name and the state, for logs and notebooks.
func (o *Operation) String() string {
	if o == nil {
		return "no operation"
	}
	return o.snapshot().String()
}

// poll reads the operation once unless it has finished. It returns the state known then and the service's wish for
// a pause, both with an error and without.
func (o *Operation) poll(ctx context.Context) (State, time.Duration, error) {
	if s := o.snapshot(); s.Done {
		return s, 0, nil
	}
	if err := o.usable(); err != nil {
		return o.unread(0, err)
	}
	ticket := o.ticket()
	reading, err := o.service.ReadOperation(ctx, o.name)
	if err != nil {
		return o.unread(0, err)
	}
	if reading == nil {
		reading = &Reading{}
	}
	state, err := decodeFor(o.service, o.name, reading.Body)
	if reading.Taken != nil {
		reading.Taken(err)
	}
	if err != nil {
		return o.unread(reading.RetryAfter, err)
	}
	return o.apply(ticket, state), reading.RetryAfter, nil
}

// unread is the result of a read that failed. If another one has seen the end meanwhile, the failure is of no account.
func (o *Operation) unread(wish time.Duration, err error) (State, time.Duration, error) {
	s := o.snapshot()
	if s.Done {
		return s, 0, nil
	}
	return s, wish, err
}

// usable says why the operation cannot be asked about, before anything is sent.
func (o *Operation) usable() error {
	if _, err := names.ParseOperation(o.name); err != nil {
		return fmt.Errorf("lro: %w", err)
	}
	if o.service == nil {
		return errors.New("lro: operation " + o.name + " has no service to ask")
	}
	return nil
}

// ticket numbers a read that is about to be sent.
func (o *Operation) ticket() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent++
	return o.sent
}

// apply takes over what a read has found, and returns the state known after it. Answers of concurrent reads may
// overtake each other: an older one neither replaces a newer one nor brings a finished operation back to life.
func (o *Operation) apply(ticket uint64, state State) State {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.read = true
	if !o.state.Done && (state.Done || ticket > o.applied) {
		o.applied, o.state = ticket, state
	}
	return o.state
}

// forgives tells whether err means no more than that the operation is too new to be known everywhere.
func (o *Operation) forgives(err error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.read && time.Now().Before(o.fresh) && poll.NotFound(err)
}

// sameName tells whether two names mean one operation. A service answers with the number of a project whose id it
// was asked with, so these two may differ, but nothing else.
func sameName(asked, answered names.Operation) bool {
	a, b := asked.Project, answered.Project
	return asked.ID == answered.ID && asked.Location == answered.Location &&
		(a == b || isNumber(a) != isNumber(b))
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

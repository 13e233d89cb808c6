package lro_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

const (
	parent = "projects/123456789012/locations/us-central1"
	nameA  = parent + "/operations/1001"
	nameB  = parent + "/operations/1002"
	nameC  = parent + "/operations/1003"
)

// step is one answer of the fake: to a read of one operation, in turn. The last one is repeated.
type step struct {
	body  string
	after time.Duration // Retry-After
	err   error
	takes time.Duration             // how long the read takes, unless its context ends before
	then  func(ctx context.Context) // called before the answer
}

// service is a scripted lro.Service. Safe for concurrent use.
type service struct {
	mu       sync.Mutex
	script   map[string][]step
	reads    map[string]int
	at       []time.Duration // when reads came, all operations together
	start    time.Time
	active   int
	most     int // reads at the same time
	canceled []string
	refuse   error // what a cancel answers
}

func newService() *service {
	return &service{script: map[string][]step{}, reads: map[string]int{}, start: time.Now()}
}

// serving returns a service that knows one operation.
func serving(name string, steps ...step) *service {
	return newService().add(name, steps...)
}

func (s *service) add(name string, steps ...step) *service {
	s.script[name] = steps
	return s
}

func (s *service) ReadOperation(ctx context.Context, name string) (*lro.Reading, error) {
	step, err := s.begin(name)
	if err != nil {
		return nil, err
	}
	defer s.end()
	if step.takes > 0 {
		select {
		case <-time.After(step.takes):
		case <-ctx.Done():
			return nil, fmt.Errorf("read %s: %w", name, ctx.Err())
		}
	}
	if step.then != nil {
		step.then(ctx)
	}
	if step.err != nil {
		return nil, step.err
	}
	return &lro.Reading{Body: []byte(step.body), RetryAfter: step.after}, nil
}

func (s *service) begin(name string) (step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.reads[name]
	s.reads[name]++
	s.at = append(s.at, time.Since(s.start))
	steps := s.script[name]
	if len(steps) == 0 {
		return step{}, missing(name)
	}
	s.active++
	s.most = max(s.most, s.active)
	return steps[min(n, len(steps)-1)], nil
}

func (s *service) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
}

func (s *service) CancelOperation(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canceled = append(s.canceled, name)
	return s.refuse
}

// count returns how often name was read.
func (s *service) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads[name]
}

// callError is the error of a failed call, as a Service may give it.
type callError struct {
	text      string
	transient bool
	notFound  bool
	delay     time.Duration
}

func (e *callError) Error() string             { return e.text }
func (e *callError) Transient() bool           { return e.transient }
func (e *callError) NotFound() bool            { return e.notFound }
func (e *callError) RetryDelay() time.Duration { return e.delay }

func unavailable() *callError { return &callError{text: "cluster: read: UNAVAILABLE", transient: true} }
func forbidden() *callError   { return &callError{text: "cluster: read: PERMISSION_DENIED"} }
func missing(name string) *callError {
	return &callError{text: "cluster: read " + name + ": NOT_FOUND", notFound: true}
}

// Bodies as the service sends them.

func runs(name, message string) step {
	return step{body: fmt.Sprintf(`{"name": %q, "metadata": {
		"@type": "type.googleapis.com/google.cloud.aiplatform.v1beta1.CreateModelDevelopmentClusterOperationMetadata",
		"genericMetadata": {"createTime": "2025-10-24T14:16:59.233332Z", "updateTime": "2025-10-24T14:16:59.233332Z"},
		"progressMessage": %q}}`, name, message)}
}

func succeeds(name string) step {
	return step{body: fmt.Sprintf(`{"name": %q, "done": true, "response": {"@type": "type.googleapis.com/google.protobuf.Empty"}}`, name)}
}

func fails(name string, code int, message string) step {
	return step{body: fmt.Sprintf(`{"name": %q, "done": true, "error": {"code": %d, "message": %q}}`, name, code, message)}
}

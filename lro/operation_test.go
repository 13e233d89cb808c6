package lro_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

func TestNewDoesNoIO(t *testing.T) {
	s := serving(nameA, succeeds(nameA))
	op := lro.New(s, nameA)
	if op.Name() != nameA || op.Done() || op.State().Name != nameA || op.State().Raw != nil {
		t.Errorf("New = %v; want only a name to be known", op)
	}
	if s.count(nameA) != 0 {
		t.Errorf("New read the operation")
	}
}

func TestStarted(t *testing.T) {
	op, err := lro.Started(newService(), []byte(runs(nameA, "request received").body))
	if err != nil {
		t.Fatal(err)
	}
	s := op.State()
	if op.Name() != nameA || s.Done || s.Message != "request received" ||
		s.Type != "CreateModelDevelopmentClusterOperationMetadata" {
		t.Errorf("State = %+v", s)
	}
	if want := time.Date(2025, 10, 24, 14, 16, 59, 233332000, time.UTC); !s.CreateTime.Equal(want) || !s.UpdateTime.Equal(want) {
		t.Errorf("times = %v, %v; want %v", s.CreateTime, s.UpdateTime, want)
	}
}

// Some work is done before the call that starts it returns.
func TestStartedAndDone(t *testing.T) {
	s := newService()
	op, err := lro.Started(s, []byte(fails(nameA, 3, "no").body))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*lro.OperationError](op.Wait(t.Context())); !ok || s.count(nameA) != 0 {
		t.Errorf("a finished operation was read %d times", s.count(nameA))
	}
}

func TestPoll(t *testing.T) {
	s := serving(nameA, runs(nameA, "provisioning"), succeeds(nameA))
	op := lro.New(s, nameA)
	state, err := op.Poll(t.Context())
	if err != nil || state.Done || state.Message != "provisioning" {
		t.Errorf("first Poll = %+v, %v", state, err)
	}
	for range 3 {
		state, err = op.Poll(t.Context())
		if err != nil || !state.Succeeded() || string(state.Response) != `{"@type": "type.googleapis.com/google.protobuf.Empty"}` {
			t.Errorf("later Poll = %+v, %v", state, err)
		}
	}
	if s.count(nameA) != 2 {
		t.Errorf("%d reads, want 2: a finished operation is not read again", s.count(nameA))
	}
}

func TestPollFailedWork(t *testing.T) {
	op := lro.New(serving(nameA, fails(nameA, 3, "machine type a3-highgpu-8g is not allowed for VM")), nameA)
	for range 2 {
		state, err := op.Poll(t.Context())
		failure, ok := errors.AsType[*lro.OperationError](err)
		if !ok || failure.Code != codes.InvalidArgument || failure != state.Err || state.Succeeded() || !state.Done {
			t.Fatalf("Poll = %+v, %v", state, err)
		}
		want := "lro: operation " + nameA + " failed: INVALID_ARGUMENT: machine type a3-highgpu-8g is not allowed for VM"
		if err.Error() != want {
			t.Errorf("text = %s\nwant   %s", err, want)
		}
	}
}

// A failed call is not a failed operation: the error comes as the service gave it, and what was known stays.
func TestPollFailedCall(t *testing.T) {
	denied := forbidden()
	op := lro.New(serving(nameA, runs(nameA, "provisioning"), step{err: denied}), nameA)
	if _, err := op.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	state, err := op.Poll(t.Context())
	if err != denied {
		t.Errorf("err = %v, want the very error of the service", err)
	}
	if state.Done || state.Message != "provisioning" || op.State().Message != "provisioning" {
		t.Errorf("state = %+v; want the last known one", state)
	}
}

func TestImpossibleNames(t *testing.T) {
	const want = "want projects/PROJECT/locations/REGION/operations/ID"
	for _, name := range []string{
		"", "42", "operations/42", "/" + nameA, nameA + "/", "https://us-central1-aiplatform.googleapis.com/v1/" + nameA,
		parent + "/modelDevelopmentClusters/training", parent + "/operations/..", parent + "/operations/1?x=y", parent + "/operations/1 ",
	} {
		s := newService()
		op := lro.New(s, name)
		_, pollErr := op.Poll(t.Context())
		for what, err := range map[string]error{
			"Poll": pollErr, "Wait": op.Wait(t.Context()), "Cancel": op.Cancel(t.Context()),
			"WaitAll": lro.WaitAll(t.Context(), []*lro.Operation{op}),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), "lro: operation name ") || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s with the name %q: %v; want it to end in %q", what, name, err, want)
			}
			if _, ok := errors.AsType[*lro.WaitError](err); ok {
				t.Errorf("%s with the name %q: a *WaitError, though there is nothing to resume", what, name)
			}
		}
		if len(s.reads)+len(s.canceled) != 0 {
			t.Errorf("the name %q was sent", name)
		}
	}
}

func TestNoService(t *testing.T) {
	op := lro.New(nil, nameA)
	want := "lro: operation " + nameA + " has no service to ask"
	if _, err := op.Poll(t.Context()); err == nil || err.Error() != want {
		t.Errorf("Poll: %v, want %s", err, want)
	}
	if err := new(lro.Operation).Wait(t.Context()); err == nil {
		t.Error("Wait of the zero Operation succeeded")
	}
}

func TestCancel(t *testing.T) {
	s := serving(nameA, runs(nameA, ""), fails(nameA, 1, "Operation was canceled by the user."))
	op := lro.New(s, nameA)
	if err := op.Cancel(t.Context()); err != nil || op.Done() {
		t.Errorf("Cancel = %v, done %v; want a request and no more", err, op.Done())
	}
	synctest.Test(t, func(t *testing.T) {
		failure, ok := errors.AsType[*lro.OperationError](op.Wait(t.Context()))
		if !ok || !failure.Canceled() {
			t.Errorf("Wait after Cancel = %v", failure)
		}
		// The end of the work is not the end of anybody's context.
		if errors.Is(failure, context.Canceled) {
			t.Error("a canceled operation looks like a canceled context")
		}
	})
	if err := op.Cancel(t.Context()); err != nil || len(s.canceled) != 1 {
		t.Errorf("Cancel of a finished operation = %v, %d requests in all; want none more", err, len(s.canceled))
	}
}

func TestCancelRefused(t *testing.T) {
	s := newService()
	s.refuse = &callError{text: "cluster: cancel: UNIMPLEMENTED"}
	if err := lro.New(s, nameA).Cancel(t.Context()); err != s.refuse {
		t.Errorf("Cancel = %v, want the service's refusal", err)
	}
}

func TestPollForgivesNotFoundOfFreshOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		op, err := lro.Started(newService(), []byte(runs(nameA, "request received").body))
		if err != nil {
			t.Fatal(err)
		}
		if state, err := op.Poll(t.Context()); err != nil || state.Message != "request received" {
			t.Errorf("Poll of a fresh operation = %+v, %v; want what is known from the start", state, err)
		}
		time.Sleep(30 * time.Second)
		if _, err := op.Poll(t.Context()); err == nil {
			t.Error("NotFound is still forgiven after 30 seconds")
		}
	})
}

func TestStateIsACopy(t *testing.T) {
	op := lro.New(serving(nameA, succeeds(nameA)), nameA)
	polled, err := op.Poll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := string(polled.Raw)
	state := op.State()
	for _, raw := range [][]byte{polled.Raw, polled.Response, state.Raw, state.Response} {
		clear(raw)
	}
	if got := string(op.State().Raw); got != want {
		t.Errorf("writing to a State changed the operation: %q", got)
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		op   *lro.Operation
		text string
	}{
		{nil, "no operation"},
		{lro.New(newService(), nameA), "operation " + nameA + " not read yet"},
		{polled(t, runs(nameA, "")), "operation " + nameA + " running"},
		{polled(t, runs(nameA, "a <b>\nc")), "operation " + nameA + " running: a <b> c"},
		{polled(t, succeeds(nameA)), "operation " + nameA + " succeeded"},
		{polled(t, fails(nameA, 8, "no quota")), "operation " + nameA + " failed: RESOURCE_EXHAUSTED: no quota"},
	} {
		if got := tt.op.String(); got != tt.text {
			t.Errorf("String = %s\n  want %s", got, tt.text)
		}
	}
}

// polled returns an operation after one read.
func polled(t *testing.T, s step) *lro.Operation {
	t.Helper()
	op := lro.New(serving(nameA, s), nameA)
	if _, err := op.Poll(t.Context()); err != nil {
		if _, ok := errors.AsType[*lro.OperationError](err); !ok {
			t.Fatal(err)
		}
	}
	return op
}

// TestTaken: a Service hears once for each reading whether it could be read, by the error that the caller gets.
func TestTaken(t *testing.T) {
	for body, fails := range map[string]bool{
		runs(nameA, "on").body: false, fails(nameA, 8, "no quota").body: false, `{}`: true, runs(nameB, "").body: true, `{"name":`: true,
	} {
		var heard []error
		s := taking{lro.Reading{Body: []byte(body), Taken: func(err error) { heard = append(heard, err) }}}
		_, err := lro.New(s, nameA).Poll(t.Context())
		var failed *lro.OperationError
		if len(heard) != 1 || (heard[0] != nil) != fails || fails && heard[0] != err || !fails && err != nil && !errors.As(err, &failed) {
			t.Errorf("%s: heard %v, and the caller gets %v", body, heard, err)
		}
	}
}

// taking is a Service with one answer.
type taking struct{ reading lro.Reading }

func (s taking) ReadOperation(context.Context, string) (*lro.Reading, error) { return &s.reading, nil }
func (s taking) CancelOperation(context.Context, string) error               { return nil }

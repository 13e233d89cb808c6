package lro

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/names"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// State is what one read has found out about an operation. Fields that the service did not send are zero.
type State struct {
	Name string // the name the operation was asked for with

	// Done says that the work has ended, well or badly. A service leaves it out as long as the work goes on.
	Done bool

	// Type is the short name of the metadata's type, such as "CreateModelDevelopmentClusterOperationMetadata".
	Type string

	// Message is the progress message, if the service gives one: a sentence for people.
	Message string

	CreateTime time.Time // when the work was accepted
	UpdateTime time.Time // the last change; the end once Done

	// PartialFailures are the parts of the work that failed while the whole goes on. The service sends at most 20.
	PartialFailures []*OperationError

	// Err is the failure of the work; nil while it goes on and after a success.
	Err *OperationError

	Response json.RawMessage // the result, with its "@type", after a success; kept as received
	Metadata json.RawMessage // kept as received
	Raw      json.RawMessage // the whole answer
}

// Succeeded tells whether the work has ended well.
func (s State) Succeeded() bool { return s.Done && s.Err == nil }

// String returns one line with the name and what is known.
func (s State) String() string { return foreign.Printable("operation " + s.Name + " " + s.summary()) }

func (s State) summary() string {
	text, _ := s.verdict()
	switch {
	case s.Err != nil:
		text += ": " + s.Err.reason()
	case !s.Done && s.Message != "":
		text += ": " + oneLine(s.Message)
	}
	return text
}

// err is Err without the trap of a nil pointer in an error.
func (s State) err() error {
	if s.Err == nil {
		return nil
	}
	return s.Err
}

// clone returns a copy whose slices can be written to.
func (s State) clone() State {
	s.PartialFailures = slices.Clone(s.PartialFailures)
	s.Response, s.Metadata, s.Raw = bytes.Clone(s.Response), bytes.Clone(s.Metadata), bytes.Clone(s.Raw)
	return s
}

// decodeFor is decode with the advice of s, if it has any.
func decodeFor(s Service, asked string, body []byte) (State, error) {
	state, err := decode(asked, body)
	if err != nil || state.Err == nil {
		return state, err
	}
	if adviser, ok := s.(Adviser); ok {
		state.Err.Hint = adviser.Advise(state)
	}
	return state, nil
}

// decode reads a google.longrunning.Operation. asked is the name it was asked for with, "" if body is what tells it.
// Only what makes the answer another thing than that operation is an error. Odd metadata is not: it must never cost
// the news that the work is done.
func decode(asked string, body []byte) (State, error) {
	body = bytes.Clone(body)
	name, err := answeredName(asked, body)
	if err != nil {
		return State{}, err
	}
	done := false
	if raw := present(body, "done"); raw != nil {
		if done, err = jsonx.Bool(raw); err != nil {
			return State{}, &answerError{name: name, what: `its "done" is neither true nor false`}
		}
	}
	s := State{Name: name, Done: done, Raw: body, Metadata: present(body, "metadata")}
	s.readMetadata()
	if !done {
		return s, nil
	}
	if failure := present(body, "error"); failure != nil {
		s.Err = newOperationError(name, failure)
		return s, nil
	}
	// Neither error nor response is a success too: the result of a delete is empty.
	s.Response = present(body, "response")
	return s, nil
}

// answeredName checks that body is an operation, the one that was asked for, and returns what to call it. It
// insists on a name, since an error that some proxy sends with status 200 has the members of a failed operation.
func answeredName(asked string, body []byte) (string, error) {
	bad := func(what string, transient bool) (string, error) {
		return "", &answerError{name: asked, what: what, transient: transient}
	}
	switch text := bytes.TrimSpace(body); {
	case len(text) == 0:
		return bad("it is empty", true)
	case text[0] == '<':
		return bad("it is an HTML or XML page, which a proxy or a wrong endpoint may have sent", true)
	}
	if err := jsonx.Valid(body); err != nil {
		return bad("it is not whole JSON: "+err.Error(), true)
	}
	if kind := jsonx.KindOf(body); kind != jsonx.KindObject {
		return bad("it is "+kind.String()+", not an object", false)
	}
	name, err := jsonx.Str(jsonx.Member(body, "name"))
	if err != nil || name == "" {
		return bad("it has no name", false)
	}
	answered, err := names.ParseOperation(name)
	if err != nil {
		return bad(oneLine(err.Error()), false)
	}
	if asked == "" {
		return name, nil
	}
	if want, err := names.ParseOperation(asked); err != nil || !sameName(want, answered) {
		return bad("it is about "+name, false)
	}
	return asked, nil
}

// readMetadata takes what it knows from Metadata, in either spelling of the names, and passes over the rest.
func (s *State) readMetadata() {
	if jsonx.KindOf(s.Metadata) != jsonx.KindObject {
		return
	}
	kind := text(s.Metadata, "@type")
	s.Type = kind[strings.LastIndexAny(kind, "./")+1:]
	s.Message = text(s.Metadata, "progressMessage")
	generic := present(s.Metadata, "genericMetadata")
	s.CreateTime = instant(generic, "createTime")
	s.UpdateTime = instant(generic, "updateTime")
	failures := present(generic, "partialFailures")
	if jsonx.KindOf(failures) != jsonx.KindArray {
		return
	}
	// The callback never fails, and neither does the walk of an array that is known to be one.
	_ = jsonx.EachElement(failures, func(_ int, raw []byte) error {
		failure := newOperationError(s.Name, raw)
		failure.partial = true
		s.PartialFailures = append(s.PartialFailures, failure)
		return nil
	})
}

// present returns the member called camel, or else its snake_case twin; nil if neither is there or it is null.
func present(object []byte, camel string) json.RawMessage {
	for _, name := range []string{camel, jsonx.Snake(camel)} {
		if v := jsonx.Member(object, name); v != nil && jsonx.KindOf(v) != jsonx.KindNull {
			return v
		}
	}
	return nil
}

// text returns a member that is a string, "" if it is anything else.
func text(object []byte, camel string) string {
	s, err := jsonx.Str(present(object, camel))
	if err != nil {
		return ""
	}
	return s
}

// instant returns a member that is an RFC 3339 time, the zero time if it is anything else.
func instant(object []byte, camel string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text(object, camel))
	if err != nil {
		return time.Time{}
	}
	return t
}

// newOperationError reads the google.rpc.Status of a failure. Whatever raw holds, the failure stays one: an odd
// status, even one whose code says OK, must not pass for a success.
func newOperationError(name string, raw json.RawMessage) *OperationError {
	e := &OperationError{Name: name, Code: codes.Unknown}
	status, err := rpcstatus.Parse(raw)
	if err != nil {
		e.Message = jsonx.Text(raw)
		return e
	}
	e.Message, e.Details = status.Message, status.Details
	e.Reason, e.Domain, e.Metadata = status.Reason, status.Domain, status.Metadata
	if status.Code != codes.OK {
		e.Code = status.Code
	}
	for _, v := range status.Violations {
		e.Violations = append(e.Violations, Violation(v))
	}
	return e
}

package lro

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// OperationError means that the work failed: the service has carried the operation to its end, and that end is bad.
// To wait or to ask again changes nothing. Values are not written to after they were made; share them freely.
type OperationError struct {
	Name    string     // the operation
	Code    codes.Code // the service's verdict; Unknown if it gave none
	Message string     // the service's words, as received

	// Reason and Domain name the failure for programs, and Metadata adds facts, if the service sent a
	// google.rpc.ErrorInfo: {"STOCKOUT", "aiplatform.googleapis.com", {"zone": "us-central1-a"}}.
	Reason, Domain string
	Metadata       map[string]string

	// Violations are the parts of the request that the service holds responsible, if it names any.
	Violations []Violation

	// Details are all details of the status, as received, each with its "@type".
	Details []json.RawMessage

	// Hint is what to do about the failure, in words of the [Service] and not of the server: see [Adviser]. It ends
	// the text of the error. Often empty.
	Hint string

	partial bool
}

// Violation is one complaint of the service about the request behind an operation.
type Violation struct {
	Field       string // a path in the request, or the subject of a quota or precondition
	Description string // a sentence for people
	Reason      string // for programs; often empty
}

// Error returns one line: the name of the operation, the code as google.rpc.Code spells it, the message and the hint.
func (e *OperationError) Error() string {
	verb := "failed"
	if e.partial {
		verb = "failed in part"
	}
	text := "lro: operation " + e.Name + " " + verb + ": " + e.reason()
	if e.Hint != "" {
		text += "; " + oneLine(e.Hint)
	}
	return foreign.Printable(text)
}

// Canceled tells whether the operation ended because someone asked for that, as [Operation.Cancel] does.
func (e *OperationError) Canceled() bool { return e.Code == codes.Canceled }

// reason is the text after the name: code, message, and the violations that the message does not spell out.
func (e *OperationError) reason() string {
	parts := []string{rpcstatus.Name(e.Code)}
	if e.Message != "" {
		parts = append(parts, oneLine(e.Message))
	}
	for _, v := range e.Violations {
		if v.Description == "" || strings.Contains(e.Message, v.Description) {
			continue
		}
		if v.Field != "" {
			parts = append(parts, oneLine(v.Field))
		}
		parts = append(parts, oneLine(v.Description))
	}
	return strings.Join(parts, ": ")
}

// answerError says that an answer is not the operation that was asked for. It quotes nothing of the answer but a
// name: what came instead may be anything, secrets included.
type answerError struct {
	name      string
	what      string
	transient bool
}

func (e *answerError) Error() string {
	if e.name == "" {
		return "lro: the answer to the call that starts the work is not an operation: " + e.what
	}
	return "lro: the answer about " + e.name + " is not that operation: " + e.what
}

// Transient tells a wait to ask again: pages of a proxy and cut answers pass, an answer of another kind does not.
func (e *answerError) Transient() bool { return e.transient }

// NotFound is false: something answered.
func (e *answerError) NotFound() bool { return false }

// RetryDelay is 0: the wish, if any, came with the answer.
func (e *answerError) RetryDelay() time.Duration { return 0 }

// maxText bounds what is quoted of foreign text, in bytes.
const maxText = 2000

// oneLine folds foreign text, which may have any number of lines, into one of bounded length.
func oneLine(s string) string { return foreign.Line(s, maxText) }

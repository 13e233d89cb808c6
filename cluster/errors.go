package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// Error is a call that failed, or that was refused before it was sent (then Attempts is 0). Match it with
// errors.Is against the Err values, or read its facts with errors.As. Its text may change in any release.
type Error struct {
	Op       string     // what was asked for: "update"
	Resource string     // of what: a resource name
	Code     codes.Code // from the body's status, and only without one from the HTTP status

	HTTPStatus int               // 0 if no answer came
	Message    string            // the server's, or what is wrong with the request
	Reason     string            // google.rpc.ErrorInfo, such as IAM_PERMISSION_DENIED; so are Domain and Metadata
	Domain     string            //
	Metadata   map[string]string //
	Violations []Violation       // complaints about fields, quotas and preconditions
	RequestID  string            // to quote to Google's support
	RetryAfter time.Duration     // how long the server asked to wait; 0 if it did not
	Attempts   int               // how many times the call was sent

	// Unprocessed means that the service surely did not act on the call. False means that it may have.
	Unprocessed bool

	// Err is the cause: *auth.Error if credentials or permissions are what is wrong, and below it
	// *apierror.APIError if the service answered, or the transport's or the context's error if it did not.
	Err error

	transient bool
	changes   bool // the call was to change something
}

// Violation is one complaint about a request, of the service or of [ModelDevelopmentCluster.Validate].
type Violation struct {
	// Field is the path of the field in the cluster, such as node_pools[1].boot_disk.boot_disk_type, or what a
	// quota or precondition is about.
	Field       string `json:"field,omitempty"`
	Description string `json:"description"`
	Reason      string `json:"reason,omitempty"` // machine-readable, where there is one
}

// These match errors by code: errors.Is(err, cluster.ErrNotFound).
var (
	ErrInvalidArgument    = errors.New("invalid argument")
	ErrNotFound           = errors.New("not found")
	ErrAlreadyExists      = errors.New("already exists")
	ErrPermissionDenied   = errors.New("permission denied")
	ErrUnauthenticated    = errors.New("unauthenticated")
	ErrResourceExhausted  = errors.New("resource exhausted")
	ErrFailedPrecondition = errors.New("failed precondition")
	ErrAborted            = errors.New("aborted")
	ErrUnimplemented      = errors.New("unimplemented")
	ErrUnavailable        = errors.New("unavailable")
)

var sentinels = map[codes.Code]error{
	codes.InvalidArgument:    ErrInvalidArgument,
	codes.NotFound:           ErrNotFound,
	codes.AlreadyExists:      ErrAlreadyExists,
	codes.PermissionDenied:   ErrPermissionDenied,
	codes.Unauthenticated:    ErrUnauthenticated,
	codes.ResourceExhausted:  ErrResourceExhausted,
	codes.FailedPrecondition: ErrFailedPrecondition,
	codes.Aborted:            ErrAborted,
	codes.Unimplemented:      ErrUnimplemented,
	codes.Unavailable:        ErrUnavailable,
}

// Error is one line: cluster: OP RESOURCE: CODE: what is wrong [request ID, attempt N].
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("cluster: " + e.Op)
	if e.Resource != "" {
		b.WriteString(" " + printable(e.Resource))
	}
	complaint := e.complaint()
	var hint *auth.Error
	// A failure to get a token says it in its own text already.
	if errors.As(e.Err, &hint) && !strings.Contains(complaint, hint.Hint) {
		complaint = strings.TrimSuffix(complaint, ".") + "; " + hint.Hint
	}
	if e.changes && !e.Unprocessed {
		complaint = strings.TrimSuffix(complaint, ".") + "; the service may have taken the call, so look at the cluster before repeating it"
	}
	fmt.Fprintf(&b, ": %s: %s", rpcstatus.Name(e.Code), complaint)
	var facts []string
	if e.RequestID != "" {
		facts = append(facts, "request "+e.RequestID)
	}
	if e.Attempts > 0 {
		facts = append(facts, fmt.Sprintf("attempt %d", e.Attempts))
	}
	if e.RetryAfter > 0 {
		facts = append(facts, fmt.Sprintf("retry after %s", e.RetryAfter))
	}
	if len(facts) > 0 {
		b.WriteString(" [" + strings.Join(facts, ", ") + "]")
	}
	return foreign.Printable(b.String())
}

// complaint prefers the violations, because the message that comes with them repeats them in a worse layout.
func (e *Error) complaint() string {
	text, most := joined(e.Violations), maxText
	if e.Attempts == 0 && text != "" {
		most = len(text) // found here, and made of short pieces
	}
	return foreign.Line(firstOf(text, e.Message), most)
}

// joined is what all of them say, on one line if they do.
func joined(violations []Violation) string {
	var parts []string
	for _, v := range violations {
		if v.Description != "" {
			parts = append(parts, v.line())
		}
	}
	return strings.Join(parts, "; ")
}

func (v Violation) line() string {
	if v.Field == "" || strings.Contains(v.Description, v.Field) {
		return v.Description
	}
	return v.Field + ": " + v.Description
}

// maxText and maxName bound what an error quotes and what it names, in bytes; the fields have it whole.
const (
	maxText = 2000
	maxName = 1000
)

// printable keeps a name on its line, as long as it is: only a mistaken one holds what a terminal takes for a command, or
// is longer than anybody reads.
func printable(name string) string {
	name = foreign.Cut(name, maxName)
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the Err value of e's code.
func (e *Error) Is(target error) bool { return target != nil && sentinels[e.Code] == target }

// GRPCStatus lets status.Code and gax.OnCodes see the code.
func (e *Error) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }

// Transient reports whether the same call can succeed later.
func (e *Error) Transient() bool { return e.transient }

// NotFound reports whether the resource is missing.
func (e *Error) NotFound() bool { return e.Code == codes.NotFound }

// RetryDelay is how long the server asked to wait; 0 if it did not.
func (e *Error) RetryDelay() time.Duration { return e.RetryAfter }

// LogValue gives slog the facts one by one: op, resource, code, reason, request_id, http_status and attempts. The message
// and the complaints are not among them, since they may quote the request, and neither is the query of a Slurm path. That
// holds for an Error that is itself the value; another error that wraps it is logged by its text, which has all that.
func (e *Error) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("op", withoutQuery(e.Op)),
		slog.String("resource", e.Resource),
		slog.String("code", rpcstatus.Name(e.Code)),
		slog.String("reason", e.Reason),
		slog.String("request_id", e.RequestID),
		slog.Int("http_status", e.HTTPStatus),
		slog.Int("attempts", e.Attempts),
	)
}

// withoutQuery shortens what [call.what] says. In queries names of jobs and users can be, and the tokens of submits.
func withoutQuery(op string) string {
	bare, query, _ := strings.Cut(op, "?")
	if end := strings.LastIndex(query, ")"); end >= 0 {
		bare += query[end:]
	}
	return bare
}

// changes reports whether the call is to change a cluster. What a call of Slurm does is package slurm's to tell.
func (c *call) changes() bool { return c.repeat == rest.IfUnprocessed && c.slurm == nil }

// what is what was asked for.
func (c *call) what() string {
	if c.slurm != nil {
		return "call Slurm (" + c.slurm.Method + " " + foreign.Line(c.slurm.Path, maxText) + ") of"
	}
	return c.op
}

// refuse is an error in the request, found before it was sent.
func (c *call) refuse(format string, args ...any) *Error {
	cause := fmt.Errorf(format, args...)
	return &Error{
		Op: c.what(), Resource: c.resource, Code: codes.InvalidArgument, Message: cause.Error(),
		Unprocessed: true, Err: errors.Unwrap(cause),
	}
}

// unfit is an error in what the request is about, found before it was sent.
func (c *call) unfit(code codes.Code, format string, args ...any) *Error {
	e := c.refuse(format, args...)
	e.Code = code
	return e
}

// refuseAll is an error in the request with all that is wrong with it, found before it was sent.
func (c *call) refuseAll(found []Violation) *Error {
	e := c.refuse("%s", joined(found))
	e.Violations = found
	return e
}

// unreadable is a success whose answer does not make sense.
func (c *call) unreadable(reply *rest.Reply, err error) *Error {
	return &Error{
		Op: c.what(), Resource: c.resource, Code: codes.Internal, HTTPStatus: 200, Attempts: reply.Attempts,
		Message: "cannot read the answer: " + strings.TrimPrefix(err.Error(), "lro: "), Err: err,
	}
}

// failed turns a fault of the transport into the error that callers see.
func (c *call) failed(err error) error {
	var f *rest.Fault
	if !errors.As(err, &f) {
		return err
	}
	e := &Error{
		Op: c.what(), Resource: c.resource, Code: f.Code, HTTPStatus: f.HTTPStatus, Message: f.Message,
		RetryAfter: f.RetryAfter, Attempts: f.Attempts, Unprocessed: f.Unprocessed, Err: f.Err,
		// A call that ran into its own time limit can succeed the next time; if the caller's context is what
		// ended, the caller knows.
		transient: f.Transient || f.Code == codes.DeadlineExceeded,
		changes:   c.changes(),
	}
	if s := f.Status; s != nil {
		e.Reason, e.Domain, e.Metadata, e.RequestID = s.Reason, s.Domain, s.Metadata, s.RequestID
		for _, v := range s.Violations {
			e.Violations = append(e.Violations, Violation{
				Field:       strings.TrimPrefix(v.Field, "model_development_cluster."),
				Description: strings.TrimSpace(v.Description),
				Reason:      v.Reason,
			})
		}
	}
	if f.HTTPStatus != 0 && f.Err == nil {
		e.Err = apiError(f)
	}
	e.Err = auth.Explain(e.Err, "aiplatform.modelDevelopmentClusters."+c.permission)
	var credentials *auth.Error
	if f.HTTPStatus == 0 && errors.As(e.Err, &credentials) && credentials.Permanent() {
		e.Code = codes.Unauthenticated
	}
	return e
}

// apiError is the error that Google's own libraries would give, for helpers that look for it.
func apiError(f *rest.Fault) error {
	g := &googleapi.Error{Code: f.HTTPStatus, Message: f.Message, Header: f.Header, Body: string(f.Body)}
	if e, ok := apierror.ParseError(g, true); ok {
		return e
	}
	return g
}

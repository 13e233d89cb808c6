// Package rpcstatus reads google.rpc.Status objects, with the standard details (google.rpc.ErrorInfo and its
// kin), from the JSON of an HTTP error or of a failed operation. It is tolerant: a detail that does not decode
// is kept raw and costs nothing else.
package rpcstatus

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Status is a google.rpc.Status taken apart.
type Status struct {
	Code       codes.Code
	HTTPCode   int // from a code of 100 and more; 0 for a plain google.rpc.Status
	Message    string
	Reason     string // ErrorInfo, as are Domain and Metadata
	Domain     string
	Metadata   map[string]string
	Violations []Violation   // BadRequest, QuotaFailure and PreconditionFailure, in this order of preference
	RetryDelay time.Duration // RetryInfo; 0 if the server wished for none
	RequestID  string        // RequestInfo
	Help       []Link
	Details    []json.RawMessage // all of them, as received
}

// Violation is one complaint about the request.
type Violation struct {
	Field       string // path in the request, or the subject of a quota or a precondition
	Description string
	Reason      string
}

// Link is a page the server recommends.
type Link struct{ Description, URL string }

// Parse reads a google.rpc.Status. Its code comes from "status" where there is one, since HTTP statuses are
// ambiguous (409 is both ALREADY_EXISTS and ABORTED); then from "code", which is a gRPC code or an HTTP status.
func Parse(raw []byte) (*Status, error) {
	if err := jsonx.Valid(raw); err != nil {
		return nil, err
	}
	if kind := jsonx.KindOf(raw); kind != jsonx.KindObject {
		return nil, fmt.Errorf("want a google.rpc.Status, got %v", kind)
	}
	s := &Status{Code: codes.Unknown}
	switch n, err := jsonx.Int([]byte(text(raw, "code"))); {
	case err != nil:
	case n >= 0 && n < 100:
		s.Code = codes.Code(n)
	case n >= 100 && n < 1000:
		s.HTTPCode, s.Code = int(n), FromHTTP(int(n))
	}
	if code, ok := FromName(text(raw, "status")); ok {
		s.Code = code
	}
	s.Message = text(raw, "message")
	if details := jsonx.Member(raw, "details"); jsonx.KindOf(details) == jsonx.KindArray {
		_ = jsonx.EachElement(details, func(_ int, detail []byte) error {
			s.add(detail)
			return nil
		})
	}
	return s, nil
}

// add takes what it knows from one detail.
func (s *Status) add(detail []byte) {
	s.Details = append(s.Details, json.RawMessage(detail))
	kind := text(detail, "@type")
	switch kind[strings.LastIndexByte(kind, '.')+1:] {
	case "ErrorInfo":
		s.Reason, s.Domain, s.Metadata = text(detail, "reason"), text(detail, "domain"), metadata(detail)
	case "BadRequest":
		s.Violations = append(s.Violations, violations(detail, "fieldViolations", "field")...)
	case "QuotaFailure", "PreconditionFailure":
		s.Violations = append(s.Violations, violations(detail, "violations", "subject")...)
	case "RetryInfo":
		if d := pause(text(detail, "retryDelay")); d > 0 {
			s.RetryDelay = d
		}
	case "RequestInfo":
		s.RequestID = text(detail, "requestId")
	case "Help":
		var help struct{ Links []Link }
		if json.Unmarshal(detail, &help) == nil {
			s.Help = append(s.Help, help.Links...)
		}
	}
}

// pause reads a google.protobuf.Duration, 0 for none. That can be 10,000 years, and a Duration no more than 292: whoever wants
// more than those does not want to be asked again at once.
func pause(text string) time.Duration {
	d, err := jsonx.ParseDuration(text)
	seconds, ok := strings.CutSuffix(text, "s")
	whole, fraction, _ := strings.Cut(seconds, ".")
	if err != nil && ok && whole != "" && strings.Trim(whole+fraction, "0123456789") == "" {
		return math.MaxInt64
	}
	return d
}

func violations(detail []byte, list, field string) (found []Violation) {
	_ = jsonx.EachElement(jsonx.Member(detail, list), func(_ int, v []byte) error {
		found = append(found, Violation{Field: text(v, field), Description: text(v, "description"), Reason: text(v, "reason")})
		return nil
	})
	return found
}

func metadata(detail []byte) map[string]string {
	raw := jsonx.Member(detail, "metadata")
	if jsonx.KindOf(raw) != jsonx.KindObject {
		return nil
	}
	m := map[string]string{}
	_ = jsonx.EachMember(raw, func(name, _ []byte) error {
		m[string(name)] = text(raw, string(name))
		return nil
	})
	return m
}

// text is a member as text; "" if it is absent or null.
func text(object []byte, name string) string {
	value := jsonx.Member(object, name)
	if jsonx.KindOf(value) == jsonx.KindNull {
		return ""
	}
	return jsonx.Text(value)
}

// FromHTTP gives the code that google.rpc.Code documents for an HTTP status. Where several share one, it is the
// one that promises least: 409 is ABORTED only if a body says so.
func FromHTTP(status int) codes.Code {
	switch status {
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusConflict:
		return codes.AlreadyExists
	case http.StatusPreconditionFailed:
		return codes.FailedPrecondition
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case 499:
		return codes.Canceled
	case http.StatusNotImplemented:
		return codes.Unimplemented
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable:
		return codes.Unavailable
	case http.StatusGatewayTimeout:
		return codes.DeadlineExceeded
	}
	switch {
	case status >= 200 && status < 300:
		return codes.OK
	case status >= 500:
		return codes.Internal
	}
	return codes.Unknown
}

// names are those of google.rpc.Code; they are what the wire and the documents use, unlike codes.Code.String.
var names = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// Name spells a code as google.rpc.Code does.
func Name(code codes.Code) string {
	if int(code) < len(names) {
		return names[code]
	}
	return fmt.Sprintf("CODE_%d", code)
}

// FromName is the reverse of [Name].
func FromName(name string) (codes.Code, bool) {
	for code, n := range names {
		if n == name {
			return codes.Code(code), true
		}
	}
	return codes.Unknown, false
}

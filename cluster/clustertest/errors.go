package clustertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// apiError is an answer other than success, in the form of Google's REST errors.
type apiError struct {
	HTTP    int
	Status  string // "INVALID_ARGUMENT"
	Message string
	Details []any
	refusal bool // clustertest's own word, not the service's: see Server.refuse
}

// violation is one entry of a google.rpc.BadRequest.
type violation struct {
	Field       string `json:"field,omitempty"`
	Description string `json:"description"`
}

type badRequest struct {
	Type            string      `json:"@type"`
	FieldViolations []violation `json:"fieldViolations"`
}

type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

type retryInfo struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"`
}

const rpcType = "type.googleapis.com/google.rpc."

// rpcCodes maps the name of each google.rpc.Code to its number and to the HTTP status the service sends with it.
var rpcCodes = map[string]struct{ number, http int }{
	"CANCELLED":           {1, 499},
	"UNKNOWN":             {2, 500},
	"INVALID_ARGUMENT":    {3, 400},
	"DEADLINE_EXCEEDED":   {4, 504},
	"NOT_FOUND":           {5, 404},
	"ALREADY_EXISTS":      {6, 409},
	"PERMISSION_DENIED":   {7, 403},
	"RESOURCE_EXHAUSTED":  {8, 429},
	"FAILED_PRECONDITION": {9, 400},
	"ABORTED":             {10, 409},
	"OUT_OF_RANGE":        {11, 400},
	"UNIMPLEMENTED":       {12, 501},
	"INTERNAL":            {13, 500},
	"UNAVAILABLE":         {14, 503},
	"DATA_LOSS":           {15, 500},
	"UNAUTHENTICATED":     {16, 401},
}

func failf(status, format string, args ...any) *apiError {
	return &apiError{HTTP: rpcCodes[status].http, Status: status, Message: fmt.Sprintf(format, args...)}
}

// refusef says that a request is not one of this service at all. The code is one that no client retries and
// none takes for a missing cluster, so that a wrong URL cannot pass for an expected failure.
func refusef(format string, args ...any) *apiError {
	e := failf("UNIMPLEMENTED", "clustertest: "+format, args...)
	e.refusal = true
	return e
}

// foundErrors is the form in which the service reports what its checks found, all at once.
func foundErrors(found []violation) *apiError {
	var text strings.Builder
	text.WriteString("List of found errors:\t")
	for i, v := range found {
		fmt.Fprintf(&text, "%d.Field: %s; Message: %s\t", i+1, v.Field, v.Description)
	}
	return invalid(text.String(), found)
}

// payloadErrors is the form in which the JSON reader in front of the service reports its findings.
func payloadErrors(found []violation) *apiError {
	lines := make([]string, len(found))
	for i, v := range found {
		lines[i] = v.Description
	}
	return invalid(strings.Join(lines, "\n"), found)
}

func invalid(message string, found []violation) *apiError {
	e := failf("INVALID_ARGUMENT", "%s", message)
	e.Details = []any{badRequest{rpcType + "BadRequest", found}}
	return e
}

// badField refuses one request parameter.
func badField(field, format string, args ...any) *apiError {
	return foundErrors([]violation{{field, fmt.Sprintf(format, args...)}})
}

func deniedError(permission, resource string) *apiError {
	e := failf("PERMISSION_DENIED",
		"Permission '%s' denied on resource '//aiplatform.googleapis.com/%s' (or it may not exist).", permission, resource)
	e.Details = []any{errorInfo{rpcType + "ErrorInfo", "IAM_PERMISSION_DENIED", "aiplatform.googleapis.com",
		map[string]string{"resource": resource, "permission": permission}}}
	return e
}

// consumerError answers for a project that the server does not know: the service cannot tell it from one that
// the caller may not use.
func consumerError(project string) *apiError {
	e := failf("PERMISSION_DENIED", "Permission denied on resource project %s.", project)
	e.Details = []any{errorInfo{rpcType + "ErrorInfo", "CONSUMER_INVALID", "googleapis.com",
		map[string]string{"consumer": "projects/" + project, "service": "aiplatform.googleapis.com"}}}
	return e
}

// seconds writes a google.protobuf.Duration.
func seconds(d time.Duration) string {
	text := fmt.Sprintf("%.9f", d.Seconds())
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "s"
}

func (e *apiError) body() []byte {
	type inner struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"`
		Details []any  `json:"details,omitempty"`
	}
	out, err := json.Marshal(struct {
		Error inner `json:"error"`
	}{inner{e.HTTP, e.Message, e.Status, e.Details}})
	if err != nil {
		panic("clustertest: error details that are not JSON: " + err.Error())
	}
	return out
}

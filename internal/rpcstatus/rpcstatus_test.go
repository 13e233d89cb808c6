package rpcstatus

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		want       Status
	}{
		{"of an operation: a gRPC code", `{"code":3,"message":"no such machine"}`,
			Status{Code: codes.InvalidArgument, Message: "no such machine"}},
		{"of an HTTP error: the status decides", `{"code":409,"status":"ABORTED","message":"again"}`,
			Status{Code: codes.Aborted, HTTPCode: 409, Message: "again"}},
		{"without a status: HTTP has to do", `{"code":"404"}`, Status{Code: codes.NotFound, HTTPCode: 404}},
		{"a status of the future", `{"code":400,"status":"BRAND_NEW"}`, Status{Code: codes.InvalidArgument, HTTPCode: 400}},
		{"null is nothing", `{"code":null,"status":null,"message":null,"details":[]}`, Status{Code: codes.Unknown}},
		{"a code that cannot be one", `{"code":-1,"message":"m"}`, Status{Code: codes.Unknown, Message: "m"}},
		{"odd members of a detail cost only themselves", `{"code":7,"details":[
			{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":null,"metadata":{"permission":"p","n":5,"none":null}},
			{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"f","description":null}]}]}`,
			Status{Code: codes.PermissionDenied, Reason: "R", Metadata: map[string]string{"permission": "p", "n": "5", "none": ""}, Violations: []Violation{{"f", "", ""}}}},
		{"nothing: a failure all the same", `{}`, Status{Code: codes.Unknown}},
		{"details that do not decode cost nothing else", `{"code":5,"message":"m","details":[7,{"@type":"x.ErrorInfo","metadata":5},{"@type":"x.RetryInfo","retryDelay":"soon"}]}`,
			Status{Code: codes.NotFound, Message: "m"}},
		{"a pause beyond what a Duration holds", `{"code":14,"details":[{"@type":"x.RetryInfo","retryDelay":"315576000000.5s"}]}`,
			Status{Code: codes.Unavailable, RetryDelay: math.MaxInt64}},
		{"a pause that is none", `{"code":14,"details":[{"@type":"x.RetryInfo","retryDelay":"315576000000.5.5s"},{"@type":"x.RetryInfo","retryDelay":"-315576000000s"},
			{"@type":"x.RetryInfo","retryDelay":"s"},{"@type":"x.RetryInfo","retryDelay":".s"},{"@type":"x.RetryInfo","retryDelay":"5m"}]}`, Status{Code: codes.Unavailable}},
		{"every detail", `{"code":8,"details":[
			{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d","metadata":{"k":"v"}},
			{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"f","description":"d","reason":"r"}]},
			{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"s","description":"q"}]},
			{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"},
			{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"id"},
			{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"l","url":"u"}]}]}`,
			Status{Code: codes.ResourceExhausted, Reason: "R", Domain: "d", Metadata: map[string]string{"k": "v"},
				Violations: []Violation{{"f", "d", "r"}, {"s", "q", ""}}, RetryDelay: 3500 * time.Millisecond, RequestID: "id", Help: []Link{{"l", "u"}}}},
	} {
		got, err := Parse([]byte(tt.json))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var raw struct{ Details []json.RawMessage }
		if err := json.Unmarshal([]byte(tt.json), &raw); err != nil || len(raw.Details) != len(got.Details) {
			t.Errorf("%s: %d details kept of %d", tt.name, len(got.Details), len(raw.Details))
		}
		got.Details = nil
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	for _, bad := range []string{``, `null`, `[]`, `"x"`, `{"code":`} {
		if got, err := Parse([]byte(bad)); err == nil {
			t.Errorf("Parse(%q) = %+v", bad, got)
		}
	}
}

func TestNamesAreGooglesOwn(t *testing.T) {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if back, ok := FromName(Name(code)); !ok || back != code {
			t.Errorf("%v is spelled %s, which is %v", code, Name(code), back)
		}
	}
	if Name(codes.Canceled) != "CANCELLED" || Name(99) != "CODE_99" {
		t.Errorf("%s, %s", Name(codes.Canceled), Name(99))
	}
	for status, want := range map[int]codes.Code{200: codes.OK, 400: codes.InvalidArgument, 401: codes.Unauthenticated, 403: codes.PermissionDenied,
		404: codes.NotFound, 409: codes.AlreadyExists, 412: codes.FailedPrecondition, 429: codes.ResourceExhausted, 499: codes.Canceled,
		501: codes.Unimplemented, 502: codes.Unavailable, 503: codes.Unavailable, 504: codes.DeadlineExceeded, 500: codes.Internal, 418: codes.Unknown} {
		if got := FromHTTP(status); got != want {
			t.Errorf("FromHTTP(%d) = %v, want %v", status, got, want)
		}
	}
}

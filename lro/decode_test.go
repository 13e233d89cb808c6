package lro_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// read lets an operation called nameA be answered with body.
func read(t *testing.T, body string) (lro.State, error) {
	t.Helper()
	return lro.New(serving(nameA, step{body: body}), nameA).Poll(t.Context())
}

func TestForeignAnswers(t *testing.T) {
	const about = "lro: the answer about " + nameA + " is not that operation: "
	cases := []struct {
		why, body, want string
		transient       bool
	}{
		{"nothing", "", "it is empty", true},
		{"blanks", " \n", "it is empty", true},
		{"a proxy's page", "<!DOCTYPE html><html>secret</html>", "it is an HTML or XML page, which a proxy or a wrong endpoint may have sent", true},
		{"a cut answer", `{"name": "` + nameA + `", "done": tr`, "it is not whole JSON: ", true},
		{"plain text", "upstream secret", "it is not whole JSON: ", true},
		{"null", "null", "it is null, not an object", false},
		{"a list", "[]", "it is a list, not an object", false},
		{"a string", `"done"`, "it is a string, not an object", false},
		{"no name", "{}", "it has no name", false},
		{"a name of another kind", `{"name": 42}`, "it has no name", false},
		// An error envelope with status 200 has the members of a failed operation. It must not pass for one.
		{"the error of a call", `{"done": true, "error": {"code": 503, "status": "UNAVAILABLE"}}`, "it has no name", false},
		{"another resource", `{"name": "` + parent + `/modelDevelopmentClusters/training"}`, `operation name "` + parent + `/modelDevelopmentClusters/training" has "modelDevelopmentClusters" where "operations" belongs`, false},
		{"another operation", `{"name": "` + nameB + `", "done": true}`, "it is about " + nameB, false},
		{"another region", `{"name": "projects/123456789012/locations/us-east4/operations/1001"}`, "it is about projects/123456789012/locations/us-east4/operations/1001", false},
		{"another project", `{"name": "projects/999/locations/us-central1/operations/1001"}`, "it is about projects/999/locations/us-central1/operations/1001", false},
		{"done of another kind", `{"name": "` + nameA + `", "done": {"yes": 1}}`, `its "done" is neither true nor false`, false},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			state, err := read(t, c.body)
			if err == nil || !strings.HasPrefix(err.Error(), about+c.want) {
				t.Fatalf("Poll = %v\n   want %s%s", err, about, c.want)
			}
			if state.Done || state.Err != nil {
				t.Errorf("an answer that is no operation changed the state: %+v", state)
			}
			if fault, ok := err.(interface{ Transient() bool }); !ok || fault.Transient() != c.transient {
				t.Errorf("Transient = %v, want %v", !c.transient, c.transient)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error quotes the body: %v", err)
			}
		})
	}
}

type nothing struct{ lro.Service }

func (nothing) ReadOperation(context.Context, string) (*lro.Reading, error) { return nil, nil }

// A Service that gives neither a reading nor an error is wrong, but no reason to panic.
func TestNilReading(t *testing.T) {
	_, err := lro.New(nothing{}, nameA).Poll(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), "it is empty") {
		t.Errorf("Poll = %v", err)
	}
}

func TestStartedRefusesWhatNamesNoOperation(t *testing.T) {
	const prefix = "lro: the answer to the call that starts the work is not an operation: "
	for body, want := range map[string]string{
		"":                              "it is empty",
		"{}":                            "it has no name",
		`{"name": "42"}`:                `operation name "42" has 1 parts instead of 6`,
		`{"name": "a/b/c/d/e/f"}`:       `operation name "a/b/c/d/e/f" has "a" where "projects" belongs`,
		"<html>":                        "it is an HTML or XML page",
		`{"name": "` + nameA + `", "do`: "it is not whole JSON: ",
	} {
		op, err := lro.Started(newService(), []byte(body))
		if op != nil || err == nil || !strings.HasPrefix(err.Error(), prefix+want) {
			t.Errorf("Started(%q) = %v, %v\n want %s%s", body, op, err, prefix, want)
		}
	}
}

func TestOddAnswers(t *testing.T) {
	name := `"name": "` + nameA + `"`
	cases := []struct {
		why, body string
		done      bool
		code      codes.Code // OK: no failure
		message   string
	}{
		{"done is absent while it runs", `{` + name + `}`, false, codes.OK, ""},
		{"done may be null", `{` + name + `, "done": null}`, false, codes.OK, ""},
		{"done in quotes", `{` + name + `, "done": "true"}`, true, codes.OK, ""},
		{"done with neither response nor error", `{` + name + `, "done": true}`, true, codes.OK, ""},
		{"done with an empty response", `{` + name + `, "done": true, "response": {}}`, true, codes.OK, ""},
		{"done with null for an error", `{` + name + `, "done": true, "error": null, "response": {}}`, true, codes.OK, ""},
		{"an error that says OK is still one", `{` + name + `, "done": true, "error": {"code": 0}}`, true, codes.Unknown, ""},
		{"an empty error is still one", `{` + name + `, "done": true, "error": {}}`, true, codes.Unknown, ""},
		{"an error beside a response counts", `{` + name + `, "done": true, "response": {}, "error": {"code": 13, "message": "m"}}`, true, codes.Internal, "m"},
		{"an error that is a sentence", `{` + name + `, "done": true, "error": "out of stock"}`, true, codes.Unknown, "out of stock"},
		{"an error that is a list", `{` + name + `, "done": true, "error": []}`, true, codes.Unknown, "[]"},
		{"a code in quotes", `{` + name + `, "done": true, "error": {"code": "8", "message": "m"}}`, true, codes.ResourceExhausted, "m"},
		{"a code nobody knows", `{` + name + `, "done": true, "error": {"code": 77, "message": "m"}}`, true, codes.Code(77), "m"},
		{"an error before the end is not the end", `{` + name + `, "error": {"code": 3}}`, false, codes.OK, ""},
		{"metadata of another kind", `{` + name + `, "done": true, "metadata": [1]}`, true, codes.OK, ""},
		{"metadata with odd members", `{` + name + `, "done": true, "metadata": {"@type": 1, "progressMessage": {}, "genericMetadata": {"createTime": 5, "partialFailures": {}}}}`, true, codes.OK, ""},
		{"the project's id was asked for", `{"name": "projects/my-project/locations/us-central1/operations/1001"}`, false, codes.OK, ""},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			state, err := read(t, c.body)
			failure, failed := errors.AsType[*lro.OperationError](err)
			if err != nil && !failed {
				t.Fatal(err)
			}
			if state.Done != c.done || failed != (c.code != codes.OK) {
				t.Errorf("done %v, failure %v", state.Done, failure)
			}
			if failed && (failure.Code != c.code || failure.Message != c.message) {
				t.Errorf("failure = %v %q, want %v %q", failure.Code, failure.Message, c.code, c.message)
			}
			if state.Name != nameA || string(state.Raw) != c.body {
				t.Errorf("state = %+v; want the name that was asked for and the whole answer", state)
			}
		})
	}
}

func TestMetadataInEitherSpelling(t *testing.T) {
	for _, meta := range []string{
		`{"@type": "type.googleapis.com/google.cloud.aiplatform.v1beta1.DeleteOperationMetadata", "progressMessage": "m",
		  "genericMetadata": {"createTime": "2026-06-26T18:26:34.658211Z", "updateTime": "2026-06-26T18:31:02Z",
		  "partialFailures": [{"code": 14, "message": "node 3"}, "odd"]}}`,
		`{"@type": "type.googleapis.com/google.cloud.aiplatform.v1beta1.DeleteOperationMetadata", "progress_message": "m",
		  "generic_metadata": {"create_time": "2026-06-26T18:26:34.658211Z", "update_time": "2026-06-26T18:31:02Z",
		  "partial_failures": [{"code": 14, "message": "node 3"}, "odd"]}}`,
	} {
		s, err := read(t, `{"name": "`+nameA+`", "metadata": `+meta+`}`)
		if err != nil {
			t.Fatal(err)
		}
		if s.Type != "DeleteOperationMetadata" || s.Message != "m" || s.Done || string(s.Metadata) != meta {
			t.Errorf("state = %+v", s)
		}
		if got := s.UpdateTime.Sub(s.CreateTime).String(); got != "4m27.341789s" {
			t.Errorf("created %v, updated %v", s.CreateTime, s.UpdateTime)
		}
		var texts []string
		for _, f := range s.PartialFailures {
			texts = append(texts, f.Error())
		}
		want := []string{
			"lro: operation " + nameA + " failed in part: UNAVAILABLE: node 3",
			"lro: operation " + nameA + " failed in part: UNKNOWN: odd",
		}
		if !slices.Equal(texts, want) {
			t.Errorf("partial failures = %q\nwant %q", texts, want)
		}
	}
}

func TestOperationErrorDetails(t *testing.T) {
	_, err := read(t, `{"name": "`+nameA+`", "done": true, "error": {"code": 3, "message": "Request contains\nan invalid argument.", "details": [
		{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "STOCKOUT", "domain": "aiplatform.googleapis.com", "metadata": {"zone": "us-central1-a"}},
		{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"field": "node_pools[0].zone", "description": "no such\nzone"}, {"field": "x"}]}]}}`)
	e, ok := errors.AsType[*lro.OperationError](err)
	if !ok {
		t.Fatal(err)
	}
	if e.Reason != "STOCKOUT" || e.Domain != "aiplatform.googleapis.com" || e.Metadata["zone"] != "us-central1-a" || len(e.Details) != 2 {
		t.Errorf("error = %+v", e)
	}
	if want := []lro.Violation{{Field: "node_pools[0].zone", Description: "no such\nzone"}, {Field: "x"}}; !slices.Equal(e.Violations, want) {
		t.Errorf("violations = %+v, want %+v", e.Violations, want)
	}
	want := "lro: operation " + nameA + " failed: INVALID_ARGUMENT: Request contains an invalid argument.: node_pools[0].zone: no such zone"
	if e.Error() != want {
		t.Errorf("text = %s\nwant   %s", e, want)
	}
}

// What the message says already is not said again.
func TestViolationsInTheMessage(t *testing.T) {
	_, err := read(t, `{"name": "`+nameA+`", "done": true, "error": {"code": 9, "message": "Bad: no such zone", "details": [
		{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"field": "zone", "description": "no such zone"}, {"description": "no such disk"}]}]}}`)
	if want := "lro: operation " + nameA + " failed: FAILED_PRECONDITION: Bad: no such zone: no such disk"; err == nil || err.Error() != want {
		t.Errorf("text = %v\nwant   %s", err, want)
	}
}

// recycling answers from one buffer, as a Service may.
type recycling struct {
	lro.Service
	buffer []byte
}

func (r recycling) ReadOperation(context.Context, string) (*lro.Reading, error) {
	return &lro.Reading{Body: r.buffer}, nil
}

func TestBodyIsCopied(t *testing.T) {
	body := runs(nameA, "").body
	r := recycling{buffer: []byte(body)}
	state, err := lro.New(r, nameA).Poll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	op, err := lro.Started(r, r.buffer)
	if err != nil {
		t.Fatal(err)
	}
	clear(r.buffer)
	if string(state.Raw) != body || string(op.State().Raw) != body {
		t.Errorf("the state lives in the Service's buffer: %q", state.Raw)
	}
}

func TestLongMessageIsCutInTheText(t *testing.T) {
	_, err := read(t, fails(nameA, 13, strings.Repeat("ä", 5000)).body)
	e, _ := errors.AsType[*lro.OperationError](err)
	if e == nil || len(e.Message) != 10000 {
		t.Fatalf("Message has not come whole: %v", err)
	}
	if text := e.Error(); len(text) > 2200 || !strings.HasSuffix(text, "ä…") {
		t.Errorf("text of %d bytes ends in %q", len(text), text[len(text)-30:])
	}
}

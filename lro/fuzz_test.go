package lro_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// FuzzAnswer reads an operation from any body. Whatever comes, it is either refused, which changes nothing, or it is
// the operation that was asked for, and whether it is done, and well or badly, agrees with what encoding/json reads.
func FuzzAnswer(f *testing.F) {
	name := `"name": "` + nameA + `"`
	for _, seed := range []string{
		"", "null", "[]", "<html>", `{` + name + `}`, `{"done": true, "error": {"code": 503}}`,
		runs(nameA, "provisioning").body, succeeds(nameA).body, fails(nameA, 3, "no\nzone").body,
		`{` + name + `, "done": true, "done": false, "error": null}`,
		`{` + name + `, "done": "true", "response": {}, "error": {"code": 0}}`,
		`{` + name + `, "done": true, "error": {"code": -1, "details": [{"@type": 1}, null, "x"]}}`,
		`{` + name + `, "metadata": {"progress_message": "m", "generic_metadata": {"partial_failures": [{}, [], null]}}}`,
		`{"name": "projects/p/locations/us-central1/operations/1001", "done": 1}`,
		`{` + name + `, "done": true, "error": {"code": 8, "message": "no GPUs", "details": [{"@type": "x"}, {"@type": "y"}]}, "metadata": {
			"progressMessage": "step 2", "genericMetadata": {"createTime": "2026-11-30T12:00:00Z", "updateTime": "2026-11-30T12:05:00.5Z",
			"partialFailures": [{"code": 5, "message": "a"}, {"code": 14, "message": "b"}]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		op := lro.New(serving(nameA, step{body: string(body)}), nameA)
		state, err := op.Poll(t.Context())
		failure, failed := errors.AsType[*lro.OperationError](err)
		if err != nil && !failed {
			if op.State().Raw != nil || op.Done() || strings.ContainsAny(err.Error(), "\n\r") || !utf8.ValidString(err.Error()) {
				t.Errorf("refused with %q, state %+v", err, op.State())
			}
			return
		}
		if state.Name != nameA || string(state.Raw) != string(body) || state.Succeeded() == failed && state.Done {
			t.Errorf("state = %+v, failed %v", state, failed)
		}
		if failed && (!state.Done || failure.Code == codes.OK || failure.Name != nameA || strings.Contains(failure.Error(), "\n")) {
			t.Errorf("failure = %#v", failure)
		}
		if strings.Contains(op.String(), "\n") {
			t.Errorf("String has several lines: %q", op)
		}
		agrees(t, body, state)
	})
}

// agrees compares with a second reader.
func agrees(t *testing.T, body []byte, state lro.State) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatalf("accepted, but not an object: %v", err)
	}
	set := func(name string) bool { return members[name] != nil && string(members[name]) != "null" }
	var done bool
	if json.Unmarshal(members["done"], &done) == nil && done != state.Done {
		t.Errorf("done = %v, encoding/json reads %v", state.Done, done)
	}
	if state.Done && set("error") != (state.Err != nil) {
		t.Errorf("failed %v, error is set: %v", state.Err, set("error"))
	}
	if want := state.Succeeded() && set("response"); want != (state.Response != nil) {
		t.Errorf("response %q, want one: %v", state.Response, want)
	}
	metadata := object(set("metadata"), members["metadata"])
	generic := object(true, member(metadata, "genericMetadata", "generic_metadata"))
	if want := plainText(member(metadata, "progressMessage", "progress_message")); state.Message != want {
		t.Errorf("message %q, want %q", state.Message, want)
	}
	for name, got := range map[string]time.Time{"createTime": state.CreateTime, "updateTime": state.UpdateTime} {
		want, err := time.Parse(time.RFC3339Nano, plainText(member(generic, name, strings.Replace(name, "Time", "_time", 1))))
		if err != nil {
			want = time.Time{}
		}
		if !got.Equal(want) {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	var failures []json.RawMessage
	_ = json.Unmarshal(member(generic, "partialFailures", "partial_failures"), &failures) // what is no list has none
	if len(failures) != len(state.PartialFailures) {
		t.Fatalf("%d partial failures of %d", len(state.PartialFailures), len(failures))
	}
	for i, failure := range failures {
		statusAgrees(t, failure, state.PartialFailures[i])
	}
	if state.Err != nil {
		statusAgrees(t, members["error"], state.Err)
	}
}

// statusAgrees compares a failure with a second reader of its google.rpc.Status, as far as that is of the usual kind.
func statusAgrees(t *testing.T, raw json.RawMessage, got *lro.OperationError) {
	t.Helper()
	status := object(true, raw)
	if message := status["message"]; len(message) > 0 && message[0] == '"' && got.Message != plainText(message) {
		t.Errorf("message %q of %s", got.Message, raw)
	}
	var code codes.Code
	if n, err := strconv.Atoi(string(status["code"])); err == nil && n > 0 && n <= int(codes.Unauthenticated) {
		code = codes.Code(n)
	}
	if code != 0 && status["status"] == nil && got.Code != code {
		t.Errorf("code %v of %s", got.Code, raw)
	}
	var details []json.RawMessage
	if json.Unmarshal(status["details"], &details) == nil && len(got.Details) != len(details) {
		t.Errorf("%d details of %s", len(got.Details), raw)
	}
}

func object(is bool, raw json.RawMessage) (members map[string]json.RawMessage) {
	if !is || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}

// member is the first of these that is there and not null.
func member(members map[string]json.RawMessage, names ...string) json.RawMessage {
	for _, name := range names {
		if v := members[name]; v != nil && string(v) != "null" {
			return v
		}
	}
	return nil
}

func plainText(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

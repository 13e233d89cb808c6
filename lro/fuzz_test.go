package lro_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
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
}

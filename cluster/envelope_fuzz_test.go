package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// sameAnswer answers each request alike.
type sameAnswer struct{ body []byte }

func (a *sameAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(a.body)),
		Body: io.NopCloser(bytes.NewReader(a.body)), Request: r,
	}, nil
}

// FuzzEnvelope: whatever a platform answers, CallSlurm and StreamSlurm read in it what encoding/json does, or fail with an
// *Error of one line.
func FuzzEnvelope(f *testing.F) {
	for _, name := range []string{"response-slurm-structured.json", "response-slurm-body-string.json"} {
		f.Add(payload(f, name))
	}
	for _, envelope := range []string{
		`{"status":"404","body":"Unable find requested URL."}`, `{"body":"{\"a\":\"\\u00e4\"}","status":404}`,
		`{"status":200,"structured_body":{"a":1},"body":"{\"a\":2}"}`, `{"status":200,"structuredBody":null,"body":"{}"}`,
		`{"status":304}`, `{"status":500,"structuredBody":[1,2]}`, `{"status":"soon"}`, `[{"status":200}]`, `<html>`, ``, `null`,
		`{"status":2,"body":{"":1},"body":"\"\""}`, `{"status":200,"structuredBody":"","body":"{}"}`, `{"body":"1","structuredBody":{"a":2},"status":200}`,
	} {
		f.Add([]byte(envelope))
	}
	answer := &sameAnswer{}
	c, err := cluster.NewClient(f.Context(), parent, option.WithHTTPClient(&http.Client{Transport: answer}))
	if err != nil {
		f.Fatal(err)
	}
	once := gax.WithRetry(func() gax.Retryer { return never{} })
	f.Fuzz(func(t *testing.T, envelope []byte) {
		answer.body = envelope
		resp, err := c.CallSlurm(t.Context(), "training", jobsRequest, once)
		if !fails(t, envelope, err) {
			if status, body, ok := plainEnvelope(envelope); ok && (resp.Status != status || string(resp.Body) != string(body)) {
				t.Errorf("%q: %d %q, want %d %q", envelope, resp.Status, resp.Body, status, body)
			}
		} else if _, _, ok := plainEnvelope(envelope); ok {
			t.Errorf("%q: %v", envelope, err)
		}

		stream, streamErr := c.StreamSlurm(t.Context(), "training", jobsRequest, once)
		var streamed []byte
		if streamErr == nil {
			streamed, streamErr = io.ReadAll(stream)
			_ = stream.Close()
		}
		if _, _, ok := plainEnvelope(envelope); fails(t, envelope, streamErr) {
			if ok {
				t.Errorf("%q: streamed: %v", envelope, streamErr)
			}
		} else if err != nil || stream.Status() != resp.Status ||
			// A stream leaves broken UTF-8 as it came, and of several answers it has passed the first on when it sees another.
			string(streamed) != string(resp.Body) && utf8.Valid(envelope) && answers(envelope) == 1 {
			t.Errorf("%q: streamed %d %q, but %+v, %v", envelope, stream.Status(), streamed, resp, err)
		}
	})
}

// fails reports whether there is an error, which has to be one that callers can read.
func fails(t *testing.T, envelope []byte, err error) bool {
	t.Helper()
	var e *cluster.Error
	if err != nil && (!errors.As(err, &e) || strings.ContainsAny(err.Error(), "\r\n\x00\x1b")) {
		t.Errorf("%q: error %q", envelope, err)
	}
	return err != nil
}

// answers counts the members that hold an answer of Slurm's. None at all is one answer as well, an empty one.
func answers(envelope []byte) (n int) {
	d := json.NewDecoder(bytes.NewReader(envelope))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return 0
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return n
		}
		switch name {
		case "structuredBody", "structured_body", "body":
			if holds(value) {
				n++
			}
		}
	}
	return max(n, 1)
}

// holds reports whether there is an answer in a member.
func holds(value []byte) bool {
	return value != nil && string(value) != "null" && string(value) != `""`
}

// plainEnvelope reads an envelope by encoding/json. ok is false where readers may differ: for members that are there twice,
// and a status that is no plain number.
func plainEnvelope(envelope []byte) (status int, body []byte, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(envelope, &members) != nil || members == nil {
		return 0, nil, false
	}
	for _, name := range []string{"status", "structuredBody", "structured_body", "body"} {
		if bytes.Count(envelope, []byte(`"`+name)) > 1 { // too many, for the name may be a value, which does no harm
			return 0, nil, false
		}
	}
	if bytes.Contains(envelope, []byte(`\u`)) || members["structuredBody"] != nil && members["structured_body"] != nil {
		return 0, nil, false
	}
	status, err := strconv.Atoi(strings.Trim(string(members["status"]), `"`))
	if err != nil || status <= 0 || strconv.Itoa(status) != strings.Trim(string(members["status"]), `"`) {
		return 0, nil, false
	}
	for _, name := range []string{"structuredBody", "structured_body", "body"} {
		if body = members[name]; holds(body) {
			break
		}
	}
	var text string
	switch {
	case string(body) == "null":
		return status, nil, true
	case json.Unmarshal(body, &text) == nil:
		return status, []byte(text), true
	}
	return status, body, true
}

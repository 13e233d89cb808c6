package clustertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const methodPrefix = "HTTP_METHOD_"

// maxSlurmCall is the size that a callSlurmRestApi must stay under. The documents say 1 MB and not of which
// kind; this is the smaller.
const maxSlurmCall = 1_000_000

// callSlurm passes a call on to the Slurm behind the server. The lock is not held: Slurm may take its time.
func (s *Server) callSlurm(c *call) ([]byte, *apiError) {
	if len(c.body) >= maxSlurmCall {
		return nil, failf("INVALID_ARGUMENT", "Request size of %d bytes exceeds the limit of 1 MB.", len(c.body))
	}
	body, err := decode(slurmCallSchema(), "", c.body)
	if err != nil {
		return nil, err
	}
	if err := s.slurmReady(c); err != nil {
		return nil, err
	}
	r, err := s.slurmRequest(c, body)
	if err != nil {
		return nil, err
	}
	if s.slurm == nil {
		return nil, refusef("there is no Slurm behind this server (see WithSlurm)")
	}
	w := newRecorder()
	if serveInMemory(s.slurm, w, r) != nil {
		return nil, failf("UNAVAILABLE", "The cluster could not be reached.")
	}
	return s.envelope(w), nil
}

// slurmReady checks that the cluster exists and runs. That Slurm is out of reach during an update is this
// server's choice, so that clients are seen to cope; the documents only say that jobs go on.
func (s *Server) slurmReady(c *call) *apiError {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	cl, err := s.find(c)
	if err == nil && cl.state != stateRunning {
		err = failf("UNAVAILABLE", "ModelDevelopmentCluster %q is not reachable in state %s.", cl.id, cl.state)
	}
	return err
}

func (s *Server) slurmRequest(c *call, call document) (*http.Request, *apiError) {
	method := strings.TrimPrefix(call.text("method"), methodPrefix)
	body, hasBody := call["body"].(json.RawMessage)
	switch {
	case method == "" || method == "UNSPECIFIED":
		return nil, badField("method", "is required")
	case method == http.MethodPost && !hasBody:
		return nil, badField("body", "is required for POST")
	case method != http.MethodPost && hasBody:
		return nil, badField("body", "must be empty for %s", method)
	}
	u, err := slurmURL(call.text("path"))
	if err != nil {
		return nil, err
	}
	if s.structNumbers {
		body = throughStruct(body, 'f')
	}
	r := &http.Request{
		Method: method, URL: u, RequestURI: call.text("path"), Host: "slurm", RemoteAddr: "127.0.0.1:1",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"application/json"}}, Body: http.NoBody,
	}
	if hasBody {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return r.WithContext(c.r.Context()), nil
}

// slurmURL accepts paths of the two Slurm services. Query strings pass; whether they do on the service is not
// published.
func slurmURL(text string) (*url.URL, *apiError) {
	u, err := url.ParseRequestURI(text)
	switch {
	case text == "":
		return nil, badField("path", "is required")
	case err != nil || u.Host != "" || u.Fragment != "" || !strings.HasPrefix(text, "/") || strings.Contains(text, "#"),
		!strings.HasPrefix(u.Path, "/slurm/") && !strings.HasPrefix(u.Path, "/slurmdb/"),
		slices.Contains(strings.Split(u.Path, "/"), ".."):
		return nil, badField("path", "is not a Slurm REST API path: %q", text)
	}
	return u, nil
}

// envelope wraps Slurm's answer in the form that the server was set up for.
func (s *Server) envelope(w *recorder) []byte {
	body := bytes.TrimSpace(w.body.Bytes())
	// A Struct holds an object and nothing else.
	fits := len(body) > 0 && body[0] == '{' && json.Valid(body)
	var name string
	switch {
	case len(body) == 0, !s.textEnvelope && !fits && s.dropText:
	case s.textEnvelope || !fits:
		name, body = "body", quoted(w.body.String())
	case s.structNumbers:
		name, body = "structuredBody", throughStruct(body, 'g')
	default:
		name = "structuredBody"
	}
	// Written by hand: a list of jobs has megabytes, and package json would go over it three times.
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"status":%d`, max(w.status, http.StatusOK))
	if name != "" {
		fmt.Fprintf(&out, `,"%s":`, name)
		out.Write(body)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func quoted(text string) []byte {
	out, _ := json.Marshal(text) // a string always marshals
	return out
}

// throughStruct does to JSON what a google.protobuf.Struct does: numbers become float64 and the order of members
// is lost. With format 'g', large numbers print with an exponent, 1.76e+09.
func throughStruct(raw []byte, format byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw // a number beyond float64: a Struct cannot hold the document at all
	}
	out, err := json.Marshal(floats(v, format))
	if err != nil {
		return raw
	}
	return out
}

func floats(v any, format byte) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k], format)
		}
	case []any:
		for i := range v {
			v[i] = floats(v[i], format)
		}
	case float64:
		return json.Number(strconv.FormatFloat(v, format, -1, 64))
	}
	return v
}

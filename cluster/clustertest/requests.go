package clustertest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Request is one request that reached the server, kept for assertions.
type Request struct {
	Time   time.Time
	Verb   Verb   // what it asked for; "" if that is not a method of the service
	Method string // "POST"
	Host   string
	URL    string // path and raw query, as sent
	Header http.Header
	Body   []byte
}

// String returns the method and address, without headers and body: those can hold secrets.
func (r Request) String() string { return r.Method + " " + r.Host + r.URL }

// SlurmCall takes a callSlurmRestApi apart: the inner HTTP method ("POST"), the Slurm path with its query, and
// the body. All are empty for other requests.
func (r Request) SlurmCall() (method, path string, body []byte) {
	var call struct {
		Method, Path string
		Body         json.RawMessage
	}
	if r.Verb != VerbCallSlurm || json.Unmarshal(r.Body, &call) != nil {
		return "", "", nil
	}
	return strings.TrimPrefix(call.Method, methodPrefix), call.Path, call.Body
}

func newRequest(r *http.Request, verb Verb, body []byte) Request {
	return Request{time.Now(), verb, r.Method, r.Host, r.URL.RequestURI(), r.Header.Clone(), body}
}

// Requests returns all requests so far, the oldest first, including those that were refused or met a [Fault].
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// RequestsFor returns the requests for one method, the oldest first.
func (s *Server) RequestsFor(verb Verb) []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Verb != verb })
}

// ResetRequests forgets the requests so far.
func (s *Server) ResetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

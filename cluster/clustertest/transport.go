package clustertest

import (
	"context"
	"net/http"

	"google.golang.org/api/option"
)

// ClientOptions lets a client talk to the server in memory: no socket, no credentials, no goroutine. Pass them
// to cluster.NewClient or slurm.Open, before options of your own.
func (s *Server) ClientOptions() []option.ClientOption {
	return []option.ClientOption{option.WithHTTPClient(s.HTTPClient())}
}

// HTTPClient returns a client all of whose requests go to the server, in memory, whatever their host; the server
// refuses hosts that are not the service's. A call runs on the caller's goroutine and ends with its context.
func (s *Server) HTTPClient() *http.Client { return &http.Client{Transport: memory{s}} }

// memory is the transport. It calls the handler directly: since it waits for nothing but what the handler waits
// for, a testing/synctest bubble can see that everybody is asleep and move its clock.
type memory struct{ s *Server }

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	w := newRecorder()
	err := serveInMemory(m.s, w, asServed(r))
	// As on a network, an answer that comes after the caller has gone is lost, though the work was done.
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return w.response(r), nil
}

// asServed turns a request as clients send it into one as handlers get it.
func asServed(r *http.Request) *http.Request {
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:1"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// serveInMemory calls h and turns an abort, by which handlers close a connection, into the error that a client
// sees then.
func serveInMemory(h http.Handler, w *recorder, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			err = errReset
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return w.broken
}

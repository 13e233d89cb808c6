// Package slurmproxy passes requests on to a real slurmrestd, as the service does behind callSlurmRestApi, so that
// it can stand behind the test server of package clustertest.
package slurmproxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// New returns a handler in front of the slurmrestd at an address, "unix:/PATH" or "http://HOST:PORT". Method, path,
// query and body go in as they are, status, content type and body come out. No other header passes in either
// direction: who asks is settled by the socket or, if it is not empty, by the token, a JWT of Slurm's.
//
// Where slurmrestd gives no whole answer, the handler aborts by panicking with [http.ErrAbortHandler]: net/http then
// closes the connection, and clustertest reports the cluster as unreachable. Nothing is sent twice.
func New(address, token string) (http.Handler, error) {
	network, target, ok := strings.Cut(address, ":")
	switch {
	case ok && network == "unix" && target != "":
	case ok && network == "http" && len(target) > 2 && target[:2] == "//":
		network, target = "tcp", strings.TrimSuffix(target[2:], "/")
	default:
		return nil, fmt.Errorf("slurmrestd address %q; want unix:/PATH or http://HOST:PORT", address)
	}
	return &proxy{token: token, transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, target)
		},
		// A connection that slurmrestd closes while it is idle would make the transport send a request twice, or
		// fail one for no fault of slurmrestd's.
		DisableKeepAlives:  true,
		DisableCompression: true,
	}}, nil
}

type proxy struct {
	transport http.RoundTripper
	token     string
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, contentType, body, err := p.forward(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	if len(body) > 0 { // a 304 may have none
		_, _ = w.Write(body) // a caller that has gone is no failure of slurmrestd's
	}
}

func (p *proxy) forward(r *http.Request) (status int, contentType string, body []byte, err error) {
	// slurmrestd refuses chunked bodies; a bytes.Reader makes the transport announce the length.
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, "", nil, err
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, "http://slurm/", bytes.NewReader(sent))
	if err != nil {
		return 0, "", nil, err
	}
	out.URL = &url.URL{
		Scheme: "http", Host: "slurm",
		Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery,
	}
	out.Header = http.Header{"Accept": {"application/json"}, "User-Agent": {""}}
	if len(sent) > 0 {
		// slurmrestd does not take a charset.
		out.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		out.Header.Set("X-SLURM-USER-TOKEN", p.token)
	}
	resp, err := p.transport.RoundTrip(out)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Content-Type"), body, err
}

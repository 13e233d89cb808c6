package realslurm

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Proxy returns a handler that passes requests on to the slurmrestd that listens on a unix socket, as the platform
// does behind callSlurmRestApi. Method, path, query and body go in as they are, status, content type and body come
// out. No other header passes in either direction: who asks is settled by the socket, whatever a request may claim.
//
// Where slurmrestd gives no whole answer, the handler aborts by panicking with [http.ErrAbortHandler]: net/http then
// closes the connection, and clustertest reports the cluster as unreachable. Nothing is sent twice.
func Proxy(socket string) http.Handler {
	return &proxy{&http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
		// A connection that slurmrestd closes while it is idle would make the transport send a request twice, or
		// fail one for no fault of slurmrestd's.
		DisableKeepAlives:  true,
		DisableCompression: true,
	}}
}

type proxy struct{ transport http.RoundTripper }

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
	resp, err := p.transport.RoundTrip(out)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Content-Type"), body, err
}

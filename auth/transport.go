package auth

import (
	"context"
	"net/http"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// authenticating stands above the library's transport. It turns a failure to get a token into an *Error.
type authenticating struct{ next http.RoundTripper }

// attempt is what the two ends of the transport tell each other about one request.
type attempt struct {
	agent string // the User-Agent that the request came with
	sent  bool   // it got past authentication
}

type attemptKey struct{}

// RoundTrip sends the request with a token.
func (t *authenticating) RoundTrip(req *http.Request) (*http.Response, error) {
	a := &attempt{agent: req.Header.Get("User-Agent")}
	ctx := context.WithValue(req.Context(), attemptKey{}, a)
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	// If the caller gave up, the credentials are not to blame.
	if err == nil || a.sent || ctx.Err() != nil {
		return resp, err
	}
	return nil, explained(err, credentialHint)
}

// wire stands below the library's transport, above the network.
type wire struct{ base http.RoundTripper }

// RoundTrip notes that the request got here, and joins the two user agents.
func (t *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	a, _ := req.Context().Value(attemptKey{}).(*attempt)
	if a == nil {
		return t.base.RoundTrip(req)
	}
	if err := checkHeader(req.Header); err != nil {
		return nil, err
	}
	a.sent = true
	// The library replaces the request's User-Agent by that of option.WithUserAgent. Servers want to know both the
	// application and the SDK.
	if agent := req.Header.Get("User-Agent"); a.agent != "" && agent != a.agent {
		joined := *req
		joined.Header = req.Header.Clone()
		joined.Header.Set("User-Agent", agent+" "+a.agent)
		req = &joined
	}
	return t.base.RoundTrip(req)
}

// checkHeader refuses what the library made of tokens and options if they would not stay in their field.
func checkHeader(header http.Header) error {
	err := foreign.CheckHeader(header)
	if err == nil {
		return nil
	}
	return &Error{Err: err, Hint: "look for line breaks and the like in the token, and in the options that name a project, a reason or an agent"}
}

// explaining gives a copy of a client that somebody brought, with errors about credentials made *Error. Its
// transport authenticates by itself or not at all, and can be of any kind, so the errors have to be recognized.
func explaining(client *http.Client) *http.Client {
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	wrapped := *client
	wrapped.Transport = &recognizing{base: base}
	return &wrapped
}

type recognizing struct{ base http.RoundTripper }

// RoundTrip sends the request.
func (t *recognizing) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil && req.Context().Err() == nil {
		err = Explain(err, "")
	}
	return resp, err
}

// CloseIdleConnections keeps the method of http.Client working, which looks for it on the transport.
func (t *recognizing) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

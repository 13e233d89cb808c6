package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// TestRedirectsAreNotFollowed: the transport adds the token to each request, so that it would travel to wherever an answer
// points.
func TestRedirectsAreNotFollowed(t *testing.T) {
	visits := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits++ }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, to := range map[string]string{"another host": elsewhere.URL + "/?key=" + secret, "the same host": "/elsewhere"} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api" {
					visits++
				}
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			}))
			client, _, err := auth.HTTPClient(t.Context(), auth.WithToken(secret))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Post(server.URL+"/api", "application/json", strings.NewReader("{}"))
			if err != nil || resp.StatusCode != status {
				t.Errorf("%d to %s: %v, %v", status, name, resp, err)
			}
			if err == nil {
				resp.Body.Close()
			}
			server.Close()
		}
	}
	if visits > 0 {
		t.Errorf("%d redirects were followed", visits)
	}
}

// odd are pieces of text that end a header, or that none can hold.
var odd = []string{"\n", "\r\n", "\r", "\x00", "\x7f", "\x1b", "\nX-Goog-User-Project: evil", "\r\n\r\nGET / HTTP/1.1"}

// TestHeadersAreNotInjected: what goes into a header stays there. Nothing is sent, and trying again is no use.
func TestHeadersAreNotInjected(t *testing.T) {
	s := newTokenServer(t)
	for _, piece := range odd {
		bad := "a" + piece + "b"
		token := secret + bad
		for name, opts := range map[string][]option.ClientOption{
			"token":         {auth.WithToken(token)},
			"token source":  {auth.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}))},
			"token type":    {auth.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "t", TokenType: bad}))},
			"quota project": {auth.WithToken("t"), auth.WithQuotaProject(bad)},
			"user agent":    {auth.WithToken("t"), option.WithUserAgent(bad)},
			"reason":        {auth.WithToken("t"), option.WithRequestReason(bad)},
		} {
			client, _, err := auth.HTTPClient(t.Context(), opts...)
			if err == nil {
				err = call(t, s, client)
			}
			var refused *auth.Error
			if !errors.As(err, &refused) || !refused.Permanent() || refused.Hint == "" {
				t.Errorf("%s with %q: %v", name, piece, err)
				continue
			}
			if strings.ContainsAny(err.Error(), piece) && strings.Trim(piece, "\n\r\x00\x1b\x7f") == "" {
				t.Errorf("%s with %q: the error is %q", name, piece, err)
			}
			quiet(t, err.Error())
		}
	}
	if len(s.requests) > 0 {
		t.Errorf("%d requests were sent, the last one with %q", len(s.requests), s.last(t).Header)
	}
}

// TestPlainEndpointSpellings: only what surely is this machine may get a token in the clear, however the address is spelled.
func TestPlainEndpointSpellings(t *testing.T) {
	for _, endpoint := range []string{
		"HTTP://gateway.example", "hTTp://gateway.example:80/", "http:gateway.example", "http:/gateway.example", "http:///gateway.example",
		"http://127.0.0.1.evil.example", "http://localhost.evil.example", "http://localhost.", "http://localhost%2eevil.example",
		"http://localhost@evil.example", "http://localhost:80@evil.example", "http://127.0.0.1:80%40evil.example@evil.example",
		"http://evil.example#@localhost", "http://evil.example?@localhost", "http://evil.example/@localhost", `http://evil.example\@localhost`,
		"http://0x7f.1", "http://0x7f000001", "http://2130706433", "http://0177.0.0.1", "http://127.1", "http://127.0.1", "http://0",
		"http://[::ffff:10.0.0.1]", "http://[::]", "http://[fe80::1%25lo]", "http://[::1].evil.example", "http://[::1]@evil.example",
		"http://1.0.0.127", "http://127.0.0.1.", "http://ⅼocalhost", "http://１２７.０.０.１", "http://localhоst", "http://local\u200bhost",
		"http://metadata.google.internal", " http://gateway.example", "http://gateway.example\n", "\thttp://gateway.example",
	} {
		_, got, err := auth.HTTPClient(t.Context(), auth.WithToken("t"), auth.WithEndpoint(endpoint))
		if err == nil {
			// A client that makes requests to it may not exist either.
			if u, invalid := url.Parse(got); invalid == nil && strings.EqualFold(u.Scheme, "http") {
				t.Errorf("%q was taken, as %q", endpoint, u.Host)
			}
		}
	}
}

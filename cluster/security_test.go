package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2/callctx"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestRedirectsAreNotFollowed: no token goes to where an answer points, and the error says where that is without its query,
// in which signatures are.
func TestRedirectsAreNotFollowed(t *testing.T) {
	visits := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits++ }))
	defer elsewhere.Close()
	for _, status := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
		for _, to := range []string{elsewhere.URL + "/login", "/elsewhere", "//user:PLANTED@" + strings.TrimPrefix(elsewhere.URL, "http://"),
			"https://evil.example/", "%zz", "", "\\\\evil.example", "/" + strings.Repeat("a", 5000)} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/v1beta1/") {
					visits++
				}
				w.Header().Set("Location", to+"?X-Goog-Signature=PLANTED#PLANTED")
				w.WriteHeader(status)
			}))
			for _, opt := range []option.ClientOption{auth.WithToken("t"), auth.WithHTTPClient(server.Client())} {
				c, err := cluster.NewClient(t.Context(), parent, auth.WithEndpoint(server.URL), opt)
				if err != nil {
					t.Fatal(err)
				}
				var e *cluster.Error
				if _, err := c.GetCluster(t.Context(), "training"); !errors.As(err, &e) || e.HTTPStatus != status || e.Attempts != 1 ||
					e.Code != codes.Unknown || len(err.Error()) > 1000 || strings.Contains(err.Error()+e.Message, "PLANTED") {
					t.Errorf("%d to %.50q: %v", status, to, err)
				}
			}
			server.Close()
		}
	}
	if visits > 0 {
		t.Errorf("%d redirects were followed", visits)
	}
}

// TestHeadersAreNotInjected by who adds some to a call, whatever the transport thinks of it.
func TestHeadersAreNotInjected(t *testing.T) {
	for _, piece := range []string{"\n", "\r\n", "\r", "\x00", "\x7f", "\x1b", "\r\nAuthorization: Bearer PLANTED"} {
		for name, value := range map[string]string{
			"x-goog-api-client": "a" + piece + "b", "x-goog-user-project": "p" + piece, "User-Agent": piece, "X-Any": "a" + piece + "PLANTED",
			"X-Any" + piece[:1]: "a", "X:Any": "a",
		} {
			c, w := scripted(t, reply{status: 200, body: named})
			ctx := callctx.SetHeaders(context.Background(), name, value)
			var e *cluster.Error
			if _, err := c.GetCluster(ctx, "training"); !errors.As(err, &e) || e.Code != codes.InvalidArgument || !e.Unprocessed ||
				e.Attempts != 1 || e.Transient() || strings.Contains(err.Error(), "PLANTED") {
				t.Errorf("%q: %q: %v", name, value, err)
			}
			if len(w.requests) > 0 {
				t.Errorf("%q: %q: was sent with %q", name, value, w.requests[0].header)
			}
		}
	}
}

// TestEndpointsKeepTheirSecrets: an error about an endpoint does not hold what gives access to it.
func TestEndpointsKeepTheirSecrets(t *testing.T) {
	for _, endpoint := range []string{
		"ftp://me:PLANTED@host.example/?key=PLANTED", "http://me:PLANTED@host.example", "https://me:PLANTED@/x?key=PLANTED",
		"https://me:PLANTED@host.example:port", "https://%zz/?key=PLANTED", "https://host.example/\x7f?key=PLANTED",
	} {
		_, err := cluster.NewClient(t.Context(), parent, auth.WithToken("t"), auth.WithEndpoint(endpoint))
		if err == nil || strings.Contains(err.Error(), "PLANTED") || strings.Contains(err.Error(), "\x7f") {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}

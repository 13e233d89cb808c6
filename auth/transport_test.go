package auth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// claims reads the claims of a JSON web token.
func claims(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims map[string]any
	if err != nil || json.Unmarshal(data, &claims) != nil {
		t.Fatalf("claims %q: %v", data, err)
	}
	return claims
}

type sourceFunc func() (*oauth2.Token, error)

func (f sourceFunc) Token() (*oauth2.Token, error) { return f() }

func TestTokenFailures(t *testing.T) {
	s := newTokenServer(t)
	throughDefault(t, s)
	for _, test := range []struct {
		name      string
		refusal   string
		status    int
		hint      string
		permanent bool
	}{
		{"revoked or expired", `{"error": "invalid_grant", "error_description": "Bad Request"}`, 400,
			"the saved login has expired or was revoked", true},
		{"the organization wants a new login",
			`{"error": "invalid_grant", "error_description": "reauth related error (invalid_rapt)", "error_subtype": "invalid_rapt"}`,
			400, "the organization asks for a new login", true},
		{"unknown client", `{"error": "invalid_client"}`, 401, "the token endpoint does not know the client", true},
		{"out of order", `{"error": "internal_failure"}`, 503, "whoever gives out the tokens is out of order", false},
		{"echo of the request", `{"error": "invalid_grant", "assertion": "` + secret + `"}`, 400, "the saved login", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.refusal, s.status = test.refusal, test.status
			for kind, opt := range map[string]option.ClientOption{
				"service account": option.WithAuthCredentialsJSON(option.ServiceAccount, s.serviceAccountKey()),
				"user":            option.WithAuthCredentialsJSON(option.AuthorizedUser, []byte(authorizedUser)),
			} {
				client, _, err := auth.HTTPClient(t.Context(), opt)
				if err != nil {
					t.Fatal(err)
				}
				err = call(t, s, client)
				var authError *auth.Error
				if !errors.As(err, &authError) {
					t.Fatalf("%s: %v", kind, err)
				}
				var urlError *url.Error
				if !errors.As(err, &urlError) || urlError.Op != "Get" {
					t.Errorf("%s: %v is not what net/http returns", kind, err)
				}
				if !strings.HasPrefix(authError.Hint, test.hint) || authError.Permanent() != test.permanent {
					t.Errorf("%s: hint %q, permanent %v", kind, authError.Hint, authError.Permanent())
				}
				if strings.Contains(authError.Error(), "\n") || strings.Count(authError.Error(), "auth: ") != 1 {
					t.Errorf("%s: the text is %q", kind, authError)
				}
				quiet(t, err.Error())
			}
		})
	}
	if len(s.requests) != 0 {
		t.Errorf("%d requests were sent without a token", len(s.requests))
	}
}

func TestNetworkFailures(t *testing.T) {
	s := newTokenServer(t)
	key := s.serviceAccountKey("token_uri", "http://127.0.0.1:1/token")
	client, _, err := auth.HTTPClient(t.Context(), option.WithAuthCredentialsJSON(option.ServiceAccount, key))
	if err != nil {
		t.Fatal(err)
	}
	var authError *auth.Error
	if err := call(t, s, client); !errors.As(err, &authError) || authError.Permanent() ||
		!strings.Contains(authError.Hint, "check the network") {
		t.Errorf("without a token endpoint: %v", err)
	}

	// The same failure of the service itself is none of the credentials.
	client, _, err = auth.HTTPClient(t.Context(), auth.WithToken("t"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := call(t, s, client); err == nil || errors.As(err, &authError) {
		t.Errorf("the absence of the service: %v", err)
	}
}

// A caller who gives up gets no advice on credentials.
func TestCallerGivesUp(t *testing.T) {
	s := newTokenServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	source := sourceFunc(func() (*oauth2.Token, error) { cancel(); return nil, errors.New("gone") })
	client, _, err := auth.HTTPClient(t.Context(), auth.WithTokenSource(source))
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/api", nil)
	_, err = client.Do(req)
	var authError *auth.Error
	if err == nil || ctx.Err() == nil || errors.As(err, &authError) {
		t.Errorf("got %v", err)
	}
}

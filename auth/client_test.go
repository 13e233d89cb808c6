package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// get calls the API of s with a client made from opts.
func get(t *testing.T, s *tokenServer, opts ...option.ClientOption) {
	t.Helper()
	client, _, err := auth.HTTPClient(t.Context(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := call(t, s, client); err != nil {
		t.Fatal(err)
	}
}

func call(t *testing.T, s *tokenServer, client *http.Client) error {
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "sdk/1")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// throughDefault answers requests to Google's fixed token endpoint, to which the library sends refresh tokens
// whatever the file says, by s.
func throughDefault(t *testing.T, s *tokenServer) {
	original := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = original })
	http.DefaultTransport = roundTrip(func(req *http.Request) (*http.Response, error) {
		if req.URL.Host != "oauth2.googleapis.com" {
			return original.RoundTrip(req)
		}
		moved := req.Clone(req.Context())
		moved.URL, _ = url.Parse(s.URL + req.URL.Path)
		return original.RoundTrip(moved)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestCredentialOptions(t *testing.T) {
	s := newTokenServer(t)
	throughDefault(t, s)
	key := s.serviceAccountKey()
	token := &oauth2.Token{AccessToken: secret + "-source"}
	tests := []struct {
		name string
		env  []byte // of the file that GOOGLE_APPLICATION_CREDENTIALS names
		opts []option.ClientOption
		want string
	}{
		{"default credentials, service account", key, nil, "jwt-bearer"},
		{"default credentials, user", []byte(authorizedUser), nil, "refresh_token"},
		//lint:ignore SA1019 deprecated, yet in use everywhere
		{"WithCredentialsFile", nil, []option.ClientOption{option.WithCredentialsFile(file(t, key))}, "jwt-bearer"},
		{"WithAuthCredentialsFile", nil, []option.ClientOption{
			option.WithAuthCredentialsFile(option.ServiceAccount, file(t, key))}, "jwt-bearer"},
		//lint:ignore SA1019 deprecated, yet in use everywhere
		{"WithCredentialsJSON", nil, []option.ClientOption{option.WithCredentialsJSON(key)}, "jwt-bearer"},
		{"WithAuthCredentialsJSON", nil, []option.ClientOption{
			option.WithAuthCredentialsJSON(option.AuthorizedUser, []byte(authorizedUser))}, "refresh_token"},
		{"WithTokenSource", nil, []option.ClientOption{
			option.WithTokenSource(oauth2.StaticTokenSource(token))}, "source"},
		{"WithCredentials", nil, []option.ClientOption{
			option.WithCredentials(&google.Credentials{TokenSource: oauth2.StaticTokenSource(token)})}, "source"},
		{"an option wins over the default credentials", key, []option.ClientOption{
			option.WithTokenSource(oauth2.StaticTokenSource(token))}, "source"},
		{"auth.WithToken", nil, []option.ClientOption{auth.WithToken(secret + "-source\n")}, "source"},
		{"auth.WithCredentialsFile", nil, []option.ClientOption{
			auth.WithCredentialsFile(file(t, []byte(authorizedUser)))}, "refresh_token"},
		{"a source that is none", key, []option.ClientOption{auth.WithTokenSource(nil)}, "jwt-bearer"},
		{"the last client is none", nil, []option.ClientOption{
			option.WithHTTPClient(nil), auth.WithToken(secret + "-source")}, "source"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.env != nil {
				t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file(t, test.env))
			}
			get(t, s, test.opts...)
			if got := s.bearer(t); got != test.want {
				t.Errorf("the token is of %q, want %q", got, test.want)
			}
		})
	}
}

func TestMetadataServer(t *testing.T) {
	s := newTokenServer(t)
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(s.URL, "http://"))
	get(t, s)
	if got := s.bearer(t); got != "metadata" {
		t.Errorf("the token is of %q", got)
	}
}

func TestDefaultScope(t *testing.T) {
	s := newTokenServer(t)
	throughDefault(t, s)
	//lint:ignore SA1019 deprecated, yet in use everywhere
	key := option.WithCredentialsJSON(s.serviceAccountKey())
	for _, test := range []struct {
		name string
		opts []option.ClientOption
		want string
	}{
		{"none given", nil, auth.Scope},
		{"the caller's", []option.ClientOption{option.WithScopes("one", "two")}, "one two"},
		{"a package's default", []option.ClientOption{internaloption.WithDefaultScopes("other")}, "other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			get(t, s, append(test.opts, key)...)
			assertion := s.forms[len(s.forms)-1].Get("assertion")
			if got := claims(t, assertion)["scope"]; got != test.want {
				t.Errorf("the token was asked for with scope %q, want %q", got, test.want)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	s := newTokenServer(t)
	throughDefault(t, s)
	token := auth.WithToken(secret + "-t")
	user := option.WithAuthCredentialsJSON(option.AuthorizedUser, []byte(authorizedUser))
	for _, test := range []struct {
		name, header, env string
		opts              []option.ClientOption
		want              string
	}{
		{"no agent of the application", "User-Agent", "", []option.ClientOption{token}, "sdk/1"},
		{"the application's agent comes first", "User-Agent", "", []option.ClientOption{token,
			option.WithUserAgent("app/2")}, "app/2 sdk/1"},
		{"also without authentication", "User-Agent", "", []option.ClientOption{option.WithoutAuthentication(),
			option.WithUserAgent("app/2")}, "app/2 sdk/1"},
		{"quota project of the option", "X-Goog-User-Project", "", []option.ClientOption{user,
			option.WithQuotaProject("q")}, "q"},
		{"quota project of the option, with a source", "X-Goog-User-Project", "env", []option.ClientOption{token,
			auth.WithQuotaProject("q")}, "q"},
		{"quota project of the file", "X-Goog-User-Project", "", []option.ClientOption{user}, "quota-from-file"},
		{"quota project of the environment", "X-Goog-User-Project", "env", []option.ClientOption{token}, "env"},
		{"request reason", "X-Goog-Request-Reason", "", []option.ClientOption{token,
			option.WithRequestReason("why")}, "why"},
		{"no authentication", "Authorization", "", []option.ClientOption{auth.WithoutAuthentication()}, ""},
		{"API key", "X-Goog-User-Project", "env", []option.ClientOption{option.WithAPIKey("k")}, "env"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.env != "" {
				t.Setenv("GOOGLE_CLOUD_QUOTA_PROJECT", test.env)
			}
			get(t, s, test.opts...)
			if got := s.last(t).Header.Values(test.header); strings.Join(got, "|") != test.want {
				t.Errorf("%s is %q, want %q", test.header, got, test.want)
			}
		})
	}
}

func TestEndpoint(t *testing.T) {
	template := internaloption.WithDefaultEndpointTemplate("https://us-central1-aiplatform.UNIVERSE_DOMAIN")
	for _, test := range []struct {
		name, env string
		opts      []option.ClientOption
		want      string
	}{
		{"default", "", nil, "https://us-central1-aiplatform.googleapis.com"},
		{"universe by option", "", []option.ClientOption{option.WithUniverseDomain("s3nsapis.fr")},
			"https://us-central1-aiplatform.s3nsapis.fr"},
		{"universe by environment", "s3nsapis.fr", nil, "https://us-central1-aiplatform.s3nsapis.fr"},
		{"address", "", []option.ClientOption{auth.WithEndpoint("http://127.0.0.1:8080/x")}, "http://127.0.0.1:8080/x"},
		{"host", "", []option.ClientOption{option.WithEndpoint("aiplatform-genai1.p.googleapis.com")},
			"https://aiplatform-genai1.p.googleapis.com"},
		{"with a client", "", []option.ClientOption{option.WithHTTPClient(new(http.Client))},
			"https://us-central1-aiplatform.googleapis.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOOGLE_CLOUD_UNIVERSE_DOMAIN", test.env)
			opts := append([]option.ClientOption{template, auth.WithToken("t")}, test.opts...)
			_, endpoint, err := auth.HTTPClient(t.Context(), opts...)
			if err != nil || endpoint != test.want {
				t.Errorf("endpoint %q, error %v, want %q", endpoint, err, test.want)
			}
		})
	}
}

// TestPlainEndpoints: a token goes through a network in no other form than encrypted.
func TestPlainEndpoints(t *testing.T) {
	token, none, own := auth.WithToken("t"), option.WithoutAuthentication(), auth.WithHTTPClient(new(http.Client))
	for _, test := range []struct {
		endpoint string
		opts     []option.ClientOption
		want     bool
	}{
		{"http://localhost:8080", []option.ClientOption{token}, true},
		{"http://LocalHost", []option.ClientOption{token}, true},
		{"http://127.0.0.1:8080/x", []option.ClientOption{token}, true},
		{"http://127.8.9.1", []option.ClientOption{own}, true},
		{"http://[::1]:8080", []option.ClientOption{token}, true},
		{"https://gateway.example", []option.ClientOption{token}, true},
		{"gateway.example:8080", []option.ClientOption{token}, true}, // which is HTTPS
		{"http://gateway.example", []option.ClientOption{none}, true},
		{"http://gateway.example", []option.ClientOption{auth.WithoutAuthentication(), own}, true},

		{"http://gateway.example", []option.ClientOption{token}, false},
		{"http://gateway.example", []option.ClientOption{own}, false}, // it may have credentials of its own
		{"HTTP://gateway.example:443/x", []option.ClientOption{token}, false},
		{"http://localhost.example", []option.ClientOption{token}, false},
		{"http://127.0.0.1.example", []option.ClientOption{token}, false},
		{"http://127.0.0.1@gateway.example", []option.ClientOption{token}, false},
		{"http://0.0.0.0:8080", []option.ClientOption{token}, false},
		{"http://10.0.0.1", []option.ClientOption{token}, false},
		{"http://169.254.169.254", []option.ClientOption{token}, false},
		{"http://[fd00::1]", []option.ClientOption{token}, false},
	} {
		_, endpoint, err := auth.HTTPClient(t.Context(), append(test.opts, auth.WithEndpoint(test.endpoint))...)
		if test.want {
			if err != nil || endpoint == "" {
				t.Errorf("%s: %v", test.endpoint, err)
			}
			continue
		}
		var refused *auth.Error
		if !errors.As(err, &refused) || !refused.Permanent() || !strings.Contains(err.Error(), "WithoutAuthentication") {
			t.Errorf("%s: %v", test.endpoint, err)
		}
	}
	_, _, err := auth.HTTPClient(t.Context(), token, auth.WithEndpoint("http://me:"+secret+"@gateway.example/?key="+secret))
	const want = `auth: calls to http://gateway.example would not be encrypted, and a token in them could be read on the way; ` +
		`use https, or give WithoutAuthentication if they need no token`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}

}

// TestPlainEndpointsOfImpersonation: the answers hold tokens, whoever asks and however.
func TestPlainEndpointsOfImpersonation(t *testing.T) {
	s := newTokenServer(t)
	token, none, own := auth.WithToken("t"), auth.WithoutAuthentication(), auth.WithHTTPClient(new(http.Client))
	for _, opts := range [][]option.ClientOption{{token}, {none}, {own}, {none, own}} {
		for endpoint, want := range map[string]bool{
			"http://iam.example": false, "HTTP://iam.example:80/x": false, "http://10.0.0.1": false,
			"http://127.0.0.1:1": true, "http://localhost": true, "https://iam.example": true, "iam.example:8080": true,
		} {
			base := auth.ImpersonateBase(append(opts, auth.WithEndpoint(endpoint))...)
			_, err := auth.Impersonate(t.Context(), robot, base)
			if want {
				if err != nil {
					t.Errorf("%s: %v", endpoint, err)
				}
				continue
			}
			var refused *auth.Error
			if !errors.As(err, &refused) || !refused.Permanent() || refused.Hint != "use https" ||
				!strings.Contains(err.Error(), "would not be encrypted") {
				t.Errorf("%s: %v", endpoint, err)
				continue // nothing may be sent there
			}
			client, _, err := auth.HTTPClient(t.Context(), auth.WithServiceAccount(robot, base))
			if err != nil {
				t.Fatal(err)
			}
			if err := call(t, s, client); !errors.As(err, &refused) || refused.Hint != "use https" {
				t.Errorf("%s by WithServiceAccount: %v", endpoint, err)
			}
		}
	}
}

func TestUniverse(t *testing.T) {
	s := newTokenServer(t)
	other := option.WithUniverseDomain("s3nsapis.fr")

	// There is no token endpoint in other universes: the key signs the token itself.
	//lint:ignore SA1019 deprecated, yet in use everywhere
	get(t, s, other, option.WithCredentialsJSON(s.serviceAccountKey("universe_domain", "s3nsapis.fr")))
	signed := strings.TrimPrefix(s.last(t).Header.Get("Authorization"), "Bearer ")
	if got := claims(t, signed)["scope"]; got != auth.Scope || len(s.forms) != 0 {
		t.Errorf("the token has scope %q, and the token endpoint was asked %d times", got, len(s.forms))
	}

	get(t, s, other, auth.WithToken(secret+"-other"))
	if got := s.bearer(t); got != "other" {
		t.Errorf("the token is %q", got)
	}

	client, _, err := auth.HTTPClient(t.Context(), other, option.WithTokenSource(auth.StaticToken("t")))
	if err != nil {
		t.Fatal(err)
	}
	if err := call(t, s, client); err == nil || !strings.Contains(err.Error(), "auth.WithTokenSource") {
		t.Errorf("a source of unknown universe: %v", err)
	}
}

func TestHTTPClientBrought(t *testing.T) {
	s := newTokenServer(t)
	brought := &http.Client{Timeout: 1 << 40}
	client, _, err := auth.HTTPClient(t.Context(), option.WithHTTPClient(brought))
	if err != nil {
		t.Fatal(err)
	}
	if err := call(t, s, client); err != nil {
		t.Fatal(err)
	}
	if got := s.last(t).Header.Get("Authorization"); got != "" {
		t.Errorf("the client's requests got the Authorization %q", got)
	}
	if brought.Transport != nil || client == brought {
		t.Error("the caller's client was changed")
	}
	if client.Timeout != brought.Timeout {
		t.Errorf("the copy has the time limit %v", client.Timeout)
	}

	idle := new(idleCounter)
	client, _, err = auth.HTTPClient(t.Context(), option.WithHTTPClient(&http.Client{Transport: idle}))
	if err != nil {
		t.Fatal(err)
	}
	if client.CloseIdleConnections(); idle.closed != 1 {
		t.Errorf("idle connections were closed %d times", idle.closed)
	}

	failing := oauth2.NewClient(t.Context(), sourceFunc(func() (*oauth2.Token, error) {
		return nil, &oauth2.RetrieveError{ErrorCode: "invalid_grant"}
	}))
	client, _, err = auth.HTTPClient(t.Context(), option.WithHTTPClient(failing))
	if err != nil {
		t.Fatal(err)
	}
	var authError *auth.Error
	if err := call(t, s, client); !errors.As(err, &authError) || !strings.Contains(authError.Hint, "application-default login") {
		t.Errorf("a brought client without a token: %v", err)
	}
}

type idleCounter struct {
	http.RoundTripper
	closed int
}

func (c *idleCounter) CloseIdleConnections() { c.closed++ }

func TestRefusedOptions(t *testing.T) {
	for _, test := range []struct {
		name string
		opts []option.ClientOption
		want string
	}{
		//lint:ignore SA1019 it is refused
		{"impersonation that would be ignored", []option.ClientOption{option.ImpersonateCredentials("a@b.iam.gserviceaccount.com"), option.WithScopes("s")},
			"auth: option.ImpersonateCredentials is not supported; use WithServiceAccount or Impersonate of this package"},
		{"two credentials", []option.ClientOption{auth.WithToken("t"), option.WithAPIKey("k")},
			"auth: multiple credential options provided; give one option for credentials, not several"},
		{"none and some", []option.ClientOption{auth.WithToken("t"), auth.WithoutAuthentication()},
			"give one option for credentials, not several"},
		{"brought client and quota project", []option.ClientOption{option.WithHTTPClient(new(http.Client)), auth.WithQuotaProject("q")},
			"auth: WithHTTPClient is incompatible with QuotaProject; leave one of these options out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, _, err := auth.HTTPClient(t.Context(), test.opts...)
			if err == nil || client != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("client %v, error %v, want %q", client, err, test.want)
			}
		})
	}
}

// The context of the construction must not end the fetching of tokens: it is gone by the time they are renewed.
func TestContextEndsAfterConstruction(t *testing.T) {
	s := newTokenServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	//lint:ignore SA1019 deprecated, yet in use everywhere
	client, _, err := auth.HTTPClient(ctx, option.WithCredentialsJSON(s.serviceAccountKey()))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := call(t, s, client); err != nil {
		t.Error(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := newTokenServer(t)
	key := option.WithAuthCredentialsJSON(option.ServiceAccount, s.serviceAccountKey())
	client, _, err := auth.HTTPClient(t.Context(), key, option.WithUserAgent("app/2"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if err := call(t, s, client); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(s.forms) != 1 || len(s.requests) != 32 {
		t.Errorf("%d tokens for %d requests", len(s.forms), len(s.requests))
	}
}

// Google's library can be told by a variable to authenticate as it used to.
func TestOldLibrary(t *testing.T) {
	t.Setenv("GOOGLE_API_GO_EXPERIMENTAL_DISABLE_NEW_AUTH_LIB", "true")
	s := newTokenServer(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file(t, s.serviceAccountKey()))
	get(t, s, option.WithUserAgent("app/2"), option.WithQuotaProject("q"))
	if got := s.bearer(t); got != "jwt-bearer" {
		t.Errorf("the token is of %q", got)
	}
	if h := s.last(t).Header; h.Get("User-Agent") != "app/2 sdk/1" || h.Get("X-Goog-User-Project") != "q" {
		t.Errorf("the headers are %v", h)
	}
	get(t, s, auth.WithToken(secret+"-static"))
	if got := s.bearer(t); got != "static" {
		t.Errorf("the token is of %q", got)
	}

	s.refusal = `{"error": "invalid_grant", "assertion": "` + secret + `"}`
	client, _, err := auth.HTTPClient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var authError *auth.Error
	if err := call(t, s, client); !errors.As(err, &authError) || !strings.Contains(authError.Hint, "the saved login has expired") {
		t.Errorf("got %v", err)
	}
	quiet(t, authError.Error())
}

package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/impersonate"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
)

const (
	defaultLifetime = time.Hour
	minLifetime     = 10 * time.Minute
	maxLifetime     = 12 * time.Hour

	// renewEarly lies before the moment, 3 min 45 s before the expiry, when Google's transport begins to ask for
	// the next token in the background.
	renewEarly = 4 * time.Minute

	// impersonateTimeout bounds one request for a token; the library gives it no context.
	impersonateTimeout = 30 * time.Second

	maxTokenAnswer = 1 << 20
)

// An ImpersonateOption adjusts [Impersonate].
type ImpersonateOption func(*impersonation)

// ImpersonateDelegates names service accounts between the caller and the impersonated one, in this order; each must
// be allowed to create tokens for the next. There are none by default.
func ImpersonateDelegates(serviceAccounts ...string) ImpersonateOption {
	return func(i *impersonation) { i.delegates = append([]string(nil), serviceAccounts...) }
}

// ImpersonateLifetime sets how long each token lives: 10 minutes to 12 hours, whole seconds. The default is an hour;
// more than that needs the organization policy iam.allowServiceAccountCredentialLifetimeExtension to name the
// account. Tokens are renewed in either case.
func ImpersonateLifetime(d time.Duration) ImpersonateOption {
	return func(i *impersonation) { i.lifetime = d }
}

// ImpersonateBase says how the caller authenticates to the IAM Credentials API, with the options that [HTTPClient]
// takes. The default is the application default credentials. option.WithEndpoint replaces
// "https://iamcredentials.googleapis.com", and [WithLogger] logs the requests for tokens. A plain http endpoint has to be on
// this machine, also [WithoutAuthentication], as the answers hold tokens.
func ImpersonateBase(opts ...option.ClientOption) ImpersonateOption {
	return func(i *impersonation) { i.base = append([]option.ClientOption(nil), opts...) }
}

// Impersonate gives tokens, with [Scope], of a service account that the caller may impersonate, that is for which it
// has the role roles/iam.serviceAccountTokenCreator. serviceAccount is the account's address.
//
// A wrong address or option, and missing credentials, are reported as [*Error] at once. No token is fetched before
// the source is asked for one; that takes a request to the IAM Credentials API, of 30 seconds at most, and its
// failure is an [*Error] too. Tokens are renewed four minutes before they expire. ctx serves the search for
// credentials alone. The source is safe for concurrent use.
func Impersonate(ctx context.Context, serviceAccount string, opts ...ImpersonateOption) (oauth2.TokenSource, error) {
	i := &impersonation{target: serviceAccount, lifetime: defaultLifetime}
	for _, opt := range opts {
		opt(i)
	}
	if err := i.validate(); err != nil {
		return nil, err
	}
	base := append([]option.ClientOption{
		internaloption.WithDefaultEndpointTemplate("https://iamcredentials.UNIVERSE_DOMAIN"),
		internaloption.WithDefaultMTLSEndpoint("https://iamcredentials.mtls.googleapis.com"),
		option.WithLogger(i.logger),
	}, i.base...)
	client, endpoint, err := newClient(ctx, base, checkTokenEndpoint)
	if err != nil {
		return nil, err
	}
	i.logger = discreetly(base)
	if i.endpoint, err = url.Parse(endpoint); err != nil {
		return nil, &Error{Err: err, Hint: "check the endpoint given for the IAM Credentials API"}
	}
	i.client = client
	renewed := oauth2.ReuseTokenSourceWithExpiry(nil, i, renewEarly)
	return &opaque{name: impersonateName(serviceAccount), token: renewed.Token}, nil
}

func impersonateName(serviceAccount string) string {
	return fmt.Sprintf("auth.Impersonate(%q)", serviceAccount)
}

type impersonation struct {
	target    string
	delegates []string
	lifetime  time.Duration
	base      []option.ClientOption
	logger    *slog.Logger // nil for the one of base

	client   *http.Client // authenticates as the caller
	endpoint *url.URL     // of the IAM Credentials API
}

func (i *impersonation) validate() error {
	if err := checkServiceAccount(i.target); err != nil {
		return err
	}
	for _, delegate := range i.delegates {
		if err := checkServiceAccount(delegate); err != nil {
			return err
		}
	}
	if i.lifetime < minLifetime || i.lifetime > maxLifetime || i.lifetime%time.Second != 0 {
		return &Error{
			Err:  fmt.Errorf("a token cannot live for %v", i.lifetime),
			Hint: fmt.Sprintf("choose whole seconds between %v and %v", minLifetime, maxLifetime),
		}
	}
	return nil
}

// Token fetches a new token. The library is called anew each time: given a lifetime, its own source never renews.
func (i *impersonation) Token() (*oauth2.Token, error) {
	watch := &iamTransport{base: i.client.Transport, endpoint: i.endpoint, logger: i.logger}
	client := *i.client
	client.Transport = watch
	if client.Timeout == 0 {
		client.Timeout = impersonateTimeout
	}
	config := impersonate.CredentialsConfig{
		TargetPrincipal: i.target,
		Scopes:          []string{Scope},
		Delegates:       i.delegates,
		Lifetime:        i.lifetime,
	}
	source, err := impersonate.CredentialsTokenSource(context.Background(), config, option.WithHTTPClient(&client))
	if err == nil {
		return source.Token()
	}
	if watch.err != nil {
		err = watch.err
	}
	doing := "impersonating " + i.target
	var base *Error
	if errors.As(err, &base) { // the caller's own credentials failed
		return nil, &Error{Hint: base.Hint, Err: &step{doing, base.Err}}
	}
	return nil, &Error{Hint: impersonationHint(err), Err: &step{doing, err}}
}

// iamTransport carries one request for a token. The library's address for it is fixed, its errors are text only, and it
// logs nothing; so the address is changed here, the error kept, and the request logged as the library logs others.
type iamTransport struct {
	base     http.RoundTripper
	endpoint *url.URL
	logger   *slog.Logger
	err      error
}

// RoundTrip sends the request to the endpoint.
func (t *iamTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	moved := req.Clone(ctx)
	moved.URL.Scheme, moved.URL.Host, moved.Host = t.endpoint.Scheme, t.endpoint.Host, t.endpoint.Host
	moved.URL.Path = strings.TrimSuffix(t.endpoint.Path, "/") + moved.URL.Path
	t.logger.DebugContext(ctx, "impersonated token request", slog.Group("request",
		slog.String("method", moved.Method), slog.String("url", moved.URL.String()), slog.Any("payload", payload(sent(req)))))
	resp, err := t.base.RoundTrip(moved)
	if err != nil {
		t.err = err
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenAnswer))
	resp.Body.Close()
	t.logger.DebugContext(ctx, "impersonated token response", slog.Group("response",
		slog.Int("status", resp.StatusCode), slog.Any("payload", payload(body))))
	resp.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		t.err = googleapi.CheckResponseWithBody(resp, body)
	case err != nil:
		t.err = err
		return nil, err
	}
	return resp, nil
}

// sent is a copy of the body that req sends.
func sent(req *http.Request) []byte {
	if req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	data, _ := io.ReadAll(body) // for the log alone
	return data
}

// payload is a body as discreet knows it: decoded if it is JSON.
func payload(body []byte) any {
	var decoded any
	if json.Unmarshal(body, &decoded) == nil {
		return decoded
	}
	return string(body)
}

// step says what was being done when err came.
type step struct {
	doing string
	err   error
}

func (s *step) Error() string { return s.doing + ": " + causeText(s.err) }

func (s *step) Unwrap() error { return s.err }

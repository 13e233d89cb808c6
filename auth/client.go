package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"slices"

	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	htransport "google.golang.org/api/transport/http"
)

// Scope is the OAuth scope that the training-cluster service asks for, and the default of [HTTPClient].
const Scope = "https://www.googleapis.com/auth/cloud-platform"

// HTTPClient gives a client that authenticates its requests as opts say, and the endpoint that opts choose, such as
// "https://us-central1-aiplatform.googleapis.com". The endpoint is empty if opts give neither option.WithEndpoint nor
// a default, which the packages for a service do.
//
// Without options the credentials are Google's application default ones, with [Scope]: the file that
// GOOGLE_APPLICATION_CREDENTIALS names, else what "gcloud auth application-default login" left, else the metadata
// server of a virtual machine. Looking for them may read files and, without files, ask the metadata server, but no
// token is fetched before the first request; ctx serves the search alone and may end afterwards. Tokens are kept and
// renewed by Google's library.
//
// All options of google.golang.org/api/option for HTTP work as they do elsewhere, except for the deprecated
// ImpersonateCredentials, which is refused: use [WithServiceAccount]. In particular
//   - option.WithHTTPClient is used as it is, with its own authentication: a copy is returned, and the original is
//     not changed;
//   - option.WithUserAgent is put before the User-Agent that a request brings, instead of replacing it;
//   - option.WithLogger sees the requests for tokens (at level debug, from Google's library), yet never a token: what
//     could be one is left out before the logger gets it. The same holds for GOOGLE_SDK_GO_LOGGING_LEVEL.
//
// A plain http endpoint is refused, by an [*Error], unless it is on this machine (localhost, 127.0.0.0/8, ::1) or
// [WithoutAuthentication] is among opts, also beside an HTTP client of their own: a token could be read on the way.
//
// Redirects are not followed, as the token would travel to wherever one points: the answer that redirects is what calls get.
// With option.WithHTTPClient that is up to the client.
//
// Missing or unusable credentials are reported as [*Error], here or, if only their use shows it, by the client's
// calls. The client is safe for concurrent use.
func HTTPClient(ctx context.Context, opts ...option.ClientOption) (*http.Client, string, error) {
	return newClient(ctx, opts, checkEndpoint)
}

// newClient is HTTPClient with a say in which endpoints will do.
func newClient(ctx context.Context, opts []option.ClientOption, check func(string, []option.ClientOption) error) (*http.Client, string, error) {
	opts, err := complete(ctx, opts)
	if err != nil {
		return nil, "", err
	}
	brought, endpoint, err := choices(ctx, opts)
	if err != nil {
		return nil, "", explained(err, credentialHint)
	}
	if err := check(endpoint, opts); err != nil {
		return nil, "", err
	}
	if brought {
		client, endpoint, err := htransport.NewClient(ctx, opts...)
		if err != nil {
			return nil, "", explained(err, credentialHint)
		}
		return explaining(client), endpoint, nil
	}
	// The transport is put together from its two halves, so that wire stands between them: whatever fails before a
	// request gets there is the fault of the credentials, which no error of the library's tells by its type. The
	// lower half comes from NewClient and not from net/http, as it knows about client certificates.
	lower, endpoint, err := htransport.NewClient(ctx, append(slices.Clone(opts), lowerHalf()...)...)
	if err != nil {
		return nil, "", explained(err, credentialHint)
	}
	upper, err := htransport.NewTransport(ctx, &wire{base: lower.Transport}, opts...)
	if err != nil {
		return nil, "", explained(err, credentialHint)
	}
	return &http.Client{Transport: &authenticating{next: upper}, CheckRedirect: stay}, endpoint, nil
}

// stay follows no redirect: the transport adds the token to each request, so that it would travel to wherever one points.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// lowerHalf strips what the upper half of the transport does.
func lowerHalf() []option.ClientOption {
	return []option.ClientOption{
		option.WithoutAuthentication(),
		option.WithTelemetryDisabled(),
		option.WithUserAgent(""), option.WithQuotaProject(""), option.WithRequestReason(""),
		internaloption.SkipDialSettingsValidation(), // which would find credentials together with none
	}
}

// complete adds the defaults to the caller's options.
//
// EnableNewAuthLibrary makes cloud.google.com/go/auth do the work instead of golang.org/x/oauth2. With the old one
// token requests ignore option.WithLogger and outlive the context of the request they are made for, and
// WithAuthCredentialsFile switches to the new one anyway. The new one has two gaps. It ignores ImpersonateCredentials,
// so that calls would run under the wrong identity: the option is refused. And it takes every token source for one of
// googleapis.com, so that none works in another universe: WithTokenSource of this package closes that.
func complete(ctx context.Context, opts []option.ClientOption) ([]option.ClientOption, error) {
	//lint:ignore SA1019 it has to be known to be refused.
	impersonating := reflect.TypeOf(option.ImpersonateCredentials(""))
	for _, opt := range opts {
		if reflect.TypeOf(opt) == impersonating {
			return nil, &Error{
				Err:  errors.New("option.ImpersonateCredentials is not supported"),
				Hint: "use WithServiceAccount or Impersonate of this package",
			}
		}
	}
	opts, err := inUniverse(ctx, opts)
	if err != nil {
		return nil, err
	}
	defaults := []option.ClientOption{internaloption.WithDefaultScopes(Scope), internaloption.EnableNewAuthLibrary()}
	return append(append(defaults, opts...), option.WithLogger(discreetly(opts))), nil
}

// discreetly is the logger that opts or the environment name, without secrets.
func discreetly(opts []option.ClientOption) *slog.Logger {
	return slog.New(discreet{next: internaloption.GetLogger(opts).Handler()})
}

// inUniverse declares the tokens of this package's own sources valid in the universe that the client is for, and gives the
// client's logger to those that can use one.
func inUniverse(ctx context.Context, opts []option.ClientOption) ([]option.ClientOption, error) {
	isSource := func(opt option.ClientOption) bool { _, ok := opt.(sourceOption); return ok }
	if !slices.ContainsFunc(opts, isSource) {
		return opts, nil
	}
	domain, err := universe(ctx, opts)
	if err != nil {
		return nil, explained(err, credentialHint)
	}
	opts = slices.Clone(opts)
	for i, opt := range opts {
		if own, ok := opt.(sourceOption); ok && own.source != nil { // nil counts as none, as in Google's option
			opts[i] = option.WithCredentials(&google.Credentials{
				TokenSource:            own.logging(internaloption.GetLogger(opts)),
				UniverseDomainProvider: func() (string, error) { return domain, nil },
			})
		}
	}
	return opts, nil
}

// The two functions below learn what opts say by giving them to NewClient together with a client, for which it
// returns at once. The settings themselves are internal to google.golang.org/api.

// choices reports whether opts hold an HTTP client, and which endpoint they choose.
func choices(ctx context.Context, opts []option.ClientOption) (brought bool, endpoint string, err error) {
	none := new(http.Client)
	got, endpoint, err := probe(ctx, append([]option.ClientOption{option.WithHTTPClient(none)}, opts...))
	return got != none, endpoint, err
}

// universe gives the universe domain that opts and the environment choose.
func universe(ctx context.Context, opts []option.ClientOption) (string, error) {
	_, domain, err := probe(ctx, append(slices.Clone(opts),
		option.WithHTTPClient(new(http.Client)),
		option.WithEndpoint(""),
		internaloption.WithDefaultEndpointTemplate("UNIVERSE_DOMAIN"),
		internaloption.WithDefaultMTLSEndpoint("googleapis.com"))) // the only one with mutual TLS
	return domain, err
}

func probe(ctx context.Context, opts []option.ClientOption) (*http.Client, string, error) {
	return htransport.NewClient(ctx, append(opts, internaloption.SkipDialSettingsValidation())...)
}

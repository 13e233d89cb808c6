package auth

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"
)

// WithToken authenticates with one access token that is never renewed; see [StaticToken].
func WithToken(token string) option.ClientOption { return WithTokenSource(StaticToken(token)) }

// WithGcloud authenticates with tokens of the Google Cloud CLI; see [GcloudToken].
func WithGcloud(opts ...GcloudOption) option.ClientOption {
	return WithTokenSource(GcloudToken(opts...))
}

// WithTokenSource authenticates with tokens from source. It does what the option of this name in
// google.golang.org/api/option does, and besides makes [HTTPClient] accept the tokens in any universe.
func WithTokenSource(source oauth2.TokenSource) option.ClientOption {
	return sourceOption{ClientOption: option.WithTokenSource(source), source: source}
}

// WithServiceAccount authenticates as a service account that the default credentials may impersonate; see
// [Impersonate]. A wrong name and missing credentials are reported by the first call. Each client gets tokens of its own.
func WithServiceAccount(serviceAccount string, opts ...ImpersonateOption) option.ClientOption {
	open := func(logger *slog.Logger) oauth2.TokenSource {
		logged := func(i *impersonation) { i.logger = logger }
		late := &lateSource{open: func() (oauth2.TokenSource, error) {
			return Impersonate(context.Background(), serviceAccount, append([]ImpersonateOption{logged}, opts...)...)
		}}
		return &opaque{name: impersonateName(serviceAccount), token: late.Token}
	}
	source := open(nil)
	return sourceOption{ClientOption: option.WithTokenSource(source), source: source, open: open}
}

// WithCredentialsFile authenticates with a file of any kind that Google defines: a service-account key, the file
// "gcloud auth application-default login" writes, or a configuration of workload identity federation. Such a file
// decides which servers are asked for tokens, so use only files whose origin you know.
func WithCredentialsFile(path string) option.ClientOption {
	//lint:ignore SA1019 it is deprecated because it takes files of every kind, which is what is wanted here.
	return option.WithCredentialsFile(path)
}

// WithQuotaProject names the project to which quota and billing of the calls are counted. User credentials need
// one; the default is the one in the credentials file or in GOOGLE_CLOUD_QUOTA_PROJECT.
func WithQuotaProject(project string) option.ClientOption { return option.WithQuotaProject(project) }

// WithEndpoint sends calls to url, such as the address of a Private Service Connect endpoint or of a test server. Without a
// scheme it is https; plain http is for this machine, or for calls [WithoutAuthentication].
func WithEndpoint(url string) option.ClientOption { return option.WithEndpoint(url) }

// WithoutAuthentication sends calls without a token, which only a test server or an authenticating proxy accepts.
func WithoutAuthentication() option.ClientOption { return option.WithoutAuthentication() }

// WithHTTPClient sends calls through client as it is, with its own authentication and its own proxies, limits and
// instruments, such as the client of a test server. All other options about credentials are then void.
func WithHTTPClient(client *http.Client) option.ClientOption { return option.WithHTTPClient(client) }

// WithLogger logs the requests for tokens and their answers at level debug, without the tokens; see [HTTPClient]. Those of
// [WithServiceAccount] are among them, unless [ImpersonateBase] names another logger.
// Clients of package cluster and slurm log their calls there as well; see cluster.LogTracer.
func WithLogger(logger *slog.Logger) option.ClientOption { return option.WithLogger(logger) }

// WithoutTelemetry leaves out the OpenTelemetry spans and metrics that Google's transport makes of each request if the
// program has set up OpenTelemetry, and the trace headers that go along.
func WithoutTelemetry() option.ClientOption { return option.WithTelemetryDisabled() }

// sourceOption is an ordinary option for every Google client, in which HTTPClient finds the source again.
type sourceOption struct {
	option.ClientOption
	source oauth2.TokenSource
	open   func(*slog.Logger) oauth2.TokenSource // makes one that logs; nil if there is but source
}

// logging is the source for a client with this logger.
func (o sourceOption) logging(logger *slog.Logger) oauth2.TokenSource {
	if o.open == nil {
		return o.source
	}
	return o.open(logger)
}

// lateSource opens its source at the first call, and again after a failure to do so.
type lateSource struct {
	open func() (oauth2.TokenSource, error)

	mu     sync.Mutex
	source oauth2.TokenSource // nil until opened
}

// Token opens the source if need be and asks it.
func (s *lateSource) Token() (*oauth2.Token, error) {
	source, err := s.opened()
	if err != nil {
		return nil, err
	}
	return source.Token()
}

func (s *lateSource) opened() (oauth2.TokenSource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.source == nil {
		source, err := s.open()
		if err != nil {
			return nil, err
		}
		s.source = source
	}
	return s.source, nil
}

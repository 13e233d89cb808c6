package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	// gcloudTimeout bounds one run of gcloud. It usually takes a second; waiting for a dead network is what takes
	// longer.
	gcloudTimeout = 30 * time.Second

	// gcloudGuarantee is the life that a token surely has left when gcloud prints it. gcloud keeps tokens in a
	// cache, prints no expiry, and makes a new one only if less than 300 seconds are left (_CREDENTIALS_EXPIRY_WINDOW
	// in its credential store, seen in release 528; older releases always make a new one). So the hour that a fresh
	// token lives must not be counted on.
	gcloudGuarantee = 5 * time.Minute

	// gcloudRenewAfter is the age at which gcloud is asked again, so that no token with less than two minutes left
	// is handed out. Asking costs no network while gcloud's own cache is good.
	gcloudRenewAfter = 3 * time.Minute
)

// A GcloudOption adjusts [GcloudToken].
type GcloudOption func(*gcloudSource)

// GcloudAccount chooses among the accounts that gcloud knows ("gcloud auth list"). The default is gcloud's active
// account.
func GcloudAccount(account string) GcloudOption {
	return func(s *gcloudSource) { s.account = &account }
}

// GcloudImpersonate makes gcloud impersonate a service account: the last of accounts. The ones before it are a
// chain of delegates, each allowed to create tokens for the next. The default is what gcloud is configured to do.
func GcloudImpersonate(accounts ...string) GcloudOption {
	return func(s *gcloudSource) { s.chain, s.impersonate = append([]string(nil), accounts...), true }
}

// GcloudPath names the gcloud program, for when it is not on PATH.
func GcloudPath(path string) GcloudOption {
	return func(s *gcloudSource) { s.path = path }
}

// GcloudToken takes access tokens from the Google Cloud CLI: it runs "gcloud auth print-access-token", without a
// shell, when a token is first needed, and again when three minutes have passed since, which is before any token
// that gcloud prints can expire. It never hands out a token with less than two minutes to live, and reports five
// minutes as the expiry: that much, and not an hour, is what gcloud promises, as it prints tokens from its cache.
//
// Only one gcloud runs at a time; callers that come meanwhile wait for its token or share its error, and the next
// call after an error runs gcloud anew. A run is ended after 30 seconds and never asks questions. Wrong options,
// a gcloud that is missing or that fails, and anything but a token on its output are reported as [*Error] by Token.
//
// A token that the service rejects is not dropped at once, but gcloud is asked anew within those three minutes. The
// source is safe for concurrent use, and leaves no goroutine behind.
func GcloudToken(opts ...GcloudOption) oauth2.TokenSource {
	return &opaque{name: "auth.GcloudToken()", token: newGcloudSource(opts...).Token}
}

func newGcloudSource(opts ...GcloudOption) *gcloudSource {
	s := &gcloudSource{path: "gcloud"}
	s.run = s.exec
	for _, opt := range opts {
		opt(s)
	}
	return s
}

type gcloudSource struct {
	path        string
	account     *string
	chain       []string
	impersonate bool

	run func(ctx context.Context) (stdout []byte, err error) // exec, but for tests

	mu      sync.Mutex
	token   *oauth2.Token // nil at first
	flight  *gcloudFlight // nil if no gcloud is running
	started time.Time     // of the run that gave token
}

// gcloudFlight is a run of gcloud that others may wait for. Its result may be read once landed is closed.
type gcloudFlight struct {
	landed chan struct{}
	token  *oauth2.Token
	err    error
}

// Token gives the current token, from gcloud if need be. It blocks while gcloud runs.
func (s *gcloudSource) Token() (*oauth2.Token, error) {
	s.mu.Lock()
	if s.fresh(time.Now()) {
		defer s.mu.Unlock()
		return s.token, nil
	}
	if flight := s.flight; flight != nil {
		s.mu.Unlock()
		<-flight.landed
		return flight.token, flight.err
	}
	flight := &gcloudFlight{landed: make(chan struct{})}
	s.flight = flight
	s.mu.Unlock()

	started := time.Now()
	flight.token, flight.err = s.fetch(started)

	s.mu.Lock()
	defer s.mu.Unlock()
	if flight.err == nil {
		s.token, s.started = flight.token, started
	}
	s.flight = nil
	close(flight.landed)
	return flight.token, flight.err
}

// fresh reports whether the token is young enough to be handed out. The wall clock decides, since the monotonic
// one stands still while a laptop sleeps and the token ages; a clock set back makes the age negative, and unknown.
func (s *gcloudSource) fresh(now time.Time) bool {
	if s.token == nil {
		return false
	}
	age := now.Round(0).Sub(s.started.Round(0))
	return age >= 0 && age < gcloudRenewAfter
}

// fetch runs gcloud. The life of the token counts from the start of the run, the last moment before which gcloud
// cannot have looked at its clock.
func (s *gcloudSource) fetch(started time.Time) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gcloudTimeout)
	defer cancel()
	out, err := s.run(ctx)
	if err != nil {
		return nil, explained(err, gcloudHint)
	}
	token := strings.TrimSpace(string(out))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		// What it printed stays out of the error, as a token may be part of it.
		return nil, &Error{
			Err:  fmt.Errorf("gcloud printed %d bytes that are no access token", len(out)),
			Hint: `run "gcloud auth print-access-token" and see what it prints`,
		}
	}
	return &oauth2.Token{
		AccessToken: token,
		TokenType:   "Bearer",
		Expiry:      started.Round(0).Add(gcloudGuarantee),
	}, nil
}

// arguments gives gcloud's command line, or says which option is wrong.
func (s *gcloudSource) arguments() ([]string, error) {
	args := []string{"auth", "print-access-token"}
	if s.account != nil {
		if err := checkAccount(*s.account); err != nil {
			return nil, err
		}
		args = append(args, "--account="+*s.account)
	}
	if s.impersonate {
		if len(s.chain) == 0 {
			return nil, &Error{
				Err:  errors.New("GcloudImpersonate names no service account"),
				Hint: "name the service account to impersonate, after its delegates if there are any",
			}
		}
		for _, account := range s.chain {
			if err := checkServiceAccount(account); err != nil {
				return nil, err
			}
		}
		args = append(args, "--impersonate-service-account="+strings.Join(s.chain, ","))
	}
	return args, nil
}

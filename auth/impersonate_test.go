package auth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

const robot = "robot@p.iam.gserviceaccount.com"

// iamServer stands in for the IAM Credentials API.
type iamServer struct {
	*httptest.Server

	mu      sync.Mutex
	path    string
	bearer  string
	request map[string]any
	calls   int
	life    time.Duration // of the tokens it gives; an hour if 0
	status  int           // of a refusal; none if 0
	refusal string
}

func newIAMServer(t testing.TB) *iamServer {
	s := new(iamServer)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *iamServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.path, s.bearer, s.request = r.URL.Path, r.Header.Get("Authorization"), nil
	json.Unmarshal(body, &s.request)
	if s.status != 0 {
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.refusal)
		return
	}
	life := s.life
	if life == 0 {
		life = time.Hour
	}
	fmt.Fprintf(w, `{"accessToken": "%s-%d", "expireTime": %q}`, secret, s.calls, time.Now().Add(life).UTC().Format(time.RFC3339))
}

// base gives the option that sends a caller with the given token to s.
func (s *iamServer) base(token string) auth.ImpersonateOption {
	return auth.ImpersonateBase(auth.WithToken(token), auth.WithEndpoint(s.URL+"/iam"))
}

func TestImpersonate(t *testing.T) {
	s := newIAMServer(t)
	source, err := auth.Impersonate(t.Context(), robot, s.base("caller"),
		auth.ImpersonateDelegates("one@p.iam.gserviceaccount.com", "two@p.iam.gserviceaccount.com"),
		auth.ImpersonateLifetime(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if s.calls != 0 {
		t.Error("a token was fetched before it was asked for")
	}
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	if token.AccessToken != secret+"-1" || time.Until(token.Expiry).Round(time.Minute) != time.Hour {
		t.Errorf("got %+v", token)
	}
	if want := "/iam/v1/projects/-/serviceAccounts/" + robot + ":generateAccessToken"; s.path != want || s.bearer != "Bearer caller" {
		t.Errorf("%s was called as %q, want %s", s.path, s.bearer, want)
	}
	const want = `{"delegates":["projects/-/serviceAccounts/one@p.iam.gserviceaccount.com",` +
		`"projects/-/serviceAccounts/two@p.iam.gserviceaccount.com"],"lifetime":"7200s",` +
		`"scope":["https://www.googleapis.com/auth/cloud-platform"]}`
	if got, _ := json.Marshal(s.request); string(got) != want {
		t.Errorf("the request is\n%s, want\n%s", got, want)
	}
	if _, err := source.Token(); err != nil || s.calls != 1 {
		t.Errorf("%d calls for two tokens, error %v", s.calls, err)
	}
	quiet(t, fmt.Sprintf("%v %+v %#v %d", source, source, source, source))
}

// The library's own source would give the first token for ever once a lifetime is set.
func TestImpersonateRenews(t *testing.T) {
	s := newIAMServer(t)
	s.life = 3 * time.Minute // within the four minutes before the expiry in which tokens are renewed
	source, err := auth.Impersonate(t.Context(), robot, s.base("caller"), auth.ImpersonateLifetime(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		token, err := source.Token()
		if err != nil || token.AccessToken != fmt.Sprintf("%s-%d", secret, i+1) {
			t.Errorf("token %d: %v, %v", i+1, token, err)
		}
	}
}

func TestImpersonateRefusals(t *testing.T) {
	for _, test := range []struct {
		name      string
		status    int
		body      string
		want      string
		permanent bool
	}{
		{"no role", 403, `{"error": {"code": 403, "status": "PERMISSION_DENIED", "message":
			"Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
			"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "IAM_PERMISSION_DENIED",
			"domain": "iam.googleapis.com", "metadata": {"permission": "iam.serviceAccounts.getAccessToken"}}]}}`,
			"auth: impersonating " + robot + ": HTTP 403: Permission 'iam.serviceAccounts.getAccessToken' denied on resource " +
				"(or it may not exist); the caller needs iam.serviceAccounts.getAccessToken on the service account, " +
				"which roles/iam.serviceAccountTokenCreator grants", true},
		{"API off", 403, `{"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "IAM Service Account Credentials API
			has not been used in project 12 before or it is disabled.", "details": [
			{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED", "domain": "googleapis.com",
			"metadata": {"service": "iamcredentials.googleapis.com", "consumer": "projects/12"}}]}}`,
			`run "gcloud services enable iamcredentials.googleapis.com --project=12"`, true},
		{"no such account", 404, `{"error": {"code": 404, "status": "NOT_FOUND", "message": "Not found; Gaia id not found for email"}}`,
			`there is no such service account`, true},
		{"lifetime against the policy", 400, `{"error": {"code": 400, "message": "The access token lifetime cannot exceed 3600 seconds."}}`,
			`iam.allowServiceAccountCredentialLifetimeExtension`, true},
		{"caller's token expired", 401, `{"error": {"code": 401, "message": "Request had invalid authentication credentials.",
			"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ACCESS_TOKEN_EXPIRED"}]}}`,
			`the access token has expired`, true},
		{"out of order", 503, `upstream connect error`,
			"HTTP 503: upstream connect error; whoever gives out the tokens is out of order", false},
		{"secret in the page", 400, `{"error": {"code": 400, "message": "bad ya29.` + secret + `"}}`, `bad [hidden]`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newIAMServer(t)
			s.status, s.refusal = test.status, strings.ReplaceAll(test.body, "\n\t\t\t", " ")
			source, err := auth.Impersonate(t.Context(), robot, s.base("caller"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = source.Token()
			var authError *auth.Error
			if !errors.As(err, &authError) || authError.Permanent() != test.permanent {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %q\nwant %q", err, test.want)
			}
			quiet(t, err.Error())
		})
	}
}

// The caller's own credentials can be the ones that fail; the library's text for that has no chain of errors.
func TestImpersonateWithoutBase(t *testing.T) {
	s := newIAMServer(t)
	broken := sourceFunc(func() (*oauth2.Token, error) {
		return nil, &oauth2.RetrieveError{Response: &http.Response{StatusCode: 400}, ErrorCode: "invalid_grant"}
	})
	source, err := auth.Impersonate(t.Context(), robot,
		auth.ImpersonateBase(auth.WithTokenSource(broken), auth.WithEndpoint(s.URL)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = source.Token()
	var authError *auth.Error
	if !errors.As(err, &authError) || !strings.Contains(authError.Hint, "the saved login has expired") ||
		!strings.HasPrefix(err.Error(), "auth: impersonating "+robot+": ") {
		t.Errorf("got %v", err)
	}
	if s.calls != 0 {
		t.Error("the API was called without a token")
	}

	_, err = auth.Impersonate(t.Context(), robot, auth.ImpersonateBase(auth.WithCredentialsFile("/no/such/file")))
	if !errors.As(err, &authError) || !strings.Contains(authError.Hint, "there is no such credentials file") {
		t.Errorf("got %v", err)
	}
}

func TestImpersonateRefusedOptions(t *testing.T) {
	for _, test := range []struct{ account, want string }{
		{"", `auth: "" is no service account; give its address`},
		{"user@example.com", `auth: "user@example.com" is no service account; give its address`},
		{"../../evil@p.iam.gserviceaccount.com", "is no service account"},
		{"a@p.iam.gserviceaccount.com:signBlob?x=", "is no service account"},
		{"a b@p.iam.gserviceaccount.com", "is no service account"},
		{"serviceAccount:" + robot, `leave out what precedes the address: "` + robot + `"`},
		{"projects/-/serviceAccounts/" + robot, `leave out what precedes the address: "` + robot + `"`},
	} {
		if _, err := auth.Impersonate(t.Context(), test.account); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.account, err)
		}
		delegate := auth.ImpersonateDelegates(test.account)
		if _, err := auth.Impersonate(t.Context(), robot, delegate); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("delegate %q: %v", test.account, err)
		}
	}
	for _, life := range []time.Duration{-1, 0, time.Minute, 13 * time.Hour, time.Hour + time.Millisecond} {
		_, err := auth.Impersonate(t.Context(), robot, auth.ImpersonateLifetime(life))
		if err == nil || !strings.Contains(err.Error(), "choose whole seconds between 10m0s and 12h0m0s") {
			t.Errorf("%v: %v", life, err)
		}
	}
	s := newIAMServer(t)
	for _, account := range []string{"123456789012345678901", "1-compute@developer.gserviceaccount.com",
		"a@p.eu0.iam.gserviceaccount.com", "p@appspot.gserviceaccount.com"} {
		if _, err := auth.Impersonate(t.Context(), account, s.base("caller")); err != nil {
			t.Errorf("%q: %v", account, err)
		}
	}
}

func TestWithServiceAccount(t *testing.T) {
	s, iam := newTokenServer(t), newIAMServer(t)
	get(t, s, auth.WithServiceAccount(robot, iam.base("caller")))
	get(t, s, option.WithUserAgent("x"), auth.WithServiceAccount(robot, iam.base("caller")))
	if got := s.bearer(t); got != "2" {
		t.Errorf("the token is %q", got)
	}

	client, _, err := auth.HTTPClient(t.Context(), auth.WithServiceAccount("nobody"))
	if err != nil {
		t.Fatal(err)
	}
	var authError *auth.Error
	if err := call(t, s, client); !errors.As(err, &authError) || !strings.Contains(err.Error(), `"nobody" is no service account`) {
		t.Errorf("got %v", err)
	}
}

// Who logs in after the first failure need not make the client again.
func TestWithServiceAccountTriesAgain(t *testing.T) {
	s, iam := newTokenServer(t), newIAMServer(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/no/such/file")
	client, _, err := auth.HTTPClient(t.Context(),
		auth.WithServiceAccount(robot, auth.ImpersonateBase(auth.WithEndpoint(iam.URL))))
	if err != nil {
		t.Fatal(err)
	}
	if err := call(t, s, client); err == nil {
		t.Fatal("it worked without credentials")
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file(t, s.serviceAccountKey()))
	if err := call(t, s, client); err != nil || s.bearer(t) != "1" {
		t.Errorf("after the login: %v", err)
	}
	if iam.bearer != "Bearer "+secret+"-jwt-bearer" {
		t.Errorf("the IAM API was called as %q", iam.bearer)
	}
}

// TestImpersonationIsLogged: the requests for tokens of another account are, by the logger that is given for that or else
// by the one of the client, and without the tokens.
func TestImpersonationIsLogged(t *testing.T) {
	for _, test := range []struct {
		name     string
		use      func(t *testing.T, s *tokenServer, iam *iamServer, one, two *slog.Logger)
		one, two int // requests logged
	}{
		{"of the client", func(t *testing.T, s *tokenServer, iam *iamServer, one, _ *slog.Logger) {
			get(t, s, auth.WithLogger(one), auth.WithServiceAccount(robot, iam.base("caller")))
		}, 1, 0},
		{"of the client, the last one", func(t *testing.T, s *tokenServer, iam *iamServer, one, two *slog.Logger) {
			get(t, s, auth.WithServiceAccount(robot, iam.base("caller")), option.WithLogger(two), option.WithLogger(one))
		}, 1, 0},
		{"two clients with one option", func(t *testing.T, s *tokenServer, iam *iamServer, one, two *slog.Logger) {
			opt := auth.WithServiceAccount(robot, iam.base("caller"))
			get(t, s, opt, auth.WithLogger(one))
			get(t, s, opt, auth.WithLogger(two))
			get(t, s, opt)
		}, 1, 1},
		{"of the impersonation", func(t *testing.T, s *tokenServer, iam *iamServer, one, two *slog.Logger) {
			get(t, s, auth.WithLogger(two), auth.WithServiceAccount(robot,
				auth.ImpersonateBase(auth.WithToken("caller"), auth.WithEndpoint(iam.URL), auth.WithLogger(one))))
		}, 1, 0},
		{"a source alone", func(t *testing.T, _ *tokenServer, iam *iamServer, one, _ *slog.Logger) {
			source, err := auth.Impersonate(t.Context(), robot,
				auth.ImpersonateBase(auth.WithToken("caller"), auth.WithEndpoint(iam.URL), auth.WithLogger(one)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := source.Token(); err != nil {
				t.Fatal(err)
			}
		}, 1, 0},
		{"a refusal", func(t *testing.T, s *tokenServer, iam *iamServer, one, _ *slog.Logger) {
			iam.status, iam.refusal = 403, `{"error": {"code": 403, "message": "no ya29.`+secret+`"}}`
			client, _, err := auth.HTTPClient(t.Context(), auth.WithLogger(one), auth.WithServiceAccount(robot, iam.base("caller")))
			if err != nil {
				t.Fatal(err)
			}
			if err := call(t, s, client); err == nil || !strings.Contains(err.Error(), "no [hidden]") {
				t.Errorf("got %v", err)
			}
		}, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out [2]bytes.Buffer
			var loggers [2]*slog.Logger
			for i := range out {
				loggers[i] = slog.New(slog.NewTextHandler(&out[i], &slog.HandlerOptions{Level: slog.LevelDebug}))
			}
			test.use(t, newTokenServer(t), newIAMServer(t), loggers[0], loggers[1])
			for i, want := range []int{test.one, test.two} {
				got := out[i].String()
				if strings.Count(got, "impersonated token request") != want || strings.Count(got, "impersonated token response") != want ||
					strings.Count(got, ":generateAccessToken") != want {
					t.Errorf("log %d has not %d requests:\n%s", i+1, want, got)
				}
				quiet(t, got)
			}
		})
	}
}

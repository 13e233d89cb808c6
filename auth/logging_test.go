package auth_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// Google's library logs token requests and answers; ours makes them fit to be logged.
func TestLoggerSeesNoToken(t *testing.T) {
	s := newTokenServer(t)
	throughDefault(t, s)
	subject := filepath.Join(t.TempDir(), "subject")
	if err := os.WriteFile(subject, []byte(secret+"-subject"), 0o600); err != nil {
		t.Fatal(err)
	}
	federated := fmt.Sprintf(`{"type": "external_account", "audience": "//iam.googleapis.com/pools/p",
		"subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": %q, "client_id": "c",
		"client_secret": %q, "credential_source": {"file": %q}}`, s.URL+"/token", secret, subject)
	for _, test := range []struct {
		name string
		opt  option.ClientOption
		want []string // in the log
	}{
		{"service account", option.WithAuthCredentialsJSON(option.ServiceAccount, s.serviceAccountKey()),
			[]string{"2LO token request", "2LO token response", "grant_type=urn", `"token_type":"Bearer"`,
				`"access_token":"[hidden]"`, "[1 fields left out]", `"url":"` + s.URL + `/token"`}},
		{"user", option.WithAuthCredentialsJSON(option.AuthorizedUser, []byte(authorizedUser)),
			[]string{"3LO token request", "3LO token response", "grant_type=refresh_token [3 fields left out]"}},
		{"federation", option.WithAuthCredentialsJSON(option.ExternalAccount, []byte(federated)),
			[]string{"sts token request", "&subject_token_type=urn", "[1 fields left out]", `"Authorization":"[hidden]"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			logger := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
			get(t, s, test.opt, option.WithLogger(logger.With("token", "ya29."+secret)))
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in the log\n%s", want, out.String())
				}
			}
			quiet(t, strings.ReplaceAll(out.String(), `"ya29.`+secret+`"`, "")) // what the application put there
		})
	}
}

func TestLoggerOfMetadataServer(t *testing.T) {
	s := newTokenServer(t)
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(s.URL, "http://"))
	var out bytes.Buffer
	get(t, s, option.WithLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	if !strings.Contains(out.String(), "metadata response") {
		t.Errorf("the log is\n%s", out.String())
	}
	quiet(t, out.String())
}

func TestLoggerLevels(t *testing.T) {
	s := newTokenServer(t)
	s.refusal = `{"error": "invalid_grant", "error_description": "bad ya29.` + secret + `"}`
	var out bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&out, nil)) // info
	key := option.WithAuthCredentialsJSON(option.ServiceAccount, s.serviceAccountKey())
	client, _, err := auth.HTTPClient(t.Context(), key, option.WithLogger(logger))
	if err != nil {
		t.Fatal(err)
	}
	var authError *auth.Error
	if err := call(t, s, client); !errors.As(err, &authError) {
		t.Fatal(err)
	}
	if out.Len() != 0 {
		t.Errorf("the library's details are in a log of level info: %s", out.String())
	}
}

// Without a logger the library writes to stderr if this variable says so.
func TestLoggingByEnvironment(t *testing.T) {
	s := newTokenServer(t)
	path := filepath.Join(t.TempDir(), "stderr")
	stderr, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	original := os.Stderr
	os.Stderr = stderr
	defer func() { os.Stderr = original }()
	t.Setenv("GOOGLE_SDK_GO_LOGGING_LEVEL", "debug")
	get(t, s, option.WithAuthCredentialsJSON(option.ServiceAccount, s.serviceAccountKey()))
	got, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(got), "2LO token response") {
		t.Errorf("stderr is %q, %v", got, err)
	}
	quiet(t, string(got))
}

// TestLoggerOfCalls: at level debug Google's transport logs calls that failed, if that experiment is on, in the words of
// the service. These may quote the request.
func TestLoggerOfCalls(t *testing.T) {
	t.Setenv("GOOGLE_SDK_GO_EXPERIMENTAL_LOGGING", "true")
	gax.TestOnlyResetIsFeatureEnabled()
	defer gax.TestOnlyResetIsFeatureEnabled()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad script %s", "details": [
			{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "R", "domain": "d", "metadata": {"script": %q}}]}}`, secret, secret)
	}))
	defer server.Close()
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client, _, err := auth.HTTPClient(t.Context(), auth.WithToken("t"), auth.WithEndpoint(server.URL), auth.WithLogger(logger))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), secret) {
		t.Errorf("the answer is %q, %v", body, err)
	}
	resp.Body.Close()
	if got := out.String(); !strings.Contains(got, `msg="a call failed"`) || !strings.Contains(got, "http.response.status_code=400") {
		t.Errorf("the log is %s", got)
	}
	quiet(t, out.String())
}

// TestLoggerOfOddAnswers: what answers in place of the service may quote the request, or end early, and almost any text can
// be read as a form.
func TestLoggerOfOddAnswers(t *testing.T) {
	const token = "ya29." + secret
	for _, test := range []struct {
		name, body string
		status     int
		cut        bool
		want       string // in the log
	}{
		{"a proxy's page", "blocked Authorization: Bearer " + token + " policy=7", 403, false, "[58 bytes left out]"},
		{"a secret as a name", secret + "=7", 403, false, "[16 bytes left out]"},
		{"an answer cut short", `{"accessToken":"` + token + `=`, 200, true, "[36 bytes left out]"},
		{"an answer cut short, with an ampersand", `{"expireTime":"","accessToken":"` + secret + `&=`, 200, true, "[48 bytes left out]"},
		{"a form", "error=denied&error_description=bad+" + token + "&" + secret + "=1&sig=" + secret, 403, false,
			"error=denied&error_description=bad+%5Bhidden%5D [2 fields left out]"},
		{"a form with escapes", "error=ya29%2E" + secret + "&error=two", 403, false, "error=%5Bhidden%5D&error=two"},
		{"a name in JSON", `{"error": {"message": "denied", "` + token + `": 7}}`, 403, false, "message:denied"},
		{"a name in cut JSON", `{"` + token + `": 7, "a=b`, 403, false, "bytes left out]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				if test.cut {
					w.Header().Set("Content-Length", "1000")
				}
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}))
			defer server.Close()
			var out bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
			source, err := auth.Impersonate(t.Context(), robot,
				auth.ImpersonateBase(auth.WithToken("t"), auth.WithEndpoint(server.URL), auth.WithLogger(logger)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := source.Token(); err == nil {
				t.Error("there is a token")
			}
			if !strings.Contains(out.String(), test.want) {
				t.Errorf("%q is not in the log\n%s", test.want, out.String())
			}
			quiet(t, out.String())
		})
	}
}

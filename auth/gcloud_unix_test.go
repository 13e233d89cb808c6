//go:build unix

// The stand-in for gcloud is a shell script.

package auth_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// putGcloud puts a gcloud on PATH that is the given shell script, and gives its path.
func putGcloud(t *testing.T, script string) string {
	dir := t.TempDir()
	path := filepath.Join(dir, "gcloud")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return path
}

func TestGcloudCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "arguments")
	t.Setenv("ARGUMENTS", out)
	path := putGcloud(t, `for a in "$@"; do echo "$a"; done >"$ARGUMENTS"
echo "prompts off: $CLOUDSDK_CORE_DISABLE_PROMPTS" >>"$ARGUMENTS"
echo "WARNING: This command is using service account impersonation." >&2
echo "`+secret+`"`)
	sa1, sa2 := "one@p.iam.gserviceaccount.com", "two@p.iam.gserviceaccount.com"
	for _, test := range []struct {
		name string
		opts []auth.GcloudOption
		want string
	}{
		{"the documented command", nil, ""},
		{"account", []auth.GcloudOption{auth.GcloudAccount("o'brien+x@example.com")}, "--account=o'brien+x@example.com\n"},
		{"federated account", []auth.GcloudOption{auth.GcloudAccount("principal://iam.googleapis.com/locations/global/x")},
			"--account=principal://iam.googleapis.com/locations/global/x\n"},
		{"impersonation through a delegate", []auth.GcloudOption{auth.GcloudImpersonate(sa1, sa2)},
			"--impersonate-service-account=" + sa1 + "," + sa2 + "\n"},
		{"path", []auth.GcloudOption{auth.GcloudPath(path)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			token, err := auth.GcloudToken(test.opts...).Token()
			if err != nil {
				t.Fatal(err)
			}
			if token.AccessToken != secret || token.Type() != "Bearer" || token.Expiry.IsZero() {
				t.Errorf("got %+v", token)
			}
			got, _ := os.ReadFile(out)
			if want := "auth\nprint-access-token\n" + test.want + "prompts off: 1\n"; string(got) != want {
				t.Errorf("gcloud was run with\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestGcloudRefusedOptions(t *testing.T) {
	putGcloud(t, `echo "gcloud was run" >&2; exit 1`)
	for _, test := range []struct {
		why string
		opt auth.GcloudOption
	}{
		{"it would be an option", auth.GcloudAccount("--configuration=evil")},
		{"it would be an option", auth.GcloudAccount("-q")},
		{"empty is not the active account", auth.GcloudAccount("")},
		{"two accounts", auth.GcloudAccount("a@example.com,b@example.com")},
		{"space", auth.GcloudAccount("a@example.com b")},
		{"code in a batch file", auth.GcloudAccount(`a@example.com"&calc&"`)},
		{"code in a batch file", auth.GcloudAccount(`%PATH%@example.com`)},
		{"no account at all", auth.GcloudImpersonate()},
		{"a user cannot be impersonated", auth.GcloudImpersonate("a@example.com")},
		{"it would be an option", auth.GcloudImpersonate("-a@p.iam.gserviceaccount.com")},
		{"a second account", auth.GcloudImpersonate("a@p.iam.gserviceaccount.com,b@p.iam.gserviceaccount.com")},
	} {
		_, err := auth.GcloudToken(test.opt).Token()
		var authError *auth.Error
		if !errors.As(err, &authError) || authError.Hint == "" || strings.Contains(err.Error(), "gcloud was run") {
			t.Errorf("%s: %v", test.why, err)
		}
	}
}

func TestGcloudFailures(t *testing.T) {
	const login = `run "gcloud auth login", or for a service account "gcloud auth activate-service-account"`
	for _, test := range []struct {
		name, script string
		want         string
	}{
		{"nobody logged in", `cat >&2 <<END
ERROR: (gcloud.auth.print-access-token) You do not currently have an active account selected.
Please run:

  $ gcloud auth login

to obtain new credentials.
END
exit 1`, "auth: gcloud auth print-access-token: You do not currently have an active account selected: exit status 1; " + login},
		{"unknown account", `cat >&2 <<END
ERROR: (gcloud.auth.print-access-token) Your current active account [nobody@example.com] does not have any valid credentials
Please run:
END
exit 1`, "auth: gcloud auth print-access-token: Your current active account [nobody@example.com] does not have any " +
			"valid credentials: exit status 1; " + login},
		{"new login wanted", `cat >&2 <<END
Reauthentication required.
ERROR: (gcloud.auth.print-access-token) There was a problem reauthenticating while refreshing your current auth tokens: Reauthentication challenge could not be answered because you are not in an interactive session.
Please retry your command or run:
END
exit 1`, login},
		{"impersonation not allowed", `cat >&2 <<END
WARNING: This command is using service account impersonation. All API calls will be executed as [a@p.iam.gserviceaccount.com].
ERROR: (gcloud.auth.print-access-token) PERMISSION_DENIED: Failed to impersonate [a@p.iam.gserviceaccount.com]. Make sure the account that's trying to impersonate it has access to the service account itself and the "roles/iam.serviceAccountTokenCreator" role.
END
exit 1`, "auth: gcloud auth print-access-token: PERMISSION_DENIED: Failed to impersonate"},
		{"HTTP log with a token", `cat >&2 <<END
==== request start ====
header: Authorization: Bearer ya29.` + secret + `
body: {"refresh_token": "` + secret + `"}
END
exit 1`, "==== request start ==== header: Authorization: Bearer [hidden]"},
		{"silent", `exit 3`, `auth: gcloud auth print-access-token: exit status 3; run "gcloud auth print-access-token" in a terminal`},
		{"no output", `exit 0`, "auth: gcloud printed 0 bytes that are no access token"},
		{"chatter around the token", `echo "Your token: ` + secret + `"`, "are no access token"},
		{"a megabyte of noise", `i=0; while [ $i -lt 2000 ]; do echo "` + strings.Repeat("noise ", 80) + `" >&2; i=$((i+1)); done; exit 1`,
			"auth: gcloud auth print-access-token: noise noise"},
	} {
		t.Run(test.name, func(t *testing.T) {
			putGcloud(t, "PATH=/usr/bin:/bin\n"+test.script)
			_, err := auth.GcloudToken().Token()
			var authError *auth.Error
			if !errors.As(err, &authError) || !authError.Permanent() {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 900 {
				t.Errorf("got  %q\nwant %q", err, test.want)
			}
			quiet(t, err.Error())
		})
	}
}

func TestGcloudMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, source := range []oauth2.TokenSource{auth.GcloudToken(), auth.GcloudToken(auth.GcloudPath("/no/such/gcloud"))} {
		_, err := source.Token()
		if err == nil || !strings.Contains(err.Error(), "the program gcloud was not found") ||
			!strings.Contains(err.Error(), "install the Google Cloud CLI") {
			t.Errorf("got %v", err)
		}
	}
}

func TestGcloudNotExecutable(t *testing.T) {
	path := putGcloud(t, "")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := auth.GcloudToken(auth.GcloudPath(path)).Token()
	if err == nil || !strings.Contains(err.Error(), "check its path and its permissions") {
		t.Errorf("got %v", err)
	}
}

// A token of gcloud's goes through the whole transport.
func TestGcloudThroughClient(t *testing.T) {
	s := newTokenServer(t)
	putGcloud(t, `echo "`+secret+`-gcloud"`)
	get(t, s, auth.WithGcloud())
	if got := s.bearer(t); got != "gcloud" {
		t.Errorf("the token is of %q", got)
	}
}

func TestSourcesPrintNoToken(t *testing.T) {
	putGcloud(t, `echo "`+secret+`"`)
	used := auth.GcloudToken()
	if _, err := used.Token(); err != nil {
		t.Fatal(err)
	}
	values := []any{
		auth.StaticToken(secret), used, auth.WithToken(secret), auth.WithTokenSource(used),
		[]oauth2.TokenSource{auth.StaticToken(secret)}, map[string]any{"s": used},
		struct{ unexported oauth2.TokenSource }{auth.StaticToken(secret)},
	}
	for _, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t"} {
			text := fmt.Sprintf(verb, value)
			quiet(t, text)
			if strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s prints the token in hexadecimal", verb)
			}
		}
	}
	if got := fmt.Sprint(auth.StaticToken(secret)); got != "auth.StaticToken([hidden])" {
		t.Errorf("a static token prints as %q", got)
	}
}

package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2/apierror"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// answer gives the error of an HTTP answer, as Google's clients make it.
func answer(code int, body string) error {
	return googleapi.CheckResponseWithBody(&http.Response{StatusCode: code}, []byte(body))
}

// refusal gives the error of an answer with google.rpc.ErrorInfo, of which metadata is the JSON.
func refusal(code int, message, reason, metadata string) error {
	return answer(code, fmt.Sprintf(`{"error": {"code": %d, "message": %q, "details": [
		{"@type": "type.googleapis.com/unknown.Detail", "x": 1},
		{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": %q, "metadata": {%s}}]}}`,
		code, message, reason, metadata))
}

const (
	denied = "Permission 'aiplatform.modelDevelopmentClusters.get' denied on resource " +
		"'//aiplatform.googleapis.com/projects/my-project/locations/us-central1/modelDevelopmentClusters/c' (or it may not exist)."
	missing = "; the service answers the same for what does not exist, so check the project, the region and the name as well"
)

func TestExplainForbidden(t *testing.T) {
	const permission = "aiplatform.modelDevelopmentClusters."
	for _, test := range []struct {
		why        string
		err        error
		permission string
		want       string // the hint, or its beginning
	}{
		{"the answer names permission and resource",
			refusal(403, denied, "IAM_PERMISSION_DENIED", `"permission": "aiplatform.modelDevelopmentClusters.get",
			"resource": "projects/my-project/locations/us-central1/modelDevelopmentClusters/c"`), "",
			"the caller needs aiplatform.modelDevelopmentClusters.get, which roles/aiplatform.viewer grants " +
				"(gcloud projects add-iam-policy-binding my-project --member=user:EMAIL --role=roles/aiplatform.viewer)" + missing},
		{"only the message does", answer(403, fmt.Sprintf(`{"error": {"code": 403, "message": %q}}`, denied)), "",
			"the caller needs aiplatform.modelDevelopmentClusters.get, which roles/aiplatform.viewer grants " +
				"(gcloud projects add-iam-policy-binding my-project"},
		{"what the service says is preferred", refusal(403, "no", "IAM_PERMISSION_DENIED", `"permission": "aiplatform.endpoints.deploy"`),
			permission + "get", "the caller needs aiplatform.endpoints.deploy, which roles/aiplatform.admin grants"},
		{"only the caller knows: list", answer(403, `{}`), permission + "list",
			"the caller needs aiplatform.modelDevelopmentClusters.list, which roles/aiplatform.viewer grants"},
		{"run", answer(403, `{}`), permission + "run",
			"the caller needs aiplatform.modelDevelopmentClusters.run, which roles/aiplatform.user grants"},
		{"the documentation's spelling", answer(403, `{}`), "aiplatform.googleapis.com/modelDevelopmentClusters.run",
			"the caller needs aiplatform.modelDevelopmentClusters.run, which roles/aiplatform.user grants"},
		{"create", answer(403, `{}`), permission + "create", "the caller needs aiplatform.modelDevelopmentClusters.create, which roles/aiplatform.admin"},
		{"update", answer(403, `{}`), permission + "update", "the caller needs aiplatform.modelDevelopmentClusters.update, which roles/aiplatform.admin"},
		{"delete", answer(403, `{}`), permission + "delete", "the caller needs aiplatform.modelDevelopmentClusters.delete, which roles/aiplatform.admin"},
		{"identity of the nodes", refusal(403, "x", "IAM_PERMISSION_DENIED", `"permission": "iam.serviceAccounts.actAs"`), permission + "create",
			"the caller needs iam.serviceAccounts.actAs on the service account, which roles/iam.serviceAccountUser grants"},
		{"no role known", answer(403, `{}`), "compute.instances.create", "the caller needs compute.instances.create" + missing},
		{"nothing known", answer(403, `<html>Forbidden</html>`), "", "the caller lacks a permission: roles/aiplatform.viewer is for reading"},
		{"service off", refusal(403, "Agent Platform API has not been used", "SERVICE_DISABLED",
			`"service": "aiplatform.googleapis.com", "consumer": "projects/my-project"`), permission + "get",
			`enable the API: run "gcloud services enable aiplatform.googleapis.com --project=my-project" and wait some minutes`},
		{"service off, without a reason", answer(403, `{"error": {"message": "X API has not been used in project 12 before or it is disabled."}}`),
			"", `enable the API: run "gcloud services enable aiplatform.googleapis.com --project=PROJECT"`},
		{"no quota project", refusal(403, "The aiplatform.googleapis.com API requires a quota project, which is not set by default.",
			"SERVICE_DISABLED", `"consumer": "projects/764086051850"`), "",
			`user credentials need a project for quota: run "gcloud auth application-default set-quota-project PROJECT", or give WithQuotaProject`},
		{"gcloud's own project", refusal(403, "API has not been used in project 32555940559", "SERVICE_DISABLED",
			`"consumer": "projects/32555940559"`), "", "user credentials need a project for quota"},
		{"quota project closed", refusal(403, "Caller does not have required permission to use project q.", "USER_PROJECT_DENIED",
			`"consumer": "projects/q"`), "", "the quota project q refuses the caller: grant it roles/serviceusage.serviceUsageConsumer there"},
		{"no such project", refusal(403, "Permission denied on resource project nope.", "CONSUMER_INVALID",
			`"consumer": "projects/nope"`), permission + "get", "there is no project nope, or the caller does not see it"},
		{"scope", refusal(403, "Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", ``), "",
			"the token lacks the scope https://www.googleapis.com/auth/cloud-platform"},
		{"perimeter", refusal(403, "Request is prohibited by organization's policy. vpcServiceControlsUniqueIdentifier: abc",
			"SECURITY_POLICY_VIOLATED", `"uid": "abc"`), "", "VPC Service Controls keep this caller or network out"},
		{"perimeter, older form", answer(403, `{"error": {"message": "Request is prohibited by organization's policy"}}`), "",
			"VPC Service Controls"},
		{"billing", refusal(403, "x", "BILLING_DISABLED", `"consumer": "projects/12"`), "", "enable billing for project 12"},
	} {
		checkHint(t, test.why, test.err, test.permission, test.want)
		wrapped, ok := apierror.FromError(test.err)
		if !ok {
			t.Fatalf("%s: not an API error", test.why)
		}
		checkHint(t, test.why+", as apierror", wrapped, test.permission, test.want)
	}
}

func checkHint(t *testing.T, why string, err error, permission, want string) {
	t.Helper()
	got := auth.Explain(fmt.Errorf("call: %w", err), permission)
	var authError *auth.Error
	if !errors.As(got, &authError) || !errors.Is(got, err) {
		t.Errorf("%s: got %v", why, got)
		return
	}
	if !strings.HasPrefix(authError.Hint, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", why, authError.Hint, want)
	}
	if !authError.Permanent() || strings.Contains(got.Error(), "\n") || strings.ContainsAny(authError.Hint, "{}") {
		t.Errorf("%s: permanent %v, text %q", why, authError.Permanent(), got)
	}
	if again := auth.Explain(got, "other"); again != got {
		t.Errorf("%s: explained twice: %v", why, again)
	}
	if again := auth.Explain(fmt.Errorf("outer: %w", got), "other"); strings.Count(again.Error(), "auth:") != 1 {
		t.Errorf("%s: explained twice: %v", why, again)
	}
}

func TestExplainRejected(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{refusal(401, "Request had invalid authentication credentials.", "ACCESS_TOKEN_EXPIRED", ``), "the access token has expired"},
		{answer(401, `{"error": {"message": "The access token has expired"}}`), "the access token has expired"},
		{refusal(401, "x", "CREDENTIALS_MISSING", ``), "the request carried no access token"},
		{refusal(401, "x", "ACCESS_TOKEN_TYPE_UNSUPPORTED", ``), "this is no OAuth access token"},
		{refusal(401, "x", "ACCOUNT_STATE_INVALID", ``), "the account is disabled or deleted"},
		{answer(401, ``), `the token was rejected: run "gcloud auth application-default login"`},
		{status.Error(codes.Unauthenticated, "x"), `the token was rejected`},
		{status.Error(codes.PermissionDenied, "x"), `the caller needs aiplatform.modelDevelopmentClusters.get`},
	} {
		err := test.err
		if _, isHTTP := err.(*googleapi.Error); !isHTTP {
			err, _ = apierror.FromError(err)
		}
		checkHint(t, test.err.Error(), err, "aiplatform.modelDevelopmentClusters.get", test.want)
	}
}

func TestExplainedText(t *testing.T) {
	forbidden := refusal(403, denied, "IAM_PERMISSION_DENIED", ``)
	wrapped, _ := apierror.FromError(forbidden)
	rpc, _ := apierror.FromError(status.Error(codes.PermissionDenied, "no"))
	for _, test := range []struct {
		err  error
		want string
	}{
		{forbidden, "auth: HTTP 403: " + strings.TrimSuffix(denied, ".") + "; the caller needs "},
		{wrapped, "auth: HTTP 403: " + strings.TrimSuffix(denied, ".") + "; the caller needs "},
		{rpc, "auth: no; the caller needs "},
		{answer(403, "a\npage"), "auth: HTTP 403: a page; the caller needs "},
	} {
		if got := auth.Explain(test.err, "aiplatform.modelDevelopmentClusters.get").Error(); !strings.HasPrefix(got, test.want) {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestExplainLeavesOthers(t *testing.T) {
	for _, err := range []error{
		nil,
		errors.New("disk full"),
		context.DeadlineExceeded,
		answer(404, `{"error": {"message": "not found"}}`),
		answer(400, `{"error": {"message": "invalid_grant is not a node pool"}}`),
		answer(429, ``), answer(503, ``),
	} {
		if got := auth.Explain(err, "aiplatform.modelDevelopmentClusters.get"); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestExplainCredentials(t *testing.T) {
	// The texts are those of cloud.google.com/go/auth v0.24.4 and golang.org/x/oauth2 v0.38.0.
	for _, test := range []struct{ text, want string }{
		{"credentials: could not find default credentials. See https://cloud.google.com/docs/… for more information",
			`run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to the path`},
		{"google: could not find default credentials", `run "gcloud auth application-default login"`},
		{`auth: "invalid_grant" "reauth related error (rapt_required)"`, "the organization asks for a new login"},
		{`credentials: cannot fetch token: metadata: GCE metadata "instance/service-accounts/default/token" not defined`,
			"the virtual machine has no service account"},
	} {
		got := auth.Explain(errors.New(test.text), "")
		var authError *auth.Error
		if !errors.As(got, &authError) || !strings.HasPrefix(authError.Hint, test.want) {
			t.Errorf("%s: got %v", test.text, got)
		}
	}
	got := auth.Explain(&oauth2.RetrieveError{Response: &http.Response{Status: "400", StatusCode: 400},
		Body: []byte(`{"error": "invalid_grant",` + "\n" + `"id_token": "` + secret + `"}`)}, "")
	quiet(t, got.Error())
	if !strings.Contains(got.Error(), "the saved login has expired") {
		t.Errorf("got %v", got)
	}
}

func TestCredentialFiles(t *testing.T) {
	directory := t.TempDir()
	for _, test := range []struct {
		name string
		path string
		want string
	}{
		{"none", "/no/such/file.json", "there is no such credentials file: check the path, or GOOGLE_APPLICATION_CREDENTIALS"},
		{"directory", directory, "the credentials file cannot be read"},
		{"not JSON", file(t, []byte("export KEY="+secret)), "the credentials are not the JSON of a credentials file"},
		{"cut short", file(t, []byte(`{"type": "service_account", "private_key": "`+secret)), "the credentials are not the JSON"},
		{"JSON of another kind", file(t, []byte(`["`+secret+`"]`)), "the credentials are not the JSON"},
		{"no type", file(t, []byte(`{"private_key": "`+secret+`"}`)), "the file holds credentials of another type"},
		{"unknown type", file(t, []byte(`{"type": "api_key", "key": "`+secret+`"}`)), "the file holds credentials of another type"},
		{"OAuth client", file(t, []byte(`{"installed": {"client_id": "c", "client_secret": "`+secret+`", "redirect_uris": ["http://localhost"]}}`)),
			"that is an OAuth client file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for source, make := range map[string]func() []option.ClientOption{
				"option":      func() []option.ClientOption { return []option.ClientOption{auth.WithCredentialsFile(test.path)} },
				"environment": func() []option.ClientOption { os.Setenv("GOOGLE_APPLICATION_CREDENTIALS", test.path); return nil },
			} {
				t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
				_, _, err := auth.HTTPClient(t.Context(), make()...)
				var authError *auth.Error
				if !errors.As(err, &authError) || !authError.Permanent() || !strings.HasPrefix(authError.Hint, test.want) {
					t.Errorf("%s: got %v", source, err)
				} else {
					quiet(t, err.Error())
				}
			}
		})
	}
	s := newTokenServer(t)
	broken := s.serviceAccountKey("private_key", "-----BEGIN PRIVATE KEY-----\n"+secret+"\n-----END PRIVATE KEY-----")
	client, _, err := auth.HTTPClient(t.Context(), option.WithAuthCredentialsJSON(option.ServiceAccount, broken))
	if err == nil {
		err = call(t, s, client)
	}
	if err == nil || !strings.Contains(err.Error(), "the key in the credentials file is damaged") {
		t.Errorf("a damaged key: %v", err)
	} else {
		quiet(t, err.Error())
	}
}

package auth

import "strings"

// This file holds what is known about failures: how to tell them, and what to do. Marks are in lower case and are
// looked for in the lowered text of the error; the first match counts. Hints are phrases without a full stop.

// markedHint is a hint for errors that can be told by their text only.
type markedHint struct {
	marks []string
	hint  string
}

const (
	login      = `run "gcloud auth application-default login"`
	keyOrLogin = login + `, or set GOOGLE_APPLICATION_CREDENTIALS to the path of a service-account key or of a ` +
		`credential configuration`

	hintNoFile = `there is no such credentials file: check the path, or GOOGLE_APPLICATION_CREDENTIALS if that is ` +
		`where it comes from, or ` + login
	hintUnreadableFile = `the credentials file cannot be read: check its path and its permissions, or ` + login
	hintNotJSON        = `the credentials are not the JSON of a credentials file: check which file is meant by the ` +
		`option or by GOOGLE_APPLICATION_CREDENTIALS`
	hintUnreachable = `no token could be fetched: check the network, DNS and the proxy (HTTPS_PROXY), and try again`
	hintOutOfOrder  = `whoever gives out the tokens is out of order at the moment: try again later`
	hintUnknown     = `no token could be obtained: check the credentials given by option, or ` + keyOrLogin
	hintNotRunnable = `the program named by GcloudPath cannot be run: check its path and its permissions`
	hintGcloud      = `run "gcloud auth print-access-token" in a terminal to see the whole message, and ` +
		`"gcloud auth login" if it asks for that`
)

// tokenHints are for failures to find credentials and refusals of the token endpoint.
var tokenHints = []markedHint{
	{[]string{"could not find default credentials"},
		keyOrLogin + `; on a virtual machine attach a service account`},
	{[]string{"invalid_rapt", "rapt_required", "reauth"},
		`the organization asks for a new login from time to time: ` + login + `, or use a service account for ` +
			`what runs unattended`},
	{[]string{"invalid_grant"},
		`the saved login has expired or was revoked: ` + login + `; for a service-account key, check that the key ` +
			`still exists and that this machine's clock is right`},
	{[]string{"invalid_client", "deleted_client", "unauthorized_client"},
		`the token endpoint does not know the client or does not allow it this: ` + login + `, or make a new key`},
	{[]string{"invalid_scope"},
		`the token endpoint does not give the scopes asked for: leave option.WithScopes out or ask for ` + Scope},
	{[]string{"access_denied", "account_disabled"},
		`the account is disabled or was denied access: ask the administrator of the organization`},
	{[]string{"gce metadata", "incomplete token received from metadata"},
		`the virtual machine has no service account: attach one with the scope cloud-platform ("gcloud compute ` +
			`instances set-service-account")`},
	{[]string{"does not match the universe"},
		`the credentials belong to another universe than the client: set GOOGLE_CLOUD_UNIVERSE_DOMAIN or ` +
			`option.WithUniverseDomain, or give a token source by auth.WithTokenSource, which fits every universe`},
	{[]string{"auth handler must be specified"},
		`that is an OAuth client file, which identifies an application and not a caller: ` + login +
			` with its path as --client-id-file`},
	{[]string{"expected type", "unsupported filetype", "unsupported unidentified file type", "unknown credential type"},
		`the file holds credentials of another type than expected: give a service-account key or the file ` +
			`that "gcloud auth application-default login" writes`},
	{[]string{"private key"},
		`the key in the credentials file is damaged: make a new one with "gcloud iam service-accounts keys create"`},
	{[]string{"multiple credential options", "withoutauthentication is incompatible"},
		`give one option for credentials, not several`},
	{[]string{"is incompatible with", "unsupported grpc connection"}, `leave one of these options out`},
}

// gcloudHints are for failures of the Google Cloud CLI, told by what it writes to stderr.
var gcloudHints = []markedHint{
	{[]string{"gcloud was not found"},
		`install the Google Cloud CLI (https://cloud.google.com/sdk/docs/install), name it with GcloudPath, or use ` +
			`the application default credentials`},
	{[]string{"getaccesstoken", "impersonat"},
		`grant the account that is logged in roles/iam.serviceAccountTokenCreator on the service account, and check ` +
			`the service account's address`},
	{[]string{"active account selected", "reauth", "valid credentials", "refreshing", "invalid_grant"},
		`run "gcloud auth login", or for a service account "gcloud auth activate-service-account"`},
	{[]string{"took longer than"},
		`run "gcloud auth print-access-token" in a terminal to see what it waits for: often the network or a proxy`},
}

const hintImpersonate = `check the service account's address, and the lifetime asked for`

// impersonateHints are for answers of the IAM Credentials API other than 401 and 403.
var impersonateHints = []markedHint{
	{[]string{"http 404", "not found"},
		`there is no such service account: check its address with "gcloud iam service-accounts list"`},
	{[]string{"lifetime"},
		`let the organization policy iam.allowServiceAccountCredentialLifetimeExtension name the account, or ask for ` +
			`an hour at most`},
}

// answerHint is a hint for an answer of the service. It is told by the reason of google.rpc.ErrorInfo or, as older
// parts of Google's front end send none, by a mark in the message or in the consumer.
type answerHint struct {
	status int
	reason string
	marks  []string
	hint   string
}

const quotaProject = `run "gcloud auth application-default set-quota-project PROJECT", or give WithQuotaProject`

var answerHints = []answerHint{
	// The two numbers are the projects of gcloud itself, which the service charges if no quota project is set.
	{403, "", []string{"requires a quota project", "projects/764086051850", "projects/32555940559"},
		`user credentials need a project for quota: ` + quotaProject},
	{403, "SERVICE_DISABLED", []string{"has not been used in project"},
		`enable the API: run "gcloud services enable {service} --project={project}" and wait some minutes`},
	{403, "USER_PROJECT_DENIED", []string{"required permission to use project"},
		`the quota project {project} refuses the caller: grant it roles/serviceusage.serviceUsageConsumer there, or ` +
			`choose another: ` + quotaProject},
	{403, "CONSUMER_INVALID", nil,
		`there is no project {project}, or the caller does not see it: check the project in the resource name, and ` +
			`the quota project`},
	{403, "CONSUMER_SUSPENDED", nil, `project {project} is suspended: ask its owner`},
	{403, "BILLING_DISABLED", []string{"billing to be enabled"}, `enable billing for project {project}`},
	{403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", []string{"insufficient authentication scopes"},
		`the token lacks the scope ` + Scope + `: on a virtual machine set it with "gcloud compute instances ` +
			`set-service-account --scopes=cloud-platform"; else log in again without --scopes`},
	{403, "SECURITY_POLICY_VIOLATED", []string{"organization's policy", "vpcservicecontrols", "vpc_service_controls"},
		`VPC Service Controls keep this caller or network out: call from inside the perimeter, or give the unique ` +
			`identifier in the message to whoever manages it`},
	{403, "ORG_RESTRICTION_VIOLATION", nil, `the organization restricts which resources may be reached from here`},

	{401, "ACCESS_TOKEN_EXPIRED", []string{"token expired", "token has expired"},
		`the access token has expired: a fixed token lives an hour at most, so give a new one, or use GcloudToken or ` +
			`the application default credentials, which renew theirs`},
	{401, "CREDENTIALS_MISSING", []string{"missing required authentication credential"},
		`the request carried no access token: leave WithoutAuthentication out, and give an HTTP client of your own ` +
			`credentials of its own`},
	{401, "ACCESS_TOKEN_TYPE_UNSUPPORTED", nil,
		`this is no OAuth access token: use "gcloud auth print-access-token", not print-identity-token`},
	{401, "ACCOUNT_STATE_INVALID", nil, `the account is disabled or deleted: ask the administrator`},
}

const (
	hintRejected = `the token was rejected: ` + login + `, or check that the service account and its key still exist`

	orMissing = `; the service answers the same for what does not exist, so check the project, the region and the ` +
		`name as well`
	hintRole = `the caller needs {permission}, which {role} grants (gcloud projects add-iam-policy-binding {project} ` +
		`--member=user:EMAIL --role={role})` + orMissing
	hintServiceAccountRole = `the caller needs {permission} on the service account, which {role} grants (gcloud iam ` +
		`service-accounts add-iam-policy-binding ACCOUNT --member=user:EMAIL --role={role}); an account that does ` +
		`not exist is answered the same`
	hintPermission = `the caller needs {permission}` + orMissing
	hintForbidden  = `the caller lacks a permission: roles/aiplatform.viewer is for reading, roles/aiplatform.user for ` +
		`jobs, roles/aiplatform.admin for changing clusters` + orMissing
)

// roles gives the smallest predefined role for a permission, by its beginning and its end; the first match counts.
// That the role for jobs is aiplatform.user, and for changes aiplatform.admin, is in the service's documentation.
var roles = []struct{ prefix, suffix, role string }{
	{"aiplatform.", ".get", "roles/aiplatform.viewer"},
	{"aiplatform.", ".list", "roles/aiplatform.viewer"},
	{"aiplatform.", ".run", "roles/aiplatform.user"}, // callSlurmRestApi
	{"aiplatform.", "", "roles/aiplatform.admin"},
	{"iam.serviceAccounts.getAccessToken", "", "roles/iam.serviceAccountTokenCreator"},
	{"iam.serviceAccounts.actAs", "", "roles/iam.serviceAccountUser"},
	{"serviceusage.services.use", "", "roles/serviceusage.serviceUsageConsumer"},
}

func roleFor(permission string) string {
	for _, r := range roles {
		if strings.HasPrefix(permission, r.prefix) && strings.HasSuffix(permission, r.suffix) {
			return r.role
		}
	}
	return ""
}

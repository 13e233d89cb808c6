// Package auth gets credentials for the training-cluster service, and says what to do when they are missing or do
// not suffice.
//
// The packages cluster and slurm use it for every client, so most programs need it only to choose other credentials
// than the default ones, or to read the hint in an error. All real work is done by Google's libraries; what this
// package adds is described below.
//
// # Default credentials
//
// Without any option a client uses Google's application default credentials, the first of
//
//   - the file that GOOGLE_APPLICATION_CREDENTIALS names: a service-account key or a configuration of workload
//     identity federation;
//   - what "gcloud auth application-default login" left in the home directory;
//   - the service account of the virtual machine, from its metadata server.
//
// User credentials need a project for quota besides: run "gcloud auth application-default set-quota-project
// PROJECT", or give [WithQuotaProject].
//
// # Other credentials
//
// Every constructor of a client takes the options of google.golang.org/api/option. The functions here that start with
// With make the common ones of them, so that a notebook, which cannot import that package, needs this one alone:
//
//	auth.WithGcloud()                     // what "gcloud auth login" logged in, renewed
//	auth.WithToken(token)                 // one token, for an hour at most
//	auth.WithServiceAccount("robot@p.iam.gserviceaccount.com")
//	auth.WithCredentialsFile("key.json")
//
// They hold a [golang.org/x/oauth2.TokenSource] of [GcloudToken], [StaticToken] or [Impersonate], each of which can
// be used by itself. An example of all together, impersonation by whom gcloud has logged in:
//
//	auth.WithServiceAccount("robot@p.iam.gserviceaccount.com",
//		auth.ImpersonateBase(auth.WithGcloud(auth.GcloudAccount("me@example.com"))))
//
// [HTTPClient] makes an HTTP client from options, for calls that no package here has.
//
// # Long waits
//
// An access token lives for an hour, a wait for a job for days. All credentials but [WithToken] are renewed before
// they expire, in the background where Google's library does it; a wait goes on across as many tokens as it takes.
// The login behind them can still end: organizations can ask users to log in again after some hours, which no
// program can do. What runs unattended had better be a service account.
//
// # Errors
//
// Whatever is wrong with credentials is an [*Error], also inside the errors of the packages cluster and slurm:
//
//	var authError *auth.Error
//	if errors.As(err, &authError) {
//		fmt.Println(authError.Hint)
//	}
//
// The hint names the command to run, the file to look at, or the permission that is missing and the smallest role
// that grants it. Mind that Google's services answer 403 for much that does not exist. The wording of texts and hints
// may change in any release. [Explain] does the same for errors of other clients; [Error.Permanent] tells
// whether trying again can help.
//
// # Secrets
//
// No token, key or refresh token gets into an error's text, a log or a printed value. Google's library does log its
// token requests and answers whole, at level debug, if option.WithLogger or GOOGLE_SDK_GO_LOGGING_LEVEL asks for it;
// clients of [HTTPClient] log them without secrets. With GOOGLE_SDK_GO_EXPERIMENTAL_LOGGING it logs calls that failed, too;
// what the service says of them may quote the request, and is left out.
//
// # Testing
//
// A test server needs no credentials: give [WithEndpoint] and [WithoutAuthentication], or an HTTP client by
// [WithHTTPClient].
package auth

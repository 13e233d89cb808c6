package auth

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/googleapis/gax-go/v2/apierror"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/rpcstatus"
)

// Explain adds to err what to do about it, if it is about credentials: none were found, the token endpoint refused
// them, gcloud is missing or failed, or the service answered 401 or 403 (as a *googleapi.Error or an
// *apierror.APIError, with or without google.rpc.ErrorInfo). The result then is an [*Error] that wraps err.
// Any other error, nil, and one that holds an *Error already come back as they are.
//
// permission is the IAM permission that the failed call needs, such as "aiplatform.modelDevelopmentClusters.get",
// or empty if that is unknown. What the service itself names as missing is preferred.
func Explain(err error, permission string) error {
	var already *Error
	if err == nil || errors.As(err, &already) {
		return err
	}
	if failure, ok := readFailure(err); ok {
		return &Error{Hint: failure.hint(permission), Err: err}
	}
	if aboutCredentials(err) {
		return &Error{Hint: credentialHint(err), Err: err}
	}
	return err
}

// explained makes an *Error of err, which is known to be about credentials, unless it holds one.
func explained(err error, hint func(error) string) error {
	var already *Error
	if errors.As(err, &already) {
		return err
	}
	return &Error{Hint: hint(err), Err: err}
}

// aboutCredentials recognizes the errors of Google's libraries. Only one of them has a type that says so.
func aboutCredentials(err error) bool {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return true
	}
	text := err.Error()
	for _, mark := range []string{"could not find default credentials", "cannot fetch token", `auth: "`, `oauth2: "`} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// credentialHint gives the hint for a failure to find credentials or to get a token.
func credentialHint(err error) string {
	var file *fs.PathError
	switch {
	case errors.As(err, &file) && errors.Is(err, fs.ErrNotExist):
		return hintNoFile
	case errors.As(err, &file):
		return hintUnreadableFile
	}
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &shape) {
		return hintNotJSON
	}
	if hint := lookUp(tokenHints, err); hint != "" {
		return hint
	}
	var network net.Error
	switch {
	case errors.As(err, &network):
		return hintUnreachable
	case passing(err):
		return hintOutOfOrder
	}
	return hintUnknown
}

// gcloudHint gives the hint for a failure of the Google Cloud CLI.
func gcloudHint(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return hintNotRunnable
	}
	if hint := lookUp(gcloudHints, err); hint != "" {
		return hint
	}
	return hintGcloud
}

// impersonationHint gives the hint for a failure to impersonate a service account.
func impersonationHint(err error) string {
	failure, ok := readFailure(err)
	if ok {
		return failure.hint("iam.serviceAccounts.getAccessToken")
	}
	var answer *googleapi.Error
	if errors.As(err, &answer) && !passing(err) {
		if hint := lookUp(impersonateHints, err); hint != "" {
			return hint
		}
		return hintImpersonate
	}
	return credentialHint(err)
}

// lookUp finds the first hint of which a mark occurs in the text of err.
func lookUp(hints []markedHint, err error) string {
	text := err.Error()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		text += refused.ErrorCode + " " + refused.ErrorDescription // which the wrapping error may leave out
	}
	text = strings.ToLower(text)
	for _, h := range hints {
		for _, mark := range h.marks {
			if strings.Contains(text, mark) {
				return h.hint
			}
		}
	}
	return ""
}

// failure is an answer 401 or 403.
type failure struct {
	status   int
	reason   string // of google.rpc.ErrorInfo, as is metadata
	message  string
	metadata map[string]string
}

// readFailure finds an answer 401 or 403 in err.
func readFailure(err error) (failure, bool) {
	var f failure
	var answer *googleapi.Error
	if errors.As(err, &answer) {
		f.status, f.message = answer.Code, answer.Message
		// The type keeps no reason, so the body is read again.
		if jsonx.Valid([]byte(answer.Body)) == nil {
			if s, err := rpcstatus.Parse(jsonx.Member([]byte(answer.Body), "error")); err == nil {
				f.reason, f.metadata = s.Reason, s.Metadata
			}
		}
	}
	var api *apierror.APIError
	if errors.As(err, &api) {
		f.message = api.Message()
		if f.reason == "" {
			f.reason, f.metadata = api.Reason(), api.Metadata()
		}
		if f.status == 0 {
			f.status = statusOf(api.GRPCStatus().Code())
		}
	}
	return f, f.status == http.StatusUnauthorized || f.status == http.StatusForbidden
}

func statusOf(code codes.Code) int {
	switch code {
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	}
	return 0
}

// hint gives the hint for f, with its names filled in.
func (f *failure) hint(permission string) string {
	permission = f.permission(permission)
	role := roleFor(permission)
	return strings.NewReplacer(
		"{permission}", permission,
		"{role}", role,
		"{service}", orElse(plainName(f.metadata["service"]), "aiplatform.googleapis.com"),
		"{project}", orElse(f.project(), "PROJECT"),
	).Replace(f.template(permission, role))
}

func (f *failure) template(permission, role string) string {
	text := strings.ToLower(f.message + " " + f.metadata["consumer"])
	for _, h := range answerHints {
		if h.status != f.status {
			continue
		}
		if h.reason != "" && h.reason == f.reason {
			return h.hint
		}
		for _, mark := range h.marks {
			if strings.Contains(text, mark) {
				return h.hint
			}
		}
	}
	switch {
	case f.status == http.StatusUnauthorized:
		return hintRejected
	case strings.HasPrefix(permission, "iam.serviceAccounts."):
		return hintServiceAccountRole
	case role != "":
		return hintRole
	case permission != "":
		return hintPermission
	}
	return hintForbidden
}

// deniedForm is how the service words a missing permission.
var deniedForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[Pp]ermission '([A-Za-z][\w./]*)' denied`) })

// permission gives the permission that the answer names, else the one that the call needs, in the form in which IAM
// lists it: the documentation also writes "aiplatform.googleapis.com/modelDevelopmentClusters.run".
func (f *failure) permission(needed string) string {
	named := plainName(f.metadata["permission"])
	if named == "" {
		if m := deniedForm().FindStringSubmatch(f.message); m != nil {
			named = plainName(m[1])
		}
	}
	return strings.Replace(orElse(named, plainName(needed)), ".googleapis.com/", ".", 1)
}

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][\w./:-]{0,149}$`) })

// plainName is text if that can be the name of something, and else empty. A hint is run in a terminal, and an answer, which
// others than the service may have written, is not to put a command or a credential into it.
func plainName(text string) string {
	if !nameForm().MatchString(text) || scrub(text) != text {
		return ""
	}
	return text
}

var projectForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`projects/([\w:.-]+)`) })

// project gives the project that the answer is about.
func (f *failure) project() string {
	for _, text := range []string{f.metadata["consumer"], f.metadata["resource"], f.message} {
		if m := projectForm().FindStringSubmatch(text); m != nil && plainName(m[1]) != "" {
			return m[1]
		}
	}
	return ""
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

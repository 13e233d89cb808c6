package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"github.com/googleapis/gax-go/v2/apierror"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// maxText bounds the text of a cause, in bytes; token endpoints and proxies sometimes answer with whole pages.
const maxText = 600

// Error says that credentials are missing, were rejected, or do not suffice, and what to do about it. It comes
// from this package's functions, from the calls of a client of [HTTPClient] (inside the *url.Error that net/http
// adds, so find it with errors.As), and from [Explain].
//
// Neither its text nor its fields hold a token. What Err unwraps to was written by others: print the Error.
type Error struct {
	// Hint is what to run, to grant or to check, as a phrase without a full stop. It is meant to be shown to the
	// user, and may change in any release.
	Hint string

	// Err is the failure that the hint is about. It is never nil in an Error that this package returns.
	Err error
}

// Error gives the cause and the hint in one line, without any token.
func (e *Error) Error() string {
	var parts []string
	if e.Err != nil {
		text := foreign.Clause(scrub(causeText(e.Err)), maxText)
		parts = append(parts, strings.TrimPrefix(text, "auth: "))
	}
	if e.Hint != "" {
		parts = append(parts, e.Hint)
	}
	return foreign.Printable("auth: " + strings.Join(parts, "; "))
}

// Unwrap gives Err.
func (e *Error) Unwrap() error { return e.Err }

// Permanent reports whether trying the same again is pointless until somebody acts on the hint. It is false if the
// network, the token endpoint or gcloud failed in a way that may pass.
func (e *Error) Permanent() bool { return !passing(e.Err) }

// passing reports whether err may go away by itself. Certificates are not told apart from other troubles of the
// network: whoever retries knows the x509 errors.
func passing(err error) bool {
	var file *fs.PathError // holds a syscall.Errno, which counts as a network error by its methods
	if errors.As(err, &file) {
		return false
	}
	var network net.Error // *url.Error and the deadline of a context are of this kind too
	if errors.As(err, &network) {
		return true
	}
	var says interface{ Temporary() bool } // the errors of cloud.google.com/go/auth do
	if errors.As(err, &says) {
		return says.Temporary()
	}
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response != nil {
		return passingStatus(refused.Response.StatusCode)
	}
	var answer *googleapi.Error
	return errors.As(err, &answer) && passingStatus(answer.Code)
}

func passingStatus(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// causeText is err's text, without the dump of details that the API errors print.
func causeText(err error) string {
	switch e := err.(type) {
	case *apierror.APIError:
		if e.HTTPCode() > 0 {
			return fmt.Sprintf("HTTP %d: %s", e.HTTPCode(), e.Message())
		}
		return e.Message()
	case *googleapi.Error:
		return fmt.Sprintf("HTTP %d: %s", e.Code, orElse(e.Message, e.Body))
	}
	return err.Error()
}

package auth

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

var (
	// accountForm is what may be handed to gcloud: an email address, or a principal of workforce federation. A
	// leading dash would be an option, a comma a second account, and on Windows gcloud is a batch file, for which
	// quotes and percent signs are code.
	accountForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9@._+:/=~'-]*$`) })

	// serviceAccountForm covers user-made accounts (name@project.iam.gserviceaccount.com, with a prefix to "iam" in
	// other universes), those that Google makes, and the numeric ID that IAM takes in place of an address.
	serviceAccountForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[a-z0-9][a-z0-9.-]*@[a-z0-9.-]+\.gserviceaccount\.com|[0-9]{15,30})$`)
	})
)

// checkAccount refuses what cannot be an account of gcloud.
func checkAccount(account string) error {
	if accountForm().MatchString(account) && len(account) <= 512 {
		return nil
	}
	return &Error{
		Err:  fmt.Errorf("%q is no account name", foreign.Line(account, 80)),
		Hint: `give the address that "gcloud auth list" shows`,
	}
}

// checkServiceAccount refuses what cannot be the address of a service account.
func checkServiceAccount(account string) error {
	if isServiceAccount(account) {
		return nil
	}
	hint := `give its address, as in "gcloud iam service-accounts list": NAME@PROJECT.iam.gserviceaccount.com`
	if bare := account[strings.LastIndexAny(account, ":/")+1:]; bare != account && isServiceAccount(bare) {
		hint = fmt.Sprintf("leave out what precedes the address: %q", bare)
	}
	return &Error{Err: fmt.Errorf("%q is no service account", foreign.Line(account, 80)), Hint: hint}
}

func isServiceAccount(account string) bool {
	return serviceAccountForm().MatchString(account) && len(account) <= 256
}

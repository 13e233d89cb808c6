package auth_test

import (
	"errors"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

func TestStaticToken(t *testing.T) {
	for _, test := range []struct{ given, want, wantErr string }{
		{"abc", "abc", ""},
		{"abc\n", "abc", ""},
		{" abc\r\n", "abc", ""},
		{"", "", `auth: the access token is empty; pass the output of "gcloud auth print-access-token"; ` +
			`if that prints nothing, run "gcloud auth login"`},
		{" \n", "", `auth: the access token is empty; pass the output of "gcloud auth print-access-token"; ` +
			`if that prints nothing, run "gcloud auth login"`},
		{"WARNING: x\n" + secret, "", `auth: the access token holds space, which none does (25 bytes in all); ` +
			`pass the output of "gcloud auth print-access-token" alone, without its messages`},
	} {
		token, err := auth.StaticToken(test.given).Token()
		if test.wantErr != "" {
			var authError *auth.Error
			if !errors.As(err, &authError) || err.Error() != test.wantErr || token != nil {
				t.Errorf("%q: %v", test.given, err)
			}
			continue
		}
		if err != nil || token.AccessToken != test.want || token.Type() != "Bearer" || !token.Expiry.IsZero() {
			t.Errorf("%q: %+v, %v", test.given, token, err)
		}
	}
}

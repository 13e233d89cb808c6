package auth

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/oauth2"
)

// StaticToken gives always the same access token, such as the output of "gcloud auth print-access-token". Space
// around it, as the shell leaves it, is dropped; an empty token, or one with space inside, is refused with an
// [*Error] when it is asked for.
//
// Such a token lives for an hour at most and is not renewed: the service then answers 401. For anything longer use
// the default credentials or [GcloudToken].
//
// The source does no I/O, is safe for concurrent use, and does not show the token when it is printed.
func StaticToken(token string) oauth2.TokenSource {
	token = strings.TrimSpace(token)
	return &opaque{name: "auth.StaticToken(" + hidden + ")", token: func() (*oauth2.Token, error) {
		if err := checkToken(token); err != nil {
			return nil, err
		}
		// Without an expiry: nobody told when it ends.
		return &oauth2.Token{AccessToken: token, TokenType: "Bearer"}, nil
	}}
}

func checkToken(token string) error {
	if token == "" {
		return &Error{
			Err:  errors.New("the access token is empty"),
			Hint: `pass the output of "gcloud auth print-access-token"; if that prints nothing, run "gcloud auth login"`,
		}
	}
	if strings.ContainsAny(token, " \t\r\n\v\f") {
		return &Error{
			Err:  fmt.Errorf("the access token holds space, which none does (%d bytes in all)", len(token)),
			Hint: `pass the output of "gcloud auth print-access-token" alone, without its messages`,
		}
	}
	return nil
}

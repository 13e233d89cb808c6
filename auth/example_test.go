package auth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"google.golang.org/api/googleapi"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// exampleServer is a service that answers with the token it was sent.
func exampleServer() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ":generateAccessToken") {
			fmt.Fprint(w, `{"accessToken": "token-of-robot", "expireTime": "2100-01-01T00:00:00Z"}`)
			return
		}
		fmt.Fprint(w, r.Header.Get("Authorization"))
	}))
}

func Example() {
	server := exampleServer()
	defer server.Close()

	client, endpoint, err := auth.HTTPClient(context.Background(),
		auth.WithToken("my-token"), auth.WithEndpoint(server.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Get(endpoint + "/v1beta1/projects/p/locations/us-central1/modelDevelopmentClusters")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Printf("the service saw %q\n", body)
	// Output: the service saw "Bearer my-token"
}

// A client for a call that no package here has, with the credentials of the others.
func ExampleHTTPClient() {
	server := exampleServer()
	defer server.Close()

	_, endpoint, err := auth.HTTPClient(context.Background(), auth.WithoutAuthentication(), auth.WithEndpoint(server.URL))
	fmt.Println(endpoint == server.URL, err)

	_, _, err = auth.HTTPClient(context.Background(), auth.WithCredentialsFile("missing.json"))
	var missing *auth.Error
	fmt.Println(errors.As(err, &missing))
	// Output:
	// true <nil>
	// true
}

func ExampleImpersonate() {
	server := exampleServer() // the IAM Credentials API, in real life
	defer server.Close()

	source, err := auth.Impersonate(context.Background(), "robot@p.iam.gserviceaccount.com",
		auth.ImpersonateBase(auth.WithToken("my-token"), auth.WithEndpoint(server.URL)))
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := source.Token()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(token.AccessToken)
	fmt.Println(source)
	// Output:
	// token-of-robot
	// auth.Impersonate("robot@p.iam.gserviceaccount.com")
}

func ExampleStaticToken() {
	source := auth.StaticToken("my-token\n")
	token, err := source.Token()
	fmt.Println(token.AccessToken, err)
	fmt.Println(source)

	_, err = auth.StaticToken("").Token()
	fmt.Println(err)
	// Output:
	// my-token <nil>
	// auth.StaticToken([hidden])
	// auth: the access token is empty; pass the output of "gcloud auth print-access-token"; if that prints nothing, run "gcloud auth login"
}

func ExampleGcloudToken() {
	source := auth.GcloudToken(auth.GcloudAccount("--help"))
	_, err := source.Token()
	fmt.Println(err)
	// Output: auth: "--help" is no account name; give the address that "gcloud auth list" shows
}

func ExampleExplain() {
	// What a client of Google's returned for a call that needs the permission to get a cluster.
	var err error = &googleapi.Error{Code: http.StatusForbidden, Message: "The caller does not have permission"}

	err = auth.Explain(err, "aiplatform.modelDevelopmentClusters.get")
	var authError *auth.Error
	if errors.As(err, &authError) {
		hint, _, _ := strings.Cut(authError.Hint, " (")
		fmt.Println(hint)
	}
	// Output: the caller needs aiplatform.modelDevelopmentClusters.get, which roles/aiplatform.viewer grants
}

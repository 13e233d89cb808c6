package demo

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// robot is a service account.
const robot = "robot@" + embeddedProject + ".iam.gserviceaccount.com"

// EachCredential calls read with each kind of credentials that can be had without an account, and options that lead to
// embedded servers: one with the cluster of the place, which prints the tokens that it is sent, and one that stands for
// those of Google that give tokens.
func (p *Place) EachCredential(ctx context.Context, out io.Writer, read func(opts ...option.ClientOption) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv, err := SampleOf(p.Name(), GuideCluster, clustertest.WithTokenCheck(func(token string) bool {
		fmt.Fprintf(out, "  the service sees the token %q\n", token)
		return strings.HasPrefix(token, "token-of-")
	}))
	if err != nil {
		return err
	}
	service, err := Listen(ctx, srv)
	if err != nil {
		return err
	}
	google, err := Listen(ctx, http.HandlerFunc(giveToken))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "credentials-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	key := filepath.Join(dir, "key.json")
	if err := writeKey(key, google); err != nil {
		return err
	}
	mine := auth.WithToken("token-of-me")
	for _, kind := range []struct {
		name string
		opt  option.ClientOption
	}{
		{"a token", mine},
		{"the key of a service account", auth.WithCredentialsFile(key)},
		{"impersonation of a service account", auth.WithServiceAccount(robot, auth.ImpersonateBase(mine, auth.WithEndpoint(google)))},
		{"a token that is refused", auth.WithToken("nonsense")},
	} {
		fmt.Fprintf(out, "With %s:\n", kind.name)
		if err := read(kind.opt, auth.WithEndpoint(service)); err != nil {
			fmt.Fprintf(out, "  that fails: %v\n", err)
		}
	}
	return nil
}

// giveToken answers as the IAM Credentials API to impersonation, and as the OAuth server to whoever has a key.
func giveToken(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, ":generateAccessToken") {
		fmt.Fprintf(w, `{"accessToken": "token-of-robot, given to %s", "expireTime": %q}`,
			strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		return
	}
	fmt.Fprint(w, `{"access_token": "token-of-robot, given for its key", "token_type": "Bearer", "expires_in": 3600}`)
}

// writeKey writes a key as "gcloud iam service-accounts keys create" does, for the token server at url.
func writeKey(path, url string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": embeddedProject, "client_email": robot, "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": url + "/token",
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

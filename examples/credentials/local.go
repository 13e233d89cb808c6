package main

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
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

const robot = "robot@my-project.iam.gserviceaccount.com"

// local shows each kind of credentials on servers of this process: a cluster, which prints the token that it is sent, and
// what stands for Google's token servers.
func local(ctx context.Context, out io.Writer, place *demo.Place) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tokens, err := demo.Listen(ctx, http.HandlerFunc(giveToken))
	if err != nil {
		return err
	}
	srv, err := demo.SampleOf(place.Cluster, demo.GuideCluster, clustertest.WithTokenCheck(func(token string) bool {
		fmt.Fprintf(out, "  the service sees the token %q\n", token)
		return strings.HasPrefix(token, "token-of-")
	}))
	if err != nil {
		return err
	}
	service, err := demo.Listen(ctx, srv)
	if err != nil {
		return err
	}
	key, err := keyFile(tokens)
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(key))
	caller := auth.ImpersonateBase(auth.WithToken("token-of-me"), auth.WithEndpoint(tokens))
	for _, kind := range []struct {
		name string
		opt  option.ClientOption
	}{
		{"a token", auth.WithToken("token-of-me")},
		{"the key of a service account", choose(key, false, "")[0]},
		{"impersonation of a service account", auth.WithServiceAccount(robot, caller)},
		{"a token that is refused", auth.WithToken("nonsense")},
	} {
		fmt.Fprintf(out, "With %s:\n", kind.name)
		if err := read(ctx, out, place, kind.opt, auth.WithEndpoint(service)); err != nil {
			fmt.Fprintf(out, "  that fails: %v\n", err)
		}
	}
	fmt.Fprintln(out, "With -gcloud, the token of \"gcloud auth print-access-token\"; with -project alone, application default credentials.")
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

// keyFile writes a key as "gcloud iam service-accounts keys create" does, for the token server at url.
func keyFile(url string) (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "my-project", "client_email": robot, "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": url + "/token",
	})
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "credentials-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "key.json")
	return path, os.WriteFile(path, text, 0o600)
}

package auth_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
)

// A notebook cannot import google.golang.org/api/option, so these have to do what the options of that package do.
func TestOwnConstructors(t *testing.T) {
	s := newTokenServer(t)
	throughDefault(t, s)
	brought := &http.Client{Transport: roundTrip(http.DefaultTransport.RoundTrip)}
	client, endpoint, err := auth.HTTPClient(t.Context(), auth.WithHTTPClient(brought), auth.WithEndpoint("https://x"))
	if err != nil || endpoint != "https://x" {
		t.Fatal(endpoint, err)
	}
	if err := call(t, s, client); err != nil || s.requests[0].Header.Get("Authorization") != "" {
		t.Errorf("the client that was brought authenticates: %v", err)
	}

	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	key := option.WithAuthCredentialsJSON(option.ServiceAccount, s.serviceAccountKey())
	get(t, s, key, auth.WithLogger(logger))
	if !strings.Contains(log.String(), "2LO token request") {
		t.Errorf("the logger saw %q", log.String())
	}
	quiet(t, log.String())
}

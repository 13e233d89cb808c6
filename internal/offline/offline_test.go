package offline_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/internal/offline"
)

// TestNothingLeaves: whatever a test sends through, by name as by number. 192.0.2.1 is nobody's, see RFC 5737, so that a guard
// that does not work is seen to be silent, and tells nobody.
func TestNothingLeaves(t *testing.T) {
	google, _, err := auth.HTTPClient(t.Context(), auth.WithToken("t"))
	if err != nil {
		t.Fatal(err)
	}
	get := func(client *http.Client) func(string) error {
		return func(host string) error {
			resp, err := client.Get("http://" + host + "/")
			if err == nil {
				resp.Body.Close()
			}
			return err
		}
	}
	own := &http.Client{Transport: new(http.Transport)} // with a dialer of its own
	for name, tt := range map[string]struct {
		call    func(host string) error
		numbers bool // numbers are refused, too
	}{
		"the default":       {get(http.DefaultClient), true},
		"a copy of it":      {get(&http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}), true},
		"Google's":          {get(google), true},
		"one's own":         {get(own), false},
		"without transport": {func(host string) error { _, err := net.DialTimeout("tcp", host, time.Second); return err }, false},
	} {
		for _, host := range []string{"192.0.2.1:80", "[2001:db8::1]:80", "training.example:80", "aiplatform.googleapis.com:443", "metadata.google.internal:80"} {
			named := !strings.ContainsAny(host[:2], "1[")
			if !named && !tt.numbers {
				continue
			}
			err := tt.call(host)
			if err == nil || !errors.Is(err, offline.ErrElsewhere) && !strings.Contains(err.Error(), offline.ErrElsewhere.Error()) {
				t.Errorf("%s, %s: %v", name, host, err)
			}
		}
	}
}

// TestThisMachineIsReached by everything but a proxy.
func TestThisMachineIsReached(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "here") }))
	defer server.Close()
	for _, address := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)} {
		resp, err := http.Get(address)
		if err != nil {
			t.Error(err)
			continue
		}
		if body, err := io.ReadAll(resp.Body); string(body) != "here" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		resp.Body.Close()
	}
	if proxy, err := http.ProxyFromEnvironment(httptest.NewRequest("GET", "https://training.example/", nil)); proxy != nil || err != nil {
		t.Errorf("by the proxy %v, %v", proxy, err)
	}
	if os.Getenv("GCE_METADATA_HOST") == "" {
		t.Error("a metadata server may be looked for")
	}
}

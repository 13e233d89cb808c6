package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/trainingclusters/trainingclusters-go/internal/offline" // no test leaves this machine
)

// secret is in every token, key and refresh token of these tests; no error text and no log line may hold it.
const secret = "PLANTED-s3cret"

// TestMain shuts off everything by which credentials of this machine could get into a test.
func TestMain(m *testing.M) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "GOOGLE_") || strings.HasPrefix(name, "CLOUDSDK_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "auth")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", home)
	os.Setenv("APPDATA", home)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// tokenServer gives out tokens named after the grant, and plays the API that takes them.
type tokenServer struct {
	*httptest.Server

	mu       sync.Mutex
	requests []*http.Request // to the API, without bodies
	forms    []url.Values    // to /token
	refusal  string          // the body of a 400 from /token, if set
	status   int             // instead of 400
}

func newTokenServer(t testing.TB) *tokenServer {
	s := new(tokenServer)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("GET /api", s.api)
	mux.HandleFunc("GET /computeMetadata/v1/instance/service-accounts/default/token", s.metadata)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *tokenServer) token(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forms = append(s.forms, r.PostForm)
	w.Header().Set("Content-Type", "application/json")
	if s.refusal != "" {
		w.WriteHeader(max(s.status, 400))
		fmt.Fprint(w, s.refusal)
		return
	}
	grant := r.PostForm.Get("grant_type")
	grant = grant[strings.LastIndex(grant, ":")+1:]
	fmt.Fprintf(w, `{"access_token": "%s-%s", "token_type": "Bearer", "expires_in": 3600}`, secret, grant)
}

func (s *tokenServer) metadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Metadata-Flavor", "Google")
	fmt.Fprintf(w, `{"access_token": "%s-metadata", "token_type": "Bearer", "expires_in": 3600}`, secret)
}

func (s *tokenServer) api(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	fmt.Fprint(w, "{}")
}

// last gives the newest request to the API.
func (s *tokenServer) last(t testing.TB) *http.Request {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		t.Fatal("the API got no request")
	}
	return s.requests[len(s.requests)-1]
}

// bearer gives the token of the newest request to the API, without the secret.
func (s *tokenServer) bearer(t testing.TB) string {
	t.Helper()
	token, ok := strings.CutPrefix(s.last(t).Header.Get("Authorization"), "Bearer "+secret+"-")
	if !ok {
		t.Fatalf("the API got the Authorization %q", s.last(t).Header.Get("Authorization"))
	}
	return token
}

// privateKey is made once; it takes a while.
var privateKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
})

// serviceAccountKey gives a key file whose tokens come from s. more adds members.
func (s *tokenServer) serviceAccountKey(more ...string) []byte {
	key := map[string]string{
		"type":         "service_account",
		"project_id":   "p",
		"client_email": "robot@p.iam.gserviceaccount.com",
		"private_key":  privateKey(),
		"token_uri":    s.URL + "/token",
	}
	for i := 0; i < len(more); i += 2 {
		key[more[i]] = more[i+1]
	}
	data, _ := json.Marshal(key)
	return data
}

const authorizedUser = `{"type": "authorized_user", "client_id": "cli", "client_secret": "` + secret + `",
	"refresh_token": "1//` + secret + `", "quota_project_id": "quota-from-file"}`

// file writes data to a file of its own.
func file(t testing.TB, data []byte) string {
	path := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// quiet fails the test if text gives a secret away.
func quiet(t testing.TB, text string) {
	t.Helper()
	if strings.Contains(text, secret) {
		t.Errorf("a secret is in %q", text)
	}
}

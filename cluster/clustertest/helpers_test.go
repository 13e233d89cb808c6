package clustertest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

const (
	host   = "https://us-central1-aiplatform.googleapis.com"
	parent = host + "/v1beta1/projects/my-project/locations/us-central1"
	all    = parent + "/modelDevelopmentClusters"
	one    = all + "/training"
)

// reply is an answer read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// send makes one request in memory and fails the test if there is no answer.
func send(t *testing.T, s *clustertest.Server, method, url, body string) reply {
	t.Helper()
	r, err := try(t, s.HTTPClient(), method, url, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return r
}

func try(t *testing.T, c *http.Client, method, url, body string) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(text)}, err
}

// ok requires a 200 and returns the answer's members.
func (r reply) ok(t *testing.T) map[string]any {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d, want 200:\n%s", r.status, r.body)
	}
	return r.json(t)
}

func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(r.body), &out); err != nil {
		t.Fatalf("answer is no JSON object: %v\n%s", err, r.body)
	}
	return out
}

// fails requires an error with this HTTP status and code, whose message contains text.
func (r reply) fails(t *testing.T, status int, code, text string) {
	t.Helper()
	e, _ := r.json(t)["error"].(map[string]any)
	message, _ := e["message"].(string)
	if r.status != status || e["status"] != code || e["code"] != float64(status) {
		t.Errorf("got HTTP %d, %v %v, want %d %s:\n%s", r.status, e["code"], e["status"], status, code, r.body)
	}
	if !strings.Contains(message, text) {
		t.Errorf("message %q does not contain %q", message, text)
	}
}

// at walks into decoded JSON: strings are member names, ints are indexes.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

func payload(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// compact makes JSON texts comparable, order of members included.
func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// edit returns the JSON text with a change made to it.
func edit(t *testing.T, text string, change func(doc map[string]any)) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	change(doc)
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// seeded returns a server with the cluster "training".
func seeded(t *testing.T, doc string, opts ...clustertest.Option) *clustertest.Server {
	t.Helper()
	s := clustertest.NewServer(opts...)
	var raw []byte
	if doc != "" {
		raw = []byte(doc)
	}
	if err := s.AddCluster("training", raw); err != nil {
		t.Fatal(err)
	}
	return s
}

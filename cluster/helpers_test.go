package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

const parent = "projects/my-project/locations/us-central1"

// named is the least that passes for a cluster.
const named = `{"name":"` + parent + `/modelDevelopmentClusters/c"}`

// wire is a scripted transport: it keeps every request and gives each the next of its answers, the last one for
// ever. Most tests use clustertest instead; this one is for what only bytes can show.
type wire struct {
	requests []sent
	answers  []reply
}

type sent struct {
	method, url string
	header      http.Header
	body        string
}

type reply struct {
	status int
	body   string
	header http.Header
	err    error
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	s := sent{method: req.Method, url: req.URL.String(), header: req.Header}
	if req.Body != nil {
		b, _ := io.ReadAll(req.Body)
		s.body = string(b)
	}
	w.requests = append(w.requests, s)
	a := w.answers[min(len(w.requests), len(w.answers))-1]
	if a.err != nil {
		return nil, a.err
	}
	if a.header == nil {
		a.header = http.Header{"Content-Type": {"application/json"}}
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

// scripted makes a client whose calls get the answers in turn.
func scripted(t *testing.T, answers ...reply) (*cluster.Client, *wire) {
	t.Helper()
	w := &wire{answers: answers}
	c, err := cluster.NewClient(context.Background(), parent, option.WithHTTPClient(&http.Client{Transport: w}))
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

func payload(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "payloads", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func payloadNames(t testing.TB, prefix string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", prefix+"*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads %s*: %v", prefix, err)
	}
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}

func parse(t *testing.T, data []byte) *cluster.ModelDevelopmentCluster {
	t.Helper()
	m, err := cluster.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// canonical is JSON with sorted members and without spacing. With camel set, the names of messages, though not the
// keys of maps, are put into camelCase, as the SDK sends them where people write snake_case.
func canonical(t *testing.T, data []byte, camel bool) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if camel {
		v = rename(v, toCamel)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// rename applies f to the names of members, but not to the keys below labels and config, which are data.
func rename(v any, f func(string) string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = rename(v[i], f)
		}
	case map[string]any:
		renamed := map[string]any{}
		for name, value := range v {
			if name != "labels" && name != "config" {
				value = rename(value, f)
			}
			renamed[f(name)] = value
		}
		return renamed
	}
	return v
}

func toCamel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

func toSnake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// getError is the error that GetCluster gives for an answer.
func getError(t *testing.T, answer reply) *cluster.Error {
	t.Helper()
	c, _ := scripted(t, answer)
	_, err := c.GetCluster(context.Background(), "training", gax.WithRetry(func() gax.Retryer { return never{} }))
	var e *cluster.Error
	if !errors.As(err, &e) {
		t.Fatalf("GetCluster: %v (%T); want a *cluster.Error", err, err)
	}
	return e
}

// never is a gax.Retryer that gives up at once.
type never struct{}

func (never) Retry(error) (time.Duration, bool) { return 0, false }

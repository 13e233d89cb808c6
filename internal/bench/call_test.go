package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// service reads what it is sent and gives always the same answer.
type service struct {
	*httptest.Server
	transports []*http.Transport // to it
}

func serve(b *testing.B, answer []byte) *service {
	b.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		_, _ = w.Write(answer)
	}))
	b.Cleanup(srv.Close)
	return &service{Server: srv}
}

// transport is a new one for each contender, with the same settings.
func (s *service) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	s.transports = append(s.transports, t)
	return t
}

// reconnect makes the next calls dial.
func (s *service) reconnect() {
	for _, t := range s.transports {
		t.CloseIdleConnections()
	}
}

// bare is what a user writes for the calls: one request of net/http, with encoding/json at both ends. It sends what ours
// sends, to the last header, and gives up when ours does.
type bare struct {
	ctx    context.Context
	http   *http.Client
	url    string
	header http.Header
}

// slurmCall is the service's form of a call of Slurm.
type slurmCall struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body,omitempty"`
}

func (c *bare) call(method, path string, body, answer any) error {
	data, err := json.Marshal(slurmCall{"HTTP_METHOD_" + method, path, body})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, cluster.DefaultTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %s: %s", resp.Status, data)
	}
	return json.Unmarshal(data, answer)
}

func bareClient(b *testing.B, srv *service, through http.RoundTripper) *bare {
	return &bare{b.Context(), &http.Client{Transport: through},
		srv.URL + "/v1beta1/" + parent + "/modelDevelopmentClusters/training:callSlurmRestApi", ourHeader(b)}
}

// ourHeader is that of our requests, but for what net/http adds.
func ourHeader(b *testing.B) http.Header {
	b.Helper()
	var header http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		_, _ = w.Write(structured([]byte(accepted)))
	}))
	defer srv.Close()
	if err := submitting(b, serviceClient(b, option.WithEndpoint(srv.URL), auth.WithoutAuthentication())).work(); err != nil {
		b.Fatal(err)
	}
	header.Del("Content-Length")
	header.Del("Accept-Encoding")
	return header
}

// calling is a contender that makes one call and checks the answer.
func calling[T any](c *bare, name, method, path string, body func() any, check func(*T) bool) contender {
	return contender{name, func() error {
		var answer T
		if err := c.call(method, path, body(), &answer); err != nil {
			return err
		}
		if !check(&answer) {
			return fmt.Errorf("%s got something else", name)
		}
		return nil
	}}
}

func submitting(b *testing.B, client *slurm.Client) contender {
	spec := ourSubmit()
	return contender{ours, func() error {
		id, err := client.Submit(b.Context(), spec)
		if err == nil && id != "4711" {
			err = errStatus
		}
		return err
	}}
}

const submitPath = "/slurm/v0.0.42/job/submit"

// BenchmarkSubmit submits a job over loopback HTTP.
func BenchmarkSubmit(b *testing.B) {
	srv := serve(b, structured([]byte(accepted)))
	alternate(b, srv.reconnect,
		submitting(b, serviceClient(b, option.WithEndpoint(srv.URL), option.WithHTTPClient(&http.Client{Transport: srv.transport()}))),
		calling(bareClient(b, srv, srv.transport()), "json", http.MethodPost, submitPath, typedSubmit,
			func(e *envelope[submitAnswer]) bool { return e.Body.JobID == 4711 }),
		calling(bareClient(b, srv, srv.transport()), plainMap, http.MethodPost, submitPath, mapSubmit,
			func(m *map[string]any) bool { return (*m)["structuredBody"].(map[string]any)["job_id"] == 4711.0 }),
		calling(bareClient(b, srv, srv.transport()), generated, http.MethodPost, submitPath, generatedSubmit,
			func(e *envelope[V0042OpenapiJobSubmitResponse]) bool { return *e.Body.JobId == 4711 }),
	)
}

// BenchmarkSubmitWithToken does the same with credentials, an access token that does not change: ours by way of the
// transport of all Google Cloud clients, the other by that of package oauth2.
func BenchmarkSubmitWithToken(b *testing.B) {
	srv := serve(b, structured([]byte(accepted)))
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "secret"})
	alternate(b, srv.reconnect,
		submitting(b, serviceClient(b, option.WithEndpoint(srv.URL), option.WithTokenSource(source))),
		calling(bareClient(b, srv, &oauth2.Transport{Source: source, Base: srv.transport()}), "json", http.MethodPost, submitPath,
			typedSubmit, func(e *envelope[submitAnswer]) bool { return e.Body.JobID == 4711 }),
	)
}

// BenchmarkGet asks for a job over loopback HTTP.
func BenchmarkGet(b *testing.B) {
	answer := answerOf(running(b))
	jobs, err := slurmClient(b, answer).List(b.Context(), nil)
	if err != nil || len(jobs) != 1 {
		b.Fatal(jobs, err)
	}
	id, nothing := jobs[0].ID, func() any { return nil }
	path := "/slurm/v0.0.42/job/" + string(id)
	srv := serve(b, structured(answer))
	client := serviceClient(b, option.WithEndpoint(srv.URL), option.WithHTTPClient(&http.Client{Transport: srv.transport()}))
	alternate(b, srv.reconnect,
		contender{ours, func() error {
			_, err := client.Get(b.Context(), id)
			return err
		}},
		calling(bareClient(b, srv, srv.transport()), "json", http.MethodGet, path, nothing,
			func(e *envelope[liveList]) bool { return len(e.Body.Jobs) == 1 }),
		calling(bareClient(b, srv, srv.transport()), plainMap, http.MethodGet, path, nothing,
			func(m *map[string]any) bool { return len((*m)["structuredBody"].(map[string]any)["jobs"].([]any)) == 1 }),
		calling(bareClient(b, srv, srv.transport()), generated, http.MethodGet, path, nothing,
			func(e *envelope[V0042OpenapiJobInfoResp]) bool { return len(e.Body.Jobs) == 1 }),
	)
}

package slurmproxy_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/slurmproxy"
)

// serve listens on a unix socket as slurmrestd does, and returns the proxy in front of it.
func serve(t *testing.T, h http.HandlerFunc) http.Handler {
	t.Helper()
	dir, err := os.MkdirTemp("", "rs") // t.TempDir is often too long for a socket's address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(h)
	srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	proxy, err := slurmproxy.New("unix:"+socket, "")
	if err != nil {
		t.Fatal(err)
	}
	return proxy
}

// seen is what of a request reaches slurmrestd.
type seen struct {
	Line    string
	Header  http.Header
	Length  int64
	Chunked bool
	Body    string
}

func record(got *seen) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*got = seen{r.Method + " " + r.RequestURI, r.Header, r.ContentLength, len(r.TransferEncoding) > 0, string(body)}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"job_id":7}`)
	}
}

func TestProxyRequest(t *testing.T) {
	bare := http.Header{"Accept": {"application/json"}, "Connection": {"close"}}
	withBody := func(length string) http.Header {
		h := bare.Clone()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", length)
		return h
	}
	claims := func(r *http.Request) {
		r.Header.Set("X-SLURM-USER-NAME", "root")
		r.Header.Set("X-SLURM-USER-TOKEN", "secret")
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Cookie", "a=b")
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		r.Header.Set("Accept-Encoding", "gzip")
	}
	tests := []struct {
		name string
		req  *http.Request
		edit func(*http.Request)
		want seen
	}{
		{
			name: "query and escapes stay as they were written",
			req:  httptest.NewRequest("GET", "/slurm/v0.0.42/job/12%5F3/?flags=DETAIL&a=%2C;b", nil),
			want: seen{Line: "GET /slurm/v0.0.42/job/12%5F3/?flags=DETAIL&a=%2C;b", Header: bare},
		},
		{
			name: "so do characters that slurmrestd refuses",
			req:  httptest.NewRequest("GET", "/slurm/v0.0.42/job/12_[3-4],5+1", nil),
			want: seen{Line: "GET /slurm/v0.0.42/job/12_[3-4],5+1", Header: bare},
		},
		{
			name: "no header passes that says who asks",
			req:  httptest.NewRequest("DELETE", "/slurm/v0.0.42/job/12", nil),
			edit: claims,
			want: seen{Line: "DELETE /slurm/v0.0.42/job/12", Header: bare},
		},
		{
			name: "the content type has no charset",
			req:  httptest.NewRequest("POST", "/slurm/v0.0.42/job/submit", strings.NewReader(`{"script":"x"}`)),
			edit: claims,
			want: seen{
				Line: "POST /slurm/v0.0.42/job/submit", Header: withBody("14"), Length: 14, Body: `{"script":"x"}`,
			},
		},
		{
			name: "a body of unknown length gets one",
			req:  httptest.NewRequest("POST", "/slurm/v0.0.42/job/7", io.MultiReader(strings.NewReader(`{}`))),
			edit: func(r *http.Request) { r.ContentLength = -1 },
			want: seen{Line: "POST /slurm/v0.0.42/job/7", Header: withBody("2"), Length: 2, Body: `{}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.edit != nil {
				tt.edit(tt.req)
			}
			var got seen
			proxy := serve(t, record(&got))
			proxy.ServeHTTP(httptest.NewRecorder(), tt.req)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("slurmrestd gets (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProxyAnswer(t *testing.T) {
	tests := []struct {
		name        string
		status      int
		contentType string
		body        string
	}{
		{"success", 200, "application/json", `{"jobs":[]}`},
		{"text of an unknown path", 404, "text/plain", "Unable find requested URL."},
		{"refusal", 500, "application/json", `{"errors":[{"error_number":2000}]}`},
		{"nothing new", 304, "", ""},
		{"no body", 411, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			proxy := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil // let net/http guess none
				if tt.contentType != "" {
					w.Header().Set("Content-Type", tt.contentType)
				}
				w.Header().Set("X-Other", "1")
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			got := httptest.NewRecorder()
			proxy.ServeHTTP(got, httptest.NewRequest("GET", "/slurm/v0.0.42/jobs/", nil))
			if got.Code != tt.status || got.Body.String() != tt.body {
				t.Errorf("answer %d %q, want %d %q", got.Code, got.Body, tt.status, tt.body)
			}
			want := http.Header{}
			if tt.contentType != "" {
				want.Set("Content-Type", tt.contentType)
			}
			if diff := cmp.Diff(want, got.Header()); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
		})
	}
}

// An answer that is not whole must not pass for one.
func TestProxyAborts(t *testing.T) {
	tests := []struct {
		name string
		h    http.HandlerFunc
	}{
		{"closed without an answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"cut in the middle", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"jobs":[`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var calls atomic.Int32
			proxy := serve(t, func(w http.ResponseWriter, r *http.Request) { calls.Add(1); tt.h(w, r) })
			got := httptest.NewRecorder()
			defer func() {
				if p := recover(); p != http.ErrAbortHandler || calls.Load() != 1 || got.Body.Len() > 0 {
					t.Errorf("panic %v after %d calls, body %q; want ErrAbortHandler after 1 and no body",
						p, calls.Load(), got.Body)
				}
			}()
			proxy.ServeHTTP(got, httptest.NewRequest("GET", "/slurm/v0.0.42/jobs/", nil))
		})
	}
}

// Behind the platform's test server a slurmrestd that is not there looks like a cluster that cannot be reached.
func TestProxyBehindPlatform(t *testing.T) {
	call := func(t *testing.T, h http.Handler) (*cluster.SlurmResponse, error) {
		t.Helper()
		srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(h))
		if err := srv.AddCluster("training", nil); err != nil {
			t.Fatal(err)
		}
		c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		return c.CallSlurm(t.Context(), "training", &cluster.SlurmRequest{
			Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: []byte(`{"script":"x"}`),
		})
	}
	t.Run("up", func(t *testing.T) {
		var got seen
		resp, err := call(t, serve(t, record(&got)))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Status != 200 || string(resp.Body) != `{"job_id":7}` || got.Body != `{"script":"x"}` {
			t.Errorf("answer %d %s to %s", resp.Status, resp.Body, got.Body)
		}
	})
	t.Run("gone", func(t *testing.T) {
		proxy, err := slurmproxy.New("unix:"+filepath.Join(t.TempDir(), "none.sock"), "")
		if err != nil {
			t.Fatal(err)
		}
		resp, err := call(t, proxy)
		if !errors.Is(err, cluster.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "could not be reached") {
			t.Errorf("answer %v, error %v; want an unavailable cluster", resp, err)
		}
	})
}

// TestTCP goes to an address and says who asks by a token.
func TestTCP(t *testing.T) {
	var got seen
	srv := httptest.NewServer(record(&got))
	t.Cleanup(srv.Close)
	proxy, err := slurmproxy.New(srv.URL+"/", "a-jwt")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	proxy.ServeHTTP(w, httptest.NewRequest("GET", "/slurm/v0.0.42/ping/", nil))
	if w.Body.String() != `{"job_id":7}` || got.Line != "GET /slurm/v0.0.42/ping/" || got.Header.Get("X-SLURM-USER-TOKEN") != "a-jwt" {
		t.Errorf("%s; slurmrestd saw %+v", w.Body, got)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, address := range []string{"", "/run/slurmrestd.sock", "unix:", "https://localhost:6820", "http:6820", "http://"} {
		if _, err := slurmproxy.New(address, ""); err == nil || !strings.Contains(err.Error(), "want unix:/PATH or http://HOST:PORT") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

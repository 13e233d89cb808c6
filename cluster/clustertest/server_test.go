package clustertest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// spy is a TB that keeps what it is told.
type spy struct{ errors []string }

func (s *spy) Helper() {}

func (s *spy) Errorf(format string, args ...any) {
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}

func TestForeignRequestsFailLoudly(t *testing.T) {
	const path = "/v1beta1/projects/my-project/locations/us-central1/modelDevelopmentClusters"
	tests := []struct{ why, method, url, body, message string }{
		{"another host", "GET", "https://example.com" + path, "", `unknown host "example.com"`},
		{"the global endpoint", "GET", "https://aiplatform.googleapis.com" + path, "", "unknown host"},
		{"another region's host", "GET", "https://us-east4-aiplatform.googleapis.com" + path, "", `does not serve location "us-central1"`},
		{"no TLS", "GET", "http://us-central1-aiplatform.googleapis.com" + path, "", "unencrypted"},
		{"clusters are in v1beta1 only", "GET", host + strings.Replace(path, "v1beta1", "v1", 1), "", `API version "v1" has no modelDevelopmentClusters`},
		{"an unknown version", "GET", host + strings.Replace(path, "v1beta1", "v2", 1), "", `API version "v2"`},
		{"another resource", "GET", host + "/v1beta1/projects/p/locations/us-central1/endpoints", "", "no such method"},
		{"PUT", "PUT", one, "{}", "no such method: PUT us-central1-aiplatform.googleapis.com" + path + "/training"},
		{"an unknown verb", "POST", one + ":restart", "{}", "no such method"},
		{"a verb on nothing", "POST", all + "/:callSlurmRestApi", "{}", "no such method"},
		{"a path that goes on", "GET", one + "/nodes", "", "no such resource"},
		{"the path in a doubled slash", "GET", host + "/" + path, "", "no such resource"},
		{"GET with a body", "GET", one, "{}", "a GET carries no body"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var tb spy
			s := seeded(t, "", clustertest.WithTB(&tb))
			send(t, s, tt.method, tt.url, tt.body).fails(t, 501, "UNIMPLEMENTED", tt.message)
			if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], tt.message) || !strings.HasPrefix(tb.errors[0], "clustertest: ") {
				t.Errorf("the test was told %q", tb.errors)
			}
		})
	}
}

func TestOrdinaryFailuresDoNotFailTheTest(t *testing.T) {
	s := clustertest.NewServer(clustertest.WithTB(t))
	send(t, s, "GET", one, "").fails(t, 404, "NOT_FOUND", "training")
	send(t, s, "POST", all+"?model_development_cluster_id=training", `{"x":1}`).fails(t, 400, "INVALID_ARGUMENT", "")
}

func TestProjects(t *testing.T) {
	s := seeded(t, "", clustertest.WithProject("acme", 42))
	for _, project := range []string{"acme", "42"} {
		got := send(t, s, "GET", strings.Replace(one, "my-project", project, 1), "").ok(t)
		if got["name"] != "projects/42/locations/us-central1/modelDevelopmentClusters/training" {
			t.Errorf("name %v", got["name"])
		}
	}
	r := send(t, s, "GET", one, "")
	r.fails(t, 403, "PERMISSION_DENIED", "my-project")
	if at(r.json(t), "error", "details", 0, "reason") != "CONSUMER_INVALID" {
		t.Errorf("details %s", r.body)
	}
}

func TestRegions(t *testing.T) {
	far := strings.ReplaceAll(one, "us-central1", "mars-north1")
	send(t, clustertest.NewServer(), "GET", far, "").fails(t, 400, "INVALID_ARGUMENT", `"mars-north1"`)
	s := seeded(t, "", clustertest.WithRegions("mars-north1"))
	send(t, s, "GET", far, "").ok(t)
	psc := seeded(t, "", clustertest.WithHost("training.p.googleapis.com"))
	send(t, psc, "GET", strings.Replace(one, "us-central1-aiplatform.googleapis.com", "training.p.googleapis.com", 1), "").ok(t)
}

func TestPermissionVerbatim(t *testing.T) {
	s := seeded(t, "", clustertest.WithSlurm(http.NotFoundHandler()))
	s.Deny("aiplatform.modelDevelopmentClusters.run", "aiplatform.modelDevelopmentClusters.list")
	r := send(t, s, "POST", callSlurm, payload(t, "slurm-get-job.json"))
	var got, want any = r.json(t), reply{body: payload(t, "response-error-permission-denied.json")}.json(t)
	if fmt.Sprint(got) != fmt.Sprint(want) || r.status != 403 {
		t.Errorf("HTTP %d\n%s", r.status, r.body)
	}
	send(t, s, "GET", all, "").fails(t, 403, "PERMISSION_DENIED", "//aiplatform.googleapis.com/projects/my-project/locations/us-central1'")
	send(t, s, "GET", one, "").ok(t)
	s.Allow("aiplatform.modelDevelopmentClusters.list")
	send(t, s, "GET", all, "").ok(t)
}

func TestTokens(t *testing.T) {
	s := seeded(t, "", clustertest.WithTokenCheck(func(token string) bool { return token == "good" }))
	send(t, s, "GET", one, "").fails(t, 401, "UNAUTHENTICATED", "invalid authentication credentials")
	req, err := http.NewRequestWithContext(t.Context(), "GET", one, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer good")
	resp, err := s.HTTPClient().Do(req)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	_ = resp.Body.Close()
}

func TestRequestsAreLogged(t *testing.T) {
	s := seeded(t, "")
	send(t, s, "PATCH", one+"?updateMask=labels&updateMode=USER_ONLY", `{"labels":{"a":"b"}}`).ok(t)
	send(t, s, "GET", "https://example.com/", "").fails(t, 501, "UNIMPLEMENTED", "")
	log := s.Requests()
	if len(log) != 2 {
		t.Fatalf("%d requests", len(log))
	}
	r := log[0]
	if r.Verb != clustertest.VerbUpdate || r.Method != "PATCH" || string(r.Body) != `{"labels":{"a":"b"}}` || r.Header.Get("Content-Type") != "application/json" ||
		r.URL != "/v1beta1/projects/my-project/locations/us-central1/modelDevelopmentClusters/training?updateMask=labels&updateMode=USER_ONLY" {
		t.Errorf("logged %+v", r)
	}
	if log[1].Verb != "" || log[1].String() != "GET example.com/" {
		t.Errorf("logged %+v", log[1])
	}
	s.ResetRequests()
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests after a reset", n)
	}
}

func TestOverASocket(t *testing.T) {
	s := seeded(t, "", clustertest.WithTB(t))
	web := httptest.NewServer(s)
	defer web.Close()
	r, err := try(t, web.Client(), "GET", strings.Replace(one, host, web.URL, 1), "")
	if err != nil || r.status != 200 || at(r.json(t), "clusterStatus", "state") != "RUNNING" {
		t.Errorf("%v\n%+v", err, r)
	}
}

func TestInMemoryHonorsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			ended = true
		})
		s := seeded(t, "", clustertest.WithSlurm(slow))
		client := s.HTTPClient()
		client.Timeout = time.Minute
		_, err := try(t, client, "POST", callSlurm, payload(t, "slurm-list-jobs.json"))
		if !errors.Is(err, context.DeadlineExceeded) || !ended {
			t.Errorf("error %v, Slurm ended %v", err, ended)
		}
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", one, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.HTTPClient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("reading on after the end of the context: %v", err)
		}
		if _, err := s.HTTPClient().Do(req); !errors.Is(err, context.Canceled) {
			t.Errorf("call with an ended context: %v", err)
		}
	})
}

func TestAddCluster(t *testing.T) {
	s := clustertest.NewServer()
	for _, file := range []string{"response-cluster-get.json", "response-cluster-get-error.json", "response-cluster-get-never-updated.json"} {
		if err := s.AddCluster("training", []byte(payload(t, file))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := s.AddCluster("ghost", []byte(payload(t, "response-cluster-get-error.json"))); err != nil {
		t.Fatal(err)
	}
	got := reply{status: 200, body: string(s.Cluster("ghost"))}.ok(t)
	if at(got, "clusterStatus", "state") != "ERROR" || at(got, "createTime") != "2026-10-01T09:00:00.123456Z" || at(got, "updateTime") != "2026-10-05T08:10:00.654321Z" {
		t.Errorf("seeded %v", got)
	}
	if s.Cluster("nobody") != nil {
		t.Error("a cluster that was never added")
	}
	for id, want := range map[string]string{"Bad": "must start with a lowercase letter", "good": `Unknown name "x"`} {
		if err := s.AddCluster(id, []byte(`{"x":1}`)); err == nil || !strings.HasPrefix(err.Error(), "clustertest: AddCluster "+id) ||
			(id == "good" && !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	s := seeded(t, "", clustertest.WithSlurm(&fixed{}), clustertest.WithOperationTime(0))
	s.Inject(clustertest.Fault{Nth: 10, Times: 10})
	requests := []struct{ method, path, body string }{
		{"POST", "?model_development_cluster_id=ID", payload(t, "cpu-only.json")},
		{"PATCH", "/ID?updateMask=labels", `{"labels":{"a":"b"}}`},
		{"POST", "/ID:callSlurmRestApi", payload(t, "slurm-list-jobs.json")},
		{"GET", "", ""},
		{"DELETE", "/ID", ""},
	}
	var wg sync.WaitGroup
	for i := range 16 {
		id := string(rune('a' + i))
		wg.Go(func() {
			for n := range 5 * len(requests) {
				r := requests[n%len(requests)]
				got, err := try(t, s.HTTPClient(), r.method, all+strings.Replace(r.path, "ID", id, 1), r.body)
				// The injected faults may cost a create, and then what follows misses its cluster.
				if err != nil || got.status != 200 && got.status != 503 && got.status != 404 && got.status != 409 {
					t.Errorf("%s %s: %v %d %s", r.method, r.path, err, got.status, got.body)
				}
				_, _, _ = s.Requests(), s.Cluster(id), s.RunningImages(id)
			}
		})
	}
	wg.Wait()
	if n := len(s.Requests()); n != 16*5*5 || s.PendingFaults() != 0 {
		t.Errorf("%d requests logged, %d faults pending", n, s.PendingFaults())
	}
}

// fixed is a Slurm that may be called concurrently.
type fixed struct{}

func (fixed) ServeHTTP(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }

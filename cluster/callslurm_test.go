package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

func TestBothEnvelopes(t *testing.T) {
	for _, tt := range []struct {
		envelope string
		status   int
		want     string
	}{
		{string(payload(t, "response-slurm-structured.json")), 200, `{"job_id":1234,"errors":[],"warnings":[]}`},
		{string(payload(t, "response-slurm-body-string.json")), 200, `{"job_id": 1234, "errors": [], "warnings": []}`},
		{`{"status":"404","body":"Unable find requested URL."}`, 404, `Unable find requested URL.`},
		{`{"status":404,"structuredBody":"Unable find requested URL."}`, 404, `Unable find requested URL.`},
		{`{"status":200,"structured_body":{"a":1},"body":"{\"a\":2}"}`, 200, `{"a":1}`}, // both: the newer form
		{`{"status":200,"structuredBody":null,"body":"{\"a\":2}"}`, 200, `{"a":2}`},
		{`{"status":304}`, 304, ``},
	} {
		c, _ := scripted(t, reply{status: 200, body: tt.envelope})
		resp, err := c.CallSlurm(context.Background(), "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/"})
		if err != nil {
			t.Errorf("%s: %v", tt.envelope, err)
			continue
		}
		got := string(resp.Body)
		if strings.HasPrefix(got, "{") {
			got, tt.want = canonical(t, resp.Body, false), canonical(t, []byte(tt.want), false)
		}
		if resp.Status != tt.status || got != tt.want || resp.Attempts != 1 {
			t.Errorf("%s: %d %s (%d attempts)", tt.envelope, resp.Status, got, resp.Attempts)
		}
	}
	for envelope, want := range map[string]string{
		`{}`:                      "cannot read the answer: the answer lacks Slurm's status",
		`{"status":"soon"}`:       `cannot read the answer: status: want an integer, got "soon"`,
		`[{"status":200}]`:        "cannot read the answer: want an object, got a list",
		`<html><title>x</title>`:  "HTML page",
		`{"status":200,"body":"{`: "JSON cut short",
	} {
		c, _ := scripted(t, reply{status: 200, body: envelope})
		_, err := c.CallSlurm(context.Background(), "training", &cluster.SlurmRequest{Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: []byte(`{}`)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", envelope, err, want)
		}
	}
}

func TestSlurmRequestsThatAreNotSent(t *testing.T) {
	const jobs = "/slurm/v0.0.42/jobs/"
	script := strings.Repeat("x", 2<<20)
	for _, tt := range []struct {
		req  *cluster.SlurmRequest
		want string
	}{
		{nil, "the request is nil"},
		{&cluster.SlurmRequest{Path: jobs}, `Slurm method ""; want GET, POST or DELETE`},
		{&cluster.SlurmRequest{Method: "get", Path: jobs}, `Slurm method "get"; want GET, POST or DELETE`},
		{&cluster.SlurmRequest{Method: "PUT", Path: jobs}, `Slurm method "PUT"`},
		{&cluster.SlurmRequest{Method: "GET", Path: jobs, Body: []byte(`{}`)}, `a Slurm request with method GET has no body`},
		{&cluster.SlurmRequest{Method: "POST", Path: jobs}, `a Slurm request with method POST needs a JSON object as body`},
		{&cluster.SlurmRequest{Method: "POST", Path: jobs, Body: []byte(`[]`)}, `needs a JSON object`},
		{&cluster.SlurmRequest{Method: "POST", Path: jobs, Body: []byte(`{"a":`)}, `needs a JSON object`},
		{&cluster.SlurmRequest{Method: "GET"}, `Slurm path ""; want one that starts with a single slash, such as /slurm/v0.0.42/jobs/`},
		{&cluster.SlurmRequest{Method: "GET", Path: "slurm/v0.0.42/jobs/"}, `want one that starts with a single slash`},
		{&cluster.SlurmRequest{Method: "GET", Path: "//evil.example/"}, `want one that starts with a single slash`},
		{&cluster.SlurmRequest{Method: "GET", Path: "https://evil.example/"}, `want one that starts with a single slash`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/../secret"}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/%2E%2e/secret"}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/.."}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/.%2e/secret"}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/%2E./secret"}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/..%2fsecret"}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/x%5c..%5csecret"}, `leads upwards`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/job/100%"}, `invalid URL escape "%"; a percent sign of its own is written %25`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/job/1 2"}, `has the character ' ', which must be percent-encoded`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/job/1\n"}, `has the character '\n'`},
		{&cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/job/1\x00"}, `has the character '\x00'`},
		{&cluster.SlurmRequest{Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: []byte(`{"script":"` + script + `"}`)},
			`must stay below 1000000; put a large script on shared storage and submit a short one that runs it`},
	} {
		c, w := scripted(t, reply{status: 200, body: `{"status":200}`})
		_, err := c.CallSlurm(context.Background(), "training", tt.req)
		if !errors.Is(err, cluster.ErrInvalidArgument) || !strings.Contains(err.Error(), tt.want) || len(w.requests) > 0 {
			t.Errorf("%+.100v: %.300v (%d sent); want %q", tt.req, err, len(w.requests), tt.want)
		}
	}
}

// TestEmptyBodyIsNone, whether nil or not.
func TestEmptyBodyIsNone(t *testing.T) {
	c, w := scripted(t, reply{status: 200, body: `{"status":200}`})
	if _, err := c.CallSlurm(context.Background(), "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/jobs/", Body: []byte{}}); err != nil {
		t.Fatal(err)
	}
	if want := `{"method":"HTTP_METHOD_GET","path":"/slurm/v0.0.42/jobs/"}`; w.requests[0].body != want {
		t.Errorf("sent %s", w.requests[0].body)
	}
}

// TestSlurmSizeLimitIsExact: one byte decides.
func TestSlurmSizeLimitIsExact(t *testing.T) {
	const envelope = `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit","body":{"s":""}}`
	for n, ok := range map[int]bool{cluster.MaxSlurmRequest - 1: true, cluster.MaxSlurmRequest: false} {
		c, w := scripted(t, reply{status: 200, body: `{"status":200}`})
		body := `{"s":"` + strings.Repeat("x", n-len(envelope)) + `"}`
		_, err := c.CallSlurm(context.Background(), "training", &cluster.SlurmRequest{Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: []byte(body)})
		if (err == nil) != ok || (len(w.requests) == 1) != ok {
			t.Errorf("request of %d bytes: %v, %d sent", n, err, len(w.requests))
		}
		if ok && len(w.requests[0].body) != n {
			t.Errorf("the request has %d bytes, want %d", len(w.requests[0].body), n)
		}
	}
}

// TestSlurmCallsRepeatByMeaning: all of them are POSTs of the platform.
func TestSlurmCallsRepeatByMeaning(t *testing.T) {
	const submit, job = "/slurm/v0.0.42/job/submit", "/slurm/v0.0.42/job/1"
	for _, tt := range []struct {
		name  string
		req   cluster.SlurmRequest
		fault clustertest.Fault
		want  int
	}{
		{"a read, after a lost answer", cluster.SlurmRequest{Method: "GET", Path: job}, clustertest.Fault{Kind: clustertest.FaultDropAfter}, 2},
		{"a submission, after a lost answer", cluster.SlurmRequest{Method: "POST", Path: submit, Body: []byte(`{}`)}, clustertest.Fault{Kind: clustertest.FaultDropAfter}, 1},
		// The platform may have lost contact after Slurm took the job, so its wish to come back proves nothing.
		{"a submission, after a 503 with a wish", cluster.SlurmRequest{Method: "POST", Path: submit, Body: []byte(`{}`)}, clustertest.Fault{RetryInfo: time.Second}, 1},
		{"a submission that did not arrive", cluster.SlurmRequest{Method: "POST", Path: submit, Body: []byte(`{}`)}, clustertest.Fault{Kind: clustertest.FaultRefused}, 2},
		{"a cancellation that says it can be repeated", cluster.SlurmRequest{Method: "DELETE", Path: job, Repeat: cluster.RepeatAlways}, clustertest.Fault{Kind: clustertest.FaultDropAfter}, 2},
		{"a deletion that does not", cluster.SlurmRequest{Method: "DELETE", Path: job}, clustertest.Fault{Kind: clustertest.FaultDropAfter}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			arrived := 0
			slurm := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				arrived++
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{}`))
			})
			srv, c := fake(t, clustertest.WithSlurm(slurm))
			srv.Inject(tt.fault)
			resp, err := c.CallSlurm(t.Context(), "training", &tt.req)
			if got := len(srv.Requests()); got != tt.want {
				t.Errorf("%s: sent %d times, want %d (%v)", tt.name, got, tt.want, err)
			}
			if err == nil && (resp.Attempts != tt.want || arrived == 0) {
				t.Errorf("%s: reports %d attempts", tt.name, resp.Attempts)
			}
		})
	}
}

func TestSlurmPermissionIsNamed(t *testing.T) {
	srv, c := fake(t)
	srv.Deny("aiplatform.modelDevelopmentClusters.run")
	_, err := c.CallSlurm(context.Background(), "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/ping/"})
	if !errors.Is(err, cluster.ErrPermissionDenied) || !strings.Contains(err.Error(), "aiplatform.modelDevelopmentClusters.run") || !strings.Contains(err.Error(), "roles/aiplatform.user") {
		t.Errorf("%v", err)
	}
}

// vouching is an option that vouches for one body.
type vouching string

func (vouching) Resolve(*gax.CallSettings)   {}
func (v vouching) IsObject(body []byte) bool { return string(body) == string(v) }

// TestBodiesThatSomebodyVouchesFor are not checked again, and all others are.
func TestBodiesThatSomebodyVouchesFor(t *testing.T) {
	for opt, sent := range map[string]int{`{"a":`: 1, `{"b":`: 0} {
		c, s := scripted(t, reply{status: 200, body: `{"status":200}`})
		_, err := c.CallSlurm(t.Context(), "training",
			&cluster.SlurmRequest{Method: "POST", Path: "/slurm/v0.0.42/job/submit", Body: []byte(`{"a":`)}, vouching(opt))
		if len(s.requests) != sent || (err == nil) != (sent == 1) {
			t.Errorf("vouched for %s: sent %d times, %v", opt, len(s.requests), err)
		}
	}
}

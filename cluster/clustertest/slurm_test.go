package clustertest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

const callSlurm = one + ":callSlurmRestApi"

// slurmd answers like a Slurm and remembers what it was asked.
type slurmd struct {
	status      int
	contentType string
	answer      string
	asked       string
}

func (d *slurmd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.asked = fmt.Sprintf("%s %s %s [%s] [%s] %d", r.Method, r.URL.RequestURI(), body, r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.ContentLength)
	w.Header().Set("Content-Type", d.contentType)
	w.WriteHeader(d.status)
	_, _ = io.WriteString(w, d.answer)
}

func TestSlurmRequests(t *testing.T) {
	tests := []struct{ why, body, want string }{
		{"get", payload(t, "slurm-get-job.json"), "GET /slurm/v0.0.42/job/1234  [] [application/json] 0"},
		{"the slash at the end stays", payload(t, "slurm-list-jobs.json"), "GET /slurm/v0.0.42/jobs/  [] [application/json] 0"},
		{"accounting", payload(t, "slurm-finished-job.json"), "GET /slurmdb/v0.0.42/job/1234  [] [application/json] 0"},
		{"delete", payload(t, "slurm-cancel-job.json"), "DELETE /slurm/v0.0.42/job/1234  [] [application/json] 0"},
		{"the query goes along", `{"method":"HTTP_METHOD_GET","path":"/slurm/v0.0.42/jobs/?update_time=1&flags=a"}`,
			"GET /slurm/v0.0.42/jobs/?update_time=1&flags=a  [] [application/json] 0"},
		{"escapes stay", `{"method":"HTTP_METHOD_GET","path":"/slurm/v0.0.42/job/7_%5B1-2%5D"}`,
			"GET /slurm/v0.0.42/job/7_%5B1-2%5D  [] [application/json] 0"},
		{"post; the body keeps its order and digits", `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit","body":{"script":"x","job":{"n":9007199254740993}}}`,
			`POST /slurm/v0.0.42/job/submit {"script":"x","job":{"n":9007199254740993}} [application/json] [application/json] 43`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			d := &slurmd{200, "application/json", `{"errors":[]}`, ""}
			send(t, seeded(t, "", clustertest.WithSlurm(d), clustertest.WithTB(t)), "POST", callSlurm, tt.body).ok(t)
			if d.asked != tt.want {
				t.Errorf("Slurm was asked\n%s, want\n%s", d.asked, tt.want)
			}
		})
	}
}

func TestSlurmEnvelope(t *testing.T) {
	const job = `{"job_id":1234,"time":1760000000,"mem":9007199254740993,"list":[5,0.5],"b":true,"n":null,"s":"\/"}`
	textForm, numbers := clustertest.WithTextEnvelope(), clustertest.WithStructNumbers()
	tests := []struct {
		why    string
		opt    clustertest.Option
		slurm  slurmd
		answer string
	}{
		{"structuredBody keeps everything by default", nil, slurmd{200, "application/json", job, ""}, `{"status":200,"structuredBody":` + job + `}`},
		{"the older form", textForm, slurmd{200, "application/json", `{"job_id": 1}`, ""}, `{"status":200,"body":"{\"job_id\": 1}"}`},
		{"as a Struct: float64, no order", numbers, slurmd{200, "application/json", job, ""},
			`{"status":200,"structuredBody":{"b":true,"job_id":1234,"list":[5,0.5],"mem":9.007199254740992e+15,"n":null,"s":"/","time":1.76e+09}}`},
		{"Slurm's status is inside", nil, slurmd{404, "application/json", `{"errors":[{"error_number":2017}]}`, ""},
			`{"status":404,"structuredBody":{"errors":[{"error_number":2017}]}}`},
		{"text travels as text", nil, slurmd{404, "text/plain", "Unable find requested URL.", ""}, `{"status":404,"body":"Unable find requested URL."}`},
		{"or not at all", clustertest.WithoutSlurmText(), slurmd{404, "text/plain", "Unable find requested URL.", ""}, `{"status":404}`},
		{"text in the older form", textForm, slurmd{400, "text/plain", "Unable to parse query.", ""}, `{"status":400,"body":"Unable to parse query."}`},
		{"broken JSON is text", nil, slurmd{200, "application/json", `{"jobs":[`, ""}, `{"status":200,"body":"{\"jobs\":["}`},
		{"an empty answer", nil, slurmd{304, "", "", ""}, `{"status":304}`},
		{"an empty answer in the older form", textForm, slurmd{200, "", "", ""}, `{"status":200}`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			opts := []clustertest.Option{clustertest.WithSlurm(&tt.slurm)}
			if tt.opt != nil {
				opts = append(opts, tt.opt)
			}
			if got := send(t, seeded(t, "", opts...), "POST", callSlurm, payload(t, "slurm-get-job.json")); got.status != 200 || compact(t, got.body) != tt.answer {
				t.Errorf("HTTP %d\n%s, want\n%s", got.status, got.body, tt.answer)
			}
		})
	}
}

func TestSlurmRefuses(t *testing.T) {
	get := func(path string) string { return `{"method":"HTTP_METHOD_GET","path":"` + path + `"}` }
	tests := []struct{ why, body, message string }{
		{"no Slurm path", get("/openapi/v3"), "is not a Slurm REST API path"},
		{"a whole URL", get("http://evil/slurm/v0.0.42/jobs/"), "is not a Slurm REST API path"},
		{"a host in front", get("//evil/slurm/v0.0.42/jobs/"), "is not a Slurm REST API path"},
		{"upwards", get("/slurm/../etc"), "is not a Slurm REST API path"},
		{"relative", get("slurm/v0.0.42/jobs/"), "is not a Slurm REST API path"},
		{"no path", get(""), "path; Message: is required"},
		{"no method", `{"path":"/slurm/v0.0.42/jobs/"}`, "method; Message: is required"},
		{"unspecified method", `{"method":"HTTP_METHOD_UNSPECIFIED","path":"/slurm/v0.0.42/jobs/"}`, "method; Message: is required"},
		{"a method by its plain name", `{"method":"GET","path":"/slurm/v0.0.42/jobs/"}`, `HttpMethod), "GET"`},
		{"a method that is not documented", `{"method":"HTTP_METHOD_PUT","path":"/slurm/v0.0.42/jobs/"}`, `"HTTP_METHOD_PUT"`},
		{"POST without body", `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit"}`, "is required for POST"},
		{"GET with body", `{"method":"HTTP_METHOD_GET","path":"/slurm/v0.0.42/jobs/","body":{}}`, "must be empty for GET"},
		{"body as text", `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit","body":"{}"}`, `Invalid value at 'body' (type.googleapis.com/google.protobuf.Struct), "{}"`},
		{"a field of another API", `{"method":"HTTP_METHOD_GET","path":"/slurm/v0.0.42/jobs/","user":"root"}`, `Invalid JSON payload received. Unknown name "user": Cannot find field.`},
		{"1 MB", `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit","body":{"script":"` + strings.Repeat("x", 1_000_000) + `"}}`, "exceeds the limit of 1 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			d := &slurmd{200, "application/json", "{}", ""}
			send(t, seeded(t, "", clustertest.WithSlurm(d)), "POST", callSlurm, tt.body).fails(t, 400, "INVALID_ARGUMENT", tt.message)
			if d.asked != "" {
				t.Errorf("Slurm was asked all the same: %.80s", d.asked)
			}
		})
	}
}

// As documented: NOT_FOUND for a cluster that does not exist, UNAVAILABLE for one that is out of reach.
func TestSlurmOfClustersThatDoNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clustertest.NewServer(clustertest.WithSlurm(&slurmd{200, "application/json", "{}", ""}))
		ask := func() reply { return send(t, s, "POST", callSlurm, payload(t, "slurm-list-jobs.json")) }
		ask().fails(t, 404, "NOT_FOUND", "training")
		send(t, s, "POST", all+"?model_development_cluster_id=training", payload(t, "cpu-only.json")).ok(t)
		ask().fails(t, 503, "UNAVAILABLE", "PROVISIONING")
		time.Sleep(8 * time.Minute)
		ask().ok(t)
		if err := s.SetClusterState("training", "ERROR", "broken"); err != nil {
			t.Fatal(err)
		}
		ask().fails(t, 503, "UNAVAILABLE", "ERROR")
		if err := s.SetClusterState("nobody", "ERROR", ""); err == nil {
			t.Error("setting the state of a missing cluster succeeded")
		}
	})
}

func TestSlurmThatBreaksOff(t *testing.T) {
	s := seeded(t, "", clustertest.WithSlurm(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })))
	send(t, s, "POST", callSlurm, payload(t, "slurm-list-jobs.json")).fails(t, 503, "UNAVAILABLE", "could not be reached")
	send(t, seeded(t, ""), "POST", callSlurm, payload(t, "slurm-list-jobs.json")).fails(t, 501, "UNIMPLEMENTED", "WithSlurm")
}

// A real slurmrestd sits behind a reverse proxy. It refuses chunked bodies.
func TestSlurmBehindAProxy(t *testing.T) {
	d := &slurmd{200, "application/json", `{"job_id":1}`, ""}
	web := httptest.NewServer(d)
	defer web.Close()
	target, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	s := seeded(t, "", clustertest.WithSlurm(proxy))
	body := `{"method":"HTTP_METHOD_POST","path":"/slurm/v0.0.42/job/submit?a=b","body":{"script":"x"}}`
	if got := compact(t, send(t, s, "POST", callSlurm, body).body); got != `{"status":200,"structuredBody":{"job_id":1}}` {
		t.Errorf("answer %s", got)
	}
	if want := `POST /slurm/v0.0.42/job/submit?a=b {"script":"x"} [application/json] [application/json] 14`; d.asked != want {
		t.Errorf("Slurm was asked\n%s, want\n%s", d.asked, want)
	}
}

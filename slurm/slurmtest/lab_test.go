package slurmtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// testbed is the cluster that the recordings were made on.
func testbed() []slurmtest.Option {
	cpu := slurmtest.Node{CPUs: 8, MemoryMB: 32000, Features: []string{"cpu", "c4"}}
	gpu := slurmtest.Node{CPUs: 16, MemoryMB: 64000, GPUs: 8, GPUType: "b200", Features: []string{"a4", "b200"}}
	n, g := slurmtest.Nodes("n[1-2]", cpu), slurmtest.Nodes("g[1-2]", gpu)
	return []slurmtest.Option{
		slurmtest.WithPartitions(
			slurmtest.Partition{Name: "cpu", Nodes: n, Default: true, DefaultTime: 30 * time.Minute, MaxTime: 24 * time.Hour},
			slurmtest.Partition{Name: "a4", Nodes: g, DefaultTime: time.Hour, MaxTime: 4 * time.Hour},
			slurmtest.Partition{Name: "down", Nodes: n[1:], MaxTime: time.Hour, Down: true},
			slurmtest.Partition{Name: "debug", Nodes: append(g, n...), AllowAccounts: []string{"ops"}},
		),
		slurmtest.WithLicense("matlab", 4),
		slurmtest.WithDirectories("/home", "/tmp"),
		slurmtest.WithKillWait(5 * time.Second),
	}
}

// lab is a server with the few calls that tests make.
type lab struct {
	t *testing.T
	s *slurmtest.Server
}

func newLab(t *testing.T, opts ...slurmtest.Option) *lab {
	t.Helper()
	return &lab{t, slurmtest.NewServer(append(testbed(), opts...)...)}
}

// answer is a reply, taken apart.
type answer struct {
	status int
	kind   string
	body   []byte
}

func (l *lab) send(user, method, path, contentType, body string) answer {
	l.t.Helper()
	u, err := url.ParseRequestURI(path)
	if err != nil {
		l.t.Fatal(err)
	}
	r := &http.Request{
		Method: method, URL: u, Header: http.Header{}, ContentLength: int64(len(body)),
		Body: io.NopCloser(strings.NewReader(body)),
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if user != "" {
		r.Header.Set("X-SLURM-USER-NAME", user)
	}
	w := httptest.NewRecorder()
	l.s.ServeHTTP(w, r)
	return answer{w.Code, w.Header().Get("Content-Type"), w.Body.Bytes()}
}

func (l *lab) do(method, path, body string) answer {
	l.t.Helper()
	contentType := ""
	if body != "" {
		contentType = "application/json"
	}
	return l.send("", method, path, contentType, body)
}

// reply is as much of an answer as tests look at.
type reply struct {
	JobID  int64 `json:"job_id"`
	Jobs   []map[string]any
	Status []struct {
		Error struct{ Code int }
		Step  string `json:"step_id"`
	}
	Errors []struct {
		Number      int `json:"error_number"`
		Description string
		Source      string
	}
	Warnings []struct{ Description, Source string }
}

func (a answer) decode(t *testing.T) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(a.body, &r); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, a.body)
	}
	return r
}

// job is a job description that is taken, with changes. A nil removes.
func job(changes map[string]any) map[string]any {
	d := map[string]any{
		"name": "my-run", "partition": "cpu", "current_working_directory": "/home/alice", "minimum_nodes": 1,
		"tasks_per_node": 1, "environment": []string{"PATH=/bin:/usr/bin"},
		"time_limit": map[string]any{"set": true, "number": 120},
	}
	maps.Copy(d, changes)
	maps.DeleteFunc(d, func(_ string, v any) bool { return v == nil })
	return d
}

func submitBody(script string, changes map[string]any) string {
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(map[string]any{"job": job(changes), "script": script})
	return b.String()
}

const (
	sleepy    = "#!/bin/bash\necho hello\nsleep 600\n"
	submitURL = "/slurm/v0.0.42/job/submit"
)

func (l *lab) submit(script string, changes map[string]any) int64 {
	l.t.Helper()
	return l.submitAs("", script, changes)
}

func (l *lab) submitAs(user, script string, changes map[string]any) int64 {
	l.t.Helper()
	a := l.send(user, "POST", submitURL, "application/json", submitBody(script, changes))
	id := a.decode(l.t).JobID
	if id == 0 {
		l.t.Fatalf("submit refused: %d %s", a.status, a.body)
	}
	return id
}

func (l *lab) job(id int64) slurmtest.Job {
	l.t.Helper()
	j, ok := l.s.Job(id)
	if !ok {
		l.t.Fatalf("no job %d", id)
	}
	return j
}

// must stops the test if a control failed.
func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) submitHet(script string, components ...map[string]any) int64 {
	l.t.Helper()
	body, err := json.Marshal(map[string]any{"jobs": components, "script": script})
	if err != nil {
		l.t.Fatal(err)
	}
	return l.do("POST", submitURL, string(body)).decode(l.t).JobID
}

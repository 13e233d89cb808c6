package slurm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

func TestClusterInfo(t *testing.T) {
	b := newBed(t, slurmtest.WithLicense("matlab", 4))
	controllers, err := b.Ping(t.Context())
	if err != nil || len(controllers) != 1 || !controllers[0].Up {
		t.Errorf("Ping: got %v, %v", controllers, err)
	}
	partitions, err := b.Partitions(t.Context())
	if err != nil || len(partitions) != 2 || partitions[0].Name != "cpu" || !partitions[0].Up() {
		t.Errorf("Partitions: got %v, %v", partitions, err)
	}
	nodes, err := b.Nodes(t.Context())
	if err != nil || len(nodes) != 4 {
		t.Errorf("Nodes: got %v, %v", nodes, err)
	}
	licenses, err := b.Licenses(t.Context())
	if err != nil || len(licenses) != 1 || licenses[0].Name != "matlab" {
		t.Errorf("Licenses: got %v, %v", licenses, err)
	}
	b.wantPaths(t, "GET /slurm/v0.0.42/ping/", "GET /slurm/v0.0.42/partitions/", "GET /slurm/v0.0.42/nodes/", "GET /slurm/v0.0.42/licenses/")

	// Slurm reports a ping as a success even if nobody answers it.
	b.srv.SetControllerDown(true)
	controllers, err = b.Ping(t.Context())
	if len(controllers) != 1 || controllers[0].Up || !errors.Is(err, slurm.ErrUnavailable) {
		t.Errorf("Ping: got %v, %v", controllers, err)
	}
	if nodes, err := b.Nodes(t.Context()); err == nil || nodes != nil {
		t.Errorf("Nodes: got %v, %v", nodes, err)
	}
}

// TestOutageWithoutWords: for partitions, Slurm's REST daemon says by the HTTP status alone that its controller is down,
// with neither a list nor a problem.
func TestOutageWithoutWords(t *testing.T) {
	const down = "the Slurm controller does not answer; it may be restarting [HTTP 502]"
	for _, tt := range []struct {
		status    int
		body      string
		available bool
		says      string
	}{
		{502, `{"errors":[],"warnings":[]}`, false, "no reason given; most likely " + down},
		{502, `{"errors":[{"error_number":1800,"error":"Unable to contact slurm controller"}]}`, false,
			"1800 Unable to contact slurm controller; " + down},
		{500, `{"errors":[],"warnings":[]}`, true, "no reason given [HTTP 500]"},
		{200, `{"errors":[],"warnings":[]}`, true, `unexpected answer: it lacks "`},
	} {
		c, _ := newScripted(t, answer{status: tt.status, body: tt.body})
		_, partitions := c.Partitions(t.Context())
		_, nodes := c.Nodes(t.Context())
		_, licenses := c.Licenses(t.Context())
		_, jobs := c.List(t.Context(), nil)
		for what, err := range map[string]error{"partitions": partitions, "nodes": nodes, "licenses": licenses, "jobs": jobs} {
			if err == nil || errors.Is(err, slurm.ErrUnavailable) == tt.available ||
				!strings.HasPrefix(err.Error(), "slurm: list "+what+": "+tt.says) {
				t.Errorf("%d %s: %v, want %q", tt.status, what, err, tt.says)
			}
		}
	}
}

func TestDo(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"statistics":{"parts_packed":3},"errors":[],"warnings":[]}`})
	var out struct {
		Statistics struct {
			PartsPacked int `json:"parts_packed"`
		}
	}
	if err := c.Do(t.Context(), "GET", "/slurm/v0.0.45/diag/?x=1%2C2", nil, &out); err != nil || out.Statistics.PartsPacked != 3 {
		t.Errorf("got %+v, %v", out, err)
	}
	if s.requests[0].Path != "/slurm/v0.0.45/diag/?x=1%2C2" || s.requests[0].Body != nil {
		t.Errorf("sent %+v", s.requests[0])
	}
	var raw json.RawMessage
	if err := c.Do(t.Context(), "POST", "/slurmdb/v0.0.42/tres/", map[string]any{"a": "<b>"}, &raw); err != nil || !strings.HasPrefix(string(raw), `{"stat`) {
		t.Errorf("got %s, %v", raw, err)
	}
	if string(s.requests[1].Body) != `{"a":"<b>"}` || s.requests[1].Repeat != cluster.RepeatDefault {
		t.Errorf("sent %s", s.requests[1].Body)
	}
	if err := c.Do(t.Context(), "DELETE", "/slurm/v0.0.42/job/42", nil, nil); err != nil {
		t.Errorf("got %v", err)
	}
	var number int
	if err := c.Do(t.Context(), "GET", "/slurm/v0.0.42/diag/", nil, &number); err == nil || !strings.Contains(err.Error(), "decode") {
		t.Errorf("got %v", err)
	}
}

func TestDoFailures(t *testing.T) {
	c, _ := newScripted(t, answer{status: 500, body: `{"users":[1],"errors":[{"error_number":2002,"error":"Access/permission denied"}]}`})
	var out struct{ Users []int }
	err := c.Do(t.Context(), "GET", "/slurmdb/v0.0.42/users/", nil, &out)
	if !errors.Is(err, slurm.ErrPermission) || len(out.Users) != 1 || !strings.Contains(err.Error(), "/slurmdb/v0.0.42/users/") {
		t.Errorf("got %+v, %v", out, err)
	}
	for _, tt := range []struct {
		method, path string
		body         any
	}{
		{"GET", "", nil},
		{"GET", "jobs/", nil},
		{"GET", "https://example.com/slurm/v0.0.42/", nil},
		{"GET", "/openapi/v3", nil},
		{"GET", "/slurm/../openapi", nil},
		{"GET", "/slurm/v0.0.42/../../openapi", nil},
		{"PUT", "/slurm/v0.0.42/job/42", nil},
		{"POST", "/slurm/v0.0.42/job/42", nil},
		{"GET", "/slurm/v0.0.42/job/42", 5},
		{"POST", "/slurm/v0.0.42/job/42", make(chan int)},
	} {
		c, s := newScripted(t, answer{status: 200, body: `{}`})
		if err := c.Do(t.Context(), tt.method, tt.path, tt.body, nil); err == nil || len(s.requests) != 0 {
			t.Errorf("%s %s: %v after %d requests", tt.method, tt.path, err, len(s.requests))
		}
	}
}

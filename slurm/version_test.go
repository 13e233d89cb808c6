package slurm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestDetectVersion takes the newest version that the REST daemon knows, even while the controller behind it is down.
func TestDetectVersion(t *testing.T) {
	const (
		unknown = "Unable find requested URL. Please view /openapi/v3 for API reference."
		pong    = `{"pings":[{"hostname":"h","pinged":"DOWN"}],"errors":[],"warnings":[]}`
	)
	for _, tt := range []struct {
		why     string
		answers []answer
		want    string
		is      error
		calls   int
	}{
		{"the default is served", []answer{{status: 200, body: pong}}, "v0.0.42", nil, 1},
		{"an older Slurm", []answer{{status: 404, body: unknown}, {status: 404, body: unknown}, {status: 200, body: pong}}, "v0.0.40", nil, 3},
		{"a newer one that dropped all of them", []answer{{status: 404, body: unknown}}, "", slurm.ErrUnknownPath, 3},
		{"no Slurm at all", []answer{{status: 502, body: "<html>"}}, "", slurm.ErrUnavailable, 1},
	} {
		_, s := newScripted(t, tt.answers...)
		got, err := slurm.DetectVersion(t.Context(), s, "training")
		if got != tt.want && tt.is == nil || tt.is == nil && err != nil || tt.is != nil && !errors.Is(err, tt.is) || len(s.requests) != tt.calls {
			t.Errorf("%s: %q, %v after %d calls", tt.why, got, err, len(s.requests))
		}
	}
}

// TestSignalBeforeV42: Slurm reports success for a pending job as well, and sends nothing.
func TestSignalBeforeV42(t *testing.T) {
	record := func(task int, state string) string {
		return fmt.Sprintf(`{"job_id":4%[1]d,"array_job_id":42,"array_task_id":{"set":true,"number":%[1]d},"job_state":[%[2]q]}`, task, state)
	}
	for _, tt := range []struct {
		why, jobs, says string
	}{
		{"it waits", record(1, "PENDING") + "," + record(2, "PENDING"), "2020 Job can not be altered now, try again later: job 42 is pending [HTTP 200]"},
		{"one of its tasks runs", record(1, "PENDING") + "," + record(2, "RUNNING"), ""},
		{"it has died of the signal", record(1, "FAILED"), ""},
	} {
		_, s := newScripted(t, answer{status: 200, body: `{"errors":[]}`}, answer{status: 200, body: `{"jobs":[` + tt.jobs + `],"errors":[]}`})
		c, err := slurm.NewClient(s, "training", slurm.WithVersion("v0.0.40"))
		if err != nil {
			t.Fatal(err)
		}
		err = c.Signal(t.Context(), "42", "USR1")
		if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), "signal job 42: "+tt.says) {
			t.Errorf("%s: %v, want %q", tt.why, err, tt.says)
		}
		if err := c.Cancel(t.Context(), "42"); err != nil {
			t.Errorf("%s: a cancel minds no state, but fails with %v", tt.why, err)
		}
	}
}

// TestCancelBeforeV42 reads the job afterwards, because Slurm's answer is the same for every id.
func TestCancelBeforeV42(t *testing.T) {
	const silent = `{"errors":[],"warnings":[]}`
	for _, tt := range []struct {
		why  string
		read answer
		is   error
	}{
		{"the job exists", answer{status: 200, body: `{"jobs":[{"job_id":42,"job_state":["CANCELLED"]}],"errors":[],"warnings":[]}`}, nil},
		{"it does not", answer{status: 404, body: `{"jobs":[],"errors":[{"error_number":2017,"error":"Invalid job id specified"}],"warnings":[]}`}, slurm.ErrNotFound},
	} {
		_, s := newScripted(t, answer{status: 200, body: silent}, tt.read)
		c, err := slurm.NewClient(s, "training", slurm.WithVersion("v0.0.41"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Cancel(t.Context(), "42"); !errors.Is(err, tt.is) {
			t.Errorf("%s: %v", tt.why, err)
		}
		if len(s.requests) != 2 || !strings.HasSuffix(s.requests[1].Path, "/v0.0.41/job/42") {
			t.Errorf("%s: asked for %v", tt.why, s.requests)
		}
	}
}

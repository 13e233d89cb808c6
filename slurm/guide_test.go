package slurm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// guideSpec is the job of the service's guide.
func guideSpec() *slurm.JobSpec {
	return &slurm.JobSpec{
		Name:             "my-run",
		Partition:        "cpu",
		WorkingDirectory: "/home/alice_example_com",
		MinNodes:         1,
		TasksPerNode:     1,
		Environment:      map[string]string{"PATH": "/bin:/usr/bin"},
		TimeLimit:        2 * time.Hour,
		Script:           "#!/bin/bash\necho hello\nsleep 5\necho done\n",
	}
}

// wireTap keeps the request that goes to the platform, and answers like its guide.
type wireTap struct {
	url  string
	body []byte
}

func (w *wireTap) RoundTrip(r *http.Request) (*http.Response, error) {
	w.url = r.Method + " " + r.URL.String()
	var err error
	if w.body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	const answer = `{"status":200,"structuredBody":{"job_id":1234,"jobs":[{"job_id":1234,"job_state":["RUNNING"]}],"errors":[],"warnings":[]}}`
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(answer)), ContentLength: int64(len(answer)),
	}, nil
}

// The five requests of the guide leave the process exactly as it prints them.
func TestGuideRequests(t *testing.T) {
	tests := []struct {
		file string
		call func(context.Context, *slurm.Client) error
	}{
		{"slurm-submit-job.json", func(ctx context.Context, c *slurm.Client) error {
			_, err := c.Submit(ctx, guideSpec())
			return err
		}},
		{"slurm-get-job.json", func(ctx context.Context, c *slurm.Client) error { _, err := c.Get(ctx, "1234"); return err }},
		{"slurm-list-jobs.json", func(ctx context.Context, c *slurm.Client) error { _, err := c.List(ctx, nil); return err }},
		{"slurm-cancel-job.json", func(ctx context.Context, c *slurm.Client) error { return c.Cancel(ctx, "1234") }},
		{"slurm-finished-job.json", func(ctx context.Context, c *slurm.Client) error { _, err := c.History(ctx, "1234"); return err }},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			tap := &wireTap{}
			service, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1",
				option.WithHTTPClient(&http.Client{Transport: tap}))
			if err != nil {
				t.Fatal(err)
			}
			c, err := slurm.NewClient(service, clusterName, slurm.WithoutSubmitToken())
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.call(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if want := canonical(t, readFile(t, "testdata/guide/"+tt.file)); canonical(t, tap.body) != want {
				t.Errorf("sent\n%s\nwant\n%s", canonical(t, tap.body), want)
			}
			const url = "POST https://us-central1-aiplatform.googleapis.com/v1beta1/" + clusterName + ":callSlurmRestApi"
			if !strings.HasPrefix(tap.url, url) {
				t.Errorf("sent to %s, want %s", tap.url, url)
			}
		})
	}
}

// A script is full of characters that encoding/json would blow up to six bytes.
func TestScriptIsSentAsItIs(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"job_id":7}`})
	spec := validSpec()
	spec.Script = "#!/bin/bash\necho \"a & b\" <in >out \\\n  ünïcode\t'x'\n"
	if _, err := c.Submit(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	var sent struct{ Script string }
	if err := json.Unmarshal(s.requests[0].Body, &sent); err != nil || sent.Script != spec.Script {
		t.Errorf("sent %q, %v", sent.Script, err)
	}
	if !bytes.Contains(s.requests[0].Body, []byte(`& b\" <in >out`)) {
		t.Errorf("escaped for HTML: %s", s.requests[0].Body)
	}
}

package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestWithoutFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), nil, &out); err != nil || !regexp.MustCompile(`^keep: 1\njob 1 \(long\) COMPLETED on n\d\n$`).MatchString(out.String()) {
			t.Errorf("error %v, output\n%s", err, &out)
		}
	})
}

// TestRealCluster: a job is begun and left to run. What is named is waited for, whatever became of the others.
func TestRealCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.SampleOf("training", demo.GuideCluster, clustertest.WithOperationTime(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-project", "my-project"}, &out, srv.ClientOptions()...); err != nil || out.String() != "keep: 1\n" {
			t.Errorf("error %v, output %s", err, &out)
		}
		c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		op, err := c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
			m.Labels = map[string]string{"team": "vision"}
			return nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		err = run(t.Context(), []string{"-project", "my-project", "7", op.Name(), "1"}, &out, srv.ClientOptions()...)
		want := regexp.MustCompile(`^no job\noperation \S+ succeeded\njob 1 \(long\) COMPLETED on n\d\n$`)
		if !errors.Is(err, slurm.ErrJobLost) || !want.MatchString(out.String()) {
			t.Errorf("error %v, output\n%s", err, &out)
		}
	})
}

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

func TestNoJobID(t *testing.T) { demotest.Refuses(t, run, "not a job id", "seven") }

// TestFailedSubmit: what leads to the job is kept.
func TestFailedSubmit(t *testing.T) {
	for _, tt := range []struct {
		servers func(*testing.T) *clustertest.Server
		is      error
		kept    string
	}{
		{demotest.Partial, slurm.ErrPartial, `^keep: 1\n$`},
		{func(t *testing.T) *clustertest.Server { return demotest.Held(t, 1) }, slurm.ErrUncertain, `^keep: tc-\S+\n$`},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := tt.servers(t)
			var out bytes.Buffer
			err := run(t.Context(), nil, &out, srv.ClientOptions()...)
			if !errors.Is(err, tt.is) || !regexp.MustCompile(tt.kept).MatchString(out.String()) {
				t.Fatalf("error %v, output %s", err, &out)
			}
			time.Sleep(10 * time.Minute)
			names := strings.Fields(out.String())[1:]
			out.Reset()
			if err := run(t.Context(), names, &out, srv.ClientOptions()...); err != nil || !strings.HasPrefix(out.String(), "job 1 (long) COMPLETED") {
				t.Errorf("%v: error %v, output\n%s", names, err, &out)
			}
		})
	}
}

// TestTwoJobsOfOneSubmit: the one that is kept is waited for, although the other could not be cancelled.
func TestTwoJobsOfOneSubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.Sample("training")
		if err != nil {
			t.Fatal(err)
		}
		s, err := slurm.Open(t.Context(), "projects/my-project/locations/us-central1/modelDevelopmentClusters/training", srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		token := slurm.NewSubmitToken()
		job := map[string]any{"script": "#!/bin/sh\nsleep 60\n", "current_working_directory": "/home/alice", "mcs_label": "tc-submit:" + token, "environment": []string{"PATH=/bin"}}
		for range 2 {
			if err := s.Do(t.Context(), "POST", "/slurm/v0.0.42/job/submit", map[string]any{"job": job}, nil); err != nil {
				t.Fatal(err)
			}
		}
		srv.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Times: -1, HTTPStatus: 403, When: func(r clustertest.Request) bool {
			method, _, _ := r.SlurmCall()
			return strings.Contains(method, "DELETE")
		}})
		var out bytes.Buffer
		err = run(t.Context(), []string{token}, &out, srv.ClientOptions()...)
		if !errors.Is(err, slurm.ErrPartial) || !strings.HasPrefix(out.String(), "job 1 COMPLETED") {
			t.Errorf("error %v, output\n%s", err, &out)
		}
	})
}

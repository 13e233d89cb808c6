package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestWithoutFlags: each job is seen at first and at its end. Which of its states are seen in between is left to chance.
func TestWithoutFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), nil, &out); err != nil {
			t.Error(err)
		}
		got := out.String()
		for _, part := range []string{"job 1 (prepare): PENDING\njob 2 (train): PENDING\njob 3 (evaluate): PENDING\n",
			"-> COMPLETED\n", "job 2 (train): RUNNING -> FAILED\n", "job 3 (evaluate): RUNNING -> COMPLETED\n"} {
			if !strings.Contains(got, part) {
				t.Errorf("%q is not in\n%s", part, got)
			}
		}
		if !strings.HasSuffix(got, "COMPLETED\n") || strings.Contains(got, "\x1b") {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestRealCluster: nothing is submitted, other users' jobs are not shown, and an interrupt is no failure.
func TestRealCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.Sample("training")
		if err != nil {
			t.Fatal(err)
		}
		s, err := (&demo.Place{Region: "us-central1", Cluster: "training"}).Jobs(t.Context(), srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		if err := submitSome(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			user  string
			lines int
		}{{"alice", 3}, {"bob", 0}} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second) // less than the jobs take
			defer cancel()
			var out bytes.Buffer
			if err := run(ctx, []string{"-project", "my-project", "-user", tt.user}, &out, srv.ClientOptions()...); err != nil {
				t.Errorf("%s: %v", tt.user, err)
			}
			if n := strings.Count(out.String(), ": PENDING\n"); n != tt.lines || tt.lines == 0 && out.Len() > 0 {
				t.Errorf("%s: got\n%s", tt.user, &out)
			}
		}
	})
}

func TestTable(t *testing.T) {
	queue := table{}
	for _, e := range []*slurm.JobEvent{
		{JobID: "10", New: "PENDING", Job: &slurm.Job{Name: "late", User: "bob", Reason: "Resources"}},
		{JobID: "9_10", New: "RUNNING", Job: &slurm.Job{Name: "array", User: "alice", Nodes: "n1"}},
		{JobID: "9_2", New: "RUNNING", Job: &slurm.Job{Name: "\x1b[2Jarray of a very long name", User: "alice", Nodes: "n2"}},
		{JobID: "3", New: "", Ended: true, Err: slurm.ErrJobLost},
	} {
		queue.note(e)
	}
	const want = `JOB      NAME                 USER         STATE        NODES      REASON
3                                                                  
9_2      ?[2Jarray of a very  alice        RUNNING      n2         
9_10     array                alice        RUNNING      n1         
10       late                 bob          PENDING                 Resources
`
	if diff := cmp.Diff(want, queue.String()); diff != "" {
		t.Error(diff)
	}
	if n := queue.active(); n != 3 {
		t.Errorf("%d are active", n)
	}
}

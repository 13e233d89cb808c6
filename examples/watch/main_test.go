package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
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
			"-> COMPLETED\n", "job 2 (train): RUNNING -> FAILED\n"} {
			if !strings.Contains(got, part) {
				t.Errorf("%q is not in\n%s", part, got)
			}
		}
		if !regexp.MustCompile(`\njob 3 \(evaluate\): (\w+ -> )?COMPLETED(, ended)?\n$`).MatchString(got) || strings.Contains(got, "\x1b") {
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
		place := &demo.Place{Region: "us-central1", Cluster: "training"}
		s, err := slurm.Open(t.Context(), place.Name(), srv.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := place.SubmitSome(t.Context(), s); err != nil {
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

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

func TestUserOfEmbeddedServers(t *testing.T) { demotest.Refuses(t, run, "-user", "-user", "bob") }

// TestTable: it is drawn once for all that one read has found, only with what waits or runs.
func TestTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-table"}, &out); err != nil {
			t.Error(err)
		}
		drawn := strings.Split(out.String(), "\x1b[H\x1b[2J")[1:]
		for i, text := range drawn {
			head, jobs, _ := strings.Cut(text, "\n")
			if !strings.HasPrefix(head, "3 jobs: ") || strings.Contains(jobs, "COMPLETED ") || strings.Contains(jobs, "FAILED ") {
				t.Errorf("drawing %d is\n%s", i, text)
			}
			switch n := strings.Count(jobs, "\n"); {
			case i == 0 && n != 3:
				t.Errorf("%d jobs at first", n)
			case i == len(drawn)-1 && n != 0:
				t.Errorf("%d jobs at last", n)
			}
		}
		if n := len(drawn); n < 3 || n > 9 {
			t.Errorf("drawn %d times:\n%s", n, &out)
		}
	})
}

// TestForeignText does not move the cursor.
func TestForeignText(t *testing.T) {
	var out bytes.Buffer
	draw(&out, []*slurm.Job{
		{ID: "10", State: "PENDING", Name: "late", User: "bob", Reason: "no\x1b[2J\r\u009b1A room"},
		{ID: "9_2", State: "RUNNING", Name: "\u009b[2Jarray", User: "al\nice", Nodes: "n2\x07"},
	})
	const want = "\x1b[H\x1b[2J" + `2 jobs: 1 pending, 1 running
job 10 (late) PENDING no [2J  1A room
job 9_2 ([2Jarray) RUNNING on n2 
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

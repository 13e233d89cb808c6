// Package demotest has what the tests of the example programs share.
package demotest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// Run is a program, as demo.Main has it.
type Run = func(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error

// Places runs a program with the names of real clusters, and without a project: it must not answer for them.
func Places(t *testing.T, run Run) {
	t.Helper()
	for _, args := range [][]string{
		{"-cluster", "x"}, {"-region", "europe-west4"}, {"-cluster", "x", "-region", "europe-west4"},
	} {
		Refuses(t, run, "name its -project, too", args...)
	}
}

// Refuses runs a program that is to fail before it says anything. It wants a part of the error.
func Refuses(t *testing.T, run Run, want string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out)
	if err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
		t.Errorf("%v: got %v, want %q in it, and no output but\n%s", args, err, want, &out)
	}
}

// Partial are servers with the cluster "training", whose Slurm takes each job, and reports a failure beside its id.
func Partial(t *testing.T) *clustertest.Server {
	t.Helper()
	jobs := slurmtest.NewServer()
	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithOperationTime(0),
		clustertest.WithSlurm(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, "/job/submit") {
				jobs.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			jobs.ServeHTTP(answer, r)
			var body map[string]any
			if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
				t.Error(err)
			}
			body["errors"] = []any{map[string]any{"error_number": 9202, "description": "a member was not understood"}}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInternalServerError)
			if err := json.NewEncoder(w).Encode(body); err != nil {
				t.Error(err)
			}
		})))
	if err := srv.AddCluster("training", demo.GuideCluster); err != nil {
		t.Fatal(err)
	}
	return srv
}

// Held are servers with the cluster "training" that hold the n-th submit up for five minutes, and break its connection at
// once. It takes a bubble.
func Held(t *testing.T, n int) *clustertest.Server {
	t.Helper()
	srv, err := demo.Sample("training")
	if err != nil {
		t.Fatal(err)
	}
	srv.Inject(clustertest.Fault{
		Verb: clustertest.VerbCallSlurm, Nth: n, Kind: clustertest.FaultDropLate, Delay: 5 * time.Minute,
		When: func(r clustertest.Request) bool {
			_, path, _ := r.SlurmCall()
			return strings.HasSuffix(path, "/job/submit")
		},
	})
	return srv
}

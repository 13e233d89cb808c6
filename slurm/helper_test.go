package slurm_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

const clusterName = "projects/my-project/locations/us-central1/modelDevelopmentClusters/training"

// bed is a client above the whole stack, with both servers in memory.
type bed struct {
	*slurm.Client
	srv      *slurmtest.Server
	platform *clustertest.Server
	warnings []slurm.Warning
}

func newBed(t testing.TB, opts ...slurmtest.Option) *bed {
	t.Helper()
	b := &bed{srv: slurmtest.NewServer(opts...)}
	b.platform = clustertest.NewServer(clustertest.WithSlurm(b.srv))
	if err := b.platform.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.platform.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	b.Client, err = slurm.NewClient(c, "training", slurm.OnWarning(func(w slurm.Warning) {
		b.warnings = append(b.warnings, w)
	}))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// another is a client with other options of the same Slurm.
func (b *bed) another(t testing.TB, opts ...slurm.Option) *slurm.Client {
	t.Helper()
	service, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", b.platform.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := slurm.NewClient(service, "training", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// submit submits a job that must be accepted.
func (b *bed) submit(t testing.TB, script string, change ...func(*slurm.JobSpec)) slurm.JobID {
	t.Helper()
	spec := validSpec()
	spec.Script = "#!/bin/bash\n" + script + "\n"
	for _, c := range change {
		c(spec)
	}
	id, err := b.Submit(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// paths returns what Slurm was asked since the last reset.
func (b *bed) paths() []string {
	var paths []string
	for _, r := range b.srv.Requests() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	return paths
}

func (b *bed) wantPaths(t testing.TB, want ...string) {
	t.Helper()
	if got := strings.Join(b.paths(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("Slurm was asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func validSpec() *slurm.JobSpec {
	return &slurm.JobSpec{Script: "#!/bin/bash\ntrue\n", WorkingDirectory: "/home/alice"}
}

// answer is one scripted answer of a scripted Caller.
type answer struct {
	status int
	body   string
	err    error
}

// scripted is a Caller that gives its answers in order, and the last one for ever.
type scripted struct {
	mu       sync.Mutex
	answers  []answer
	requests []cluster.SlurmRequest
	names    []string
}

func (s *scripted) CallSlurm(_ context.Context, name string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.names = append(s.requests, *req), append(s.names, name)
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	if a.err != nil {
		return nil, a.err
	}
	return &cluster.SlurmResponse{Status: a.status, Body: []byte(a.body), Attempts: 1}, nil
}

func newScripted(t testing.TB, answers ...answer) (*slurm.Client, *scripted) {
	t.Helper()
	s := &scripted{answers: answers}
	c, err := slurm.NewClient(s, clusterName)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// inputProblems returns field and text of what was refused before it was sent.
func inputProblems(t testing.TB, err error) map[string]string {
	t.Helper()
	var input *slurm.InputError
	if !errors.As(err, &input) {
		t.Fatalf("got %v, want an *InputError", err)
	}
	if !errors.Is(err, slurm.ErrInvalid) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "slurm: ") {
		t.Errorf("%q is not one line of this package that matches ErrInvalid", err)
	}
	found := map[string]string{}
	for _, p := range input.Problems {
		found[p.Field] = p.Text
		if !strings.Contains(err.Error(), p.Field+": "+p.Text) {
			t.Errorf("the text %q lacks %s", err, p.Field)
		}
	}
	return found
}

func canonical(t testing.TB, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

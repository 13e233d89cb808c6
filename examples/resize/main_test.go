package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
)

const plan = `Update of cluster training, USER_ONLY
mask: node_pools

node_pools: 1 changed, 1 unchanged
  ~ cpu
      ~ scaling_spec.max_node_count: 2 -> 8

Effects:
  * pools cpu and login: image kept (no node_image is sent, and USER_ONLY keeps what runs)
  * pool cpu: up to 6 nodes more when jobs wait for them (max_node_count rises from 2 to 8)

Accepted as projects/123456789012/locations/us-central1/operations/4000000000000000001
`

func TestWithoutFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), nil, &out); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(plan+"   0s ended\nDone: cpu 2..8 x n2-standard-8\n", out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestProgress resizes a cluster that takes its time, with an outage in between.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.Servers("", clustertest.WithTB(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.AddCluster("training", demo.GuideCluster); err != nil {
			t.Fatal(err)
		}
		srv.Inject(clustertest.Fault{Verb: clustertest.VerbGetOperation, Nth: 3, Times: 5})
		var out bytes.Buffer
		args := []string{"-project", "my-project", "-max", "8"}
		if err := run(t.Context(), args, &out, srv.ClientOptions()...); err != nil {
			t.Error(err)
		}
		rest, ok := strings.CutPrefix(out.String(), plan)
		// Times but the first differ, because pauses between reads are left to chance.
		want := regexp.MustCompile(`^   0s under way\n +\d+s .*UNAVAILABLE.*\n *4m\d+s ended\nDone: cpu 2\.\.8 x n2-standard-8\n$`)
		if !ok || !want.MatchString(rest) {
			t.Errorf("got\n%s", &out)
		}
		if n := srv.PendingFaults(); n != 0 {
			t.Errorf("%d faults were not met", n)
		}
	})
}

// TestRefusals: what the program does not do, it says, and sends nothing.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		args       []string
		out, wrong []string // parts of the output and of the error
	}{
		{[]string{"-max", "1"},
			[]string{"! pool cpu: 1 node fewer, with what runs there"},
			[]string{"cluster.EffectNodeRemoval", "-allow-removal"}},
		{[]string{"-pool", "login", "-max", "1", "-cluster", "twologins"},
			[]string{"! pool login: 1 node replaced or removed, which ends SSH sessions"},
			[]string{"cluster.EffectLoginRecreation", "-allow-removal"}},
		{[]string{"-max", "2"}, []string{"Pool cpu has that size already."}, nil},
		{[]string{"-pool", "gpu", "-max", "2"}, nil, []string{`no pool "gpu"`, "cpu 2 x n2-standard-8"}},
		{[]string{"-project", "my-project"}, nil, []string{"-max 8"}},
		{[]string{"-project", "my-project", "8"}, nil, []string{`unexpected argument "8"`}},
		{[]string{"-h"}, nil, []string{"help"}},
	} {
		srv := sample(t)
		var out bytes.Buffer
		err := run(t.Context(), tt.args, &out, srv.ClientOptions()...)
		for _, part := range tt.out {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%v: %q is not in the output:\n%s", tt.args, part, &out)
			}
		}
		if (err == nil) != (tt.wrong == nil) {
			t.Errorf("%v: got error %v", tt.args, err)
		}
		for _, part := range tt.wrong {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%v: %q is not in the error: %v", tt.args, part, err)
			}
		}
		if sent := srv.RequestsFor(clustertest.VerbUpdate); len(sent) != 0 {
			t.Errorf("%v: sent %v", tt.args, sent)
		}
	}
}

func TestAllowedRemoval(t *testing.T) {
	for _, tt := range []struct {
		args []string
		done string
	}{
		{args: []string{"-max", "1"}, done: "Done: cpu 1 x n2-standard-8\n"},
		{args: []string{"-pool", "login", "-max", "1", "-cluster", "twologins"}, done: "Done: login 1 x n2-standard-8\n"},
	} {
		srv := sample(t)
		var out bytes.Buffer
		if err := run(t.Context(), append(tt.args, "-allow-removal"), &out, srv.ClientOptions()...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		if !strings.HasSuffix(out.String(), tt.done) {
			t.Errorf("%v: got\n%s", tt.args, &out)
		}
		if sent := srv.RequestsFor(clustertest.VerbUpdate); len(sent) != 1 {
			t.Errorf("%v: sent %v", tt.args, sent)
		}
	}
}

// sample are servers with the embedded cluster and one that has two login nodes.
func sample(t *testing.T) *clustertest.Server {
	t.Helper()
	srv, err := demo.Sample("training")
	if err != nil {
		t.Fatal(err)
	}
	one := `"min_node_count": 1,
        "max_node_count": 1`
	two := strings.Replace(string(demo.GuideCluster), one, strings.ReplaceAll(one, "1", "2"), 1)
	if err := srv.AddCluster("twologins", []byte(two)); err != nil {
		t.Fatal(err)
	}
	return srv
}

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

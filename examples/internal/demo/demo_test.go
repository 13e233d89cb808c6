package demo_test

import (
	"flag"
	"io"
	"strings"
	"testing"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

// parse returns the place that args say and the options for its clients.
func parse(t *testing.T, args []string, opts ...option.ClientOption) (*demo.Place, []option.ClientOption) {
	t.Helper()
	p := demo.Flags(flag.NewFlagSet(t.Name(), flag.ContinueOnError))
	opts, err := p.Parse(args, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p, opts
}

func TestEmbeddedCluster(t *testing.T) {
	p, opts := parse(t, nil)
	c, err := cluster.NewClient(t.Context(), p.Parent(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.GetCluster(t.Context(), p.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := "cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8"; m.String() != want {
		t.Errorf("got %s, want %s", m, want)
	}
}

// TestNoProject: nobody takes the embedded servers for a cluster that a flag names.
func TestNoProject(t *testing.T) {
	for _, args := range [][]string{{"-cluster", "mine"}, {"-region", "europe-west4"}, {"-cluster", "x", "-region", "europe-west4"}} {
		_, err := demo.Flags(flag.NewFlagSet(t.Name(), flag.ContinueOnError)).Parse(args, nil)
		if err == nil || !strings.Contains(err.Error(), "name its -project, too") {
			t.Errorf("%v: got %v", args, err)
		}
	}
}

// TestRealCluster: no options are the ones for it, and names are those of the flags.
func TestRealCluster(t *testing.T) {
	p, opts := parse(t, []string{"-project", "yours", "-region", "us-east4", "-cluster", "big"})
	if len(opts) > 0 || p.Embedded() || p.Name() != "projects/yours/locations/us-east4/modelDevelopmentClusters/big" || p.Pace() != nil || p.Settle() != nil {
		t.Errorf("got %d options and %s", len(opts), p.Name())
	}
}

// TestOptionsOfTests are taken, with and without a project.
func TestOptionsOfTests(t *testing.T) {
	for _, args := range [][]string{nil, {"-project", "yours"}} {
		if _, opts := parse(t, args, auth.WithoutAuthentication()); len(opts) != 1 {
			t.Errorf("%v: %d options", args, len(opts))
		}
	}
}

func TestImpossiblePlaces(t *testing.T) {
	for _, args := range [][]string{
		{"-region", "mars"}, {"-cluster", "Not An ID"}, {"-cluster", ""}, {"-region", ""}, {"-project", "a/b"}, {"training"}, {"-clusters", "x"},
	} {
		flags := flag.NewFlagSet(t.Name(), flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		if _, err := demo.Flags(flags).Parse(args, nil); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

func TestServersRefuseABadAddress(t *testing.T) {
	if _, err := demo.Servers("slurm.example.com"); err == nil || !strings.Contains(err.Error(), "unix:/PATH") {
		t.Errorf("got %v, want an error that names the forms", err)
	}
}

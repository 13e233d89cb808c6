package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
)

const robot = "robot@my-project.iam.gserviceaccount.com"

const kinds = `What reaches a service in this program; with -project and no other flag it would be application default credentials.
With a token:
  the service sees the token "token-of-me"
cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
With the key of a service account:
  the service sees the token "token-of-robot, given for its key"
cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
With impersonation of a service account:
  the service sees the token "token-of-robot, given to token-of-me"
cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
With a token that is refused:
  the service sees the token "nonsense"
What to do: the token was rejected: `

func TestWithoutFlags(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), nil, &out); err != nil {
		t.Error(err)
	}
	head, hint, _ := strings.Cut(out.String(), "run \"gcloud")
	if diff := cmp.Diff(kinds, head); diff != "" || !strings.Contains(hint, "that fails: cluster: get projects/my-project") {
		t.Error(diff, hint)
	}
}

// TestRealCluster calls with what the test gives, since the options of the flags come after it.
func TestRealCluster(t *testing.T) {
	srv, err := demo.Sample("training")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-project", "my-project"}, &out, srv.ClientOptions()...); err != nil {
		t.Error(err)
	}
	srv.Deny("aiplatform.modelDevelopmentClusters.get")
	if err := run(t.Context(), []string{"-project", "my-project"}, &out, srv.ClientOptions()...); err == nil {
		t.Error("no error without a permission")
	}
	const want = "cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8\n" +
		"What to do: the caller needs aiplatform.modelDevelopmentClusters.get, which roles/aiplatform.viewer grants"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s", &out)
	}
	if n := len(srv.RequestsFor(clustertest.VerbGet)); n != 2 {
		t.Errorf("%d reads", n)
	}
}

func TestChoice(t *testing.T) {
	for _, tt := range []struct {
		key     string
		gcloud  bool
		account string
		options int
	}{
		{options: 0},
		{key: "key.json", options: 1},
		{gcloud: true, options: 1},
		{gcloud: true, account: robot, options: 1},
		{account: robot, options: 1},
	} {
		if got := choose(tt.key, tt.gcloud, tt.account); len(got) != tt.options {
			t.Errorf("%+v: %d options", tt, len(got))
		}
	}
}

// TestWrongFlags: what is wrong with credentials is an *auth.Error, whoever found it.
func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"-key", "missing.json"}, {"-as", "robot"}} {
		var refused *auth.Error
		err := run(t.Context(), append(args, "-project", "my-project"), new(bytes.Buffer))
		if !errors.As(err, &refused) {
			t.Errorf("%v: got %v", args, err)
		}
	}
}

// TestFlagsThatMeanNothing together.
func TestFlagsThatMeanNothing(t *testing.T) {
	for _, args := range [][]string{{"-key", "key.json"}, {"-gcloud"}, {"-as", robot}} {
		demotest.Refuses(t, run, "-project", args...)
	}
	demotest.Refuses(t, run, "-project", "-cluster", "x", "-region", "europe-west4")
	demotest.Refuses(t, run, "one of the two", "-project", "my-project", "-key", "key.json", "-gcloud")
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

// TestMain lets the test binary be the second process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-endpoint" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestTwoRuns: the second is given what the first printed, and has clients of its own.
func TestTwoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.SampleOf("training", demo.GuideCluster, clustertest.WithOperationTime(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		if err := run(t.Context(), nil, &first, srv.ClientOptions()...); err != nil {
			t.Fatal(err)
		}
		const kept = "1 2 projects/123456789012/locations/us-central1/operations/4000000000000000001"
		if got := first.String(); got != "keep: "+kept+"\n" {
			t.Fatalf("kept %s", got)
		}
		if err := run(t.Context(), strings.Fields(kept), &second, srv.ClientOptions()...); err != nil {
			t.Error(err)
		}
		want := regexp.MustCompile(`^operation projects/\S+ succeeded\njob 1 \(long\) COMPLETED on n\d\njob 2 \(long\) COMPLETED on n\d\n$`)
		if !want.MatchString(second.String()) {
			t.Errorf("got\n%s", &second)
		}
		if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != 1 {
			t.Errorf("%d updates", n)
		}
	})
}

// TestRealCluster: its settings stay as they are.
func TestRealCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.Sample("training")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-project", "my-project"}, &out, srv.ClientOptions()...); err != nil || out.String() != "keep: 1 2\n" {
			t.Errorf("error %v, output %s", err, &out)
		}
		if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != 0 {
			t.Errorf("%d updates", n)
		}
	})
}

// TestAnotherProcess has it wait for an operation that has ended, so that it takes no time.
func TestAnotherProcess(t *testing.T) {
	place := &demo.Place{Region: "us-central1", Cluster: "training"}
	url, err := place.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, name, err := place.Clusters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	operation, err := (&work{clusters: c, name: name}).edit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := another(t.Context(), &out, "-endpoint", url, operation); err != nil {
		t.Error(err)
	}
	if want := "operation " + operation + " succeeded\n"; out.String() != want {
		t.Errorf("got %s, want %s", &out, want)
	}
}

func TestNoJobID(t *testing.T) {
	err := run(t.Context(), []string{"seven"}, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "not a job id") {
		t.Errorf("got %v", err)
	}
}

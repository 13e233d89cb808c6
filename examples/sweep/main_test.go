package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := demo.Sample("training")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-jobs", "40"}, &out, srv.ClientOptions()...); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !strings.HasPrefix(got, "submitted 40 of 40 jobs\n") || !regexp.MustCompile(`(?m)^40 jobs: .*40 completed|40 jobs: 40 completed`).MatchString(got) {
			t.Errorf("got\n%s", got)
		}
		// 40 submits, and far fewer reads than one for each job.
		if n := len(srv.RequestsFor(clustertest.VerbCallSlurm)); n > 40+30 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

// TestFailedSubmits: the jobs that there are run, so they are waited for, and what has failed is told.
func TestFailedSubmits(t *testing.T) {
	for _, tt := range []struct {
		servers func(*testing.T) *clustertest.Server
		is      error
		part    string // of the error
		sum     string
	}{
		{demotest.Partial, slurm.ErrPartial, "a member was not understood", "1 job: 1 COMPLETED"},
		{func(t *testing.T) *clustertest.Server { return demotest.Held(t, 3) }, slurm.ErrUncertain, "tc-", "2 jobs: 2 COMPLETED"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), nil, &out, tt.servers(t).ClientOptions()...)
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.part) || !strings.Contains(out.String(), tt.sum) {
				t.Errorf("error %v, output\n%s", err, &out)
			}
		})
	}
}

func TestNoJobs(t *testing.T) { demotest.Refuses(t, run, "-jobs", "-jobs", "-1") }

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
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
		if !strings.HasPrefix(got, "submitted 40 jobs\n") || !regexp.MustCompile(`(?m)^40 jobs: .*40 completed|40 jobs: 40 completed`).MatchString(got) {
			t.Errorf("got\n%s", got)
		}
		// 40 submits, and far fewer reads than one for each job.
		if n := len(srv.RequestsFor(clustertest.VerbCallSlurm)); n > 40+30 {
			t.Errorf("%d requests", n)
		}
	})
}

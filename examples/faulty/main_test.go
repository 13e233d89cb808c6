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

func TestReports(t *testing.T) {
	for _, tt := range []struct {
		args []string
		out  string // a pattern: when an operation is looked at is left to chance
	}{
		{nil, `training-a4-0 reported as \S+\ntraining-a4-0 is REPAIRING\n   0s under way\n +\d+s ended\ntraining-a4-0 is RUNNING\n`},
		{[]string{"-node", "training-a4-1", "-replace"}, `training-a4-1 reported as \S+\ntraining-a4-1 is PREPARING\n(?s).*training-a4-1 is RUNNING\n`},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(t.Context(), tt.args, &out); err != nil {
				t.Errorf("%v: %v", tt.args, err)
			}
			if !regexp.MustCompile("^" + tt.out + "$").MatchString(out.String()) {
				t.Errorf("%v: got\n%s", tt.args, &out)
			}
		})
	}
}

// TestWhatIsSent: the reason of the report, and nothing about a host if the node is to be replaced.
func TestWhatIsSent(t *testing.T) {
	for _, tt := range []struct {
		args []string
		sent string
	}{
		{[]string{"-behavior", "PERFORMANCE", "-text", "slow"}, `"faultReasons":[{"behavior":"PERFORMANCE","description":"slow"}]`},
		{[]string{"-replace"}, `{"nodeActions":[{"nodeId":"training-a4-0"}]}`},
	} {
		srv, err := demo.SampleOf("training", demo.GPUCluster)
		if err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), tt.args, new(bytes.Buffer), srv.ClientOptions()...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		sent := srv.RequestsFor(clustertest.VerbReportFaultyNodes)
		if len(sent) != 1 || !strings.Contains(string(sent[0].Body), tt.sent) {
			t.Errorf("%v: sent %s, want %s in it", tt.args, sent[0].Body, tt.sent)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		wrong string
	}{
		{[]string{"-node", "training-login-001"}, "-replace takes nodes of all machines"},
		{[]string{"-node", "training-a4-7"}, "is not part of cluster"},
		{[]string{"-project", "my-project"}, "no node is named"},
	} {
		srv, err := demo.SampleOf("training", demo.GPUCluster)
		if err != nil {
			t.Fatal(err)
		}
		err = run(t.Context(), tt.args, new(bytes.Buffer), srv.ClientOptions()...)
		if err == nil || !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%v: got %v, want %q in it", tt.args, err, tt.wrong)
		}
	}
}

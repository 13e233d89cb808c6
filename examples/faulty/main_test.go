package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
)

func TestReports(t *testing.T) {
	for _, tt := range []struct {
		args []string
		out  string // a pattern: when an operation is looked at is left to chance
	}{
		{nil, `training-a4-0 is RUNNING
to be sent: {"nodeId":"training-a4-0","reportFaultyHost":{"faultReasons":\[{"behavior":"UNRECOVERABLE_GPU_ERROR","description":"Xid 79 on GPU 3"}\]}}
accepted as \S+
   0s under way
 +\d+s ended
training-a4-0 is RUNNING
`},
		{[]string{"-node", "training-a4-1", "-replace"}, `training-a4-1 is RUNNING
to be sent: {"nodeId":"training-a4-1"}
(?s).*training-a4-1 is RUNNING
`},
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

// TestWhatIsSent: the reason of the report, and nothing about a host if the node is to be replaced; to a real cluster
// nothing that was not asked for.
func TestWhatIsSent(t *testing.T) {
	report := []string{"-node", "training-a4-0", "-behavior", "PERFORMANCE", "-text", "slow"}
	for _, tt := range []struct {
		args []string
		sent string
	}{
		{report, `"faultReasons":[{"behavior":"PERFORMANCE","description":"slow"}]`},
		{[]string{"-node", "training-a4-0", "-replace"}, `{"nodeActions":[{"nodeId":"training-a4-0"}]}`},
		{append(report, "-project", "my-project"), ""},
		{append(report, "-project", "my-project", "-send"), `"description":"slow"`},
	} {
		srv, err := demo.SampleOf("training", demo.GPUCluster)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(t.Context(), tt.args, &out, srv.ClientOptions()...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		sent := srv.RequestsFor(clustertest.VerbReportFaultyNodes)
		switch {
		case tt.sent == "" && (len(sent) > 0 || !strings.HasSuffix(out.String(), "Not sent; -send does that, and the jobs on the node are lost.\n")):
			t.Errorf("%v: sent %v, and said\n%s", tt.args, sent, &out)
		case tt.sent != "" && (len(sent) != 1 || !strings.Contains(string(sent[0].Body), tt.sent)):
			t.Errorf("%v: sent %v, want %s in it", tt.args, sent, tt.sent)
		}
	}
}

// TestNoStatus: a cluster need not say how its nodes are.
func TestNoStatus(t *testing.T) {
	for _, status := range []string{`null`, `{"state": "RUNNING"}`, `{"nodesStatus": [{"nodeState": "RUNNING"}]}`} {
		srv, err := demo.SampleOf("training", demo.GPUCluster)
		if err != nil {
			t.Fatal(err)
		}
		srv.Inject(clustertest.Fault{
			Verb: clustertest.VerbGet, Times: -1, Kind: clustertest.FaultReply, HTTPStatus: 200, ContentType: "application/json",
			Body: `{"name": "projects/123456789012/locations/us-central1/modelDevelopmentClusters/training", "clusterStatus": ` + status + `}`,
		})
		var out bytes.Buffer
		err = run(t.Context(), nil, &out, srv.ClientOptions()...)
		if n := strings.Count(out.String(), "training-a4-0 is in no state that the service tells\n"); err != nil || n != 2 {
			t.Errorf("%s: error %v, output\n%s", status, err, &out)
		}
	}
}

// TestRefusals: what the service refuses is told as it is, and what is missing is not made up for a real cluster.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		wrong string
	}{
		{[]string{"-node", "training-login-001", "-behavior", "PERFORMANCE", "-text", "slow"}, "is not supported for machine type"},
		{[]string{"-node", "training-a4-7", "-replace"}, "is not part of cluster"},
		{[]string{"-project", "my-project"}, "want -node"},
		{[]string{"-project", "my-project", "-node", "training-a4-0", "-behavior", "PERFORMANCE"}, "-behavior and -text"},
		{[]string{"-project", "my-project", "-node", "training-a4-0", "-text", "slow"}, "-behavior and -text"},
		{[]string{"-node", "training-a4-0", "-behavior", "PERFORMANCE", "-text", "slow", "-replace"}, "either -behavior"},
		{[]string{"-node", "training-a4-0", "-text", "slow", "-replace"}, "either -behavior"},
		{[]string{"-replace"}, "want -node"},
	} {
		srv, err := demo.SampleOf("training", demo.GPUCluster)
		if err != nil {
			t.Fatal(err)
		}
		err = run(t.Context(), tt.args, new(bytes.Buffer), srv.ClientOptions()...)
		if err == nil || !strings.Contains(err.Error(), tt.wrong) || strings.Contains(err.Error(), "all machines") {
			t.Errorf("%v: got %v, want %q in it", tt.args, err, tt.wrong)
		}
	}
}

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

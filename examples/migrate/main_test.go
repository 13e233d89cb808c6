package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

const settings = `AccountingStorageEnforce=associations,limits,qos
PreemptExemptTime=00:00:00
PreemptMode=SUSPEND,GANG
PreemptType=preempt/partition_prio
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightTRES=cpu=100,mem=150
`

// TestMigration: without flags the change is made, on a real cluster only with -send, and a second time there is none.
func TestMigration(t *testing.T) {
	srv, err := demo.SampleOf("training", demo.LegacyCluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		out  string // the end of the output
		sent int    // so far
	}{
		{[]string{"-project", "my-project"}, "starts with it only a ping shows)\n", 0},
		{nil, "   0s ended\n" + settings, 1},
		{[]string{"-project", "my-project", "-send"}, "Nothing changes.\n", 1},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), tt.args, &out, srv.ClientOptions()...); err != nil {
			t.Errorf("%v: %v", tt.args, err)
		}
		if !strings.HasSuffix(out.String(), tt.out) {
			t.Errorf("%v: got\n%s\nwant at its end\n%s", tt.args, &out, tt.out)
		}
		if n := len(srv.RequestsFor(clustertest.VerbUpdate)); n != tt.sent {
			t.Errorf("%v: %d updates, want %d", tt.args, n, tt.sent)
		}
	}
}

func TestWithoutFlags(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), nil, &out); err != nil || !strings.HasSuffix(out.String(), settings) {
		t.Errorf("error %v, output\n%s", err, &out)
	}
}

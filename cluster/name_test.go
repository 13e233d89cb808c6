package cluster_test

import (
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestNamesOfOneClusterDiffer: the service answers with the project's number, so that only location and id tell
// whether two names mean one cluster.
func TestNamesOfOneClusterDiffer(t *testing.T) {
	const asked = "projects/my-project/locations/us-central1/modelDevelopmentClusters/training"
	answered := parse(t, payload(t, "response-cluster-get.json"))
	a, err := cluster.ParseName(asked)
	if err != nil {
		t.Fatal(err)
	}
	b, err := cluster.ParseName(answered.Name)
	if err != nil {
		t.Fatal(err)
	}
	if a == b || a.Location != b.Location || a.ID != b.ID || a.ID != answered.ID() || b.Project != "123456789012" {
		t.Errorf("asked for %+v, answered %+v", a, b)
	}
	if a.String() != asked || b.String() != answered.Name {
		t.Errorf("%s and %s do not read back", a, b)
	}
	for _, bad := range []string{"", "training", asked + "/x", strings.Replace(asked, "training", "..", 1)} {
		if n, err := cluster.ParseName(bad); err == nil || !strings.HasPrefix(err.Error(), "cluster: ") {
			t.Errorf("ParseName(%q) = %v, %v", bad, n, err)
		}
	}
}

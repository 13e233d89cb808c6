package cluster_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// TestMigration takes the guides' cluster in the older form to the newer one, on a server that refuses both together.
func TestMigration(t *testing.T) {
	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithOperationTime(0))
	if err := srv.AddCluster("training", payload(t, "cpu-advanced-slurm-legacy.json")); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.GetCluster(t.Context(), "training")
	if err != nil {
		t.Fatal(err)
	}
	var step func(*cluster.ModelDevelopmentCluster) error = (*cluster.ModelDevelopmentCluster).MigrateToConfig
	if err := errors.Join(step(m), step(m)); err != nil { // the second time there is nothing to do
		t.Fatal(err)
	}
	mask := cluster.FieldMask{cluster.PathConfig, cluster.Clear(cluster.PathScheduling), cluster.Clear(cluster.PathAccounting)}
	op, err := c.UpdateCluster(t.Context(), m, mask, cluster.UpdateModeUserOnly)
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, err = c.GetCluster(t.Context(), "training"); err != nil {
		t.Fatal(err)
	}
	want := cluster.SlurmConfig{
		"AccountingStorageEnforce": "associations,limits,qos", "PriorityType": "priority/multifactor", "PriorityWeightAge": "1000",
		"PriorityWeightFairshare": "10000", "PriorityWeightTRES": "cpu=100,mem=150", "PreemptType": "preempt/partition_prio",
		"PreemptMode": "SUSPEND,GANG", "PreemptExemptTime": "00:00:00",
	}
	if s := m.Slurm(); !maps.Equal(s.Config, want) || s.Scheduling != nil || s.Accounting != nil {
		t.Errorf("config\n%s, scheduling %v, accounting %v", cmp.Diff(map[string]string(want), map[string]string(s.Config)), s.Scheduling, s.Accounting)
	}
}

func TestMigrationOfEachSetting(t *testing.T) {
	type config = cluster.SlurmConfig
	for _, tt := range []struct {
		name   string
		before cluster.SlurmSpec
		want   config // nil if it stays nil
		err    string
	}{
		{"all", cluster.SlurmSpec{
			Scheduling: &cluster.Scheduling{PriorityType: "a", PriorityWeightAge: 1, PriorityWeightAssoc: 2, PriorityWeightFairshare: 3, PriorityWeightJobSize: 4,
				PriorityWeightPartition: 5, PriorityWeightQOS: 6, PriorityWeightTRES: "b", PreemptType: "c", PreemptMode: "d", PreemptExemptTime: "e"},
			Accounting: &cluster.Accounting{AccountingStorageEnforce: "f"},
		}, config{"PriorityType": "a", "PriorityWeightAge": "1", "PriorityWeightAssoc": "2", "PriorityWeightFairshare": "3", "PriorityWeightJobSize": "4",
			"PriorityWeightPartition": "5", "PriorityWeightQOS": "6", "PriorityWeightTRES": "b", "PreemptType": "c", "PreemptMode": "d", "PreemptExemptTime": "e",
			"AccountingStorageEnforce": "f"}, ""},
		{"nothing", cluster.SlurmSpec{}, nil, ""},
		{"config only", cluster.SlurmSpec{Config: config{"A": "1"}}, config{"A": "1"}, ""},
		{"defaults only", cluster.SlurmSpec{Scheduling: &cluster.Scheduling{}, Accounting: &cluster.Accounting{}}, config{}, ""},
		{"one of them", cluster.SlurmSpec{Accounting: &cluster.Accounting{AccountingStorageEnforce: "f"}, Config: config{"A": "1"}}, config{"A": "1", "AccountingStorageEnforce": "f"}, ""},
		{"the same value twice", cluster.SlurmSpec{Scheduling: &cluster.Scheduling{PriorityWeightAge: 5}, Config: config{"priority_weight_age": "5"}}, config{"priority_weight_age": "5"}, ""},
		{"another value", cluster.SlurmSpec{Scheduling: &cluster.Scheduling{PriorityWeightAge: 5, PreemptMode: "OFF"}, Config: config{"priority_weight_age": "6"}}, config{"priority_weight_age": "6"},
			`cluster: orchestrator_spec.slurm_spec.config has priority_weight_age "6" already, and the older form has "5"; remove one of them`},
	} {
		m := &cluster.ModelDevelopmentCluster{OrchestratorSpec: &cluster.OrchestratorSpec{SlurmSpec: &tt.before}}
		before := tt.before
		err := m.MigrateToConfig()
		s := m.Slurm()
		if (s.Config == nil) != (tt.want == nil) || !maps.Equal(s.Config, tt.want) {
			t.Errorf("%s: config %v", tt.name, s.Config)
		}
		if tt.err != "" {
			if err == nil || err.Error() != tt.err || s.Scheduling != before.Scheduling || s.Accounting != before.Accounting {
				t.Errorf("%s: %v", tt.name, err)
			}
		} else if err != nil || s.Scheduling != nil || s.Accounting != nil {
			t.Errorf("%s: %v, %v, %v", tt.name, err, s.Scheduling, s.Accounting)
		}
	}
	for _, empty := range []*cluster.ModelDevelopmentCluster{nil, {}, {OrchestratorSpec: &cluster.OrchestratorSpec{}}} {
		if err := empty.MigrateToConfig(); err != nil {
			t.Errorf("%v: %v", empty, err)
		}
	}
}

// TestMigrationKnowsItsLimits: a member that nobody here knows cannot be moved, and must not be lost.
func TestMigrationKnowsItsLimits(t *testing.T) {
	for _, doc := range []string{`{"scheduling":{"newThing":1,"another":2,"priorityWeightAge":5}}`, `{"accounting":{"another":"x","newThing":"y"},"scheduling":{"preemptMode":"OFF"}}`} {
		m := parse(t, []byte(`{"orchestratorSpec":{"slurmSpec":`+doc+`}}`))
		err := m.MigrateToConfig()
		if err == nil || !strings.HasPrefix(err.Error(), "cluster: orchestrator_spec.slurm_spec.") || !strings.Contains(err.Error(), "does not know: another, newThing; set them in") {
			t.Errorf("%s: %v", doc, err)
		}
		if s := m.Slurm(); s.Config != nil || s.Scheduling == nil {
			t.Errorf("%s: the error changed the cluster: %v, %v", doc, s.Config, s.Scheduling)
		}
	}
}

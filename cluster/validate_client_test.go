package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// created is the body that a creation sends, or its error.
func created(t *testing.T, id string, m *cluster.ModelDevelopmentCluster, opts ...gax.CallOption) (string, error) {
	t.Helper()
	c, w := scripted(t, reply{status: 200, body: string(payload(t, "response-create-operation.json"))})
	_, err := c.CreateCluster(context.Background(), id, m, opts...)
	if err != nil {
		if len(w.requests) > 0 {
			t.Errorf("refused, and sent all the same: %v", err)
		}
		return "", err
	}
	return w.requests[0].body, nil
}

func TestCreateRefusesWhatTheServiceWould(t *testing.T) {
	broken := func() *cluster.ModelDevelopmentCluster {
		m := parse(t, payload(t, "gpu-filestore.json"))
		m.NodePool("a4").ProvisioningModel = "STANDARD"
		m.Slurm().HomeDirectoryStorage = ""
		m.DisplayName = "A warning does not matter"
		return m
	}
	_, err := created(t, "Training", broken())
	var e *cluster.Error
	if !errors.As(err, &e) || e.Code != codes.InvalidArgument || e.Attempts != 0 || !e.Unprocessed || e.Transient() || !errors.Is(err, cluster.ErrInvalidArgument) {
		t.Fatalf("%#v", err)
	}
	if got := fields(e.Violations); got != "model_development_cluster_id\nnode_pools[1].provisioning_model\norchestrator_spec.slurm_spec.home_directory_storage" {
		t.Errorf("violations of\n%s", got)
	}
	const prefix = "cluster: create " + parent + "/modelDevelopmentClusters/Training: INVALID_ARGUMENT: model_development_cluster_id: cluster id "
	for _, text := range []string{`"Training" has 'T'`, "; node_pools[1].provisioning_model: STANDARD is none", "; orchestrator_spec.slurm_spec.home_directory_storage: is not set"} {
		if !strings.HasPrefix(err.Error(), prefix) || !strings.Contains(err.Error(), text) || !strings.Contains(e.Message, text) {
			t.Errorf("%v\nwant %s and %s", err, prefix, text)
		}
	}
	warned := broken()
	warned.NodePool("a4").ProvisioningModel, warned.Slurm().HomeDirectoryStorage = "RESERVATION", "projects/p/locations/us-central1-a/instances/f"
	if _, err := created(t, "training", warned); err != nil {
		t.Errorf("warnings alone: %v", err)
	}
	body, err := created(t, "Training", broken(), gax.WithTimeout(time.Minute), cluster.WithoutValidation())
	if err != nil || !strings.Contains(body, "STANDARD") {
		t.Errorf("without validation: %s, %v", body, err)
	}
}

// TestSomeThingsAreRefusedAlways, because they cannot be sent.
func TestSomeThingsAreRefusedAlways(t *testing.T) {
	holes := func(change edit) *cluster.ModelDevelopmentCluster {
		m := parse(t, payload(t, "gpu-filestore.json"))
		change(m)
		return m
	}
	for _, tt := range []struct {
		name string
		id   string
		m    *cluster.ModelDevelopmentCluster
		want string
	}{
		{"no cluster", "training", nil, "the cluster is nil; want at least its network, node pools and Slurm settings"},
		{"a nil pool", "training", holes(func(m *spec) { m.NodePools[1] = nil }), "node_pools[1]: "},
		{"a nil partition", "training", holes(func(m *spec) { m.Slurm().Partitions[0] = nil }), "orchestrator_spec.slurm_spec.partitions[0]: "},
		{"a nil node set", "training", holes(func(m *spec) { m.Slurm().NodeSets = []*cluster.NodeSet{nil} }), "orchestrator_spec.slurm_spec.node_sets[0]: "},
		{"no id", "", holes(func(m *spec) { m.Name = "other" }), "cluster id is empty; want"},
		{"a path for an id", "a/b", holes(func(*spec) {}), `cluster id "a/b" has '/'`},
		{"a query in the id", "a&updateMode=x", holes(func(*spec) {}), `cluster id "a&updateMode=x" has`},
		{"a full name for an id", parent + "/modelDevelopmentClusters/t", holes(func(*spec) {}), `cluster id "projects/`},
	} {
		for _, opts := range [][]gax.CallOption{nil, {cluster.WithoutValidation()}} {
			if body, err := created(t, tt.id, tt.m, opts...); !errors.Is(err, cluster.ErrInvalidArgument) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, sent %q", tt.name, err, body)
			}
		}
	}
}

// TestUpdatesAreCheckedAsFarAsTheyReach: a rule about two fields holds only if both are sent, since what the service
// has in the other is not known.
func TestUpdatesAreCheckedAsFarAsTheyReach(t *testing.T) {
	const (
		pools, partitions, byDefault = cluster.PathNodePools, cluster.PathPartitions, cluster.PathDefaultPartitionID
		login, sets, config          = cluster.PathLoginNodePoolID, cluster.PathNodeSets, cluster.PathConfig
	)
	slurm := func(change func(*cluster.SlurmSpec)) edit { return slurmSpec(change) }
	elastic := pool(0, func(p *cluster.NodePool) { p.ScalingSpec.MaxNodeCount = 2 })
	elsewhere := slurm(func(s *cluster.SlurmSpec) { s.Partitions[0].NodePoolIDs = []string{"elsewhere"} })
	for _, tt := range []struct {
		name   string
		change edit
		mask   cluster.FieldMask
		want   string // "" if it is sent
	}{
		{"pools, one of which breaks a rule", pool(1, func(p *cluster.NodePool) { p.ProvisioningModel = "" }), cluster.FieldMask{pools}, "node_pools[1].provisioning_model: is not set"},
		{"labels of the same cluster", pool(1, func(p *cluster.NodePool) { p.ProvisioningModel = "" }), cluster.FieldMask{cluster.PathLabels}, ""},
		{"all fields of a cluster without home directory", slurm(func(s *cluster.SlurmSpec) { s.HomeDirectoryStorage = "" }), cluster.FieldMask{cluster.AllFields}, "home_directory_storage: is not set"},
		{"pools of the same cluster", slurm(func(s *cluster.SlurmSpec) { s.HomeDirectoryStorage = "" }), cluster.FieldMask{pools}, ""},
		{"a login pool that scales, unseen", elastic, cluster.FieldMask{pools}, ""},
		{"a login pool that scales, seen", elastic, cluster.FieldMask{pools, login}, "node_pools[0].scaling_spec: has min_node_count 1 and max_node_count 2"},
		{"a login pool that is none, unseen", slurm(func(s *cluster.SlurmSpec) { s.LoginNodePoolID = "x" }), cluster.FieldMask{login}, ""},
		{"a login pool that is none, seen", slurm(func(s *cluster.SlurmSpec) { s.LoginNodePoolID = "x" }), cluster.FieldMask{login, pools}, `login_node_pool_id: is "x"`},
		{"no login pool any more", func(*spec) {}, cluster.FieldMask{cluster.Clear(login), pools}, `login_node_pool_id: is not set`},
		{"a partition of a pool that is none, unseen", elsewhere, cluster.FieldMask{partitions}, ""},
		{"a partition of a pool that is none, seen", elsewhere, cluster.FieldMask{partitions, pools}, `partitions[0].node_pool_ids[0]: is "elsewhere"`},
		{"a partition of pools that all go", func(*spec) {}, cluster.FieldMask{partitions, cluster.Clear(pools)}, `partitions[0].node_pool_ids[0]: is "a4"; want the id of a node pool: there are none`},
		{"a partition without pools", slurm(func(s *cluster.SlurmSpec) { s.Partitions[0].NodePoolIDs = nil }), cluster.FieldMask{partitions}, "partitions[0].node_pool_ids: is empty"},
		{"a default partition, unseen", slurm(func(s *cluster.SlurmSpec) { s.DefaultPartitionID = "x" }), cluster.FieldMask{byDefault}, ""},
		{"a default partition that is none", slurm(func(s *cluster.SlurmSpec) { s.DefaultPartitionID = "x" }), cluster.FieldMask{byDefault, partitions}, `default_partition_id: is "x"; want the id of a partition: there are a4`},
		{"a default partition of none", slurm(func(s *cluster.SlurmSpec) { s.DefaultPartitionID = "a4" }), cluster.FieldMask{byDefault, cluster.Clear(partitions)}, `default_partition_id: is "a4"; want the id of a partition: there are none`},
		{"a node set of the login pool, unseen", nodeSets("login"), cluster.FieldMask{sets, pools}, ""},
		{"a node set of the login pool, seen", nodeSets("login"), cluster.FieldMask{sets, login}, `node_sets[0].node_pool_id: is "login", the login pool`},
		{"a node set of no pool", nodeSets(""), cluster.FieldMask{sets}, `node_sets[0].node_pool_id: is not set`},
		{"two node sets of a pool", nodeSets("x", "x"), cluster.FieldMask{sets}, `node_sets[1].node_pool_id: is "x", which has a node set already`},
		{"a refused parameter", slurm(func(s *cluster.SlurmSpec) { s.Config.Set("Prolog", "x") }), cluster.FieldMask{config}, "config.Prolog: is refused; use prolog_bash_scripts"},
		{"the same, not sent", slurm(func(s *cluster.SlurmSpec) { s.Config.Set("Prolog", "x") }), cluster.FieldMask{cluster.Clear(config)}, ""},
		{"an odd name of the cluster is not sent", func(m *spec) { m.Name = "Not-New-1" }, cluster.FieldMask{cluster.AllFields}, ""},
	} {
		m := parse(t, payload(t, "gpu-filestore.json"))
		m.Name, m.Labels = "training", map[string]string{"a": "b"}
		tt.change(m)
		_, err := masked(t, m, tt.mask, cluster.UpdateModeUserOnly)
		var e *cluster.Error
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (!errors.As(err, &e) || !strings.Contains(e.Error(), tt.want) || len(e.Violations) != 1 || e.Attempts != 0 || e.Code != codes.InvalidArgument):
			t.Errorf("%s: %v; want %q", tt.name, err, tt.want)
		}
		if _, err := masked(t, m, tt.mask, cluster.UpdateModeUserOnly, cluster.WithoutValidation()); err != nil {
			t.Errorf("%s, without validation: %v", tt.name, err)
		}
	}
}

// TestOneFormOfSettings: the newer form and the older one exclude each other, counting what the service already has.
func TestOneFormOfSettings(t *testing.T) {
	const (
		config, scheduling, accounting = cluster.PathConfig, cluster.PathScheduling, cluster.PathAccounting
		refused                        = "orchestrator_spec.slurm_spec.config: stands together with scheduling or accounting"
	)
	filled := cluster.SlurmConfig{"PriorityWeightAge": "5"}
	for _, tt := range []struct {
		name   string
		config cluster.SlurmConfig
		mask   cluster.FieldMask
		want   string // error, or what is below slurmSpec in the body
	}{
		{"both sent", filled, cluster.FieldMask{config, scheduling, accounting}, refused},
		{"one stays", filled, cluster.FieldMask{config, cluster.Clear(scheduling)}, refused},
		{"the older form stays", filled, cluster.FieldMask{config}, refused},
		{"config stays", filled, cluster.FieldMask{scheduling}, refused},
		{"the older form goes", filled, cluster.FieldMask{config, cluster.Clear(scheduling), cluster.Clear(accounting)}, `{"config":{"PriorityWeightAge":"5"}}`},
		{"another field", filled, cluster.FieldMask{cluster.PathLoginNodePoolID}, `{"loginNodePoolId":"login"}`},
		// An empty config beside them is left out, and cleared all the same.
		{"config goes", filled, cluster.FieldMask{cluster.Clear(config), scheduling, accounting}, `{"scheduling":{"priorityWeightAge":7},"accounting":{"accountingStorageEnforce":"limits"}}`},
		{"an empty config goes", cluster.SlurmConfig{}, cluster.FieldMask{config, accounting}, `{"accounting":{"accountingStorageEnforce":"limits"}}`},
		{"all go", filled, cluster.FieldMask{cluster.Clear(config), cluster.Clear(scheduling), cluster.Clear(accounting)}, `{"config":{}}`},
		{"config goes alone", filled, cluster.FieldMask{cluster.Clear(config)}, `{"config":{}}`},
	} {
		m := &cluster.ModelDevelopmentCluster{Name: "training"}
		s := m.Slurm()
		s.LoginNodePoolID, s.Config = "login", tt.config
		s.Scheduling = &cluster.Scheduling{PriorityWeightAge: 7}
		s.Accounting = &cluster.Accounting{AccountingStorageEnforce: "limits"}
		body, err := masked(t, m, tt.mask, cluster.UpdateModeUserOnly)
		if tt.want == refused {
			if err == nil || !strings.Contains(err.Error(), refused) || !strings.Contains(err.Error(), "FieldMask{PathConfig, Clear(PathScheduling), Clear(PathAccounting)}") {
				t.Errorf("%s: %v, sent %s", tt.name, err, body)
			}
			continue
		}
		if want := `{"orchestratorSpec":{"slurmSpec":` + tt.want + `}}`; err != nil || canonical(t, []byte(body), false) != canonical(t, []byte(want), false) {
			t.Errorf("%s: %v, sent %s, want %s", tt.name, err, body, want)
		}
		if len(s.Config) != len(tt.config) || s.Config == nil || s.Scheduling == nil {
			t.Errorf("%s: the update changed the caller's struct", tt.name)
		}
	}
	// A message without members that is not nil is one that goes.
	m := &cluster.ModelDevelopmentCluster{Name: "training"}
	m.Slurm().Config, m.Slurm().Scheduling = filled, &cluster.Scheduling{}
	if body, err := masked(t, m, cluster.FieldMask{config, scheduling}, cluster.UpdateModeUserOnly); err != nil || strings.Contains(body, "scheduling") {
		t.Errorf("an empty message: %v, sent %s", err, body)
	}
}

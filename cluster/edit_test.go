package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// edited is a server with the cluster of the plans on it, and a client.
func edited(t *testing.T, m *cluster.ModelDevelopmentCluster, opts ...clustertest.Option) (*cluster.Client, *clustertest.Server) {
	t.Helper()
	srv := clustertest.NewServer(append([]clustertest.Option{clustertest.WithTB(t), clustertest.WithOperationTime(0)}, opts...)...)
	if err := srv.AddCluster("training", marshal(t, m)); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	return c, srv
}

func patches(srv *clustertest.Server) []clustertest.Request {
	return srv.RequestsFor(clustertest.VerbUpdate)
}

func resize(m *cluster.ModelDevelopmentCluster) error {
	m.NodePool("cpu").ScalingSpec.MaxNodeCount = 16
	return nil
}

func TestEditSendsWhatChanged(t *testing.T) {
	for _, tt := range []struct {
		name string
		from func(*testing.T) *cluster.ModelDevelopmentCluster
		edit func(*cluster.ModelDevelopmentCluster)
		mask string
		body string // part of it
		not  string // what the body must not have
	}{
		{"a pool's size", planned, func(m *cluster.ModelDevelopmentCluster) { _ = resize(m) }, "node_pools", `"maxNodeCount":16`, "nodeImage"},
		{"a label", planned, func(m *cluster.ModelDevelopmentCluster) { m.Labels["team"] = "speech" }, "labels", `{"labels":{"env":"prod","team":"speech"}}`, ""},
		{"the last label", planned, func(m *cluster.ModelDevelopmentCluster) { m.Labels = nil }, "labels", `{"labels":{}}`, ""},
		{"the default partition", planned, func(m *cluster.ModelDevelopmentCluster) { m.Slurm().DefaultPartitionID = "cpu" },
			cluster.PathDefaultPartitionID, `{"orchestratorSpec":{"slurmSpec":{"defaultPartitionId":"cpu"}}}`, ""},
		// The one guide that wants all three named is content, and so are the others.
		{"a setting", planned, func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Config.Set("preempt_mode", "CANCEL") },
			cluster.PathConfig + "," + cluster.PathScheduling + "," + cluster.PathAccounting,
			`{"orchestratorSpec":{"slurmSpec":{"config":{"PreemptMode":"CANCEL","PreemptType":"preempt/partition_prio","PriorityType":"priority/multifactor","PriorityWeightAge":"1000"}}}}`, ""},
		{"a setting of the older form", legacy, func(m *cluster.ModelDevelopmentCluster) { m.Slurm().Scheduling.PriorityWeightQOS = 5 },
			cluster.PathConfig + "," + cluster.PathScheduling + "," + cluster.PathAccounting,
			`"scheduling":{"priorityType":"priority/multifactor","priorityWeightAge":1000,"priorityWeightQos":5},"accounting":{"accountingStorageEnforce":"associations,limits,qos"}`, "config"},
		{"a member that this version does not know", planned, func(m *cluster.ModelDevelopmentCluster) {
			m.Unknown.Set("maintenanceWindow", json.RawMessage(`{"day":"SUNDAY"}`))
		}, "maintenance_window", `{"maintenanceWindow":{"day":"SUNDAY"}}`, ""},
		{"two lists", planned, func(m *cluster.ModelDevelopmentCluster) {
			_ = resize(m)
			m.Slurm().Partition("cpu").NodePoolIDs = []string{"cpu", "a4"}
		}, "node_pools," + cluster.PathPartitions, `"partitions":[{"id":"gpu"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, srv := edited(t, tt.from(t), clustertest.WithNewField("", "maintenance_window"), clustertest.WithMaskPath("maintenance_window"))
			op, err := c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error { tt.edit(m); return nil }, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := op.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			sent := patches(srv)
			if len(sent) != 1 || !strings.HasSuffix(sent[0].URL, "?updateMask="+tt.mask+"&updateMode=USER_ONLY") {
				t.Fatalf("sent %v, want mask %s", sent, tt.mask)
			}
			body := string(sent[0].Body)
			if !strings.Contains(body, tt.body) || tt.not != "" && strings.Contains(body, tt.not) {
				t.Errorf("sent %s\nwant %s, without %q", body, tt.body, tt.not)
			}
			if p := op.Plan(); p == nil || p.Mask.String() != tt.mask || len(p.Changes) == 0 || p.Mode != cluster.UpdateModeUserOnly {
				t.Errorf("plan %v", p)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	removal := func(m *cluster.ModelDevelopmentCluster) error {
		m.NodePools = slices.Delete(m.NodePools, 1, 2)
		m.Slurm().Partitions = m.Slurm().Partitions[:1]
		return nil
	}
	script := func(pool string) func(m *cluster.ModelDevelopmentCluster) error {
		return func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePool(pool).StartupScript = "#!/bin/bash\n"
			return nil
		}
	}
	for _, tt := range []struct {
		name  string
		edit  func(m *cluster.ModelDevelopmentCluster) error
		opts  *cluster.EditOptions
		is    error
		want  string
		allow []cluster.EffectKind // makes it pass
	}{
		{"a pool left out", removal, nil, cluster.ErrFailedPrecondition,
			`pool cpu: deleted, with up to 8 nodes (left out of node_pools); partition cpu: deleted; jobs there cannot go on (left out of partitions); ` +
				`if that is meant, allow it with EditOptions{Allow: []cluster.EffectKind{cluster.EffectPoolRemoval, cluster.EffectPartitionRemoval}}`,
			[]cluster.EffectKind{cluster.EffectPoolRemoval, cluster.EffectPartitionRemoval}},
		{"one of two kinds allowed", removal, &cluster.EditOptions{Allow: []cluster.EffectKind{cluster.EffectPoolRemoval}}, cluster.ErrFailedPrecondition,
			`partition cpu: deleted; jobs there cannot go on (left out of partitions); if that is meant, allow it with EditOptions{Allow: []cluster.EffectKind{cluster.EffectPartitionRemoval}}`, nil},
		{"compute nodes recreated", script("a4"), nil, cluster.ErrFailedPrecondition, `pool a4: up to 4 nodes drained and recreated (startup_script changes)`,
			[]cluster.EffectKind{cluster.EffectNodeRecreation}},
		{"login nodes recreated", script("login"), &cluster.EditOptions{Allow: []cluster.EffectKind{cluster.EffectNodeRecreation}}, cluster.ErrFailedPrecondition,
			`ends SSH sessions`, []cluster.EffectKind{cluster.EffectLoginRecreation}},
		{"fewer nodes", func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePool("cpu").ScalingSpec.MaxNodeCount = 4
			return nil
		}, nil,
			cluster.ErrFailedPrecondition, `pool cpu: 4 nodes fewer`, []cluster.EffectKind{cluster.EffectNodeRemoval}},
		{"what no mask reaches", func(m *cluster.ModelDevelopmentCluster) error { m.Network.Subnetwork = "other"; return nil }, nil,
			cluster.ErrInvalidArgument, `network.subnetwork: it is set when the cluster is created and cannot be updated`, nil},
		{"a nil pool", func(m *cluster.ModelDevelopmentCluster) error { m.NodePools[1] = nil; return nil }, nil,
			cluster.ErrInvalidArgument, `the edit left node_pools[1] nil; take a pool out with slices.Delete`, nil},
		{"a nil partition", func(m *cluster.ModelDevelopmentCluster) error { m.Slurm().Partitions[0] = nil; return nil }, nil,
			cluster.ErrInvalidArgument, `partitions[0]`, nil},
		{"no edit function", nil, nil, cluster.ErrInvalidArgument, `the edit function is nil`, nil},
		{"an unknown mode", resize, &cluster.EditOptions{Mode: "BOTH"}, cluster.ErrInvalidArgument, `unknown update mode "BOTH"`, nil},
		{"the edit's own error", func(*cluster.ModelDevelopmentCluster) error { return context.Canceled }, nil, context.Canceled,
			`cluster: edit projects/my-project/locations/us-central1/modelDevelopmentClusters/training: context canceled`, nil},
		{"the reviewer's error", resize, &cluster.EditOptions{Review: func(*cluster.Plan) error { return errors.ErrUnsupported }}, errors.ErrUnsupported, `: unsupported operation`, nil},
		{"nothing", func(m *cluster.ModelDevelopmentCluster) error { m.Name, m.ClusterStatus = "other", nil; return nil }, nil, cluster.ErrUnchanged,
			`cluster: edit projects/my-project/locations/us-central1/modelDevelopmentClusters/training: the edit changes nothing`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, srv := edited(t, planned(t))
			op, err := c.EditCluster(t.Context(), "training", tt.edit, tt.opts)
			if !errors.Is(err, tt.is) || !strings.Contains(fmt.Sprint(err), tt.want) || op != nil {
				t.Errorf("%v\nwant %v with %q", err, tt.is, tt.want)
			}
			if n := len(patches(srv)); n > 0 {
				t.Errorf("refused, and sent %d updates all the same", n)
			}
			if tt.allow == nil {
				return
			}
			if _, err := c.EditCluster(t.Context(), "training", tt.edit, &cluster.EditOptions{Allow: tt.allow}); err != nil {
				t.Errorf("allowed: %v", err)
			}
		})
	}
}

// TestEditRefusalHoldsThePlan, for programs that ask somebody.
func TestEditRefusalHoldsThePlan(t *testing.T) {
	c, _ := edited(t, planned(t))
	_, err := c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
		m.NodePool("a4").MachineSpec.MachineType = "a3-megagpu-8g"
		return nil
	}, nil)
	var e *cluster.PlanError
	if !errors.As(err, &e) || !e.Plan.Destructive() || len(e.Forbidden) != 1 || e.Forbidden[0].Kind != cluster.EffectNodeRecreation {
		t.Errorf("%v (%+v)", err, e)
	}
}

func TestPlanEditSendsNothing(t *testing.T) {
	c, srv := edited(t, planned(t))
	p, err := c.PlanEdit(t.Context(), "training", resize, nil)
	if err != nil || p.Empty() || p.Destructive() || p.Refused() || !strings.Contains(p.String(), "max_node_count: 8 -> 16") {
		t.Errorf("%v\n%v", p, err)
	}
	p, err = c.PlanEdit(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error { m.DisplayName = "x"; return nil }, nil)
	if err != nil || !p.Refused() || !strings.Contains(p.String(), "display_name: it is set when") {
		t.Errorf("%v\n%v", p, err)
	}
	p, err = c.PlanEdit(t.Context(), "training", func(*cluster.ModelDevelopmentCluster) error { return nil }, nil)
	if err != nil || !p.Empty() || !strings.Contains(p.String(), "Nothing changes.") {
		t.Errorf("%v\n%v", p, err)
	}
	if n := len(srv.Requests()); n != 3 || len(patches(srv)) != 0 {
		t.Errorf("%d requests: %v", n, srv.Requests())
	}
}

// TestEditNoticesOthers: the cluster is looked at again before anything is sent.
func TestEditNoticesOthers(t *testing.T) {
	for _, tt := range []struct {
		name      string
		meanwhile func(t *testing.T, c *cluster.Client, srv *clustertest.Server)
		is        error
		want      string
	}{
		{"another edit", func(t *testing.T, c *cluster.Client, _ *clustertest.Server) {
			m, err := c.GetCluster(t.Context(), "training")
			if err != nil {
				t.Fatal(err)
			}
			m.Labels["team"] = "speech"
			if _, err := c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly); err != nil {
				t.Fatal(err)
			}
		}, cluster.ErrAborted, `ABORTED: somebody else has changed the cluster since it was read (labels.team); edit it again`},
		{"an update under way", func(t *testing.T, _ *cluster.Client, srv *clustertest.Server) {
			if err := srv.SetClusterState("training", "UPDATING", ""); err != nil {
				t.Fatal(err)
			}
		}, cluster.ErrFailedPrecondition, `FAILED_PRECONDITION: the cluster is UPDATING, and an update probably wants it RUNNING: wait for what goes on there, or cluster.WithoutValidation sends it all the same`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, srv := edited(t, planned(t))
			before := 0
			_, err := c.EditCluster(t.Context(), "training", resize, &cluster.EditOptions{Review: func(*cluster.Plan) error {
				tt.meanwhile(t, c, srv)
				before = len(patches(srv))
				return nil
			}})
			if !errors.Is(err, tt.is) || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
			if len(patches(srv)) != before {
				t.Error("the edit was sent all the same")
			}
		})
	}
	c, srv := edited(t, planned(t))
	if err := srv.SetClusterState("training", "ERROR", "broken"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.EditCluster(t.Context(), "training", resize, nil); !errors.Is(err, cluster.ErrFailedPrecondition) || len(patches(srv)) > 0 {
		t.Errorf("a cluster in ERROR: %v", err)
	}
}

// TestEditsOfOneClusterTakeTurns, and those of two clusters do not wait for each other.
func TestEditsOfOneClusterTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, srv := edited(t, planned(t))
		if err := srv.AddCluster("other", marshal(t, planned(t))); err != nil {
			t.Fatal(err)
		}
		var running, most int
		hold := make(chan struct{})
		edit := func(name, label string, wait bool) error {
			_, err := c.EditCluster(t.Context(), name, func(m *cluster.ModelDevelopmentCluster) error {
				running++
				most = max(most, running)
				if wait {
					<-hold
				}
				running--
				m.Labels[label] = "x"
				return nil
			}, nil)
			return err
		}
		done := make(chan error, 3)
		for i := range 3 {
			go func() { done <- edit("training", fmt.Sprint("l", i), true) }()
		}
		synctest.Wait()
		if err := edit("other", "a", false); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.ErrUnsupported)
		_, err := c.EditCluster(ctx, "projects/my-project/locations/us-central1/modelDevelopmentClusters/training", resize, nil)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("cancelled while waiting for its turn: %v", err)
		}
		close(hold)
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if m, _ := c.GetCluster(t.Context(), "training"); len(m.Labels) != 5 {
			t.Errorf("labels %v; an edit was lost", m.Labels)
		}
		if most != 2 { // one of training, and the one of other
			t.Errorf("%d edits at once", most)
		}
	})
}

func TestImagePolicies(t *testing.T) {
	const (
		old    = "projects/example-image-project/global/images/example-slurm-image-20260901"
		chosen = "projects/example-image-project/global/images/example-slurm-image-20261101"
		family = "projects/example-image-project/global/images/family/example-slurm"
	)
	type images = map[string]string
	everything := []cluster.EffectKind{cluster.EffectNodeRecreation, cluster.EffectLoginRecreation}
	nothing := func(*cluster.ModelDevelopmentCluster) error { return nil }
	for _, tt := range []struct {
		name    string
		updated bool // whether images read back
		edit    func(*cluster.ModelDevelopmentCluster) error
		opts    cluster.EditOptions
		sent    images // by pool; nil if nothing is sent
		mode    cluster.UpdateMode
		err     string
		runs    images // afterwards, with a newer default image about
	}{
		{"keep, filled", true, resize, cluster.EditOptions{}, images{}, "USER_ONLY", "", images{"a4": old, "cpu": old, "login": old}},
		{"keep, empty", false, resize, cluster.EditOptions{Images: cluster.KeepImages()}, images{}, "USER_ONLY", "", images{"a4": old, "cpu": old, "login": old}},
		{"keep, nothing else to do", true, nothing, cluster.EditOptions{}, nil, "", "the edit changes nothing", nil},
		{"keep under the service's mode", true, resize, cluster.EditOptions{Mode: cluster.UpdateModeUserAndService}, nil, "", "so Images cannot be KeepImages", nil},
		{"an image chosen by the edit", true, func(m *cluster.ModelDevelopmentCluster) error { m.NodePool("cpu").NodeImage = chosen; return nil },
			cluster.EditOptions{Allow: everything}, images{"cpu": chosen}, "USER_ONLY", "", images{"a4": old, "cpu": chosen, "login": old}},
		{"pin one", true, nothing, cluster.EditOptions{Images: cluster.PinImages(chosen, "a4"), Allow: everything}, images{"a4": chosen}, "USER_ONLY", "",
			images{"a4": chosen, "cpu": old, "login": old}},
		{"pin all", false, nothing, cluster.EditOptions{Images: cluster.PinImages(chosen), Allow: everything}, images{"a4": chosen, "cpu": chosen, "login": chosen}, "USER_ONLY", "",
			images{"a4": chosen, "cpu": chosen, "login": chosen}},
		{"pin recreates", true, nothing, cluster.EditOptions{Images: cluster.PinImages(chosen, "a4")}, nil, "", "pool a4: up to 4 nodes drained and recreated (node_image changes)", nil},
		{"pin on an unknown image may recreate", false, nothing, cluster.EditOptions{Images: cluster.PinImages(old, "a4")}, nil, "", "pool a4: up to 4 nodes may be drained", nil},
		{"pin to a family", true, nothing, cluster.EditOptions{Images: cluster.PinImages(family, "cpu"), Allow: everything}, images{"cpu": family}, "USER_ONLY", "", nil},
		{"pin no pool", true, nothing, cluster.EditOptions{Images: cluster.PinImages(chosen, "nowhere")}, nil, "", `PinImages: the cluster has no node pool "nowhere"`, nil},
		{"pin one in the service's mode", true, nothing, cluster.EditOptions{Images: cluster.PinImages(chosen, "a4"), Mode: cluster.UpdateModeUserAndService, Allow: everything}, nil, "",
			`PinImages does not name the pool "cpu", which USER_AND_SERVICE would move to today's default image`, nil},
		{"pin all in the service's mode", true, nothing, cluster.EditOptions{Images: cluster.PinImages(old), Mode: cluster.UpdateModeUserAndService},
			images{"a4": old, "cpu": old, "login": old}, "USER_AND_SERVICE", "", images{"a4": old, "cpu": old, "login": old}},
		{"pin nothing", true, nothing, cluster.EditOptions{Images: cluster.PinImages("")}, nil, "", `PinImages needs an image`, nil},
		{"pin what runs", true, nothing, cluster.EditOptions{Images: cluster.PinCurrentImages()}, images{"a4": old, "cpu": old, "login": old}, "USER_ONLY", "", nil},
		{"pin what runs, in the service's mode", true, resize, cluster.EditOptions{Images: cluster.PinCurrentImages(), Mode: cluster.UpdateModeUserAndService},
			images{"a4": old, "cpu": old, "login": old}, "USER_AND_SERVICE", "", images{"a4": old, "cpu": old, "login": old}},
		{"pin what runs and does not read back", false, nothing, cluster.EditOptions{Images: cluster.PinCurrentImages()}, nil, "",
			`PinCurrentImages: the node_image of pool "a4" reads back empty, as it does until the first update`, nil},
		{"latest", true, nothing, cluster.EditOptions{Images: cluster.LatestImages(), Allow: everything}, images{}, "USER_AND_SERVICE", "",
			images{"a4": chosen, "cpu": chosen, "login": chosen}},
		{"latest recreates", false, nothing, cluster.EditOptions{Images: cluster.LatestImages()}, nil, "",
			"no node_image is sent: from the image of its creation to today's default", nil},
		{"latest under the user's mode", true, nothing, cluster.EditOptions{Images: cluster.LatestImages(), Mode: cluster.UpdateModeUserOnly}, nil, "", "LatestImages needs UpdateModeUserAndService", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := planned(t)
			if !tt.updated {
				withoutImages(m)
			}
			c, srv := edited(t, m)
			srv.SetDefaultImage("", chosen)
			_, err := c.EditCluster(t.Context(), "training", tt.edit, &tt.opts)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || len(patches(srv)) > 0 {
					t.Errorf("%v (%d sent); want %s", err, len(patches(srv)), tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			sent := patches(srv)[0]
			if !strings.HasSuffix(sent.URL, "updateMask=node_pools&updateMode="+string(tt.mode)) {
				t.Errorf("sent %s", sent.URL)
			}
			got := images{}
			for _, p := range parse(t, sent.Body).NodePools {
				if p.NodeImage != "" {
					got[p.ID] = p.NodeImage
				}
			}
			if diff := cmp.Diff(tt.sent, got); diff != "" {
				t.Error("sent images", diff)
			}
			if diff := cmp.Diff(tt.runs, srv.RunningImages("training")); tt.runs != nil && diff != "" {
				t.Error("images afterwards", diff)
			}
		})
	}
}

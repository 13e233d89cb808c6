package cluster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// Only the documented paths are known to work in a mask: other spellings, parents, elements of lists and keys of maps
// are nowhere said to.
func TestTrap21MaskSpelledOtherwise(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		for _, mask := range []string{"nodePools", "orchestrator_spec.slurm_spec", cluster.PathConfig + ".PreemptMode", "node_pools[1].scaling_spec", "*"} {
			tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask="+mask, `{"node_pools": [`+threePools+`]}`), "update_mask")
		}

		tr.reset()
		for mask, says := range map[string]string{
			"orchestrator_spec.slurm_spec":      "a parent path is not accepted; name the fields below it: " + cluster.PathPartitions,
			cluster.PathConfig + ".PreemptMode": "is replaced whole, and no path leads into it; read it, change it and mask " + cluster.PathConfig,
			"node_pools[1].scaling_spec":        "is replaced whole, and no path leads into it; read it, change it and mask node_pools",
			"node_pool":                         "did you mean node_pools?",
		} {
			_, err := tr.c.UpdateCluster(t.Context(), tr.now(), cluster.FieldMask{mask}, cluster.UpdateModeUserOnly)
			tr.unsent(err, says)
		}
		op, err := tr.c.UpdateCluster(t.Context(), tr.now(), cluster.FieldMask{"nodePools"}, cluster.UpdateModeUserOnly)
		must(t, op, err)
		tr.contains(patches(tr.srv)[0].URL, "updateMask=node_pools&")
	})
}

// notAllowed is a cluster with a machine that the project may not use, which the service finds out too late.
var notAllowed = strings.Replace(strings.Replace(written(settings), "a4-highgpu-8g", "a3-highgpu-8g", 1), "NVIDIA_B200", "NVIDIA_H100_80GB", 1)

// A creation that is accepted and then fails leaves a cluster that holds the id: the next attempt gets 409.
func TestTrap22FailedCreationHoldsTheID(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		a := tr.curl("POST", "?model_development_cluster_id=fresh", notAllowed)
		tr.contains(a.failed, "machine type a3-highgpu-8g is not allowed for VM")
		if a = tr.curl("POST", "?model_development_cluster_id=fresh", written(settings)); a.status != 409 {
			t.Errorf("the second attempt: %+v", a)
		}

		op, err := tr.c.CreateCluster(t.Context(), "other", parse(t, []byte(notAllowed)))
		if err != nil {
			t.Fatal(err)
		}
		tr.contains(fmt.Sprint(op.Wait(t.Context())), `the failed creation leaves a cluster in state ERROR that holds the id "other"`, "Client.DeleteFailedCluster")
		deletion, err := tr.c.DeleteFailedCluster(t.Context(), "other", op)
		must(t, deletion, err)
		op, err = tr.c.CreateCluster(t.Context(), "other", parse(t, []byte(written(settings))))
		must(t, op, err)

		// A 409 may as well be somebody else's cluster, which nothing deletes in passing.
		op, err = tr.c.CreateCluster(t.Context(), "training", parse(t, []byte(written(settings))))
		if op != nil || !errors.Is(err, cluster.ErrAlreadyExists) {
			t.Errorf("got %v, %v", op, err)
		}
		if _, err := tr.c.DeleteFailedCluster(t.Context(), "training", op); !errors.Is(err, cluster.ErrInvalidArgument) || tr.srv.Cluster("training") == nil {
			t.Errorf("got %v", err)
		}
	})
}

// Where the answer to a creation is lost, another attempt gets 409 from the first one.
func TestTrap23CreationAfterALostAnswer(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		lost := clustertest.Fault{Verb: clustertest.VerbCreate, Kind: clustertest.FaultDropAfter}
		tr.srv.Inject(lost)
		if a := tr.curl("POST", "?model_development_cluster_id=fresh", written(settings)); a.status != 0 {
			t.Fatalf("the answer: %+v", a)
		}
		if a := tr.curl("POST", "?model_development_cluster_id=fresh", written(settings)); a.status != 409 {
			t.Errorf("the second attempt: %+v", a)
		}

		tr.reset()
		tr.srv.Inject(lost)
		_, err := tr.c.CreateCluster(t.Context(), "other", parse(t, []byte(written(settings))))
		var e *cluster.Error
		if !errors.As(err, &e) || e.Unprocessed || e.Attempts != 1 || len(tr.srv.RequestsFor(clustertest.VerbCreate)) != 1 {
			t.Errorf("got %v after %d attempts; want an error that says that the call may have been acted on", err, len(tr.srv.RequestsFor(clustertest.VerbCreate)))
		}
		m, err := tr.c.GetCluster(t.Context(), "other")
		if err != nil || m.State() != cluster.StateProvisioning {
			t.Errorf("the cluster is %v, %v", m, err)
		}
		if tr.srv.PendingFaults() > 0 {
			t.Error("the answer was not lost")
		}
	})
}

// A deletion takes the nodes and their disks; Filestore, Lustre and buckets, which were there before, stay and cost.
func TestTrap24StorageStays(t *testing.T) {
	const home = "projects/my-project/locations/us-central1-a/instances/my-filestore"
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		if a := tr.curl("DELETE", "/training", ""); a.status != 200 || tr.srv.Cluster("training") != nil {
			t.Errorf("the deletion: %+v", a)
		}

		tr.reset()
		spec := tr.now() // remember what it used: afterwards nothing tells
		op, err := tr.c.DeleteCluster(t.Context(), "training")
		must(t, op, err)
		if _, err := tr.c.GetCluster(t.Context(), "training"); !errors.Is(err, cluster.ErrNotFound) {
			t.Errorf("after the deletion: %v", err)
		}
		for _, r := range tr.srv.RequestsFor(clustertest.VerbDelete) {
			if len(r.Body) > 0 || strings.Contains(r.URL, "?") {
				t.Errorf("sent %s with %s, and no deletion can ask for the storage", r, r.Body)
			}
		}
		op, err = tr.c.CreateCluster(t.Context(), "training", spec)
		must(t, op, err)
		if m := tr.now(); m.Slurm().HomeDirectoryStorage != home {
			t.Errorf("the home directories are on %s", m.Slurm().HomeDirectoryStorage)
		}
	})
}

// The login pool does not scale: its two counts must be equal. A guide says so of all pools, which is not true.
func TestTrap25LoginPoolDoesNotScale(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		scaling := strings.Replace(poolLogin, `"max_node_count": 1`, `"max_node_count": 3`, 1)
		tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask=node_pools", `{"node_pools": [`+poolA4+`, `+poolCPU+`, `+scaling+`]}`), "node_pools[2].scaling_spec")

		tr.reset()
		_, err := tr.c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePool("login").ScalingSpec.MaxNodeCount = 3
			return nil
		}, nil)
		tr.unsent(err, "node_pools[2].scaling_spec: has min_node_count 1 and max_node_count 3; the login pool does not scale, so want equal ones")

		spec := parse(t, []byte(written(settings)))
		spec.NodePool("login").ScalingSpec.MinNodeCount = 0
		_, err = tr.c.CreateCluster(t.Context(), "other", spec)
		tr.unsent(err, "the login pool does not scale")

		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePool("login").ScalingSpec = &cluster.ScalingSpec{MinNodeCount: 3, MaxNodeCount: 3}
			m.NodePool("cpu").ScalingSpec.MinNodeCount = 0 // up to 8
			return nil
		}, nil)
	})
}

// What the service has in a cluster, such as what feeds its metrics, becomes newer only by an update under
// USER_AND_SERVICE, and that may replace every node.
func TestTrap26RefreshReplacesNodes(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		const labels = `{"labels": {"env": "prod", "team": "vision"}}` // what they are already
		tr.srv.SetDefaultImage("", newImage)
		tr.patch("updateMode=USER_AND_SERVICE&updateMask=labels", labels)
		tr.nodes(allNew)

		tr.reset()
		p := cluster.PlanUpdate(tr.now(), tr.now(), cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserAndService)
		if effects(p, cluster.EffectServiceRefresh) != "all" || effects(p, cluster.EffectNodeRecreation) != "a4? cpu?" || effects(p, cluster.EffectLoginRecreation) != "login?" {
			t.Errorf("the plan does not say it:\n%s", p)
		}
		// With the images that run named, the service's parts are refreshed and no node is replaced. It takes a cluster
		// that shows its images.
		tr.patch("updateMode=USER_ONLY&updateMask=labels", labels)
		tr.srv.SetDefaultImage("", newImage)
		p = tr.edit(func(*cluster.ModelDevelopmentCluster) error { return nil },
			&cluster.EditOptions{Mode: cluster.UpdateModeUserAndService, Images: cluster.PinCurrentImages()})
		if effects(p, cluster.EffectServiceRefresh) != "all" || p.Destructive() {
			t.Errorf("the plan:\n%s", p)
		}
		tr.nodes(allKept)

		tr.reset()
		tr.srv.SetDefaultImage("", newImage)
		refresh(tr) // for those who mean it
		tr.nodes(allNew)
	})
}

// Names in answers have the project's number, whatever the request said: as texts they are not equal.
func TestTrap27NamesCarryTheProjectsNumber(t *testing.T) {
	const name = parent + "/modelDevelopmentClusters/training"
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		if a := tr.curl("GET", "/training", ""); a.status != 200 || strings.Contains(a.body, name) || !strings.Contains(a.body, "projects/123456789012/") {
			t.Errorf("the answer: %+v", a)
		}

		m, err := tr.c.GetCluster(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := cluster.ParseName(name)
		if err != nil {
			t.Fatal(err)
		}
		if answered, err := cluster.ParseName(m.Name); err != nil || answered.Location != asked.Location || answered.ID != asked.ID || m.ID() != "training" {
			t.Errorf("%v and %v, %v", asked, answered, err)
		}
		op, err := tr.c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly) // by the name of the answer
		must(t, op, err)
	})
}

// Even an update of labels alone, under USER_AND_SERVICE, moves pools to a newer image.
func TestTrap28LabelsMoveImages(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.srv.SetDefaultImage("", newImage)
		tr.patch("updateMode=USER_AND_SERVICE&updateMask=labels", `{"labels": {"env": "test"}}`)
		tr.nodes(allNew)

		tr.reset()
		m := tr.now()
		m.Labels = map[string]string{"env": "test"}
		_, err := tr.c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserAndService)
		tr.unsent(err, "an update of labels alone under USER_AND_SERVICE can replace nodes with a newer image; use UpdateModeUserOnly")

		tr.srv.SetDefaultImage("", newImage)
		tr.edit(func(m *cluster.ModelDevelopmentCluster) error { m.Labels["env"] = "test"; return nil }, nil)
		tr.nodes(allKept)
		tr.runs(firstImage)
	})
}

// The older scheduling is replaced whole, like every message: a member left out returns to its default.
func TestTrap29MemberOfSchedulingLeftOut(t *testing.T) {
	inTrap(t, written(oldSettings), func(t *testing.T, tr *trap) {
		// The guide's own example.
		tr.patch("updateMode=USER_ONLY&updateMask="+cluster.PathScheduling, string(payload(t, "update-preemption-scheduling-legacy.json")))
		if s := tr.now().Slurm().Scheduling; s.PriorityWeightAge != 0 || s.PreemptExemptTime != "1:01" {
			t.Errorf("scheduling %s", marshal(t, s))
		}

		tr.reset()
		p := tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Scheduling.PreemptExemptTime = "1:01"
			return nil
		}, nil)
		if s := tr.now().Slurm().Scheduling; s.PriorityWeightAge != 1000 || s.PreemptExemptTime != "1:01" || len(p.Changes) != 1 {
			t.Errorf("scheduling %s", marshal(t, s))
		}

		m := &cluster.ModelDevelopmentCluster{Name: "training"}
		m.Slurm().Scheduling = &cluster.Scheduling{PreemptMode: "REQUEUE"}
		tr.contains(cluster.PlanUpdate(tr.now(), m, cluster.FieldMask{cluster.PathScheduling}, cluster.UpdateModeUserOnly).String(),
			"~ priority_weight_age: 1000 -> 0", `- preempt_type: "preempt/partition_prio"`)
	})
}

// The prolog and epilog scripts of a cluster are the user's, and are replaced as a list. The service runs others beside
// them, which are not shown, and which only USER_AND_SERVICE renews.
func TestTrap30ScriptsOfTheServiceAreNotShown(t *testing.T) {
	const mine, added = "#!/bin/bash\nlogger a job starts\n", "#!/bin/bash\nnvidia-smi\n"
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask="+cluster.PathPrologBashScripts,
			`{"orchestrator_spec": {"slurm_spec": {"prolog_bash_scripts": [`+string(marshal(t, added))+`]}}}`)
		if diff := cmp.Diff([]string{added}, tr.now().Slurm().PrologBashScripts); diff != "" {
			t.Error(diff)
		}

		tr.reset()
		p := tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().PrologBashScripts = append(m.Slurm().PrologBashScripts, added)
			return nil
		}, nil)
		if effects(p, cluster.EffectServiceRefresh) != "" {
			t.Errorf("USER_ONLY touches the service's scripts:\n%s", p)
		}
		refresh(tr)
		if diff := cmp.Diff([]string{mine, added}, tr.now().Slurm().PrologBashScripts); diff != "" {
			t.Errorf("after a refresh: %s", diff)
		}
		p = cluster.PlanUpdate(tr.now(), tr.now(), cluster.FieldMask{cluster.PathPrologBashScripts}, cluster.UpdateModeUserAndService)
		tr.contains(p.String(), "USER_AND_SERVICE renews the service's own startup, prolog and epilog parts")
	})
}

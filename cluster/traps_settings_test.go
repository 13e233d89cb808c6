package cluster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

const settingsMask = cluster.PathConfig + "," + cluster.PathScheduling + "," + cluster.PathAccounting

// A cluster has either config or the older scheduling and accounting. What a guide says of config fails on a cluster
// that was made by an older guide.
func TestTrap11ConfigBesideTheOlderForm(t *testing.T) {
	inTrap(t, written(oldSettings), func(t *testing.T, tr *trap) {
		tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask="+cluster.PathConfig,
			`{"orchestrator_spec": {"slurm_spec": {"config": {"PriorityWeightAge": "2000"}}}}`), "slurm_spec.config")

		tr.reset()
		m := tr.now()
		m.Slurm().Config.Set("PriorityWeightAge", "2000")
		_, err := tr.c.UpdateCluster(t.Context(), m, cluster.FieldMask{cluster.PathConfig}, cluster.UpdateModeUserOnly)
		tr.unsent(err, "put every setting into config under its slurm.conf name, as MigrateToConfig does",
			"clear the older form in the same update with FieldMask{PathConfig, Clear(PathScheduling), Clear(PathAccounting)}")

		tr.edit((*cluster.ModelDevelopmentCluster).MigrateToConfig, nil)
		want := cluster.SlurmConfig{"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "PriorityWeightAge": "1000",
			"AccountingStorageEnforce": "limits,qos"}
		if s := tr.now().Slurm(); !s.Config.Equal(want) || s.Scheduling != nil || s.Accounting != nil {
			t.Errorf("settings %s", marshal(t, s))
		}
		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Config.Set("PriorityWeightAge", "2000")
			return nil
		}, nil)
	})
}

// One version of the guide wants a mask with one of config, scheduling and accounting to name all three. On a cluster
// with the older form that clears accounting, if the body has only the scheduling that is to change.
func TestTrap12AllThreeInTheMask(t *testing.T) {
	inTrap(t, written(oldSettings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask="+settingsMask, `{"orchestrator_spec": {"slurm_spec": {
			"scheduling": {"preempt_type": "preempt/partition_prio", "preempt_mode": "CANCEL", "priority_weight_age": 1000}}}}`)
		if a := tr.now().Slurm().Accounting; a != nil {
			t.Errorf("the service has kept %+v", a)
		}

		tr.reset()
		m := &cluster.ModelDevelopmentCluster{Name: "training"}
		m.Slurm().Scheduling = &cluster.Scheduling{PreemptType: "preempt/partition_prio", PreemptMode: "CANCEL"}
		mask := cluster.FieldMask{cluster.Clear(cluster.PathConfig), cluster.PathScheduling, cluster.PathAccounting}
		_, err := tr.c.UpdateCluster(t.Context(), m, mask, cluster.UpdateModeUserOnly)
		tr.unsent(err, "the update mask names "+cluster.PathAccounting+", but the cluster has nothing there")

		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Scheduling.PreemptMode = "CANCEL"
			return nil
		}, nil)
		if s := tr.now().Slurm(); s.Accounting == nil || s.Scheduling.PreemptMode != "CANCEL" || s.Scheduling.PriorityWeightAge != 1000 {
			t.Errorf("settings %s", marshal(t, s))
		}
		if sent := patches(tr.srv)[0]; !strings.Contains(sent.URL, "updateMask="+settingsMask+"&") || strings.Contains(string(sent.Body), `"config"`) {
			t.Errorf("sent %s with %s", sent, sent.Body)
		}
	})
}

// Values of config are strings, numbers too, and each is a line of slurm.conf: what ends a line, or is the service's
// own, fails.
func TestTrap13ValuesThatAreNone(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		for _, config := range []string{`{"PriorityWeightAge": 2000}`, `{"PriorityWeightAge": "2000\nDebugFlags=all"}`, `{"Prolog": "/home/me/prolog.sh"}`} {
			tr.refused(tr.curl("PATCH", "/training?updateMode=USER_ONLY&updateMask="+cluster.PathConfig,
				`{"orchestrator_spec": {"slurm_spec": {"config": `+config+`}}}`), "slurm_spec.config")
		}

		tr.reset()
		_, err := cluster.Parse([]byte(`{"orchestrator_spec": {"slurm_spec": {"config": {"PriorityWeightAge": 2000}}}}`))
		tr.contains(fmt.Sprint(err), "orchestrator_spec.slurm_spec.config.PriorityWeightAge: want the string \"2000\", in quotes, got a number")
		for name, value := range map[string]string{
			"PriorityWeightAge": "2000\nDebugFlags=all", "Prolog": "/home/me/prolog.sh", "health_check_program": "/bin/true", "StorageHost": "db",
		} {
			_, err := tr.c.EditCluster(t.Context(), "training", func(m *cluster.ModelDevelopmentCluster) error { m.Slurm().Config.Set(name, value); return nil }, nil)
			tr.unsent(err, cluster.PathConfig+"."+name)
		}
		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Config.Set("PriorityWeightAge", fmt.Sprint(2000))
			return nil
		}, nil)
	})
}

// A cluster that was never updated shows no node_image. To change a pool and send back what was read, under the mode of
// the guides' own example, moves every pool to today's default image.
func TestTrap14EmptyImageSentBackMovesThePools(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.srv.SetDefaultImage("", newImage)
		read := strings.Replace(string(tr.srv.Cluster("training")), `"maxNodeCount": 8`, `"maxNodeCount": 16`, 1)
		tr.patch("updateMode=USER_AND_SERVICE&updateMask=node_pools", read)
		tr.nodes(allNew)

		tr.reset()
		m := tr.now()
		if err := resize(m); err != nil {
			t.Fatal(err)
		}
		p := cluster.PlanUpdate(tr.now(), m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserAndService)
		if effects(p, cluster.EffectNodeRecreation) != "a4? cpu?" || effects(p, cluster.EffectLoginRecreation) != "login?" {
			t.Errorf("the plan does not say it:\n%s", p)
		}
		_, err := tr.c.EditCluster(t.Context(), "training", resize, &cluster.EditOptions{Mode: cluster.UpdateModeUserAndService})
		tr.unsent(err, "USER_AND_SERVICE resolves the images of node pools anew, so Images cannot be KeepImages; choose LatestImages, PinCurrentImages or PinImages")

		tr.srv.SetDefaultImage("", newImage)
		tr.edit(resize, nil)
		tr.nodes(allKept)
		tr.runs(firstImage)
	})
}

// After its first update a cluster shows a node_image that nobody has chosen. To send that back pins the pool to it: it
// gets no newer image any more.
func TestTrap15ImageReadBackPins(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		update := func() {
			tr.patch("updateMode=USER_ONLY&updateMask=labels", `{"labels": {"env": "test"}}`)
			tr.srv.ResetRequests()
		}
		update()
		tr.patch("updateMode=USER_ONLY&updateMask=node_pools", strings.Replace(string(tr.srv.Cluster("training")), `"maxNodeCount": 8`, `"maxNodeCount": 16`, 1))
		tr.srv.SetDefaultImage("", newImage)
		refresh(tr)
		tr.runs(firstImage)

		tr.reset()
		update()
		read := tr.now()
		if err := resize(read); err != nil {
			t.Fatal(err)
		}
		p := cluster.PlanUpdate(tr.now(), read, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		if effects(p, cluster.EffectImagePinned) != "a4 cpu login" {
			t.Errorf("the plan does not say it:\n%s", p)
		}
		if p := tr.edit(resize, nil); effects(p, cluster.EffectImageKept) != "a4 cpu login" || strings.Contains(string(patches(tr.srv)[0].Body), "nodeImage") {
			t.Errorf("sent %s", patches(tr.srv)[0].Body)
		}
		tr.srv.SetDefaultImage("", newImage)
		refresh(tr)
		tr.runs(newImage)
	})
}

// runs checks which image all pools run.
func (tr *trap) runs(image string) {
	tr.Helper()
	for pool, runs := range tr.srv.RunningImages("training") {
		if runs != image {
			tr.Errorf("pool %s runs %s", pool, runs)
		}
	}
}

func refresh(tr *trap) {
	tr.Helper()
	op, err := tr.c.RefreshCluster(tr.Context(), "training")
	must(tr.T, op, err)
}

// An image family looks like a pin and is none: it stands for the newest image of the family at each update.
func TestTrap16FamilyIsNoPin(t *testing.T) {
	const family = "projects/example-image-project/global/images/family/example-slurm"
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		pinned := func(pool string) string { return pool[:len(pool)-1] + `, "node_image": "` + family + `"}` }
		tr.patch("updateMode=USER_ONLY&updateMask=node_pools", `{"node_pools": [`+pinned(poolA4)+`, `+pinned(poolCPU)+`, `+pinned(poolLogin)+`]}`)
		tr.runs(family)

		// From now on an update that sends back what it reads may replace nodes, and looks as if it could not.
		read := tr.now()
		if err := resize(read); err != nil {
			t.Fatal(err)
		}
		p := cluster.PlanUpdate(tr.now(), read, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
		if effects(p, cluster.EffectNodeRecreation) != "a4? cpu?" || effects(p, cluster.EffectImagePinned) != "" {
			t.Errorf("the plan does not say it:\n%s", p)
		}

		tr.reset()
		pin := func(image string) *cluster.Plan {
			p, err := tr.c.PlanEdit(t.Context(), "training", resize, &cluster.EditOptions{Images: cluster.PinImages(image)})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		tr.contains(pin(family).String(), family+" is a family, which stands for its newest image; to pin the pool name an image")
		if p := pin(firstImage); len(p.Warnings) > 0 || effects(p, cluster.EffectImagePinned) != "a4 cpu login" {
			t.Errorf("a single image:\n%s", p)
		}
	})
}

// USER_ONLY does not mean that nothing is disrupted: another startup script, storage or image replaces nodes all the same.
func TestTrap17UserOnlyReplacesNodesToo(t *testing.T) {
	const script = "#!/bin/bash\nulimit -l unlimited\n"
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask=node_pools", `{"node_pools": [`+poolA4[:len(poolA4)-1]+`, "startup_script": `+string(marshal(t, script))+`}, `+
			poolCPU+`, `+poolLogin[:len(poolLogin)-1]+`, "filestores": ["projects/my-project/locations/us-central1-a/instances/data"]}]}`)
		tr.nodes("a4 new, cpu kept, login new")

		tr.reset()
		edit := func(m *cluster.ModelDevelopmentCluster) error {
			m.NodePool("a4").StartupScript = script
			m.NodePool("login").Filestores = []string{"projects/my-project/locations/us-central1-a/instances/data"}
			return nil
		}
		_, err := tr.c.EditCluster(t.Context(), "training", edit, nil)
		tr.unsent(err, "pool a4: up to 4 nodes drained and recreated (startup_script changes)",
			"pool login: 1 node replaced or removed, which ends SSH sessions and loses the data on boot disks (filestores changes)",
			"allow it with EditOptions{Allow: []cluster.EffectKind{cluster.EffectNodeRecreation, cluster.EffectLoginRecreation}}")
		tr.edit(edit, &cluster.EditOptions{Allow: []cluster.EffectKind{cluster.EffectNodeRecreation, cluster.EffectLoginRecreation}})
		tr.nodes("a4 new, cpu kept, login new")
	})
}

// badPair is what the service takes, parameter by parameter, and Slurm's controller does not start with.
func badPair(m *cluster.ModelDevelopmentCluster) error {
	m.Slurm().Config.Set("PreemptType", "preempt/none")
	m.Slurm().Config.SetPreemptModes(cluster.PreemptModeSuspend, cluster.PreemptModeGang)
	return nil
}

const (
	badConfig = `{"orchestrator_spec": {"slurm_spec": {"config": {"PreemptType": "preempt/none", "PreemptMode": "SUSPEND,GANG"}}}}`
	ping      = `{"method": "HTTP_METHOD_GET", "path": "/slurm/v0.0.42/ping/"}`
)

// An operation that succeeds proves that the service took the settings, not that Slurm's controller can start with them.
func TestTrap18SuccessWithoutAController(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		tr.patch("updateMode=USER_ONLY&updateMask="+cluster.PathConfig, badConfig)
		tr.controller.SetControllerDown(true)
		tr.contains(tr.curl("POST", "/training:callSlurmRestApi", ping).body, `"pinged":"DOWN"`)

		tr.reset()
		p, err := tr.c.PlanEdit(t.Context(), "training", badPair, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr.contains(p.String(), `PreemptType is preempt/none, and with both Slurm's controller does not start`)

		op, err := tr.c.EditCluster(t.Context(), "training", badPair, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr.controller.SetControllerDown(true)
		err = op.Wait(t.Context(), tr.slurm().UntilReady())
		var silent *slurm.ReadyError
		if !errors.As(err, &silent) || !op.State().Succeeded() {
			t.Errorf("operation %s, and %v", op, err)
		}
		tr.contains(fmt.Sprint(err), "has not answered for 5m0s", "PreemptType with PreemptMode", "send the previous settings")
	})
}

func (tr *trap) slurm() *slurm.Client {
	tr.Helper()
	s, err := slurm.NewClient(tr.c, "training")
	if err != nil {
		tr.Fatal(err)
	}
	return s
}

// The operation ends up to 15 seconds before Slurm has the settings: to look at once shows how things were before.
func TestTrap19SuccessBeforeTheEffect(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		takesUp := func() { time.AfterFunc(12*time.Second, func() { tr.controller.SetControllerDown(true) }) }
		tr.patch("updateMode=USER_ONLY&updateMask="+cluster.PathConfig, badConfig)
		takesUp()
		tr.contains(tr.curl("POST", "/training:callSlurmRestApi", ping).body, `"pinged":"UP"`) // and later:
		tr.contains(tr.curl("POST", "/training:callSlurmRestApi", ping).body, `"pinged":"DOWN"`)

		tr.reset()
		tr.edit(badPair, nil)
		takesUp()
		var silent *slurm.ReadyError
		if err := tr.slurm().WaitReady(t.Context()); !errors.As(err, &silent) {
			t.Errorf("WaitReady: %v", err)
		}

		tr.reset()
		tr.edit(func(m *cluster.ModelDevelopmentCluster) error {
			m.Slurm().Config.Set("PriorityWeightAge", "2000")
			return nil
		}, nil)
		ended := time.Now()
		if err := tr.slurm().WaitReady(t.Context()); err != nil || time.Since(ended) < 15*time.Second {
			t.Errorf("WaitReady: %v after %s", err, time.Since(ended))
		}
	})
}

// There is no etag: who reads, changes and writes back what somebody else has changed in between undoes that.
func TestTrap20SecondEditorUndoesTheFirst(t *testing.T) {
	inTrap(t, written(settings), func(t *testing.T, tr *trap) {
		read := tr.now().Labels // by two people
		first, second := map[string]string{"cost": "42"}, map[string]string{"owner": "ada"}
		for _, mine := range []map[string]string{first, second} {
			for name, value := range read {
				mine[name] = value
			}
			body, err := json.Marshal(map[string]any{"labels": mine})
			if err != nil {
				t.Fatal(err)
			}
			tr.patch("updateMode=USER_ONLY&updateMask=labels", string(body))
		}
		if labels := tr.now().Labels; labels["cost"] != "" || labels["owner"] != "ada" {
			t.Errorf("labels %v", labels)
		}

		tr.reset()
		label := func(m *cluster.ModelDevelopmentCluster) error { m.Labels["owner"] = "ada"; return nil }
		_, err := tr.c.EditCluster(t.Context(), "training", label, &cluster.EditOptions{Review: func(*cluster.Plan) error {
			tr.patch("updateMode=USER_ONLY&updateMask=labels", `{"labels": {"env": "prod", "team": "vision", "cost": "42"}}`)
			tr.srv.ResetRequests()
			return nil
		}})
		tr.unsent(err, "somebody else has changed the cluster since it was read (labels.cost, node_pools[a4].node_image, ", "; edit it again")
		if !errors.Is(err, cluster.ErrAborted) {
			t.Errorf("%v is no ErrAborted", err)
		}
		tr.edit(label, nil)
		if labels := tr.now().Labels; labels["cost"] != "42" || labels["owner"] != "ada" {
			t.Errorf("labels %v", labels)
		}
	})
}

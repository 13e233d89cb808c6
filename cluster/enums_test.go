package cluster_test

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// predicate is a constant with the method that tells whether a value is it.
type predicate[E any] struct {
	value E
	holds func(E) bool
}

// tellApart checks that each holds for its own constant alone, and none for a value that nobody knows.
func tellApart[E ~string](t *testing.T, all ...predicate[E]) {
	t.Helper()
	for i, p := range all {
		for j, other := range all {
			if p.holds(other.value) != (i == j) {
				t.Errorf("%T: is %s the %s? %v", p.value, other.value, p.value, i != j)
			}
		}
		if p.holds("BRAND_NEW") || p.holds("") {
			t.Errorf("%T: a value that is not known is %s", p.value, p.value)
		}
	}
}

// TestEnumsAnswer what a notebook cannot find out by comparing with a literal.
func TestEnumsAnswer(t *testing.T) {
	tellApart(t, []predicate[cluster.State]{
		{cluster.StateProvisioning, cluster.State.Provisioning}, {cluster.StateRunning, cluster.State.Running}, {cluster.StateUpdating, cluster.State.Updating},
		{cluster.StateStopping, cluster.State.Stopping}, {cluster.StateError, cluster.State.Failed},
	}...)
	tellApart(t, []predicate[cluster.NodeState]{
		{cluster.NodeStatePreparing, cluster.NodeState.Preparing}, {cluster.NodeStateRunning, cluster.NodeState.Running},
		{cluster.NodeStateUpdating, cluster.NodeState.Updating}, {cluster.NodeStateRepairing, cluster.NodeState.Repairing}, {cluster.NodeStateError, cluster.NodeState.Failed},
	}...)
	tellApart(t, []predicate[cluster.ProvisioningModel]{
		{cluster.ProvisioningModelOnDemand, cluster.ProvisioningModel.OnDemand}, {cluster.ProvisioningModelSpot, cluster.ProvisioningModel.Spot},
		{cluster.ProvisioningModelReservation, cluster.ProvisioningModel.Reservation}, {cluster.ProvisioningModelFlexStart, cluster.ProvisioningModel.FlexStart},
	}...)
	tellApart(t, []predicate[cluster.AcceleratorType]{
		{cluster.AcceleratorTypeNvidiaH10080GB, cluster.AcceleratorType.H100}, {cluster.AcceleratorTypeNvidiaH100Mega80GB, cluster.AcceleratorType.H100Mega},
		{cluster.AcceleratorTypeNvidiaH200141GB, cluster.AcceleratorType.H200}, {cluster.AcceleratorTypeNvidiaB200, cluster.AcceleratorType.B200},
		{cluster.AcceleratorTypeNvidiaGB200, cluster.AcceleratorType.GB200}, {cluster.AcceleratorTypeNvidiaRTXPro6000, cluster.AcceleratorType.RTXPro6000},
	}...)
	tellApart(t, predicate[cluster.ReservationAffinityType]{
		cluster.ReservationAffinityTypeSpecificReservation, cluster.ReservationAffinityType.SpecificReservation,
	})
	tellApart(t, []predicate[cluster.UpdateMode]{
		{cluster.UpdateModeUserOnly, cluster.UpdateMode.UserOnly}, {cluster.UpdateModeUserAndService, cluster.UpdateMode.UserAndService},
	}...)
	tellApart(t, []predicate[cluster.ChangeKind]{
		{cluster.ChangeAdd, cluster.ChangeKind.Adds}, {cluster.ChangeRemove, cluster.ChangeKind.Removes},
		{cluster.ChangeModify, cluster.ChangeKind.Modifies}, {cluster.ChangeOrder, cluster.ChangeKind.Reorders},
	}...)
}

// TestSetsAnswer the same for those of which there may be several.
func TestSetsAnswer(t *testing.T) {
	plan := &cluster.Plan{Effects: []cluster.Effect{{Kind: cluster.EffectImageKept}, {Kind: cluster.EffectPoolRemoval}}}
	if !plan.Has(cluster.EffectPoolRemoval) || plan.Has(cluster.EffectNodeRemoval) || (*cluster.Plan)(nil).Has(cluster.EffectImageKept) {
		t.Error("the effects of a plan")
	}
	var config cluster.SlurmConfig
	if config.HasPreemptMode(cluster.PreemptModeOff) {
		t.Error("a mode of a config without any")
	}
	config.Set("PreemptMode", "suspend,GANG")
	if !config.HasPreemptMode(cluster.PreemptModeSuspend) || !config.HasPreemptMode(cluster.PreemptModeGang) || config.HasPreemptMode(cluster.PreemptModeOff) {
		t.Error("the modes of a config")
	}
}

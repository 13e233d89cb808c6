package cluster_test

import (
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/enumtest"
)

// TestEnumsAnswer what a notebook cannot find out by comparing with a literal.
func TestEnumsAnswer(t *testing.T) {
	enumtest.TellApart(t, map[cluster.State]func(cluster.State) bool{
		cluster.StateProvisioning: cluster.State.Provisioning, cluster.StateRunning: cluster.State.Running, cluster.StateUpdating: cluster.State.Updating,
		cluster.StateStopping: cluster.State.Stopping, cluster.StateError: cluster.State.Failed,
	})
	enumtest.TellApart(t, map[cluster.NodeState]func(cluster.NodeState) bool{
		cluster.NodeStatePreparing: cluster.NodeState.Preparing, cluster.NodeStateRunning: cluster.NodeState.Running,
		cluster.NodeStateUpdating: cluster.NodeState.Updating, cluster.NodeStateRepairing: cluster.NodeState.Repairing, cluster.NodeStateError: cluster.NodeState.Failed,
	})
	enumtest.TellApart(t, map[cluster.ProvisioningModel]func(cluster.ProvisioningModel) bool{
		cluster.ProvisioningModelOnDemand: cluster.ProvisioningModel.OnDemand, cluster.ProvisioningModelSpot: cluster.ProvisioningModel.Spot,
		cluster.ProvisioningModelReservation: cluster.ProvisioningModel.Reservation, cluster.ProvisioningModelFlexStart: cluster.ProvisioningModel.FlexStart,
	})
	enumtest.TellApart(t, map[cluster.AcceleratorType]func(cluster.AcceleratorType) bool{
		cluster.AcceleratorTypeNvidiaH10080GB: cluster.AcceleratorType.H100, cluster.AcceleratorTypeNvidiaH100Mega80GB: cluster.AcceleratorType.H100Mega,
		cluster.AcceleratorTypeNvidiaH200141GB: cluster.AcceleratorType.H200, cluster.AcceleratorTypeNvidiaB200: cluster.AcceleratorType.B200,
		cluster.AcceleratorTypeNvidiaGB200: cluster.AcceleratorType.GB200, cluster.AcceleratorTypeNvidiaRTXPro6000: cluster.AcceleratorType.RTXPro6000,
	})
	enumtest.TellApart(t, map[cluster.ReservationAffinityType]func(cluster.ReservationAffinityType) bool{
		cluster.ReservationAffinityTypeSpecificReservation: cluster.ReservationAffinityType.SpecificReservation,
	})
	enumtest.TellApart(t, map[cluster.UpdateMode]func(cluster.UpdateMode) bool{
		cluster.UpdateModeUserOnly: cluster.UpdateMode.UserOnly, cluster.UpdateModeUserAndService: cluster.UpdateMode.UserAndService,
	})
	enumtest.TellApart(t, map[cluster.ChangeKind]func(cluster.ChangeKind) bool{
		cluster.ChangeAdd: cluster.ChangeKind.Adds, cluster.ChangeRemove: cluster.ChangeKind.Removes,
		cluster.ChangeModify: cluster.ChangeKind.Modifies, cluster.ChangeOrder: cluster.ChangeKind.Reorders,
	})
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

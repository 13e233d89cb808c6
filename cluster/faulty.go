package cluster

import (
	"context"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/rest"
)

// NodeAction says what to do about one node.
type NodeAction struct {
	// NodeID is the node's VM, CLUSTER-POOL-INDEX.
	NodeID string `json:"nodeId"`
	// ReportFaultyHost reports the host under the node, so that it is repaired. Nil deletes the node instead; it
	// is recreated if it is static, or once a job waits for it.
	ReportFaultyHost *ReportFaultyHost `json:"reportFaultyHost"`

	Unknown Unknown `json:"-"`
}

// ReportFaultyHost reports a host. The service takes such reports for A3 Ultra and A4 machines, for nodes that
// are RUNNING; the node then goes to REPAIRING.
type ReportFaultyHost struct {
	// FaultReasons has one entry or more.
	FaultReasons []*FaultReason `json:"faultReasons"`

	Unknown Unknown `json:"-"`
}

// FaultReason is what was seen of the fault.
type FaultReason struct {
	Behavior    FaultBehavior `json:"behavior"`
	Description string        `json:"description"`

	Unknown Unknown `json:"-"`
}

// FaultBehavior classifies a fault.
type FaultBehavior string

const (
	FaultBehaviorUnspecified           FaultBehavior = "BEHAVIOR_UNSPECIFIED"
	FaultBehaviorPerformance           FaultBehavior = "PERFORMANCE"
	FaultBehaviorSilentDataCorruption  FaultBehavior = "SILENT_DATA_CORRUPTION"
	FaultBehaviorUnrecoverableGPUError FaultBehavior = "UNRECOVERABLE_GPU_ERROR"
)

// ReportFaultyNodes starts the replacement of a faulty node, or the repair of its host. Despite the name of the
// method the service takes one node a call. The jobs on the node are lost.
//
// The call is retried only if it surely was not acted on.
func (c *Client) ReportFaultyNodes(
	ctx context.Context, name string, action *NodeAction, opts ...gax.CallOption,
) (*Operation, error) {
	call, n, err := c.clusterCall("report faulty nodes of", name, "reportFaultyNodes")
	if err != nil {
		return nil, err
	}
	switch {
	case action == nil || action.NodeID == "":
		return nil, call.refuse("no node is named; want NodeAction.NodeID, such as %s-a4-0", n.ID)
	case action.ReportFaultyHost != nil && len(action.ReportFaultyHost.FaultReasons) == 0:
		return nil, call.refuse("the report on the host of %s has no fault reason; want one or more", action.NodeID)
	}
	encoded, err := codec.Marshal(action)
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	call.method, call.url, call.repeat = "POST", call.url+":reportFaultyNodes", rest.IfUnprocessed
	call.body = append(append([]byte(`{"nodeActions":[`), encoded...), "]}"...)
	return c.start(ctx, call, opts)
}

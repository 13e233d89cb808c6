package clustertest

import (
	"encoding/json"
	"slices"
	"time"
)

// reportFaultyNodes replaces one node, or sends its host to repair. The node runs again when the operation is done.
func (s *Server) reportFaultyNodes(c *call, now time.Time) ([]byte, *apiError) {
	body, err := decode(faultyNodesSchema(), "", c.body)
	if err != nil {
		return nil, err
	}
	cl, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if err := cl.mustRun("repaired"); err != nil {
		return nil, err
	}
	i, busy, err := cl.faultyNode(body.children("node_actions"), now)
	if err != nil {
		return nil, err
	}
	op := s.start(c, now)
	n := cl.nodes[i]
	before := n
	n.busy, n.since, n.ready = busy, now, op.end
	// A copy: an update under way may still hold the old list, to go back to it if it fails.
	cl.nodes = slices.Clone(cl.nodes)
	cl.nodes[i] = n
	op.finish = func(time.Time) {
		op.response = json.RawMessage(`{"@type":"` + apiType + `ReportFaultyNodesResponse"}`)
	}
	op.undo = func(time.Time, string) {
		if i < len(cl.nodes) && cl.nodes[i] == n {
			cl.nodes[i] = before
		}
	}
	return s.accepted(op), nil
}

// faultyNode finds the one node that actions name, and the state in which it will be.
func (cl *clusterState) faultyNode(actions []document, now time.Time) (i int, busy string, err *apiError) {
	if len(actions) != 1 {
		return 0, "", badField("node_actions", "exactly one node action is required; got %d", len(actions))
	}
	name := actions[0].text("node_id")
	i = slices.IndexFunc(cl.nodes, func(n node) bool { return n.name == name })
	if i < 0 {
		return 0, "", badField("node_actions[0].node_id", "node %q is not part of cluster %q", name, cl.id)
	}
	if _, ok := actions[0]["report_faulty_host"]; !ok {
		return i, nodePreparing, nil
	}
	if len(actions[0].child("report_faulty_host").children("fault_reasons")) == 0 {
		return 0, "", badField("node_actions[0].report_faulty_host.fault_reasons", "at least one reason is required")
	}
	machine := cl.doc.pool(cl.nodes[i].pool).child("machine_spec").text("machine_type")
	if machine != "a3-ultragpu-8g" && machine != "a4-highgpu-8g" {
		return 0, "", badField("node_actions[0].report_faulty_host", "is not supported for machine type %s", machine)
	}
	if state, _ := cl.nodes[i].state(now); state != nodeRunning {
		return 0, "", failf("FAILED_PRECONDITION", "Node %q is in state %s instead of RUNNING.", name, state)
	}
	return i, nodeRepairing, nil
}

package clustertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// States of a cluster.
const (
	stateProvisioning = "PROVISIONING"
	stateRunning      = "RUNNING"
	stateUpdating     = "UPDATING"
	stateStopping     = "STOPPING"
	stateError        = "ERROR"
)

// clusterState is a cluster as the service knows it.
type clusterState struct {
	region, id string
	// doc is what users set, without the output-only fields.
	doc     document
	state   string
	detail  string
	created time.Time
	updated time.Time
	nodes   []node
	// images holds, by pool id, the image that the pool's nodes run.
	images map[string]string
	// resolved says that an update has run, from when on answers show node_image.
	resolved bool
}

var outputOnly = []string{"name", "create_time", "update_time", "cluster_status"}

// userFields is the part of a body that users may set.
func userFields(body document) document {
	out := document{}
	for k, v := range body {
		if !slices.Contains(outputOnly, k) {
			out[k] = v
		}
	}
	return out
}

func (s *Server) find(c *call) (*clusterState, *apiError) {
	if cl := s.clusters[c.region+"/"+c.id]; cl != nil {
		return cl, nil
	}
	return nil, failf("NOT_FOUND", "The ModelDevelopmentCluster does not exist: %s",
		s.serverName(c.region, "modelDevelopmentClusters", c.id))
}

func (cl *clusterState) mustRun(what string) *apiError {
	if cl.state == stateRunning {
		return nil
	}
	return failf("FAILED_PRECONDITION", "ModelDevelopmentCluster %q cannot be %s while it is in state %s.",
		cl.id, what, cl.state)
}

// view is the cluster as answers show it at now.
func (s *Server) view(cl *clusterState, now time.Time) document {
	doc := cl.doc.with([]string{"name"}, s.serverName(cl.region, "modelDevelopmentClusters", cl.id))
	doc["create_time"] = timestamp(cl.created)
	doc["update_time"] = timestamp(cl.updated)
	doc["cluster_status"] = document{"state": cl.state, "detail": cl.detail, "nodes_status": nodesStatus(cl.nodes, now)}
	if !cl.resolved {
		return doc
	}
	pools := []any{}
	for _, p := range cl.doc.children("node_pools") {
		if p.text("node_image") == "" {
			p = p.with([]string{"node_image"}, cl.images[p.text("id")])
		}
		pools = append(pools, p)
	}
	doc["node_pools"] = pools
	return doc
}

func timestamp(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

func (s *Server) getCluster(c *call, now time.Time) ([]byte, *apiError) {
	cl, err := s.find(c)
	if err != nil {
		return nil, err
	}
	return s.encode(s.cluster, s.view(cl, now)), nil
}

// Cluster returns the current JSON of the cluster called id, as get would, or nil if there is none. A full
// resource name serves as well, which is needed for regions other than the first.
func (s *Server) Cluster(id string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.settle()
	region, id := s.locate(id)
	cl := s.clusters[region+"/"+id]
	if cl == nil {
		return nil
	}
	return pretty(s.encode(s.cluster, s.view(cl, now)))
}

// locate takes a bare id or a resource name apart.
func (s *Server) locate(name string) (region, id string) {
	parts := strings.Split(name, "/")
	if len(parts) == 6 {
		return parts[3], parts[5]
	}
	return s.regions[0], name
}

// sampleCluster is what AddCluster makes of a nil document.
const sampleCluster = `{
  "nodePools": [
    {"id": "cpu", "machineSpec": {"machineType": "n2-standard-8"},
     "scalingSpec": {"minNodeCount": 2, "maxNodeCount": 2},
     "zone": "us-central1-a", "bootDisk": {"bootDiskType": "pd-standard", "bootDiskSizeGb": 120}},
    {"id": "login", "machineSpec": {"machineType": "n2-standard-8"},
     "scalingSpec": {"minNodeCount": 1, "maxNodeCount": 1},
     "zone": "us-central1-a", "bootDisk": {"bootDiskType": "pd-standard", "bootDiskSizeGb": 120}}
  ],
  "orchestratorSpec": {"slurmSpec": {
    "homeDirectoryStorage": "projects/my-project/locations/us-central1-a/instances/my-filestore",
    "partitions": [{"id": "cpu", "nodePoolIds": ["cpu"]}],
    "loginNodePoolId": "login"
  }}
}`

// AddCluster puts a RUNNING cluster on the server, without an operation. id is a cluster id, or a full resource
// name for a region other than the first. doc is a create body or an answer of get, in either spelling; it is
// held to the same rules as a create. A clusterStatus in it sets state and detail, createTime and updateTime
// the times, and a nodeImage makes the cluster one that has been updated before. A nil doc stands for a small
// CPU cluster with the partition "cpu" of two nodes. A cluster of the same id is replaced.
func (s *Server) AddCluster(id string, doc []byte) error {
	if doc == nil {
		doc = []byte(sampleCluster)
	}
	body, fail := decode(s.cluster, "model_development_cluster", doc)
	if fail == nil {
		fail = checkID(id[strings.LastIndexByte(id, '/')+1:])
	}
	if fail == nil {
		fail = checkCluster(userFields(body))
	}
	if fail != nil {
		return fmt.Errorf("clustertest: AddCluster %s: %s", id, fail.Message)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.settle()
	region, id := s.locate(id)
	if !slices.Contains(s.regions, region) {
		return fmt.Errorf("clustertest: AddCluster %s: unknown region %q", id, region)
	}
	cl := &clusterState{region: region, id: id, doc: userFields(body), created: now, updated: now}
	cl.restore(body)
	cl.images = s.resolvedImages(nil, cl.doc, modeUserOnly)
	cl.nodes = planNodes(cl.id, nil, cl.doc, nil, now, now)
	if cl.state == stateError {
		cl.nodes = nil
	}
	s.clusters[region+"/"+id] = cl
	return nil
}

// restore takes over the output-only fields of an answer of get.
func (cl *clusterState) restore(body document) {
	status := body.child("cluster_status")
	cl.state, cl.detail = or(status.text("state"), stateRunning), status.text("detail")
	if t, err := time.Parse(time.RFC3339Nano, body.text("create_time")); err == nil {
		cl.created = t
	}
	if t, err := time.Parse(time.RFC3339Nano, body.text("update_time")); err == nil {
		cl.updated = t
	}
	for _, p := range cl.doc.children("node_pools") {
		cl.resolved = cl.resolved || p.text("node_image") != ""
	}
}

// SetClusterState changes a cluster's state and detail at once, for instance to ERROR, or to a state that a
// client has never heard of. It fails if there is no such cluster. An operation that is under way sets the state
// again when it ends.
func (s *Server) SetClusterState(id, state, detail string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	region, id := s.locate(id)
	cl := s.clusters[region+"/"+id]
	if cl == nil {
		return errors.New("clustertest: SetClusterState: no cluster " + id)
	}
	cl.state, cl.detail = state, detail
	return nil
}

// clusterAny is the response of an operation: the cluster as an Any.
func (s *Server) clusterAny(cl *clusterState, now time.Time) json.RawMessage {
	return s.encode(s.cluster, s.view(cl, now), jsonMember{"@type", apiType + "ModelDevelopmentCluster"})
}

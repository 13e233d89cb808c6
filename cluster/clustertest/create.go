package clustertest

import (
	"regexp"
	"time"
)

var clusterID = regexp.MustCompile(`^[a-z][a-z0-9]{0,9}$`)

func checkID(id string) *apiError {
	if clusterID.MatchString(id) {
		return nil
	}
	return badField("model_development_cluster_id",
		"must start with a lowercase letter and have up to 10 lowercase letters and digits; got %q", id)
}

func (s *Server) createCluster(c *call, now time.Time) ([]byte, *apiError) {
	body, err := decode(s.cluster, "model_development_cluster", c.body)
	if err != nil {
		return nil, err
	}
	id := c.query.Get("model_development_cluster_id")
	if err := checkID(id); err != nil {
		return nil, err
	}
	doc := userFields(body)
	if err := checkCluster(doc); err != nil {
		return nil, err
	}
	key := c.region + "/" + id
	if s.clusters[key] != nil {
		return nil, failf("ALREADY_EXISTS", "There is an existing ModelDevelopmentCluster with the same ID %q. "+
			"Please delete the existing cluster and try again or use a different ID.", id)
	}
	cl := &clusterState{region: c.region, id: id, doc: doc, state: stateProvisioning, created: now, updated: now}
	s.clusters[key] = cl
	cl.images = s.resolvedImages(nil, doc, modeUserAndService)
	op := s.start(c, now)
	op.progress = "Create Model Development Cluster request received, provisioning..."
	cl.nodes = planNodes(id, nil, doc, nil, now, op.end)
	op.failure = s.barred(doc)
	op.finish = func(end time.Time) {
		cl.state, cl.updated = stateRunning, end
		op.response = s.clusterAny(cl, end)
	}
	// A create that fails after it was accepted leaves a cluster that holds the id until it is deleted.
	op.undo = func(end time.Time, why string) {
		cl.state, cl.detail, cl.nodes, cl.updated = stateError, why, nil, end
	}
	return s.accepted(op), nil
}

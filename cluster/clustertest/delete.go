package clustertest

import (
	"encoding/json"
	"time"
)

// deleteCluster starts the deletion of a cluster that runs or that failed. Whether the service deletes one while
// another operation is at work on it is not published; here it does not.
func (s *Server) deleteCluster(c *call, now time.Time) ([]byte, *apiError) {
	cl, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if cl.state != stateError {
		if err := cl.mustRun("deleted"); err != nil {
			return nil, err
		}
	}
	op := s.start(c, now)
	before := *cl
	cl.state = stateStopping
	op.finish = func(time.Time) {
		delete(s.clusters, cl.region+"/"+cl.id)
		op.response = json.RawMessage(`{"@type":"type.googleapis.com/google.protobuf.Empty"}`)
	}
	op.undo = func(_ time.Time, why string) { cl.state, cl.detail = before.state, why }
	return s.accepted(op), nil
}

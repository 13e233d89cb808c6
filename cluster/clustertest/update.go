package clustertest

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// Values of updateMode.
const (
	modeUserOnly       = "USER_ONLY"
	modeUserAndService = "USER_AND_SERVICE"
)

// documentedPaths is the documented list of what an update mask may name, exactly so: other spellings, parents and
// map keys may or may not work on the service, and are refused here.
var documentedPaths = []string{
	"labels",
	"node_pools",
	"orchestrator_spec.slurm_spec.partitions",
	"orchestrator_spec.slurm_spec.default_partition_id",
	"orchestrator_spec.slurm_spec.login_node_pool_id",
	"orchestrator_spec.slurm_spec.prolog_bash_scripts",
	"orchestrator_spec.slurm_spec.epilog_bash_scripts",
	"orchestrator_spec.slurm_spec.config",
	"orchestrator_spec.slurm_spec.scheduling",
	"orchestrator_spec.slurm_spec.accounting",
	"orchestrator_spec.slurm_spec.node_sets",
}

func (s *Server) updateCluster(c *call, now time.Time) ([]byte, *apiError) {
	body, err := decode(s.cluster, "model_development_cluster", c.body)
	if err != nil {
		return nil, err
	}
	mask, err := s.readMask(c.query.Get("update_mask"))
	if err != nil {
		return nil, err
	}
	mode, err := readMode(c.query.Get("update_mode"))
	if err != nil {
		return nil, err
	}
	cl, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if err := cl.mustRun("updated"); err != nil {
		return nil, err
	}
	next, err := merge(cl.doc, userFields(body), mask)
	if err != nil {
		return nil, err
	}
	if err := checkCluster(next); err != nil {
		return nil, err
	}
	return s.accepted(s.startUpdate(c, cl, next, mode, now)), nil
}

// startUpdate sets the update to next under way. The document stays what it was until the operation is done:
// a client that reads too early sees the old settings.
func (s *Server) startUpdate(c *call, cl *clusterState, next document, mode string, now time.Time) *operation {
	op := s.start(c, now)
	images := s.resolvedImages(cl.images, next, mode)
	keep := keptPools(cl.doc, next, cl.images, images)
	before := cl.nodes
	cl.nodes = planNodes(cl.id, before, next, keep, now, op.end)
	cl.state = stateUpdating
	op.failure = s.barred(next)
	op.finish = func(end time.Time) {
		cl.doc, cl.images, cl.resolved = next, images, true
		cl.state, cl.detail, cl.updated = stateRunning, "", end
		op.response = s.clusterAny(cl, end)
	}
	op.undo = func(end time.Time, why string) {
		cl.state, cl.detail, cl.nodes = stateRunning, why, before
	}
	return op
}

func (s *Server) readMask(text string) ([]string, *apiError) {
	if text == "" {
		return nil, nil
	}
	mask := strings.Split(text, ",")
	for _, path := range mask {
		if !slices.Contains(s.maskPaths, path) {
			return nil, badField("update_mask", "unsupported path %q", path)
		}
	}
	return mask, nil
}

func readMode(text string) (string, *apiError) {
	switch text {
	case "", "UPDATE_MODE_UNSPECIFIED", modeUserAndService:
		return modeUserAndService, nil
	case modeUserOnly:
		return modeUserOnly, nil
	}
	var d decoder
	d.mistyped("update_mode", apiType+"UpdateMode", text)
	return "", payloadErrors(d.found)
}

// merge returns the cluster that an update asks for. With a mask, each listed field becomes that of the body,
// gone if it is not there. Without one the body is the new cluster.
func merge(current, body document, mask []string) (document, *apiError) {
	next := body
	if mask == nil {
		if err := checkImmutable(current, body); err != nil {
			return nil, err
		}
	} else {
		next = current
		for _, path := range mask {
			steps := strings.Split(path, ".")
			next = next.with(steps, body.at(steps))
		}
	}
	// An empty legacy block is one that is not in use.
	for _, block := range []string{"scheduling", "accounting"} {
		if len(next.slurm().child(block)) == 0 {
			next = next.with([]string{"orchestrator_spec", "slurm_spec", block}, nil)
		}
	}
	return next, nil
}

// immutablePaths cannot be updated. That holds for service_account by the documents; the others are in no mask.
var immutablePaths = []string{
	"display_name",
	"network.network",
	"network.subnetwork",
	"runtime_spec.service_account",
	"orchestrator_spec.slurm_spec.home_directory_storage",
}

// checkImmutable refuses a whole-resource update that changes or leaves out what cannot change. Whether the
// service refuses or ignores it is not published; refusing shows the mistake.
func checkImmutable(current, body document) *apiError {
	var c checker
	for _, path := range immutablePaths {
		steps := strings.Split(path, ".")
		if is, want := current.at(steps), body.at(steps); !reflect.DeepEqual(is, want) {
			c.failf(path, "is immutable")
		}
	}
	if len(c.found) > 0 {
		return foundErrors(c.found)
	}
	return nil
}

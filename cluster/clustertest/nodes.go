package clustertest

import (
	"fmt"
	"maps"
	"reflect"
	"time"
)

// node is one virtual machine. Its state follows from the time.
type node struct {
	name, pool string
	busy       string    // its state until ready
	since      time.Time // when it took up the busy state
	ready      time.Time // when it runs; RUNNING from then on
}

const (
	nodePreparing = "PREPARING"
	nodeRepairing = "REPAIRING"
	nodeRunning   = "RUNNING"
)

func (n node) state(now time.Time) (string, time.Time) {
	if now.Before(n.ready) {
		return n.busy, n.since
	}
	return nodeRunning, n.ready
}

func nodesStatus(nodes []node, now time.Time) []any {
	out := []any{}
	for _, n := range nodes {
		state, since := n.state(now)
		out = append(out, document{"node_state": state, "instance": n.name, "node_pool_id": n.pool,
			"state_update_time": timestamp(since)})
	}
	return out
}

// planNodes returns the nodes that a cluster has once doc is in force: those of pools in keep stay as they are
// in old, others are made anew between now and ready. Only static nodes exist here, those below the minimum
// count; nothing creates the others.
func planNodes(clusterID string, old []node, doc document, keep map[string]bool, now, ready time.Time) []node {
	present := map[string]node{}
	for _, n := range old {
		present[n.name] = n
	}
	login := doc.slurm().text("login_node_pool_id")
	out := []node{}
	for _, p := range doc.children("node_pools") {
		pool := p.text("id")
		for i := range p.child("scaling_spec").int("min_node_count") {
			name := fmt.Sprintf("%s-%s-%d", clusterID, pool, i)
			if pool == login {
				name = fmt.Sprintf("%s-login-%03d", clusterID, i+1)
			}
			n, exists := present[name]
			if !exists || n.pool != pool || !keep[pool] {
				n = node{name, pool, nodePreparing, now, ready}
			}
			out = append(out, n)
		}
	}
	return out
}

// infrastructure lists the pool fields whose change replaces the pool's nodes. That a startup script, a storage
// source and an image do is documented, the rest follows from what a virtual machine can change.
var infrastructure = []string{"machine_spec", "zone", "enable_public_ips", "boot_disk", "provisioning_model",
	"flex_start_max_duration", "startup_script", "filestores", "lustres"}

// keptPools tells which pools of next go on with the nodes they have.
func keptPools(now, next document, images, nextImages map[string]string) map[string]bool {
	keep := map[string]bool{}
	for _, p := range next.children("node_pools") {
		id := p.text("id")
		old := now.pool(id)
		same := old != nil && images[id] == nextImages[id]
		for _, f := range infrastructure {
			same = same && reflect.DeepEqual(old[f], p[f])
		}
		keep[id] = same
	}
	return keep
}

// firstImage is the default image of a new server.
const firstImage = "projects/example-image-project/global/images/example-slurm-image-20260901"

// SetDefaultImage makes image, "projects/P/global/images/I", the default for a machine type, or for all types
// without one of their own if machineType is "". As in the service, clusters take it up with their next
// USER_AND_SERVICE update, whatever that changes, and their nodes are replaced by it.
func (s *Server) SetDefaultImage(machineType, image string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.images[machineType] = image
}

// resolvedImages returns the images that the pools of next run. A pool that names an image gets it. Otherwise
// USER_ONLY keeps what runs, and USER_AND_SERVICE takes today's default, as do new pools in either mode.
func (s *Server) resolvedImages(running map[string]string, next document, mode string) map[string]string {
	out := map[string]string{}
	for _, p := range next.children("node_pools") {
		id := p.text("id")
		image := p.text("node_image")
		if image == "" && mode == modeUserOnly {
			image = running[id]
		}
		if image == "" {
			image = s.images[p.child("machine_spec").text("machine_type")]
		}
		out[id] = or(image, s.images[""])
	}
	return out
}

// RunningImages returns the image that each pool of a cluster runs, by pool id, also where get does not show it
// yet; nil if there is no such cluster.
func (s *Server) RunningImages(id string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	region, id := s.locate(id)
	cl := s.clusters[region+"/"+id]
	if cl == nil {
		return nil
	}
	return maps.Clone(cl.images)
}

package slurmtest

import (
	"slices"
	"strings"
	"time"
)

// schedule starts what can start, in order. The first job of a partition that
// does not fit waits for "Resources" and every later one there for
// "Priority": there is no backfill.
func (s *Server) schedule(t time.Time) bool {
	blocked := map[string]bool{}
	started := false
	for _, j := range slices.Clone(s.queue) {
		for j.state == statePending && !j.completing && s.ready(j, t) {
			if !s.tryStart(j, t, blocked) {
				break
			}
			started = true
		}
	}
	return started
}

// ready works out what a pending job waits for, apart from room.
func (s *Server) ready(j *job, t time.Time) bool {
	reason := s.waitsFor(j, t)
	switch reason {
	case "":
	case "Dependency", "DependencyNeverSatisfied", "JobHeldUser", "JobHeldAdmin":
		j.eligible, j.lookAt = time.Time{}, time.Time{}
		if j.held && j.begin.After(t) {
			j.eligible = j.begin
		}
		if j.held && j.isRest() {
			j.awaited = reason
		}
	case "BeginTime":
		j.awaited = reason
		j.eligible, j.lookAt = j.begin, time.Time{}
	default:
		j.since(t)
	}
	if reason == "DependencyNeverSatisfied" && j.hasFlag("KILL_INVALID_DEPENDENCY") {
		s.stop(j, ending{state: stateCancelled, reason: reason}, t)
		return false
	}
	if reason != "" {
		s.wait(j, reason, t)
		return false
	}
	if j.lookAt.IsZero() {
		j.since(t)
		s.wait(j, "None", t)
		j.lookAt = t.Add(s.set.scheduleDelay)
	}
	return !j.lookAt.After(t)
}

// since notes from when on the job could have run.
func (j *job) since(t time.Time) {
	if j.eligible.IsZero() {
		j.eligible = t
	}
}

func (s *Server) waitsFor(j *job, t time.Time) string {
	switch {
	case j.held:
		return j.holdReason()
	case j.begin.After(t):
		return "BeginTime"
	}
	if reason := s.dependencyReason(j); reason != "" {
		return reason
	}
	if reason := s.partitionReason(j); reason != "" {
		return reason
	}
	return s.nodeReason(j)
}

// nodeReason is whether nodes that the job needs are out of service. Such a
// job holds nobody back.
func (s *Server) nodeReason(j *job) string {
	var out []string
	for _, name := range j.partitions {
		p := s.partition(name)
		if p == nil || s.available(j.spec, p) {
			return ""
		}
		for _, n := range p.nodes {
			if n.down && n.suits(j.spec, j.spec.shape(p.cpus())) {
				out = append(out, n.Name)
			}
		}
	}
	j.awaited, j.description = "ReqNodeNotAvail", "ReqNodeNotAvail, May be reserved for other job"
	if len(out) > 0 {
		j.description = "ReqNodeNotAvail, UnavailableNodes:" + joinHosts(out)
	}
	return j.awaited
}

// partitionReason is why none of the job's partitions can ever start it.
func (s *Server) partitionReason(j *job) string {
	reason := ""
	for _, name := range j.partitions {
		p := s.partition(name)
		switch {
		case p == nil:
			continue
		case p.Down:
			reason = "PartitionDown"
		case !p.allows(j.account):
			reason = "PartitionConfig"
		case !p.holds(j.spec):
			reason = "PartitionTimeLimit"
		default:
			return ""
		}
	}
	return reason
}

func (p *partition) allows(account string) bool {
	return len(p.AllowAccounts) == 0 || slices.Contains(p.AllowAccounts, account)
}

// holds says whether the job's time limit is within the partition's.
func (p *partition) holds(d *spec) bool {
	if p.MaxTime == 0 {
		return true
	}
	span, ok := d.limit()
	return ok && span <= p.MaxTime
}

func (s *Server) wait(j *job, reason string, t time.Time) {
	if j.reason == reason {
		return
	}
	j.reason = reason
	s.touch(t)
}

// tryStart starts the job, or an array's next task, or says what for it
// waits.
func (s *Server) tryStart(j *job, t time.Time, blocked map[string]bool) bool {
	j.lastLook = t
	if j.isRest() && j.array.limit > 0 && j.array.running() >= j.array.limit {
		j.waited = "JobArrayTaskLimit"
		s.wait(j, j.waited, t)
		return false
	}
	if !s.licensed(j) {
		s.wait(j, "Licenses", t)
		return false
	}
	team := j.team()
	if j != team[0] {
		return false // started with the first of them
	}
	for _, member := range team {
		if member != j && !s.ready(member, t) {
			return false
		}
	}
	for _, member := range team {
		if !s.fits(member, t, blocked) {
			s.undo(team)
			return false
		}
	}
	for _, member := range team {
		s.start(member, t)
	}
	return true
}

// team is who starts together: the components of a het job that wait, else
// the job.
func (j *job) team() []*job {
	if j.het == nil {
		return []*job{j}
	}
	return slices.DeleteFunc(slices.Clone(j.het.components), func(c *job) bool { return c.state != statePending })
}

// fits reserves room for the job in the first of its partitions that has any.
func (s *Server) fits(j *job, t time.Time, blocked map[string]bool) bool {
	reason := "Resources"
	for _, name := range j.partitions {
		p := s.partition(name)
		if p == nil || p.Down || !p.allows(j.account) || !p.holds(j.spec) {
			continue
		}
		if blocked[name] {
			reason = "Priority"
			continue
		}
		if s.place(j, p) {
			return true
		}
		blocked[name] = true
	}
	s.wait(j, reason, t)
	return false
}

// available says whether enough nodes that suit the job are up at all.
func (s *Server) available(d *spec, p *partition) bool {
	want := d.shape(p.cpus())
	var up int64
	for _, n := range p.nodes {
		if s.open(n, d) && n.suits(d, want) {
			up++
		}
	}
	return up >= want.nodes
}

func (s *Server) undo(team []*job) {
	for _, j := range team {
		if len(j.allocation) > 0 {
			s.free(j)
			j.allocation, j.placed = nil, ""
		}
	}
}

func (s *Server) start(j *job, t time.Time) {
	if j.isRest() {
		j = s.splitTask(j, t)
	}
	s.borrow(j, 1)
	j.state, j.reason, j.ran = stateRunning, "None", true
	if j.awaited != "" {
		j.waited, j.awaited = j.awaited, ""
	}
	j.description, j.lostTres, j.lost, j.accrue = "", "", nil, j.eligible
	j.billed, _, _, _ = j.allocated()
	j.start, j.lastLook, j.end = t, t, time.Time{}
	s.touch(t)
	if s.set.bootTime > 0 {
		j.configuring, j.booted = true, t.Add(s.set.bootTime)
		return
	}
	s.begins(j, t)
}

// place looks for nodes and takes them for the job: as many as it may have, if
// it named a range.
func (s *Server) place(j *job, p *partition) bool {
	least := max(j.minNodes, 1)
	if j.spec.tasks == 0 {
		for count := min(j.maxNodes, int64(len(p.nodes))); count > least; count-- {
			if s.placeOn(j, p, j.spec.onNodes(count)) {
				return true
			}
		}
	}
	return s.placeOn(j, p, j.spec)
}

func (s *Server) placeOn(j *job, p *partition, d *spec) bool {
	var chosen []*node
	n := d.shape(p.cpus())
	for _, candidate := range p.nodes {
		if int64(len(chosen)) < n.nodes && s.open(candidate, j.spec) && candidate.hasRoom(d, n) {
			chosen = append(chosen, candidate)
		}
	}
	if int64(len(chosen)) < n.nodes || !containsNodes(chosen, j.required) {
		return false
	}
	j.need, j.allocation = n, nil
	left := n.cpus
	for _, c := range chosen {
		cpus, gpus, mb := min(n.nodeCPUs, left), n.nodeGPUs, int(n.nodeMB)
		left -= cpus
		if j.exclusive() {
			cpus, gpus = int64(c.CPUs), int64(c.GPUs)
			if j.memPerCPU.set {
				mb = int(j.memPerCPU.number) * c.CPUs
			}
		}
		if n.wholeMemory {
			mb = c.MemoryMB
		}
		c.usedMB += mb
		j.allocation = append(j.allocation, &share{
			node: c, cores: take(c.cores, int(max(cpus, 1)), j), gpus: take(c.gpus, int(gpus), j), mb: int64(mb),
		})
	}
	j.placed = p.Name
	return true
}

func (n *node) hasRoom(d *spec, want need) bool {
	if !n.suits(d, want) {
		return false
	}
	if d.exclusive() {
		return n.usedCPUs() == 0
	}
	if want.wholeMemory {
		return n.usedMB == 0 && int64(free(n.cores)) >= want.nodeCPUs
	}
	return int64(free(n.cores)) >= want.nodeCPUs && int64(free(n.gpus)) >= want.nodeGPUs &&
		int64(n.MemoryMB-n.usedMB) >= want.nodeMB
}

// suits is hasRoom for an empty node.
func (n *node) suits(d *spec, want need) bool {
	if slices.Contains(d.excluded, n.Name) {
		return false
	}
	if len(d.required) > 0 && int64(len(d.required)) >= want.nodes && !slices.Contains(d.required, n.Name) {
		return false
	}
	for _, feature := range strings.FieldsFunc(d.constraints, func(r rune) bool { return r == '&' || r == ',' }) {
		if !slices.Contains(n.Features, feature) {
			return false
		}
	}
	if want.nodeGPUs > 0 && want.gpuKind != "" && want.gpuKind != n.GPUType {
		return false
	}
	return int64(n.CPUs) >= want.nodeCPUs && int64(n.GPUs) >= want.nodeGPUs && int64(n.MemoryMB) >= want.nodeMB
}

func (p *partition) cpus() int64 {
	var most int
	for _, n := range p.nodes {
		most = max(most, n.CPUs)
	}
	return int64(most)
}

func containsNodes(nodes []*node, names []string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(nodes, func(n *node) bool { return n.Name == name }) {
			return false
		}
	}
	return true
}

// free gives back nodes and licenses. The record goes on naming the nodes.
func (s *Server) free(j *job) {
	for _, share := range j.allocation {
		release(share.node.cores, j)
		release(share.node.gpus, j)
		share.node.usedMB -= int(share.mb)
	}
	if j.state != statePending || j.requeuing {
		s.borrow(j, -1)
	}
}

package slurmtest

import (
	"slices"
	"strings"
	"time"
)

const (
	maxScript = 4 << 20 // bytes
	maxName   = 1024
)

// check refuses what Slurm refuses at submit, in its order. The last two
// errors (2006 and 2014) come so late that a failed job is left behind.
func (s *Server) check(d *spec, v values, user string, now time.Time) code {
	for _, test := range []func() code{
		func() code { return checkText(d) },
		func() code { return s.checkIdentity(d, v, user) },
		func() code { return s.checkPlace(d, now) },
		func() code { return s.checkLists(d, v, user) },
		func() code { return s.checkMeaning(d, user) },
		func() code { return s.checkResources(d) },
	} {
		if c := test(); c != codeNone {
			return c
		}
	}
	return codeNone
}

// leavesRecord is true for the refusals after which a job with the reason
// BadConstraints is found in the queue and in accounting.
func leavesRecord(c code) bool { return c == codeNodeCount || c == codeNodeConfig }

// usesID is true for the refusals that come when the job has its id already.
func usesID(c code) bool { return c == codeDependency || c == codeReservation || c == codeLabel }

func checkText(d *spec) code {
	switch {
	case d.cwd == "":
		return codeNoDirectory
	case len(d.environment) == 0:
		return codeWritingScript
	case len(d.script) > maxScript, len(d.name) > maxName:
		return codeTooLong
	}
	return codeNone
}

// checkIdentity: jobs run as the caller, and only an administrator comments
// as one or raises a priority.
func (s *Server) checkIdentity(d *spec, v values, user string) code {
	uid := itoa(s.uid(user))
	switch {
	case v.has("user_id") && v.text("user_id") != user && v.text("user_id") != uid:
		return codeUserID
	case v.has("group_id") && v.text("group_id") != user && v.text("group_id") != uid:
		return codeGroupID
	case v.has("admin_comment"):
		return codeAccess
	case d.nice < 0:
		return codeNice
	}
	return codeNone
}

func (s *Server) checkPlace(d *spec, now time.Time) code {
	if problem := s.checkNames(d); problem != codeNone {
		return problem
	}
	if span, ok := d.limit(); !d.deadline.IsZero() && ok && d.deadline.Before(now.Add(span)) {
		return codeTimeLimit
	}
	if s.set.enforceLimits {
		switch s.partitionReason(&job{spec: d}) {
		case "PartitionConfig":
			return codeAccount
		case "PartitionTimeLimit", "PartitionDown":
			return codeTimeLimit
		}
	}
	return codeNone
}

// checkNames wants a partition, an account and a QOS that there are.
func (s *Server) checkNames(d *spec) code {
	if len(d.partitions) == 0 {
		return codePartition
	}
	for _, name := range d.partitions {
		if s.partition(name) == nil {
			return codePartition
		}
	}
	if len(s.set.accounts) == 0 || d.account != "" && !slices.Contains(s.set.accounts, d.account) {
		return codeAccount
	}
	if d.qos != "" && !slices.Contains(s.set.qos, d.qos) {
		return codeQOS
	}
	return codeNone
}

func (s *Server) checkLists(d *spec, v values, user string) code {
	if text := v.text("array"); text != "" {
		if _, _, ok := parseArray(text, s.set.maxArraySize); !ok {
			return codeArray
		}
	}
	for _, text := range []string{d.tresPerNode, d.tresPerJob, d.tresPerTask, d.tresPerSocket} {
		if _, c := parseGPUs(text); c != codeNone {
			return c
		}
	}
	for name, n := range seats(d.licenses) {
		if l := s.license(name); l == nil || n > l.total {
			return codeLicense
		}
	}
	for _, name := range append(slices.Clone(d.required), d.excluded...) {
		if s.node(name) == nil {
			return codeNodeName
		}
	}
	for _, feature := range strings.FieldsFunc(d.constraints, func(r rune) bool { return strings.ContainsRune("&|,[]()", r) }) {
		if !slices.ContainsFunc(s.nodes, func(n *node) bool { return slices.Contains(n.Features, feature) }) {
			return codeFeature
		}
	}
	if problem := s.checkReservation(d, user); problem != codeNone {
		return problem
	}
	if _, ok := s.parseDependency(d.dependency); !ok {
		return codeDependency
	}
	return codeNone
}

func (s *Server) checkResources(d *spec) code {
	if d.minNodes == 0 || d.maxNodes > 0 && d.maxNodes < d.minNodes {
		return codeNodeCount
	}
	for _, name := range d.partitions {
		if s.possible(d, s.partition(name)) {
			return codeNone
		}
	}
	return codeNodeConfig
}

// possible says whether the job would fit an empty partition.
func (s *Server) possible(d *spec, p *partition) bool {
	want := d.shape(p.cpus())
	var suited int64
	for _, n := range p.nodes {
		if n.suits(d, want) {
			suited++
		}
	}
	return suited >= want.nodes
}

// exists says whether a job's working directory and output can be opened.
func (s *Server) exists(j *job) bool {
	for _, path := range []string{j.cwd, j.path(j.stdout), j.path(j.stderr)} {
		if !s.has(path) {
			return false
		}
	}
	return true
}

func (s *Server) has(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	if len(s.set.directories) == 0 {
		return true
	}
	return slices.ContainsFunc(s.set.directories, func(dir string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	})
}

// active counts the user's unfinished jobs; an array counts its tasks.
func (s *Server) active(user string) int {
	n := 0
	for _, j := range s.queue {
		if j.user == user && !j.terminal() {
			n += max(len(j.tasks), 1)
		}
	}
	return n
}

package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Plan is what an update would do, worked out from the rules of the service without asking it. Print it with
// [Plan.String] or [Plan.Markdown], or marshal it to JSON for a tool.
//
// A Plan knows the cluster as it was read, not what has happened since, and not what the service keeps to itself:
// which image is the default today, which Slurm parameters it supports, how many dynamic nodes run.
type Plan struct {
	Cluster string     `json:"cluster"` // the id
	Mask    FieldMask  `json:"mask"`
	Mode    UpdateMode `json:"mode"`

	// Changes are all fields that get another value, in the order of the resource.
	Changes []Change `json:"changes"`
	// Effects are what the changes and the mode do to nodes, images and Slurm.
	Effects []Effect `json:"effects"`
	// Refusals are what is wrong with the update: the service, or the SDK before it, refuses it.
	Refusals []Violation `json:"refusals"`
	// Warnings are what is probably not meant, or not good.
	Warnings []Violation `json:"warnings"`

	current, result *ModelDevelopmentCluster // which share what does not change, and so are not changed
	was, will       map[string]*NodePool     // their pools
	same            bool                     // result is current to the last field
	images          map[string]string        // the node image that is sent, by pool
}

// Change is one field that gets another value.
type Change struct {
	// Path is the field in snake_case. Elements of lists are named by their ids and map entries by their keys:
	// node_pools[gpu].scaling_spec.max_node_count, labels.team.
	Path string     `json:"path"`
	Kind ChangeKind `json:"kind"`
	// Old and New are JSON; Old is nil if the field is added and New if it is removed.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// ChangeKind says how a field changes.
type ChangeKind string

const (
	ChangeAdd    ChangeKind = "ADD"
	ChangeRemove ChangeKind = "REMOVE" // because it was taken out or because the update leaves it out
	ChangeModify ChangeKind = "MODIFY"
	ChangeOrder  ChangeKind = "REORDER" // the same elements in another order; Old and New are their ids
)

// Adds reports whether the field is new.
func (k ChangeKind) Adds() bool { return k == ChangeAdd }

// Removes reports whether the field goes.
func (k ChangeKind) Removes() bool { return k == ChangeRemove }

// Modifies reports whether the field gets another value.
func (k ChangeKind) Modifies() bool { return k == ChangeModify }

// Reorders reports whether the field is a list of which only the order changes.
func (k ChangeKind) Reorders() bool { return k == ChangeOrder }

// Has reports whether the update would have an effect of the kind, surely or possibly.
func (p *Plan) Has(kind EffectKind) bool {
	return p != nil && slices.ContainsFunc(p.Effects, func(e Effect) bool { return e.Kind == kind })
}

// Refused reports whether the update would be refused.
func (p *Plan) Refused() bool { return p != nil && len(p.Refusals) > 0 }

// Destructive reports whether the update costs nodes, sessions or jobs, surely or possibly.
func (p *Plan) Destructive() bool {
	return p != nil && slices.ContainsFunc(p.Effects, func(e Effect) bool { return e.Kind.Destructive() })
}

// Empty reports whether the update would leave everything as it is.
func (p *Plan) Empty() bool {
	does := func(e Effect) bool { return e.Kind != EffectImageKept }
	return p == nil || len(p.Changes) == 0 && !slices.ContainsFunc(p.Effects, does) && !p.Refused()
}

// Result is the cluster as it would be after the update, or nil if the update is refused for its mask or mode. A
// node image that the update leaves to the service is as it was read under [UpdateModeUserOnly], and empty where
// the service resolves it anew.
func (p *Plan) Result() *ModelDevelopmentCluster {
	if p == nil || p.result == nil {
		return nil
	}
	copied, _ := p.result.clone() // what was cloned once can be cloned again
	return copied
}

// PlanUpdate works out what [Client.UpdateCluster] with want, mask and mode would do to a cluster that now is
// current. It calls nothing and changes neither. current should be what [Client.GetCluster] has just returned; want
// is the cluster with the changes, of which only the fields of the mask count.
//
// A path that mask names and want has nothing for shows as what the service would make of it, which clears the field,
// and as refused, since UpdateCluster wants it marked with [Clear].
func PlanUpdate(current, want *ModelDevelopmentCluster, mask FieldMask, mode UpdateMode) *Plan {
	p, paths := newPlan(current, want, mask, mode)
	if p.Refused() {
		return p
	}
	kept, err := current.clone()
	if err != nil {
		p.refuse("", "%w", err)
		return p
	}
	p.fill(kept, want, paths, true)
	return p
}

// newPlan starts a plan. It is refused already if there is nothing to plan with.
func newPlan(current, want *ModelDevelopmentCluster, mask FieldMask, mode UpdateMode) (p *Plan, paths []maskPath) {
	p = &Plan{Mask: slices.Clone(mask), Mode: mode, Changes: []Change{}, Effects: []Effect{}, Refusals: []Violation{}, Warnings: []Violation{}}
	if current == nil || want == nil {
		p.refuse("", "there is no cluster to plan for: current or want is nil")
		return p, nil
	}
	p.Cluster = firstOf(current.ID(), want.ID())
	paths, err := mask.parse()
	if err != nil {
		p.refuse("update_mask", "%w", err)
	}
	if err := mode.check(); err != nil {
		p.refuse("update_mode", "%w", err)
	}
	return p, paths
}

// fill works the plan out. It keeps current, which nobody is to change any more, but not want.
func (p *Plan) fill(current, want *ModelDevelopmentCluster, paths []maskPath, validate bool) {
	result, err := current.updated(want, paths)
	p.current, p.result = current, result
	if err != nil {
		p.refuse("", "%w", err)
		return
	}
	p.settleImages(paths)
	p.was, p.will = p.current.poolsByID(), p.result.poolsByID()
	p.same = codec.Identical(p.current, p.result)
	p.compare()
	p.findEffects(paths)
	p.findRefusals(want, paths)
	p.findWarnings(want, paths)
	if validate {
		p.validate()
	}
}

func (p *Plan) refuse(field, format string, args ...any) {
	p.Refusals = append(p.Refusals, Violation{Field: field, Description: fmt.Errorf(format, args...).Error()})
}

func (p *Plan) warn(field, format string, args ...any) {
	p.Warnings = append(p.Warnings, Violation{Field: field, Description: fmt.Sprintf(format, args...)})
}

// clone is a deep copy. It fails for a cluster that has no JSON, such as one with a nil pool.
func (m *ModelDevelopmentCluster) clone() (*ModelDevelopmentCluster, error) {
	copied := new(ModelDevelopmentCluster)
	if err := codec.Clone(copied, m); err != nil {
		return nil, err
	}
	return copied, nil
}

// poolsByID has the pools by their ids, of two with one id the first.
func (m *ModelDevelopmentCluster) poolsByID() map[string]*NodePool {
	pools := make(map[string]*NodePool, len(m.NodePools))
	for _, pool := range m.NodePools {
		if pools[pool.ID] == nil {
			pools[pool.ID] = pool
		}
	}
	return pools
}

// updated is the cluster after an update, by the service's rules: with a mask each of its fields becomes what want
// has there, and without one the whole cluster does. It shares the rest with m, and nothing with want.
func (m *ModelDevelopmentCluster) updated(want *ModelDevelopmentCluster, paths []maskPath) (after *ModelDevelopmentCluster, err error) {
	if paths[0].name == AllFields {
		after = new(ModelDevelopmentCluster)
		if err := codec.CloneBeside(after, want, m); err != nil {
			return nil, err
		}
		after.Name, after.ClusterStatus, after.CreateTime, after.UpdateTime = m.Name, m.ClusterStatus, m.CreateTime, m.UpdateTime
	} else if after, err = m.overlaid(want, paths); err != nil {
		return nil, err
	}
	after.dropUnused()
	return after, nil
}

// overlaid is m with the fields of the paths as they are in want.
func (m *ModelDevelopmentCluster) overlaid(want *ModelDevelopmentCluster, paths []maskPath) (*ModelDevelopmentCluster, error) {
	if err := codec.Check(want); err != nil {
		return nil, err
	}
	sent := new(ModelDevelopmentCluster)
	for _, path := range paths {
		if _, ok := codec.CopyPath(sent, path.source(want), path.name); !ok {
			return nil, fmt.Errorf("update mask path %q leads through a field that is no message", path.name)
		}
	}
	kept := new(ModelDevelopmentCluster)
	if err := codec.CloneBeside(kept, sent, m); err != nil {
		return nil, err
	}
	after := *m
	for _, path := range paths {
		codec.CopyPath(&after, path.source(kept), path.name)
	}
	return &after, nil
}

// source is where the field of the path comes from.
func (p maskPath) source(want *ModelDevelopmentCluster) *ModelDevelopmentCluster {
	if p.clear {
		return emptied()
	}
	return want
}

// dropUnused takes out an empty scheduling or accounting message: it is one that is not in use.
func (m *ModelDevelopmentCluster) dropUnused() {
	before := m.slurm()
	s := *before
	if s.Scheduling != nil && len(codec.Diff(Scheduling{}, s.Scheduling, elementID)) == 0 {
		s.Scheduling = nil
	}
	if s.Accounting != nil && len(codec.Diff(Accounting{}, s.Accounting, elementID)) == 0 {
		s.Accounting = nil
	}
	if s.Scheduling != before.Scheduling || s.Accounting != before.Accounting {
		orchestrator := *m.OrchestratorSpec
		orchestrator.SlurmSpec = &s
		m.OrchestratorSpec = &orchestrator
	}
}

// compare fills in the changes.
func (p *Plan) compare() {
	if p.same {
		return
	}
	for _, d := range differences(p.current, p.result) {
		if leavesImage(d) {
			continue // which is an effect and no value
		}
		c := Change{Path: d.Path, Kind: ChangeModify, Old: d.Old, New: d.New}
		switch {
		case d.Reordered:
			c.Kind = ChangeOrder
		case d.Old == nil:
			c.Kind = ChangeAdd
		case d.New == nil:
			c.Kind = ChangeRemove
		}
		p.Changes = append(p.Changes, c)
	}
}

// differences lists what users can set and what differs in it.
func differences(before, after *ModelDevelopmentCluster) []jsonx.Difference {
	return foldSpellings(codec.Diff(before.input(), after.input(), elementID))
}

func elementID(element any) string {
	switch e := element.(type) {
	case *NodePool:
		return e.ID
	case *Partition:
		return e.ID
	case *NodeSet:
		return e.NodePoolID
	}
	return ""
}

// foldSpellings joins the removal of a Slurm parameter and its addition in another spelling, which to Slurm is the
// same parameter with perhaps another value.
func foldSpellings(found []jsonx.Difference) (folded []jsonx.Difference) {
	for _, d := range found {
		scope, name, ok := cutParameter(d.Path)
		if !ok {
			folded = append(folded, d)
			continue
		}
		i := slices.IndexFunc(folded, func(other jsonx.Difference) bool {
			otherScope, otherName, ok := cutParameter(other.Path)
			return ok && otherScope == scope && parameterKey(otherName) == parameterKey(name) &&
				(other.Old == nil && d.New == nil || other.New == nil && d.Old == nil)
		})
		if i < 0 {
			folded = append(folded, d)
			continue
		}
		if folded[i].Old == nil {
			folded[i].Old = d.Old
		} else {
			folded[i].New = d.New
		}
		if string(folded[i].Old) == string(folded[i].New) {
			folded = slices.Delete(folded, i, i+1)
		}
	}
	return folded
}

// cutParameter splits the path of a Slurm parameter, such as
// orchestrator_spec.slurm_spec.partitions[gpu].config.MaxTime, before its name.
func cutParameter(path string) (scope, name string, ok bool) {
	if !strings.HasPrefix(path, "orchestrator_spec.slurm_spec.") {
		return "", "", false
	}
	return strings.Cut(path, ".config.")
}

// ChangedFields is the smallest mask that takes a cluster from current to want. A field that want has nothing for
// comes marked with [Clear]; read from a file that leaves fields out, want would clear them all. Another value for a
// field that no mask reaches, such as the network, is an error; leaving it out is not.
//
// If one of config, scheduling and accounting changes, all three are named: one version of the service's guide asks
// for that, and it is right under the others as well.
func ChangedFields(current, want *ModelDevelopmentCluster) (FieldMask, error) {
	mask, unreachable := changedFields(current, want)
	for _, d := range unreachable {
		if d.New != nil {
			return nil, fmt.Errorf("cluster: %s cannot be updated; it is set when the cluster is created, here as %s", d.Path, firstOf(string(d.Old), "nothing"))
		}
	}
	return mask, nil
}

// changedFields returns the differences that no mask reaches apart.
func changedFields(current, want *ModelDevelopmentCluster) (mask FieldMask, unreachable []jsonx.Difference) {
	var names []string
	for _, d := range differences(current, want) {
		name, ok := maskPathOf(d.Path)
		if !ok {
			unreachable = append(unreachable, d)
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if slices.ContainsFunc(names, isSettings) {
		names = slices.DeleteFunc(names, isSettings)
		names = append(names, PathConfig, PathScheduling, PathAccounting)
	}
	for _, name := range names {
		path := name
		if !slices.Contains(maskPaths, name) {
			path = Unlisted(jsonx.Snake(name))
		}
		if want.presence(name) != jsonx.Filled {
			path = Clear(path)
		}
		mask = append(mask, path)
	}
	return mask, unreachable
}

// presence is how much m has at a mask path.
func (m *ModelDevelopmentCluster) presence(path string) jsonx.Presence {
	presence, _ := codec.CopyPath(new(ModelDevelopmentCluster), m, jsonx.Snake(path))
	return presence
}

func isSettings(path string) bool {
	return path == PathConfig || path == PathScheduling || path == PathAccounting
}

// maskPathOf is the mask path that covers the path of a difference: a listed one, or the member itself if this
// version does not know it. ok is false for a field that no mask reaches.
func maskPathOf(path string) (name string, ok bool) {
	for _, listed := range maskPaths {
		if rest, within := strings.CutPrefix(path, listed); within && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return listed, true
		}
	}
	for _, fixed := range notUpdatable {
		if path == fixed || strings.HasPrefix(path, fixed+".") {
			return path, false
		}
	}
	return path, true
}

package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
)

// UpdateMode says what an update may touch besides the fields of its mask. It has no default here: the service's
// own default is the mode that can replace nodes.
type UpdateMode string

const (
	// UpdateModeUserOnly changes the fields of the mask and nothing else. Node pools keep the image they run,
	// unless the request sets another.
	UpdateModeUserOnly UpdateMode = "USER_ONLY"

	// UpdateModeUserAndService also refreshes what the service manages (its startup, prolog and epilog parts)
	// and resolves the image of every pool without a node image anew. If a newer default image exists, nodes are
	// drained and replaced and login nodes recreated, which ends SSH sessions and loses the data on their boot
	// disks, whatever the update itself was about.
	UpdateModeUserAndService UpdateMode = "USER_AND_SERVICE"
)

// UserOnly reports whether m is [UpdateModeUserOnly].
func (m UpdateMode) UserOnly() bool { return m == UpdateModeUserOnly }

// UserAndService reports whether m is [UpdateModeUserAndService].
func (m UpdateMode) UserAndService() bool { return m == UpdateModeUserAndService }

func (m UpdateMode) check() error {
	const choice = "choose UpdateModeUserOnly, which changes only the fields of the mask, or UpdateModeUserAndService, " +
		"which also refreshes what the service manages and may replace nodes with a newer image"
	switch m {
	case UpdateModeUserOnly, UpdateModeUserAndService:
		return nil
	case "":
		return errors.New("the update mode is not set; " + choice)
	}
	return fmt.Errorf("unknown update mode %q; %s", string(m), choice)
}

// suits finds a mode that does much more than the mask says.
func (m UpdateMode) suits(mask FieldMask) error {
	if m == UpdateModeUserAndService && len(mask) == 1 && parsePath(mask[0]).name == PathLabels {
		return fmt.Errorf("an update of labels alone under %s can replace nodes with a newer image; "+
			"use UpdateModeUserOnly, or Client.RefreshCluster if a refresh is what you want", m)
	}
	return nil
}

// UpdateCluster starts an update of the fields that mask names to what they are in mdc, and returns the operation
// that carries it out. mdc.Name says which cluster, by id or full name.
//
// Lists and maps are replaced whole: what the update leaves out of them is deleted on the server. Read the
// cluster, change the struct and send it back; members that this SDK does not know survive that. What is to be
// emptied must be said, see [FieldMask].
//
// What is sent is checked as by [ModelDevelopmentCluster.Validate], as far as that can be told from it alone: that a pool
// exists, for instance, only if the mask names the pools as well. With errors in it nothing is sent, and the error has
// them all in Violations; [WithoutValidation] sends it all the same.
//
// The operation can end before the effect is there: Slurm takes up new settings within some 15 seconds. And its
// success does not prove that Slurm accepted them.
//
// The call is retried only if it surely was not acted on.
func (c *Client) UpdateCluster(
	ctx context.Context, mdc *ModelDevelopmentCluster, mask FieldMask, mode UpdateMode, opts ...gax.CallOption,
) (*Operation, error) {
	call := c.newCall("update", "", "update")
	if mdc == nil {
		return nil, call.refuse("the cluster is nil")
	}
	call.resource = mdc.Name
	if err := mode.check(); err != nil {
		return nil, call.refuse("%w", err)
	}
	if err := mode.suits(mask); err != nil {
		return nil, call.refuse("%w", err)
	}
	return c.update(ctx, call, mdc, mask, mode, opts)
}

// RefreshCluster brings what the service manages up to date, without changing a field: an update under
// [UpdateModeUserAndService] that sends the cluster's own labels back. It can replace nodes and login nodes, as
// that mode says: [Client.PlanEdit] with [LatestImages] shows which.
func (c *Client) RefreshCluster(ctx context.Context, name string, opts ...gax.CallOption) (*Operation, error) {
	current, err := c.GetCluster(ctx, name, opts...)
	if err != nil {
		return nil, err
	}
	current.Name = name // as the caller spells it, also in an error
	if current.Labels == nil {
		current.Labels = map[string]string{}
	}
	call := c.newCall("refresh", name, "update")
	return c.update(ctx, call, current, FieldMask{PathLabels}, UpdateModeUserAndService, opts)
}

func (c *Client) update(
	ctx context.Context, call *call, mdc *ModelDevelopmentCluster, mask FieldMask, mode UpdateMode, opts []gax.CallOption,
) (*Operation, error) {
	name, err := c.parent.Cluster(mdc.Name)
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	call.resource = name.String()
	paths, err := mask.parse()
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	sent, err := mdc.masked(paths)
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	if validates(opts) {
		if found := mdc.refused(sent, paths); len(found) > 0 {
			return nil, call.refuseAll(found)
		}
	}
	body, err := codec.Marshal(sent)
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	query := "?updateMask=" + mask.String() + "&updateMode=" + string(mode)
	if mask.all() {
		query = "?updateMode=" + string(mode)
	}
	call.method, call.url, call.body, call.repeat = "PATCH", c.url(name.String())+query, body, rest.IfUnprocessed
	return c.start(ctx, call, opts)
}

// masked is what an update sends: a cluster with the fields of the mask and no others.
func (m *ModelDevelopmentCluster) masked(paths []maskPath) (*ModelDevelopmentCluster, error) {
	if paths[0].name == AllFields {
		if len(m.NodePools) == 0 {
			return nil, errors.New("an update of all fields without node pools would delete them all; start from GetCluster")
		}
		return m.input(), nil
	}
	sent := new(ModelDevelopmentCluster)
	for _, path := range paths {
		if err := m.copyMasked(sent, path); err != nil {
			return nil, err
		}
	}
	sent.leaveOutConfig(paths)
	return sent, nil
}

// copyMasked copies the field of a mask path to sent, which is to have it.
func (m *ModelDevelopmentCluster) copyMasked(sent *ModelDevelopmentCluster, path maskPath) error {
	if path.clear {
		codec.CopyPath(sent, emptied(), path.name)
		return nil
	}
	presence, ok := codec.CopyPath(sent, m, path.name)
	switch {
	case !ok:
		return fmt.Errorf("update mask path %q leads through a field that is no message", path.name)
	case presence == jsonx.Absent:
		return fmt.Errorf("the update mask names %s, but the cluster has nothing there, and the service would clear "+
			"the field; set it, or use cluster.Clear(%q) if that is what you want", path.name, path.name)
	case presence == jsonx.Empty:
		codec.CopyPath(sent, emptied(), path.name)
	}
	return nil
}

// leaveOutConfig takes an empty config out of a body that has the older form as well: a body with both may be refused,
// and a field of the mask that is missing is cleared all the same.
func (m *ModelDevelopmentCluster) leaveOutConfig(paths []maskPath) {
	if !scopeOf(paths).has(PathConfig) {
		return
	}
	if s := m.OrchestratorSpec.SlurmSpec; len(s.Config) == 0 && (s.Scheduling != nil || s.Accounting != nil) {
		s.Config = nil
	}
}

// refused is what Validate finds wrong with sent, which has the fields of m at paths.
func (m *ModelDevelopmentCluster) refused(sent *ModelDevelopmentCluster, paths []maskPath) []Violation {
	if paths[0].name == AllFields {
		return sent.Validate(nil).Errors
	}
	mask := scopeOf(paths)
	found := sent.validate(mask, nil).Errors
	if m.endsWithBothForms(sent, mask) {
		found = append(found, Violation{Field: PathConfig, Description: bothForms + ", and clear the older form in the same " +
			"update with FieldMask{PathConfig, Clear(PathScheduling), Clear(PathAccounting)}"})
	}
	return found
}

// endsWithBothForms catches what sent alone does not show: config written to a cluster that was read with the older
// scheduling or accounting, which the service holds against the update, or the reverse.
func (m *ModelDevelopmentCluster) endsWithBothForms(sent *ModelDevelopmentCluster, mask scope) bool {
	after, s := *orZero(orZero(m.OrchestratorSpec).SlurmSpec), orZero(orZero(sent.OrchestratorSpec).SlurmSpec)
	if mask[PathConfig] {
		after.Config = s.Config
	}
	if mask[PathScheduling] {
		after.Scheduling = s.Scheduling
	}
	if mask[PathAccounting] {
		after.Accounting = s.Accounting
	}
	return (mask[PathConfig] || mask[PathScheduling] || mask[PathAccounting]) && after.hasBothForms()
}

// emptied is a cluster whose lists and maps are empty and not nil, so that they are written. Messages and strings
// stay away: the service clears a masked field that is missing.
func emptied() *ModelDevelopmentCluster {
	return &ModelDevelopmentCluster{
		Labels:    map[string]string{},
		NodePools: []*NodePool{},
		OrchestratorSpec: &OrchestratorSpec{SlurmSpec: &SlurmSpec{
			Partitions:        []*Partition{},
			PrologBashScripts: []string{},
			EpilogBashScripts: []string{},
			Config:            SlurmConfig{},
			NodeSets:          []*NodeSet{},
		}},
	}
}

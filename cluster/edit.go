package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// EditOptions say what [Client.EditCluster] may do. A nil *EditOptions and its zero value are the careful choice.
type EditOptions struct {
	// Mode is [UpdateModeUserOnly] by default: an edit that somebody makes should do that edit, and not also move the
	// cluster to whatever is the newest image on that day. Under [UpdateModeUserAndService] Images must say what is
	// to happen to images, since that mode resolves anew those that are not sent.
	Mode UpdateMode

	// Images is [KeepImages] by default.
	Images ImagePolicy

	// Allow lists the destructive effects that are meant. An edit with another one is refused.
	Allow []EffectKind

	// Review, if set, is called with the plan before anything is sent. Its error ends the edit and is returned.
	Review func(*Plan) error
}

// ErrUnchanged is what [Client.EditCluster] returns, without sending anything, if the edit changed nothing.
var ErrUnchanged = errors.New("the edit changes nothing")

// PlanError is an edit that was refused because of its plan. It is in the chain of the [*Error] that
// [Client.EditCluster] returns.
type PlanError struct {
	Plan *Plan
	// Forbidden are the destructive effects that [EditOptions] do not allow, empty if the plan is refused for
	// its Refusals.
	Forbidden []Effect
}

// Error names what was refused, and how to allow what can be allowed.
func (e *PlanError) Error() string {
	if len(e.Forbidden) == 0 {
		return foreign.Printable(joined(e.Plan.Refusals))
	}
	var kinds []string
	for _, effect := range e.Forbidden {
		if name := effect.Kind.constant(); !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	return foreign.Printable(fmt.Sprintf("%s; if that is meant, allow it with EditOptions{Allow: []cluster.EffectKind{%s}}",
		foreign.Line(strings.Join(effectTexts(e.Forbidden), "; "), maxText), strings.Join(kinds, ", ")))
}

// constant is the Go name of a kind.
func (k EffectKind) constant() string {
	var b strings.Builder
	b.WriteString("cluster.Effect")
	for word := range strings.SplitSeq(string(k), "_") {
		b.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return b.String()
}

// EditCluster changes a cluster, by id or full name, safely. It reads the cluster and hands it to edit, which changes
// the struct in place; sends only the fields that changed, lists and maps whole with all that was read, what this
// version does not know included; and returns the operation, whose plan [Operation.Plan] has.
//
//	op, err := c.EditCluster(ctx, "training", func(m *cluster.ModelDevelopmentCluster) error {
//		m.NodePool("cpu").ScalingSpec.MaxNodeCount = 8
//		return nil
//	}, nil)
//
// Before sending, it works out the plan, as [PlanUpdate] does, and refuses, with an error that holds a [*PlanError]:
// what the service would refuse, and what is destructive unless the options allow that kind. It also reads the
// cluster again: one that changes or has failed is an error that matches [ErrFailedPrecondition], and one that somebody
// else has changed meanwhile an error that matches [ErrAborted]; then edit again. A change in the moment between
// that look and the update goes unnoticed, since the service has no means against it.
//
// An edit that changes nothing is [ErrUnchanged]. An error of edit or of Review is returned as it is, wrapped. Within
// one client the edits of a cluster come one after the other; the next one begins when the call has returned, which
// is before its operation has ended. callOpts apply to each of the calls. Reads are retried after any transient
// failure, the update only if it surely was not acted on. [WithoutValidation] leaves out what only the rules of this SDK
// refuse.
//
// It is safe for concurrent use. edit may keep the struct; it is not used after the call.
func (c *Client) EditCluster(
	ctx context.Context, name string, edit func(*ModelDevelopmentCluster) error, opts *EditOptions, callOpts ...gax.CallOption,
) (*Operation, error) {
	call, n, err := c.clusterCall("edit", name, "update")
	if err != nil {
		return nil, err
	}
	release, err := c.edits.acquire(ctx, n.ID)
	if err != nil {
		return nil, call.unfit(status.FromContextError(ctx.Err()).Code(), "%w while waiting for another edit of the cluster", err)
	}
	defer release()
	e, err := c.prepare(ctx, call, edit, opts, callOpts)
	if err != nil {
		return nil, err
	}
	if err := e.check(call); err != nil {
		return nil, err
	}
	if e.opts.Review != nil {
		if err := e.opts.Review(e.plan); err != nil {
			return nil, fmt.Errorf("cluster: edit %s: %w", call.resource, err)
		}
	}
	if err := c.unmoved(ctx, call, e.current, callOpts); err != nil {
		return nil, err
	}
	e.want.Name = call.resource
	// The plan has looked at the whole cluster, and knows what the service has taken before.
	op, err := c.update(ctx, call, e.want, e.plan.Mask, e.plan.Mode, append(slices.Clip(callOpts), WithoutValidation()))
	if err != nil {
		return nil, err
	}
	op.plan = e.plan
	return op, nil
}

// PlanEdit is the first half of [Client.EditCluster]: it reads the cluster, lets edit change the struct, and returns
// the plan, without changing anything on the server. What EditCluster would refuse is in the plan's Refusals, and what it
// would want allowed among its Effects. The plan of an edit that changes nothing is empty.
func (c *Client) PlanEdit(
	ctx context.Context, name string, edit func(*ModelDevelopmentCluster) error, opts *EditOptions, callOpts ...gax.CallOption,
) (*Plan, error) {
	call, _, err := c.clusterCall("plan", name, "get")
	if err != nil {
		return nil, err
	}
	e, err := c.prepare(ctx, call, edit, opts, callOpts)
	if err != nil {
		return nil, err
	}
	return e.plan, nil
}

// edition is an edit with its plan.
type edition struct {
	current, want *ModelDevelopmentCluster
	plan          *Plan
	opts          EditOptions
}

// prepare reads, edits and plans. The mask of the plan is empty if there is nothing to send.
func (c *Client) prepare(
	ctx context.Context, call *call, edit func(*ModelDevelopmentCluster) error, opts *EditOptions, callOpts []gax.CallOption,
) (*edition, error) {
	e := &edition{}
	if opts != nil {
		e.opts = *opts
	}
	if edit == nil {
		return nil, call.refuse("the edit function is nil")
	}
	mode, err := e.opts.mode()
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	if e.current, err = c.GetCluster(ctx, call.resource, callOpts...); err != nil {
		return nil, err
	}
	if e.want, err = e.current.clone(); err != nil {
		return nil, call.refuse("%w", err)
	}
	if err := edit(e.want); err != nil {
		return nil, fmt.Errorf("cluster: %s %s: %w", call.op, call.resource, err)
	}
	return e, e.makePlan(call, mode, validates(callOpts))
}

// mode is the mode that the options amount to.
func (o *EditOptions) mode() (UpdateMode, error) {
	switch {
	case o.Images.kind == latestImages && o.Mode == UpdateModeUserOnly:
		return "", fmt.Errorf("LatestImages needs UpdateModeUserAndService; %s keeps the images that run", o.Mode)
	case o.Images.kind == latestImages:
		return UpdateModeUserAndService, nil
	case o.Mode == "":
		return UpdateModeUserOnly, nil
	case o.Mode == UpdateModeUserAndService && o.Images.kind == keepImages:
		return "", fmt.Errorf("%s resolves the images of node pools anew, so Images cannot be KeepImages; choose LatestImages, "+
			"PinCurrentImages or PinImages", o.Mode)
	}
	return o.Mode, o.Mode.check()
}

// makePlan derives the mask from what the edit changed, and plans.
func (e *edition) makePlan(call *call, mode UpdateMode, validate bool) error {
	for i, pool := range e.want.NodePools {
		if pool == nil {
			return call.refuse("the edit left node_pools[%d] nil; take a pool out with slices.Delete", i)
		}
	}
	mask, unreachable := changedFields(e.current, e.want)
	touched := sendsPools(mask)
	sendPools, err := e.opts.Images.apply(e.current, e.want, mode, touched)
	if err != nil {
		return call.refuse("%w", err)
	}
	if sendPools && !touched {
		mask = append(mask, PathNodePools)
	}
	switch {
	case len(mask) > 0:
		var paths []maskPath
		if e.plan, paths = newPlan(e.current, e.want, mask, mode); !e.plan.Refused() {
			e.plan.fill(e.current, e.want, paths, validate)
		}
	case len(unreachable) > 0:
		e.plan = &Plan{Cluster: e.current.ID(), Mode: mode}
	default:
		e.plan = &Plan{Cluster: e.current.ID(), Mode: mode, current: e.current, result: e.current}
	}
	for _, d := range unreachable {
		e.plan.refuse(d.Path, "it is set when the cluster is created and cannot be updated")
	}
	return nil
}

func sendsPools(mask FieldMask) bool {
	return slices.ContainsFunc(mask, func(path string) bool { return parsePath(path).name == PathNodePools })
}

// check holds the plan against what the options allow.
func (e *edition) check(call *call) error {
	if e.plan.Refused() {
		err := call.refuse("%w", &PlanError{Plan: e.plan})
		err.Violations = e.plan.Refusals
		if e.current.busy() != nil {
			err.Code = codes.FailedPrecondition
		}
		return err
	}
	if len(e.plan.Mask) == 0 {
		return fmt.Errorf("cluster: edit %s: %w", call.resource, ErrUnchanged)
	}
	var forbidden []Effect
	for _, effect := range e.plan.Effects {
		if effect.Kind.Destructive() && !slices.Contains(e.opts.Allow, effect.Kind) {
			forbidden = append(forbidden, effect)
		}
	}
	if len(forbidden) == 0 {
		return nil
	}
	return call.unfit(codes.FailedPrecondition, "%w", &PlanError{Plan: e.plan, Forbidden: forbidden})
}

// unmoved reads the cluster again and makes sure that it is what the plan was made for.
func (c *Client) unmoved(ctx context.Context, call *call, before *ModelDevelopmentCluster, opts []gax.CallOption) error {
	now, err := c.GetCluster(ctx, call.resource, opts...)
	if err != nil {
		return err
	}
	if err := now.busy(); err != nil && validates(opts) {
		return call.unfit(codes.FailedPrecondition, "%w", err)
	}
	found := differences(before, now)
	if len(found) == 0 {
		return nil
	}
	var paths, images []string // images last: a cluster's first update, of whatever, makes those of all pools read back
	for _, d := range found {
		if strings.HasSuffix(d.Path, "].node_image") {
			images = append(images, d.Path)
		} else {
			paths = append(paths, d.Path)
		}
	}
	paths = append(paths, images...)
	return call.unfit(codes.Aborted, "somebody else has changed the cluster since it was read (%s); edit it again",
		strings.Join(paths[:min(len(paths), 5)], ", "))
}

// turns lets the edits of each cluster come one after the other. The zero value is ready to use.
type turns struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // holds one token while an edit runs
}

// acquire waits for the turn of a cluster, until ctx ends.
func (t *turns) acquire(ctx context.Context, id string) (release func(), err error) {
	t.mu.Lock()
	turn := t.busy[id]
	if turn == nil {
		if t.busy == nil {
			t.busy = map[string]chan struct{}{}
		}
		turn = make(chan struct{}, 1)
		t.busy[id] = turn
	}
	t.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		if cause := context.Cause(ctx); cause != ctx.Err() {
			return nil, fmt.Errorf("%w: %w", ctx.Err(), cause)
		}
		return nil, ctx.Err()
	}
}

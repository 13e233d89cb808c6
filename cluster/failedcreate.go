package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/names"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// createMetadata is the type of a creation's metadata, by which it is known once it is resumed by name.
const createMetadata = "CreateModelDevelopmentClusterOperationMetadata"

// createSlack is by how much the times of a cluster and of its creation may differ, which different servers may write.
const createSlack = 10 * time.Second

// Advise tells whoever hears of a failed creation what it has left behind.
func (s operations) Advise(failed lro.State) string {
	if s.created == "" && failed.Type != createMetadata {
		return ""
	}
	id := "its id"
	if s.created != "" {
		id = fmt.Sprintf("the id %q", lastSegment(s.created))
	}
	return "the failed creation leaves a cluster in state ERROR that holds " + id + ", with which another creation fails " +
		"with ALREADY_EXISTS until Client.DeleteFailedCluster has deleted it"
}

// DeleteFailedCluster starts the deletion of the cluster that a failed creation has left behind, which holds the id:
// id is that, or the full name, and create the operation of the creation. It deletes exactly the cluster that create
// made, and nothing if in doubt: the error is then an [*Error] that says why, matches [ErrInvalidArgument] or
// [ErrFailedPrecondition], and no deletion was sent.
//
// So it refuses if
//   - create is nil, creates another cluster or none, still runs, or has succeeded. Wait for it first: here it is read
//     once if it is not known to have ended;
//   - the cluster is not in state ERROR;
//   - the cluster's create time is more than 10 seconds before that of create, since it was there before, or after
//     the end of create, since somebody has made another one. A time that the service does not give is not compared.
//
// An operation that was resumed by name, with [Client.Operation], does not know its cluster: that it is called id is
// the caller's word. Then all three times must be known. They cannot tell clusters apart whose creations ran at the
// same time and all failed, so keep the id beside the name of the operation.
//
// If the cluster is gone already the error matches [ErrNotFound]. A creation that is refused at once, with
// [ErrAlreadyExists], returns no operation to pass here: the cluster that holds the id then may be somebody else's.
//
// The cluster is read before it is deleted. Each call is retried as in [Client.GetCluster] and
// [Client.DeleteCluster], and opts apply to both.
func (c *Client) DeleteFailedCluster(
	ctx context.Context, id string, create *Operation, opts ...gax.CallOption,
) (*Operation, error) {
	call, name, err := c.clusterCall("delete failed creation of", id, "delete")
	if err != nil {
		return nil, err
	}
	if name, err = c.creation(call, name, create); err != nil {
		return nil, err
	}
	state, err := create.ended(ctx)
	if err != nil {
		return nil, err
	}
	if err := create.checkFailed(call, state); err != nil {
		return nil, err
	}
	m, err := c.GetCluster(ctx, name.String(), opts...)
	if err != nil {
		return nil, err
	}
	if err := create.checkLeftover(call, state, m); err != nil {
		return nil, err
	}
	return c.DeleteCluster(ctx, name.String(), opts...)
}

// creation checks that create can be the creation of the cluster called name, and returns the name under which it
// was created, if that is known: another spelling of the project could lead elsewhere.
func (c *Client) creation(call *call, name names.Cluster, create *Operation) (names.Cluster, error) {
	if create == nil || create.Operation == nil {
		return name, call.refuse("the operation is nil; want that of the creation, from CreateCluster or Client.Operation")
	}
	if _, err := c.parent.Operation(create.Name()); err != nil {
		return name, call.refuse("%w", err)
	}
	if create.created == "" {
		return name, nil
	}
	created, err := c.parent.Cluster(create.created)
	switch {
	case err != nil:
		return name, call.refuse("%w", err)
	case created.ID != name.ID:
		return name, call.refuse("operation %s is the creation of cluster %q", create.Name(), created.ID)
	}
	return created, nil
}

// ended returns what is known of the operation, read once if it is not known to have ended. The error is that of the
// read: a failure of the work is a part of the state.
func (o *Operation) ended(ctx context.Context) (lro.State, error) {
	if state := o.State(); state.Done {
		return state, nil
	}
	state, err := o.Poll(ctx)
	if state.Err != nil {
		err = nil
	}
	return state, err
}

// checkFailed refuses operations that are no failed creation.
func (o *Operation) checkFailed(call *call, state lro.State) error {
	switch {
	case o.created == "" && state.Type != "" && state.Type != createMetadata:
		return call.refuse("operation %s creates no cluster: its metadata is a %s", o.Name(), state.Type)
	case !state.Done:
		return call.unfit(codes.FailedPrecondition, "operation %s has not ended; wait for it first", o.Name())
	case state.Err == nil:
		return call.unfit(codes.FailedPrecondition, "operation %s has succeeded; Client.DeleteCluster deletes what it made, if that is meant", o.Name())
	}
	return nil
}

// checkLeftover refuses clusters that the failed creation has not left behind.
func (o *Operation) checkLeftover(call *call, state lro.State, m *ModelDevelopmentCluster) error {
	const instead = "Client.GetCluster shows it, and Client.DeleteCluster deletes it if that is meant"
	begun, end := state.CreateTime, state.UpdateTime
	switch {
	case !m.State().Failed():
		return call.unfit(codes.FailedPrecondition, "the cluster is in state %s, not %s, so that it is not what a failed creation leaves",
			firstOf(string(m.State()), "unknown"), StateError)
	case o.created == "" && (m.CreateTime.IsZero() || begun.IsZero() || end.IsZero()):
		return call.unfit(codes.FailedPrecondition, "the service does not tell when the cluster was created and when operation %s ran, and only "+
			"that could prove that they belong together; %s", o.Name(), instead)
	case m.CreateTime.IsZero():
		return nil
	case !begun.IsZero() && m.CreateTime.Before(begun.Add(-createSlack)):
		return call.unfit(codes.FailedPrecondition, "the cluster was created at %s, before operation %s began at %s, so that it is another one; %s",
			instant(m.CreateTime), o.Name(), instant(begun), instead)
	case !end.IsZero() && m.CreateTime.After(end):
		return call.unfit(codes.FailedPrecondition, "the cluster was created at %s, after operation %s had ended at %s, so that it is another one; %s",
			instant(m.CreateTime), o.Name(), instant(end), instead)
	}
	return nil
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

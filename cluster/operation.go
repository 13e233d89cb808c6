package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/rest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// Operation is work that the service carries out on a cluster: its creation, update or deletion, or the repair of
// a node. Wait for it with [lro.Operation.Wait]. It can be resumed by its name, in this process or another, with
// [Client.Operation]. It is safe for concurrent use.
type Operation struct {
	*lro.Operation
	created string // the full name of the cluster that it was started to create; "" otherwise, or if not known
	plan    *Plan  // of an edit
}

// Plan is what [Client.EditCluster] planned before it started the operation; nil if something else started it.
func (o *Operation) Plan() *Plan { return o.plan }

// Operation resumes an operation by its name, projects/PROJECT/locations/REGION/operations/ID. It calls nothing: a
// name that does not exist shows when the operation is first read.
func (c *Client) Operation(name string) *Operation {
	return &Operation{Operation: lro.New(operations{c: c}, name)}
}

// Cluster is the cluster as the finished operation reports it; it calls nothing. It is an error if the operation
// is not done or failed, and if it reports no cluster, as a deletion does.
func (o *Operation) Cluster() (*ModelDevelopmentCluster, error) {
	state := o.State()
	switch {
	case !state.Done:
		return nil, fmt.Errorf("cluster: operation %s is not done; wait for it first", o.Name())
	case state.Err != nil:
		return nil, state.Err
	}
	var kind struct {
		Type string `json:"@type"`
	}
	if json.Unmarshal(state.Response, &kind) != nil || !strings.HasSuffix(kind.Type, ".ModelDevelopmentCluster") {
		return nil, fmt.Errorf("cluster: operation %s reports no cluster", o.Name())
	}
	m := new(ModelDevelopmentCluster)
	if err := codec.Unmarshal(state.Response, m); err != nil {
		return nil, fmt.Errorf("cluster: operation %s: cannot read the cluster that it reports: %w", o.Name(), err)
	}
	m.Unknown.Set("@type", nil) // of the envelope; the service would refuse it in an update
	return m, nil
}

// operations is the lro.Service of a client. One that is made for a single operation knows what that creates.
type operations struct {
	c       *Client
	created string // see Operation
}

// ReadOperation reads at v1, where the service documents its operations, although the verbs are in v1beta1.
func (s operations) ReadOperation(ctx context.Context, name string) (*lro.Reading, error) {
	call := s.call("read operation", name)
	n, err := s.c.parent.Operation(name)
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	call.method, call.url, call.repeat = "GET", s.c.base+"/v1/"+n.String(), rest.Always
	reply, trace, err := s.c.send(ctx, call, nil)
	if err != nil {
		trace.end(err)
		return nil, err
	}
	reading := &lro.Reading{Body: reply.Body, RetryAfter: reply.RetryAfter}
	if trace != nil {
		reading.Taken = trace.end
	}
	return reading, nil
}

func (s operations) CancelOperation(ctx context.Context, name string) error {
	call := s.call("cancel operation", name)
	n, err := s.c.parent.Operation(name)
	if err != nil {
		return call.refuse("%w", err)
	}
	// To ask twice is to ask once.
	call.method, call.url, call.repeat = "POST", s.c.base+"/v1/"+n.String()+":cancel", rest.Always
	call.body = []byte("{}")
	return s.c.do(ctx, call, nil, nil)
}

// call leaves the permission open: the service publishes none for operations.
func (s operations) call(op, name string) *call {
	return &call{op: op, resource: name, tracers: s.c.tracers}
}

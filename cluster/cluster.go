package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/names"
	"github.com/trainingclusters/trainingclusters-go/internal/rest"
)

// ModelDevelopmentCluster is a training cluster: node pools of Compute Engine VMs and the Slurm that runs on
// them. Its fields are those of the resource; where the service publishes none, the doc of a field says so.
//
// Fields marked "output only" are filled by the service and never sent. Fields marked "not updatable" are set
// when the cluster is created; no update mask reaches them.
type ModelDevelopmentCluster struct {
	// Name is the resource name, projects/PROJECT/locations/REGION/modelDevelopmentClusters/ID. Output only,
	// except that [Client.UpdateCluster] takes from it which cluster to update: there an id will do.
	// The service answers with the project's number, whatever the request said: compare names with
	// [ModelDevelopmentCluster.ID] or [ParseName], never as text.
	Name string `json:"name"`

	// DisplayName is shown in the console. Not updatable.
	DisplayName string `json:"displayName"`

	// Network is where the VMs live. Not updatable.
	Network *NetworkSpec `json:"network"`

	// NodePools are the cluster's machines. An update replaces the whole list: a pool left out is deleted.
	NodePools []*NodePool `json:"nodePools"`

	// OrchestratorSpec configures Slurm.
	OrchestratorSpec *OrchestratorSpec `json:"orchestratorSpec"`

	// RuntimeSpec sets the identity of workloads. Immutable.
	RuntimeSpec *RuntimeSpec `json:"runtimeSpec"`

	// Labels are the cluster's own; node pools have others. An update replaces the whole map.
	Labels map[string]string `json:"labels"`

	// ClusterStatus is the state of the cluster and of each node. Output only.
	ClusterStatus *ClusterStatus `json:"clusterStatus"`

	// CreateTime and UpdateTime are output only. Their names are not published: if the service calls them
	// otherwise, or gives them another form, they are in Unknown.
	CreateTime time.Time `json:"createTime" wire:"guess"`
	UpdateTime time.Time `json:"updateTime" wire:"guess"`

	// Unknown holds members that this version of the SDK has no field for. They survive reading and writing
	// back, here and in every message below.
	Unknown Unknown `json:"-"`
}

// NetworkSpec places a cluster in a VPC network.
type NetworkSpec struct {
	// Network is projects/PROJECT/global/networks/NETWORK.
	Network string `json:"network"`
	// Subnetwork is projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK. It needs Private Google Access, or
	// the creation of the cluster fails.
	Subnetwork string `json:"subnetwork"`

	Unknown Unknown `json:"-"`
}

// RuntimeSpec sets the identity of workloads.
type RuntimeSpec struct {
	// ServiceAccount is the email of the account that workloads run as. Empty means the default service account
	// of Compute Engine. Immutable.
	ServiceAccount string `json:"serviceAccount"`

	Unknown Unknown `json:"-"`
}

// ID returns the last part of the name, which identifies the cluster within its project and region.
func (m *ModelDevelopmentCluster) ID() string { return lastSegment(m.Name) }

// State is the state the service last reported; "" if the cluster was not read from it.
func (m *ModelDevelopmentCluster) State() State {
	if m.ClusterStatus == nil {
		return ""
	}
	return m.ClusterStatus.State
}

// NodePool returns the pool with this id, or nil. It is the pool itself and no copy: changes to it are changes
// to the cluster.
func (m *ModelDevelopmentCluster) NodePool(id string) *NodePool {
	for _, p := range m.NodePools {
		if p != nil && p.ID == id {
			return p
		}
	}
	return nil
}

// Slurm returns the Slurm settings, making the messages around them where they are missing, so that
// m.Slurm().DefaultPartitionID = "gpu" always works.
func (m *ModelDevelopmentCluster) Slurm() *SlurmSpec {
	if m.OrchestratorSpec == nil {
		m.OrchestratorSpec = &OrchestratorSpec{}
	}
	if m.OrchestratorSpec.SlurmSpec == nil {
		m.OrchestratorSpec.SlurmSpec = &SlurmSpec{}
	}
	return m.OrchestratorSpec.SlurmSpec
}

// String gives one line: id, state and node pools with their sizes.
func (m *ModelDevelopmentCluster) String() string {
	if m == nil {
		return "no cluster"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "cluster %s", firstOf(m.ID(), m.DisplayName, "(unnamed)"))
	if s := m.State(); s != "" {
		fmt.Fprintf(&b, " %s", s)
	}
	for i, p := range m.NodePools {
		b.WriteString([]string{": ", ", "}[min(i, 1)] + p.String())
	}
	return foreign.Printable(b.String())
}

// CreateCluster starts the creation of a cluster and returns the operation that carries it out, which takes
// minutes. The id is a lowercase letter followed by at most 9 lowercase letters or digits. Output-only fields of
// mdc, its name among them, are not sent.
//
// A cluster in which [ModelDevelopmentCluster.Validate] finds errors is not sent: the error has them all in Violations,
// and Attempts is 0. Warnings do not matter here. [WithoutValidation] sends it all the same.
//
// It is retried only if the call surely was not acted on. After another failure, such as a broken connection, the
// cluster may be under way: look with [Client.GetCluster] before creating again.
//
// A creation that is accepted and then fails leaves a cluster in state ERROR that holds the id, and the next
// attempt fails with [ErrAlreadyExists] until that one is deleted: see [Client.DeleteFailedCluster].
func (c *Client) CreateCluster(
	ctx context.Context, id string, mdc *ModelDevelopmentCluster, opts ...gax.CallOption,
) (*Operation, error) {
	call := c.newCall("create", c.parent.String()+"/modelDevelopmentClusters/"+id, "create")
	// An id that does not fit into a URL is refused whatever opts say.
	if name, err := c.parent.Cluster(id); err != nil || name.ID != id {
		return nil, call.refuse("%w", names.CheckClusterID(id))
	}
	if validates(opts) {
		v := mdc.Validate(&ValidateOptions{ID: id, Location: c.parent.Location})
		if len(v.Errors) > 0 {
			return nil, call.refuseAll(v.Errors)
		}
	}
	if mdc == nil {
		return nil, call.refuse("the cluster is nil; want at least its network, node pools and Slurm settings")
	}
	body, err := codec.Marshal(mdc.input())
	if err != nil {
		return nil, call.refuse("%w", err)
	}
	call.method, call.body, call.repeat, call.creates = "POST", body, rest.IfUnprocessed, true
	call.url = c.url(c.parent.String()+"/modelDevelopmentClusters") + "?model_development_cluster_id=" + id
	return c.start(ctx, call, opts)
}

// GetCluster reads a cluster by id or full name. It is retried after any transient failure.
// A missing cluster is an error that matches [ErrNotFound]; so may be one that you have no permission to see,
// although the service usually says [ErrPermissionDenied] to both.
func (c *Client) GetCluster(ctx context.Context, name string, opts ...gax.CallOption) (*ModelDevelopmentCluster, error) {
	call, _, err := c.clusterCall("get", name, "get")
	if err != nil {
		return nil, err
	}
	call.method, call.repeat = "GET", rest.Always
	m := new(ModelDevelopmentCluster)
	err = c.do(ctx, call, opts, func(reply *rest.Reply) error {
		if err := codec.Unmarshal(reply.Body, m); err != nil {
			return call.unreadable(reply, err)
		}
		if m.Name == "" {
			// Such as an error that a proxy sends with status 200. To take it for a cluster without pools could end in
			// an update that deletes them.
			return call.unreadable(reply, errors.New("it has no name, so it is no cluster"))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// DeleteCluster starts the deletion of a cluster by id or full name, with all its nodes and their disks.
// Filestore and Lustre instances and buckets that it mounted stay.
//
// It is retried only if the call surely was not acted on, since a second deletion can collide with the first.
func (c *Client) DeleteCluster(ctx context.Context, name string, opts ...gax.CallOption) (*Operation, error) {
	call, _, err := c.clusterCall("delete", name, "delete")
	if err != nil {
		return nil, err
	}
	call.method, call.repeat = "DELETE", rest.IfUnprocessed
	return c.start(ctx, call, opts)
}

// input is a shallow copy of m without what the service alone sets.
func (m *ModelDevelopmentCluster) input() *ModelDevelopmentCluster {
	in := *m
	in.Name, in.ClusterStatus, in.CreateTime, in.UpdateTime = "", nil, time.Time{}, time.Time{}
	return &in
}

package cluster

import (
	"encoding/json"
	"reflect"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Unknown holds the members of a message that this version of the SDK has no field for. They are sent again as
// they came: lists are replaced whole by an update, and a member dropped on the way would be deleted on the
// server. The zero value is empty and ready to use.
type Unknown struct{ members jsonx.Members }

// Get returns the JSON of a member, or nil. It is a copy, which the caller may change.
func (u *Unknown) Get(name string) json.RawMessage { return u.members.Get(name) }

// Set adds or replaces a member, which must be valid JSON; nil removes it. It is the way to send what the service
// knows and this version does not. A name that the service does not know makes it refuse the request.
func (u *Unknown) Set(name string, value json.RawMessage) { u.members.Set(name, value) }

// Names lists the members in alphabetical order.
func (u *Unknown) Names() []string { return u.members.Names() }

// Equal reports whether both hold the same members; packages that compare values, such as go-cmp, use it.
func (u Unknown) Equal(other Unknown) bool { return u.members.Equal(&other.members) }

// codec gives all messages of this package their JSON form.
var codec = jsonx.NewCodec(reflect.TypeFor[Unknown](), func(field any) *jsonx.Members {
	return &field.(*Unknown).members
})

// Each message marshals by itself too, so that encoding/json takes any part of a cluster.

func (m ModelDevelopmentCluster) MarshalJSON() ([]byte, error) { return codec.Marshal(&m) }
func (n NetworkSpec) MarshalJSON() ([]byte, error)             { return codec.Marshal(&n) }
func (r RuntimeSpec) MarshalJSON() ([]byte, error)             { return codec.Marshal(&r) }
func (p NodePool) MarshalJSON() ([]byte, error)                { return codec.Marshal(&p) }
func (s MachineSpec) MarshalJSON() ([]byte, error)             { return codec.Marshal(&s) }
func (s ScalingSpec) MarshalJSON() ([]byte, error)             { return codec.Marshal(&s) }
func (d DiskSpec) MarshalJSON() ([]byte, error)                { return codec.Marshal(&d) }
func (r ReservationAffinity) MarshalJSON() ([]byte, error)     { return codec.Marshal(&r) }
func (o OrchestratorSpec) MarshalJSON() ([]byte, error)        { return codec.Marshal(&o) }
func (s SlurmSpec) MarshalJSON() ([]byte, error)               { return codec.Marshal(&s) }
func (p Partition) MarshalJSON() ([]byte, error)               { return codec.Marshal(&p) }
func (n NodeSet) MarshalJSON() ([]byte, error)                 { return codec.Marshal(&n) }
func (s Scheduling) MarshalJSON() ([]byte, error)              { return codec.Marshal(&s) }
func (a Accounting) MarshalJSON() ([]byte, error)              { return codec.Marshal(&a) }
func (s ClusterStatus) MarshalJSON() ([]byte, error)           { return codec.Marshal(&s) }
func (s NodeStatus) MarshalJSON() ([]byte, error)              { return codec.Marshal(&s) }
func (a NodeAction) MarshalJSON() ([]byte, error)              { return codec.Marshal(&a) }
func (r ReportFaultyHost) MarshalJSON() ([]byte, error)        { return codec.Marshal(&r) }
func (r FaultReason) MarshalJSON() ([]byte, error)             { return codec.Marshal(&r) }

func (m *ModelDevelopmentCluster) UnmarshalJSON(data []byte) error { return codec.Unmarshal(data, m) }
func (n *NetworkSpec) UnmarshalJSON(data []byte) error             { return codec.Unmarshal(data, n) }
func (r *RuntimeSpec) UnmarshalJSON(data []byte) error             { return codec.Unmarshal(data, r) }
func (p *NodePool) UnmarshalJSON(data []byte) error                { return codec.Unmarshal(data, p) }
func (s *MachineSpec) UnmarshalJSON(data []byte) error             { return codec.Unmarshal(data, s) }
func (s *ScalingSpec) UnmarshalJSON(data []byte) error             { return codec.Unmarshal(data, s) }
func (d *DiskSpec) UnmarshalJSON(data []byte) error                { return codec.Unmarshal(data, d) }
func (r *ReservationAffinity) UnmarshalJSON(data []byte) error     { return codec.Unmarshal(data, r) }
func (o *OrchestratorSpec) UnmarshalJSON(data []byte) error        { return codec.Unmarshal(data, o) }
func (s *SlurmSpec) UnmarshalJSON(data []byte) error               { return codec.Unmarshal(data, s) }
func (p *Partition) UnmarshalJSON(data []byte) error               { return codec.Unmarshal(data, p) }
func (n *NodeSet) UnmarshalJSON(data []byte) error                 { return codec.Unmarshal(data, n) }
func (s *Scheduling) UnmarshalJSON(data []byte) error              { return codec.Unmarshal(data, s) }
func (a *Accounting) UnmarshalJSON(data []byte) error              { return codec.Unmarshal(data, a) }
func (s *ClusterStatus) UnmarshalJSON(data []byte) error           { return codec.Unmarshal(data, s) }
func (s *NodeStatus) UnmarshalJSON(data []byte) error              { return codec.Unmarshal(data, s) }
func (a *NodeAction) UnmarshalJSON(data []byte) error              { return codec.Unmarshal(data, a) }
func (r *ReportFaultyHost) UnmarshalJSON(data []byte) error        { return codec.Unmarshal(data, r) }
func (r *FaultReason) UnmarshalJSON(data []byte) error             { return codec.Unmarshal(data, r) }

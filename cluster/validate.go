package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/names"
)

// Validation is what [ModelDevelopmentCluster.Validate] found, errors and warnings apart, each in the order of the
// cluster's fields. Field of a [Violation] is the path in the service's spelling, such as
// node_pools[1].boot_disk.boot_disk_type, and Description says what is wrong and what would be right. Reason is
// empty.
type Validation struct {
	Errors   []Violation // what the service refuses
	Warnings []Violation // what it may take, and that is probably a mistake
}

// Err is nil if there are no errors, whatever the warnings, and otherwise one [*Error] that lists all of them. It
// matches [ErrInvalidArgument].
func (v *Validation) Err() error {
	if v == nil || len(v.Errors) == 0 {
		return nil
	}
	return &Error{
		Op: "validate", Code: codes.InvalidArgument, Message: joined(v.Errors), Violations: v.Errors, Unprocessed: true,
	}
}

// String has one line for each finding, "error: ..." or "warning: ...", errors first, without a final line break.
// It is "no problems" if there are none.
func (v *Validation) String() string {
	if v == nil || len(v.Errors)+len(v.Warnings) == 0 {
		return "no problems"
	}
	var lines []string
	for _, found := range v.Errors {
		lines = append(lines, "error: "+foreign.Line(found.line(), maxText))
	}
	for _, found := range v.Warnings {
		lines = append(lines, "warning: "+foreign.Line(found.line(), maxText))
	}
	return strings.Join(lines, "\n")
}

// ValidateOptions says what a cluster itself may not: what it is to be called, and where it is to be. The zero value,
// like nil, takes both from its name, and leaves out the checks of what is not there either.
type ValidateOptions struct {
	ID       string // of the cluster; "" takes it from Name
	Location string // the region; "" takes it from Name
}

// Validate checks a whole cluster, as for [Client.CreateCluster], and reports all that it finds at once. It calls
// nothing, changes nothing, and takes nil in any place. Errors are what the service is documented or was seen to
// refuse; warnings are what others have tripped over, and what the service's sister APIs ask for.
//
// No error does not mean that the service takes the cluster, nor that it works. What cannot be seen here:
//
//   - quotas, reservations, and whether the project may use a machine type;
//   - whether what is named exists: networks, Filestore and Lustre instances, images, service accounts, QoS;
//   - the MTU of the network: 8896 for A3 Ultra and A4, 8244 for A3 Mega;
//   - Private Google Access of the subnetwork;
//   - that Filestore and Lustre are in the cluster's own network: peering is not transitive;
//   - which Slurm parameters are supported, and their values. The service checks each alone, and a bad combination
//     keeps Slurm's controller from starting although the operation succeeds; of the known ones Validate warns.
func (m *ModelDevelopmentCluster) Validate(opts *ValidateOptions) *Validation {
	return m.validate(nil, opts)
}

// WithoutValidation lets a call of [Client.CreateCluster] or [Client.UpdateCluster] send a cluster in which
// [ModelDevelopmentCluster.Validate] finds errors. It is the way on when one of its rules has become wrong, since the
// service changes more often than this package. What cannot be sent at all is refused still: nil elements of lists,
// ids that do not fit into a URL, and masks that would delete something by accident.
func WithoutValidation() gax.CallOption { return withoutValidation{} }

type withoutValidation struct{}

// Resolve makes it a gax.CallOption; gax has no part in it.
func (withoutValidation) Resolve(*gax.CallSettings) {}

func validates(opts []gax.CallOption) bool {
	return !slices.ContainsFunc(opts, func(o gax.CallOption) bool {
		_, without := o.(withoutValidation)
		return without
	})
}

// scope is which part of a cluster is there to be judged: the paths of an update's mask, or all of it if nil. What is
// missing, and what is named in one field and defined in another, is judged only if those fields are there.
type scope map[string]bool

func scopeOf(paths []maskPath) scope {
	s := scope{}
	for _, p := range paths {
		s[p.name] = true
	}
	return s
}

func (s scope) whole() bool { return s == nil }

func (s scope) has(paths ...string) bool {
	return s == nil || !slices.ContainsFunc(paths, func(p string) bool { return !s[p] })
}

// checker walks over a cluster, field by field in the order of the document. Rules about one field are in the
// function called like it.
type checker struct {
	Validation
	scope  scope
	region string   // "" if not known
	login  string   // the login pool's id; "" if there is none or it is not in scope
	pools  []string // ids of the node pools, once nodePools has run
}

func (c *checker) errorf(field, format string, args ...any) {
	c.Errors = append(c.Errors, Violation{Field: field, Description: fmt.Sprintf(format, args...)})
}

func (c *checker) warnf(field, format string, args ...any) {
	c.Warnings = append(c.Warnings, Violation{Field: field, Description: fmt.Sprintf(format, args...)})
}

func (m *ModelDevelopmentCluster) validate(sent scope, opts *ValidateOptions) *Validation {
	c := &checker{scope: sent}
	if opts == nil {
		opts = &ValidateOptions{}
	}
	id := opts.ID
	c.region = opts.Location
	if m != nil {
		id, c.region = firstOf(id, m.ID()), firstOf(c.region, locationIn(m.Name))
	}
	if c.scope.whole() {
		c.place(id)
	}
	if m == nil {
		c.errorf("", "the cluster is nil; want at least its network, node pools and Slurm settings")
		return &c.Validation
	}
	if c.scope.whole() { // no mask reaches these
		c.displayName(m.DisplayName)
		c.network(orZero(m.Network))
	}
	slurm := orZero(orZero(m.OrchestratorSpec).SlurmSpec)
	c.login = slurm.LoginNodePoolID
	c.nodePools(m.NodePools)
	c.slurm(slurm)
	return &c.Validation
}

// regions are those that the service documents; it answers others with an error.
var regions = []string{
	"us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west4",
	"asia-southeast1", "asia-south2", "europe-west1", "europe-west4", "europe-north1",
}

// place checks what a create request says beside the cluster: its id and the region.
func (c *checker) place(id string) {
	if id != "" {
		if err := names.CheckClusterID(id); err != nil {
			c.errorf("model_development_cluster_id", "%v", err)
		}
	}
	if c.region != "" && !slices.Contains(regions, c.region) {
		c.warnf("parent", "%s is none of the regions that the service documents: %s", quote(c.region),
			strings.Join(regions, ", "))
	}
}

func (c *checker) displayName(name string) {
	if name != "" && !isShortName(name, 10) {
		c.warnf("display_name", "is %s; the documented form is a lowercase letter followed by at most 9 lowercase letters or "+
			"digits, although the service has taken others", quote(name))
	}
}

func (c *checker) network(n *NetworkSpec) {
	const network, subnetwork = "projects/*/global/networks/*", "projects/*/regions/*/subnetworks/*"
	c.resourceName(n.Network, "network.network", network)
	if !c.resourceName(n.Subnetwork, "network.subnetwork", subnetwork) {
		return
	}
	if region := strings.Split(n.Subnetwork, "/")[3]; c.region != "" && region != c.region {
		c.warnf("network.subnetwork", "is in %s; want a subnetwork of the cluster's region, %s", quote(region), c.region)
	}
}

// resourceName warns of a name that does not have the form of pattern.
func (c *checker) resourceName(name, field, pattern string) bool {
	if matches(pattern, name) {
		return true
	}
	c.warnf(field, "is %s; want %s", quoteOrNone(name), form(pattern))
	return false
}

// matches reports whether name has the form of pattern, in which each * stands for one part that is not empty.
func matches(pattern, name string) bool {
	for more := true; more; {
		var want, got string
		var longer bool
		want, pattern, more = strings.Cut(pattern, "/")
		got, name, longer = strings.Cut(name, "/")
		if longer != more || got == "" || want != "*" && got != want || strings.ContainsFunc(got, unicode.IsSpace) {
			return false
		}
	}
	return true
}

// form spells a pattern for people: projects/PROJECT/global/networks/NETWORK.
func form(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i := 1; i < len(parts); i++ {
		if parts[i] == "*" {
			parts[i] = strings.ToUpper(strings.TrimSuffix(parts[i-1], "s"))
		}
	}
	return strings.Join(parts, "/")
}

// isShortName reports whether s is a lowercase letter followed by lowercase letters or digits, most in all.
func isShortName(s string, most int) bool {
	return s != "" && len(s) <= most && s[0] >= 'a' && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// isNumber reports whether s is an enum that came as a number, which nobody can judge.
func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// quote keeps what it quotes short and on one line.
func quote(s string) string {
	const most = 80
	return strconv.Quote(foreign.Cut(s, most))
}

func quoteOrNone(s string) string {
	if s == "" {
		return "not set"
	}
	return quote(s)
}

// oneOf says what there is to choose from.
func oneOf(ids []string) string {
	if len(ids) == 0 {
		return "there are none"
	}
	return "there are " + foreign.Line(strings.Join(ids, ", "), 200)
}

func locationIn(name string) string {
	if parts := strings.Split(name, "/"); len(parts) > 3 && parts[2] == "locations" {
		return parts[3]
	}
	return ""
}

func orZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

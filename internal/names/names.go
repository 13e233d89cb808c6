// Package names reads and builds the resource names of the service. Every name that reaches a URL passes
// through here, so that none can leave its place in the path.
package names

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Parent is where clusters live.
type Parent struct{ Project, Location string }

func (p Parent) String() string { return "projects/" + p.Project + "/locations/" + p.Location }

// Cluster names a cluster. Project is an id in requests and usually a number in answers, so that two names of
// one cluster can differ in it.
type Cluster struct {
	Parent
	ID string
}

func (c Cluster) String() string { return c.Parent.String() + "/modelDevelopmentClusters/" + c.ID }

// Operation names a long-running operation.
type Operation struct {
	Parent
	ID string
}

func (o Operation) String() string { return o.Parent.String() + "/operations/" + o.ID }

// ParseParent reads "projects/P/locations/R".
func ParseParent(name string) (Parent, error) {
	parts, err := split(name, "projects", "locations")
	if err != nil {
		return Parent{}, fmt.Errorf("parent %w; want projects/PROJECT/locations/REGION", err)
	}
	p := Parent{Project: parts[0], Location: parts[1]}
	// The location becomes part of a host name. "-", which means all of them elsewhere, makes none.
	if strings.Trim(p.Location, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
		strings.Trim(p.Location, "-") != p.Location {
		return Parent{}, fmt.Errorf("parent %s: location %s is not a region such as us-central1", quote(name), quote(p.Location))
	}
	return p, nil
}

// ParseCluster reads a full name.
func ParseCluster(name string) (Cluster, error) {
	parts, err := split(name, "projects", "locations", "modelDevelopmentClusters")
	if err != nil {
		return Cluster{}, fmt.Errorf("cluster %w; want projects/PROJECT/locations/REGION/modelDevelopmentClusters/ID", err)
	}
	return Cluster{Parent: Parent{Project: parts[0], Location: parts[1]}, ID: parts[2]}, nil
}

// Cluster resolves the name of a cluster below p: an id, or a full name in p's region, whose project may be
// spelled otherwise (as a number).
func (p Parent) Cluster(name string) (Cluster, error) {
	if name == "" {
		return Cluster{}, fmt.Errorf("cluster name is empty; want an id, or projects/PROJECT/locations/%s/modelDevelopmentClusters/ID", p.Location)
	}
	if !strings.Contains(name, "/") {
		if err := checkID(name); err != nil {
			return Cluster{}, fmt.Errorf("cluster name %s %w; want an id such as \"training\", or a full name", quote(name), err)
		}
		return Cluster{Parent: p, ID: name}, nil
	}
	c, err := ParseCluster(name)
	if err != nil {
		return Cluster{}, err
	}
	return c, p.sameRegion("cluster", name, c.Location)
}

// ParseOperation reads a full name.
func ParseOperation(name string) (Operation, error) {
	parts, err := split(name, "projects", "locations", "operations")
	if err != nil {
		return Operation{}, fmt.Errorf("operation %w; want projects/PROJECT/locations/REGION/operations/ID", err)
	}
	return Operation{Parent: Parent{Project: parts[0], Location: parts[1]}, ID: parts[2]}, nil
}

// Operation resolves the name of an operation in p's region.
func (p Parent) Operation(name string) (Operation, error) {
	o, err := ParseOperation(name)
	if err != nil {
		return Operation{}, err
	}
	return o, p.sameRegion("operation", name, o.Location)
}

// sameRegion catches names of another region, which the regional endpoint answers with a puzzling 404 or 400.
func (p Parent) sameRegion(kind, name, location string) error {
	if location == p.Location {
		return nil
	}
	return fmt.Errorf("%s %s is in %s, but this client serves %s; make a client for projects/PROJECT/locations/%s",
		kind, quote(name), location, p.Location, location)
}

// split takes name apart into the ids that follow each of the collections.
func split(name string, collections ...string) ([]string, error) {
	if name == "" {
		return nil, fmt.Errorf("name is empty")
	}
	parts := strings.Split(name, "/")
	if len(parts) != 2*len(collections) {
		return nil, fmt.Errorf("name %s has %d parts instead of %d", quote(name), len(parts), 2*len(collections))
	}
	ids := make([]string, len(collections))
	for i, collection := range collections {
		if parts[2*i] != collection {
			return nil, fmt.Errorf("name %s has %s where %q belongs", quote(name), quote(parts[2*i]), collection)
		}
		check := checkID
		if collection == "projects" {
			check = checkSegment
		}
		if err := check(parts[2*i+1]); err != nil {
			return nil, fmt.Errorf("name %s: its id under %s %w", quote(name), collection, err)
		}
		ids[i] = parts[2*i+1]
	}
	return ids, nil
}

// maxID bounds an id, in bytes. The longest are those of projects with a domain, which DNS bounds.
const maxID = 300

// maxShown is how much of a name an error quotes, in bytes: more than a good one has as a rule.
const maxShown = 400

// quote is a name as it stands in an error.
func quote(name string) string { return strconv.Quote(foreign.Cut(name, maxShown)) }

// checkID is checkSegment without the colon, behind which a method stands in a URL.
func checkID(id string) error {
	if strings.Contains(id, ":") {
		return fmt.Errorf("has the character %q", ':')
	}
	return checkSegment(id)
}

// checkSegment admits what ids of projects are made of; old ones hold a domain ("example.com:proj").
func checkSegment(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("is empty")
	case id == "." || id == "..":
		return fmt.Errorf("is a path, not an id")
	case len(id) > maxID:
		return fmt.Errorf("has %d characters, which no id does", len(id))
	}
	for _, c := range id {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_.:~", c):
		default:
			return fmt.Errorf("has the character %q", c)
		}
	}
	return nil
}

// CheckClusterID applies the rule for new clusters, which the service states in its documentation of the
// create method: a lowercase letter, then at most 9 lowercase letters or digits.
func CheckClusterID(id string) error {
	const rule = "want a lowercase letter followed by at most 9 lowercase letters or digits"
	if id == "" {
		return fmt.Errorf("cluster id is empty; %s", rule)
	}
	if len(id) > 10 {
		return fmt.Errorf("cluster id %s has %d characters; %s", quote(id), len(id), rule)
	}
	for i, c := range id {
		if c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		return fmt.Errorf("cluster id %q has %q at position %d; %s", id, c, i+1, rule)
	}
	return nil
}

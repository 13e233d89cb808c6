package cluster

import (
	"cmp"
	"slices"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Warnings lists the members of the file that the SDK does not know, in the order of the file, each with the nearest
// name that it knows. They are kept and sent as they are; the service refuses those that it does not know either.
func (d *Document) Warnings() []Violation { return slices.Clone(d.warnings) }

func (d *Document) warn() {
	d.warnings = unknownMembers(d.Cluster)
	slices.SortStableFunc(d.warnings, func(a, b Violation) int {
		return cmp.Compare(d.index.Find(a.Field).Name, d.index.Find(b.Field).Name)
	})
}

// unknownMembers lists the members at every level of m that no field took. The last name of a path is as it was
// written.
func unknownMembers(m *ModelDevelopmentCluster) (found []Violation) {
	codec.EachUnknown(m, func(path []byte, name string, known []string) {
		found = append(found, unknownMember(string(path), name, known))
	})
	return found
}

func unknownMember(path, name string, known []string) Violation {
	v := Violation{Field: path, Description: "unknown to this version of the SDK, which sends it as it is"}
	if near := nearest(jsonx.Snake(name), known); near != "" && alike(jsonx.Snake(name), near) {
		v.Description = "unknown; did you mean " + near + "?"
	}
	return v
}

// alike keeps nearest from guessing at short names, where a few letters are all there is.
func alike(name, known string) bool { return distance(name, known)*3 <= max(len(name), len(known)) }

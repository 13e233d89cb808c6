package cluster

import (
	"fmt"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/names"
)

// Name is a cluster's resource name taken apart.
type Name struct {
	Project  string // an id, or a number as the service answers
	Location string
	ID       string
}

// ParseName reads projects/PROJECT/locations/REGION/modelDevelopmentClusters/ID. To tell whether two names mean
// one cluster compare Location and ID; Project differs between what was asked for and what was answered.
func ParseName(name string) (Name, error) {
	n, err := names.ParseCluster(name)
	if err != nil {
		return Name{}, fmt.Errorf("cluster: %w", err)
	}
	return Name{Project: n.Project, Location: n.Location, ID: n.ID}, nil
}

// String is the resource name.
func (n Name) String() string {
	return names.Cluster{Parent: names.Parent{Project: n.Project, Location: n.Location}, ID: n.ID}.String()
}

func lastSegment(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// firstOf returns the first text that is not empty.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

package names

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	p, err := ParseParent("projects/my-project/locations/us-central1")
	if err != nil || p != (Parent{"my-project", "us-central1"}) {
		t.Fatalf("ParseParent = %v, %v", p, err)
	}
	for name, want := range map[string]string{
		"training": "projects/my-project/locations/us-central1/modelDevelopmentClusters/training",
		// Answers carry the project number; both are names of one cluster, so either is taken as it is.
		"projects/123/locations/us-central1/modelDevelopmentClusters/training": "projects/123/locations/us-central1/modelDevelopmentClusters/training",
	} {
		c, err := p.Cluster(name)
		if err != nil || c.String() != want {
			t.Errorf("Cluster(%q) = %v, %v; want %s", name, c, err, want)
		}
	}
	o, err := p.Operation("projects/123/locations/us-central1/operations/42")
	if err != nil || o.ID != "42" || o.String() != "projects/123/locations/us-central1/operations/42" {
		t.Errorf("Operation = %v, %v", o, err)
	}
	if _, err := ParseParent("projects/example.com:legacy/locations/us-central1"); err != nil {
		t.Errorf("a domain-scoped project id is refused: %v", err)
	}
}

// TestNamesStayInTheirPlace tries to break out of the path segment, in every kind of name.
func TestNamesStayInTheirPlace(t *testing.T) {
	p := Parent{"my-project", "us-central1"}
	for _, id := range []string{"", ".", "..", "a/b", "../x", "a?b", "a#b", "a%2fb", "a b", "a\nb", "a\x00b", "é", "a\\b", "a@b"} {
		if c, err := p.Cluster(id); err == nil {
			t.Errorf("Cluster(%q) = %v", id, c)
		}
		if c, err := ParseCluster(p.String() + "/modelDevelopmentClusters/" + id); err == nil {
			t.Errorf("ParseCluster with id %q = %v", id, c)
		}
		if o, err := p.Operation(p.String() + "/operations/" + id); err == nil {
			t.Errorf("Operation with id %q = %v", id, o)
		}
		if got, err := ParseParent("projects/" + id + "/locations/us-central1"); err == nil {
			t.Errorf("ParseParent with project %q = %v", id, got)
		}
		if got, err := ParseParent("projects/p/locations/" + id); err == nil {
			t.Errorf("ParseParent with location %q = %v", id, got)
		}
	}
	// A colon starts the name of a method.
	for _, name := range []string{"training:callSlurmRestApi", p.String() + "/modelDevelopmentClusters/a:b"} {
		if c, err := p.Cluster(name); err == nil {
			t.Errorf("Cluster(%q) = %v", name, c)
		}
	}
	if o, err := p.Operation(p.String() + "/operations/1:cancel"); err == nil {
		t.Errorf("Operation with a method behind it = %v", o)
	}
	// The location becomes part of the host name.
	for _, location := range []string{"evil.example:443", "-", "us-central1-", "-us"} {
		if got, err := ParseParent("projects/p/locations/" + location); err == nil {
			t.Errorf("ParseParent took location %q: %v", location, got)
		}
	}
}

func TestErrorsSayWhatWouldBeRight(t *testing.T) {
	p := Parent{"my-project", "us-central1"}
	_, otherRegion := p.Cluster("projects/p/locations/us-east4/modelDevelopmentClusters/training")
	_, collection := p.Cluster("projects/p/locations/us-central1/clusters/training")
	_, empty := p.Cluster("")
	_, parent := ParseParent("my-project")
	_, op := p.Operation("42")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{otherRegion, `is in us-east4, but this client serves us-central1; make a client for projects/PROJECT/locations/us-east4`},
		{collection, `has "clusters" where "modelDevelopmentClusters" belongs; want projects/PROJECT/locations/REGION/modelDevelopmentClusters/ID`},
		{empty, `cluster name is empty; want an id, or projects/`},
		{parent, `parent name "my-project" has 1 parts instead of 4; want projects/PROJECT/locations/REGION`},
		{op, `operation name "42" has 1 parts instead of 6; want projects/PROJECT/locations/REGION/operations/ID`},
		{CheckClusterID("Training"), `cluster id "Training" has 'T' at position 1; want a lowercase letter`},
		{CheckClusterID("9lives"), `has '9' at position 1`},
		{CheckClusterID("my-cluster"), `has '-' at position 3`},
		{CheckClusterID("elevenchars"), `has 11 characters`},
		{CheckClusterID(""), `cluster id is empty`},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("error %v; want %q in it", tt.err, tt.want)
		}
	}
	if err := CheckClusterID("training10"); err != nil {
		t.Errorf("CheckClusterID(training10): %v", err)
	}
}

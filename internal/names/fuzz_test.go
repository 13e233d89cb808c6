package names

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var region = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// FuzzNames: a name that is taken stays in its place, in a URL as in a host name, and is written as it was read.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"training", "projects/p/locations/us-central1", "projects/p/locations/us-central1/modelDevelopmentClusters/training",
		"projects/example.com:p/locations/us-central1/operations/5", "projects/../locations/x", "..", "a/../b", "a?b", "a%2fb", "a#b", "a:b",
		"a\nb", "a\x00b", "projects/p/locations/a.example.com", "projects/p/locations/-", "projects/p/locations/us-", "training:callSlurmRestApi", "a::b",
		"projects/p/locations/us-central1/operations/5:cancel", "projects/p/locations/europe-west4/modelDevelopmentClusters/training",
		"projects/7/locations/us-central1/modelDevelopmentClusters/training", "ünï", " training", "training ", "a@b", "a\\b",
	} {
		f.Add(name)
	}
	parent := Parent{Project: "p", Location: "us-central1"}
	f.Fuzz(func(t *testing.T, name string) {
		check := func(written, last string, err error) {
			t.Helper()
			if err != nil {
				if strings.ContainsAny(err.Error(), "\r\n\x00\x1b") {
					t.Errorf("%q: error %q", name, err)
				}
				return
			}
			if written != name && written != parent.String()+"/modelDevelopmentClusters/"+name {
				t.Errorf("%q is written %q", name, written)
			}
			if strings.Contains(last, ":") {
				t.Errorf("%q brings a method along", name)
			}
			u, err := url.Parse("https://host.example/v1/" + written + ":verb?x=1")
			if err != nil || u.Host != "host.example" || u.Path != "/v1/"+written+":verb" || u.RawPath != "" || u.RawQuery != "x=1" || u.Fragment != "" {
				t.Fatalf("%q leaves its place in the URL: %v, %v", name, u, err)
			}
			if !strings.HasSuffix(u.JoinPath().Path, "/"+last+":verb") || u.JoinPath().Path != u.Path {
				t.Errorf("%q leads elsewhere: %s", name, u.JoinPath())
			}
		}
		p, err := ParseParent(name)
		check(p.String(), p.Location, err)
		if u, urlErr := url.Parse("https://" + p.Location + "-aiplatform.googleapis.com/"); err == nil &&
			(urlErr != nil || u.Host != p.Location+"-aiplatform.googleapis.com" || !region.MatchString(p.Location)) {
			t.Errorf("%q: location %q leads to another host", name, p.Location)
		}
		c, err := ParseCluster(name)
		check(c.String(), c.ID, err)
		c, err = parent.Cluster(name)
		check(c.String(), c.ID, err)
		if err == nil && c.Location != parent.Location {
			t.Errorf("%q is taken in %s", name, c.Location)
		}
		o, err := ParseOperation(name)
		check(o.String(), o.ID, err)
	})
}

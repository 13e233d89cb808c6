package cluster_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

var sentPath = regexp.MustCompile(`^[a-z0-9_.]+$`)

// FuzzFieldMask: a mask that is taken names documented paths, or those that somebody vouched for, each once and none inside
// of another; it says the same when it is written down and read again, and in camelCase.
func FuzzFieldMask(f *testing.F) {
	for _, mask := range []string{
		"labels", "node_pools,labels", "nodePools,orchestratorSpec.slurmSpec.config", "*", "", ",", "clear:labels", "unlisted:a_b.c",
		"unlisted:clear:x", "orchestrator_spec", "orchestrator_spec.slurm_spec.config.PriorityType", "node_pools[0]", "labels,labels",
		"unlisted:a,unlisted:a.b", "name", "lables", "labels&validate_only=true", "unlisted:a&b=c", "unlisted:A", "labels%2Cname", "labels\nname",
	} {
		f.Add(mask)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mask, err := cluster.ParseFieldMask(text)
		if err != nil {
			if mask != nil || !strings.HasPrefix(err.Error(), "cluster: ") || strings.ContainsAny(err.Error(), "\r\n\x00\x1b") {
				t.Errorf("%q: %q, %q", text, mask, err)
			}
			return
		}
		written := mask.String()
		if strings.Count(text, ",")+1 != len(mask) || url.QueryEscape(strings.ReplaceAll(written, ",", "")) != strings.ReplaceAll(written, ",", "") && written != "*" {
			t.Errorf("%q became %q", text, written)
		}
		var again []string
		for i, path := range mask {
			if path != cluster.AllFields && !sentPath.MatchString(path) {
				t.Errorf("%q: path %q", text, path)
			}
			for _, other := range mask[:i] {
				if other == path || strings.HasPrefix(other+".", path+".") || strings.HasPrefix(path+".", other+".") {
					t.Errorf("%q: %q and %q", text, other, path)
				}
			}
			again = append(again, path)
			if strings.Contains(text, "unlisted:") {
				again[i] = cluster.Unlisted(path)
			}
		}
		same, err := cluster.ParseFieldMask(strings.Join(again, ","))
		if written != "*" && (err != nil || !slices.Equal(same, mask)) {
			t.Errorf("%q: %q is read again as %q, %v", text, again, same, err)
		}
		if camel := camelCase(written); !strings.Contains(text, "unlisted:") {
			if same, err := cluster.ParseFieldMask(camel); err != nil || !slices.Equal(same, mask) {
				t.Errorf("%q: %q is read as %q, %v", text, camel, same, err)
			}
		}
	})
}

var underscore = regexp.MustCompile(`_[a-z]`)

func camelCase(s string) string {
	return underscore.ReplaceAllStringFunc(s, func(m string) string { return strings.ToUpper(m[1:]) })
}

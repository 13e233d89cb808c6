package clustertest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// Whatever is sent, the answer is JSON: the resource or an error with a code.
func FuzzRequests(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no payloads: ", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("POST", "?model_development_cluster_id=a", string(raw))
		f.Add("PATCH", "/training?updateMask=node_pools,labels&updateMode=USER_ONLY", string(raw))
		f.Add("POST", "/training:callSlurmRestApi", string(raw))
	}
	f.Add("GET", "?pageSize=1&pageToken=bGlzdA", "")
	f.Fuzz(func(t *testing.T, method, path, body string) {
		if _, err := url.Parse(all + path); err != nil {
			return
		}
		if _, err := http.NewRequest(method, all, nil); err != nil {
			return
		}
		s := seeded(t, "", clustertest.WithSlurm(fixed{}), clustertest.WithOperationTime(0))
		r, err := try(t, s.HTTPClient(), method, all+path, body)
		if err != nil {
			return // not a request that an HTTP client sends
		}
		if r.status != http.StatusOK {
			if e := r.json(t)["error"]; at(e, "code") != float64(r.status) || at(e, "status") == "" {
				t.Errorf("HTTP %d with %s", r.status, r.body)
			}
		} else if !json.Valid([]byte(r.body)) {
			t.Errorf("answer is not JSON: %s", r.body)
		}
		if got := s.Cluster("training"); got != nil && !json.Valid(got) {
			t.Errorf("cluster is not JSON: %s", got)
		}
	})
}

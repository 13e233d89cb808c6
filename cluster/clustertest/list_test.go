package clustertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
)

// pages follows page tokens and returns the ids of each page.
func pages(t *testing.T, s *clustertest.Server, url, member, query string) []string {
	t.Helper()
	var out []string
	for token := ""; ; {
		got := send(t, s, "GET", url+"?"+query+"&pageToken="+token, "").ok(t)
		var ids []string
		items, _ := got[member].([]any)
		for _, item := range items {
			name := at(item, "name").(string)
			ids = append(ids, name[strings.LastIndexByte(name, '/')+1:])
		}
		out = append(out, strings.Join(ids, ","))
		if token, _ = got["nextPageToken"].(string); token == "" {
			return out
		}
		if len(out) > 20 {
			t.Fatalf("no end of pages: %v", out)
		}
	}
}

func TestListPages(t *testing.T) {
	tests := []struct {
		why, query string
		opts       []clustertest.Option
		want       string
	}{
		{"one page by default", "", nil, "[a,b,c,d,e]"},
		{"pages of the wanted size", "pageSize=2", nil, "[a,b c,d e]"},
		{"exactly full: no empty page behind", "page_size=5", nil, "[a,b,c,d,e]"},
		{"fewer than wanted though there are more", "pageSize=4", []clustertest.Option{clustertest.WithPageSize(3)}, "[a,b,c d,e]"},
		{"empty pages are not the end", "pageSize=3", []clustertest.Option{clustertest.WithEmptyPages()}, "[ a,b,c  d,e]"},
		{"zero is the default", "pageSize=0", nil, "[a,b,c,d,e]"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := clustertest.NewServer(tt.opts...)
			for _, id := range []string{"d", "a", "c", "e", "b"} {
				if err := s.AddCluster(id, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.AddCluster("projects/my-project/locations/us-east4/modelDevelopmentClusters/elsewhere", nil); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(pages(t, s, all, "modelDevelopmentClusters", tt.query)); got != tt.want {
				t.Errorf("pages %s, want %s", got, tt.want)
			}
		})
	}
}

func TestListEdges(t *testing.T) {
	s := clustertest.NewServer()
	if got := compact(t, send(t, s, "GET", all, "").body); got != "{}" {
		t.Errorf("empty list %s", got)
	}
	send(t, s, "GET", all+"?pageSize=-1", "").fails(t, 400, "INVALID_ARGUMENT", "page_size")
	send(t, s, "GET", all+"?pageToken=x", "").fails(t, 400, "INVALID_ARGUMENT", "page_token")
	send(t, s, "GET", all+"?filter=x", "").fails(t, 400, "INVALID_ARGUMENT", `Unknown name "filter"`)
}

// A cluster that goes away between two pages must not hide another.
func TestListWhileClustersGo(t *testing.T) {
	s := clustertest.NewServer(clustertest.WithOperationTime(0))
	for _, id := range []string{"a", "b", "c"} {
		if err := s.AddCluster(id, nil); err != nil {
			t.Fatal(err)
		}
	}
	token := send(t, s, "GET", all+"?pageSize=2", "").ok(t)["nextPageToken"].(string)
	send(t, s, "DELETE", all+"/b", "").ok(t)
	got := send(t, s, "GET", all+"?pageSize=2&pageToken="+token, "").ok(t)
	if name, _ := at(got, "modelDevelopmentClusters", 0, "name").(string); !strings.HasSuffix(name, "/c") {
		t.Errorf("second page %v", got)
	}
}

package cluster_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// formats are the two forms of a file.
var formats = map[string]func(*cluster.ModelDevelopmentCluster) ([]byte, error){
	"x.json": cluster.FormatJSON,
	"x.yaml": cluster.FormatYAML,
}

// FuzzParse asks of any document that is a cluster that both formats bring it back, and the same text again.
func FuzzParse(f *testing.F) {
	for _, seed := range documentSeeds {
		f.Add([]byte(seed))
	}
	for _, name := range clusterPayloads(f) {
		m, err := cluster.Parse(payload(f, name))
		if err != nil {
			f.Fatal(err)
		}
		for _, format := range formats {
			text, err := format(m)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name := range formats { // whatever it is in truth
			if m, err := cluster.ParseDocument(name, data); err == nil {
				roundTrip(t, m.Cluster)
			}
		}
	})
}

// documentSeeds have what the payloads lack.
var documentSeeds = []string{
	"// a comment\n{\"name\":\"a\", /* one more */ \"labels\":{\"a\":\"b\",},}",
	"a: &x {b: 1}\nc: {<<: *x, d: [*x, 0x1F, 1_000, .5, ~, no, 2026-10-01]}\n",
	"node_pools:\n- id: \"1\"\n  startup_script: |\n    #!/bin/sh\n\n    echo hi\n  labels: {? k : v}\n",
	"startup:\n  - |2+\n     x\n\n\n  - >-\n    a\n    b\n  - 'it''s'\n  - \"\\u2028\\x85\\U0001F600\"\n",
}

// withoutOutput is m as a file has it.
func withoutOutput(m *cluster.ModelDevelopmentCluster) *cluster.ModelDevelopmentCluster {
	in := *m
	in.ClusterStatus, in.CreateTime, in.UpdateTime, in.Unknown = nil, time.Time{}, time.Time{}, cluster.Unknown{}
	for _, name := range m.Unknown.Names() {
		if snake := toSnake(name); snake != "create_time" && snake != "update_time" {
			in.Unknown.Set(name, m.Unknown.Get(name))
		}
	}
	return &in
}

// roundTrip writes m in both formats and reads it back.
func roundTrip(t *testing.T, m *cluster.ModelDevelopmentCluster) {
	t.Helper()
	want := withoutOutput(m)
	for name, format := range formats {
		text, err := format(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := cluster.ParseDocument(name, text)
		if err != nil {
			t.Fatalf("%s does not read back: %v\n%s", name, err, text)
		}
		if diff := cmp.Diff(want, got.Cluster); diff != "" {
			t.Fatalf("%s reads back as another cluster: %s\n%s", name, diff, text)
		}
		again, err := format(got.Cluster)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%s changes when it is written again: %v\n%s\n%s", name, err, text, again)
		}
	}
}

package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// FuzzParse asks of any document that is a cluster that both formats bring it back, and the same text again; and of JSON that
// no member is lost when it is first read.
func FuzzParse(f *testing.F) {
	for _, seed := range documentSeeds {
		f.Add([]byte(seed))
	}
	for _, name := range clusterPayloads(f) {
		f.Add(payload(f, name))
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
				nothingLost(t, data, m.Cluster)
			}
		}
	})
}

// nothingLost compares m with what encoding/json reads in the file. Whose names differ by their spelling alone says the same
// thing twice, and is left out.
func nothingLost(t *testing.T, data []byte, m *cluster.ModelDevelopmentCluster) {
	t.Helper()
	before, twice, err := foldedJSON(data)
	if err != nil || twice {
		return // YAML, or comments
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	after, _, err := foldedJSON(out)
	if err != nil {
		t.Fatal(err)
	}
	if lost := missingIn(before, after, ""); lost != "" {
		t.Fatalf("lost %s of %s: %s", lost, data, out)
	}
}

// foldedJSON reads JSON with each name, number and time in one of its spellings, and says whether an object has a name twice.
func foldedJSON(data []byte) (v any, twice bool, err error) {
	if !json.Valid(data) {
		return nil, false, errors.New("no JSON")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err = foldedValue(d, &twice)
	return v, twice, err
}

func foldedValue(d *json.Decoder, twice *bool) (any, error) {
	token, err := d.Token()
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			folded := strings.ToLower(strings.ReplaceAll(name.(string), "_", ""))
			_, found := object[folded]
			*twice = *twice || found
			if object[folded], err = foldedValue(d, twice); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			element, err := foldedValue(d, twice)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		_, err = d.Token()
		return list, err
	}
	if token == nil || err != nil {
		return nil, err
	}
	text := fmt.Sprint(token)
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.UTC().Format(time.RFC3339Nano), nil
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) && len(text) < 15 {
		return strconv.FormatFloat(n, 'g', -1, 64), nil
	}
	return text, nil
}

// documentSeeds have what the payloads lack.
var documentSeeds = []string{
	"// a comment\n{\"name\":\"a\", /* one more */ \"labels\":{\"a\":\"b\",},}",
	"a: &x {b: 1}\nc: {<<: *x, d: [*x, 0x1F, 1_000, .5, ~, no, 2026-10-01]}\n",
	`{"a":1,"node_pools":[{"id":"1","somethingNew":{"b":[2,{"c":"d"}]},"machineSpec":{"e":"f"}}],"orchestrator_spec":{"g":0.5,"slurmSpec":{"h":{}}}}`,
	`{"node_pools":[{"id":"1","machine_spec":{"accelerator_count":8.0},"scaling_spec":{"min_node_count":2e0,"max_node_count":"30.0"},` +
		`"boot_disk":{"boot_disk_size_gb":"1.2e2"}}]}`,
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

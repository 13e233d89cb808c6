package cluster_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// TestYAMLMeans holds documents to their JSON: what people write by habit, and what YAML has to offer.
func TestYAMLMeans(t *testing.T) {
	for doc, want := range map[string]string{
		// Scalars in place of strings are taken as they are written, those of Slurm above all.
		"orchestrator_spec: {slurm_spec: {config: {PriorityWeightAge: 1000, Default: NO, OverTimeLimit: 0x10, PreemptExemptTime: 00:10:00, MaxTime: 4-00:00:00, X: 1_000, Y: 010, Z: true, W: 2026-10-01}}}": `{"orchestratorSpec":{"slurmSpec":{"config":{
			"PriorityWeightAge":"1000","Default":"NO","OverTimeLimit":"0x10","PreemptExemptTime":"00:10:00","MaxTime":"4-00:00:00","X":"1_000","Y":"010","Z":"true","W":"2026-10-01"}}}}`,
		"labels:\n  1: 2\n  true: no\n  ~: '~'\n":                                                `{"labels":{"1":"2","true":"no","~":"~"}}`,
		"node_pools: [{id: 1e3, zone: us-central1-a}, {id: \"1\", zone: }]":                      `{"node_pools":[{"id":"1e3","zone":"us-central1-a"},{"id":"1","zone":null}]}`,
		"orchestrator_spec: {slurm_spec: {partitions: [{id: on, node_pool_ids: [1, 0o7, ab]}]}}": `{"orchestratorSpec":{"slurmSpec":{"partitions":[{"id":"on","nodePoolIds":["1","0o7","ab"]}]}}}`,
		"node_pools: [{machine_spec: {accelerator_type: 17}}]":                                   `{"nodePools":[{"machineSpec":{"acceleratorType":17}}]}`,
		// Numbers and booleans, in place of them.
		"node_pools: [{scaling_spec: {min_node_count: 0x10, max_node_count: 1_000}, boot_disk: {boot_disk_size_gb: 0b11}, enable_public_ips: True}]":  `{"nodePools":[{"scalingSpec":{"minNodeCount":16,"maxNodeCount":1000},"bootDisk":{"bootDiskSizeGb":3},"enablePublicIps":true}]}`,
		"node_pools: [{scaling_spec: {min_node_count: '2', max_node_count: 4.0}, boot_disk: {boot_disk_size_gb: 0o17}, enable_public_ips: \"true\"}]": `{"nodePools":[{"scalingSpec":{"minNodeCount":"2","maxNodeCount":4.0},"bootDisk":{"bootDiskSizeGb":15},"enablePublicIps":"true"}]}`,
		"node_pools: [{flex_start_max_duration: 604800s}]": `{"nodePools":[{"flexStartMaxDuration":"604800s"}]}`,
		// Members that nobody knows are what YAML reads in them.
		"new: [1, -0, 1e400, 12345678901234567890, 1.50, .5, +7, 1_0.5, 0xFFFFFFFFFFFFFFFF, -0x10]":     `{"new":[1,-0,1e400,12345678901234567890,1.50,0.5,7,10.5,18446744073709551615,-16]}`,
		"new: [yes, no, .inf, .nan, 2026-10-01, 00:10:00, 0x, '1', !!str 1, \"\\u00e9\", <<, -, 0x1.8]": `{"new":["yes","no",".inf",".nan","2026-10-01","00:10:00","0x","1","1","é","<<","-","0x1.8"]}`,
		"new: [~, null, Null, TRUE, False, {}, [], {config: {a: 1}}]":                                   `{"new":[null,null,null,true,false,{},[],{"config":{"a":1}}]}`,
		"new:\n  ? a\n  : b\n  ? 'c'\n": `{"new":{"a":"b","c":null}}`,
		// Scripts.
		"node_pools:\n- startup_script: |\n    #!/bin/bash\n    \n    echo \"a: b\" # c\n  zone: a # comment\n": `{"nodePools":[{"startupScript":"#!/bin/bash\n\necho \"a: b\" # c\n","zone":"a"}]}`,
		"node_pools:\r\n- startup_script: |-\r\n    a\r\n    b\r\n":                                             `{"nodePools":[{"startupScript":"a\nb"}]}`,
		"node_pools:\n- startup_script: >\n    a\n    b\n":                                                      `{"nodePools":[{"startupScript":"a b\n"}]}`,
		// Anchors, aliases and merge keys.
		"new: {a: &a {x: 1}, b: *a, c: [*a, *a]}":                                `{"new":{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}}`,
		"new: {a: &a k, *a : *a}":                                                `{"new":{"a":"k","k":"k"}}`,
		"new: {a: &a {x: 1, y: 2}, b: {x: 3, <<: *a}, c: {<<: *a, y: 4}}":        `{"new":{"a":{"x":1,"y":2},"b":{"x":3,"y":2},"c":{"x":1,"y":4}}}`,
		"new: {a: &a {x: 1}, b: &b {<<: *a, y: 2}, c: {<<: [*b, {x: 5, z: 3}]}}": `{"new":{"a":{"x":1},"b":{"x":1,"y":2},"c":{"x":1,"y":2,"z":3}}}`,
		"new: {'<<': 1}": `{"new":{"<<":1}}`,
		"node_pools:\n- &p {id: a, bootDisk: {}, nodeImage: x}\n- {<<: *p, id: b, node_image: y}": `{"nodePools":[{"id":"a","bootDisk":{},"nodeImage":"x"},{"id":"b","bootDisk":{},"nodeImage":"y"}]}`,
		"%YAML 1.1\n---\nnew: 1\n...\n": `{"new":1}`,
	} {
		got, err := cluster.ParseDocument("w.yaml", []byte(doc))
		if err != nil {
			t.Errorf("%s\n%v", doc, err)
			continue
		}
		if diff := cmp.Diff(parse(t, []byte(want)), got.Cluster); diff != "" {
			t.Errorf("%s\n%s", doc, diff)
		}
	}
}

func TestErrorsOfYAMLNameThePlace(t *testing.T) {
	for doc, want := range map[string]string{
		"":              "1:1: the document is empty; want a cluster",
		"# nothing\n":   "1:1: the document is empty; want a cluster",
		"---\n~\n":      "2:1: the document is empty; want a cluster",
		"display_name":  `1:1: want an object, got "display_name"`,
		"\n- a\n":       "2:1: want an object, got a list",
		"a: b\n---\na:": "2:1: the file holds another document; want one",

		"é: é\nlabels: {é: é, b: }\n":                                              "2:19: labels.b: want a string, got null",
		"node_pools:\n- {}\n- boot_disk:\n    # 日本\n    boot_disk_size_gb: many\n": `5:24: node_pools[1].boot_disk.boot_disk_size_gb: want an integer, got "many"`,
		"node_pools:\n- {id: é, enable_public_ips: yes}":                           `2:30: node_pools[0].enable_public_ips: want true or false, got "yes"`,
		"node_pools:\n- {id: é, node_image: x, nodeImage: y}":                      "2:26: node_pools[0].node_image: want one value, got two, in two spellings",
		"labels:\n  a: b\n  c: d\n  a: b":                                          "4:3: labels.a: want one value, got two",
		"new: {a: [{b: 1, b: 2}]}":                                                 "1:18: new.a[0].b: want one value, got two",
		"node_pools: [{flex_start_max_duration: 604800}]":                          `1:40: node_pools[0].flex_start_max_duration: want a duration in seconds such as "3.5s", got 604800`,
		"node_pools: [{scaling_spec: {min_node_count: 010}}]":                      "1:46: node_pools[0].scaling_spec.min_node_count: want a number without a leading zero, or a string in quotes, got 010",
		"labels: {a: !!binary aGk=}":                                               "1:13: labels.a: want no tag or !!str, got !!binary",
		"labels: !x {}":                                                            "1:9: labels: want no tag or !!map, got !x",
		"new: {[a, b]: c}":                                                         "1:7: a list or an object stands for a name; want a scalar",
		"new: {<<: 5}":                                                             "1:11: the merge key << wants an object, or a list of objects",
		"new: {<<: [[]]}":                                                          "1:12: the merge key << wants an object, or a list of objects",
		"base: &b\n  boot_disk: {boot_disk_size_gb: x}\nnode_pools:\n- *b":         `2:34: node_pools[0].boot_disk.boot_disk_size_gb: want an integer, got "x"`,
		"new: &x\n  - [*x]\n":                                                      "2:6: the alias *x is within what it stands for",
		"new: &x {<<: *x}":                                                         "1:14: the alias *x is within what it stands for",
		"new: " + strings.Repeat("[", 1200) + strings.Repeat("]", 1200):            "1:1006: objects and lists are nested deeper than 1000 levels",

		// What YAML itself refuses. Its reader knows lines alone, and those not always.
		"a: b\nc: d: e\nf: g\n":               "2:5: mapping values are not allowed in this context; a text with a colon in it wants quotes, and a member the indentation of the others",
		"a: b\n c: d\nf: g\n":                 "2:3: mapping values are not allowed in this context; a text with a colon in it wants quotes, and a member the indentation of the others",
		"a:\n\tb: c\nd: e\n":                  "2:1: found character that cannot start any token; want spaces to indent, not tabs, and quotes around a text that begins with this character",
		"é: @b\nc: d\n":                       "1:4: found character that cannot start any token; want spaces to indent, not tabs, and quotes around a text that begins with this character",
		"a:\n  b: c\n\td: e\nf: g\n":          "3:1: found a tab character that violates indentation; want spaces to indent",
		"a: \"b\nc: d\n":                      "1:4: found unexpected end of stream; this quote is never closed",
		"a: b\nfoo\nc: d\n":                   "2:1: could not find expected ':'; want NAME: VALUE",
		"x: 1\na:\n    b: 1\n   c: 2\nd: e\n": "4:4: did not find expected key; want the indentation of the members before, and quotes around the whole of a text or around none",
		"a: 'é' y\nc: d\n":                    "1:8: did not find expected key; want the indentation of the members before, and quotes around the whole of a text or around none",
		"a:\n  - b\n  c: d\ne: f\n":           "3:4: did not find expected '-' indicator; want a dash, and the indentation of the elements before",
		"{a: b}\nc: d\n":                      "2:1: did not find expected <document start>; the document has ended before",
		"a: [1, 2\nb: c\nd: e\n":              "1:8: did not find expected ',' or ']'",
		"a: b\nc: *abc\nd: e\n":               "2:7: unknown anchor 'abc' referenced",
		"a: x\x01y\n":                         "1:5: control characters are not allowed",
		"a: [{x: 1,\n  y: 2},\n {z: 1}]\nb: [{x: 1,\n  y: 2,\n {z: 1}]\nc: [{x: 1,\n  y: 2},\n {z: 1}]\n": "6:6: did not find expected ',' or '}'",
	} {
		_, err := cluster.ParseDocument("w.yaml", []byte(doc))
		if err == nil || err.Error() != "cluster: w.yaml:"+want {
			t.Errorf("%.80q:\n%v; want\ncluster: w.yaml:%s", doc, err, want)
		}
	}
}

// TestSyntaxErrorsInLongDocuments: the line is right wherever the mistake is, between constructs of several lines.
func TestSyntaxErrorsInLongDocuments(t *testing.T) {
	const pool = "- id: a # one\n  labels: {a: b,\n    c: \"d\n      e\"}\n  startup_script: |\n    echo 'x: {'\n"
	for _, before := range []int{0, 1, 7, 60, 131} {
		for mistake, column := range map[string]int{"  zone: a: b\n": 10, "  zone: 'a' b\n": 13, "  zone: {a\n": 10, " zone: a\n": 2} {
			doc := "node_pools:\n" + strings.Repeat(pool, before) + "- id: b\n" + mistake + strings.Repeat(pool, 139-before)
			want := fmt.Sprintf("cluster: %d:%d: ", 3+6*before, column)
			if _, err := cluster.Parse([]byte(doc)); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q after %d pools: %v; want %s", mistake, before, err, want)
			}
		}
	}
	huge := "node_pools:\n" + strings.Repeat(pool, 5000) + "  zone: a: b\n"
	if _, err := cluster.Parse([]byte(huge)); err == nil || !strings.HasPrefix(err.Error(), "cluster: 30002:1: ") {
		t.Errorf("in a huge document: %v", err)
	}
}

// TestAliasesAreBounded: documents of a few hundred bytes that stand for many gigabytes, or for much work.
func TestAliasesAreBounded(t *testing.T) {
	bomb := func(first, line string) string {
		doc := "a0: &a0 " + first + "\n"
		for i := range 12 {
			doc += fmt.Sprintf("a%d: &a%d ", i+1, i+1) + fmt.Sprintf(line, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ",")) + "\n"
		}
		return doc
	}
	for name, doc := range map[string]string{
		"lists":          bomb("[x]", "[%s]"),
		"empty lists":    bomb("[]", "[%s]"),
		"merges":         bomb("{}", "{<<: [%s]}"),
		"merged members": bomb("{x: y}", "{<<: [%s]}"),
		"long texts":     "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 100) + "]",
	} {
		_, err := cluster.Parse([]byte(doc))
		if err == nil || !strings.Contains(err.Error(), "with its aliases resolved, the document takes more than 32 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// One script for a hundred pools is no bomb.
	m, err := cluster.Parse([]byte("x: &s |\n  " + strings.Repeat("x", 200_000) + "\nnode_pools:" + strings.Repeat("\n- startup_script: *s", 100)))
	if err != nil || len(m.NodePools[99].StartupScript) != 200_001 {
		t.Errorf("a shared script: %v", err)
	}
}

// TestYAMLTwins: every payload, with unknown members at every level, means the same in both formats.
func TestYAMLTwins(t *testing.T) {
	for _, name := range clusterPayloads(t) {
		var v any
		if err := json.Unmarshal(payload(t, name), &v); err != nil {
			t.Fatal(err)
		}
		planted := plant(v, "")
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		m := parse(t, data)
		text, err := cluster.FormatYAML(m)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := cluster.ParseDocument("twin.yaml", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if diff := cmp.Diff(withoutOutput(m), twin.Cluster); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, w := range twin.Warnings() {
			if !strings.HasSuffix(w.Field, "somethingNew") {
				t.Errorf("%s: %v", name, w)
			}
		}
		if n := len(twin.Warnings()); n == 0 || n > planted {
			t.Errorf("%s: %d warnings for %d unknown members", name, n, planted)
		}
	}
}

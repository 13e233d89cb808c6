package cluster_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// asPeopleWrite decorates JSON in ways that must not change what it says.
var asPeopleWrite = map[string]func(string) string{
	"line comments":   func(doc string) string { return strings.ReplaceAll(doc, "\n", " // \"note\": {\n") + "// the end" },
	"block comments":  func(doc string) string { return "/* one */" + strings.ReplaceAll(doc, ": ", " /* [\n */ : /**/ ") },
	"trailing commas": func(doc string) string { return trailingCommas.Replace(doc) },
	"byte order mark": func(doc string) string { return "\ufeff" + doc },
	"CRLF":            func(doc string) string { return strings.ReplaceAll(doc, "\n", "\r\n") },
	"tabs":            func(doc string) string { return strings.ReplaceAll(doc, "\n  ", "\n\t") },
}

// trailingCommas works on indented documents, where a bracket that closes something begins its line.
var trailingCommas = strings.NewReplacer("\"\n", "\",\n", "}\n", "},\n", "]\n", "],\n", "true\n", "true,\n", "0\n", "0,\n")

func TestPayloadsAsPeopleWriteThem(t *testing.T) {
	for _, name := range clusterPayloads(t) {
		original := string(payload(t, name))
		want := parse(t, []byte(original))
		for how, decorate := range asPeopleWrite {
			decorated := strings.TrimSuffix(decorate(strings.TrimSpace(original)), "},\n") // no comma behind the whole
			if decorated == original {
				t.Errorf("%s: %s change nothing", name, how)
			}
			for _, file := range []string{"", "want.json", "want.jsonc"} {
				d, err := cluster.ParseDocument(file, []byte(decorated))
				if err != nil {
					t.Errorf("%s with %s: %v", name, how, err)
				} else if diff := cmp.Diff(want, d.Cluster); diff != "" {
					t.Errorf("%s with %s: %s", name, how, diff)
				}
			}
		}
		if d, err := cluster.ReadDocument(filepath.Join("testdata", "payloads", name)); err != nil || !cmp.Equal(want, d.Cluster) || len(d.Warnings()) > 0 {
			t.Errorf("%s as a file: %v, %v", name, d, err)
		}
	}
}

// TestErrorsOfJSONNameThePlace: the line and the column, in characters, of what is wrong.
func TestErrorsOfJSONNameThePlace(t *testing.T) {
	for doc, want := range map[string]string{
		"":                                   "1:1: the document is empty; want a cluster",
		" \n\t\n":                            "1:1: the document is empty; want a cluster",
		"null":                               "1:1: the document is empty; want a cluster",
		"\ufeff{'a': 1}":                     `1:2: invalid character '\'' at start of value`,
		`{"a": 1, "b" 2}`:                    "1:14: invalid character '2' after object name",
		"{\n\t\"é\": \"ü\", \"b\": nul\n}":   `2:17: "nul" is no JSON value; want a string in quotes, a number, true, false or null`,
		"{\n  \"a\": \"x\n\"}":               `2:10: invalid character '\n' in string literal`,
		`{"a": "é\d"}`:                       `1:10: invalid character 'd' in string escape code`,
		"{\n  \"a\": \"\xff\"}":              "2:9: the document is not UTF-8 here",
		"{\"a\": 1,\n\n":                     "1:9: the document ends where a name or a value was expected",
		`{"a": {"b": 1}`:                     "1:15: the document ends within an object; want a closing brace",
		`{"a": [1`:                           "1:9: the document ends within a list; want a closing bracket",
		`{"a`:                                "1:4: the document ends within a string; want its closing quote",
		`{"a"`:                               "1:5: the document ends after a name; want a colon and a value",
		"{} /* x":                            "1:4: the document ends within a comment; want */",
		"{\n}}":                              "2:2: invalid character '}' after top-level value",
		`{"a": ` + strings.Repeat("[", 1200): "1:1006: objects and lists are nested deeper than 1000 levels",
		`{/* [ */ "a": "[" ` + "// [\n, b":   `2:3: "b" is no JSON value; want a string in quotes, a number, true, false or null`,

		"{\n  \"node_pools\": [{},\n\t{\"é\": \"日本\", \"bootDisk\": {\"bootDiskSizeGb\": \"many\"}}]}": `3:45: node_pools[1].boot_disk.boot_disk_size_gb: want an integer, got "many"`,
		"{\"orchestratorSpec\": {\"slurmSpec\": {\"config\": {\n\"PriorityWeight\": 1000}}}}":          `2:19: orchestrator_spec.slurm_spec.config.PriorityWeight: want the string "1000", in quotes, got a number`,
		`{"nodePools": [{}, /* é */ null]}`:                        "1:28: node_pools[1]: want an element, got null",
		`{"labels": {"a.b/c": null}}`:                              "1:22: labels.a.b/c: want a string, got null",
		"{\"node_pools\": [],\n\"nodePools\": []}":                 "2:1: node_pools: want one value, got two, in two spellings",
		"{\"labels\": {\"a\": \"1\", \"b\": \"2\", \"a\": \"1\"}}": "1:33: labels.a: want one value, got two",
		`{"new": [{"x": 1, "x": 2}]}`:                              "1:19: new[0].x: want one value, got two",
	} {
		_, err := cluster.ParseDocument("want.json", []byte(doc))
		if err == nil || err.Error() != "cluster: want.json:"+want {
			t.Errorf("%.60q:\n%v; want\ncluster: want.json:%s", doc, err, want)
		}
	}
}

// TestBracketsInCommentsAreNoNesting, nor those in strings.
func TestBracketsInCommentsAreNoNesting(t *testing.T) {
	many := strings.Repeat("[", 1200)
	doc := "// " + many + "\n/* " + many + " *//* \" */ {\"a\": \"\\\"" + many + "\"} // \" " + many
	if _, err := cluster.Parse([]byte(doc)); err != nil {
		t.Error(err)
	}
	deep := "/* x *//* y */{\"a\": " + many
	if _, err := cluster.Parse([]byte(deep)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("behind comments: %v", err)
	}
}

func TestErrorsOfFiles(t *testing.T) {
	if _, err := cluster.Parse([]byte(`{"labels": 5}`)); err == nil || err.Error() != "cluster: 1:12: labels: want an object, got 5" {
		t.Errorf("without a name: %v", err)
	}
	if _, err := cluster.ParseDocument("a\nb.json", nil); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a name of two lines: %v", err)
	}
	for _, read := range []func(string) error{
		func(path string) error { _, err := cluster.ReadFile(path); return err },
		func(path string) error { _, err := cluster.ReadDocument(path); return err },
	} {
		if err := read("testdata/absent.json"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "cluster: open testdata/absent.json") {
			t.Errorf("absent file: %v", err)
		}
		path := filepath.Join(t.TempDir(), "x.YML")
		if err := os.WriteFile(path, []byte("labels: 5"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(path); err == nil || err.Error() != "cluster: "+path+":1:9: labels: want an object, got 5" {
			t.Errorf("bad file: %v", err)
		}
	}
}

// TestErrorsHoldNoScript: what is shown of a document is bounded.
func TestErrorsHoldNoScript(t *testing.T) {
	secret := strings.Repeat("x", 45) + "hunter2"
	for name, docs := range map[string][]string{
		"x.json": {`{"a": "` + secret + "\n\"}", `{"a": ` + secret + `}`, `{"labels": "` + secret + `"}`},
		"x.yaml": {"a: !" + secret + " b", "labels: " + secret, "a: |" + secret, "a: '" + secret},
	} {
		for _, doc := range docs {
			_, err := cluster.ParseDocument(name, []byte(doc))
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", doc, err)
			}
		}
	}
}

// TestFormatIsToldByNameOrContent: the same text, read as one or the other.
func TestFormatIsToldByNameOrContent(t *testing.T) {
	const flow = "{display_name: x}" // YAML, that begins like JSON
	for name, ok := range map[string]bool{"": false, "x.json": false, "x.txt": false, "x.yaml": true, "x.YML": true} {
		if _, err := cluster.ParseDocument(name, []byte(flow)); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	for doc, ok := range map[string]bool{"display_name: x": true, "# x\ndisplay_name: x": true, "\ufeff\n{\"display_name\": \"x\",}": true,
		"// x\n{}": true, "/* x */ {}": true, "---\n{}": true, "<html>": false} {
		if _, err := cluster.Parse([]byte(doc)); (err == nil) != ok {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// twins are one cluster in both formats, in different layouts.
var twins = map[string]string{
	"w.json": `{
  "node_pools": [
    {"id": "é", "zone": "z"},
    {
      "id": "b",
      "bootDisk": {
        "boot_disk_type": "pd-ssd" },
      "labels": {"a.b": "c", "é": "d"}
    }
  ], "newThing": {"deepDown": [1]}
}`,
	"w.yaml": `
node_pools:
- {id: é, zone: z}
- id: b
  bootDisk:
      boot_disk_type: pd-ssd
  labels:
    a.b: c
    é: d
newThing:
  deepDown: [1]
`,
}

func TestPosition(t *testing.T) {
	for _, tt := range []struct{ field, json, yaml string }{
		{"", "1:1", "2:1"},
		{"node_pools", "2:3", "2:1"},
		{"node_pools[0]", "3:5", "3:3"},
		{"node_pools[0].zone", "3:17", "3:11"},
		{"node_pools[1].boot_disk", "6:7", "5:3"},
		{"nodePools[1].bootDisk", "6:7", "5:3"},
		{"node_pools[1].boot_disk.boot_disk_type", "7:9", "6:7"},
		{"node_pools[1].boot_disk.boot_disk_size_gb", "6:7", "5:3"}, // absent: the disk
		{"node_pools[1].machine_spec.machine_type", "4:5", "4:3"},   // absent: the pool
		{"node_pools[2].id", "2:3", "2:1"},                          // absent: the list
		{"node_pools[1].labels.a.b", "8:18", "8:5"},
		{"node_pools[1].labels.é", "8:30", "9:5"},
		{"node_pools[1].labels.x", "8:7", "7:3"},
		{"newThing.deepDown[0]", "10:32", "11:14"},
		{"new_thing", "1:1", "2:1"}, // nobody knows that it is the same
		{"orchestrator_spec.slurm_spec.config", "1:1", "2:1"},
	} {
		for name, want := range map[string]string{"w.json": tt.json, "w.yaml": tt.yaml} {
			d, err := cluster.ParseDocument(name, []byte(twins[name]))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Position(tt.field).String(); got != name+":"+want {
				t.Errorf("%s of %s is at %s, want %s", tt.field, name, got, want)
			}
		}
	}
	if p := new(cluster.Document).Position("labels"); p != (cluster.Position{}) {
		t.Errorf("a document that nobody read: %v", p)
	}
	if p := (cluster.Position{Line: 3, Column: 4}); p.String() != "3:4" {
		t.Errorf("without a file: %v", p)
	}
}

func TestWarnings(t *testing.T) {
	const doc = `{
  "node_pools": [{"nod_image": "x", "bootDisk": {"x": 1, "boot_disk_typ": "y"}, "nodePoolId": "z"}],
  "Labels": {"labels": "are data"},
  "orchestrator_spec": {"gke_spec": {"unknown": {}}, "slurm_spec": {
    "partitions": [{"config": {"Nonsense": "is data"}, "ids": []}],
    "scheduling": {"PriorityType": "x"}}},
  "cluster_status": {"nodesStatus": [{"instance": 5, "node_stat": ""}]},
  "createTime": 5
}`
	const sent = "unknown to this version of the SDK, which sends it as it is"
	want := []string{
		"2:19 node_pools[0].nod_image: unknown; did you mean node_image?",
		"2:50 node_pools[0].boot_disk.x: " + sent,
		"2:58 node_pools[0].boot_disk.boot_disk_typ: unknown; did you mean boot_disk_type?",
		"2:81 node_pools[0].nodePoolId: " + sent,
		"3:3 Labels: unknown; did you mean labels?",
		"4:25 orchestrator_spec.gke_spec: " + sent,
		"5:56 orchestrator_spec.slurm_spec.partitions[0].ids: unknown; did you mean id?",
		"6:20 orchestrator_spec.slurm_spec.scheduling.PriorityType: unknown; did you mean priority_type?",
		"7:54 cluster_status.nodes_status[0].node_stat: unknown; did you mean node_state?",
	}
	for name, text := range map[string]string{"w.json": doc, "w.yaml": doc} { // JSON without comments is YAML
		d, err := cluster.ParseDocument(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range d.Warnings() {
			got = append(got, strings.TrimPrefix(d.Position(v.Field).String(), name+":")+" "+v.Field+": "+v.Description)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(d.Warnings()) > 0 {
			d.Warnings()[0].Field = "changed"
		}
		if d.Warnings()[0].Field == "changed" {
			t.Error("the warnings can be changed from outside")
		}
	}
}

// TestDocumentsDoNotShareMemory: a caller may reuse what it read into.
func TestDocumentsDoNotShareMemory(t *testing.T) {
	for name, text := range twins {
		data := []byte(text)
		d, err := cluster.ParseDocument(name, data)
		if err != nil {
			t.Fatal(err)
		}
		before := bytes.Clone(data)
		copy(data, strings.Repeat("\n", len(data)))
		if fresh, _ := cluster.ParseDocument(name, before); !cmp.Equal(fresh.Cluster, d.Cluster) {
			t.Errorf("%s: the cluster changed", name)
		}
		if got, want := d.Position("newThing").Line, map[string]int{"w.json": 10, "w.yaml": 10}[name]; got != want {
			t.Errorf("%s: the position moved to line %d", name, got)
		}
	}
}

package cluster_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// fragments are what goes wrong in YAML, for strings that are made of them.
var fragments = []string{
	"a", "#!/bin/bash", "\n", "\n\n", "\t", " ", "  ", "#", ": ", ":", "- ", "-", "?", "'", `"`, `\`, "|", ">", "%", "@", "`", "&x", "*x",
	"!", "{", "}", "[", "]", ",", "true", "No", "null", "~", "0", "1_000", "0x1F", "1e3", ".5", ".inf", "00:10:00", "2026-10-01", "<<", "=",
	"---", "...", "é", "日本", "\u00a0", "\u0085", "\u2028", "\u2029", "\ufeff", "\ufffd", "\ufffe", "\x00", "\x1b", "\x7f", "\r", "\r\n", "😀", "<&>",
}

type generator struct{ *rand.Rand }

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(6) {
		b.WriteString(fragments[g.IntN(len(fragments))])
	}
	if g.IntN(400) == 0 {
		b.WriteString(strings.Repeat("long ", 300)) // longer than a name may be without a mark
	}
	return b.String()
}

func (g generator) value(depth int) any {
	switch n := g.IntN(9); {
	case n < 2 && depth > 0:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	case n < 4 && depth > 0:
		return g.object(depth)
	case n == 4:
		return []any{nil, true, false}[g.IntN(3)]
	case n == 5:
		return json.Number([]string{"0", "-1", "1e400", "1.50", "12345678901234567890", "-0", "1E5"}[g.IntN(7)])
	}
	return g.text()
}

func (g generator) object(depth int) map[string]any {
	object := map[string]any{}
	for range g.IntN(4) {
		object[g.text()] = g.value(depth - 1)
	}
	return object
}

func (g generator) texts() map[string]string {
	m := map[string]string{}
	for range g.IntN(4) {
		m[g.text()] = g.text()
	}
	return m
}

// cluster makes a cluster that has such strings wherever strings can be.
func (g generator) cluster(t *testing.T) *cluster.ModelDevelopmentCluster {
	m := &cluster.ModelDevelopmentCluster{Name: g.text(), Labels: g.texts(), NodePools: []*cluster.NodePool{
		{ID: g.text(), StartupScript: g.text(), ProvisioningModel: cluster.ProvisioningModel(g.text())},
		{Lustres: []string{g.text()}, Labels: g.texts()},
	}}
	m.Slurm().Config = g.texts()
	m.Slurm().PrologBashScripts = []string{g.text(), g.text()}
	raw, err := json.Marshal(g.value(4))
	if err != nil {
		t.Fatal(err)
	}
	m.NodePools[1].Unknown.Set("new"+g.text(), raw)
	return m
}

func TestFormatBringsEverythingBack(t *testing.T) {
	for seed := range uint64(1000) {
		roundTrip(t, generator{rand.New(rand.NewPCG(seed, 1))}.cluster(t))
	}
	for _, name := range clusterPayloads(t) {
		var v any
		if err := json.Unmarshal(payload(t, name), &v); err != nil {
			t.Fatal(err)
		}
		plant(v, "")
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, parse(t, data))
	}
	deep := &cluster.ModelDevelopmentCluster{}
	deep.Unknown.Set("x", json.RawMessage(strings.Repeat("[", 999)+strings.Repeat("]", 999)))
	roundTrip(t, deep)
	roundTrip(t, &cluster.ModelDevelopmentCluster{})
	roundTrip(t, &cluster.ModelDevelopmentCluster{Labels: map[string]string{}, NodePools: []*cluster.NodePool{}, Network: &cluster.NetworkSpec{}})
}

// TestFormatIsCanonical: the names of all fields in snake_case, and otherwise what encoding/json gives.
func TestFormatIsCanonical(t *testing.T) {
	for _, name := range clusterPayloads(t) {
		m := parse(t, payload(t, name))
		text, err := cluster.FormatJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		camel, err := json.Marshal(withoutOutput(m))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(camel, &v); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(rename(v, toSnake))
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(t, text, false); got != string(want) {
			t.Errorf("%s: %s", name, cmp.Diff(string(want), got))
		}
	}
}

// formatted has of each kind of thing one.
const formatted = `{"name": "n", "nodePools": [{"id": "1", "startupScript": "#!/bin/sh\n\n  echo '<&>'\n", "zone": "us-central1-a",
	"enablePublicIps": false, "bootDisk": {"bootDiskSizeGb": 100}, "lustres": ["a b"], "labels": {}, "newThing": {"deepDown": [[1, "2"], {}]}}],
	"orchestratorSpec": {"slurmSpec": {"prologBashScripts": ["a\nb", "\n c\n\n", "d\r\ne"],
	"config": {"Default": "NO", "MaxTime": "1:00", "Features": "a,b=c", "On": "é", "off": ""}}},
	"clusterStatus": {"state": "RUNNING"}, "createTime": "0001-01-01T00:00:00Z", "updateTime": 7}`

func TestFormatJSON(t *testing.T) {
	const want = `{
  "name": "n",
  "node_pools": [
    {
      "id": "1",
      "zone": "us-central1-a",
      "enable_public_ips": false,
      "boot_disk": {
        "boot_disk_size_gb": 100
      },
      "startup_script": "#!/bin/sh\n\n  echo '<&>'\n",
      "lustres": [
        "a b"
      ],
      "labels": {},
      "newThing": {
        "deepDown": [
          [
            1,
            "2"
          ],
          {}
        ]
      }
    }
  ],
  "orchestrator_spec": {
    "slurm_spec": {
      "prolog_bash_scripts": [
        "a\nb",
        "\n c\n\n",
        "d\r\ne"
      ],
      "config": {
        "Default": "NO",
        "Features": "a,b=c",
        "MaxTime": "1:00",
        "On": "é",
        "off": ""
      }
    }
  }
}
`
	got, err := cluster.FormatJSON(parse(t, []byte(formatted)))
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestFormatYAML(t *testing.T) {
	const want = `name: "n"
node_pools:
  - id: "1"
    zone: us-central1-a
    enable_public_ips: false
    boot_disk:
      boot_disk_size_gb: 100
    startup_script: |
      #!/bin/sh

        echo '<&>'
    lustres:
      - "a b"
    labels: {}
    newThing:
      deepDown:
        - - 1
          - "2"
        - {}
orchestrator_spec:
  slurm_spec:
    prolog_bash_scripts:
      - |-
        a
        b
      - |2+

         c

      - "d\r\ne"
    config:
      Default: "NO"
      Features: a,b=c
      MaxTime: "1:00"
      "On": "é"
      "off": ""
`
	got, err := cluster.FormatYAML(parse(t, []byte(formatted)))
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestFormatRefuses(t *testing.T) {
	broken := &cluster.ModelDevelopmentCluster{}
	broken.Unknown.Set("x", json.RawMessage("{"))
	for want, m := range map[string]*cluster.ModelDevelopmentCluster{
		"cluster: the cluster is nil; want one to write":            nil,
		"cluster: node_pools[0]: want an element, got nil":          {NodePools: []*cluster.NodePool{nil}},
		`cluster: unknown member "x": JSON cut short after 1 bytes`: broken,
	} {
		for name, format := range formats {
			if _, err := format(m); err == nil || err.Error() != want {
				t.Errorf("%s: %v; want %s", name, err, want)
			}
			path := filepath.Join(t.TempDir(), name)
			if err := cluster.WriteFile(path, m); err == nil || err.Error() != want {
				t.Errorf("WriteFile: %v; want %s", err, want)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("WriteFile made a file all the same: %v", err)
			}
		}
	}
	// Answers of the service may hold what no file may.
	m := &cluster.ModelDevelopmentCluster{DisplayName: "a\xff"}
	m.Unknown.Set("x", json.RawMessage("\"\xff\""))
	for name, format := range formats {
		text, err := format(m)
		if d, failed := cluster.ParseDocument(name, text); err != nil || failed != nil || d.Cluster.DisplayName != "a\ufffd" || string(d.Cluster.Unknown.Get("x")) != "\"\ufffd\"" {
			t.Errorf("%s: %q, %v, %v", name, text, err, failed)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	m := parse(t, payload(t, "cpu-only.json"))
	for name, format := range map[string]func(*cluster.ModelDevelopmentCluster) ([]byte, error){
		"a.yaml": cluster.FormatYAML, "b.YML": cluster.FormatYAML, "c.json": cluster.FormatJSON, "d": cluster.FormatJSON,
	} {
		path := filepath.Join(dir, name)
		want, err := format(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []fs.FileMode{0o644, 0o600, 0o444} {
			if mode != 0o644 {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := cluster.WriteFile(path, m); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s: %v, %s", name, err, got)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("%s: mode %v, want %v", name, info.Mode(), mode)
			}
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

// TestWriteFileIsAtomic: the file is replaced, not changed, and a failure leaves it and nothing beside it.
func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path, old, link := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "old.yaml"), filepath.Join(dir, "link.yaml")
	m := parse(t, payload(t, "cpu-only.json"))
	if err := cluster.WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Link(path, old), os.Symlink("a.yaml", link)); err != nil {
		t.Fatal(err)
	}
	m.DisplayName = "changed"
	if err := cluster.WriteFile(link, m); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(old); err != nil || string(kept) != string(before) {
		t.Errorf("the old file changed: %v, %s", err, kept)
	}
	if got, err := cluster.ReadFile(path); err != nil || got.DisplayName != "changed" {
		t.Errorf("the new file: %v, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "absent", "a.yaml"), filepath.Join(path, "a.yaml"), os.DevNull} {
		err := cluster.WriteFile(bad, m)
		var pathError *fs.PathError
		if !errors.As(err, &pathError) || !strings.HasPrefix(err.Error(), "cluster: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

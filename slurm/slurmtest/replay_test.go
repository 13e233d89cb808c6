package slurmtest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// recording is one exchange with a real slurmrestd 24.11.5. Long lists are
// cut to two jobs.
type recording struct {
	Name, User, Method, Path, ContentType string
	Body                                  *string
	Status                                int
	Type                                  string
	Reply                                 json.RawMessage
}

func recordings(t *testing.T) map[string]recording {
	t.Helper()
	f, err := os.Open("testdata/recordings.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]recording{}
	lines := bufio.NewReader(z)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all
		}
		var r recording
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		all[r.Name] = r
	}
}

// notTaken are the groups of recordings that are not in testdata at all.
var notTaken = []string{
	"accept_*, auth_*, ct_*, deflate, header_long: HTTP and authentication, which the service in front does",
	"allocate_*: job/allocate is not served",
	"body_*, submit_script_*m, jobs-2000*: sizes",
	"private_*: settings of the cluster that hide others' jobs",
	"run_*: what a script printed",
	"slurm_diag, slurm_shares, slurm_reservation*, slurmdb_{accounts,clusters,config,…}: not read by package slurm",
	"submit_lua_refused: a plugin of the cluster",
}

// TestReplay sends recorded requests to a server in the state that the
// recording was made in and compares everything but times, ids in texts and
// measurements.
func TestReplay(t *testing.T) {
	all := recordings(t)
	done := map[string]bool{}
	for _, sc := range scenarios() {
		for _, name := range sc.recordings {
			if done[name] {
				t.Errorf("%s is replayed twice", name)
			}
			done[name] = true
			t.Run(name, func(t *testing.T) {
				rec, ok := all[name]
				if !ok {
					t.Fatal("no such recording")
				}
				synctest.Test(t, func(t *testing.T) { replay(t, rec, sc) })
			})
		}
	}
	for name := range all {
		switch reason, left := leftOut[name]; {
		case left && done[name]:
			t.Errorf("%s is replayed and left out", name)
		case left:
			t.Logf("left out: %s: %s", name, reason)
		case !done[name]:
			t.Errorf("%s is neither replayed nor left out with a reason", name)
		}
	}
	for _, group := range notTaken {
		t.Logf("not taken: %s", group)
	}
	t.Logf("%d of %d recordings replayed", len(done), len(all))
}

func replay(t *testing.T, rec recording, sc scenario) {
	l := newLab(t, sc.options...)
	if sc.prepare != nil {
		sc.prepare(l)
	}
	body := ""
	if rec.Body != nil {
		body = *rec.Body
	}
	got := l.send(rec.User, rec.Method, rec.Path, rec.ContentType, body)
	if got.status != rec.Status || got.kind != rec.Type {
		t.Errorf("status %d %q, recorded %d %q\n%s", got.status, got.kind, rec.Status, rec.Type, got.body)
	}
	if rec.Type != "application/json" {
		var text string
		_ = json.Unmarshal(rec.Reply, &text)
		if string(got.body) != text {
			t.Errorf("body %q, recorded %q", got.body, text)
		}
		return
	}
	c := comparison{shapeOnly: sc.shapeOnly, ignore: sc.ignore}
	c.compare("", ordered(t, rec.Reply), ordered(t, got.body))
	for i, difference := range c.found {
		if i == 12 {
			t.Errorf("… and %d more", len(c.found)-i)
			break
		}
		t.Error(difference)
	}
}

// tree is a JSON value with the order of its members.
type tree struct {
	kind    string
	text    string
	names   []string
	members []*tree
}

func ordered(t *testing.T, data []byte) *tree {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := readTree(d)
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func readTree(d *json.Decoder) (*tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		node := &tree{kind: "list"}
		if v == '{' {
			node.kind = "object"
		}
		for d.More() {
			if v == '{' {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				node.names = append(node.names, name.(string))
			}
			m, err := readTree(d)
			if err != nil {
				return nil, err
			}
			node.members = append(node.members, m)
		}
		_, err := d.Token()
		return node, err
	case nil:
		return &tree{kind: "null"}, nil
	case json.Number:
		// "1.0" and "1" are different things to a strict reader.
		kind := "integer"
		if strings.ContainsAny(v.String(), ".eE") {
			kind = "fraction"
		}
		return &tree{kind: kind, text: v.String()}, nil
	default:
		return &tree{kind: fmt.Sprintf("%T", v), text: fmt.Sprint(v)}, nil
	}
}

// comparison gathers where two replies differ.
type comparison struct {
	shapeOnly bool // compare member names, order and kinds of the payload only
	ignore    []string
	found     []string
}

// volatile are values that no second run would repeat.
var volatile = regexp.MustCompile(`/(latency|source|planned|elapsed|last_sched_evaluation|last_backfill|` +
	`last_update|actual_frequency|seconds|microseconds|free_mem|cpu_load|operating_system|port|temporary_disk|` +
	`boot_time|last_busy|slurmd_start_time|consumed|association_id|user|group)$`)

// clocks are times, of which only "known" and "not known" are compared.
var clocks = regexp.MustCompile(`(_time|/deadline|/time/(eligible|end|start|submission))/?(number)?$`)

// enough of a text to tell whether it says the same.
var noise = []struct{ pattern *regexp.Regexp }{
	{pattern: regexp.MustCompile(`0x[0-9a-f]{8,}`)},
	{pattern: regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)},
}

func (c *comparison) differ(path, format string, args ...any) {
	c.found = append(c.found, path+": "+fmt.Sprintf(format, args...))
}

func (c *comparison) skips(path string) bool {
	for _, suffix := range c.ignore {
		if strings.HasSuffix(path, suffix) || strings.Contains(path, suffix+"/") {
			return true
		}
	}
	inMessage := strings.HasPrefix(path, "/errors") || strings.HasPrefix(path, "/warnings")
	return !inMessage && (volatile.MatchString(path) || strings.Contains(path, "/tres/requested/m") ||
		strings.Contains(path, "/tres/requested/a") || strings.Contains(path, "/tres/requested/t") ||
		strings.Contains(path, "/consumed"))
}

func (c *comparison) compare(path string, want, got *tree) {
	if c.skips(path) {
		return
	}
	if want.kind != got.kind {
		c.differ(path, "%s %s, recorded %s %s", got.kind, got.text, want.kind, want.text)
		return
	}
	switch want.kind {
	case "object":
		if !slices.Equal(want.names, got.names) {
			c.differ(path, "members %v, recorded %v", got.names, want.names)
			return
		}
		for i, name := range want.names {
			c.compare(path+"/"+name, want.members[i], got.members[i])
		}
	case "list":
		c.list(path, want, got)
	default:
		c.value(path, want.text, got.text)
	}
}

func (c *comparison) list(path string, want, got *tree) {
	if strings.HasSuffix(path, "/flags") {
		want, got = without(want), without(got)
	}
	if c.shapeOnly && strings.HasPrefix(path, "/jobs") {
		if len(want.members) > 0 && len(got.members) > 0 {
			c.compare(path+"/0", want.members[0], got.members[0])
		}
		return
	}
	if len(want.members) != len(got.members) {
		c.differ(path, "%d elements, recorded %d", len(got.members), len(want.members))
		return
	}
	for i := range want.members {
		c.compare(fmt.Sprintf("%s/%d", path, i), want.members[i], got.members[i])
	}
}

// without drops the flags that say which scheduler was quicker.
func without(list *tree) *tree {
	out := &tree{kind: list.kind}
	for _, m := range list.members {
		if m.text != "BACKFILL_ATTEMPTED" && !strings.HasPrefix(m.text, "STARTED_ON_") {
			out.members = append(out.members, m)
		}
	}
	return out
}

func (c *comparison) value(path, want, got string) {
	switch {
	case c.shapeOnly && !strings.HasPrefix(path, "/errors") && !strings.HasPrefix(path, "/warnings"):
		return
	case clocks.MatchString(path):
		if (want == "0") != (got == "0") || (want == "4294967294") != (got == "4294967294") {
			c.differ(path, "time %s, recorded %s", got, want)
		}
		return
	}
	for _, n := range noise {
		want, got = n.pattern.ReplaceAllString(want, "…"), n.pattern.ReplaceAllString(got, "…")
	}
	if want != got {
		c.differ(path, "%s, recorded %s", got, want)
	}
}

// scenario is a state of the server and the recordings that were made in it.
type scenario struct {
	prepare    func(*lab)
	options    []slurmtest.Option
	shapeOnly  bool
	ignore     []string
	recordings []string
}

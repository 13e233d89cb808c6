package slurm

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNodeStates(t *testing.T) {
	tests := []struct {
		state  string
		want   string
		usable bool
	}{
		{`["IDLE"]`, "node g1 IDLE", true},
		{`["IDLE","DRAIN"]`, "node g1 IDLE+DRAIN", false},
		{`["DOWN","CLOUD","POWERED_DOWN"]`, "node g1 DOWN+CLOUD+POWERED_DOWN", true},
		{`["IDLE","CLOUD","POWERED_DOWN"]`, "node g1 IDLE+CLOUD+POWERED_DOWN", true},
		{`["DOWN","NOT_RESPONDING"]`, "node g1 DOWN+NOT_RESPONDING", false},
		{`"MIXED"`, "node g1 MIXED", true},
		{`["CLOUD"]`, "node g1 CLOUD+CLOUD", false},
		{`null`, "node g1 ", false},
	}
	for _, tt := range tests {
		body := `{"nodes":[{"name":"g1","state":` + tt.state + `,"cpus":"soon"}]}`
		nodes, err := decodeNodes(recording{Name: "x", Status: 200, Body: json.RawMessage(body)}.reply(t))
		if err != nil || nodes[0].String() != tt.want || nodes[0].Usable() != tt.usable {
			t.Errorf("%s: %v, %v, usable %v; want %s, %v", tt.state, nodes, err, nodes[0].Usable(), tt.want, tt.usable)
		}
		if len(nodes[0].Odd) != 1 || nodes[0].Odd[0].Member != "cpus" {
			t.Errorf("%s: odd members %v, want cpus", tt.state, nodes[0].Odd)
		}
	}
}

func TestElapsed(t *testing.T) {
	begin := time.Now().Add(-time.Hour)
	tests := []struct {
		job  Job
		want time.Duration
	}{
		{Job{State: StatePending, StartTime: begin}, 0}, // a forecast
		{Job{State: StateCompleted, StartTime: begin, EndTime: begin.Add(5 * time.Second)}, 5 * time.Second},
		{Job{State: StateRunning, StartTime: begin.Add(2 * time.Hour)}, 0}, // the clocks differ
		{Job{State: StateRunning, StartTime: begin, elapsed: time.Minute, Source: SourceAccounting}, time.Minute},
		{Job{State: StateRunning}, 0},
	}
	for _, tt := range tests {
		if got := tt.job.Elapsed(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.job, got, tt.want)
		}
	}
	if got := (&Job{State: StateRunning, StartTime: begin}).Elapsed(); got < time.Hour {
		t.Errorf("a running job: %v, want an hour or more", got)
	}
}

// TestStandardFilesOfAccounting: Slurm leaves out the slash between the directory and a relative name.
func TestStandardFilesOfAccounting(t *testing.T) {
	const dir = "/home/alice"
	for _, tt := range []struct{ why, dir, given, expanded, want string }{
		{"a relative name", dir, `"out-%j"`, "/home/aliceout-82", "/home/alice/out-82"},
		{"a Slurm that has learned it", dir, `"out-%j"`, "/home/alice/out-82", "/home/alice/out-82"},
		{"the default", dir, `"/home/alice/slurm-%j.out"`, "/home/alice/slurm-82.out", "/home/alice/slurm-82.out"},
		{"an absolute name next to the directory", dir, `"/home/alice2/%j"`, "/home/alice2/82", "/home/alice2/82"},
		{"elsewhere", dir, `"/dev/null"`, "/dev/null", "/dev/null"},
		{"below the root", "/", `"out"`, "/out", "/out"},
		{"a relative directory, which nobody can tell", "work", `"work/out"`, "workwork/out", "workwork/out"},
		{"no pattern", dir, `null`, "/home/aliceout", "/home/aliceout"},
	} {
		raw := fmt.Sprintf(`{"job_id":82,"working_directory":%q,"stdin":%[2]s,"stdout":%[2]s,"stderr":%[2]s,
			"stdin_expanded":%[3]q,"stdout_expanded":%[3]q,"stderr_expanded":%[3]q}`, tt.dir, tt.given, tt.expanded)
		j, err := oneRecord((*decoder).historyJob)([]byte(raw))
		if err != nil || j.StandardInput != tt.want || j.StandardOutput != tt.want || j.StandardError != tt.want {
			t.Errorf("%s: %+v, %v; want %s", tt.why, j, err, tt.want)
		}
	}
}

func TestExpandHosts(t *testing.T) {
	tests := []struct{ list, want string }{
		{"", ""},
		{"None assigned", ""},
		{"n1", "n1"},
		{"g[1-2]", "g1 g2"},
		{"g[1-2],n7", "g1 g2 n7"},
		{"g[08-10]", "g08 g09 g10"},
		{"g[1,3-4,07]x", "g1x g3x g4x g07x"},
		{"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"},
		{"a,b,c", "a b c"},
		{"n[1-65536]", "65536"},
	}
	for _, tt := range tests {
		got, err := ExpandHosts(tt.list)
		if text := strings.Join(got, " "); err != nil || text != tt.want && fmt.Sprint(len(got)) != tt.want {
			t.Errorf("%q: %v, %v; want %s", tt.list, text, err, tt.want)
		}
	}
	for _, list := range []string{"n[1-999999999]", "n[1-65537]", "n[0-999]x[0-999]", "a,n[1-65536]", "n[2-1]", "n[", "n]", "n[]",
		"n[a-b]", "n[1-2", "n[-1]", ",", "a,,b", "n[1--2]", "n[18446744073709551616]", "a b"} {
		if got, err := ExpandHosts(list); err == nil || got != nil || !strings.HasPrefix(err.Error(), "slurm: node list ") {
			t.Errorf("%q: %d names, %v; want it refused", list, len(got), err)
		}
	}
}

func TestParseResources(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"cpu=1,mem=256M,node=1,billing=1", "cpu=1,mem=256M,node=1,billing=1"},
		{"mem=62.50G", "mem=64000M"},
		{"mem=256", "mem=256M"}, // MiB without a unit
		{"mem=1.5T", "mem=1536G"},
		{"mem=0", "mem=0"},
		{"gres/gpu:b200=8", "gres/gpu:b200=8"},
		{"bb/datawarp=2K", "bb/datawarp=2048"},
		{"energy=-2,cpu=1", "cpu=1"},
		{"energy=18446744073709551614,cpu=1", "cpu=1"},
	}
	for _, tt := range tests {
		if got, err := parseResources(tt.text); err != nil || got.String() != tt.want {
			t.Errorf("%q: %v, %v; want %s", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{"cpu", "cpu=", "cpu=x", "cpu=1MM", "cpu=1Q", "cpu=0x10", "cpu=NaN", "cpu=1e3", ",", "mem=9999999999P"} {
		if got, err := parseResources(text); err == nil {
			t.Errorf("%q: %v; want it refused", text, got)
		}
	}
	for text, want := range map[string]string{
		"cpu=8,mem=64G,gres/gpu=oops":      `cpu=8,mem=64G; gres/gpu: want an amount, got "oops"`,
		"cpu=x,mem=64G,gres/gpu=1MM":       `mem=64G; cpu: want an amount, got "x"`,
		"cpu=8,,node=2":                    `cpu=8,node=2; want name=amount, got ""`,
		"mem=9999999999P,gres/gpu:b200=16": "gres/gpu:b200=16; mem: want a smaller number, got 9999999999",
	} {
		if got, err := parseResources(text); err == nil || got.String()+"; "+err.Error() != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	typed := Resources{{"gres", "gpu:b200", 8}, {"gres", "gpu:h100", 2}, {"gres", "tpu", 1}}
	if typed.GPUs() != 10 {
		t.Errorf("typed GPUs alone: %d, want 10", typed.GPUs())
	}
}

// TestDecodersShareNothing: a caller may write to what one job has.
func TestDecodersShareNothing(t *testing.T) {
	good := firstRecord(t, "job_gpu_running")
	jobs, err := decodeLiveJobs(jobsReply(t, good, good))
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(jobs[1].Requested)
	for i := range jobs[0].Requested {
		jobs[0].Requested[i].Count = math.MaxInt64
	}
	if !slices.Equal(before, jobs[1].Requested) {
		t.Error("two jobs share one list of resources")
	}
}

// TestRecordedLines: what a notebook shows of the cluster.
func TestRecordedLines(t *testing.T) {
	partitions, _ := decodePartitions(recorded(t, "slurm_partitions").reply(t))
	nodes, _ := decodeNodes(recorded(t, "slurm_nodes").reply(t))
	up, _ := decodeControllers(recorded(t, "slurm_ping").reply(t))
	down, _ := decodeControllers(recorded(t, "down_slurmctld_ping").reply(t))
	licenses, _ := decodeLicenses(recorded(t, "slurm_licenses").reply(t))
	lines := [][2]string{
		{partitions[0].String(), "partition cpu UP on n[1-2]"},
		{nodes[0].String(), "node g1 MIXED"},
		{up[0].String(), "controller ctl (primary) UP"},
		{down[0].String(), "controller ctl (primary) DOWN"},
		{licenses[0].String(), "license matlab: 4 of 4 free"},
	}
	for _, line := range lines {
		if line[0] != line[1] {
			t.Errorf("got %q, want %q", line[0], line[1])
		}
	}
	if partitions[0].GPUs() != 0 || nodes[0].GPUs() != 8 {
		t.Errorf("GPUs: %d in the partition, %d on the node; want 0 and 8", partitions[0].GPUs(), nodes[0].GPUs())
	}
}

// TestOddElements: one costs neither those behind it nor leaves a gap, and of several the first is told.
func TestOddElements(t *testing.T) {
	d := new(decoder)
	words := func(raw string) (any, error) { return d.words([]byte(raw)) }
	peaks := func(raw string) (any, error) { return d.peaks([]byte(raw)) }
	for _, tt := range []struct {
		read           func(string) (any, error)
		raw, want, odd string
	}{
		{words, `["n1",{"x":1},"n3",[5]]`, "[n1 n3]", "[1]: "},
		{words, `[{"x":1},"n2"]`, "[n2]", "[0]: "},
		{words, `[[5]]`, "[]", "[0]: "},
		{words, `["n1",{},7]`, "[n1  7]", ""},
		{peaks, `[{"type":"cpu","count":1,"node":{"x":1}},{"type":"mem","count":2,"node":"n1","task":3}]`, "[{{mem  2} n1 3}]", "[0].node: "},
		{peaks, `[{"type":"mem","count":2,"node":"n1","task":3},{"type":"cpu","count":1,"task":"x"},{"type":"fs","count":"x"}]`,
			"[{{mem  2} n1 3}]", "[1].task: "},
	} {
		got, err := tt.read(tt.raw)
		if fmt.Sprint(got) != tt.want || (err != nil) != (tt.odd != "") || err != nil && !strings.HasPrefix(err.Error(), tt.odd) {
			t.Errorf("%s: %v, %v; want %s, %q", tt.raw, got, err, tt.want, tt.odd)
		}
	}
	body := `{"nodes":[{"name":"g1","state":[{"x":1},"IDLE",[5],"DRAIN"]}]}`
	nodes, err := decodeNodes(recording{Name: "x", Status: 200, Body: json.RawMessage(body)}.reply(t))
	if err != nil || len(nodes) != 1 || nodes[0].String() != "node g1 IDLE+DRAIN" || nodes[0].Usable() || len(nodes[0].Odd) != 1 {
		t.Errorf("got %v, %v", nodes, err)
	}
	if state, flags, err := d.state([]byte(`["RUNNING",{"x":1}]`)); state != "" || flags != nil || err == nil {
		t.Errorf("half a state: %v, %v, %v", state, flags, err)
	}
}

// TestReadWords: words come as they are written, escapes and all shapes included.
func TestReadWords(t *testing.T) {
	tests := []struct {
		raw, want string
		odd       bool
	}{
		{`["a","b\/c"]`, "[a b/c]", false},
		{`"a"`, "[a]", false},
		{"[\"\xff\",\"\\ud800\"]", "[\ufffd \ufffd]", false}, // as encoding/json has it
		{`null`, "[]", false},
		{`{}`, "[]", false},
		{` [ ] `, "[]", false},
		{`["a",5]`, "[a]", true},
		{`{"a":1}`, "[]", true},
		{`5`, "[]", true},
	}
	for _, tt := range tests {
		got := []string{}
		err := readWords([]byte(tt.raw), func(word []byte) { got = append(got, string(word)) })
		if fmt.Sprint(got) != tt.want || (err != nil) != tt.odd {
			t.Errorf("%s: %v, %v; want %s", tt.raw, got, err, tt.want)
		}
	}
}

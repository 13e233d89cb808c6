package slurm

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// full is a spec that sets whatever goes together.
func full() *JobSpec {
	no := false
	return &JobSpec{
		Name: `a "name" <&>`, Comment: "two\nlines\u2028and \x01 more\x7f", Script: "#!/bin/bash\n\techo \"é\" > \\x\r\x1f\u2029",
		Arguments: []string{"", "a b"}, WorkingDirectory: "/home/alice", LoginEnvironment: true,
		Environment: map[string]string{"A": "1", "A1": "2", "A_": "3", "B": "x=\"y\"\n", "SLURM_CPUS_PER_TASK": "7"},
		Stdin:       "in", Stdout: "out", Stderr: "err", AppendOutput: true, Partition: "p", Account: "acct", QOS: "q", Reservation: "r",
		WCKey: "w", RequiredNodes: []string{"g1"}, ExcludedNodes: []string{"g2", "g[3-5]"}, Constraints: "b200&nvme",
		Licenses: "m:1", MinNodes: 1, MaxNodes: 2, Tasks: 3, TasksPerNode: 4, CPUsPerTask: 5, Exclusive: true,
		MemoryPerNode: AllMemory, GPUsPerNode: 8, GPUType: "b200", TRESPerJob: "license/matlab:1", TRESPerSocket: "gres/nic:1",
		TRESPerTask: "gres/nic:2", TimeLimit: Unlimited, TimeMinimum: time.Second, Begin: time.Unix(1796024024, 0),
		Deadline: time.Unix(1796025024, 0), Signal: "USR1", SignalBefore: time.Minute, SignalScript: true, Dependency: "singleton",
		Array: "0-9%2", Requeue: &no, Nice: -3, Priority: 5, MailTypes: []MailType{MailBegin, MailEnd}, MailUser: "a@example.com",
	}
}

// TestMembersAreWrittenOnceAndInOrder: a request is, byte for byte, what encoding/json makes of the same members in a map.
func TestMembersAreWrittenOnceAndInOrder(t *testing.T) {
	extra := full()
	extra.Extra = map[string]any{"a": nil, "oom_kill_step": 1, "z<": map[string]any{"b": "<", "a": []any{1.5}}, "mcs_label": "x", "é\n": true}
	labelled := full()
	labelled.Extra = map[string]any{"mcs_labels": 1, "mcs_lab": 2}
	for name, s := range map[string]*submit{
		"little":     {specs: []*JobSpec{{Script: "#!/bin/sh", WorkingDirectory: "/"}}, carrier: noCarrier},
		"full":       {specs: []*JobSpec{full()}, token: "tc-12345678", carrier: 0},
		"extra":      {specs: []*JobSpec{extra}, token: "tc-12345678", carrier: 1},
		"label":      {specs: []*JobSpec{labelled}, token: "tc-12345678", carrier: 0},
		"components": {specs: []*JobSpec{full(), extra, labelled}, token: "tc-12345678", carrier: 0, het: true},
	} {
		got, err := s.body()
		if err != nil {
			t.Fatal(name, err)
		}
		decoder := json.NewDecoder(bytes.NewReader(got))
		decoder.UseNumber()
		var value map[string]any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(name, err)
		}
		if want, err := encodeJSON(wrapped(value)); err != nil || string(got) != string(want) {
			t.Errorf("%s, %v:\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// wrapped has Slurm's numbers in the order in which Slurm writes them.
func wrapped(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = wrapped(v[i])
		}
	case map[string]any:
		if v["set"] != nil {
			return struct {
				Set      any `json:"set"`
				Infinite any `json:"infinite,omitempty"`
				Number   any `json:"number"`
			}{v["set"], v["infinite"], v["number"]}
		}
		for name := range v {
			v[name] = wrapped(v[name])
		}
	}
	return value
}

// FuzzText: a text is written as by encoding/json.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "plain", full().Script, full().Comment, "\xff<>&\u2028\x00\x7f\u007f\ufffd", "\xe2\x80", "\"\\/\b\f\v"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := encodeJSON(text)
		if got := appendText(nil, text); err != nil || string(got) != string(want) {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	})
}

package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// watch looks at all that the tests leave to the go command, so that go test runs them anew when a file of it has
// changed: go test knows only what a test itself opens, and of a directory what is in it.
func watch(t *testing.T) {
	t.Helper()
	root := os.DirFS("../..")
	if _, err := fs.ReadFile(root, "go.mod"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"auth", "cluster", "internal", "lro", "slurm"} {
		if err := fs.WalkDir(root, dir, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInit bounds what the SDK does at the start of every program that links it, in counts, which are the same on each
// machine. Whoever gets here by a new table or regular expression makes it at its first use, with sync.OnceValue.
func TestInit(t *testing.T) {
	const mostAllocs, mostBytes = 95, 7_000 // 82 and 5,600 with Go 1.26
	watch(t)
	c, err := count(called)
	if err != nil {
		t.Fatal(err)
	}
	path, err := build(t.TempDir(), called.with, "", true)
	if err != nil {
		t.Fatal(err)
	}
	s, err := run(path, c)
	if err != nil {
		t.Fatal(err)
	}
	switch mine := s.byOwner[own]; {
	case mine.allocs > mostAllocs || mine.bytes > mostBytes:
		t.Errorf("the packages of this module make %d allocations of %d bytes in all when a program starts, more than %d or %d",
			mine.allocs, mine.bytes, mostAllocs, mostBytes)
	case mine.allocs == 0 || s.byOwner[others].allocs == 0 || s.byOwner[brought].allocs == 0:
		t.Errorf("the trace lacks one of the owners: %v", s.byOwner)
	}
}

// TestSize bounds what the SDK and what it brings add to a stripped program. The command says more, and is stricter.
func TestSize(t *testing.T) {
	watch(t)
	dir := t.TempDir()
	size := func(program string) int64 {
		path, err := build(dir, program, "", true)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	for _, tt := range []struct {
		pair pair
		most int64 // percent of the program without the SDK
	}{
		{linked, 7},  // 5.2 with Go 1.26
		{called, 15}, // 12.7
	} {
		without, with := size(tt.pair.without), size(tt.pair.with)
		if more := with - without; more <= 0 || 100*more > tt.most*without {
			t.Errorf("%s has %d bytes, %d more than %s, which is not within %d %%", tt.pair.with, with, more, tt.pair.without, tt.most)
		}
	}
}

func TestOwners(t *testing.T) {
	c := census{without: map[string]bool{"bytes": true}, brought: []string{"go.yaml.in/yaml/v3"}}
	for symbol, want := range map[string]owner{
		"bytes.Equal":                   others,
		module + "/slurm.(*Client).Get": own,
		"slices.SortFunc[go.shape.[]*" + module + "/slurm.Job]": own,
		"go.yaml.in/yaml/v3.Unmarshal":                          brought,
	} {
		if got := c.symbolOwner(symbol); got != want {
			t.Errorf("%s belongs to %d, want %d", symbol, got, want)
		}
	}
	for path, want := range map[string]owner{
		"bytes": others, module + "/slurm": own, "go.yaml.in/yaml/v3": brought, programs + "uses": others,
	} {
		if got := c.owner(path); got != want {
			t.Errorf("%s belongs to %d, want %d", path, got, want)
		}
	}
}

func TestReadTrace(t *testing.T) {
	name, w, err := readTrace("init go.yaml.in/yaml/v3 @1.9 ms, 0.057 ms clock, 25720 bytes, 276 allocs\n")
	if name != "go.yaml.in/yaml/v3" || w != (work{0.057, 25720, 276}) || err != nil {
		t.Errorf("%s, %v, %v", name, w, err)
	}
	if _, _, err := readTrace("init of something"); err == nil {
		t.Error("read a line that is no trace")
	}
	if n := kilobytes("VmPeak:\t 1 kB\nVmHWM:\t   13768 kB\n", "VmHWM:"); n != 13768 {
		t.Errorf("%d kB", n)
	}
}

// TestLimits: the command fails for what is above its limit, and only for that.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		row  row
		says string
	}{
		{row{what: "size", without: 95, own: 4, brought: 1, limit: 5}, ""},
		{row{what: "size", without: 90, own: 5, brought: 5, limit: 5}, "size: ours is 5.0 % of the program"},
		{row{what: "time", without: 1, own: 1}, ""},
	} {
		var table strings.Builder
		err := write(&table, []row{tt.row})
		if (err == nil) != (tt.says == "") || err != nil && !strings.HasPrefix(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt.row, err)
		}
		if !strings.Contains(table.String(), tt.row.what) {
			t.Errorf("%s", &table)
		}
	}
}

// Package notebook holds a notebook, and tests that what it says is true.
package notebook

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const path = "trainingclusters.ipynb"

var update = flag.Bool("update", false, "write the outputs into the notebook")

func read(t *testing.T) *notebook {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := new(notebook)
	if err := json.Unmarshal(text, n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOutputs runs the code of all cells as one program, and compares what it shows with what the notebook says. Of what
// is not text, only the media type is compared: how it looks is tested where it is made.
func TestOutputs(t *testing.T) {
	n := read(t)
	got := runCells(t, n.code())
	if *update {
		for i, c := range n.code() {
			c.Count, c.Outputs = i+1, got[i]
		}
		text, err := n.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range n.code() {
		if c.Count != i+1 {
			t.Errorf("cell %d has the count %d", i+1, c.Count)
		}
		if diff := cmp.Diff(texts(c.Outputs), texts(got[i])); diff != "" {
			t.Errorf("cell %d: the notebook, and the program; go test ./examples/notebook -update writes it:\n%s", i+1, diff)
		}
	}
}

// TestAgain runs each cell twice, and then all of them once more: people do. Nothing panics, and a cell shows the same as
// before, but for times.
func TestAgain(t *testing.T) {
	cells := read(t).code()
	var sequence []*cell
	for _, c := range cells {
		sequence = append(sequence, c, c)
	}
	got := runCells(t, append(sequence, cells...))
	for i, c := range cells {
		first := timeless(got[2*i])
		if diff := cmp.Diff(first, timeless(got[2*i+1])); diff != "" {
			t.Errorf("cell %s, once and once more:\n%s", c.ID, diff)
		}
		if diff := cmp.Diff(first, timeless(got[len(sequence)+i])); diff != "" {
			t.Errorf("cell %s, in the first run and in the second:\n%s", c.ID, diff)
		}
	}
}

var clock = regexp.MustCompile(`\d\d:\d\d:\d\d`)

// timeless are the texts without times of day.
func timeless(outputs []output) []string {
	return strings.Split(clock.ReplaceAllString(strings.Join(texts(outputs), "\x00"), "TIME"), "\x00")
}

// texts are the outputs as text, and the other media types of each.
func texts(outputs []output) (all []string) {
	for _, o := range outputs {
		all = append(all, o.Name+string(o.Text)+string(o.Data["text/plain"]))
		all = append(all, slices.Sorted(maps.Keys(o.Data))...)
	}
	return all
}

// runCells returns the outputs of each cell.
func runCells(t *testing.T, cells []*cell) [][]output {
	t.Helper()
	var sources []string
	for _, c := range cells {
		sources = append(sources, string(c.Source))
	}
	text, err := program(sources)
	if err != nil {
		t.Fatal(err)
	}
	// Inside the module, for its imports to resolve, and where neither go nor tests look for packages.
	dir, err := os.MkdirTemp(".", ".cells-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "cells_test.go")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kernel, err := os.ReadFile("testdata/kernel_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kernel_test.go"), kernel, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "cells.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, file, filepath.Join(dir, "kernel_test.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var wrong bytes.Buffer
	command := exec.CommandContext(t.Context(), binary, "-test.timeout", "5m")
	command.Stderr = &wrong
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, &wrong, out)
	}
	outputs, err := parse(string(out), len(cells))
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// parse takes apart what the program printed: see testdata/kernel_test.go.
func parse(out string, cells int) (all [][]output, err error) {
	for i, part := range strings.Split(out, "\x00")[1:] {
		number, part, _ := strings.Cut(part, "\n")
		if n, err := strconv.Atoi(number); err == nil && n == 0 {
			break
		} else if err != nil || n != i+1 {
			return nil, fmt.Errorf("cell %q comes after %d", number, i)
		}
		printed, result, shown := strings.Cut(part, "\x01")
		var outputs []output
		if printed != "" {
			outputs = append(outputs, output{OutputType: "stream", Name: "stdout", Text: lines(printed)})
		}
		if shown {
			o := output{OutputType: "execute_result", Count: i + 1, Metadata: json.RawMessage("{}")}
			if err := json.Unmarshal([]byte(result), &o.Data); err != nil {
				return nil, err
			}
			outputs = append(outputs, o)
		}
		all = append(all, outputs)
	}
	if len(all) != cells {
		return nil, fmt.Errorf("%d of %d cells have run", len(all), cells)
	}
	return all, nil
}

// TestFormat: the file is as Jupyter would write it, so that a save of it there shows what was changed.
func TestFormat(t *testing.T) {
	n := read(t)
	got, err := n.encode()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
	ids := map[string]bool{}
	for i, c := range n.Cells {
		if c.ID == "" || ids[c.ID] {
			t.Errorf("cell %d has the id %q, which another one has or is empty", i, c.ID)
		}
		ids[c.ID] = true
	}
	if n.Format != 4 || n.Minor < 5 || !strings.Contains(string(n.Metadata), `"gophernotes"`) {
		t.Errorf("format %d.%d, metadata %s", n.Format, n.Minor, n.Metadata)
	}
}

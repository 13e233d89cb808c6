package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// programs is where they are, as an import path.
const programs = module + "/internal/weight/programs/"

// pair is two programs of which the second has the SDK as well.
type pair struct{ without, with string }

var (
	linked = pair{"bare", "imports"}
	called = pair{"base", "uses"}
)

// build links a program into dir and returns its path. Stripped programs have no symbols.
func build(dir, program, tags string, stripped bool) (string, error) {
	path := filepath.Join(dir, program+tags)
	if runtime.GOOS == "windows" {
		path += ".exe" // without which it does not start
	}
	args := []string{"build", "-tags", tags, "-o", path}
	if stripped {
		args = append(args, "-ldflags", "-s -w")
	} else {
		path += ".symbols"
		args[4] = path
	}
	_, err := output(exec.Command("go", append(args, programs+program)...))
	return path, err
}

// sizes is the stripped size of the program without the SDK, and what comes to it.
type sizes struct{ without, own, brought int64 }

func measureSize(dir string, p pair, tags string, c census) (s sizes, err error) {
	var files [2]int64
	var symbols [2]map[owner]int64
	for i, program := range []string{p.without, p.with} {
		path, err := build(dir, program, tags, true)
		if err != nil {
			return s, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return s, err
		}
		files[i] = info.Size()
		if path, err = build(dir, program, tags, false); err != nil {
			return s, err
		}
		if symbols[i], err = symbolSizes(path, c); err != nil {
			return s, err
		}
	}
	// The tables for tracebacks and types, which are a third of a program, have no symbols by package. They grow with
	// the code, so each owner has its share of them. What the packages of others grow by is what is newly reached in
	// them, such as a generic function for a builtin type, and nobody's in particular.
	more, mine := files[1]-files[0], symbols[1][own]
	ofBrought := symbols[1][brought] + symbols[1][others] - symbols[0][others]
	s = sizes{without: files[0], own: more * mine / (mine + ofBrought)}
	s.brought = more - s.own
	return s, nil
}

// symbolSizes adds up code and data by owner.
func symbolSizes(path string, c census) (map[owner]int64, error) {
	out, err := output(exec.Command("go", "tool", "nm", "-size", path))
	if err != nil {
		return nil, err
	}
	sum := map[owner]int64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.Contains("TtRrDd", fields[2]) || strings.HasPrefix(fields[3], "go:") {
			continue // not in the file, or a table
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return nil, err
		}
		sum[c.symbolOwner(strings.Join(fields[3:], " "))] += n
	}
	return sum, nil
}

// output runs a command; the error has what it complained about.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w\n%s", cmd, err, failed.Stderr)
	}
	return string(out), err
}

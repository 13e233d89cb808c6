package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// work is what the initialization of packages does.
type work struct {
	ms            float64
	bytes, allocs int64
}

func (w work) plus(v work) work { return work{w.ms + v.ms, w.bytes + v.bytes, w.allocs + v.allocs} }

// start is one start of a program: the work by owner, and the memory in kB, 0 where the system does not tell.
type start struct {
	byOwner   map[owner]work
	resident  int64 // at its peak, pages of the program's file included
	anonymous int64 // without those, which the system may drop and read again
}

// run starts a program twice: tracing takes memory of its own.
func run(path string, c census) (start, error) {
	s := start{byOwner: map[owner]work{}}
	status, err := output(exec.Command(path))
	if err != nil {
		return s, err
	}
	s.resident, s.anonymous = kilobytes(status, "VmHWM:"), kilobytes(status, "RssAnon:")
	traced := exec.Command(path)
	traced.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	traced.Stderr = &stderr
	if err := traced.Run(); err != nil {
		return s, fmt.Errorf("%s: %w\n%s", path, err, stderr.Bytes())
	}
	for line := range strings.Lines(stderr.String()) {
		if !strings.HasPrefix(line, "init ") {
			continue
		}
		name, w, err := readTrace(line)
		if err != nil {
			return s, err
		}
		who := c.owner(name)
		s.byOwner[who] = s.byOwner[who].plus(w)
	}
	if len(s.byOwner) == 0 {
		return s, fmt.Errorf("%s: the runtime traced no initialization:\n%s", path, stderr.Bytes())
	}
	return s, nil
}

// kilobytes reads a line of /proc/self/status, such as "VmHWM:	   13768 kB".
func kilobytes(status, name string) int64 {
	_, after, _ := strings.Cut(status, name)
	line, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64)
	return n
}

// readTrace reads a line of the runtime's: init NAME @0.5 ms, 0.003 ms clock, 16 bytes, 1 allocs
func readTrace(line string) (name string, w work, err error) {
	var at float64
	if _, err = fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &w.ms, &w.bytes, &w.allocs); err != nil {
		err = fmt.Errorf("%q: %w", line, err)
	}
	return name, w, err
}

// runs starts a program several times and returns the medians, each number for itself.
func runs(path string, c census, n int) (start, error) {
	var all []start
	for range n {
		s, err := run(path, c)
		if err != nil {
			return s, err
		}
		all = append(all, s)
	}
	middle := start{
		byOwner:   map[owner]work{},
		resident:  median(all, func(s start) int64 { return s.resident }),
		anonymous: median(all, func(s start) int64 { return s.anonymous }),
	}
	for _, who := range []owner{others, own, brought} {
		middle.byOwner[who] = work{
			ms:     median(all, func(s start) float64 { return s.byOwner[who].ms }),
			bytes:  median(all, func(s start) int64 { return s.byOwner[who].bytes }),
			allocs: median(all, func(s start) int64 { return s.byOwner[who].allocs }),
		}
	}
	return middle, nil
}

func median[T int64 | float64](all []start, number func(start) T) T {
	values := make([]T, len(all))
	for i, s := range all {
		values[i] = number(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

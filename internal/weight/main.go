package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// row is one line of the table: what the program has without the SDK, and what comes to it. Where it cannot be told
// apart to whom the latter belongs, all of it is own.
type row struct {
	what                  string
	without, own, brought float64
	digits                int
	limit                 float64 // of the share of own, in percent; 0 for none
}

func (r row) shares() (mine, all float64) {
	whole := r.without + r.own + r.brought
	return 100 * r.own / whole, 100 * (r.own + r.brought) / whole
}

// goal is what the SDK's own packages may take of a program.
const goal = 5

// These are the limits where the goal is out of reach: a program that calls the SDK holds the code of its calls. Only
// what is the same in each run has a limit. Resident memory follows the size, by the pages of the program's file.
const (
	limitCalled        = 8
	limitCalledNoTrace = 9
)

func main() {
	cold := flag.Bool("cold", false, "also build with an empty cache, which takes a minute or two")
	times := flag.Int("runs", 21, "how often each program is built again and started")
	flag.Parse()
	rows, err := measure(*times, *cold)
	if err == nil {
		err = write(os.Stdout, rows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		os.Exit(1)
	}
}

// write writes the table, and returns an error if something is not below its limit.
func write(out io.Writer, rows []row) (above error) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\twithout\tours\tbrought\tshare of ours\tof both\tlimit\t")
	for _, r := range rows {
		mine, all := r.shares()
		limit := "-"
		if r.limit > 0 {
			limit = fmt.Sprintf("%g %%", r.limit)
		}
		if r.limit > 0 && mine >= r.limit {
			above = errors.Join(above, fmt.Errorf("%s: ours is %.1f %% of the program, which is not below %g %%", r.what, mine, r.limit))
		}
		fmt.Fprintf(w, "%s\t%.*f\t%.*f\t%.*f\t%.1f %%\t%.1f %%\t%s\t\n",
			r.what, r.digits, r.without, r.digits, r.own, r.digits, r.brought, mine, all, limit)
	}
	return errors.Join(above, w.Flush())
}

func measure(times int, cold bool) (rows []row, err error) {
	if times < 1 {
		return nil, fmt.Errorf("-runs is %d; want at least 1", times)
	}
	dir, err := os.MkdirTemp("", "weight-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, m := range []struct {
		name, tags string
		pair       pair
		size       float64
	}{
		{"linked", "", linked, goal},
		{"linked, grpcnotrace", "grpcnotrace", linked, goal},
		{"called", "", called, limitCalled},
		{"called, grpcnotrace", "grpcnotrace", called, limitCalledNoTrace},
	} {
		some, err := measurePair(dir, m.name, m.tags, m.pair, m.size, times)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	if cold {
		c, err := count(called)
		if err != nil {
			return nil, err
		}
		without, mine, ofBrought, err := measureCold(dir, called, c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{"cold build, CPU s", without, mine, ofBrought, 1, 0})
	}
	return rows, nil
}

func measurePair(dir, name, tags string, p pair, sizeLimit float64, times int) ([]row, error) {
	c, err := count(p)
	if err != nil {
		return nil, err
	}
	size, err := measureSize(dir, p, tags, c)
	if err != nil {
		return nil, err
	}
	rebuild, err := measureRebuild(dir, p, tags, size, times)
	if err != nil {
		return nil, err
	}
	rebuild.what = name + ": " + rebuild.what
	var starts [2]start
	for i, program := range []string{p.without, p.with} {
		path, err := build(dir, program, tags, true)
		if err != nil {
			return nil, err
		}
		if starts[i], err = runs(path, c, times); err != nil {
			return nil, err
		}
	}
	before, after := starts[0].byOwner[others], starts[1].byOwner
	rows := []row{
		{name + ": stripped size, kB", float64(size.without) / 1e3, float64(size.own) / 1e3, float64(size.brought) / 1e3, 0, sizeLimit},
		rebuild,
		{name + ": init, ms", before.ms, after[own].ms, after[brought].ms, 3, 0},
		{name + ": init, bytes", float64(before.bytes), float64(after[own].bytes), float64(after[brought].bytes), 0, goal},
		{name + ": init, allocations", float64(before.allocs), float64(after[own].allocs), float64(after[brought].allocs), 0, goal},
	}
	for _, m := range []struct {
		what          string
		before, after int64
	}{
		{"resident, kB", starts[0].resident, starts[1].resident},
		{"resident beside the file, kB", starts[0].anonymous, starts[1].anonymous},
	} {
		if m.before > 0 && m.after > 0 {
			rows = append(rows, row{name + ": " + m.what, float64(m.before), float64(m.after - m.before), 0, 0, 0})
		}
	}
	return rows, nil
}

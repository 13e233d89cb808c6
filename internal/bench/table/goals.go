package main

import (
	"fmt"
	"io"
	"slices"
)

// goal bounds the ratio of two values of one run.
type goal struct {
	text    string
	of, to  key
	atLeast bool
	limit   float64
	fastest []string // if set, of is that of the fastest of these
}

// fast are the decoders to be reached: those that are given the types that hold the same as ours.
var fast = []string{"json", "jsonv2", "goccy", "sonic"}

func goals() (all []goal) {
	for _, work := range []string{"LiveList", "HistoryList"} {
		ours := key{work, "ours", "ns/op"}
		all = append(all,
			goal{text: work + ": time of generated types / ours", of: key{work, "generated", "ns/op"}, to: ours, atLeast: true, limit: 5},
			goal{text: work + ": our allocations / of generated types", of: key{work, "ours", "allocs/op"},
				to: key{work, "generated", "allocs/op"}, limit: 0.2},
			goal{text: work + ": time of the fastest decoder / ours", of: key{work, "", "ns/op"}, to: ours, atLeast: true, limit: 1, fastest: fast},
		)
	}
	return append(all,
		goal{text: "Jobs: peak heap for 100,000 jobs / for 20,000", of: key{"PeakJobs jobs=100000", "ours", "peak-B"},
			to: key{"PeakJobs jobs=20000", "ours", "peak-B"}, limit: flat},
		goal{text: "Submit: our time / of a bare call", of: key{"Submit", "ours", "ns/op"}, to: key{"Submit", "json", "ns/op"}, limit: 1.05},
		goal{text: "Get: our time / of a bare call", of: key{"Get", "ours", "ns/op"}, to: key{"Get", "json", "ns/op"}, limit: 1.05},
		goal{text: "Cluster: our round trip / plain typed decoding", of: key{"ClusterRoundTrip", "ours", "ns/op"},
			to: key{"ClusterDecoding", "json", "ns/op"}, limit: 3},
	)
}

// flat is what passes for no growth: the heap is looked at while garbage is collected now and then.
const flat = 1.25

func printGoals(w io.Writer, all *results) {
	rows := [][]string{{"goal", "", "measured", "", "of the best runs"}}
	for _, g := range goals() {
		if g.fastest != nil {
			g.of.by = all.fastest(g.of, g.fastest)
			g.text += " (" + g.of.by + ")"
		}
		measured, ok := ratio(all.of[g.of], all.of[g.to])
		if !ok {
			continue // was not among the benchmarks that were run
		}
		bound, met := "at most", measured <= g.limit
		if g.atLeast {
			bound, met = "at least", measured >= g.limit
		}
		verdict := "missed"
		if met {
			verdict = "met"
		}
		rows = append(rows, []string{
			g.text, fmt.Sprintf("%s %.2f", bound, g.limit), fmt.Sprintf("%.2f", measured), verdict, all.best(g.of, g.to),
		})
	}
	write(w, rows)
}

// best is the ratio of the lowest values: what a machine tells that is busy with other things most of the time.
func (all *results) best(of, to key) string {
	if len(all.of[of]) == 0 || len(all.of[to]) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", slices.Min(all.of[of])/slices.Min(all.of[to]))
}

// fastest is the one with the lowest median.
func (all *results) fastest(of key, among []string) (best string) {
	for _, by := range among {
		theirs := all.of[key{of.work, by, of.unit}]
		if len(theirs) > 0 && (best == "" || median(theirs) < median(all.of[key{of.work, best, of.unit}])) {
			best = by
		}
	}
	return best
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// contenders are the columns, in order.
var contenders = []string{"ours", "map", "generated", "json", "jsonv2", "goccy", "sonic", "skip", "leap"}

// order is that of the rows; works that are not in it come last.
var order = []string{
	"LiveList", "FilteredList", "HistoryList", "StructuredList", "TextList", "Job", "SubmitEncoding", "Submit", "SubmitWithToken", "Get",
	"WaitTick", "ClusterDecoding", "ClusterRoundTrip", "PlanUpdate", "PlanNothing", "PeakList",
}

// results are the measured values of each run.
type results struct {
	works []string // in the order in which they came
	of    map[key][]float64
}

// key names one kind of value: of one work, one contender and one unit.
type key struct{ work, by, unit string }

func read(r io.Reader) (*results, error) {
	all := &results{of: map[key][]float64{}}
	for lines := benchfmt.NewReader(r, raw); lines.Scan(); {
		switch line := lines.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, line
		case *benchfmt.Result:
			all.add(line)
		}
	}
	if len(all.works) == 0 {
		return nil, fmt.Errorf("%s has no results", raw)
	}
	slices.SortStableFunc(all.works, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return all, nil
}

func place(work string) int {
	if i := slices.Index(order, work); i >= 0 {
		return i
	}
	return len(order)
}

func (all *results) add(line *benchfmt.Result) {
	name, parts := line.Name.Parts()
	work, by := string(name), ""
	for _, part := range parts {
		switch text := string(part); {
		case strings.HasPrefix(text, "/by="):
			by = strings.TrimPrefix(text, "/by=")
		case strings.HasPrefix(text, "/"):
			work += " " + text[1:]
		}
	}
	if !slices.Contains(all.works, work) {
		all.works = append(all.works, work)
	}
	for _, v := range line.Values {
		value, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			value, unit = v.OrigValue, v.OrigUnit
		}
		k := key{work, by, unit}
		if by == "" { // the contenders took turns, and stand before the units
			k.by, k.unit, _ = strings.Cut(unit, "-")
		}
		if slices.Contains(contenders, k.by) {
			all.of[k] = append(all.of[k], value)
		}
	}
}

func (all *results) runs() (most int) {
	for _, values := range all.of {
		most = max(most, len(values))
	}
	return most
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratio is the median of the ratios in each run, in which both had the same machine. ok is false if one was not measured.
func ratio(a, b []float64) (r float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	each := make([]float64, len(a))
	for i := range a {
		each[i] = a[i] / b[i]
	}
	return median(each), true
}

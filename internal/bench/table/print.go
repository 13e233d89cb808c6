package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchmath"
)

// quantity is a row of a work in the table.
type quantity struct {
	unit, label string
	text        func(float64) string
}

var quantities = []quantity{
	{"ns/op", "time", timeText},
	{"allocs/op", "allocations", countText},
	{"B/op", "allocated", bytesText},
	{"peak-B", "peak heap", bytesText},
	{"requests/op", "requests", countText},
}

func printTable(w io.Writer, all *results) {
	rows := [][]string{append([]string{"work", "", "ours", "±"}, contenders[1:]...)}
	for _, work := range all.works {
		label := work
		_, heap := all.of[key{work, "ours", "peak-B"}]
		for _, q := range quantities {
			if own := all.of[key{work, "ours", q.unit}]; len(own) > 0 && !(heap && q.unit == "ns/op") {
				rows = append(rows, all.row(label, work, q, own))
				label = ""
			}
		}
	}
	write(w, rows)
}

func (all *results) row(label, work string, q quantity, own []float64) []string {
	sample := benchmath.NewSample(append([]float64(nil), own...), &benchmath.DefaultThresholds)
	spread := benchmath.AssumeNothing.Summary(sample, 0.95).PctRangeString()
	row := []string{label, q.label, q.text(median(own)), strings.TrimPrefix(spread, "±")}
	for _, by := range contenders[1:] {
		row = append(row, cell(q, own, all.of[key{work, by, q.unit}]))
	}
	return row
}

// cell is a rival's value and how many times ours it is.
func cell(q quantity, own, theirs []float64) string {
	if len(theirs) == 0 {
		return ""
	}
	text := q.text(median(theirs))
	const least = 0.0005 // as good as nothing
	times, ok := ratio(theirs, own)
	if !ok || math.IsNaN(times) || math.IsInf(times, 0) || times < least {
		return text
	}
	return fmt.Sprintf("%s %s%s", text, factor(times), chance(own, theirs))
}

// chance marks a difference that may be one of noise, as benchstat does.
func chance(a, b []float64) string {
	thresholds := &benchmath.DefaultThresholds
	one := benchmath.NewSample(append([]float64(nil), a...), thresholds)
	two := benchmath.NewSample(append([]float64(nil), b...), thresholds)
	if c := benchmath.AssumeNothing.Compare(one, two); c.P > c.Alpha {
		return "~"
	}
	return ""
}

func factor(times float64) string {
	switch {
	case times >= 10:
		return fmt.Sprintf("×%.0f", times)
	case times < 0.1:
		return fmt.Sprintf("×%.3f", times)
	}
	return fmt.Sprintf("×%.2f", times)
}

func timeText(ns float64) string {
	switch {
	case ns >= 1e9:
		return fmt.Sprintf("%.2f s", ns/1e9)
	case ns >= 1e6:
		return threeDigits(ns/1e6) + " ms"
	}
	return threeDigits(ns/1e3) + " µs"
}

func bytesText(n float64) string {
	if n >= 1e6 {
		return threeDigits(n/1e6) + " MB"
	}
	return threeDigits(n/1e3) + " kB"
}

func countText(n float64) string {
	switch {
	case n >= 1e6:
		return threeDigits(n/1e6) + "M"
	case n >= 1e4:
		return threeDigits(n/1e3) + "k"
	}
	return fmt.Sprintf("%.0f", n)
}

func threeDigits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// write aligns the columns, so that the table reads well as text too.
func write(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for n, row := range rows {
		for i, text := range row {
			_, _ = fmt.Fprintf(w, "| %s%s ", text, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)))
		}
		_, _ = fmt.Fprintln(w, "|")
		if n == 0 {
			for _, width := range widths {
				_, _ = fmt.Fprint(w, "|", strings.Repeat("-", width+2))
			}
			_, _ = fmt.Fprintln(w, "|")
		}
	}
}

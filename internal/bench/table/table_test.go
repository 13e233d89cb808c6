package main

import (
	"bytes"
	"strings"
	"testing"
)

const sample = `goos: linux
BenchmarkLiveList/by=ours-2     10  20000000 ns/op  450.00 MB/s  1000000 B/op  40000 allocs/op
BenchmarkLiveList/by=generated-2  5  90000000 ns/op  100.00 MB/s  16000000 B/op  660000 allocs/op
BenchmarkLiveList/by=goccy-2    10  10000000 ns/op  900.00 MB/s  6000000 B/op  43000 allocs/op
BenchmarkGet-2  10  9999999 ns/op  100000 ours-ns/op  218.0 ours-allocs/op  98000 json-ns/op  154.0 json-allocs/op
BenchmarkPeakJobs/jobs=20000/by=ours-2  1  700000000 ns/op  4000000 peak-B
BenchmarkPeakJobs/jobs=100000/by=ours-2  1  3500000000 ns/op  4400000 peak-B
PASS
BenchmarkLiveList/by=ours-2     10  40000000 ns/op  225.00 MB/s  1000000 B/op  40000 allocs/op
BenchmarkLiveList/by=generated-2  5  220000000 ns/op  50.00 MB/s  16000000 B/op  660000 allocs/op
BenchmarkLiveList/by=goccy-2    10  22000000 ns/op  450.00 MB/s  6000000 B/op  43000 allocs/op
`

func squeezed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func TestTable(t *testing.T) {
	all, err := read(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printTable(&b, all)
	printGoals(&b, all)
	got := squeezed(b.String())
	for _, want := range []string{
		"| LiveList | time | 30.0 ms | ∞ | | 155 ms ×5.00~ | | | 16.0 ms ×0.53~ | | | |",
		"| | allocations | 40.0k | ∞ | | 660k ×16~ |",
		"| Get | time | 100 µs | ∞ | | | 98.0 µs ×0.98~ |",
		"| PeakJobs jobs=100000 | peak heap | 4.40 MB |",
		"| LiveList: time of generated types / ours | at least 5.00 | 5.00 | met | 4.50 |",
		"| LiveList: our allocations / of generated types | at most 0.20 | 0.06 | met | 0.06 |",
		"| LiveList: time of the fastest decoder / ours (goccy) | at least 1.00 | 0.53 | missed | 0.50 |",
		"| Jobs: peak heap for 100,000 jobs / for 20,000 | at most 1.25 | 1.10 | met | 1.10 |",
		"| Get: our time / of a bare call | at most 1.05 | 1.02 | met | 1.02 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s", want)
		}
	}
	for _, never := range []string{"HistoryList", "Submit", "700 ms"} {
		if strings.Contains(got, never) {
			t.Errorf("has %s, which was not measured", never)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
}

func TestNothingToShow(t *testing.T) {
	if _, err := read(strings.NewReader("PASS\n")); err == nil {
		t.Error("an output without results is fine")
	}
}

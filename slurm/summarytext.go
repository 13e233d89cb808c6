package slurm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
)

// Spans says how long something took that happened several times. Without any, all of it is zero.
type Spans struct {
	Count  int
	Total  time.Duration // at most 292 years, which is all that a duration holds
	Mean   time.Duration
	Median time.Duration // the shorter one of the two in the middle
	Max    time.Duration
}

// spansJSON is the form of Spans in JSON, in seconds.
type spansJSON struct {
	Count  int     `json:"count"`
	Total  float64 `json:"total_seconds"`
	Mean   float64 `json:"mean_seconds"`
	Median float64 `json:"median_seconds"`
	Max    float64 `json:"max_seconds"`
}

// MarshalJSON writes the spans in seconds.
func (s Spans) MarshalJSON() ([]byte, error) {
	return json.Marshal(spansJSON{s.Count, s.Total.Seconds(), s.Mean.Seconds(), s.Median.Seconds(), s.Max.Seconds()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Spans) UnmarshalJSON(data []byte) error {
	var in spansJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("slurm: read spans: %w", err)
	}
	length := func(seconds float64) time.Duration {
		if nanoseconds := math.Round(seconds * float64(time.Second)); nanoseconds < math.MaxInt64 {
			return time.Duration(nanoseconds)
		}
		return math.MaxInt64
	}
	*s = Spans{in.Count, length(in.Total), length(in.Mean), length(in.Median), length(in.Max)}
	return nil
}

// span is a duration and how often it occurred.
type span struct {
	length time.Duration
	times  int
}

type spans []span

func (s *spans) add(length time.Duration, times int) { *s = append(*s, span{length, times}) }

func (s spans) spread() (all Spans) {
	slices.SortFunc(s, func(a, b span) int { return cmp.Compare(a.length, b.length) })
	total := 0.0 // a month of ten thousand tasks is more than a Duration holds
	for _, one := range s {
		all.Count += one.times
		all.Total += time.Duration(one.times) * one.length
		all.Max = one.length
		total += float64(one.times) * float64(one.length)
	}
	if all.Count == 0 {
		return all
	}
	all.Mean = (all.Total / time.Duration(all.Count)).Truncate(time.Millisecond)
	if total >= math.MaxInt64 {
		all.Total, all.Mean = math.MaxInt64, time.Duration(total/float64(all.Count)).Round(time.Millisecond)
	}
	left := (all.Count + 1) / 2
	for _, one := range s {
		if left -= one.times; left <= 0 {
			all.Median = one.length
			break
		}
	}
	return all
}

// String returns a table of a few lines, without one for what there is none of:
//
//	5 jobs: 1 PENDING, 1 RUNNING, 2 COMPLETED, 1 FAILED; 1 run requeued
//	            total    mean  median  max
//	queue time  1h2m0s   ...
//	12.0 node hours, 384.0 CPU hours, 96.0 GPU hours (b200 96.0), 8.0 of them wasted
//	1 FAILED, exit code 3, such as job 42
func (s *JobSummary) String() string {
	if s == nil {
		return "no summary"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", counted(s.Jobs, "job"), s.states())
	if s.Requeued > 0 {
		fmt.Fprintf(&b, "; %s requeued", counted(s.Requeued, "run"))
	}
	b.WriteByte('\n')
	s.table(&b)
	if s.Runs > 0 {
		b.WriteString(s.resources() + "\n")
	}
	for _, f := range s.Failures {
		b.WriteString(f.String() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (s *JobSummary) states() string {
	parts := make([]string, len(s.States))
	for i, count := range s.States {
		parts[i] = fmt.Sprintf("%d %s", count.Jobs, foreign.OneLine(abbreviate(count.word())))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// word is the state, also where a record has none that could be read.
func (c StateCount) word() string { return cmp.Or(string(c.State), "unknown") }

func (s *JobSummary) table(b *strings.Builder) {
	if s.QueueTime.Count+s.Waiting.Count+s.RunTime.Count == 0 {
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ttotal\tmean\tmedian\tmax")
	for _, row := range []struct {
		name  string
		spans Spans
	}{{"queue time", s.QueueTime}, {"waiting", s.Waiting}, {"run time", s.RunTime}} {
		if v := row.spans; v.Count > 0 {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.name, whole(v.Total), whole(v.Mean), whole(v.Median), whole(v.Max))
		}
	}
	_ = w.Flush() // into memory
}

func whole(d time.Duration) time.Duration { return d.Round(time.Second) }

func (s *JobSummary) resources() string {
	text := fmt.Sprintf("%.1f node hours, %.1f CPU hours", s.NodeHours, s.CPUHours)
	if len(s.GPUTypes) == 0 {
		return text
	}
	var types []string
	for _, t := range s.GPUTypes {
		types = append(types, fmt.Sprintf("%s %.1f", cmp.Or(foreign.OneLine(abbreviate(t.Type)), "of no type"), t.Hours))
	}
	text += fmt.Sprintf(", %.1f GPU hours (%s)", s.GPUHours, strings.Join(types, ", "))
	if s.WastedGPUHours > 0 {
		text += fmt.Sprintf(", %.1f of them wasted", s.WastedGPUHours)
	}
	return text
}

// String returns the failures in one line.
func (f FailureCount) String() string {
	text := fmt.Sprintf("%d %s", f.Jobs, foreign.OneLine(abbreviate(string(f.State))))
	for _, more := range []string{f.Reason, f.ExitCode} {
		if more != "" {
			text += ", " + foreign.OneLine(abbreviate(more))
		}
	}
	text += ", such as job " + string(f.Example)
	if f.GPUHours > 0 {
		text += fmt.Sprintf(", %.1f GPU hours", f.GPUHours)
	}
	return foreign.Printable(text)
}

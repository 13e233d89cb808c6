package slurm_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestShowProgress: without a terminal there is a line for each change, and nothing that only a terminal understands.
func TestShowProgress(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{
			b.submit(t, "sleep 300"), b.submit(t, "sleep 600\nexit 1"), b.submit(t, "sleep 4000", long),
			b.submit(t, "sleep 900", func(s *slurm.JobSpec) { s.Array = "0-2%1" }),
		}
		time.Sleep(2 * time.Second)
		var out bytes.Buffer
		_, err := b.WaitAll(t.Context(), ids, slurm.ShowProgress(&out))
		if err == nil {
			t.Error("job 2 has failed")
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		var texts []string
		for i, line := range lines {
			text, at, ok := strings.Cut(line, " · ")
			if took, err := time.ParseDuration(at); !ok || err != nil || took > 70*time.Minute || i > 0 && took == 0 {
				t.Errorf("line %q", line)
			}
			texts = append(texts, text)
		}
		want := []string{
			"6 jobs: 2 pending, 4 running",
			"6 jobs: 2 pending, 3 running, 1 completed",
			"6 jobs: 2 pending, 2 running, 1 completed, 1 failed",
			"6 jobs: 1 pending, 2 running, 2 completed, 1 failed",
			"6 jobs: 2 running, 3 completed, 1 failed",
			"6 jobs: 1 running, 4 completed, 1 failed",
			"6 jobs: 5 completed, 1 failed",
		}
		if got := strings.Join(texts, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	}, huge(), slurmtest.WithCompletingTime(0))
}

func TestShowProgressOfOne(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 3700", func(s *slurm.JobSpec) { long(s); s.Hold = true })
		time.AfterFunc(time.Minute, func() { _ = b.Release(t.Context(), id) })
		time.AfterFunc(5*time.Minute, func() { b.srv.SetControllerDown(true) })
		time.AfterFunc(7*time.Minute, func() { b.srv.SetControllerDown(false) })
		var out strings.Builder
		if _, err := b.Wait(t.Context(), id, slurm.ShowProgress(&out)); err != nil {
			t.Error(err)
		}
		got := out.String()
		for _, want := range []string{
			"1 job: pending · 0s\n", "1 job: running · 1m", "\n1 job: running, and the last read failed: slurm: get job 1: ", "1 job: completed · 1h0",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("got\n%swant %q", got, want)
			}
		}
		if strings.ContainsAny(got, "\x1b\r") || !strings.HasSuffix(got, "s\n") {
			t.Errorf("got %q", got)
		}
	})
}

// TestTally: each read has one, the end has one, and several functions may hear of them.
func TestTally(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{b.submit(t, "sleep 60"), "4711"}
		var first, second []slurm.Tally
		_, err := b.WaitAll(t.Context(), ids,
			slurm.OnTally(func(tally slurm.Tally) { first = append(first, tally) }),
			slurm.OnTally(func(tally slurm.Tally) { second = append(second, tally) }))
		if !errors.Is(err, slurm.ErrJobLost) {
			t.Error(err)
		}
		if len(first) < 5 || len(first) != len(second) {
			t.Fatalf("%d and %d tallies", len(first), len(second))
		}
		for i, tally := range first {
			if last := i == len(first)-1; tally.Ended != last || tally.Reads != min(i+1, len(first)-1) || tally.Total() != 2 {
				t.Errorf("tally %d of %d: %+v", i, len(first), tally)
			}
		}
		if got := first[0].String(); got != "2 jobs: 1 unknown, 1 pending" {
			t.Errorf("at first: %s", got)
		}
		if got := first[len(first)-1].String(); got != "2 jobs: 1 completed, 1 lost" {
			t.Errorf("in the end: %s", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var last slurm.Tally
		_, err = b.WaitAll(ctx, []slurm.JobID{b.submit(t, "sleep 600"), "4712"}, lro.WithTolerance(0), slurm.OnTally(func(tally slurm.Tally) { last = tally }))
		if err == nil || !last.Ended || last.Elapsed != time.Minute {
			t.Errorf("at the deadline: %+v, %v", last, err)
		}
	})
}

func TestTallyText(t *testing.T) {
	for want, tally := range map[string]slurm.Tally{
		"no jobs":                    {},
		"1 job: out of memory":       {Counts: []slurm.TallyCount{{State: "out of memory", Jobs: 1}}},
		"3 jobs: 1 quantum [2J, 2 x": {Counts: []slurm.TallyCount{{State: "quantum\x1b[2J", Jobs: 1}, {State: "x", Jobs: 2}}},
	} {
		if got := tally.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestShowProgressOnDevice: a device that is no terminal does no harm.
func TestShowProgressOnDevice(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	inBubble(t, func(t *testing.T, b *bed) {
		if _, err := b.Wait(t.Context(), b.submit(t, "sleep 60"), slurm.ShowProgress(null)); err != nil {
			t.Error(err)
		}
	})
}

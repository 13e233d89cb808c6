package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// tally is what the calls of one contender cost.
type tally struct {
	times          []float64 // ns per call, of each batch
	allocs, memory uint64
	calls          uint64
}

// alternate runs the contenders by turns, some milliseconds each, so that what else the machine does hits all of them
// alike: it is for ratios near 1. It reports the median time per call, in units that begin with the contender's name.
//
// A turn is long enough that the calls are those of a program that makes them all the time: in turns of 8 calls, what is
// measured is how fast the code of a contender gets back into the caches, and how ReadMemStats empties those of the
// allocator. Each turn has connections of its own, as one may be faster than another for as long as it lives, by where
// its goroutines run; reconnect drops those of the turn before.
func alternate(b *testing.B, reconnect func(), contenders ...contender) {
	const batch, turns = 64, 60
	tallies := make([]tally, len(contenders))
	for b.Loop() {
		for turn := range turns {
			for i := range contenders {
				at := (i + turn) % len(contenders) // nobody is always behind the same one
				reconnect()
				err := contenders[at].work()
				if err == nil {
					err = tallies[at].add(batch, contenders[at].work)
				}
				if err != nil {
					b.Fatal(contenders[at].name, err)
				}
			}
		}
	}
	for i, t := range tallies {
		name := contenders[i].name
		slices.Sort(t.times)
		b.ReportMetric(t.times[len(t.times)/2], name+"-ns/op")
		b.ReportMetric(float64(t.memory)/float64(t.calls), name+"-B/op")
		b.ReportMetric(float64(t.allocs)/float64(t.calls), name+"-allocs/op")
	}
}

func (t *tally) add(batch int, work func() error) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range batch {
		if err := work(); err != nil {
			return err
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	t.times = append(t.times, float64(took)/float64(batch))
	t.allocs += after.Mallocs - before.Mallocs
	t.memory += after.TotalAlloc - before.TotalAlloc
	t.calls += uint64(batch)
	return nil
}

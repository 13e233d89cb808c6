package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// peak returns how far the heap grows during work: live objects and those that are not collected yet, looked at all the
// time.
func peak(work func() error) (bytes float64, err error) {
	runtime.GC()
	runtime.GC() // what the first has finalized
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	highest, done, stopped := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(200 * time.Microsecond)
		defer ticker.Stop()
		for {
			metrics.Read(sample)
			highest = max(highest, sample[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	err = work()
	close(done)
	<-stopped
	return float64(highest - before), err
}

// measurePeak is a benchmark of nothing but the heap.
func measurePeak(b *testing.B, c contender) {
	b.Run("by="+c.name, func(b *testing.B) {
		var highest float64
		for b.Loop() {
			bytes, err := peak(c.work)
			if err != nil {
				b.Fatal(err)
			}
			highest = max(highest, bytes)
		}
		b.ReportMetric(highest, "peak-B")
	})
}

// longQueue is a transport that answers with a list of any length, which it makes while it is read. Each job has a
// number, a name and an output file of its own.
type longQueue struct {
	jobs   int
	pieces []string // of a record, between which its number goes
}

func newLongQueue(t testing.TB, jobs int) *longQueue {
	const mark = 987654321
	return &longQueue{jobs, strings.Split(string(numbered(t, running(t), mark)), strconv.Itoa(mark))}
}

func (q *longQueue) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: -1, Body: &longAnswer{queue: q}}, nil
}

// longAnswer makes one job after the other in the same buffer.
type longAnswer struct {
	queue *longQueue
	made  int
	ended bool
	text  []byte // made and not read
	space []byte
}

func (a *longAnswer) Close() error { return nil }

func (a *longAnswer) Read(p []byte) (int, error) {
	if len(a.text) == 0 {
		if a.ended {
			return 0, io.EOF
		}
		a.space = a.next(a.space[:0])
		a.text = a.space
	}
	n := copy(p, a.text)
	a.text = a.text[n:]
	return n, nil
}

func (a *longAnswer) next(b []byte) []byte {
	switch {
	case a.made == a.queue.jobs:
		a.ended = true
		return append(b, `],"errors":[],"warnings":[]}}`...)
	case a.made == 0:
		b = append(b, `{"status":200,"structuredBody":{"jobs":[`...)
	default:
		b = append(b, ',')
	}
	a.made++
	for i, piece := range a.queue.pieces {
		if i > 0 {
			b = strconv.AppendInt(b, int64(1_000_000+a.made), 10)
		}
		b = append(b, piece...)
	}
	return b
}

// BenchmarkPeakJobs goes through queues of several lengths, job by job. The peak must not grow with the queue.
func BenchmarkPeakJobs(b *testing.B) {
	for _, jobs := range []int{2_000, 20_000, 100_000} {
		b.Run("jobs="+strconv.Itoa(jobs), func(b *testing.B) {
			client := serviceClient(b, option.WithHTTPClient(&http.Client{Transport: newLongQueue(b, jobs)}))
			measurePeak(b, contender{ours, func() error { return goThrough(b, client, jobs) }})
		})
	}
}

func goThrough(b *testing.B, client *slurm.Client, jobs int) error {
	n := 0
	for job, err := range client.Jobs(b.Context(), nil) {
		if err != nil {
			return err
		}
		if n++; job.RawID != int64(1_000_000+n) {
			return fmt.Errorf("job %d is %v", n, job)
		}
	}
	if n != jobs {
		return errCount
	}
	return nil
}

// BenchmarkPeakList reads a list of 2,000 jobs whole: ours into memory as jobs, the others as JSON that they then decode.
func BenchmarkPeakList(b *testing.B) {
	queue := newLongQueue(b, listed)
	client := serviceClient(b, option.WithHTTPClient(&http.Client{Transport: queue}))
	contenders := []contender{
		{ours, func() error {
			jobs, err := client.List(b.Context(), nil)
			return counted(len(jobs), err)
		}},
		readWhole(plainMap, json.Unmarshal, queue, func(m *map[string]any) int {
			return len((*m)["structuredBody"].(map[string]any)["jobs"].([]any))
		}),
		readWhole(generated, json.Unmarshal, queue, func(e *envelope[V0042OpenapiJobInfoResp]) int { return len(e.Body.Jobs) }),
	}
	for _, u := range unmarshalers {
		contenders = append(contenders, readWhole(u.name, u.unmarshal, queue, func(e *envelope[liveList]) int { return len(e.Body.Jobs) }))
	}
	for _, c := range contenders {
		if err := c.work(); err != nil { // some prepare themselves the first time
			b.Fatal(err)
		}
		measurePeak(b, c)
	}
}

// readWhole reads an answer to its end and decodes it.
func readWhole[T any](name string, unmarshal func([]byte, any) error, from http.RoundTripper, count func(*T) int) contender {
	return contender{name, func() error {
		resp, err := from.RoundTrip(nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		v := new(T)
		if err := unmarshal(data, v); err != nil {
			return err
		}
		return counted(count(v), nil)
	}}
}

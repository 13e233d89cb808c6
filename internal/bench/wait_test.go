package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

const waited = 1000 // jobs that are waited for

// queue is a Slurm in which the same jobs run for ever.
type queue struct {
	slurmAnswer // the list
	states      []byte
	requests    int
}

func newQueue(b *testing.B) *queue {
	var jobs []json.RawMessage
	states := []byte(`{"jobs":[`)
	record := running(b)
	for i := range waited {
		number := 5000 + i
		jobs = append(jobs, numbered(b, record, number))
		if i > 0 {
			states = append(states, ',')
		}
		states = fmt.Appendf(states, `{"job_id":"%d","state":["RUNNING"]}`, number)
	}
	return &queue{slurmAnswer: answerOf(jobs...), states: append(states, `],"errors":[],"warnings":[]}`...)}
}

func (q *queue) CallSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*cluster.SlurmResponse, error) {
	q.requests++
	if strings.Contains(req.Path, "/jobs/state/") {
		return slurmAnswer(q.states).CallSlurm(ctx, name, req, opts...)
	}
	return q.slurmAnswer.CallSlurm(ctx, name, req, opts...)
}

func (q *queue) StreamSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (*cluster.SlurmStream, error) {
	q.requests++
	return q.slurmAnswer.StreamSlurm(ctx, name, req, opts...)
}

// ticking is the context of a wait. The wait looks at it first when a pause is over, which starts the clock.
type ticking struct {
	context.Context
	b      *testing.B
	paused bool
}

func (c *ticking) Err() error {
	if c.paused {
		c.paused = false
		c.b.StartTimer()
	}
	return c.Context.Err()
}

// BenchmarkWaitTick is one tick of a wait for 1,000 jobs of which none has changed, and what it takes to look for 1,000
// jobs in the list of the queue instead. The pauses between two ticks do not count, nor does the first tick, which reads
// the list.
func BenchmarkWaitTick(b *testing.B) {
	q := newQueue(b)
	b.Run("by="+ours, func(b *testing.B) { waitTicks(b, q) })
	data := []byte(q.slurmAnswer)
	contenders := []contender{
		into(plainMap, json.Unmarshal, data, func(m *map[string]any) bool { return len((*m)["jobs"].([]any)) == waited }),
		into(generated, json.Unmarshal, data, func(l *V0042OpenapiJobInfoResp) bool { return len(l.Jobs) == waited }),
	}
	compare(b, len(data), append(contenders, intoEach(data, func(l *liveList) bool { return len(l.Jobs) == waited })...)...)
}

func waitTicks(b *testing.B, q *queue) {
	client, err := slurm.NewClient(q, "training")
	if err != nil {
		b.Fatal(err)
	}
	var ids []slurm.JobID
	for i := range waited {
		ids = append(ids, slurm.NewJobID(int64(5000+i)))
	}
	b.ReportAllocs()
	b.StopTimer()
	b.ResetTimer()
	cancelled, cancel := context.WithCancel(b.Context())
	ctx := &ticking{Context: cancelled, b: b}
	rounds := func(s *poll.Settings) {
		s.Round = func(r poll.Round) {
			b.StopTimer()
			ctx.paused = true
			if r.Polls == 1 {
				q.requests = 0
			}
			if r.Polls > b.N {
				ctx.paused = false
				cancel()
			}
		}
	}
	jobs, err := client.WaitAll(ctx, ids, lro.WithBackoff(gax.Backoff{Initial: time.Microsecond, Max: time.Microsecond}), rounds)
	if _, ok := errors.AsType[*lro.WaitError](err); !ok || len(jobs) != waited || jobs[waited-1] == nil {
		b.Fatal(len(jobs), err)
	}
	b.ReportMetric(float64(q.requests)/float64(b.N), "requests/op")
}

package slurmproxy

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Cutter is a bad line to a Slurm: at random, it closes the connection of a request without an answer. By then it may
// have passed the request on, or not, or twice, or it does so later. See [Cut].
type Cutter struct {
	next http.Handler
	late sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	cuts   int
}

// Cut returns a bad line in front of a Slurm. It cuts every other submit, and one of ten other requests. The same seed
// gives the same cuts to the same requests in the same order.
func Cut(next http.Handler, seed uint64) *Cutter {
	return &Cutter{next: next, random: rand.New(rand.NewPCG(seed, 0))}
}

// mostLate is how long a request is held up at most.
const mostLate = 3 * time.Second

// ServeHTTP passes a request on, or cuts it by panicking with [http.ErrAbortHandler].
func (c *Cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	// A request that is passed on later outlives its connection.
	again := func() *http.Request {
		copied := r.Clone(context.WithoutCancel(r.Context()))
		copied.Body = io.NopCloser(bytes.NewReader(body))
		return copied
	}
	times, delay, cut := c.draw(strings.HasSuffix(r.URL.Path, "/job/submit"))
	if !cut {
		c.next.ServeHTTP(w, again())
		return
	}
	if delay > 0 {
		c.late.Go(func() {
			time.Sleep(delay)
			c.passOn(again())
		})
	}
	for range times {
		c.passOn(again())
	}
	panic(http.ErrAbortHandler)
}

// draw says how often a request is passed on before it is cut, and after what delay once more.
func (c *Cutter) draw(submit bool) (times int, delay time.Duration, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := 10
	if submit {
		most = 2
	}
	if c.random.IntN(most) > 0 {
		return 0, 0, false
	}
	c.cuts++
	if times = c.random.IntN(4); times == 3 {
		return 0, time.Millisecond + time.Duration(c.random.Int64N(int64(mostLate))), true
	}
	return times, 0, true
}

// passOn drops the answer, and survives a line that is cut behind this one.
func (c *Cutter) passOn(r *http.Request) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	c.next.ServeHTTP(nowhere{http.Header{}}, r)
}

// Settle blocks until no request is held up any more. None may come in meanwhile.
func (c *Cutter) Settle() { c.late.Wait() }

// Cuts is how many requests have been cut.
func (c *Cutter) Cuts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cuts
}

// nowhere takes an answer that nobody reads.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

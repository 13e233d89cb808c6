package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing/iotest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// weather is what a seed makes of the way to the service: each request goes wrong with the same odds, and beside that
// there may be one larger trouble.
type weather struct {
	service http.RoundTripper

	mu      sync.Mutex
	random  *rand.Rand
	odds    float64
	expired int          // the number of the request that comes with an expired token; 0 for none
	gone    [2]time.Time // from when to when operations are not to be found
	asked   int
	arrived map[string]int // requests that change something, and that the service got
}

// forEver is longer than anybody waits.
const forEver = 24 * time.Hour

func newWeather(seed uint64, service http.RoundTripper, slurm *slurmtest.Server) *weather {
	random := rand.New(rand.NewPCG(seed, 0))
	w := &weather{service: service, random: random, arrived: map[string]int{}}
	w.odds = []float64{0.01, 0.03, 0.08, 0.2, 0.4}[random.IntN(5)]
	begin := time.Duration(random.IntN(120)) * time.Second
	span := time.Duration(5+random.IntN(90)) * time.Second
	kind := random.IntN(10)
	if kind == 2 || kind == 4 {
		span = forEver
	}
	switch kind {
	case 0:
		w.expired = 1 + random.IntN(60)
	case 1, 2:
		w.gone = [2]time.Time{time.Now().Add(begin), time.Now().Add(begin + span)}
	case 3, 4:
		time.AfterFunc(begin, func() { slurm.SetControllerDown(true) })
		if span < forEver {
			time.AfterFunc(begin+span, func() { slurm.SetControllerDown(false) })
		}
	}
	return w
}

// answer is what comes of one request.
type answer func(*http.Request) (*http.Response, error)

func (w *weather) RoundTrip(req *http.Request) (*http.Response, error) { return w.draw(req)(req) }

// draw decides what comes of a request, by the seed and by how many there were before.
func (w *weather) draw(req *http.Request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	now := time.Now()
	hit := w.random.Float64() < w.odds
	switch {
	case w.asked == w.expired:
		return refusal(401, "UNAUTHENTICATED", "")
	case strings.Contains(req.URL.Path, "/operations/") && now.After(w.gone[0]) && now.Before(w.gone[1]):
		return refusal(404, "NOT_FOUND", "")
	case hit:
		return w.fault()
	}
	return w.pass
}

// fault draws one of all that goes wrong on the way: before the service got the request, or with its answer.
func (w *weather) fault() answer {
	wait := time.Duration(w.random.IntN(40)) * time.Second
	pause := []string{strconv.Itoa(int(wait.Seconds())), time.Now().Add(wait).UTC().Format(http.TimeFormat)}[w.random.IntN(2)]
	slow := time.Duration(1+w.random.IntN(150)) * time.Second
	share, announced := w.random.Float64(), w.random.IntN(2) == 0
	if w.random.IntN(10) == 0 {
		return []answer{page(200), page(404), w.then(page(200))}[w.random.IntN(3)] // no time heals that, as far as anybody knows
	}
	faults := []answer{
		page(502), reset,
		refusal(429, "RESOURCE_EXHAUSTED", pause), refusal(500, "INTERNAL", ""), refusal(503, "UNAVAILABLE", ""), refusal(503, "UNAVAILABLE", pause),
		func(req *http.Request) (*http.Response, error) {
			if err := sleep(req.Context(), slow); err != nil {
				return nil, err
			}
			return w.pass(req)
		},
		w.then(page(502)), w.then(reset), w.then(refusal(500, "INTERNAL", "")), w.then(refusal(503, "UNAVAILABLE", "")),
		func(req *http.Request) (*http.Response, error) {
			resp, err := w.pass(req)
			if err == nil {
				err = sleep(req.Context(), slow)
			}
			return resp, err
		},
		func(req *http.Request) (*http.Response, error) { return cut(w.pass, req, share, announced) },
		func(req *http.Request) (*http.Response, error) { return cut(w.pass, req, share, announced) },
	}
	return faults[w.random.IntN(len(faults))]
}

// pass has the service answer.
func (w *weather) pass(req *http.Request) (*http.Response, error) {
	if verb := changes(req); verb != "" {
		w.mu.Lock()
		w.arrived[verb]++
		w.mu.Unlock()
	}
	return w.service.RoundTrip(req)
}

func (w *weather) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

func (w *weather) changed() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.arrived)
}

// changes is what a request does to the cluster, if anything.
func changes(req *http.Request) string {
	switch {
	case strings.HasSuffix(req.URL.Path, ":callSlurmRestApi"):
		return ""
	case req.Method == http.MethodGet:
		return ""
	}
	return req.Method
}

// then has the service answer, and something else come instead.
func (w *weather) then(instead answer) answer {
	return func(req *http.Request) (*http.Response, error) {
		if resp, err := w.pass(req); err == nil {
			resp.Body.Close()
		}
		return instead(req)
	}
}

func page(code int) answer {
	return func(req *http.Request) (*http.Response, error) {
		return respond(req, code, "text/html", "<!DOCTYPE html><html><title>Error</title><p>That is all we know.</html>"), nil
	}
}

// refusal is an error of the service, with a wish for a pause if that is not empty.
func refusal(code int, status, pause string) answer {
	return func(req *http.Request) (*http.Response, error) {
		resp := respond(req, code, "application/json", fmt.Sprintf(`{"error": {"code": %d, "message": "out of luck", "status": %q}}`, code, status))
		if pause != "" {
			resp.Header.Set("Retry-After", pause)
		}
		return resp, nil
	}
}

func reset(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

func respond(req *http.Request, code int, kind, body string) *http.Response {
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: req, ProtoMajor: 1, ProtoMinor: 1,
	}
}

// cut gives a share of an answer. Where its length was announced, the reader can tell.
func cut(pass answer, req *http.Request, share float64, announced bool) (*http.Response, error) {
	resp, err := pass(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	rest := io.Reader(bytes.NewReader(body[:int(share*float64(len(body)))]))
	if resp.ContentLength = -1; announced {
		resp.ContentLength = int64(len(body))
		rest = io.MultiReader(rest, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	resp.Body = io.NopCloser(rest)
	return resp, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

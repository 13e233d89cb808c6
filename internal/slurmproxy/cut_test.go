package slurmproxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/internal/slurmproxy"
)

// tries sends requests over a bad line, one by one, and counts what became of them.
func tries(t *testing.T, seed uint64, path string, n int) (counts map[string]int, log []string, cutter *slurmproxy.Cutter) {
	var mu sync.Mutex
	passed := map[string]int{}
	cutter = slurmproxy.Cut(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Context().Err() != nil {
			t.Errorf("passed on: body %q, %v, context %v", body, err, r.Context().Err())
		}
		mu.Lock()
		defer mu.Unlock()
		passed[string(body)]++
		io.WriteString(w, "done")
	}), seed)
	whole := make([]bool, n)
	before := make([]int, n)
	for i := range n {
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", path, strings.NewReader(fmt.Sprint("body ", i)))
		whole[i] = answered(cutter, r)
		cancel()
		mu.Lock()
		before[i] = passed[fmt.Sprint("body ", i)]
		mu.Unlock()
	}
	cutter.Settle()
	counts = map[string]int{}
	for i := range n {
		outcome := fmt.Sprintf("answer %v, passed on %d and then %d", whole[i], before[i], passed[fmt.Sprint("body ", i)]-before[i])
		counts[outcome]++
		log = append(log, outcome)
	}
	return counts, log, cutter
}

func answered(h http.Handler, r *http.Request) (whole bool) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String() == "done"
}

func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counts, log, cutter := tries(t, 7, "/slurm/v0.0.42/job/submit", 400)
		for outcome, n := range map[string]int{
			"answer true, passed on 1 and then 0":  200,
			"answer false, passed on 0 and then 0": 50,
			"answer false, passed on 1 and then 0": 50,
			"answer false, passed on 2 and then 0": 50,
			"answer false, passed on 0 and then 1": 50,
		} {
			if got := counts[outcome]; got < n/2 || got > n*3/2 {
				t.Errorf("%s: %d times, want about %d", outcome, got, n)
			}
			delete(counts, outcome)
		}
		if len(counts) > 0 {
			t.Errorf("also: %v", counts)
		}
		cut := 0
		for _, outcome := range log {
			if strings.HasPrefix(outcome, "answer false") {
				cut++
			}
		}
		if cutter.Cuts() != cut {
			t.Errorf("%d cuts, and %d answers missing", cutter.Cuts(), cut)
		}
		if _, again, _ := tries(t, 7, "/slurm/v0.0.42/job/submit", 400); cmp.Diff(log, again) != "" {
			t.Error("the same seed gives other cuts")
		}
		if _, _, cutter := tries(t, 7, "/slurm/v0.0.42/job/7", 400); cutter.Cuts() < 20 || cutter.Cuts() > 60 {
			t.Errorf("%d of 400 other requests are cut", cutter.Cuts())
		}
	})
}

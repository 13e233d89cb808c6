package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// fakeGcloud gives a source whose gcloud takes two seconds and prints "t1", "t2" and so on.
func fakeGcloud() (source *gcloudSource, runs *int) {
	runs = new(int)
	source = newGcloudSource()
	source.run = func(context.Context) ([]byte, error) {
		time.Sleep(2 * time.Second)
		*runs++
		return fmt.Appendf(nil, "t%d\n", *runs), nil
	}
	return source, runs
}

func TestGcloudRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, _ := fakeGcloud()
		start := time.Now()
		steps := []struct {
			at   time.Duration
			want string
			why  string
		}{
			{0, "t1", "the first one"},
			{3*time.Minute - 1, "t1", "young enough"},
			{3 * time.Minute, "t2", "at three minutes it might have two left"},
			{6 * time.Minute, "t2", "the run took two seconds, so the next is due at 3 min + 3 min"},
			{6*time.Minute + time.Second, "t3", "again"},
			{48 * time.Hour, "t4", "long unused"},
		}
		for i, step := range steps {
			if i == 3 {
				step.at -= time.Second // t2's age counts from the start of its run at 3 min
			}
			time.Sleep(step.at - time.Since(start))
			token, err := source.Token()
			if err != nil || token.AccessToken != step.want {
				t.Fatalf("at %v: got %v, %v, want %s: %s", step.at, token, err, step.want, step.why)
			}
			if left := time.Until(token.Expiry); left < 2*time.Minute || left > 5*time.Minute {
				t.Errorf("at %v: %v left", step.at, left)
			}
		}
	})
}

// Google's transport asks for a new token in the background from 3 min 45 s before the expiry; the source must then
// not start a gcloud for every request.
func TestGcloudAskedTooEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, runs := fakeGcloud()
		for range 100 {
			if _, err := source.Token(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if *runs != 1 {
			t.Errorf("%d runs in 100 seconds", *runs)
		}
	})
}

func TestGcloudClockSetBack(t *testing.T) {
	source, runs := fakeGcloud()
	source.token, source.started = &oauth2.Token{AccessToken: "old"}, time.Now().Add(time.Hour)
	if source.fresh(time.Now()) {
		t.Error("a token of the future counts as fresh")
	}
	if *runs != 0 {
		t.Error("asking for freshness ran gcloud")
	}
}

func TestGcloudOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, runs := fakeGcloud()
		fail := true
		run, running := source.run, 0
		source.run = func(ctx context.Context) ([]byte, error) {
			if running++; running != 1 {
				t.Error("two gclouds at once")
			}
			defer func() { running-- }()
			out, err := run(ctx)
			if fail {
				return nil, errors.New("no network")
			}
			return out, err
		}
		together := func() (tokens, failures int) {
			var wg sync.WaitGroup
			var mu sync.Mutex
			for range 32 {
				wg.Go(func() {
					_, err := source.Token()
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						failures++
					} else {
						tokens++
					}
				})
			}
			wg.Wait()
			return tokens, failures
		}
		start := time.Now()
		if tokens, failures := together(); failures != 32 || *runs != 1 {
			t.Errorf("%d tokens, %d failures in %d runs: all must share the failure", tokens, failures, *runs)
		}
		fail = false
		if tokens, _ := together(); tokens != 32 || *runs != 2 {
			t.Errorf("%d tokens in %d runs: the next call after a failure must try again, once", tokens, *runs)
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestGcloudOutputIsBounded(t *testing.T) {
	var b bounded
	for range 3 {
		if n, err := b.Write(make([]byte, maxGcloudOutput/2+1)); n != maxGcloudOutput/2+1 || err != nil {
			t.Errorf("wrote %d bytes, %v: gcloud would be stopped", n, err)
		}
	}
	if b.kept.Len() != maxGcloudOutput {
		t.Errorf("%d bytes were kept", b.kept.Len())
	}
	if _, readsFrom := any(&b).(io.ReaderFrom); readsFrom {
		t.Error("os/exec would go around the bound")
	}
}

func TestGcloudTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newGcloudSource()
		source.run = func(ctx context.Context) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		start := time.Now()
		_, err := source.Token()
		var authError *Error
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &authError) || authError.Permanent() {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

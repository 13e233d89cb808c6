package lro_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

var errStep = errors.New("the step failed")

// steps is a log of the steps that ran.
type steps []string

func (s *steps) then(name string, err error) lro.WaitOption {
	return lro.Then(func(context.Context) error {
		*s = append(*s, name)
		return err
	})
}

func TestThen(t *testing.T) {
	good, bad, silent := []string{nameA, nameB}, []string{nameA, nameC}, []string{nameA, "projects/p/locations/l/operations/9"}
	for _, tt := range []struct {
		why   string
		names []string
		fail  int // the step that fails, 0 for none
		want  []string
	}{
		{"one", good[:1], 0, []string{"1", "2", "3"}},
		{"many", good, 0, []string{"1", "2", "3"}},
		{"nothing", nil, 0, []string{"1", "2", "3"}},
		{"a step fails", good, 2, []string{"1", "2"}},
		{"a step fails after nothing", nil, 1, []string{"1"}},
		{"the work fails", bad[1:], 0, nil},
		{"one of many fails", bad, 0, nil},
		{"the watching ends", silent, 0, nil},
	} {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serving(nameA, runs(nameA, ""), succeeds(nameA)).add(nameB, runs(nameB, ""), succeeds(nameB)).add(nameC, fails(nameC, 3, "no"))
				var ran steps
				opts := []lro.WaitOption{lro.Then(nil)}
				for i, name := range []string{"1", "2", "3"} {
					var err error
					if i+1 == tt.fail {
						err = errStep
					}
					opts = append(opts, ran.then(name, err))
				}
				err := lro.WaitAll(t.Context(), resume(s, tt.names...), opts...)
				if !slices.Equal(ran, tt.want) || (err == errStep) != (tt.fail > 0) || (err == nil) != (len(ran) == 3) {
					t.Errorf("ran %q, and the wait returned %v", ran, err)
				}
			})
		})
	}
}

// A step gets the context of the wait, blocks it, and is run by each wait, also one for what has long been known.
func TestThenOfFinishedOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx := context.WithValue(t.Context(), key{}, "the wait's")
		op := lro.New(serving(nameA, succeeds(nameA)), nameA)
		start, ran := time.Now(), 0
		slow := lro.Then(func(ctx context.Context) error {
			time.Sleep(time.Minute)
			ran++
			if ctx.Value(key{}) != "the wait's" {
				t.Error("the step got another context")
			}
			return nil
		})
		for n := 1; n <= 3; n++ {
			if err := op.Wait(ctx, slow); err != nil || ran != n || time.Since(start) != time.Duration(n)*time.Minute {
				t.Errorf("wait %d: %v, %d runs after %v", n, err, ran, time.Since(start))
			}
		}
	})
}

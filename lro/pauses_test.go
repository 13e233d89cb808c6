package lro_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// WithPauses needs no other import, and sets what WithBackoff does.
func TestWithPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, runs(nameA, ""), runs(nameA, ""), succeeds(nameA))
		if err := lro.New(s, nameA).Wait(t.Context(), lro.WithPauses(10*time.Second, 12*time.Second)); err != nil {
			t.Fatal(err)
		}
		for i, full := range []time.Duration{10 * time.Second, 12 * time.Second} {
			if gap := s.at[i+1] - s.at[i]; gap < full/2 || gap > full {
				t.Errorf("pause %d = %v, want one in [%v, %v]", i+1, gap, full/2, full)
			}
		}
	})
}

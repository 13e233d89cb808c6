package main

import (
	"bytes"
	"testing"
	"testing/synctest"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
)

func TestWithoutFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), nil, &out); err != nil {
			t.Error(err)
		}
		if got := out.String(); got != "job 1 (steady) COMPLETED on n1\n" {
			t.Errorf("got %s", got)
		}
	})
}

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

func TestNoTimes(t *testing.T) { demotest.Refuses(t, run, "-times", "-times", "0") }

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

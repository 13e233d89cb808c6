package main

import (
	"bytes"
	"testing"
	"testing/synctest"
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

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo/demotest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestWithoutFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := run(t.Context(), nil, &out); err != nil {
			t.Error(err)
		}
		// How often the job is looked at, and what is then seen of it, is left to chance.
		const first, last = "submitted job 1\n", "done: job 1 (hello) COMPLETED on n1 after 5s; its output is in /home/alice/slurm-1.out\n"
		if got := out.String(); !strings.HasPrefix(got, first) || !strings.HasSuffix(got, last) {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		script string
		args   []string
		out    string
		is     func(error) bool
	}{
		{"#!/bin/bash\nsleep 60\nexit 3\n", nil, "failed: job 1 (hello) FAILED", as[*slurm.JobError]},
		{"#!/bin/bash\nsleep 600\n", []string{"-time", "1m"}, "failed: job 1 (hello) TIMEOUT", as[*slurm.JobError]},
		{"#!/bin/bash\nsleep 600\n", []string{"-limit", "1m"}, "job 1 goes on without being watched", as[*lro.WaitError]},
		{"sleep 1\n", nil, "", as[*slurm.InputError]},
		{"#!/bin/bash\nsleep 1\n", []string{"-gpus", "9", "-partition", "a4"}, "", as[*slurm.Error]},
	} {
		synctest.Test(t, func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "train.sh")
			if err := os.WriteFile(script, []byte(tt.script), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := run(t.Context(), append(tt.args, "-script", script), &out)
			if !tt.is(err) || !strings.Contains(out.String(), tt.out) {
				t.Errorf("%q %v: error %v, output\n%s", tt.script, tt.args, err, &out)
			}
		})
	}
}

func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func TestMissingScript(t *testing.T) {
	if err := run(t.Context(), []string{"-script", "missing.sh"}, new(bytes.Buffer)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestOtherPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { demotest.Places(t, run) })
}

// TestJobBesideAnError: Slurm takes the job and reports a failure. The job is watched to its end, and the failure told.
func TestJobBesideAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		err := run(t.Context(), nil, &out, demotest.Partial(t).ClientOptions()...)
		if !errors.Is(err, slurm.ErrPartial) || !strings.HasPrefix(out.String(), "submitted job 1\n") || !strings.Contains(out.String(), "done: job 1 (hello) COMPLETED") {
			t.Errorf("error %v, output\n%s", err, &out)
		}
	})
}

// TestLostAnswer: the job is found again with what the program said.
func TestLostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := demotest.Held(t, 1)
		var out bytes.Buffer
		err := run(t.Context(), nil, &out, srv.ClientOptions()...)
		token := regexp.MustCompile(`tc-\w+`).FindString(err.Error())
		if !errors.Is(err, slurm.ErrUncertain) || token == "" {
			t.Fatalf("error %v, output\n%s", err, &out)
		}
		time.Sleep(10 * time.Minute)
		out.Reset()
		err = run(t.Context(), []string{"-recover", token}, &out, srv.ClientOptions()...)
		if err != nil || !strings.Contains(out.String(), "done: job 1 (hello) COMPLETED") {
			t.Errorf("error %v, output\n%s", err, &out)
		}
	})
}

func TestArgument(t *testing.T) {
	demotest.Refuses(t, run, `unexpected argument "training"`, "training")
}

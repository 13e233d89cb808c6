package lro_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/lro"
)

// The tests named TestPain are what users of such clients have suffered from, by the numbers of the list that package slurm
// keeps in its tests.

// google-cloud-java#2609, python-api-core#183: one 503 while polling, or the deadline of a single call, ended the wait for
// work that went well.
func TestPainU72FailedPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, runs(nameA, ""), step{err: unavailable()}, step{err: io.ErrUnexpectedEOF}, step{err: unavailable()}, succeeds(nameA))
		if err := lro.New(s, nameA).Wait(t.Context(), fixed(20*time.Second)); err != nil || s.count(nameA) != 5 {
			t.Errorf("%v after %d reads", err, s.count(nameA))
		}
	})
	// A read that never ends is given up by itself, and not with the wait.
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, step{takes: 1000 * time.Hour}, succeeds(nameA))
		if err := lro.New(s, nameA).Wait(t.Context()); err != nil || s.count(nameA) != 2 {
			t.Errorf("%v after %d reads", err, s.count(nameA))
		}
	})
}

// Terraform's common_operation.go: an operation that has just been started answers 404 for a moment.
func TestPainU74NotFoundAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serving(nameA, step{err: missing(nameA)}, step{err: missing(nameA)}, succeeds(nameA))
		op, err := lro.Started(s, []byte(runs(nameA, "").body))
		if err != nil {
			t.Fatal(err)
		}
		if err := op.Wait(t.Context(), fixed(10*time.Second)); err != nil || s.count(nameA) != 3 {
			t.Errorf("%v after %d reads", err, s.count(nameA))
		}
	})
}

// google-cloud-cpp#8695: where the client ran out of time, it made up a status for work whose real state was unknown.
func TestPainU75NoVerdictWithoutTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		op := lro.New(serving(nameA, runs(nameA, "nodes")), nameA)
		err := op.Wait(ctx)
		if _, verdict := errors.AsType[*lro.OperationError](err); verdict || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if e := waitError(t, err); !slices.Equal(e.Pending, []string{nameA}) || op.State().Done || op.State().Err != nil {
			t.Errorf("%+v, state %v", e, op)
		}
	})
}

// DataBiosphere/dsub#327: --wait on Google Batch died of an exceeded deadline while the job was fine. There is no time limit
// but the caller's.
func TestPainU82NoLimitOfOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService()
		end := func(context.Context) {
			if time.Since(s.start) > 30*24*time.Hour {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.script[nameA] = []step{succeeds(nameA)}
			}
		}
		running := runs(nameA, "")
		running.then = end
		if err := lro.New(s.add(nameA, running), nameA).Wait(t.Context()); err != nil {
			t.Errorf("%v after %v", err, time.Since(s.start))
		}
	})
}

// TestPainAlteredOperations: each member of an operation that runs, has failed or has succeeded is altered, as a later
// version of the service might. Whether it is over is then as before, or the error names the member; and no verdict is made
// up.
func TestPainAlteredOperations(t *testing.T) {
	for _, kind := range []step{runs(nameA, "nodes"), succeeds(nameA), fails(nameA, 8, "no capacity")} {
		var record map[string]any
		if err := json.Unmarshal([]byte(kind.body), &record); err != nil {
			t.Fatal(err)
		}
		sound, soundErr := read(t, kind.body)
		for _, path := range membersOf(record, nil) {
			for _, value := range []string{`null`, `[]`, `{}`, `7`, `"QUANTUM"`, `"7"`, `9223372036854775808`, `true`, `[null]`, `{"somethingNew":[1]}`, "-", "^"} {
				what := kind.body + " with " + strings.Join(path, ".") + " = " + value
				body, err := json.Marshal(alteredAt(record, path, value))
				if err != nil {
					t.Fatal(err)
				}
				state, err := read(t, string(body))
				failure, failed := errors.AsType[*lro.OperationError](err)
				switch top := path[0]; {
				case err != nil && !failed: // is no answer about this operation
					if !strings.Contains(err.Error(), top) || state.Done || state.Err != nil {
						t.Errorf("%s: %v, %+v", what, err, state)
					}
				case top == "done" || top == "error" || top == "response":
					if failed && (!state.Done || failure.Name != nameA) || !failed && soundErr != nil && state.Succeeded() && top != "error" {
						t.Errorf("%s: %v, %+v", what, err, state)
					}
				case state.Done != sound.Done || failed != (soundErr != nil):
					t.Errorf("%s: %v, %+v", what, err, state)
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %q has several lines", what, err)
				}
			}
		}
	}
}

func membersOf(v any, at []string) (paths [][]string) {
	o, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		path := append(slices.Clone(at), name)
		paths = append(append(paths, path), membersOf(o[name], path)...)
	}
	return paths
}

// alteredAt returns a copy with one member set to the given JSON, left out ("-"), or with its name in capitals ("^").
func alteredAt(o map[string]any, path []string, value string) map[string]any {
	o = maps.Clone(o)
	was := o[path[0]]
	switch delete(o, path[0]); {
	case len(path) > 1:
		o[path[0]] = alteredAt(was.(map[string]any), path[1:], value)
	case value == "^":
		o[strings.ToUpper(path[0])] = was
	case value != "-":
		o[path[0]] = json.RawMessage(value)
	}
	return o
}

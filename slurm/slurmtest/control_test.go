package slurmtest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

func TestFinish(t *testing.T) {
	for _, test := range []struct {
		state  string
		code   int
		reason string
	}{
		{"COMPLETED", 0, "None"},
		{"FAILED", 9, "NonZeroExitCode"},
		{"OUT_OF_MEMORY", 0, "OutOfMemory"},
		{"PREEMPTED", 0, "None"},
		{"NODE_FAIL", 0, "NodeDown"},
	} {
		t.Run(test.state, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				id := l.submit(sleepy, nil)
				time.Sleep(2 * time.Second)
				l.must(l.s.Finish(id, test.state, test.code))
				time.Sleep(time.Second)
				if j := l.expect(id, test.state, test.reason); j.ExitCode != test.code {
					t.Errorf("exit code %d, want %d", j.ExitCode, test.code)
				}
				if err := l.s.Finish(id, "COMPLETED", 0); err == nil {
					t.Error("an ended job was ended again")
				}
			})
		})
	}
}

func TestControlsRefuse(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(sleepy, held)
		for name, test := range map[string]struct {
			err  error
			says string
		}{
			"finish an unknown job":  {l.s.Finish(99, "FAILED", 1), "no job 99 in the queue"},
			"requeue a pending job":  {l.s.Requeue(id), "requeue job 1: it is PENDING"},
			"purge a job that waits": {l.s.Purge(id), "purge job 1: it has not ended"},
			"fail an unknown node":   {l.s.FailNode("x1"), `no node "x1"`},
		} {
			if test.err == nil || !strings.Contains(test.err.Error(), test.says) {
				t.Errorf("%s: %v, want %q", name, test.err, test.says)
			}
		}
	})
}

func TestPurge(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(quick, nil)
		time.Sleep(10 * time.Second)
		l.must(l.s.Purge(id))
		if a := l.do("GET", "/slurm/v0.0.42/job/1", ""); a.status != 404 {
			t.Errorf("still in the queue: %d", a.status)
		}
		if got := l.do("DELETE", "/slurm/v0.0.42/job/1", "").decode(t); got.Status[0].Error.Code != 2017 {
			t.Errorf("cancel: %v, want 2017", got.Status)
		}
	})
}

func TestJobOfAnotherUser(t *testing.T) {
	inBubble(t, func(l *lab) {
		id, err := l.s.AddJob("bob", []byte(submitBody(sleepy, nil)))
		l.must(err)
		time.Sleep(2 * time.Second)
		if j := l.job(id); j.User != "bob" || j.State != "RUNNING" {
			t.Errorf("%s's job is %s", j.User, j.State)
		}
		if got := l.do("DELETE", "/slurm/v0.0.42/job/1", "").decode(t); got.Status[0].Error.Code != 2002 {
			t.Errorf("cancel: %v, want 2002", got.Status)
		}
		if got := l.do("POST", "/slurm/v0.0.42/job/1", `{"name":"mine"}`).decode(t); got.Errors[0].Number != 2010 {
			t.Errorf("update: %v, want 2010", got.Errors)
		}
		if got := l.do("GET", "/slurm/v0.0.42/jobs/", "").decode(t); len(got.Jobs) != 1 {
			t.Errorf("list has %d jobs, want everybody's", len(got.Jobs))
		}
		if _, err := l.s.AddJob("bob", []byte(submitBody("", nil))); err == nil || !strings.Contains(err.Error(), "9000") {
			t.Errorf("a job without a script: %v, want the refusal", err)
		}
	})
}

func TestDaemonsDown(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep 30\n", nil)
		time.Sleep(2 * time.Second)
		l.s.SetControllerDown(true)
		l.s.SetDatabaseDown(true)
		time.Sleep(time.Minute)
		for _, test := range []struct {
			method, path string
			status       int
		}{
			{"GET", "/slurm/v0.0.42/jobs/", 502},
			{"GET", "/slurm/v0.0.42/job/1", 500},
			{"DELETE", "/slurm/v0.0.42/job/1", 500},
			{"GET", "/slurm/v0.0.42/nodes/", 502},
			{"GET", "/slurm/v0.0.42/ping/", 200},
			{"GET", "/slurmdb/v0.0.42/job/1", 502},
			{"GET", "/slurmdb/v0.0.42/ping/", 502},
		} {
			if a := l.do(test.method, test.path, ""); a.status != test.status {
				t.Errorf("%s %s: %d, want %d", test.method, test.path, a.status, test.status)
			}
		}
		l.s.SetDatabaseDown(false)
		record := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t).Jobs[0]
		if end := record["time"].(map[string]any)["end"]; end != 0.0 {
			t.Errorf("recorded end %v while the controller is down, want none", end)
		}
		l.s.SetControllerDown(false)
		restart := time.Now()
		time.Sleep(time.Second)
		l.expect(1, "COMPLETED", "None") // the nodes did not need the controller
		if j := l.job(1); !j.End.Equal(restart) || !j.InQueue {
			t.Errorf("ended %v, in the queue: %v; want the restart's time, in the queue", j.End, j.InQueue)
		}
	})
}

// The calls that say nothing useful, or say it in a place of their own.
func TestControllerDownBodies(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.s.SetControllerDown(true)
		for _, test := range []struct{ method, path, body, want string }{
			{"GET", "/slurm/v0.0.42/partitions/", "", `"errors":[],"warnings":[]`},
			{"GET", "/slurm/v0.0.42/nodes/", "", `"source":"_dump_nodes"`},
			{"DELETE", "/slurm/v0.0.42/job/1", "", `"status":[]`},
			{"DELETE", "/slurm/v0.0.42/jobs/", `{"jobs":["1"]}`, `"status":[]`},
		} {
			a := l.do(test.method, test.path, test.body)
			if a.status < 500 || !strings.Contains(string(a.body), test.want) || strings.Contains(string(a.body), `"partitions"`) {
				t.Errorf("%s %s: %d %s, want a failure with %s", test.method, test.path, a.status, a.body, test.want)
			}
		}
	})
}

func TestRequests(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(quick, nil)
		l.do("GET", "/slurm/v0.0.42/jobs/?flags=ALL", "")
		l.do("GET", "/nope", "")
		log := l.s.Requests()
		if len(log) != 3 {
			t.Fatalf("%d requests, want 3", len(log))
		}
		if r := log[0]; r.Method != "POST" || r.Path != submitURL || !strings.Contains(string(r.Body), "my-run") {
			t.Errorf("first request %+v", r)
		}
		if r := log[1]; r.Path != "/slurm/v0.0.42/jobs/?flags=ALL" || r.Status != 200 {
			t.Errorf("second request %+v", r)
		}
		if log[2].Status != 404 {
			t.Errorf("third request %+v", log[2])
		}
		l.s.ResetRequests()
		if n := len(l.s.Requests()); n != 0 {
			t.Errorf("%d requests after the reset", n)
		}
	})
}

func TestWithRun(t *testing.T) {
	// Fails on the first attempt and succeeds after a requeue.
	flaky := func(r slurmtest.Run) slurmtest.Outcome {
		if r.Restarts == 0 {
			return slurmtest.Outcome{RunTime: -1}
		}
		return slurmtest.Outcome{RunTime: 5 * time.Second, ExitCode: len(r.Environment)}
	}
	inBubble(t, func(l *lab) {
		id := l.submit(quick, nil)
		time.Sleep(time.Minute)
		l.expect(id, "RUNNING", "None")
		l.must(l.s.Requeue(id))
		time.Sleep(3 * time.Minute)
		if j := l.expect(id, "FAILED", "NonZeroExitCode"); j.ExitCode != 1 || j.End.Sub(j.Start) != 5*time.Second {
			t.Errorf("exit %d after %v", j.ExitCode, j.End.Sub(j.Start))
		}
	}, slurmtest.WithRun(flaky))
}

func TestConcurrentUse(t *testing.T) {
	l := newLab(t, slurmtest.WithScheduleDelay(0), slurmtest.WithRunTime(0))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				id := l.submit(quick, nil)
				l.do("GET", "/slurm/v0.0.42/jobs/", "")
				l.do("GET", fmt.Sprintf("/slurmdb/v0.0.42/job/%d", id), "")
				l.do("DELETE", fmt.Sprintf("/slurm/v0.0.42/job/%d", id), "")
				if i%4 == 0 {
					l.s.Jobs()
					l.s.SetDatabaseDown(false)
				}
			}
		})
	}
	wg.Wait()
	seen := map[int64]bool{}
	for _, j := range l.s.Jobs() {
		seen[j.ID] = true
	}
	if len(seen) != 80 || len(l.s.Requests()) != 320 {
		t.Errorf("%d ids and %d requests, want 80 and 320", len(seen), len(l.s.Requests()))
	}
}

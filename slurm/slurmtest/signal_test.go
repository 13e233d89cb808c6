package slurmtest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestSignals signals a job that has run for a second, and looks at it a
// minute later.
func TestSignals(t *testing.T) {
	const cleanup = "cleanup() {\n  echo bye; exit 5\n}\ntrap cleanup TERM\n"
	for _, test := range []struct {
		name, script, query string
		state               string
		exit, signal        int
		ran                 time.Duration
	}{
		{"a plain script dies", "sleep 20\nexit 9", "signal=USR1", "FAILED", 0, 10, 1},
		{"by number", "sleep 20", "signal=12", "FAILED", 0, 12, 1},
		{"of its script alone", "sleep 20", "signal=USR1&flags=BATCH_JOB", "FAILED", 0, 10, 1},
		{"of a script without a sleep", "python train.py", "signal=SIGTERM", "FAILED", 0, 15, 1},
		{"bash ignores SIGQUIT, its child does not", "sleep 20\nexit 9", "signal=QUIT", "FAILED", 9, 0, 1},
		{"and its child does not get it", "sleep 20\nexit 9", "signal=QUIT&flags=BATCH_JOB", "FAILED", 9, 0, 20},
		{"harmless", "sleep 20", "signal=CONT", "COMPLETED", 0, 0, 20},
		{"of a terminal", "sleep 20", "signal=TSTP", "COMPLETED", 0, 0, 20},
		{"ignored", "trap '' USR1\nsleep 20", "signal=USR1", "COMPLETED", 0, 0, 20},
		{"ignored and not", "trap '' USR1\ntrap - USR1\nsleep 20", "signal=USR1", "FAILED", 0, 10, 1},
		{"trap that exits", "trap 'echo hi; exit 40' USR1 USR2\nsleep 20 & wait", "signal=USR2", "FAILED", 40, 0, 1},
		{"trap that exits well", "trap 'exit 0' TERM\nsleep 20 & wait", "signal=TERM&flags=BATCH_JOB", "COMPLETED", 0, 0, 1},
		{"trap that goes on", "trap 'echo hi' USR1\nsleep 20\nexit 7", "signal=USR1", "FAILED", 7, 0, 1},
		{"status of the child that it killed", "trap 'echo hi' USR1\nsleep 20", "signal=USR1", "FAILED", 138, 0, 1},
		{"trap waits for a child", "trap 'exit 3' USR1\nsleep 20", "signal=USR1&flags=BATCH_JOB", "FAILED", 3, 0, 20},
		{"trap of a harmless signal, too", "trap 'exit 3' CONT\nsleep 20", "signal=CONT", "FAILED", 3, 0, 20},
		{"trap of another signal", "trap 'exit 3' USR1\nsleep 20", "signal=USR2", "FAILED", 0, 12, 1},
		{"function, out of a loop", cleanup + "while true; do sleep 1; done", "signal=TERM", "FAILED", 5, 0, 1},
		{"trap that sleeps", "trap 'sleep 4; exit 2' USR1\nsleep 20 & wait", "signal=USR1", "FAILED", 2, 0, 5},
		{"SIGKILL for the script alone", "sleep 20", "signal=KILL&flags=BATCH_JOB", "FAILED", 0, 9, 1},
		{"SIGKILL is a cancel", "trap '' TERM\nsleep 20", "signal=KILL", "CANCELLED", 0, 9, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, slurmtest.WithScheduleDelay(0), slurmtest.WithRunTime(20*time.Second))
				id := l.submit("#!/bin/bash\n"+test.script+"\n", nil)
				time.Sleep(time.Second)
				if a := l.do("DELETE", "/slurm/v0.0.42/job/1?"+test.query, ""); len(a.decode(t).Status) > 0 {
					t.Errorf("status %s", a.body)
				}
				time.Sleep(time.Minute)
				j := l.job(id)
				if j.State != test.state || j.ExitCode != test.exit || j.Signal != test.signal {
					t.Errorf("%s, exit %d, signal %d; want %s, %d, %d",
						j.State, j.ExitCode, j.Signal, test.state, test.exit, test.signal)
				}
				if ran := j.End.Sub(j.Start); ran != test.ran*time.Second {
					t.Errorf("ran for %v, want %v", ran, test.ran*time.Second)
				}
			})
		})
	}
}

func TestStoppedJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, slurmtest.WithScheduleDelay(0))
		l.submit("#!/bin/bash\nsleep 20\n", nil)
		time.Sleep(time.Second)
		l.do("DELETE", "/slurm/v0.0.42/job/1?signal=STOP", "")
		time.Sleep(time.Minute)
		if j := l.job(1); j.State != "RUNNING" || len(j.Flags) != 1 || j.Flags[0] != "STOPPED" {
			t.Errorf("%s %v, want RUNNING and STOPPED", j.State, j.Flags)
		}
		l.do("DELETE", "/slurm/v0.0.42/job/1?signal=CONT", "")
		time.Sleep(18 * time.Second)
		if j := l.job(1); j.State != "RUNNING" || len(j.Flags) != 0 {
			t.Errorf("%s %v, want RUNNING", j.State, j.Flags)
		}
		time.Sleep(time.Second)
		if j := l.job(1); j.State != "COMPLETED" || j.End.Sub(j.Start) != 80*time.Second {
			t.Errorf("%s after %v, want COMPLETED after 80s", j.State, j.End.Sub(j.Start))
		}
	})
}

// A signal that comes while a job is stopped waits for it to go on.
func TestSignalWhileStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, slurmtest.WithScheduleDelay(0))
		l.submit("#!/bin/bash\nsleep 20\n", nil)
		time.Sleep(time.Second)
		for _, name := range []string{"STOP", "USR1"} {
			l.do("DELETE", "/slurm/v0.0.42/job/1?signal="+name, "")
			time.Sleep(time.Second)
			if j := l.job(1); j.State != "RUNNING" {
				t.Errorf("%s after %s", j.State, name)
			}
		}
		l.do("DELETE", "/slurm/v0.0.42/job/1?signal=CONT", "")
		if j := l.job(1); j.State != "FAILED" || j.Signal != 10 {
			t.Errorf("%s by signal %d, want FAILED by 10", j.State, j.Signal)
		}
	})
}

// A run that was given from outside dies of a signal like any other, unless
// its script has a trap.
func TestSignalsOfGivenRuns(t *testing.T) {
	for script, want := range map[string]string{"": "FAILED", "trap 'echo hi' USR1\n": "RUNNING"} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			l := newLab(t, slurmtest.WithScheduleDelay(0), slurmtest.WithRun(func(slurmtest.Run) slurmtest.Outcome {
				calls++
				return slurmtest.Outcome{RunTime: time.Hour}
			}))
			l.submit("#!/bin/bash\n"+script, nil)
			time.Sleep(time.Second)
			l.do("DELETE", "/slurm/v0.0.42/job/1?signal=USR1", "")
			if j := l.job(1); j.State != want || calls != 1 {
				t.Errorf("%q: %s after %d calls, want %s after 1", script, j.State, calls, want)
			}
		})
	}
}

// Accounting takes the wait status 1 of a job ended by SIGHUP for an exit code.
func TestHangupInAccounting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, slurmtest.WithScheduleDelay(0))
		l.submit(sleepy, nil)
		l.do("DELETE", "/slurm/v0.0.42/job/1?signal=HUP", "")
		time.Sleep(time.Second)
		record := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t).Jobs[0]
		code := record["exit_code"].(map[string]any)["return_code"].(map[string]any)
		if l.job(1).Signal != 1 || code["number"] != 1.0 {
			t.Errorf("signal %d, recorded exit code %v, want 1 and 1", l.job(1).Signal, code["number"])
		}
	})
}

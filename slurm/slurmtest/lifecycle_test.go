package slurmtest_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// expect compares a job's state, flags and reason at this moment.
func (l *lab) expect(id int64, state, reason string) slurmtest.Job {
	l.t.Helper()
	j := l.job(id)
	if have := strings.Join(append([]string{j.State}, j.Flags...), "+"); have != state || j.Reason != reason {
		l.t.Errorf("job %d after %v: %s (%s), want %s (%s)", id, time.Since(j.Submit), have, j.Reason, state, reason)
	}
	return j
}

// inBubble runs a test against its own server in virtual time.
func inBubble(t *testing.T, test func(*lab), opts ...slurmtest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newLab(t, opts...)) })
}

func TestLifeOfAJob(t *testing.T) {
	inBubble(t, func(l *lab) {
		begin := time.Now()
		id := l.submit("#!/bin/bash\nsleep 1m\nsleep 30\n", nil)
		l.expect(id, "PENDING", "None")
		time.Sleep(time.Second - 1)
		l.expect(id, "PENDING", "None")
		time.Sleep(time.Nanosecond)
		l.expect(id, "RUNNING", "None")
		time.Sleep(90*time.Second - 1)
		l.expect(id, "RUNNING", "None")
		time.Sleep(time.Nanosecond)
		l.expect(id, "COMPLETED+COMPLETING", "None")
		time.Sleep(100 * time.Millisecond)
		j := l.expect(id, "COMPLETED", "None")
		if want := begin.Add(time.Second); !j.Start.Equal(want) {
			t.Errorf("start %v, want %v", j.Start, want)
		}
		if want := begin.Add(91 * time.Second); !j.End.Equal(want) {
			t.Errorf("end %v, want %v", j.End, want)
		}
		time.Sleep(time.Until(j.End.Add(300*time.Second)) - 1)
		if a := l.do("GET", "/slurm/v0.0.42/job/1", ""); a.status != 200 {
			t.Errorf("just before MinJobAge: %d", a.status)
		}
		time.Sleep(time.Nanosecond)
		if a := l.do("GET", "/slurm/v0.0.42/job/1", ""); a.status != 404 || a.decode(t).Errors[0].Number != 2017 {
			t.Errorf("after MinJobAge: %d %s", a.status, a.body)
		}
		if got := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t); len(got.Jobs) != 1 {
			t.Errorf("accounting has %d records, want 1", len(got.Jobs))
		}
	})
}

func TestWholeLifeInOneStep(t *testing.T) {
	// Nobody looks in between: everything must come out as if somebody had.
	inBubble(t, func(l *lab) {
		first := l.submit("#!/bin/bash\nsleep 10\n", map[string]any{"minimum_nodes": 2, "tasks_per_node": 8})
		second := l.submit("#!/bin/bash\nsleep 10\n", map[string]any{"minimum_nodes": 2, "tasks_per_node": 8})
		time.Sleep(time.Hour)
		one, two := l.job(first), l.job(second)
		if !two.Start.Equal(one.End.Add(100 * time.Millisecond)) {
			t.Errorf("second starts %v after the first ended, want when its nodes are free", two.Start.Sub(one.End))
		}
		if one.State != "COMPLETED" || two.State != "COMPLETED" || one.InQueue || two.InQueue {
			t.Errorf("states %s %s, in queue %t %t", one.State, two.State, one.InQueue, two.InQueue)
		}
	})
}

func TestScripts(t *testing.T) {
	for _, test := range []struct {
		script, state string
		code, signal  int
		runs          time.Duration
	}{
		{"#!/bin/bash\ntrue\n", "COMPLETED", 0, 0, time.Second}, // WithRunTime
		{"#!/bin/bash\nsleep 2\nsleep 1m # a while\n", "COMPLETED", 0, 0, 62 * time.Second},
		{"#!/bin/bash\nsleep 0.5; sleep 0.25\n", "COMPLETED", 0, 0, 750 * time.Millisecond},
		{"#!/bin/bash\nsleep 5 &\nsleep 7 &\nwait\n", "COMPLETED", 0, 0, 7 * time.Second},
		{"#!/bin/bash\nsrun --mpi=none sleep 3\nexit 7\n", "FAILED", 7, 0, 3 * time.Second},
		{"#!/bin/bash\nexit 300\n", "FAILED", 44, 0, time.Second}, // exit codes have eight bits
		{"#!/bin/bash\nfalse\n", "FAILED", 1, 0, time.Second},
		{"#!/bin/bash\nfalse\necho the last command counts\n", "COMPLETED", 0, 0, time.Second},
		{"#!/bin/bash\nfalse || exit 3\n", "FAILED", 3, 0, time.Second},
		{"#!/bin/bash\nfalse && exit 3\n", "FAILED", 1, 0, time.Second},
		{"#!/bin/bash\nif [ $X = 2 ]; then exit 4; else exit 5; fi\n", "FAILED", 4, 0, time.Second},
		{"#!/bin/bash\nif [ $X = 3 ]; then exit 4; else exit 5; fi\n", "FAILED", 5, 0, time.Second},
		{"#!/bin/bash\nsleep $X\n", "COMPLETED", 0, 0, 2 * time.Second},
		{"#!/bin/bash\nkill -KILL $$\n", "FAILED", 0, 9, time.Second},
		{"sleep 5\n", "FAILED", 8, 0, 0},                                                               // no #!
		{"#!/bin/bash\r\nsleep 5\r\n", "FAILED", 2, 0, 0},                                              // the kernel looks for "bash\r"
		{"#!/bin/bash\nsleep infinity\n", "TIMEOUT", 0, 15, 2 * time.Hour},                             // the job's limit
		{"#!/bin/bash\nwhile true; do sleep 1; done\n", "TIMEOUT", 0, 15, 2 * time.Hour},               // has no end
		{"#!/bin/bash\nwhile true; do sleep 1; break; done\n", "COMPLETED", 0, 0, 1 * time.Second},     // has one
		{"#!/bin/bash\n#SBATCH --time=1\n# sleep 60\nsleep 120\n", "COMPLETED", 0, 0, 2 * time.Minute}, // comments are comments
	} {
		t.Run(test.script, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				id := l.submit(test.script, map[string]any{"environment": []string{"X=2"}})
				time.Sleep(24 * time.Hour)
				j := l.job(id)
				if j.State != test.state || j.ExitCode != test.code || j.Signal != test.signal {
					t.Errorf("%s exit %d signal %d, want %s %d %d", j.State, j.ExitCode, j.Signal, test.state, test.code, test.signal)
				}
				if ran := j.End.Sub(j.Start); ran != test.runs {
					t.Errorf("ran %v, want %v", ran, test.runs)
				}
			})
		})
	}
}

func TestPendingReasons(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  func(*lab)
		changes map[string]any
		reason  string
	}{
		{"a limit above the partition's", nil, map[string]any{"time_limit": 100000}, "PartitionTimeLimit"},
		{"no limit in a partition with one", nil, map[string]any{"time_limit": -1}, "PartitionTimeLimit"},
		{"held", nil, map[string]any{"hold": true}, "JobHeldUser"},
		{"held by a priority of 0", nil, map[string]any{"priority": 0}, "JobHeldUser"},
		{"a later time", nil, map[string]any{"begin_time": "now+1hour"}, "BeginTime"},
		{"a partition that is down", nil, map[string]any{"partition": "down"}, "PartitionDown"},
		{"a partition of others", nil, map[string]any{"partition": "debug"}, "PartitionConfig"},
		{"a full partition", func(l *lab) { l.submit(sleepy, filled) }, filled, "Resources"},
		{"a queue before it", func(l *lab) { l.submit(sleepy, filled); l.submit(sleepy, filled) }, nil, "Priority"},
		{"a name that is taken", func(l *lab) { l.submit(sleepy, nil) }, map[string]any{"dependency": "singleton"}, "Dependency"},
		{"an exclusive node in use", func(l *lab) { l.submit(sleepy, map[string]any{"minimum_nodes": 2}) },
			map[string]any{"shared": []string{"none"}}, "Resources"},
		{"GPUs in use", func(l *lab) {
			l.submit(sleepy, map[string]any{"partition": "a4", "minimum_nodes": 2, "tres_per_node": "gres/gpu:5"})
		}, map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:b200:4"}, "Resources"},
		{"memory in use", func(l *lab) { l.submit(sleepy, map[string]any{"minimum_nodes": 2, "memory_per_node": "20G"}) },
			map[string]any{"memory_per_node": "20G"}, "Resources"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				if test.before != nil {
					test.before(l)
				}
				id := l.submit(sleepy, test.changes)
				time.Sleep(5 * time.Second)
				l.expect(id, "PENDING", test.reason)
			})
		})
	}
}

func TestTwoJobsShareANode(t *testing.T) {
	inBubble(t, func(l *lab) {
		first := l.submit(sleepy, map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:3"})
		second := l.submit(sleepy, map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:3"})
		third := l.submit(sleepy, map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:3"})
		time.Sleep(2 * time.Second)
		if a, b, c := l.job(first).Nodes, l.job(second).Nodes, l.job(third).Nodes; a != "g1" || b != "g1" || c != "g2" {
			t.Errorf("nodes %s %s %s, want g1 g1 g2", a, b, c)
		}
		gpus := l.do("GET", "/slurm/v0.0.42/job/2", "").decode(t).Jobs[0]["gres_detail"]
		if got := gpus.([]any)[0]; got != "gpu:b200:3(IDX:3-5)" {
			t.Errorf("GPUs of the second job %v, want the next three", got)
		}
	})
}

func TestBeginTime(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(sleepy, map[string]any{"begin_time": "now+1hour"})
		time.Sleep(time.Hour + time.Second - 1)
		l.expect(id, "PENDING", "None")
		time.Sleep(time.Nanosecond)
		l.expect(id, "RUNNING", "None")
	})
}

func TestDeadlineOfARunningJob(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(sleepy, map[string]any{"time_limit": 1, "deadline": time.Now().Unix() + 62})
		time.Sleep(70 * time.Second)
		// Its own limit comes first: the job started after one second.
		l.expect(id, "TIMEOUT", "TimeLimit")
	})
}

func TestBootTime(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit("#!/bin/bash\nsleep 10\n", nil)
		time.Sleep(time.Minute)
		l.expect(id, "RUNNING+CONFIGURING+POWER_UP_NODE", "None")
		time.Sleep(4*time.Minute + time.Second)
		j := l.expect(id, "RUNNING", "None")
		if got := time.Since(j.Start); got != 0 {
			t.Errorf("start lies %v back: a run counts from when the nodes are up", got)
		}
		time.Sleep(11 * time.Second)
		l.expect(id, "COMPLETED", "None")
	}, slurmtest.WithBootTime(5*time.Minute))
}

func TestStubbornScript(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(stubborn, nil)
		time.Sleep(2 * time.Second)
		l.do("DELETE", "/slurm/v0.0.42/job/1", "")
		time.Sleep(5*time.Second - 1)
		l.expect(id, "CANCELLED+COMPLETING", "None")
		time.Sleep(time.Nanosecond)
		if j := l.expect(id, "CANCELLED", "None"); j.Signal != 9 {
			t.Errorf("ended by signal %d, want SIGKILL after KillWait", j.Signal)
		}
	})
}

func TestDependencies(t *testing.T) {
	for _, test := range []struct {
		dependency, parent string
		state, reason      string
	}{
		{"afterok:1", "COMPLETED", "RUNNING", "None"},
		{"afterok:1", "FAILED", "PENDING", "DependencyNeverSatisfied"},
		{"afternotok:1", "FAILED", "RUNNING", "None"},
		{"afternotok:1", "COMPLETED", "PENDING", "DependencyNeverSatisfied"},
		{"afterany:1", "CANCELLED", "RUNNING", "None"},
		{"after:1", "", "RUNNING", "None"}, // the parent runs, that is enough
		{"afterany:1", "", "PENDING", "Dependency"},
		{"singleton", "COMPLETED", "RUNNING", "None"},
		{"afternotok:1?afterok:1", "COMPLETED", "RUNNING", "None"},
		{"afternotok:1,afterany:1", "COMPLETED", "PENDING", "DependencyNeverSatisfied"},
	} {
		t.Run(test.dependency+" "+test.parent, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				parent := l.submit(sleepy, nil)
				time.Sleep(2 * time.Second)
				id := l.submit(sleepy, map[string]any{"dependency": test.dependency})
				if test.parent != "" {
					l.must(l.s.Finish(parent, test.parent, 0))
				}
				time.Sleep(2 * time.Second)
				l.expect(id, test.state, test.reason)
				if test.parent != "" {
					// What was decided stays decided when the parent is forgotten.
					time.Sleep(301 * time.Second)
					l.expect(id, test.state, test.reason)
				}
			})
		})
	}
}

func TestRequeue(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(sleepy, nil)
		time.Sleep(10 * time.Second)
		l.must(l.s.Requeue(id))
		l.expect(id, "PENDING+COMPLETING", "None")
		time.Sleep(time.Second)
		if j := l.expect(id, "PENDING", "BeginTime"); j.Restarts != 1 {
			t.Errorf("restarts %d, want 1", j.Restarts)
		}
		time.Sleep(122 * time.Second) // and the scheduler's second
		l.expect(id, "RUNNING", "None")
		l.must(l.s.Finish(id, "COMPLETED", 0))
		time.Sleep(time.Second)
		records := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t).Jobs
		var states []any
		for _, r := range records {
			states = append(states, r["state"].(map[string]any)["current"].([]any)...)
		}
		if want := []any{"PENDING", "REQUEUED", "COMPLETED"}; !slices.Equal(states, want) {
			t.Errorf("accounting, oldest first: %v, want %v", states, want)
		}
		if bare := l.do("GET", "/slurmdb/v0.0.42/jobs/", "").decode(t).Jobs; len(bare) != 1 {
			t.Errorf("bare list has %d records, want only the last attempt", len(bare))
		}
	})
}

func TestFailNode(t *testing.T) {
	inBubble(t, func(l *lab) {
		again := l.submit(sleepy, nil)
		once := l.submit(sleepy, map[string]any{"requeue": false})
		time.Sleep(2 * time.Second)
		l.must(l.s.FailNode("n1"))
		time.Sleep(time.Second)
		l.expect(again, "PENDING", "BeginTime")
		l.expect(once, "NODE_FAIL", "NodeDown")
		time.Sleep(3 * time.Minute)
		if j := l.expect(again, "RUNNING", "None"); j.Nodes != "n2" {
			t.Errorf("restarted on %s, want the node that is up", j.Nodes)
		}
	})
}

func TestAccountingGap(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit(quick, nil)
		time.Sleep(13 * time.Second)
		if a := l.do("GET", "/slurm/v0.0.42/job/1", ""); a.status != 404 {
			t.Errorf("live queue: %d, want 404", a.status)
		}
		if got := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t); len(got.Jobs) != 0 {
			t.Errorf("accounting has it already")
		}
		time.Sleep(time.Minute)
		got := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t)
		if len(got.Jobs) != 1 || l.job(id).State != "COMPLETED" {
			t.Errorf("accounting has %d records, want 1", len(got.Jobs))
		}
	}, slurmtest.WithMinJobAge(10*time.Second), slurmtest.WithAccountingDelay(time.Minute))
}

func TestAccountingLagsInStates(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep 20\n", nil)
		for _, want := range []string{"", "PENDING", "RUNNING", "COMPLETED"} {
			got := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t)
			have := ""
			if len(got.Jobs) > 0 {
				have = got.Jobs[0]["state"].(map[string]any)["current"].([]any)[0].(string)
			}
			if have != want {
				t.Errorf("after %v: %q, want %q", l.job(1).Submit, have, want)
			}
			switch want {
			case "":
				time.Sleep(10 * time.Second)
			case "PENDING":
				time.Sleep(time.Second)
			default:
				time.Sleep(20 * time.Second)
			}
		}
	}, slurmtest.WithAccountingDelay(10*time.Second))
}

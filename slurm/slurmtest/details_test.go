package slurmtest_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// at reads one value of an answer: "jobs.0.het.job_id" of a path. A missing one
// is "-".
func (l *lab) at(path, where string) string {
	l.t.Helper()
	var v any
	if err := json.Unmarshal(l.do("GET", path, "").body, &v); err != nil {
		l.t.Fatalf("GET %s: %v", path, err)
	}
	for _, name := range strings.Split(where, ".") {
		switch parent := v.(type) {
		case map[string]any:
			v = parent[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(parent) {
				return "-"
			}
			v = parent[i]
		default:
			return "-"
		}
	}
	return fmt.Sprint(v)
}

// detail is what one value of an answer was seen to be on a real cluster. Most
// of them are odd.
type detail struct {
	name    string
	prepare func(*lab)
	path    string
	want    map[string]string
}

const live, stored = "/slurm/v0.0.42/job/1", "/slurmdb/v0.0.42/job/1"

func runHeld(l *lab) {
	l.submit(sleepy, nil)
	time.Sleep(2 * time.Second)
	l.do("POST", live, `{"hold":true}`)
}

func inAnHour(l *lab) { l.submit("#!/bin/bash\nsleep 1\n", map[string]any{"begin_time": "now+1hour"}) }

func n1Down(l *lab) {
	l.must(l.s.FailNode("n1"))
	l.submit(quick, map[string]any{"required_nodes": []string{"n1"}})
}

func accountingDetails() []detail {
	return []detail{
		{"a pending het job in accounting", func(l *lab) {
			l.submitHet(sleepy, job(held), job(onA4))
		}, stored, map[string]string{"jobs.0.het.job_id": "0", "jobs.0.het.job_offset.set": "false", "jobs.1": "-"}},
		{"a running het job in accounting", func(l *lab) {
			l.submitHet(sleepy, job(nil), job(onA4))
			time.Sleep(2 * time.Second)
		}, stored, map[string]string{"jobs.0.het.job_id": "1", "jobs.1.het.job_offset.number": "1"}},
		{"a nameless job", func(l *lab) { l.submit(sleepy, map[string]any{"name": nil}) },
			stored, map[string]string{"jobs.0.name": "allocation"}},
		{"the same in accounting", runHeld, stored, map[string]string{"jobs.0.time.eligible": "0"}},
		{"a job that was held is held in accounting for good", func(l *lab) {
			l.submit(quick, held)
			l.do("POST", live, `{"hold":false}`)
			time.Sleep(10 * time.Second)
		}, stored, map[string]string{
			"jobs.0.hold": "true", "jobs.0.priority.number": "0", "jobs.0.state.current": "[COMPLETED]",
		}},
		{"less than no wait", inAnHour, stored, map[string]string{"jobs.0.time.planned.number": "-3600"}},
		{"a begin time is remembered", func(l *lab) {
			inAnHour(l)
			time.Sleep(2 * time.Hour)
		}, stored, map[string]string{"jobs.0.state.reason": "BeginTime", "jobs.0.time.planned.number": "1"}},
		{"requeued by a failed node", func(l *lab) {
			l.submit(sleepy, nil)
			time.Sleep(2 * time.Second)
			l.must(l.s.FailNode("n1"))
			time.Sleep(time.Second)
		}, stored, map[string]string{"jobs.1.state.current": "[PENDING]", "jobs.1.tres.allocated.0.count": "1"}},
		{"the last task keeps the limit", func(l *lab) {
			l.submit(quick, map[string]any{"array": "0-2%2"})
			time.Sleep(20 * time.Second)
		}, stored, map[string]string{
			"jobs.0.array.task_id.number": "2", "jobs.0.array.limits.max.running.tasks": "2",
			"jobs.1.array.limits.max.running.tasks": "0",
		}},
		{"an array that was held", func(l *lab) {
			l.submit(quick, map[string]any{"array": "0-1", "hold": true})
			l.do("POST", live, `{"hold":false}`)
			time.Sleep(20 * time.Second)
		}, stored, map[string]string{
			"jobs.0.state.reason": "JobHeldUser", "jobs.0.hold": "true", "jobs.1.state.reason": "JobHeldUser", "jobs.1.hold": "false",
		}},
		{"a cancelled held array", func(l *lab) {
			l.submit(sleepy, map[string]any{"array": "0-2", "hold": true})
			l.do("DELETE", live, "")
		}, stored, map[string]string{"jobs.0.state.reason": "JobHeldUser", "jobs.0.hold": "true"}},
		{"the same after a cancel", func(l *lab) {
			n1Down(l)
			l.do("DELETE", live, "")
		}, stored, map[string]string{"jobs.0.state.reason": "None"}},
		{"the same after a run", func(l *lab) {
			n1Down(l)
			l.must(l.s.RestoreNode("n1"))
			time.Sleep(time.Minute)
		}, stored, map[string]string{"jobs.0.state.reason": "ReqNodeNotAvail", "jobs.0.state.current": "[COMPLETED]"}},
	}
}

func queueDetails() []detail {
	return []detail{
		{"a het job without its second component", func(l *lab) {
			l.submitHet(sleepy, job(nil), job(map[string]any{"partition": "zz"}))
		}, live, map[string]string{
			"jobs.0.job_state": "[CANCELLED]", "jobs.0.het_job_id.number": "1", "jobs.0.exit_code.signal.id.number": "1",
		}},
		{"and nothing without its first", func(l *lab) {
			l.submitHet(sleepy, job(map[string]any{"partition": "zz"}), job(nil))
		}, live, map[string]string{"jobs.0": "-"}},
		{"hold of a running job", runHeld, live, map[string]string{"jobs.0.eligible_time.number": "0"}},
		{"a required node that is down", n1Down, live, map[string]string{
			"jobs.0.state_reason": "ReqNodeNotAvail", "jobs.0.state_description": "ReqNodeNotAvail, UnavailableNodes:n1",
		}},
		{"a cancel before the start", func(l *lab) {
			l.submit(sleepy, map[string]any{"tasks_per_node": nil, "minimum_nodes": nil, "hold": true})
			l.do("DELETE", live, "")
		}, live, map[string]string{"jobs.0.tasks.set": "false", "jobs.0.max_nodes.number": "1"}},
		{"a range of nodes", func(l *lab) {
			l.submit(sleepy, map[string]any{"minimum_nodes": nil, "tasks_per_node": nil, "nodes": "1-2"})
			time.Sleep(2 * time.Second)
		}, live, map[string]string{"jobs.0.nodes": "n[1-2]", "jobs.0.tasks.number": "2", "jobs.0.max_nodes.number": "0"}},
		{"the least time", func(l *lab) { l.submit(sleepy, map[string]any{"time_minimum": 60}) },
			live, map[string]string{"jobs.0.time_minimum.number": "60"}},
		{"changed GPUs", func(l *lab) {
			l.submit(sleepy, map[string]any{"partition": "a4", "hold": true})
			l.do("POST", live, `{"tres_per_node":"gres/gpu:1"}`)
		}, live, map[string]string{"jobs.0.tres_per_node": "gres/gpu:1"}},
		{"dependency on an array", func(l *lab) {
			l.submit(sleepy, map[string]any{"dependency": "afterok:" + strconv.FormatInt(
				l.submit(sleepy, map[string]any{"array": "0-1"}), 10)})
		}, "/slurm/v0.0.42/job/2", map[string]string{"jobs.0.dependency": "afterok:1_*(unfulfilled)"}},
		{"a drained node", func(l *lab) { l.must(l.s.DrainNode("n1", "maint")) }, "/slurm/v0.0.42/node/n1",
			map[string]string{"nodes.0.state": "[IDLE DRAIN]", "nodes.0.reason": "maint"}},
		{"and back", func(l *lab) {
			l.must(l.s.DrainNode("n1", "maint"))
			l.must(l.s.RestoreNode("n1"))
		}, "/slurm/v0.0.42/node/n1", map[string]string{"nodes.0.state": "[IDLE]", "nodes.0.reason": ""}},
		{"a task of an array that is gone", func(*lab) {}, "/slurm/v0.0.42/job/1_1", map[string]string{
			"errors.0.error_number": "2017", "warnings.0.source": "_handle_job_get",
		}},
	}
}

func TestDetails(t *testing.T) {
	for _, test := range append(accountingDetails(), queueDetails()...) {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				test.prepare(l)
				for where, want := range test.want {
					if got := l.at(test.path, where); got != want {
						t.Errorf("%s is %s, want %s", where, got, want)
					}
				}
			})
		})
	}
}

// An array follows another task by task.
func TestTaskByTask(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\n[ $SLURM_ARRAY_TASK_ID = 0 ] && exit 1\nsleep 5\n", map[string]any{"array": "0-1"})
		child := l.submit(quick, map[string]any{"array": "0-1", "dependency": "aftercorr:1"})
		time.Sleep(time.Minute)
		states := map[int64]string{}
		for _, j := range l.s.Jobs() {
			if j.ArrayID == child {
				states[j.Task] = j.State + " " + j.Reason
			}
		}
		if states[1] != "COMPLETED None" || states[-1] != "PENDING DependencyNeverSatisfied" {
			t.Errorf("tasks are %v, want task 1 done and the rest without hope", states)
		}
	})
}

func TestRefusedUpdates(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(sleepy, held)
		for body, number := range map[string]int{`{"account":"zz"}`: 2045, `{"qos":"zz"}`: 2066} {
			got := l.do("POST", "/slurm/v0.0.42/job/1", body).decode(t)
			if len(got.Errors) != 1 || got.Errors[0].Number != number {
				t.Errorf("%s: %v, want %d", body, got.Errors, number)
			}
		}
		if account := l.at("/slurm/v0.0.42/job/1", "jobs.0.account"); account != "research" {
			t.Errorf("the account is now %s", account)
		}
	})
}

func TestHistoryWindow(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep 9\n", nil)
		time.Sleep(time.Minute)
		j := l.job(1)
		eligible, end := j.Submit.Unix(), j.End.Unix()
		for _, test := range []struct {
			from, to int64
			state    string
			found    bool
		}{
			{eligible - 10, eligible, "", false}, // the window's end is not in it
			{eligible - 10, eligible + 1, "", true},
			{end, end + 10, "", true},
			{end + 1, end + 10, "", false},
			{eligible, end, "&state=COMPLETED", true},
			{eligible, end - 1, "&state=COMPLETED", false}, // it was not completed by then
		} {
			query := fmt.Sprintf("?start_time=uts%d&end_time=uts%d%s", test.from, test.to, test.state)
			got := l.do("GET", "/slurmdb/v0.0.42/jobs/"+query, "").decode(t)
			if (len(got.Jobs) == 1) != test.found {
				t.Errorf("eligible %d, ended %d, %s: found %d", eligible, end, query, len(got.Jobs))
			}
		}
	})
}

func TestUsersThatExist(t *testing.T) {
	inBubble(t, func(l *lab) {
		for name, status := range map[string]int{"alice": 200, "carol": 200, "nobody": 422} {
			if a := l.do("GET", "/slurmdb/v0.0.42/jobs/?users="+name, ""); a.status != status {
				t.Errorf("users=%s: %d, want %d", name, a.status, status)
			}
		}
	}, slurmtest.WithUsers("carol"))
}

// A job whose node is down is taken with a warning.
func TestUnavailableNode(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.must(l.s.FailNode("n1"))
		got := l.do("POST", submitURL, submitBody(quick, map[string]any{"required_nodes": []string{"n1"}})).decode(t)
		const text = "Required node not available (down, drained or reserved)"
		if got.JobID == 0 || len(got.Warnings) != 2 || got.Warnings[1].Description != text {
			t.Errorf("job %d, warnings %v; want a job and twice %q", got.JobID, got.Warnings, text)
		}
		l.must(l.s.RestoreNode("n1"))
		time.Sleep(10 * time.Second)
		l.expect(1, "COMPLETED", "None")
	})
}

// Words of scripts are split and filled in as a shell does it.
func TestWordsOfScripts(t *testing.T) {
	const script = "#!/bin/bash\n[ \"$1\" = 'one argument' ] || exit 3\n[ \"$CODE\" = \"a b\" ] && exit 7\n"
	for _, test := range []struct {
		name, script string
		exit         int
	}{
		{"arguments and environment", script, 7},
		{"assigned", "#!/bin/bash\nRC=5\nexit $RC\n", 5},
		{"status", "#!/bin/bash\nfalse\nRC=$?\nexit $RC\n", 1},
		{"last status", "#!/bin/bash\nfalse\nexit\n", 1},
		{"no name in single quotes", "#!/bin/bash\n[ '$CODE' = \"a b\" ] || exit 4\n", 4},
		{"operators in quotes", "#!/bin/bash\necho \"no; exit 9 | exit 8\"\nexit 2\n", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				l.submit(test.script, map[string]any{
					"argv": []string{"job", "one argument"}, "environment": []string{"CODE=a b"},
				})
				time.Sleep(10 * time.Second)
				if j := l.job(1); j.ExitCode != test.exit {
					t.Errorf("exit %d, want %d", j.ExitCode, test.exit)
				}
			})
		})
	}
}

package slurmtest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

func TestArraySpecs(t *testing.T) {
	for _, test := range []struct {
		spec  string
		tasks []int64 // nil: error 2081
		shown string
	}{
		{"0-9", []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "0-9"},
		{"1-6%2", []int64{1, 2, 3, 4, 5, 6}, "1-6%2"},
		{"0-8:4", []int64{0, 4, 8}, "0,4,8"},
		{"1,5,9", []int64{1, 5, 9}, "1,5,9"},
		{"3", []int64{3}, "3"},
		{"5,1-3,2", []int64{1, 2, 3, 5}, "1-3,5"},
		{"0-99", nil, ""}, // MaxArraySize is 50 here, and an index must be below it
		{"49", []int64{49}, "49"},
		{"50", nil, ""},
		{"abc", nil, ""},
		{"3-1", nil, ""},
		{"-1", nil, ""},
		{"0-4%x", nil, ""},
	} {
		t.Run(test.spec, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				a := l.do("POST", submitURL, submitBody(sleepy, map[string]any{"array": test.spec, "hold": true}))
				got := a.decode(t)
				if test.tasks == nil {
					if got.JobID != 0 || got.Errors[0].Number != 2081 {
						t.Errorf("taken: %s", a.body)
					}
					return
				}
				if j := l.job(got.JobID); !slices.Equal(j.PendingTask, test.tasks) {
					t.Errorf("tasks %v, want %v", j.PendingTask, test.tasks)
				}
				record := l.do("GET", fmt.Sprintf("/slurm/v0.0.42/job/%d", got.JobID), "").decode(t).Jobs[0]
				if record["array_task_string"] != test.shown {
					t.Errorf("array_task_string %v, want %s", record["array_task_string"], test.shown)
				}
			}, slurmtest.WithMaxArraySize(50))
		})
	}
}

func TestArrayRecords(t *testing.T) {
	inBubble(t, func(l *lab) {
		id := l.submit("#!/bin/bash\nsleep $SLURM_ARRAY_TASK_ID\n", map[string]any{"array": "10,20,30"})
		time.Sleep(2 * time.Second)
		var ids, tasks []int64
		for _, j := range l.s.Jobs() {
			ids, tasks = append(ids, j.ID), append(tasks, j.Task)
			if j.ArrayID != id || j.State != "RUNNING" {
				t.Errorf("record %d: array %d, %s", j.ID, j.ArrayID, j.State)
			}
		}
		// The last task to start has the array's own id.
		if !slices.Equal(ids, []int64{1, 2, 3}) || !slices.Equal(tasks, []int64{30, 10, 20}) {
			t.Errorf("ids %v with tasks %v, want 1 2 3 with 30 10 20", ids, tasks)
		}
		for version, want := range map[string][]string{
			"v0.0.40": {"1_30", "1_10", "1_20"}, "v0.0.41": {"1_30", "2_10", "3_20"}, "v0.0.42": {"1_30", "2_10", "3_20"},
		} {
			names := []string{}
			for _, j := range l.do("GET", "/slurm/"+version+"/jobs/state/", "").decode(t).Jobs {
				names = append(names, j["job_id"].(string))
			}
			if !slices.Equal(names, want) {
				t.Errorf("%s: jobs/state names %v, want %v", version, names, want)
			}
		}
		time.Sleep(10 * time.Second)
		l.expect(2, "COMPLETED", "None")
		l.expect(3, "RUNNING", "None")
	})
}

func TestArrayTasksAgeOneByOne(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep $SLURM_ARRAY_TASK_ID\n", map[string]any{"array": "1,100"})
		time.Sleep(30 * time.Second)
		live := l.do("GET", "/slurm/v0.0.42/job/1", "").decode(t).Jobs
		stored := l.do("GET", "/slurmdb/v0.0.42/job/1", "").decode(t).Jobs
		if len(live) != 1 || len(stored) != 2 {
			t.Errorf("live %d and stored %d records, want 1 and 2", len(live), len(stored))
		}
	}, slurmtest.WithMinJobAge(10*time.Second))
}

func TestArrayThrottle(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep 10\n", map[string]any{"array": "1-6%2"})
		time.Sleep(2 * time.Second)
		j := l.expect(1, "PENDING", "JobArrayTaskLimit")
		if !slices.Equal(j.PendingTask, []int64{3, 4, 5, 6}) {
			t.Errorf("waiting %v, want all but two", j.PendingTask)
		}
		time.Sleep(10 * time.Second)
		if j := l.job(1); !slices.Equal(j.PendingTask, []int64{5, 6}) {
			t.Errorf("waiting %v after the first two ended", j.PendingTask)
		}
	})
}

func TestArrayCancel(t *testing.T) {
	for _, test := range []struct {
		path, body string
		pending    []int64
		cancelled  []int64 // ids
	}{
		{"job/1_9", "", []int64{8}, nil}, // vanishes without a record
		{"job/1_1", "", []int64{8, 9}, []int64{3}},
		{"jobs/", `{"jobs":["1_[8-9]"]}`, nil, nil},
		{"job/1", "", []int64{8, 9}, []int64{1, 2, 3}}, // one record for all that never started
		{"job/2", "", []int64{8, 9}, []int64{2}},       // a task's own id
	} {
		t.Run(test.path+test.body, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				l.submit(sleepy, map[string]any{"array": "0,1,8,9%2"})
				time.Sleep(2 * time.Second)
				a := l.do("DELETE", "/slurm/v0.0.42/"+test.path, test.body)
				if got := a.decode(t); a.status != 200 || len(got.Status) != 0 {
					t.Errorf("%d %s", a.status, a.body)
				}
				var cancelled []int64
				for _, j := range l.s.Jobs() {
					if j.State == "CANCELLED" {
						cancelled = append(cancelled, j.ID)
					}
				}
				if test.path == "jobs/" {
					// The two were all that was left, and so they keep the record.
					l.expect(1, "CANCELLED", "None")
					return
				}
				if !slices.Equal(cancelled, test.cancelled) {
					t.Errorf("cancelled %v, want %v", cancelled, test.cancelled)
				}
				if got := l.job(1).PendingTask; !slices.Equal(got, test.pending) {
					t.Errorf("tasks of the rest %v, want %v", got, test.pending)
				}
			})
		})
	}
}

func TestHetJob(t *testing.T) {
	inBubble(t, func(l *lab) {
		second := job(map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:8"})
		busy := l.submit(sleepy, map[string]any{"partition": "a4", "minimum_nodes": 2, "tres_per_node": "gres/gpu:1"})
		leader := l.submitHet("#!/bin/bash\nsleep 20\n", job(nil), second)
		time.Sleep(5 * time.Second)
		// Together or not at all: the first component alone would fit.
		l.expect(leader, "PENDING", "None")
		l.expect(leader+1, "PENDING", "Resources")
		l.must(l.s.Finish(busy, "COMPLETED", 0))
		time.Sleep(time.Second)
		l.expect(leader, "RUNNING", "None")
		if j := l.expect(leader+1, "RUNNING", "None"); j.HetID != leader {
			t.Errorf("het id %d, want %d", j.HetID, leader)
		}
		time.Sleep(20 * time.Second)
		l.expect(leader, "COMPLETED", "None")
		l.expect(leader+1, "COMPLETED", "None")
	})
}

func TestHetCancel(t *testing.T) {
	inBubble(t, func(l *lab) {
		leader := l.submitHet(sleepy, job(nil), job(onA4), job(onA4))
		time.Sleep(2 * time.Second)
		l.do("DELETE", "/slurm/v0.0.42/job/2", "")
		time.Sleep(time.Second)
		l.expect(leader, "RUNNING", "None")
		l.expect(leader+1, "CANCELLED", "None")
		l.do("DELETE", "/slurm/v0.0.42/job/1", "")
		time.Sleep(time.Second)
		l.expect(leader, "CANCELLED", "None")
		l.expect(leader+2, "CANCELLED", "None")
	})
}

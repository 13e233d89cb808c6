package slurmtest_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestOrderOfChecks: of two mistakes, the one that Slurm finds first is told.
func TestOrderOfChecks(t *testing.T) {
	for _, test := range []struct {
		name    string
		script  string
		changes map[string]any
		number  int
	}{
		{"script before cwd", "", map[string]any{"current_working_directory": nil}, 9000},
		{"cwd before environment", quick, map[string]any{"current_working_directory": nil, "environment": nil}, 2063},
		{"environment before partition", quick, map[string]any{"environment": []string{}, "partition": "nope"}, 2019},
		{"partition before account", quick, map[string]any{"partition": "nope", "account": "nope"}, 2000},
		{"one of several partitions", quick, map[string]any{"partition": "cpu,nope"}, 2000},
		{"account before qos", quick, map[string]any{"account": "nope", "qos": "nope"}, 2045},
		{"types before everything", quick, map[string]any{"time_limit": "02:00:00", "environment": nil}, 9202},
		{"another generic resource", quick, map[string]any{"partition": "a4", "tres_per_node": "gres/tpu:1"}, 2072},
		{"an environment that is a string", quick, map[string]any{"environment": "PATH=/bin"}, 9208},
		{"a required node in another partition", quick, map[string]any{"required_nodes": []string{"g1"}}, 2014},
		{"more nodes than minimum allows", quick, map[string]any{"nodes": "2-1", "minimum_nodes": nil}, 2006},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				a := l.do("POST", submitURL, submitBody(test.script, test.changes))
				got := a.decode(t)
				if got.JobID != 0 || len(got.Errors) == 0 || got.Errors[0].Number != test.number {
					t.Errorf("%d %s, want error %d", a.status, a.body, test.number)
				}
			})
		})
	}
}

func TestRefusedSubmitsLeaveNoJobBut(t *testing.T) {
	for _, test := range []struct {
		changes map[string]any
		number  int
		left    bool
	}{
		{map[string]any{"partition": "nope"}, 2000, false},
		{map[string]any{"dependency": "afterok:99"}, 2038, false},
		{map[string]any{"minimum_nodes": 0}, 2006, true},
		{map[string]any{"minimum_nodes": 3}, 2014, true},
		{map[string]any{"tres_per_node": "gres/gpu:1"}, 2014, true},
	} {
		t.Run(fmt.Sprint(test.changes), func(t *testing.T) {
			inBubble(t, func(l *lab) {
				got := l.do("POST", submitURL, submitBody(quick, test.changes)).decode(t)
				if got.Errors[0].Number != test.number {
					t.Fatalf("error %d, want %d", got.Errors[0].Number, test.number)
				}
				jobs := l.s.Jobs()
				if !test.left {
					if len(jobs) != 0 {
						t.Errorf("left %v", jobs)
					}
					return
				}
				if j := l.expect(1, "FAILED", "BadConstraints"); j.Signal != 1 {
					t.Errorf("signal %d, want 1", j.Signal)
				}
				stored := l.do("GET", "/slurmdb/v0.0.42/jobs/?job_name=my-run", "").decode(t)
				if len(stored.Jobs) != 1 {
					t.Errorf("accounting has %d records of it, want 1", len(stored.Jobs))
				}
			})
		})
	}
}

func TestTimeLimits(t *testing.T) {
	for _, test := range []struct {
		limit any
		want  time.Duration
	}{
		{nil, 30 * time.Minute}, // the partition's default
		{120, 2 * time.Hour},
		{"120", 2 * time.Hour},
		{map[string]any{"set": true, "number": 120}, 2 * time.Hour},
		{map[string]any{"number": 120}, 30 * time.Minute}, // dropped without "set"
		{map[string]any{"set": true}, 0},
		{1.5, 2 * time.Minute},
		{map[string]any{"set": true, "infinite": true, "number": 5}, 0},
	} {
		t.Run(fmt.Sprint(test.limit), func(t *testing.T) {
			inBubble(t, func(l *lab) {
				id := l.submit(sleepy, map[string]any{"time_limit": test.limit})
				if got := l.job(id).TimeLimit; got != test.want {
					t.Errorf("limit %v, want %v", got, test.want)
				}
			})
		})
	}
}

func TestShapes(t *testing.T) {
	for _, test := range []struct {
		changes            map[string]any // of one node with one task
		nodes, tasks, cpus float64
		tres               string
	}{
		{nil, 1, 1, 1, "cpu=1,mem=256M,node=1,billing=1"},
		{map[string]any{"minimum_nodes": 2, "tasks_per_node": 3, "cpus_per_task": 2}, 2, 6, 12, "cpu=12,mem=3G,node=2,billing=12"},
		{map[string]any{"minimum_nodes": nil, "tasks_per_node": nil, "tasks": 4, "cpus_per_task": 4}, 2, 4, 16, "cpu=16,mem=4G,node=2,billing=16"},
		{map[string]any{"tasks": 2}, 2, 2, 2, "cpu=2,mem=512M,node=2,billing=2"}, // one task a node
		{map[string]any{"nodes": "2", "minimum_nodes": nil}, 2, 2, 2, "cpu=2,mem=512M,node=2,billing=2"},
		{map[string]any{"memory_per_cpu": 512, "memory_per_node": 1000}, 1, 1, 1, "cpu=1,mem=1000M,node=1,billing=1"},
		{map[string]any{"memory_per_node": "2G"}, 1, 1, 1, "cpu=1,mem=2G,node=1,billing=1"},
		{map[string]any{"memory_per_node": 0}, 1, 1, 1, "cpu=1,mem=32000M,node=1,billing=1"}, // all of a node's
		{map[string]any{"partition": "a4", "tres_per_node": "gres:gpu:b200:2", "minimum_nodes": 2}, 2, 2, 2,
			"cpu=2,mem=512M,node=2,billing=2,gres/gpu=4,gres/gpu:b200=4"},
		{map[string]any{"partition": "a4", "tres_per_job": "gres/gpu:4", "minimum_nodes": 2}, 2, 2, 2,
			"cpu=2,mem=512M,node=2,billing=2,gres/gpu=4"},
		{map[string]any{"partition": "a4", "tres_per_task": "gres/gpu:2", "tasks_per_node": 3}, 1, 3, 3,
			"cpu=3,mem=768M,node=1,billing=3,gres/gpu=6"},
	} {
		t.Run(fmt.Sprint(test.changes), func(t *testing.T) {
			inBubble(t, func(l *lab) {
				l.submit(sleepy, test.changes)
				for _, moment := range []string{"pending", "running"} {
					record := l.do("GET", "/slurm/v0.0.42/job/1", "").decode(t).Jobs[0]
					number := func(name string) any { return record[name].(map[string]any)["number"] }
					if n, k, c := number("node_count"), number("tasks"), number("cpus"); n != test.nodes || k != test.tasks || c != test.cpus {
						t.Errorf("%s: %v nodes %v tasks %v cpus", moment, n, k, c)
					}
					if record["tres_req_str"] != test.tres {
						t.Errorf("%s: %v, want %s", moment, record["tres_req_str"], test.tres)
					}
					time.Sleep(2 * time.Second)
				}
			})
		})
	}
}

func TestUnknownMembersWarnAndDoNothing(t *testing.T) {
	inBubble(t, func(l *lab) {
		got := l.do("POST", submitURL, submitBody(sleepy, map[string]any{
			"timelimit": 5, "resources": map[string]any{"gpus": 8, "nested": map[string]any{"deep": true}},
		})).decode(t)
		var sources []string
		for _, w := range got.Warnings {
			sources = append(sources, w.Source)
		}
		slices.Sort(sources)
		// Unknown objects are named by their members.
		want := []string{"#/job/resources/gpus/", "#/job/resources/nested/deep/", "#/job/timelimit/"}
		if got.JobID == 0 || !slices.Equal(sources, want) {
			t.Errorf("job %d with warnings about %v, want %v", got.JobID, sources, want)
		}
	})
}

func TestTransport(t *testing.T) {
	inBubble(t, func(l *lab) {
		for _, test := range []struct {
			name, header, value string
			status              int
			text                string
		}{
			{"a compressed body", "Content-Encoding", "gzip", 406, ""},
			{"a reader of HTML", "Accept", "text/html", 415, "Accept content type is unknown"},
			{"a reader of JSON with a weight", "Accept", "application/json;q=0.5", 200, ""},
			{"a charset", "Content-Type", "application/json; charset=utf-8", 400, "Unable to parse query."},
			{"another type", "Content-Type", "text/plain", 400, "Unable to parse query."},
		} {
			r := httptest.NewRequest("POST", submitURL, strings.NewReader(submitBody(quick, nil)))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(test.header, test.value)
			w := httptest.NewRecorder()
			l.s.ServeHTTP(w, r)
			if w.Code != test.status || test.text != "" && w.Body.String() != test.text {
				t.Errorf("%s: %d %q, want %d %q", test.name, w.Code, w.Body, test.status, test.text)
			}
			if closes := w.Header().Get("Connection") == "Close"; closes != (w.Code >= 400) {
				t.Errorf("%s: connection %q", test.name, w.Header().Get("Connection"))
			}
		}
	})
}

func TestChunkedBodyIsRefused(t *testing.T) {
	// A pipe as a body has no length, and slurmrestd takes no chunks.
	s := slurmtest.NewServer()
	r := httptest.NewRequest("POST", submitURL, strings.NewReader("{}"))
	r.TransferEncoding = []string{"chunked"}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 406 || w.Body.Len() != 0 {
		t.Errorf("%d %q, want an empty 406", w.Code, w.Body)
	}
}

func TestUpdates(t *testing.T) {
	for _, test := range []struct {
		name, body string
		start      bool
		check      func(*lab)
	}{
		{"rename", `{"name":"b","comment":"c"}`, false, func(l *lab) {
			if j := l.job(1); j.Name != "b" || j.Comment != "c" {
				l.t.Errorf("name %q comment %q", j.Name, j.Comment)
			}
		}},
		{"release", `{"hold":false}`, false, func(l *lab) { l.expect(1, "RUNNING", "None") }},
		{"release by priority", `{"priority":{"infinite":true,"set":true}}`, false, func(l *lab) { l.expect(1, "RUNNING", "None") }},
		{"still held", `{"time_limit":60}`, false, func(l *lab) { l.expect(1, "PENDING", "JobHeldUser") }},
		{"hold a running job", `{"hold":true}`, true, func(l *lab) { l.expect(1, "RUNNING", "JobHeldUser") }},
		{"wrapped in job", `{"job":{"hold":false}}`, false, func(l *lab) { l.expect(1, "PENDING", "JobHeldUser") }},
		{"a shorter limit ends it sooner", `{"time_limit":1}`, true, func(l *lab) {
			time.Sleep(time.Minute)
			l.expect(1, "TIMEOUT", "TimeLimit")
		}},
		{"a longer limit is refused", `{"time_limit":500}`, true, func(l *lab) {
			if got := l.job(1).TimeLimit; got != 2*time.Hour {
				l.t.Errorf("limit %v", got)
			}
		}},
		{"a later start", `{"hold":false,"begin_time":"now+1hour"}`, false, func(l *lab) { l.expect(1, "PENDING", "BeginTime") }},
		{"an unknown partition", `{"partition":"nope","name":"b"}`, false, func(l *lab) {
			if j := l.job(1); j.Name != "my-run" {
				l.t.Error("a refused update changed the name")
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				l.submit(sleepy, map[string]any{"hold": !test.start})
				time.Sleep(2 * time.Second)
				l.do("POST", "/slurm/v0.0.42/job/1", test.body)
				time.Sleep(2 * time.Second)
				test.check(l)
			})
		})
	}
}

func TestDoneJobsAreNotUpdated(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(quick, nil)
		time.Sleep(10 * time.Second)
		a := l.do("POST", "/slurm/v0.0.42/job/1", `{"name":"b"}`)
		if got := a.decode(t); a.status != 500 || got.Errors[0].Number != 2084 {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

func TestHistoryFilters(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(quick, nil)
		l.submit("#!/bin/bash\nexit 1\n", map[string]any{"name": "bad"})
		l.submit(sleepy, map[string]any{"partition": "a4"})
		l.submitAs("bob", sleepy, held)
		time.Sleep(time.Minute)
		now := time.Now().Unix()
		window := fmt.Sprintf("start_time=%d&end_time=%d&", now-3600, now)
		for query, want := range map[string]int{
			"":                                   4,
			"users=alice":                        3,
			"users=bob":                          1,
			"users=alice&users=bob":              4,
			"job_name=bad":                       1,
			"partition=a4":                       1,
			"node=g1":                            1,
			"node=n%5B1-2%5D":                    2,
			"state=RUNNING":                      1,
			"state=COMPLETED":                    0, // without both times it finds nothing that has ended
			window + "state=COMPLETED":           1,
			window + "state=completed":           1,
			window + "state=FAILED&state=FAILED": 1,
			window + "state=PENDING":             3, // filters nothing; the held job was never active
			fmt.Sprintf("start_time=%d", now-10): 1, // only what was active since
			"step=1&step=2":                      2,
			"bogus=1":                            4,
			"account=other":                      0,
		} {
			got := l.do("GET", "/slurmdb/v0.0.42/jobs/?"+query, "").decode(t)
			if len(got.Jobs) != want {
				t.Errorf("%q: %d records, want %d", query, len(got.Jobs), want)
			}
		}
	})
}

func TestUpdateTime(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(sleepy, nil)
		time.Sleep(10 * time.Second)
		path := func(ago time.Duration) string {
			return fmt.Sprintf("/slurm/v0.0.42/jobs/?update_time=%d", time.Now().Add(-ago).Unix())
		}
		if got := l.do("GET", path(5*time.Second), "").decode(t); len(got.Jobs) != 0 || len(got.Warnings) != 1 {
			t.Errorf("nothing has changed: %d jobs, %d warnings", len(got.Jobs), len(got.Warnings))
		}
		if got := l.do("GET", path(time.Minute), "").decode(t); len(got.Jobs) != 1 {
			t.Errorf("the start was since then: %d jobs, want the full list", len(got.Jobs))
		}
		l.submit(sleepy, held)
		if got := l.do("GET", path(0), "").decode(t); len(got.Jobs) != 2 {
			t.Errorf("a change within this second: %d jobs, want the full list", len(got.Jobs))
		}
		if got := l.do("GET", path(-time.Second), "").decode(t); len(got.Jobs) != 0 {
			t.Errorf("no change since the next second: %d jobs", len(got.Jobs))
		}
	})
}

// Some refusals come so late that the job has got its id.
func TestRefusalsThatUseAnID(t *testing.T) {
	for name, test := range map[string]struct {
		changes map[string]any
		uses    int64
	}{
		"unknown parent":      {map[string]any{"dependency": "afterok:99"}, 1},
		"unknown dependency":  {map[string]any{"dependency": "foo"}, 1},
		"unknown reservation": {map[string]any{"reservation": "zz"}, 1},
		"unknown license":     {map[string]any{"licenses": "zz"}, 0},
		"unknown partition":   {map[string]any{"partition": "zz"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(l *lab) {
				if id := l.do("POST", submitURL, submitBody(quick, test.changes)).decode(t).JobID; id != 0 {
					t.Fatalf("taken as job %d", id)
				}
				if id := l.submit(quick, nil); id != 1+test.uses {
					t.Errorf("the next job is %d, want %d", id, 1+test.uses)
				}
			})
		})
	}
}

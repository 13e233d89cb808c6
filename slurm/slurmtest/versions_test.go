package slurmtest_test

import (
	"strings"
	"testing"
	"time"
)

// TestVersions looks for what tells the versions of the API apart. TestReplay
// compares whole answers.
func TestVersions(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(sleepy, map[string]any{"partition": "a4", "shared": []string{"none"}, "required_switches": 2})
		time.Sleep(2 * time.Second)
		for _, test := range []struct {
			method, path, body string
			have, lack         string // in v0.0.40
			old41              bool   // v0.0.41 is like v0.0.40
		}{
			{"GET", "/slurm/V/job/1", "", `"exclusive":["true"],"oversubscribe":false`, "priority_by_partition", true},
			{"GET", "/slurm/V/job/1", "", `"minimum_switches":2`, "required_switches", true},
			{"GET", "/slurm/V/job/1", "", `"allocated_nodes":[{"sockets":{"0":{"cores":{"0":"allocated"`, "select_type", false},
			{"GET", "/slurmdb/V/job/1", "", `"flags":[`, "restart_cnt", true},
			{"GET", "/slurmdb/V/job/1", "", `"submission":`, "planned", false},
			{"GET", "/slurm/V/ping/", "", `"pinged":"UP"`, "responding", true},
			{"GET", "/slurm/V/ping/", "", `"data_parser\/V"`, "v0.0.42", true},
			{"POST", "/slurm/V/job/1", `{"comment":"x"}`, `"job_id":"","step_id":""`, "nothing", true},
			{"POST", "/slurm/V/job/submit", submitBody(sleepy, held), `"error_code":2042`, "nothing", true},
			{"DELETE", "/slurm/V/job/1?signal=CONT", "", `"errors":[]`, `"status"`, true},
			{"GET", "/slurm/V/jobs/?update_time=1", "", `"error_number":9202`, "nothing", true},
			{"GET", "/slurm/V/jobs/?update_time=uts1", "", `"errors":[]`, "nothing", true},
		} {
			for _, version := range []string{"v0.0.40", "v0.0.41", "v0.0.42"} {
				old := version == "v0.0.40" || version == "v0.0.41" && test.old41
				in := func(text string) string { return strings.ReplaceAll(text, "V", version) }
				body := string(l.do(test.method, in(test.path), test.body).body)
				has := strings.Contains(body, in(test.have))
				lacks := !strings.Contains(body, test.lack) || test.lack == version
				if old && !(has && lacks) {
					t.Errorf("%s %s: want %s and no %s in %.300s", test.method, in(test.path), test.have, test.lack, body)
				}
			}
		}
		if a := l.do("GET", "/slurmdb/v0.0.41/ping/", ""); a.status != 404 {
			t.Errorf("v0.0.41 pings slurmdbd: %d", a.status)
		}
	})
}

// A submit of each version says in its own words that a job wants its nodes for
// itself.
func TestExclusiveByVersion(t *testing.T) {
	for path, test := range map[string]struct {
		member string
		value  any
	}{
		"v0.0.40": {"exclusive", []string{"true"}},
		"v0.0.41": {"exclusive", []string{"true"}},
		"v0.0.42": {"shared", []string{"none"}},
	} {
		inBubble(t, func(l *lab) {
			url := strings.ReplaceAll(submitURL, "v0.0.42", path)
			got := l.do("POST", url, submitBody(sleepy, map[string]any{test.member: test.value})).decode(t)
			if len(got.Warnings) != 0 {
				t.Errorf("%s: warned %v", path, got.Warnings)
			}
			if shared := l.at("/slurm/v0.0.42/job/1", "jobs.0.shared"); shared != "[none]" {
				t.Errorf("%s: shared %s, want none", path, shared)
			}
		})
	}
	inBubble(t, func(l *lab) {
		got := l.do("POST", submitURL, submitBody(sleepy, map[string]any{"exclusive": []string{"true"}})).decode(t)
		if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0].Description, `unknown field "exclusive"`) {
			t.Errorf("v0.0.42: %v, want a warning about exclusive", got.Warnings)
		}
	})
}

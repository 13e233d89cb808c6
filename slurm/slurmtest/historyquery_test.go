package slurmtest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// seen is what a query finds, as a real Slurm 24.11.5 answers it: number, start, end and elapsed of each record, in
// seconds of the bubble, whose clock starts in the year 2000.
func seen(l *lab, query string) string {
	l.t.Helper()
	var r struct {
		Jobs []struct {
			ID   int64 `json:"job_id"`
			Time struct{ Start, End, Elapsed int64 }
		}
	}
	if err := json.Unmarshal(l.do("GET", "/slurmdb/v0.0.42/jobs/?"+query, "").body, &r); err != nil {
		l.t.Fatal(err)
	}
	const zero = 946684800
	var all []string
	for _, j := range r.Jobs {
		text, _ := json.Marshal([]int64{j.ID, j.Time.Start - zero, max(j.Time.End-zero, 0), j.Time.Elapsed})
		all = append(all, string(text))
	}
	return strings.Join(all, " ")
}

// TestHistoryFlags: one such word in a query takes the defaults of all others away.
func TestHistoryFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t)
		submit := func(script string) {
			l.do("POST", "/slurm/v0.0.42/job/submit", submission(t, script))
		}
		submit("sleep 100") // from 1 to 101
		submit("sleep 500") // requeued at 40
		time.Sleep(40 * time.Second)
		if err := l.s.Requeue(2); err != nil {
			t.Fatal(err)
		}
		time.Sleep(360 * time.Second) // the second run is from 162 on
		const window = "start_time=uts946684850&end_time=uts946684890"
		const all = "start_time=uts946684800&end_time=uts946685300"
		for query, want := range map[string]string{
			window:                      "[1,1,101,100]",
			window + "&skip_steps=true": "[1,50,90,40]",
			window + "&skip_steps=true&disable_truncate_usage_time=true": "[1,1,101,100]",
			window + "&skip_steps=false":                                 "[1,1,101,100]",
			all:                                                          "[1,1,101,100] [2,1,40,39] [2,162,0,237]",
			all + "&skip_steps=true":                                     "[1,1,101,100] [2,162,400,238]",
			all + "&skip_steps=true&show_duplicates=true":                "[1,1,101,100] [2,1,40,39] [2,162,400,238]",
			all + "&show_duplicates=true&disable_truncate_usage_time=true": "[1,1,101,100] [2,1,40,39] [2,162,0,237]",
		} {
			if got := seen(l, query); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	})
}

func submission(t *testing.T, script string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"job": job(nil), "script": "#!/bin/bash\n" + script + "\n"})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestNodeFilterIsOneText(t *testing.T) {
	l := newLab(t)
	r := l.do("GET", "/slurmdb/v0.0.42/jobs/?node=g1&node=n1", "")
	if a := r.decode(t); r.status != 422 || len(a.Errors) != 1 || a.Errors[0].Number != 9000 || len(a.Warnings) != 1 ||
		!strings.Contains(a.Warnings[0].Description, `but got OpenAPI type=array (Slurm type=list): ["g1","n1"]`) {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestLongQueries(t *testing.T) {
	l := newLab(t)
	const path = "/slurmdb/v0.0.42/jobs/?job_name="
	if r := l.do("GET", path+strings.Repeat("x", 49146-len(path)), ""); r.status != 200 {
		t.Errorf("status %d", r.status)
	}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("got %v, want a connection that is reset", got)
		}
	}()
	l.do("GET", path+strings.Repeat("x", 49147-len(path)), "")
}

func TestFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, slurmtest.WithScheduleDelay(0))
		l.s.WriteFile("/home/big.sh", "#!/bin/sh\nsleep 5\n[ $1 = a ] && exit 4\nexit 5\n")
		l.s.WriteFile("/home/plain", "exit 1\n")
		for script, want := range map[string]int{
			"/home/big.sh a; exit 9":                       9,
			"/home/big.sh a":                               4,
			"exec /home/big.sh a; exit 9":                  4,
			"exec /home/big.sh b":                          5,
			"/home/plain":                                  8,
			"[ -f /home/big.sh ] && exit 3":                3,
			"if [ ! -r /home/lost ]; then\n  exit 66\nfi":  66,
			"if [ ! -x /home/big.sh ]; then\n  exit 6\nfi": 0,
		} {
			id := l.do("POST", "/slurm/v0.0.42/job/submit", submission(t, script)).decode(t).JobID
			time.Sleep(time.Minute)
			if j, _ := l.s.Job(id); j.ExitCode != want {
				t.Errorf("%s: exit code %d, want %d", script, j.ExitCode, want)
			}
		}
	})
}

package slurm

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// replay is a Caller that gives one recorded answer, whatever it is asked.
type replay struct{ resp *cluster.SlurmResponse }

func (r replay) CallSlurm(context.Context, string, *cluster.SlurmRequest, ...gax.CallOption) (*cluster.SlurmResponse, error) {
	return r.resp, nil
}

func replayed(t *testing.T, r recording) *Client {
	t.Helper()
	c, err := NewClient(replay{r.response()}, "training")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	submitPath = regexp.MustCompile(`^/slurm/[^/]*/job/submit$`)
	jobPath    = regexp.MustCompile(`^/slurm/v0\.0\.42/job/(\d+(?:_\d+)?)$`)
)

// Each recorded answer to a submit, judged by the verb: there is a job exactly if the answer has its number, and
// nothing a real Slurm says leaves that open.
func TestReplaySubmits(t *testing.T) {
	jobs, refusals := 0, 0
	for _, r := range recordings(t) {
		if r.Method != "POST" || !submitPath.MatchString(r.Path) || r.Status == 0 {
			continue
		}
		spec := &JobSpec{Script: "#!/bin/sh\n", WorkingDirectory: "/home/alice"}
		id, err := replayed(t, r).Submit(t.Context(), spec)
		if want := regexp.MustCompile(`"job_id":\s*[1-9]`).Match(r.Body); want != (id != "") {
			t.Errorf("%s: got %q, %v", r.Name, id, err)
		}
		if id != "" {
			jobs++
		} else if refusals++; err == nil || errors.Is(err, ErrUncertain) && r.Type == "application/json" {
			t.Errorf("%s: refused, got %v", r.Name, err)
		}
		if id != "" && err != nil && !errors.Is(err, ErrPartial) {
			t.Errorf("%s: %q and %v", r.Name, id, err)
		}
	}
	if jobs < 60 || refusals < 50 {
		t.Errorf("%d jobs and %d refusals: the pattern is wrong", jobs, refusals)
	}
}

// A cancel succeeds exactly if each of its outcomes is that the job had ended.
func TestReplayCancels(t *testing.T) {
	done := 0
	for _, r := range recordings(t) {
		name := jobPath.FindStringSubmatch(r.Path)
		if r.Method != "DELETE" || name == nil {
			continue
		}
		done++
		err := replayed(t, r).Cancel(t.Context(), JobID(name[1]))
		codes := regexp.MustCompile(`"code":(\d+)`).FindAllStringSubmatch(strings.ReplaceAll(string(r.Body), " ", ""), -1)
		bad := r.Status != 200
		for _, code := range codes {
			bad = bad || code[1] != "2021"
		}
		if bad != (err != nil) {
			t.Errorf("%s: got %v", r.Name, err)
		}
	}
	if done < 15 {
		t.Errorf("%d cancels: the pattern is wrong", done)
	}
}

// A read by id gives the job that was asked for or an error, never another one.
func TestReplayGets(t *testing.T) {
	found, missing := 0, 0
	for _, r := range recordings(t) {
		name := jobPath.FindStringSubmatch(r.Path)
		if r.Method != "GET" || name == nil {
			continue
		}
		id := JobID(name[1])
		job, err := replayed(t, r).Get(t.Context(), id)
		if job == nil {
			if missing++; err == nil {
				t.Errorf("%s: neither job nor error", r.Name)
			}
			continue
		}
		found++
		if task, ok := id.Task(); ok && (job.ArrayJobID != id.job() || job.IsArrayTask && job.ArrayTaskID != task) ||
			!ok && job.RawID != id.Number() && job.ArrayJobID != id && job.HetJobID != id {
			t.Errorf("%s: asked for %s, got %v", r.Name, id, job)
		}
		if err != nil && !errors.Is(err, ErrPartial) {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	if found < 60 || missing < 5 {
		t.Errorf("%d found and %d missing: the pattern is wrong", found, missing)
	}
}

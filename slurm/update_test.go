package slurm_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestUpdateBody(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"results":null,"errors":[],"warnings":[]}`})
	err := c.Update(t.Context(), "42", &slurm.JobUpdate{
		Name: "n", Comment: "c", Partition: "a4", Account: "a", QOS: "q", Reservation: "r", Constraints: "x", Licenses: "l:1",
		Dependency: slurm.AfterAny("7"), TimeLimit: time.Hour, TimeMinimum: time.Minute, Begin: time.Unix(100, 0), Deadline: time.Unix(200, 0),
		MinNodes: 1, MaxNodes: 2, TRESPerNode: "gres/gpu:1", Requeue: new(false), Nice: 5, Priority: 6,
		MailTypes: []slurm.MailType{slurm.MailFail}, MailUser: "m", ExcludedNodes: []string{"g1"}, Extra: map[string]any{"prefer": ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	// No "job" around it, no environment in it: Slurm would ignore the one and replace the other.
	const want = `{"account":"a","begin_time":{"number":100,"set":true},"comment":"c","constraints":"x","deadline":200,"dependency":"afterany:7",` +
		`"excluded_nodes":["g1"],"licenses":"l:1","mail_type":["FAIL"],"mail_user":"m","maximum_nodes":2,"minimum_nodes":1,"name":"n","nice":5,` +
		`"partition":"a4","prefer":"","priority":{"number":6,"set":true},"qos":"q","requeue":false,"reservation":"r",` +
		`"time_limit":{"number":60,"set":true},"time_minimum":{"number":1,"set":true},"tres_per_node":"gres/gpu:1"}`
	if got := canonical(t, s.requests[0].Body); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	if s.requests[0].Method != "POST" || s.requests[0].Path != "/slurm/v0.0.42/job/42" {
		t.Errorf("sent %s %s", s.requests[0].Method, s.requests[0].Path)
	}
}

func TestUpdateRefusedHere(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{}`})
	for field, update := range map[string]*slurm.JobUpdate{
		"JobUpdate":        {},
		"TimeLimit":        {TimeLimit: -time.Minute},
		"MailTypes":        {MailTypes: []slurm.MailType{"NEVER"}},
		"Dependency":       {Dependency: "soon"},
		`Extra["name"]`:    {Name: "a", Extra: map[string]any{"name": "b"}},
		`Extra["user_id"]`: {Extra: map[string]any{"user_id": "bob"}},
		"ExcludedNodes[0]": {ExcludedNodes: []string{""}},
	} {
		if err := c.Update(t.Context(), "42", update); inputProblems(t, err)[field] == "" {
			t.Errorf("%v does not blame %s", err, field)
		}
	}
	if err := c.Update(t.Context(), "42", nil); err == nil {
		t.Error("a nil update was accepted")
	}
	if len(s.requests) != 0 {
		t.Error("something was sent")
	}
}

func TestUpdateVerdicts(t *testing.T) {
	for _, tt := range []struct {
		why, body string
		status    int
		is        error
	}{
		{"done", `{"results":null,"errors":[]}`, 200, nil},
		{"an array, all done", `{"results":[{"job_id":42,"step_id":"42_1","error":"No error","error_code":0,"why":""}],"errors":[]}`, 200, nil},
		{"an array, one refused", `{"results":[{"job_id":42,"step_id":"42_1","error":"denied","error_code":2002,"why":"limit"}],"errors":[]}`, 200, slurm.ErrPermission},
		{"unknown", `{"errors":[{"error_number":2017}]}`, 404, slurm.ErrNotFound},
		{"ended", `{"errors":[{"error_number":2084}]}`, 500, slurm.ErrAlreadyDone},
		{"held", `{"errors":[{"error_number":2042}]}`, 500, slurm.ErrInvalid},
	} {
		c, _ := newScripted(t, answer{status: tt.status, body: tt.body})
		if err := c.Update(t.Context(), "42", &slurm.JobUpdate{Name: "n"}); !errors.Is(err, tt.is) {
			t.Errorf("%s: got %v, want %v", tt.why, err, tt.is)
		}
	}
}

func TestUpdateHoldRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		id := b.submit(t, "sleep 100", func(s *slurm.JobSpec) { s.Hold = true })
		time.Sleep(time.Minute)
		if err := b.Update(t.Context(), id, &slurm.JobUpdate{TimeLimit: 5 * time.Minute, Comment: "short"}); err != nil {
			t.Fatal(err)
		}
		job, err := b.Get(t.Context(), id)
		if err != nil || job.TimeLimit != 5*time.Minute || job.Comment != "short" || !job.Pending() || !job.Hold {
			t.Errorf("got %v, %v", job, err)
		}
		if err := b.Release(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if job, err = b.Get(t.Context(), id); err != nil || !job.Running() {
			t.Errorf("got %v, %v: released", job, err)
		}
		other := b.submit(t, "sleep 100")
		if err := b.Hold(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if job, err = b.Get(t.Context(), other); err != nil || !job.Pending() {
			t.Errorf("got %v, %v: held", job, err)
		}
	})
}

// Slurm's update knows neither tasks nor components by their names.
func TestUpdateParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		array := b.submit(t, "sleep 1000", func(s *slurm.JobSpec) { s.Array = "0-4%2" })
		time.Sleep(10 * time.Second)
		change := &slurm.JobUpdate{Comment: "changed"}
		if err := b.Update(t.Context(), array.WithTask(0), change); err != nil {
			t.Errorf("a running task: %v", err)
		}
		for task, want := range []string{"changed", ""} {
			if job, err := b.Get(t.Context(), array.WithTask(int64(task))); err != nil || job.Comment != want {
				t.Errorf("task %d: got %q, %v", task, job.Comment, err)
			}
		}
		err := b.Update(t.Context(), array.WithTask(4), change)
		if text := inputProblems(t, err)["JobID"]; !strings.Contains(text, string(array)) {
			t.Errorf("a task that has not started: %v", err)
		}
		if err := b.Update(t.Context(), array.WithTask(9), change); !errors.Is(err, slurm.ErrNotFound) {
			t.Errorf("a task that does not exist: %v", err)
		}
		if err := b.Update(t.Context(), array, change); err != nil {
			t.Errorf("the array: %v", err)
		}
		// The last task to start goes by the number of its array, which would change the other one too.
		started := b.submit(t, "sleep 1000", func(s *slurm.JobSpec) { s.Array, s.Partition = "0-1", "a4" })
		time.Sleep(10 * time.Second)
		if err := b.Update(t.Context(), started.WithTask(1), change); inputProblems(t, err)["JobID"] == "" {
			t.Errorf("the last task: %v", err)
		}
	})
}

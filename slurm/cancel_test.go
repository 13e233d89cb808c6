package slurm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func TestCancelVerdicts(t *testing.T) {
	outcome := func(code int, step string) string {
		return fmt.Sprintf(`{"error":{"string":"s","code":%d,"message":"m"},"step_id":%q,"job_id":{"set":true,"number":142}}`, code, step)
	}
	tests := []struct {
		why, status string
		cancel      error // what a cancel gives; nil is success
		signal      error
	}{
		{"no complaint", ``, nil, nil},
		{"has ended: what a cancel wants", outcome(2021, "142"), nil, slurm.ErrAlreadyDone},
		{"unknown", outcome(2017, "142"), slurm.ErrNotFound, slurm.ErrNotFound},
		{"another user's", outcome(2002, "142"), slurm.ErrPermission, slurm.ErrPermission},
		{"some tasks of an array have ended", outcome(2021, "142_1") + "," + outcome(2021, "142_0"), nil, nil},
		{"one of several is another user's", outcome(2021, "142_1") + "," + outcome(2002, "142_0"), slurm.ErrPermission, slurm.ErrPermission},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			c, s := newScripted(t, answer{status: 200, body: `{"status":[` + tt.status + `],"errors":[],"warnings":[]}`})
			if err := c.Cancel(t.Context(), "142"); !errors.Is(err, tt.cancel) {
				t.Errorf("Cancel gave %v, want %v", err, tt.cancel)
			}
			err := c.Signal(t.Context(), "142", "USR1")
			if !errors.Is(err, tt.signal) {
				t.Errorf("Signal gave %v, want %v", err, tt.signal)
			}
			if err != nil && !strings.Contains(err.Error(), "job 142") {
				t.Errorf("%q does not name the job", err)
			}
			if s.requests[0].Repeat != cluster.RepeatAlways || s.requests[1].Repeat != cluster.RepeatDefault {
				t.Error("a cancel may be repeated, a signal may not")
			}
		})
	}
	for status, want := range map[string]string{
		`{"error":{"code":2020,"message":"Job can not be altered now, try again later"},"step_id":"142"}`: "2020 Job can not be altered now, try again later: job 142",
		`{"error":{"code":0,"message":"No error"},"step_id":"142"}`:                                       "job 142: No error",
		`{"error":null,"step_id":"142"}`:                                                                  "job 142: no reason given",
		`{"error":{"code":"soon"},"step_id":"142"}`:                                                       "status[0].error.code: want an integer",
		`5`: "status[0]: want an object, got 5",
	} {
		c, _ := newScripted(t, answer{status: 200, body: `{"status":[` + status + `],"errors":[]}`})
		for _, err := range []error{c.Cancel(t.Context(), "142"), c.Signal(t.Context(), "142", "USR1")} {
			var failure *slurm.Error
			if !errors.As(err, &failure) || failure.JobID != "142" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q: an entry is a failure, even one that says nothing", status, err, want)
			}
		}
	}
	c, _ := newScripted(t, answer{status: 200, body: `{"status":[],"errors":[{"error_number":0,"error":"No error","description":"Unknown signal (null)"}]}`})
	if err := c.Signal(t.Context(), "142", "USR1"); err == nil || !strings.Contains(err.Error(), "Unknown signal") {
		t.Errorf("got %v: errors[] counts, whatever its number says", err)
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		running, pending := b.submit(t, "sleep 600"), b.submit(t, "sleep 600", func(s *slurm.JobSpec) { s.Hold = true })
		time.Sleep(5 * time.Second)
		for _, id := range []slurm.JobID{running, pending, running} {
			if err := b.Cancel(t.Context(), id); err != nil {
				t.Errorf("cancel %s: %v", id, err)
			}
			job, err := b.Wait(t.Context(), id)
			var failure *slurm.JobError
			if !errors.As(err, &failure) || !failure.Cancelled() || job.State != slurm.StateCancelled {
				t.Errorf("got %v, %v", job, err)
			}
		}
		if err := b.Cancel(t.Context(), "4711"); !errors.Is(err, slurm.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		other, err := b.srv.AddJob("bob", []byte(`{"script":"#!/bin/sh\nsleep 600\n","job":{"environment":["A=1"],"current_working_directory":"/home/bob"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Cancel(t.Context(), slurm.NewJobID(other)); !errors.Is(err, slurm.ErrPermission) {
			t.Errorf("got %v, want ErrPermission", err)
		}
	})
}

func TestCancelPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		array := b.submit(t, "sleep 600", func(s *slurm.JobSpec) { s.Array = "0-2" })
		time.Sleep(5 * time.Second)
		b.srv.ResetRequests()
		if err := b.Cancel(t.Context(), array.WithTask(1)); err != nil {
			t.Fatal(err)
		}
		// Asked for a range or the array, Slurm would cancel more than the task.
		b.wantPaths(t, "DELETE /slurm/v0.0.42/job/"+string(array)+"_1")
		time.Sleep(time.Minute)
		for task, want := range []slurm.State{slurm.StateRunning, slurm.StateCancelled, slurm.StateRunning} {
			if job, err := b.Get(t.Context(), array.WithTask(int64(task))); err != nil || job.State != want {
				t.Errorf("task %d: got %v, %v; want %s", task, job, err, want)
			}
		}
		if err := b.Cancel(t.Context(), array); err != nil {
			t.Errorf("an array of which a task has ended: %v", err)
		}

		het, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), {WorkingDirectory: "/home/alice"}})
		if err != nil {
			t.Fatal(err)
		}
		b.srv.ResetRequests()
		if err := b.Cancel(t.Context(), het.JobID+"+1"); err != nil {
			t.Fatal(err)
		}
		b.wantPaths(t, "GET /slurm/v0.0.42/job/"+string(het.JobID), "DELETE /slurm/v0.0.42/job/"+string(slurm.NewJobID(het.JobID.Number()+1)))
		if err := b.Cancel(t.Context(), het.JobID+"+7"); !errors.Is(err, slurm.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}

func TestCancelIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		id := b.submit(t, "sleep 600")
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDropAfter})
		if err := b.Cancel(t.Context(), id); err != nil {
			t.Errorf("a cancel whose answer is lost: %v", err)
		}
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDropAfter})
		if err := b.Signal(t.Context(), id, "USR1"); !errors.Is(err, cluster.ErrUnavailable) {
			t.Errorf("a signal whose answer is lost: %v", err)
		}
	})
}

func TestSignalNames(t *testing.T) {
	for name, want := range map[string]string{
		"USR1": "USR1", "SIGUSR1": "USR1", "usr1": "USR1", "10": "USR1", " TERM ": "TERM", "SIGKILL": "KILL", "9": "KILL", "11": "11", "31": "31",
		"": "", "NOPE": "", "SIGNOPE": "", "0": "", "-9": "", "32": "", "+9": "", "USR1&flags=x": "", "1e1": "",
	} {
		c, s := newScripted(t, answer{status: 200, body: `{"status":[],"errors":[]}`})
		err := c.Signal(t.Context(), "142", name)
		switch {
		case want == "" && (!errors.Is(err, slurm.ErrInvalid) || len(s.requests) != 0):
			t.Errorf("%q: sent, %v: Slurm kills the job for a name it does not know", name, err)
		case want != "" && (err != nil || s.requests[0].Path != "/slurm/v0.0.42/job/142?signal="+want):
			t.Errorf("%q: sent %v, %v; want %s", name, s.requests, err, want)
		}
	}
}

func TestSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		id := b.submit(t, "trap : USR1\nsleep 600")
		if err := b.Signal(t.Context(), id, "USR1"); err == nil || !strings.Contains(err.Error(), "2020") {
			t.Errorf("a pending job: %v", err)
		}
		time.Sleep(5 * time.Second)
		b.srv.ResetRequests()
		if err := b.Signal(t.Context(), id, "SIGUSR1", slurm.ScriptOnly()); err != nil {
			t.Fatal(err)
		}
		b.wantPaths(t, "DELETE /slurm/v0.0.42/job/"+string(id)+"?flags=BATCH_JOB&signal=USR1")
		if job, err := b.Get(t.Context(), id); err != nil || !job.Running() {
			t.Errorf("got %v, %v: a signal is no cancel", job, err)
		}
	})
}

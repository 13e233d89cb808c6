package slurmtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

func TestSuspend(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep 20\n", map[string]any{"time_limit": 1})
		time.Sleep(2 * time.Second)
		l.must(l.s.Suspend(1))
		time.Sleep(time.Hour)
		l.expect(1, "SUSPENDED", "None")
		if state := l.at("/slurmdb/v0.0.42/job/1", "jobs.0.state.current"); state != "[SUSPENDED]" {
			t.Errorf("recorded %s, want SUSPENDED", state)
		}
		got := l.do("DELETE", "/slurm/v0.0.42/job/1?signal=USR1", "").decode(t)
		if len(got.Status) != 1 || got.Status[0].Error.Code != 2020 {
			t.Errorf("signal: %v, want 2020", got.Status)
		}
		if err := l.s.Suspend(1); err == nil || !strings.Contains(err.Error(), "it is SUSPENDED") {
			t.Errorf("second Suspend: %v", err)
		}
		l.must(l.s.Resume(1))
		l.expect(1, "RUNNING", "None")
		time.Sleep(20 * time.Second)
		l.expect(1, "COMPLETED", "None") // neither script nor time limit went on
		if err := l.s.Resume(1); err == nil {
			t.Error("an ended job was resumed")
		}
	})
}

func TestCancelSuspended(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(sleepy, nil)
		time.Sleep(2 * time.Second)
		l.must(l.s.Suspend(1))
		l.do("DELETE", "/slurm/v0.0.42/job/1", "")
		time.Sleep(time.Second)
		l.expect(1, "CANCELLED", "None")
	})
}

func TestRequeueHeld(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit("#!/bin/bash\nsleep 20\n", nil)
		time.Sleep(2 * time.Second)
		l.must(l.s.RequeueHeld(1, true))
		time.Sleep(time.Hour)
		l.expect(1, "PENDING+SPECIAL_EXIT", "JobHeldUser")
		l.do("POST", "/slurm/v0.0.42/job/1", `{"hold":false}`)
		time.Sleep(30 * time.Second)
		if j := l.expect(1, "COMPLETED", "None"); len(j.Flags) != 0 || j.Restarts != 1 {
			t.Errorf("flags %v after %d restarts, want none after 1", j.Flags, j.Restarts)
		}
	})
}

// Root may hold and cancel anybody's jobs.
func TestAdministrator(t *testing.T) {
	inBubble(t, func(l *lab) {
		l.submit(sleepy, nil)
		l.send("root", "POST", "/slurm/v0.0.42/job/1", "application/json", `{"hold":true}`)
		l.expect(1, "PENDING", "JobHeldAdmin")
		l.send("root", "DELETE", "/slurm/v0.0.42/job/1", "", "")
		l.expect(1, "CANCELLED", "JobHeldAdmin")
		if who := l.at("/slurmdb/v0.0.42/job/1", "jobs.0.kill_request_user"); who != "root" {
			t.Errorf("cancelled by %s, want root", who)
		}
	})
}

func TestReservation(t *testing.T) {
	inBubble(t, func(l *lab) {
		reserved := map[string]any{"reservation": "maint"}
		l.submitAs("bob", sleepy, reserved)
		l.submit(sleepy, nil)
		l.submit(sleepy, map[string]any{"minimum_nodes": 2})
		time.Sleep(2 * time.Second)
		if nodes := l.job(1).Nodes + " " + l.job(2).Nodes; nodes != "n2 n1" {
			t.Errorf("nodes %s, want n2 with the reservation and n1 without", nodes)
		}
		l.expect(3, "PENDING", "ReqNodeNotAvail")
		got := l.do("POST", submitURL, submitBody(sleepy, reserved)).decode(t)
		if len(got.Errors) != 1 || got.Errors[0].Number != 2052 {
			t.Errorf("alice: %v, want 2052", got.Errors)
		}
	}, slurmtest.WithReservation(slurmtest.Reservation{Name: "maint", Nodes: []string{"n2"}, Users: []string{"bob"}}))
}

package slurmtest_test

import (
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// leftOut are the recordings that are not replayed, with the reason.
var leftOut = map[string]string{
	"job_with_steps":             "scripts are read and not run: an srun is no step of its own",
	"slurmdb_job_with_steps":     "scripts are read and not run: an srun is no step of its own",
	"job_pending_qos_max_jobs":   "there are no limits of a QOS",
	"job_pending_qos_grp_gres":   "there are no limits of a QOS",
	"node_cloud":                 "nodes that are powered down are not simulated, only the time they take to come up",
	"job_het_alloc_after_delete": "a job of job/allocate, which has no script, is not served",
	"kill_partition_signal":      "the order of status[] is that of the controller's hash table",
}

// then lets a job run for a moment, does something to it, and waits.
func then(id int64, changes map[string]any, do func(*lab) error, names string, ignore ...string) scenario {
	return scenario{options: first(id), recordings: strings.Fields(names), ignore: ignore, prepare: func(l *lab) {
		l.submit(sleepy, changes)
		time.Sleep(2 * time.Second)
		l.must(do(l))
		time.Sleep(2 * time.Second)
	}}
}

func reservationScenarios() []scenario {
	maint := slurmtest.WithReservation(slurmtest.Reservation{
		Name: "maint", Nodes: []string{"n2"}, Users: []string{"bob"},
	})
	return []scenario{
		{
			ignore: []string{"/job_id"}, options: []slurmtest.Option{maint},
			recordings: []string{"submit_reservation_denied", "submit_reservation_ok"},
		},
		{options: append(first(4250), maint), recordings: []string{"job_reservation"}, prepare: func(l *lab) {
			l.submitAs("bob", sleepy, map[string]any{"reservation": "maint", "current_working_directory": "/home/bob"})
			time.Sleep(2 * time.Second)
		}},
		{
			// A reservation has no end here, from which the start could be forecast.
			options: append(first(4251), maint), recordings: []string{"job_pending_reserved_node"},
			ignore: []string{"/start_time", "/end_time", "/scheduled_nodes", "/accrue_time"},
			prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{"required_nodes": []string{"n2"}})
				time.Sleep(2 * time.Second)
			},
		},
		{options: []slurmtest.Option{slurmtest.WithAccounts()}, recordings: []string{"submit_no_association"}},
	}
}

// adminScenarios are what an administrator, the cluster's settings or a job's
// nature brought about.
func adminScenarios() []scenario {
	full := map[string]any{"minimum_nodes": 2, "tasks_per_node": 8, "partition": "lo", "time_limit": nil}
	asRoot := func(method, path, body string) func(*lab) error {
		return func(l *lab) error {
			l.send("root", method, path, "application/json", body)
			return nil
		}
	}
	more := func(id int64, p slurmtest.Partition) []slurmtest.Option {
		return append(first(id), slurmtest.WithPartitions(p))
	}
	n := slurmtest.Nodes("n[1-2]", slurmtest.Node{CPUs: 8, MemoryMB: 32000})
	preempted := then(4253, full, func(l *lab) error { return l.s.Finish(4253, "PREEMPTED", 0) },
		"job_preempted slurmdb_job_preempted")
	preempted.options = more(4253, slurmtest.Partition{Name: "lo", Nodes: n, DefaultTime: 30 * time.Minute})
	cloud := slurmtest.Partition{
		Name: "cloud", DefaultTime: 30 * time.Minute, Nodes: slurmtest.Nodes("c1", slurmtest.Node{CPUs: 4, MemoryMB: 8000}),
	}
	return []scenario{
		then(150, nil, asRoot("DELETE", "/slurm/v0.0.42/job/150", ""), "job_cancelled_by_admin slurmdb_job_cancelled_by_admin"),
		then(161, map[string]any{"begin_time": "now+1hour"}, asRoot("POST", "/slurm/v0.0.42/job/161", `{"hold":true}`),
			"job_pending_held_admin"),
		then(172, onA4, func(l *lab) error { return l.s.RequeueHeld(172, false) }, "job_requeue_hold"),
		then(173, onA4, func(l *lab) error { return l.s.RequeueHeld(173, true) }, "job_special_exit"),
		then(171, onA4, func(l *lab) error {
			l.must(l.s.Requeue(171))
			time.Sleep(3 * time.Minute)
			return l.s.Suspend(171)
		}, "job_suspended slurmdb_job_suspended"),
		preempted,
		then(1, nil, func(l *lab) error {
			l.do("DELETE", "/slurm/v0.0.42/job/1", "")
			return nil
		}, "slurmdb_job_id_float"),
		{options: first(7), recordings: []string{"slurmdb_job_id_leading0"}, prepare: func(l *lab) {
			l.submit(sleepy, map[string]any{"minimum_nodes": 2})
			l.do("DELETE", "/slurm/v0.0.42/job/7", "")
		}},
		{
			options:    more(4256, cloud),
			recordings: strings.Fields("jobs_state_cloud_pending slurmdb_job_cloud_pending job_cloud_pending"),
			prepare:    func(l *lab) { l.submit(sleepy, map[string]any{"partition": "cloud", "time_limit": nil}) },
		},
		then(4252, map[string]any{"memory_per_node": 100}, func(l *lab) error {
			l.do("DELETE", "/slurm/v0.0.42/job/4252?signal=KILL&flags=BATCH_JOB", "")
			return nil
		}, "job_over_memory slurmdb_job_over_memory", "/kill_request_user"),
		{
			shapeOnly: true, recordings: []string{"slurmdb_jobs_constraints"}, prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{"constraints": "c4"})
				time.Sleep(2 * time.Second)
			},
		},
	}
}

package slurmtest_test

import (
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// ran submits a script with the recorded id and lets it end.
func ran(id int64, script string, changes map[string]any, names ...string) scenario {
	return scenario{
		options: first(id), recordings: names,
		prepare: func(l *lab) {
			l.submit(script, changes)
			time.Sleep(30 * time.Second)
		},
	}
}

// waiting submits a job with the recorded id and looks at it before and after
// the scheduler did, as the recordings were made at either time.
func waiting(id int64, changes map[string]any, names ...string) scenario {
	return scenario{
		options: first(id), recordings: names,
		prepare: func(l *lab) {
			l.submit(sleepy, changes)
			time.Sleep(5 * time.Second)
		},
	}
}

const (
	quick    = "#!/bin/bash\ntrue\n"
	stubborn = "#!/bin/bash\ntrap '' TERM\nsleep 600\n"
)

var (
	held   = map[string]any{"hold": true}
	onA4   = map[string]any{"partition": "a4"}
	filled = map[string]any{"minimum_nodes": 2, "tasks_per_node": 7}
)

// liveScenarios compare whole records, live and of accounting, value by value.
func liveScenarios() []scenario {
	list := append(ranScenarios(), pendingScenarios()...)
	list = append(list, crowdedScenarios()...)
	list = append(list, runningScenarios()...)
	list = append(list, hetScenarios()...)
	return append(list, arrayScenarios()...)
}

func ranScenarios() []scenario {
	array := map[string]any{"array": "0-3"}
	return []scenario{
		ran(122, "#!/bin/bash\nsleep 5\n", nil, "job_completed", "slurmdb_job_completed",
			"slurmdb_job_id_slash_trailing", "slurmdb_job_id_step_batch", "slurmdb_job_id_step"),
		ran(123, "#!/bin/bash\nexit 3\n", nil, "job_failed_exit3"),
		ran(125, "#!/bin/bash\nkill -SEGV $$\n", nil, "job_failed_segv", "slurmdb_job_failed_segv"),
		ran(126, "#!/bin/bash\nexit 127\n", nil, "job_failed_exit127", "slurmdb_job_failed_exit127"),
		ran(127, "echo hello\n", nil, "job_ran_no_shebang", "slurmdb_job_ran_no_shebang"),
		ran(128, "#!/bin/bash\r\necho hello\r\n", nil, "job_ran_crlf", "slurmdb_job_ran_crlf"),
		ran(129, quick, map[string]any{"current_working_directory": "/no/such/dir"},
			"job_ran_cwd_nonexistent", "slurmdb_job_ran_cwd_nonexistent"),
		ran(130, quick, map[string]any{"current_working_directory": "work"}, "slurmdb_job_ran_cwd_relative"),
		ran(131, quick, nil, "job_ran_env_object", "slurmdb_job_ran_env_object"),
		ran(132, quick, nil, "job_ran_env_seed", "slurmdb_job_ran_env_seed"),
		ran(133, quick, nil, "job_ran_env_no_path", "slurmdb_job_ran_env_no_path"),
		ran(134, "#!/bin/bash\nsleep 3\n", map[string]any{"time_limit": 0}, "job_ran_time_zero", "slurmdb_job_ran_time_zero"),
		ran(135, "5", nil, "job_ran_script_number", "slurmdb_job_ran_script_number"),
		ran(136, "#!/no/such/interpreter\n", nil, "job_ran_bad_interp", "slurmdb_job_ran_bad_interp"),
		ran(137, quick, map[string]any{"argv": []string{"job", "a"}}, "job_ran_args", "slurmdb_job_ran_args"),
		ran(138, quick, nil, "job_ran_env_lines", "slurmdb_job_ran_env_lines"),
		ran(139, quick, map[string]any{
			"standard_output": "/home/alice/o-%j.txt", "standard_error": "/home/alice/e-%j.txt",
		}, "job_ran_stdout", "slurmdb_job_ran_stdout"),
		ran(140, quick, map[string]any{"standard_output": "/root/o.txt"},
			"job_ran_stdout_unwritable", "slurmdb_job_ran_stdout_unwritable"),
		ran(187, quick, array, "job_array_completed", "slurmdb_job_array_completed"),
		{
			options: append(first(151), slurmtest.WithKillWait(0)),
			prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{"time_limit": 1})
				time.Sleep(2 * time.Minute)
			},
			recordings: []string{"job_timeout", "slurmdb_job_timeout"},
		},
		{
			options: append(first(235), slurmtest.WithMinJobAge(10*time.Second)),
			prepare: func(l *lab) {
				l.submit(quick, nil)
				time.Sleep(time.Minute)
			},
			recordings: []string{"slurmdb_job_out_of_queue"},
		},
	}
}

func pendingScenarios() []scenario {
	nextHour := map[string]any{"begin_time": "now+1hour"}
	// The child's id is three above the parent's.
	after := func(parent int64, state string, changes map[string]any, name string) scenario {
		return scenario{options: first(parent), recordings: strings.Fields(name), prepare: func(l *lab) {
			l.submit(sleepy, nil)
			l.submit(sleepy, held)
			l.submit(sleepy, held)
			time.Sleep(2 * time.Second)
			l.submit(sleepy, changes)
			if state != "" {
				l.must(l.s.Finish(parent, state, 1))
			}
			time.Sleep(2 * time.Second)
		}}
	}
	return []scenario{
		waiting(144, held, "job_pending_held", "slurmdb_job_pending_held"),
		waiting(160, held, "job_pending_held_user"),
		waiting(214, held, "version_job_v0042", "version_slurmdb_job_v0042"),
		waiting(247, held, "after_restart_job", "down_slurmdbd_job", "down_slurmctld_slurmdb_job"),
		waiting(4267, map[string]any{"hold": true, "time_limit": map[string]any{"infinite": true}}, "slurmdb_job_time_infinite"),
		waiting(159, nextHour, "job_pending_begin_time"),
		waiting(162, map[string]any{"time_limit": 100000}, "job_pending_part_time_limit"),
		waiting(163, map[string]any{"partition": "down"}, "job_pending_partition_down"),
		waiting(186, map[string]any{"array": "0-3", "hold": true}, "job_array_pending", "slurmdb_job_array_pending"),
		after(153, "", map[string]any{"dependency": "afterok:153"}, "job_pending_dependency"),
		after(154, "FAILED", map[string]any{"dependency": "afterok:154"}, "job_pending_dependency_never"),
		after(155, "CANCELLED", map[string]any{
			"dependency": "afterok:155", "flags": []string{"KILL_INVALID_DEPENDENCY"},
		}, "job_kill_invalid_dependency slurmdb_job_kill_invalid_dependency"),
	}
}

// crowdedScenarios have jobs that wait for something that others hold.
func crowdedScenarios() []scenario {
	return []scenario{
		{
			options: first(4243),
			prepare: func(l *lab) {
				l.submit(sleepy, filled)
				l.submit(sleepy, filled)
				time.Sleep(3 * time.Second)
			},
			recordings: []string{"job_pending_resources"},
		},
		{
			options: first(153),
			prepare: func(l *lab) {
				l.submit(sleepy, filled)
				l.submit(sleepy, filled)
				l.submit(sleepy, filled)
				time.Sleep(3 * time.Second)
			},
			recordings: []string{"job_pending_priority", "slurmdb_job_pending_resources"},
		},
		{
			options: first(167),
			prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{"partition": "a4", "licenses": "matlab:4"})
				l.submit(sleepy, map[string]any{"partition": "a4", "licenses": "matlab:1"})
				time.Sleep(3 * time.Second)
			},
			recordings: []string{"job_pending_licenses"},
		},
		{
			options: first(165),
			prepare: func(l *lab) {
				l.must(l.s.DrainNode("g2", "maintenance"))
				l.submit(sleepy, map[string]any{"partition": "a4", "required_nodes": []string{"g2"}})
				l.submit(sleepy, map[string]any{"partition": "a4", "minimum_nodes": 2})
				time.Sleep(3 * time.Second)
			},
			recordings: []string{"job_pending_node_not_avail", "job_pending_nodes_drained"},
		},
		{
			// The real node record names the wrong partitions here; the list has the right ones.
			ignore: []string{"/partitions", "/reason_changed_at"}, recordings: []string{"node_drained"},
			prepare: func(l *lab) { l.must(l.s.DrainNode("g2", "maint")) },
		},
		{
			options: first(176),
			prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{
					"hold": true, "time_limit": 1, "deadline": time.Now().Add(65 * time.Second).Unix(),
				})
				time.Sleep(time.Minute)
			},
			recordings: []string{"job_deadline", "slurmdb_job_deadline"},
		},
	}
}

func hetScenarios() []scenario {
	return []scenario{
		{
			// Which core is nearest to the GPU is not simulated.
			options: first(191), ignore: []string{"/cores"},
			recordings: []string{"job_het_running", "slurmdb_job_het", "job_het_component"},
			prepare: func(l *lab) {
				l.submitHet(sleepy, job(nil), job(map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:1"}))
				time.Sleep(2 * time.Second)
			},
		},
		{
			options: first(191), ignore: []string{"/cores"}, recordings: []string{"job_het_after_delete"},
			prepare: func(l *lab) {
				l.submitHet(sleepy, job(nil), job(map[string]any{"partition": "a4", "tres_per_node": "gres/gpu:1"}))
				time.Sleep(2 * time.Second)
				l.do("DELETE", "/slurm/v0.0.42/job/191", "")
				time.Sleep(time.Second)
			},
		},
	}
}

func runningScenarios() []scenario {
	start := func(id int64, changes map[string]any, then func(*lab), names ...string) scenario {
		return scenario{options: first(id), recordings: names, prepare: func(l *lab) {
			l.submit(sleepy, changes)
			time.Sleep(2 * time.Second)
			if then != nil {
				then(l)
			}
		}}
	}
	requeue := func(id int64) func(*lab) { return func(l *lab) { l.must(l.s.Requeue(id)) } }
	onG2 := map[string]any{"partition": "a4", "required_nodes": []string{"g2"}}
	onG2Once := map[string]any{"partition": "a4", "required_nodes": []string{"g2"}, "requeue": false}
	fail := func(l *lab) {
		l.must(l.s.FailNode("g2"))
		time.Sleep(time.Second)
	}
	return []scenario{
		start(142, nil, nil, "job_running", "slurmdb_job_running", "job_get_other_user"),
		start(206, onA4, nil, "job_flags_detail", "job_update_time_now"),
		start(193, map[string]any{
			"partition": "a4", "minimum_nodes": 2, "tasks_per_node": 2, "cpus_per_task": 2,
			"tres_per_node": "gres/gpu:b200:2", "shared": []string{"none"},
		}, nil, "job_gpu_running", "slurmdb_job_gpu_running"),
		start(171, onA4, requeue(171), "job_requeued"),
		{
			// The step's end reached accounting later than the job's.
			options: first(171), ignore: []string{"/steps"}, recordings: []string{"slurmdb_job_requeued"},
			prepare: func(l *lab) {
				l.submit(sleepy, onA4)
				time.Sleep(2 * time.Second)
				requeue(171)(l)
			},
		},
		start(171, onA4, func(l *lab) {
			requeue(171)(l)
			time.Sleep(time.Second)
		}, "job_requeue_again", "slurmdb_job_requeue_again"),
		start(174, onG2Once, fail, "job_node_fail", "slurmdb_job_node_fail"),
		start(175, onG2, fail, "job_node_fail_requeued"),
		{
			options: append(first(4256), slurmtest.WithBootTime(time.Minute)), shapeOnly: true,
			recordings: strings.Fields("job_cloud_running_configuring_power_up_node jobs_state_cloud_running_configuring_power_up_node"),
			prepare: func(l *lab) {
				l.submit(sleepy, nil)
				time.Sleep(5 * time.Second)
			},
		},
	}
}

// throttled is the recorded array 0-9%3: three tasks that end at once, a
// failed one among them, and sleepers.
const throttled = "#!/bin/bash\nif [ $SLURM_ARRAY_TASK_ID = 2 ]; then exit 5; fi\n" +
	"[ $SLURM_ARRAY_TASK_ID -eq 0 ] && exit 0\n[ $SLURM_ARRAY_TASK_ID -eq 1 ] && exit 0\n" +
	"[ $SLURM_ARRAY_TASK_ID -eq 3 ] && exit 0\nsleep 600\n"

func arrayScenarios() []scenario {
	options := append(first(177), slurmtest.WithRunTime(0), slurmtest.WithCompletingTime(0))
	begin := func(l *lab) {
		l.submit(throttled, map[string]any{"array": "0-9%3"})
		time.Sleep(10 * time.Second)
	}
	return []scenario{
		{
			options:    append(first(240), slurmtest.WithMinJobAge(time.Second)),
			recordings: []string{"slurmdb_job_array_out_of_queue"},
			prepare: func(l *lab) {
				l.submit(quick, map[string]any{"array": "0-2"})
				time.Sleep(20 * time.Second)
			},
		},
		{
			options: options, prepare: begin,
			ignore: []string{"/state/reason"}, // by when each task was first held back by the throttle
			recordings: strings.Fields(`job_array_mixed_parent slurmdb_job_array_mixed_parent job_array_task_own_id
				job_array_task_form_pending job_array_task_form_unknown slurmdb_job_array_task_form
				delete_array_task slurmdb_job_array_task_own_id slurmdb_jobs_step_array`),
		},
		{
			options: options, ignore: []string{"/state/reason", "/comment"},
			prepare: func(l *lab) {
				begin(l)
				l.do("DELETE", "/slurm/v0.0.42/job/177_4", "")
				time.Sleep(5 * time.Second)
			},
			recordings: []string{"job_array_after_range_delete", "update_array_all"},
		},
		{
			options: options, ignore: []string{"/state/reason"},
			prepare: func(l *lab) {
				begin(l)
				l.do("DELETE", "/slurm/v0.0.42/job/177_4", "")
				time.Sleep(5 * time.Second)
				l.do("POST", "/slurm/v0.0.42/job/177", `{"comment":"all"}`)
				l.do("DELETE", "/slurm/v0.0.42/job/177", "")
				time.Sleep(5 * time.Second)
			},
			recordings: []string{"job_array_after_delete", "delete_array_all_again", "slurmdb_job_array_after_delete"},
		},
	}
}

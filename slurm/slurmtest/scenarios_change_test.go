package slurmtest_test

import (
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// cancelScenarios change jobs, or look at what became of a cancel.
func cancelScenarios() []scenario {
	list := append(deleteScenarios(), killScenarios()...)
	list = append(list, olderScenarios()...)
	list = append(list, adminScenarios()...)
	list = append(list, reservationScenarios()...)
	list = append(list, updateScenarios()...)
	return append(list, listScenarios()...)
}

// running has the recorded job running.
func running(id int64, then func(*lab), names string, options ...slurmtest.Option) scenario {
	return scenario{
		options: append(first(id), options...), recordings: strings.Fields(names),
		prepare: func(l *lab) {
			l.submit(sleepy, nil)
			time.Sleep(2 * time.Second)
			if then != nil {
				then(l)
			}
		},
	}
}

func cancelled(path string, wait time.Duration) func(*lab) {
	return func(l *lab) {
		l.do("DELETE", "/slurm/v0.0.42/job/"+path, "")
		time.Sleep(wait)
	}
}

func deleteScenarios() []scenario {
	none := slurmtest.WithCompletingTime(0)
	return []scenario{
		running(142, nil, "delete_running delete_other_user"),
		running(143, nil, "delete_running_stubborn"),
		running(142, cancelled("142", time.Second), `job_cancelled_running slurmdb_job_cancelled_running delete_finished
			delete_finished_signal`),
		running(148, cancelled("148?signal=KILL", time.Second), "job_signal_kill slurmdb_job_signal_kill"),
		running(148, nil, "delete_signal_kill"),
		running(146, nil, "delete_signal_bad delete_signal_usr1 delete_signal_number"),
		running(146, cancelled("146?signal=NOPE", time.Second), "delete_signal_sigprefix delete_flags_batch delete_flags_bad"),
		running(147, nil, "delete_query_unknown"),
		{
			options: first(143), recordings: []string{"job_cancelled_completing", "slurmdb_job_cancelled_completing"},
			prepare: func(l *lab) {
				l.submit(stubborn, nil)
				time.Sleep(2 * time.Second)
				cancelled("143", time.Second)(l)
			},
			// Recorded at the moment of the cancel; by now the step has got its SIGKILL.
			ignore: []string{"/exit_code"},
		},
		waiting(144, held, "delete_pending"),
		waiting(214, held, "version_delete_v0042"),
		{
			options: first(144), recordings: []string{"job_cancelled_pending", "slurmdb_job_cancelled_pending"},
			prepare: func(l *lab) {
				l.submit(sleepy, held)
				cancelled("144", time.Second)(l)
			},
		},
		{
			options: first(16), recordings: []string{"slurmdb_job_id_hex"},
			prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{"partition": "down"})
				time.Sleep(2 * time.Second)
				cancelled("16", time.Second)(l)
			},
		},
		waiting(149, held, "delete_pending_signal", "delete_with_body"),
		ran(145, quick, nil, "delete_completed"),
		{
			options: append(first(191), none), recordings: []string{"delete_het"},
			prepare: func(l *lab) { l.submitHet(sleepy, job(nil), job(onA4)) },
		},
		{
			options: append(first(6273), none), recordings: []string{"delete_het_alloc_early"},
			prepare: func(l *lab) { l.submitHet(sleepy, job(nil), job(onA4)) },
		},
		{
			options: append(first(6273), none), recordings: []string{"delete_het_alloc_again"},
			prepare: func(l *lab) {
				l.submitHet(sleepy, job(nil), job(onA4))
				time.Sleep(2 * time.Second)
				cancelled("6274", time.Second)(l)
			},
		},
	}
}

// olderScenarios speak the two older versions of the API.
func olderScenarios() []scenario {
	both := func(names string) []string {
		return strings.Fields(strings.ReplaceAll(names, "*", "v0040") + " " + strings.ReplaceAll(names, "*", "v0041"))
	}
	onA4Only := func(l *lab) {
		l.submit(sleepy, onA4)
		time.Sleep(2 * time.Second)
	}
	return []scenario{
		{recordings: append(both("version_delete_unknown_* version_job_unknown_* version_partitions_*"), "version_ping_v0040")},
		{ignore: []string{"/job_id"}, recordings: both("version_submit_*")},
		waiting(212, held, "version_job_v0040", "version_slurmdb_job_v0040", "version_delete_v0040"),
		waiting(213, held, "version_job_v0041", "version_slurmdb_job_v0041", "version_delete_v0041"),
		waiting(6280, held, both("version_delete_other_user_*")...),
		{shapeOnly: true, prepare: onA4Only, recordings: append(both("version_nodes_* version_jobs_*"), "version_state_v0040")},
	}
}

func killScenarios() []scenario {
	// The jobs 224 to 229 as they were: a finished one, three of alice's, one of
	// bob's and a held array.
	prepare := func(l *lab) {
		l.submit(quick, nil)
		time.Sleep(10 * time.Second)
		l.submit(sleepy, map[string]any{"partition": "a4"})
		l.submit(sleepy, held)
		l.submit(sleepy, map[string]any{"partition": "a4", "name": "zap"})
		l.submitAs("bob", sleepy, nil)
		l.submit(sleepy, map[string]any{"hold": true, "array": "0-3"})
		time.Sleep(2 * time.Second)
	}
	return []scenario{
		{options: first(224), prepare: prepare, recordings: strings.Fields(`
			kill_jobs_array_range kill_jobs_array_task kill_jobs_list_int kill_jobs_mixed kill_name_filter
			kill_other_user_filter kill_query_ignored kill_state_filter kill_unknown_field`)},
		{
			options: first(224), recordings: []string{"kill_jobs_list_str"},
			prepare: func(l *lab) { l.submit(sleepy, nil) },
		},
		{
			options: first(229), recordings: []string{"kill_array_after"},
			prepare: func(l *lab) {
				l.submit(sleepy, map[string]any{"hold": true, "array": "0-3"})
				l.do("DELETE", "/slurm/v0.0.42/jobs/", `{"jobs":["229_1"]}`)
				l.do("DELETE", "/slurm/v0.0.42/jobs/", `{"jobs":["229_[2-3]"]}`)
			},
		},
	}
}

func updateScenarios() []scenario {
	hold := waiting(169, held, strings.Fields(`update_empty update_hold_true update_name_comment update_none
		update_other_user update_partition update_priority update_release_hold_false update_release_priority_inf
		update_time_limit update_time_limit_int update_unknown_field update_with_job_id_other update_wrapped_in_job`)...)
	return []scenario{
		hold,
		running(170, nil, `update_running_hold update_running_partition update_running_time_lower
			update_running_time_raise update_running_wrong_type`),
	}
}

// listScenarios compare the shape of lists: member names, their order, the
// kinds of their values, errors and warnings.
func listScenarios() []scenario {
	few := func(l *lab) {
		l.submit(sleepy, held)
		l.submit(quick, nil)
		l.submit(sleepy, map[string]any{"hold": true, "array": "0-4"})
		l.submitAs("bob", sleepy, nil)
		// The last job starts in the second before the one in which the recordings were made.
		time.Sleep(time.Until(time.Unix(1796022047, 500_000_000)))
		l.submit(sleepy, nil)
		time.Sleep(1500 * time.Millisecond)
	}
	return []scenario{
		{prepare: few, shapeOnly: true, recordings: strings.Fields(`
			jobs_bob_view jobs_few jobs_flags_DETAIL jobs_flags_NOPE jobs_flags_detail jobs_noslash jobs_query_empty
			jobs_query_state jobs_query_unknown jobs_state_all jobs_state_noslash jobs_update_time_future
			jobs_update_time_last jobs_update_time_now jobs_update_time_old jobs_update_time_zero
			slurm_nodes slurm_nodes_flags version_nodes_v0042 version_state_v0042
			slurmdb_jobs_account slurmdb_jobs_bob_view slurmdb_jobs_cluster slurmdb_jobs_default
			slurmdb_jobs_name slurmdb_jobs_noslash slurmdb_jobs_page slurmdb_jobs_qos_id
			slurmdb_jobs_two_users_repeat slurmdb_jobs_unknown_query slurmdb_jobs_users slurmdb_jobs_users_bob
			slurmdb_jobs_users_uid`)},
		{
			// Without DETAIL the resources are null, also of jobs that have some.
			prepare: few, shapeOnly: true,
			recordings: strings.Fields("jobs_flags_ALL jobs_flags_FUTURE jobs_flags_LOCAL jobs_flags_MIXED nodes_update_time_now"),
		},
		{
			prepare: historyJobs, shapeOnly: true, recordings: strings.Fields(`
				slurmdb_jobs_end_only slurmdb_jobs_node slurmdb_jobs_partition slurmdb_jobs_show_duplicates
				slurmdb_jobs_skip_steps slurmdb_jobs_skip_steps_1 slurmdb_jobs_start_end slurmdb_jobs_start_time
				slurmdb_jobs_start_time_date slurmdb_jobs_start_time_future slurmdb_jobs_start_time_iso_enc
				slurmdb_jobs_start_time_now_minus slurmdb_jobs_start_time_uts slurmdb_jobs_state_completed_endtime
				slurmdb_jobs_state_lower slurmdb_jobs_state_pending_times slurmdb_jobs_state_short
				slurmdb_jobs_state_two_enc slurmdb_jobs_state_two_repeat slurmdb_jobs_users_state_times`),
		},
		{
			shapeOnly: true, recordings: []string{"query_space", "version_jobs_v0042"},
			prepare: func(l *lab) {
				l.submit(sleepy, nil)
				time.Sleep(2 * time.Second)
			},
		},
		{
			options: first(206), recordings: strings.Fields("jobs_state_one jobs_state_repeat jobs_state_bob"),
			prepare: func(l *lab) {
				l.submit(sleepy, nil)
				l.submit(sleepy, held)
				time.Sleep(2 * time.Second)
			},
		},
		{
			options: first(208), recordings: strings.Fields("jobs_state_finished slurmdb_jobs_step"), shapeOnly: true,
			prepare: func(l *lab) {
				l.submit(quick, nil)
				time.Sleep(10 * time.Second)
			},
		},
		waiting(210, map[string]any{"hold": true, "array": "0-4"}, "jobs_state_array"),
	}
}

// historyJobs has jobs in the time window of the recorded queries.
func historyJobs(l *lab) {
	time.Sleep(time.Until(time.Unix(1796020000, 0)))
	l.submit(sleepy, map[string]any{"partition": "a4", "time_limit": 1})
	l.submit(sleepy, map[string]any{"time_limit": 1})
	l.submit(quick, nil)
	l.submit("#!/bin/bash\nexit 4\n", nil)
	time.Sleep(30 * time.Minute)
	l.submit("#!/bin/bash\nsleep infinity\n", nil)
	time.Sleep(5 * time.Second)
}

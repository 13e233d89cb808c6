package slurmtest_test

import (
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// first gives the next job the id that it had in the recording.
func first(id int64) []slurmtest.Option {
	return []slurmtest.Option{slurmtest.WithFirstJobID(id)}
}

func scenarios() []scenario {
	return slices.Concat(emptyScenarios(), submitScenarios(), liveScenarios(), cancelScenarios())
}

// emptyScenarios need no job at all.
func emptyScenarios() []scenario {
	return []scenario{
		{recordings: strings.Fields(`
			body_bom body_garbage body_malformed body_number body_single_quotes body_trailing_comma
			body_true ct_charset ct_missing delete_array_range delete_enc_comma delete_enc_range delete_unknown
			delete_out_of_queue delete_word delete_zero get_with_body get_with_empty_ct
			job_array_out_of_queue job_array_task_form_range job_id_big32 job_id_comma job_id_empty job_id_enc_range
			job_id_float job_id_hex job_id_huge job_id_leading0 job_id_maxu32minus job_id_negative
			job_id_slash_trailing job_id_space job_id_step_batch job_id_unknown job_id_word job_id_zero
			job_out_of_queue jobs_flags_DETAIL_ALL jobs_state_array_tasks_enc jobs_state_bad jobs_state_mixed_unknown
			jobs_state_two jobs_state_two_enc jobs_state_zero_jobs jobs_update_time_bad jobs_zero kill_empty_list
			kill_empty_object kill_jobs_string kill_no_body method_DELETE_job_1_db method_DELETE_job_submit
			method_GET_job_submit method_OPTIONS_ping method_PATCH_job_1 method_PATCH_job_submit method_POST_job_1_db
			method_POST_jobs method_POST_ping method_PUT_job_1 method_PUT_job_submit method_PUT_jobs
			method_TRACE_ping method_BREW_ping method_get_ping_lower path_SLURM_v0042_ping_s path_nope path_root path_slurm
			path_slurm_V0042_ping_s path_slurm_v0042 path_slurm_v0042__ping_s_dbl path_slurm_v0042_nope
			path_slurm_v0042_ping_s_dbl path_slurmdb_v0042_s query_pct_bad slurm_licenses slurm_node_unknown
			slurm_partition_one slurm_partition_unknown slurm_partitions slurm_ping slurm_ping_noslash
			slurmdb_job_array_task_unknown slurmdb_job_id_big32 slurmdb_job_id_comma slurmdb_job_id_empty
			slurmdb_job_id_huge slurmdb_job_id_maxu32minus slurmdb_job_id_negative slurmdb_job_id_unknown
			slurmdb_job_id_word slurmdb_job_id_zero slurmdb_jobs_cluster_unknown slurmdb_jobs_end_before
			slurmdb_jobs_name_unknown slurmdb_jobs_partition_unknown slurmdb_jobs_qos slurmdb_jobs_qos_name
			slurmdb_jobs_script slurmdb_jobs_show_env slurmdb_jobs_start_time_bad slurmdb_jobs_start_time_iso
			slurmdb_jobs_state_bad slurmdb_jobs_state_completed slurmdb_jobs_state_completed_notime
			slurmdb_jobs_state_pending slurmdb_jobs_step_two slurmdb_jobs_step_two_enc slurmdb_jobs_users_two
			slurmdb_jobs_users_two_enc slurmdb_ping update_out_of_queue update_unknown_job update_array_task
			version_delete_unknown_v0042 version_job_unknown_v0042 version_ping_0042 version_ping_v0039
			version_ping_v0042 version_ping_v0043 version_ping_v0099 version_submit_0042 version_submit_v00042
			version_submit_v0039 version_submit_v0043 version_submit_v0099 version_submit_v1 version_partitions_v0042
		`)},
		{
			// The real node record names the wrong partitions here; the list has the right ones.
			ignore:     []string{"/partitions"},
			recordings: []string{"slurm_node_one", "node_down"},
		},
	}
}

// submits are recorded on a cluster without other jobs.
const submits = `
			body_trailing_text body_two_docs ct_upper submit_account_bad submit_account_not_mine submit_account_ok
			submit_array_bad submit_array_int submit_array_step submit_array_throttle submit_array_too_big
			submit_as_other_user_id submit_as_other_user_name submit_begin_time_int submit_begin_time_iso
			submit_begin_time_iso_z submit_begin_time_obj submit_begin_time_str submit_body_empty_string
			submit_body_list submit_body_none submit_body_null submit_constraints submit_constraints_bad
			submit_cwd_missing submit_cwd_nonexistent submit_cwd_relative submit_dep_parent
			submit_dependency_bad_type submit_dependency_list submit_dependency_purged submit_dependency_unknown_job
			submit_duplicate_keys submit_empty_object submit_env_empty submit_env_missing submit_env_no_equals
			submit_excluded_nodes submit_exclusive_bool submit_exclusive_list submit_exclusive_user submit_flags_bad
			submit_gpus_key submit_gres_unknown_key submit_group_other submit_het_and_job submit_het_bad_second
			submit_het_empty submit_het_ok submit_het_one submit_het_script_in_first submit_het_second_missing_env
			submit_hold submit_hold_string submit_job_empty submit_job_empty_with_script submit_job_missing
			submit_license_bad submit_license_ok submit_license_toomany submit_mail_type_bad submit_mail_type_str
			submit_many_ok_fields submit_mem_both submit_mem_cpu submit_mem_node_int submit_mem_node_obj
			submit_mem_node_str submit_mem_toobig submit_mem_zero submit_minimal submit_name_empty submit_name_long
			submit_name_missing submit_name_unicode submit_nice_negative submit_no_shebang submit_nodes_int
			submit_nodes_null submit_nodes_str submit_nodes_toomany submit_nodes_zero submit_ok_seed
			submit_oversubscribe_true submit_partition_down submit_partition_list submit_partition_missing
			submit_partition_not_allowed submit_priority_raise submit_priority_zero submit_qos_ok
			submit_required_nodes_bad submit_required_nodes_list submit_reservation_bad submit_sbatch_lines
			submit_script_empty submit_script_missing submit_script_nul submit_shared_bad submit_shared_list
			submit_shebang_crlf submit_tasks_cpus submit_tasks_toomany submit_time_float submit_time_infinite
			submit_time_missing submit_time_negative submit_time_number_only submit_time_over_limit
			submit_time_plain_int submit_time_set_true_no_number submit_time_str_num submit_time_str_word
			submit_time_zero submit_tres_per_job submit_tres_per_node submit_tres_per_node_badtype
			submit_tres_per_node_bare submit_tres_per_node_cpu_part submit_tres_per_node_old_colon
			submit_tres_per_node_toomany submit_tres_per_node_typed submit_tres_per_task submit_two_nodes_gpu
			submit_typo_time_limit submit_unknown_top_level submit_wrong_type_env_object submit_wrong_type_job_list
			submit_wrong_type_job_string submit_wrong_type_name_list submit_wrong_type_nodes_float
			submit_wrong_type_nodes_numstr submit_wrong_type_nodes_obj submit_wrong_type_script_list
			submit_wrong_type_script_number version_submit_v0042
		`

// submitScenarios send what was submitted. The job's own id is not compared.
func submitScenarios() []scenario {
	id := []string{"/job_id"}
	return []scenario{
		{ignore: id, recordings: strings.Fields(submits)},
		{
			ignore: id, options: []slurmtest.Option{slurmtest.WithEnforcedPartitionLimits()},
			recordings: strings.Fields(`submit_enforce_infinite submit_enforce_partition_down
				submit_enforce_partition_not_allowed submit_enforce_time_over_limit`),
		},
		{
			ignore: id, options: first(47),
			prepare:    func(l *lab) { l.submit("#!/bin/sh\nsleep 30\n", nil) },
			recordings: []string{"submit_dependency_afterok", "submit_dependency_multi"},
		},
		{
			ignore: id, options: []slurmtest.Option{slurmtest.WithMaxSubmitJobs(1)},
			prepare:    func(l *lab) { l.submitAs("bob", sleepy, nil) },
			recordings: []string{"submit_limit_reached"},
		},
		{
			ignore: id, options: []slurmtest.Option{slurmtest.WithQOS("normal")},
			recordings: []string{"submit_qos_not_mine"},
		},
		{
			// The recorded deadline is 24 minutes away and the limit two hours.
			prepare:    func(*lab) { time.Sleep(time.Until(time.Unix(1796021880, 0))) },
			recordings: []string{"submit_deadline"},
		},
		{
			ignore: id, prepare: func(l *lab) { l.s.SetControllerDown(true) },
			recordings: strings.Fields(`down_slurmctld_jobs down_slurmctld_ping down_slurmctld_state
				down_slurmctld_submit down_slurmctld_job down_slurmctld_update`),
		},
		{
			ignore: id, prepare: func(l *lab) { l.s.SetDatabaseDown(true) },
			recordings: []string{"down_slurmdbd_ctld_ping", "down_slurmdbd_slurmdb_job", "down_slurmdbd_submit"},
		},
	}
}

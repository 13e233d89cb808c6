package slurm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// sentinels are the kinds of failure that a user can ask for.
var sentinels = []error{ErrNotFound, ErrPermission, ErrInvalid, ErrLimit, ErrUnavailable, ErrAlreadyDone,
	ErrUnknownPath, ErrPartial, ErrUncertain, ErrJobLost}

// TestVerdicts: what the recorded failures are to a user.
func TestVerdicts(t *testing.T) {
	tests := []struct {
		name      string
		want      error // nil: Slurm's number says too little
		transient bool
		text      string // a part of the error text
		why       string
	}{
		{"submit_account_bad", ErrInvalid, false, "2045 Invalid account or account/partition combination specified: " +
			"Batch job submission failed (slurm_submit_batch_job()); check the account", "HTTP 500 for a typo"},
		{"submit_dependency_purged", ErrInvalid, false, "before the first one ages out", "a parent that has left the queue"},
		{"submit_env_missing", ErrInvalid, false, "needs an environment", "reads like a full disk otherwise"},
		{"submit_cwd_missing", ErrInvalid, false, "set the working directory", ""},
		{"submit_script_missing", ErrInvalid, false, `9000 Query empty or not RFC7320 compliant: Populated "script" field is required`,
			"for 9xxx the reason is in the description"},
		{"submit_time_str_word", ErrInvalid, false, `Expected integer but got "UNLIMITED" (#/job/time_limit/)`, "the source says where"},
		{"submit_flags_bad", ErrInvalid, false, "carries the request out all the same", "an enum the server does not know"},
		{"submit_limit_reached", ErrLimit, false, "2050", ""},
		{"submit_as_other_user_id", ErrPermission, false, "2010", ""},
		{"submit_priority_raise", nil, false, "", "an ordinary user's priority is ignored: no failure"},
		{"submit_lua_refused", nil, true, "-1 Unspecified error", "the number says nothing, whatever the reason"},
		{"job_id_unknown", ErrNotFound, false, "its history stays in the accounting", "404 with JSON"},
		{"version_ping_v0043", ErrUnknownPath, false, "check the API version", "404 with a text"},
		{"auth_none", ErrPermission, false, "Authentication failure [HTTP 401]", "401 with a text"},
		{"auth_bad_token", ErrPermission, false, "1007", "the daemon behind found out"},
		{"auth_expired_slurmdb", ErrUnavailable, true, "7000", "Slurm says that the database is down"},
		{"down_slurmctld_jobs", ErrUnavailable, true, "1800", ""},
		{"down_slurmctld_job", ErrUnavailable, true, "-1 Unspecified error", "the controller is down, and Slurm does not say so"},
		{"down_slurmctld_update", ErrUnavailable, true, "1000 Unexpected message received: Job update requested failed (slurm_update_job2()); most likely the Slurm controller does not answer", "likewise"},
		{"down_slurmdbd_slurmdb_job", ErrUnavailable, true, "7000", ""},
		{"delete_signal_bad", nil, false, "test: Unknown signal (null) (#/signal/) [HTTP 200]", `"No error" with 200 is a failure`},
		{"slurm_node_unknown", nil, false, "Failure to query node zz", "200 and number 0: one must not take the node for drained"},
		{"submit_het_empty", nil, false, "Refusing HetJob submission without any components", "200 and number 0"},
		{"kill_empty_object", ErrInvalid, false, "name at least one job or filter", ""},
		{"slurmdb_wckeys", ErrPermission, false, "slurmdb_wckeys_get failed", "without the address of a process"},
		{"update_unknown_job", ErrNotFound, false, "2017", ""},
		{"body_garbage", ErrInvalid, false, "Unable to parse query. [HTTP 400]", ""},
	}
	for _, tt := range tests {
		rec := recorded(t, tt.name)
		r, err := readReply("test", rec.request(), rec.response())
		if err == nil {
			err = r.err()
		}
		if tt.text == "" {
			if err != nil {
				t.Errorf("%s: got %v, want no error (%s)", tt.name, err, tt.why)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want an *Error (%s)", tt.name, err, tt.why)
			continue
		}
		checkErrorText(t, tt.name, err)
		if !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: error %q lacks %q (%s)", tt.name, err, tt.text, tt.why)
		}
		for _, sentinel := range sentinels {
			if got, want := errors.Is(err, sentinel), sentinel == tt.want; got != want {
				t.Errorf("%s: errors.Is(%v) = %v, want %v (%s)", tt.name, sentinel, got, want, tt.why)
			}
		}
		if e.Transient() != tt.transient || e.NotFound() != (tt.want == ErrNotFound) || e.RetryDelay() != 0 {
			t.Errorf("%s: transient %v, not found %v, delay %v; want %v (%s)", tt.name,
				e.Transient(), e.NotFound(), e.RetryDelay(), tt.transient, tt.why)
		}
	}
}

// TestSubmitPayload: whether a job was made does not depend on the verdict.
func TestSubmitPayload(t *testing.T) {
	tests := []struct {
		name   string
		made   bool
		failed bool
	}{
		{"submit_ok_seed", true, false},
		{"submit_flags_bad", true, true}, // HTTP 500, and the job runs
		{"submit_mail_type_bad", true, true},
		{"submit_wrong_type_nodes_obj", false, false}, // HTTP 200, no problem, and no job
		{"submit_wrong_type_name_list", false, false},
		{"submit_wrong_type_script_list", false, false},
		{"submit_dependency_list", false, false},
		{"submit_hold", true, false},
		{"submit_account_bad", false, true},
		{"submit_het_empty", false, true},
		{"version_submit_v0040", true, false},
		{"version_submit_v0041", true, false},
		{"version_submit_v0042", true, false},
	}
	for _, tt := range tests {
		r := recorded(t, tt.name).reply(t)
		id, err := readNumber(r.member("job_id"))
		if made := id.value != 0; err != nil || made != tt.made || (r.err() != nil) != tt.failed {
			t.Errorf("%s: job %d, %v, verdict %v; want made %v, failed %v", tt.name, id.value, err, r.err(), tt.made, tt.failed)
		}
	}
	// A verb that finds no job in such an answer has only the warning to explain it by.
	e := recorded(t, "submit_wrong_type_nodes_obj").reply(t).failure()
	if text := e.Error(); !strings.Contains(text, "no reason given; Slurm warned: Expected ") || !strings.Contains(text, "#/job/minimum_nodes/") {
		t.Errorf("a failure without problems has the text %q, want the warning in it", text)
	}
}

// TestSignalOutcomes: DELETE always says 200; its truth is in status[].
func TestSignalOutcomes(t *testing.T) {
	tests := []struct {
		name string
		want string
	}{
		{"delete_running", "[]"},
		{"delete_unknown", "[2017 999999 0]"}, // only by name
		{"delete_other_user", "[2002 "},
		{"delete_finished", "[2021 142 142]"},
		{"delete_pending_signal", "[2020 "},
		{"version_delete_unknown_v0041", "[]"}, // older versions are silent
		{"delete_array_all_again", "[2021 177_7 185 2021 177_6 184 2021 177_5 183"},
	}
	for _, tt := range tests {
		outcomes, err := decodeSignalStatus(recorded(t, tt.name).reply(t))
		var got []any
		for _, o := range outcomes {
			if o.Message == "" || o.StepID == "" {
				t.Errorf("%s: outcome %+v without a text or a name", tt.name, o)
			}
			got = append(got, o.Code, o.StepID, o.JobID)
		}
		if !strings.HasPrefix(fmt.Sprint(got), tt.want) || err != nil {
			t.Errorf("%s: got %v, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

func liveJobs(t *testing.T, name string) []*Job {
	t.Helper()
	jobs, err := decodeLiveJobs(recorded(t, name).reply(t))
	if err != nil || len(jobs) == 0 {
		t.Fatalf("%s: %d jobs, %v", name, len(jobs), err)
	}
	return jobs
}

func historyJobs(t *testing.T, name string) []*Job {
	t.Helper()
	jobs, err := decodeHistoryJobs(recorded(t, name).reply(t))
	if err != nil || len(jobs) == 0 {
		t.Fatalf("%s: %d jobs, %v", name, len(jobs), err)
	}
	return jobs
}

// TestJobPredicates: the states a waiting program must tell apart.
func TestJobPredicates(t *testing.T) {
	type answers struct{ pending, running, ended, succeeded, failed bool }
	tests := []struct {
		name string
		want answers
		line string // what String says, but for the id
	}{
		{"job_pending_resources", answers{pending: true}, "(my-run) PENDING Resources"},
		{"job_pending_dependency_never", answers{pending: true}, "(my-run) PENDING DependencyNeverSatisfied"},
		{"job_pending_held_user", answers{pending: true}, "(my-run) PENDING JobHeldUser"},
		{"job_requeue_hold", answers{pending: true}, "(my-run) PENDING JobHeldUser: job requeued in held state"},
		{"job_running", answers{running: true}, "(my-run) RUNNING on n"},
		{"job_cloud_running_configuring_power_up_node", answers{}, "RUNNING+CONFIGURING+POWER_UP_NODE on c"},
		{"job_suspended", answers{}, "(my-run) SUSPENDED"},
		{"job_completed", answers{ended: true, succeeded: true}, "(my-run) COMPLETED on n"},
		{"job_cancelled_completing", answers{}, "(my-run) CANCELLED+COMPLETING"},
		{"job_cancelled_pending", answers{ended: true, failed: true}, "(my-run) CANCELLED"},
		{"job_failed_exit3", answers{ended: true, failed: true}, "(my-run) FAILED NonZeroExitCode on n"},
		{"job_timeout", answers{ended: true, failed: true}, "(my-run) TIMEOUT TimeLimit on n"},
		{"job_node_fail_requeued", answers{pending: true}, "(my-run) PENDING BeginTime"},
	}
	for _, tt := range tests {
		j := liveJobs(t, tt.name)[0]
		got := answers{j.Pending(), j.Running(), j.Ended(), j.Succeeded(), j.Failed()}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		if !strings.Contains(j.String(), tt.line) || !strings.HasPrefix(j.String(), "job ") {
			t.Errorf("%s: String %q lacks %q", tt.name, j, tt.line)
		}
		if err := j.Err(); (err != nil) != tt.want.failed {
			t.Errorf("%s: Err %v, want one: %v", tt.name, err, tt.want.failed)
		}
	}
}

// TestJobErrorText: what a user reads about a job that failed.
func TestJobErrorText(t *testing.T) {
	tests := []struct {
		jobs func(*testing.T, string) []*Job
		name string
		want string
	}{
		{liveJobs, "job_failed_exit3", "FAILED: NonZeroExitCode, exit code 3, on n1"},
		{liveJobs, "job_failed_segv", "FAILED: RaisedSignal:11(Segmentation fault), signal 11 (SEGV), on n1"},
		{liveJobs, "job_ran_time_zero", "TIMEOUT: TimeLimit, on n1 after 3s"}, // its script ended with 0
		{liveJobs, "job_cancelled_running", "CANCELLED: signal 15 (TERM), on n1"},
		{liveJobs, "job_ran_no_shebang", "FAILED: NonZeroExitCode, exit code 8"},
		{liveJobs, "job_node_fail", "NODE_FAIL: NodeDown, "},
		{historyJobs, "slurmdb_job_cancelled_running", "CANCELLED: by alice, on n1"}, // the exit code says SUCCESS
		{historyJobs, "slurmdb_job_cancelled_by_admin", "CANCELLED: by root, on n"},
		{historyJobs, "slurmdb_job_failed_exit127", "FAILED: exit code 127, on n"},
		{historyJobs, "slurmdb_job_cancelled_pending", "job 144 (my-run) CANCELLED: by alice"},
	}
	for _, tt := range tests {
		err := tt.jobs(t, tt.name)[0].Err()
		var je *JobError
		if !errors.As(err, &je) {
			t.Errorf("%s: got %v, want a *JobError", tt.name, err)
			continue
		}
		checkErrorText(t, tt.name, err)
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: text %q lacks %q", tt.name, err, tt.want)
		}
	}
}

// TestReasonOfAccounting: it is why the job waited, so that it explains nothing once the job waits no more.
func TestReasonOfAccounting(t *testing.T) {
	tests := []struct {
		source Source
		state  State
		line   string // of String
		text   string // of the error for its end
	}{
		{SourceAccounting, StatePending, "job 17_2 PENDING JobArrayTaskLimit", ""},
		{SourceAccounting, StateRunning, "job 17_2 RUNNING", ""},
		{SourceAccounting, StateCompleted, "job 17_2 COMPLETED", ""},
		{SourceAccounting, StateFailed, "job 17_2 FAILED", "slurm: job 17_2 FAILED: exit code 7"},
		{SourceQueue, StateFailed, "job 17_2 FAILED JobArrayTaskLimit", "slurm: job 17_2 FAILED: JobArrayTaskLimit, exit code 7"},
	}
	for _, tt := range tests {
		j := &Job{ID: "17_2", Source: tt.source, State: tt.state, Reason: "JobArrayTaskLimit", ExitCode: ExitCode{Known: true, Code: 7}}
		if j.String() != tt.line {
			t.Errorf("%s: String %q, want %q", tt.source, j, tt.line)
		}
		if err := j.Err(); (err != nil) != (tt.text != "") || err != nil && err.Error() != tt.text {
			t.Errorf("%s: error %v, want %q", tt.source, err, tt.text)
		}
	}
	for _, j := range historyJobs(t, "slurmdb_job_array_mixed_parent") {
		if j.Reason == "JobArrayTaskLimit" && strings.Contains(j.String(), j.Reason) != j.Pending() {
			t.Errorf("%s", j)
		}
	}
}

func TestJobErrorQuestions(t *testing.T) {
	type answers struct{ cancelled, timedOut, memory, infrastructure bool }
	tests := map[State]answers{
		StateFailed:      {},
		StateCancelled:   {cancelled: true},
		StateTimeout:     {timedOut: true},
		StateDeadline:    {timedOut: true},
		StateOutOfMemory: {memory: true},
		StateNodeFail:    {infrastructure: true},
		StateBootFail:    {infrastructure: true},
		StatePreempted:   {infrastructure: true},
	}
	for state, want := range tests {
		e := &JobError{Job: &Job{State: state}}
		if got := (answers{e.Cancelled(), e.TimedOut(), e.OutOfMemory(), e.Infrastructure()}); got != want {
			t.Errorf("%s: %+v, want %+v", state, got, want)
		}
	}
}

// TestArrayRecords: the tasks of an array are several records, of which none is "the job".
func TestArrayRecords(t *testing.T) {
	var got []string
	for _, j := range liveJobs(t, "job_array_mixed_parent") {
		got = append(got, fmt.Sprintf("%s[%s]=%d %s", j.ID, j.ArrayTasks, j.RawID, j.State))
		if j.ArrayJobID != "177" {
			t.Errorf("%s: array %s, want 177", j.ID, j.ArrayJobID)
		}
	}
	line := strings.Join(got, ", ")
	for _, part := range []string{"177[7-9]=177 PENDING", "177_6[]=184 RUNNING", "177_0[]=178 "} {
		if !strings.Contains(line, part) {
			t.Errorf("queue: %s lacks %q", line, part)
		}
	}
	rest := historyJobs(t, "slurmdb_job_array_mixed_parent")[0]
	if rest.ArrayTasks != "7-9" || rest.ID != "177" || rest.IsArrayTask || rest.ArrayMaxTasks != 3 {
		t.Errorf("accounting: tasks %q of %s, throttle %d; want 7-9 of 177 from the mask 0x380, and 3",
			rest.ArrayTasks, rest.ID, rest.ArrayMaxTasks)
	}
}

// TestRequeuedHistory: a requeued job has one record for each run, oldest first.
func TestRequeuedHistory(t *testing.T) {
	tests := []struct {
		name string
		want string
	}{
		{"slurmdb_job_requeue_again", "PENDING[REQUEUED]"},
		{"slurmdb_job_node_fail", "NODE_FAIL[]"},
	}
	for _, tt := range tests {
		jobs := historyJobs(t, tt.name)
		for i, j := range jobs {
			if j.RawID != jobs[0].RawID || i > 0 && j.SubmitTime.Before(jobs[i-1].SubmitTime) {
				t.Errorf("%s: record %d is of job %d, submitted %v", tt.name, i, j.RawID, j.SubmitTime)
			}
		}
		first := jobs[0]
		if got := fmt.Sprint(first.State, first.Flags); got != tt.want {
			t.Errorf("%s: the oldest run is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestResourcesOfJob: GPUs are counted once, memory is bytes, and a pending job counts what it asks for.
func TestResourcesOfJob(t *testing.T) {
	live, past := liveJobs(t, "job_gpu_running")[0], historyJobs(t, "slurmdb_job_gpu_running")[0]
	for _, j := range []*Job{live, past} {
		nodes, err := j.NodeNames()
		if j.GPUs() != 16 || j.Requested.GPUs() != 4 || j.CPUs != 32 || j.Allocated.Memory() != 8<<30 ||
			j.Allocated.Nodes() != 2 || j.MemoryPerCPU != 256<<20 || fmt.Sprint(nodes) != "[g1 g2]" || err != nil {
			t.Errorf("%s: %d GPUs of %d asked for, %d CPUs, %d bytes, nodes %v, %v", j.Source, j.GPUs(),
				j.Requested.GPUs(), j.CPUs, j.Allocated.Memory(), nodes, err)
		}
		if j.TimeLimit != 2*time.Hour || j.Unlimited {
			t.Errorf("%s: limit %v, unlimited %v; want 2h", j.Source, j.TimeLimit, j.Unlimited)
		}
	}
	if s := live.Requested.String(); s != "cpu=8,mem=2G,node=2,billing=8,gres/gpu=4,gres/gpu:b200=4" {
		t.Errorf("String = %q", s)
	}
	if past.Allocated.Count("energy", "") != 0 {
		t.Errorf("the energy -2 is a mark for unknown, got %v", past.Allocated)
	}
	pending := liveJobs(t, "job_pending_qos_grp_gres")[0]
	if len(pending.Allocated) != 0 || pending.GPUs() == 0 {
		t.Errorf("pending: %d GPUs, allocated %v", pending.GPUs(), pending.Allocated)
	}
}

func TestUnlimitedJob(t *testing.T) {
	if j := historyJobs(t, "slurmdb_job_time_infinite")[0]; !j.Unlimited || j.TimeLimit != 0 {
		t.Errorf("limit %v, unlimited %v", j.TimeLimit, j.Unlimited)
	}
}

// TestNotFoundError is for answers that have no job and no problem either.
func TestNotFoundError(t *testing.T) {
	r := recorded(t, "slurmdb_job_id_unknown").reply(t)
	r.op = "read history of job"
	err := notFound(r, "999999")
	if !errors.Is(err, ErrNotFound) || r.err() != nil {
		t.Errorf("got %v; and the answer itself must stay good: %v", err, r.err())
	}
	want := `slurm: read history of job 999999: 2017 Invalid job id specified: no record of job "999999"`
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("text %q, want %q", err, want)
	}
}

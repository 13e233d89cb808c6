package conformance

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func sbatchCases() []testCase {
	return []testCase{
		{name: "sbatch/heterogeneous script", test: scriptHet},
		{name: "sbatch/script runs", test: scriptRuns},
		{name: "sbatch/environment of a login", test: environmentLogin},
		{name: "sbatch/environment alone", test: environmentAlone},
		{name: "sbatch/output files", test: outputFiles},
		{name: "sbatch/output files of an array", test: outputOfArray},
		{name: "sbatch/array tasks", test: arrayTasks},
		{name: "sbatch/array tasks that have left the queue", test: arrayTasksGone},
		{name: "sbatch/array tasks in a long list", test: arrayTasksMany},
		{name: "sbatch/array tasks of what is no array", test: arrayTasksNone},
		{name: "sbatch/no requeue by a flag", test: requeueByFlag},
		{name: "sbatch/no requeue by an update", test: requeueByUpdate},
		{name: "sbatch/no suspension by an update", test: suspendByUpdate},
	}
}

const hetScript = `#!/bin/bash
#SBATCH --job-name=two --time=20 --mail-type=END --mem=1G
#SBATCH --nodes=1 --ntasks=2
#SBATCH hetjob --ntasks=9
#SBATCH --partition=a4 --gpus-per-node=2 --cpus-per-task=2
#SBATCH PackJob
#SBATCH --ntasks=3
[ "$HOME" = /home/alice ] || exit 2
[ "$SLURM_NTASKS_HET_GROUP_0" = "" ] || exit 3
[ "$SLURM_CPUS_PER_TASK_HET_GROUP_1" = 2 ] || exit 4
[ "$SLURM_GPUS_PER_NODE_HET_GROUP_1" = 2 ] || exit 5
`

// scriptHet: components keep what is not about resources, and words behind the separator are lost.
func scriptHet(b *bed) {
	parsed, err := slurm.ParseScript(hetScript)
	b.must("ParseScript", err)
	b.count("components", len(parsed.Components), 3)
	for _, spec := range parsed.Components {
		spec.Hold, spec.WorkingDirectory, spec.Stdout = true, "/home/alice", "/dev/null"
	}
	submission, err := b.alice.SubmitHet(b.ctx, parsed.Components)
	b.must("SubmitHet", err)
	b.cancelAfter(b.alice, submission.JobID)
	jobs := b.rawJobs(submission.JobID)
	b.count("records", len(jobs), 3)
	for i, partition := range []string{"cpu", "a4", "cpu"} {
		equal(b, "partition", jobs[i]["partition"], any(partition))
		equal(b, "limit", numberOf(jobs[i]["time_limit"]), 20)
		equal(b, "memory", numberOf(jobs[i]["memory_per_node"]), 1024)
		equal(b, "tasks", numberOf(jobs[i]["tasks"]), []float64{2, 1, 3}[i])
	}
	reference, refused, ok := b.sbatch(strings.Replace(hetScript, "--job", "--output=/dev/null --job", 1))
	if !ok {
		return
	}
	equal(b, "refusal", refused, "")
	b.cancelAfter(b.alice, reference)
	for i, job := range b.rawJobs(reference) {
		if others := differing(job, jobs[i]); len(others) > 0 {
			b.t.Errorf("component %d of sbatch's job has %s, ours %s", i, asJSON(others), asJSON(differing(jobs[i], job)))
		}
	}
}

func (b *bed) rawJobs(id slurm.JobID) (jobs []map[string]any) {
	b.t.Helper()
	var answer struct{ Jobs []map[string]any }
	b.must("read records", b.alice.Do(b.ctx, http.MethodGet, "/slurm/v0.0.42/job/"+string(id), nil, &answer))
	for _, job := range answer.Jobs {
		for _, member := range []string{"het_job_id", "het_job_id_set"} {
			delete(job, member)
		}
		jobs = append(jobs, alike(job, string(id)))
	}
	return jobs
}

func numberOf(v any) float64 {
	n, _ := v.(map[string]any)["number"].(float64)
	return n
}

// scriptRuns: the script finds what it would find if sbatch had submitted it.
func scriptRuns(b *bed) {
	parsed, err := slurm.ParseScript(`#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=2 --cpus-per-task=2 --output=/dev/null
#SBATCH --export=ALL,COLOR=red
[ "$HOME" = /home/alice ] || exit 2
[ "$USER" = alice ] || exit 3
[ "$SLURM_SUBMIT_DIR" = /tmp ] || exit 4
[ "$SLURM_CPUS_PER_TASK" = 2 ] || exit 5
[ "$SLURM_NTASKS_PER_NODE" = 2 ] || exit 6
[ "$COLOR" = red ] || exit 7
[ "$SLURM_JOB_NAME" = "` + b.name + `" ] || exit 8
`)
	b.must("ParseScript", err)
	parsed.Spec.Name, parsed.Spec.WorkingDirectory = b.name, "/tmp"
	submission, err := b.alice.SubmitJob(b.ctx, parsed.Spec)
	b.must("SubmitJob", err)
	b.cancelAfter(b.alice, submission.JobID)
	b.count("warnings", len(submission.Warnings), 0)
	b.completes(submission.JobID)
}

func environmentLogin(b *bed) {
	b.completes(b.submit(`[ "$HOME" = /home/alice ] || exit 2
[ "$USER" = alice ] || exit 3
[ "$LOGNAME" = alice ] || exit 4
[ "$SHELL" = /bin/bash ] || exit 5
[ "$PATH" != "" ] || exit 6
[ "$PATH" != "`+slurm.DefaultPath+`" ] || exit 7
[ "$MINE" = yes ] || exit 8
[ "$SLURM_SUBMIT_DIR" = /home/alice ] || exit 9`, func(s *slurm.JobSpec) {
		s.LoginEnvironment, s.Environment = true, map[string]string{"MINE": "yes"}
	}))
}

func environmentAlone(b *bed) {
	b.completes(b.submit(`[ "$HOME" = "" ] || exit 2
[ "$USER" = "" ] || exit 3
[ "$SLURM_SUBMIT_DIR" = "" ] || exit 4
[ "$SLURM_CPUS_PER_TASK" = "" ] || exit 5
[ "$PATH" = "`+slurm.DefaultPath+`" ] || exit 6`, func(s *slurm.JobSpec) { s.CPUsPerTask = 2 }))
}

// patterns of output files, and whether the controller, which writes no files, expands them as the node does. %N is
// not among them: the nodes of the real cluster have another host name than they have in Slurm.
var patterns = map[string]bool{
	"": true, "%j.out": true, "%x-%j.out": true, "%u-%j": true, "%5j": true, "%12j": true, "%%j-%j": true, "a%": true,
	"%A-%j": true, "%3a": false, "%b": true, "/tmp/%x-%j": true, "%05j": false, "x%-5j%j": true, "%y%j": true,
	"%J": false, "%4J": false, "%s-%j": false, "%t-%j": false, "%3t-%j": false, "%n-%j": false, "%5z-%j": false,
	"%10z-%j": false, "f%5": false, "%5%j": false, `/tmp/b\%j`: false, `/tmp/d\\%j`: false, "7": false, "07x%j": true,
}

func outputFiles(b *bed) {
	for pattern, byController := range patterns {
		id := b.submit("sleep 300", func(s *slurm.JobSpec) { s.Stdout, s.WorkingDirectory = pattern, "/tmp" })
		b.scriptRuns(id)
		job := b.running(id)
		path := slurm.ExpandPath(pattern, job)
		if byController {
			equal(b, "path of "+pattern, path, job.StandardOutput)
		}
		if yes, ok := b.wrote(id, path); ok && !yes {
			b.t.Errorf("job %s with output to %q does not write %s", id, pattern, path)
		}
		b.must("Cancel", b.alice.Cancel(b.ctx, id))
	}
}

func outputOfArray(b *bed) {
	for _, pattern := range []string{"", "%A_%a", "%x-%j-%A-%3a-%b"} {
		id := b.submit("sleep 300", array("13"), func(s *slurm.JobSpec) { s.Stdout = pattern })
		b.scriptRuns(id) // the only task has the array's number
		job, err := b.alice.Get(b.ctx, id.WithTask(13))
		b.must("Get", err)
		path := slurm.ExpandPath(pattern, job)
		equal(b, "path of "+pattern, path, job.StandardOutput)
		if yes, ok := b.wrote(job.ID, path); ok && !yes {
			b.t.Errorf("task with output to %q does not write %s", pattern, path)
		}
		records, err := b.alice.History(b.ctx, job.ID)
		b.must("History", err)
		equal(b, "path of "+pattern+" in the accounting", slurm.ExpandPath(pattern, records[0]), path)
		b.must("Cancel", b.alice.Cancel(b.ctx, id))
	}
}

func (b *bed) tasks(id slurm.JobID) []*slurm.Job {
	b.t.Helper()
	jobs, err := b.alice.ArrayTasks(b.ctx, id)
	b.must("ArrayTasks", err)
	return jobs
}

func statesOf(jobs []*slurm.Job) string {
	var all []string
	for _, j := range jobs {
		_, number, _ := strings.Cut(string(j.ID), "_")
		all = append(all, number+":"+string(j.State))
	}
	return strings.Join(all, " ")
}

func arrayTasks(b *bed) {
	id := b.submit("true", hold, array("0-3,7"))
	jobs := b.tasks(id)
	equal(b, "tasks", statesOf(jobs), "0:PENDING 1:PENDING 2:PENDING 3:PENDING 7:PENDING")
	for _, j := range jobs {
		equal(b, "is a task", j.IsArrayTask, true)
		equal(b, "array", j.ArrayJobID, id)
		equal(b, "number", j.RawID, id.Number())
		equal(b, "reason", j.Reason, "JobHeldUser")
	}
	one, err := b.alice.ArrayTasks(b.ctx, id.WithTask(2))
	b.must("ArrayTasks", err)
	b.count("tasks of the array that a task names", len(one), 5)
	b.must("Cancel", b.alice.Cancel(b.ctx, id.WithTask(2)))
	b.eventually("task 2 to leave without a trace", func() (any, bool) {
		states := statesOf(b.tasks(id))
		return states, states == "0:PENDING 1:PENDING 3:PENDING 7:PENDING"
	})
	b.must("Cancel", b.alice.Cancel(b.ctx, id))
	b.eventually("the others to be cancelled", func() (any, bool) {
		states := statesOf(b.tasks(id))
		return states, states == "0:CANCELLED 1:CANCELLED 3:CANCELLED 7:CANCELLED"
	})
}

func arrayTasksGone(b *bed) {
	id := b.submit("[ $SLURM_ARRAY_TASK_ID = 1 ] && exit 3\n[ $SLURM_ARRAY_TASK_ID = 3 ] && sleep 300\ntrue", array("0-5"))
	b.running(id.WithTask(3))
	b.recorded(id.WithTask(1), 1)
	b.gone(id.WithTask(1))
	b.eventually("all but task 3 to end", func() (any, bool) {
		states := statesOf(b.tasks(id))
		return states, states == "0:COMPLETED 1:FAILED 2:COMPLETED 3:RUNNING 4:COMPLETED 5:COMPLETED"
	})
	jobs := b.tasks(id)
	equal(b, "source of task 1", jobs[1].Source, slurm.SourceAccounting)
	equal(b, "source of task 3", jobs[3].Source, slurm.SourceQueue)
	failed := slices.DeleteFunc(jobs, func(j *slurm.Job) bool { return !j.Failed() })
	again, err := slurm.ArrayOf(failed[0].ArrayTaskID)
	b.must("ArrayOf", err)
	equal(b, "failed tasks", again.String(), "1")
}

// arrayTasksMany: the queue shortens such a list, and the accounting does not.
func arrayTasksMany(b *bed) {
	id := b.submit("true", hold, array("0-398:2"))
	b.eventually("the accounting to know the array", func() (any, bool) {
		_, err := b.alice.History(b.ctx, id)
		return err, err == nil
	})
	jobs := b.tasks(id)
	b.count("tasks", len(jobs), 200)
	equal(b, "last task", jobs[199].ID, id.WithTask(398))
}

func arrayTasksNone(b *bed) {
	id := b.submit("true", hold)
	if _, err := b.alice.ArrayTasks(b.ctx, id); !errors.Is(err, slurm.ErrInvalid) {
		b.t.Errorf("ArrayTasks of a plain job: %v", err)
	}
	_, err := b.alice.ArrayTasks(b.ctx, unknown)
	b.refused("ArrayTasks", err, slurm.ErrNotFound, 0)
}

// requeueByFlag: the flag for federations cancels, only that the accounting of the real Slurm then takes the job for
// requeued, for ever.
func requeueByFlag(b *bed) {
	for _, flags := range []string{"FEDERATION_REQUEUE", "FULL_JOB&flags=FEDERATION_REQUEUE"} {
		id := b.submit("sleep 300")
		b.running(id)
		b.must("Do", b.alice.Do(b.ctx, http.MethodDelete, "/slurm/v0.0.42/job/"+string(id)+"?flags="+flags, nil, nil))
		job := b.ended(id)
		equal(b, "state", job.State, slurm.StateCancelled)
		equal(b, "restarts", job.RestartCount, 0)
		b.gone(id)
	}
}

func requeueByUpdate(b *bed) {
	id := b.submit("sleep 300")
	b.running(id)
	yes := true
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Requeue: &yes}))
	b.must("Hold", b.alice.Hold(b.ctx, id))
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "state", job.State, slurm.StateRunning)
	equal(b, "restarts", job.RestartCount, 0)
}

func suspendByUpdate(b *bed) {
	id := b.submit("sleep 300")
	b.running(id)
	b.must("Update", b.alice.Update(b.ctx, id, &slurm.JobUpdate{Extra: map[string]any{"job_state": []string{"SUSPENDED"}}}))
	b.warned("#/job_state/")
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "state", job.State, slurm.StateRunning)
}

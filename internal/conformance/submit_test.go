package conformance

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func submitCases() []testCase {
	return []testCase{
		{name: "submit/plain", test: submitPlain},
		{name: "submit/described", test: submitDescribed},
		{name: "submit/arguments and environment", test: submitArguments},
		{name: "submit/warning/unknown member", test: submitUnknownMember},
		{name: "submit/warning/other type", test: submitOtherType},
		{name: "submit/warning/held", test: submitHeldWarns},
		{name: "submit/failure with a job", test: submitFailureWithJob},
		{name: "submit/success without a job", test: submitSuccessWithoutJob},
		{name: "submit/twice is two jobs", test: submitTwice},
	}
}

func submitPlain(b *bed) {
	spec := b.spec("sleep 1")
	spec.Stdout = ""
	submission, err := b.alice.SubmitJob(b.ctx, spec)
	b.must("SubmitJob", err)
	if len(submission.Warnings) > 0 || submission.UserMessage != "" {
		b.t.Errorf("submission %+v says something", submission)
	}
	id := submission.JobID
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "id", job.ID, id)
	equal(b, "source", job.Source, slurm.SourceQueue)
	equal(b, "name", job.Name, b.name)
	equal(b, "user", job.User, "alice")
	equal(b, "group", job.Group, "alice")
	equal(b, "account", job.Account, "research")
	equal(b, "QOS", job.QOS, "normal")
	equal(b, "partition", job.Partition, "cpu")
	equal(b, "time limit", job.TimeLimit, 30*time.Minute)
	equal(b, "CPUs", job.CPUs, 1)
	equal(b, "nodes asked for", job.NodeCount, 1)
	equal(b, "memory", job.Requested.Memory(), 256<<20)
	equal(b, "directory", job.WorkDir, "/home/alice")
	equal(b, "output", job.StandardOutput, "/home/alice/slurm-"+string(id)+".out")
	equal(b, "restarts", job.RestartCount, 0)
	equal(b, "requeue", job.Requeue, true)
	equal(b, "submit time known", job.SubmitTime.IsZero(), false)
	equal(b, "array", job.ArrayJobID, "")
	equal(b, "het job", job.HetJobID, "")
	equal(b, "odd members", len(job.Odd), 0)
	job = b.completes(id)
	equal(b, "exit code", job.ExitCode.Success(), true)
	equal(b, "allocated CPUs", job.Allocated.CPUs(), 1)
	if job.Nodes != "n1" && job.Nodes != "n2" {
		b.t.Errorf("ran on %q", job.Nodes)
	}
}

func submitDescribed(b *bed) {
	begin := time.Now().Add(time.Hour).Truncate(time.Second)
	no := false
	id := b.submit("true", hold, func(s *slurm.JobSpec) {
		s.Comment = "a \"comment\", with ünicode"
		s.Partition, s.Account, s.QOS = "a4,cpu", "research", "normal"
		s.MinNodes, s.MaxNodes, s.Tasks, s.TasksPerNode, s.CPUsPerTask = 2, 2, 4, 2, 3
		s.ExcludedNodes = []string{"n1"}
		s.Stdin, s.Stdout, s.Stderr = "/dev/null", "out-%j.%x", "/tmp/err-%u"
		s.TimeLimit, s.TimeMinimum = 2*time.Hour, time.Hour
		s.Begin, s.Deadline = begin, begin.Add(24*time.Hour)
		s.Nice, s.Requeue = 100, &no
		s.MailTypes, s.MailUser = []slurm.MailType{slurm.MailEnd, slurm.MailFail}, "bob"
	})
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "comment", job.Comment, "a \"comment\", with ünicode")
	equal(b, "partition", job.Partition, "a4,cpu")
	equal(b, "nodes", job.NodeCount, 2)
	equal(b, "tasks", job.Tasks, 4)
	equal(b, "tasks per node", job.TasksPerNode, 2)
	equal(b, "CPUs per task", job.CPUsPerTask, 3)
	equal(b, "CPUs", job.CPUs, 12)
	equal(b, "excluded nodes", job.ExcludedNodes, "n1")
	equal(b, "input", job.StandardInput, "/dev/null")
	equal(b, "output", job.StandardOutput, "/home/alice/out-"+string(id)+"."+b.name)
	equal(b, "errors", job.StandardError, "/tmp/err-alice")
	equal(b, "limit", job.TimeLimit, 2*time.Hour)
	equal(b, "least limit", job.TimeMinimum, time.Hour)
	equal(b, "deadline", job.Deadline.Equal(begin.Add(24*time.Hour)), true)
	equal(b, "nice", job.Nice, 100)
	equal(b, "requeue", job.Requeue, false)
	equal(b, "hold", job.Hold, true)
	equal(b, "priority", job.Priority, 0)
	equal(b, "mail user", job.MailUser, "bob")
	equal(b, "mail types", strings.Join(slices.Sorted(slices.Values(job.MailTypes)), " "), "END FAIL")
	equal(b, "odd members", len(job.Odd), 0)
}

func submitArguments(b *bed) {
	id := b.submit(`[ "$1" = "one argument" ] || exit 3
[ "$CODE" = "a b" ] && exit 7`, func(s *slurm.JobSpec) {
		s.Arguments = []string{"one argument"}
		s.Environment = map[string]string{"CODE": "a b"}
	})
	job, failed := b.wait(id)
	if failed == nil || job.ExitCode.Code != 7 {
		b.t.Errorf("the script, which must find its argument and its variable, ended with %v", job.ExitCode)
	}
}

func submitUnknownMember(b *bed) {
	submission, err := b.alice.SubmitJob(b.ctx, b.spec("true", hold, extra("timelimit", 5)))
	b.must("SubmitJob", err)
	b.cancelAfter(b.alice, submission.JobID)
	i := slices.IndexFunc(submission.Warnings, func(w slurm.Warning) bool { return w.Source == "#/job/timelimit/" })
	if i < 0 || !strings.HasPrefix(submission.Warnings[i].Description, `Ignoring unknown field "timelimit" of type`) {
		b.t.Errorf("warnings are %v", submission.Warnings)
	}
	b.warned("#/job/timelimit/")
	job, err := b.alice.Get(b.ctx, submission.JobID)
	b.must("Get", err)
	equal(b, "limit", job.TimeLimit, 30*time.Minute)
}

func submitOtherType(b *bed) {
	submission, err := b.alice.SubmitJob(b.ctx, b.spec("true", hold, extra("tasks", "2")))
	b.must("SubmitJob", err)
	b.cancelAfter(b.alice, submission.JobID)
	b.warned("#/job/tasks/")
	job, err := b.alice.Get(b.ctx, submission.JobID)
	b.must("Get", err)
	equal(b, "tasks", job.Tasks, 2)
}

func submitHeldWarns(b *bed) {
	submission, err := b.alice.SubmitJob(b.ctx, b.spec("true", hold))
	b.must("SubmitJob", err)
	b.cancelAfter(b.alice, submission.JobID)
	want := []slurm.Warning{
		{Source: "slurm_submit_batch_job()", Description: "Job submission resulted in non-zero return code: " +
			"Job is in held state, pending scheduler release"},
		{Source: "slurm_submit_batch_job()", Description: "Job is in held state, pending scheduler release"},
	}
	if !slices.Equal(submission.Warnings, want) {
		b.t.Errorf("warnings are %v, want %v", submission.Warnings, want)
	}
}

// submitFailureWithJob: Slurm says 500 to an unknown word, and runs the job without it.
func submitFailureWithJob(b *bed) {
	id, err := b.alice.Submit(b.ctx, b.spec("true", extra("shared", []string{"nope"})))
	b.refused("Submit", err, slurm.ErrPartial, 9207)
	if id == "" {
		b.t.Fatal("no job")
	}
	b.completes(id)
}

// submitSuccessWithoutJob: Slurm says 200 to a member that it cannot read, and does nothing.
func submitSuccessWithoutJob(b *bed) {
	id, err := b.alice.Submit(b.ctx, b.spec("true", extra("minimum_cpus", []string{"many"})))
	failure, ok := errors.AsType[*slurm.Error](err)
	if id != "" || !ok || failure.Status != http.StatusOK {
		b.t.Errorf("got job %q and error %v, want none, and an error from a 200", id, err)
	}
	b.noJob()
}

func submitTwice(b *bed) {
	first, second := b.submit("true", hold), b.submit("true", hold)
	equal(b, "the next job's number", second.Number() > first.Number(), true)
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	b.count("number of jobs", len(jobs), 2)
}

// noJob checks that nothing is in the queue under the case's name.
func (b *bed) noJob() {
	b.t.Helper()
	jobs, err := b.alice.List(b.ctx, &slurm.ListOptions{Names: []string{b.name}})
	b.must("List", err)
	if len(jobs) > 0 {
		b.t.Errorf("there is a job: %v", jobs)
	}
}

// raw submits what the client would not send. changes are members of the job, or of the body if they begin with "/";
// nil leaves a member out.
func (b *bed) raw(changes map[string]any) *slurm.Error {
	b.t.Helper()
	job := map[string]any{
		"name": b.name, "current_working_directory": "/home/alice", "environment": []string{"PATH=/bin:/usr/bin"},
		"hold": true,
	}
	body := map[string]any{"job": job, "script": "#!/bin/bash\ntrue\n"}
	set := func(m map[string]any, name string, value any) {
		if m[name] = value; value == nil {
			delete(m, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if member, ok := strings.CutPrefix(name, "/"); ok {
			set(body, member, changes[name])
		} else {
			set(job, name, changes[name])
		}
	}
	err := b.alice.Do(b.ctx, http.MethodPost, "/slurm/v0.0.42/job/submit", body, nil)
	failure, ok := errors.AsType[*slurm.Error](err)
	if !ok {
		b.t.Fatalf("Do: %v, want Slurm's refusal", err)
	}
	return failure
}

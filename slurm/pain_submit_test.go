package slurm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// jontk/slurm-client#120: a simple struct had 12 fields of a job, and some of them were never sent. Here each field of the
// struct, set alone, changes what is sent, and Extra passes on what has no field.
func TestPainU12EveryFieldIsSent(t *testing.T) {
	for field := range reflect.TypeFor[slurm.JobSpec]().Fields() {
		value, ok := fieldValues[field.Name]
		if !ok || !field.IsExported() {
			if field.IsExported() && field.Name != "Script" { // sentJob checks the script in every case
				t.Errorf("no value for %s", field.Name)
			}
			continue
		}
		spec := validSpec()
		value.set(spec)
		sent, err := json.Marshal(sentJob(t, spec)[value.member])
		if err != nil || string(sent) != canonical(t, []byte(value.want)) {
			t.Errorf("%s: %s is %s, %v; want %s", field.Name, value.member, sent, err, value.want)
		}
	}
}

// Slurm 24.11.0rc1: cancelling one task of an array cancelled all of it. What is named is what is asked for.
func TestPainU31CancelOfOneTask(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"status":[],"errors":[]}`})
	if err := c.Cancel(t.Context(), "123_4"); err != nil || s.requests[0].Method != "DELETE" || s.requests[0].Path != "/slurm/v0.0.42/job/123_4" {
		t.Errorf("%v, asked %+v", err, s.requests)
	}
	b := newBed(t)
	id := b.submit(t, "sleep 3600", func(s *slurm.JobSpec) { s.Array = "0-3" })
	if err := b.Cancel(t.Context(), id.WithTask(2)); err != nil {
		t.Fatal(err)
	}
	for _, job := range b.srv.Jobs() {
		if cancelled := job.State == "CANCELLED"; cancelled != (job.Task == 2) {
			t.Errorf("task %d is %s", job.Task, job.State)
		}
	}
}

// Slurm before 25.05.1: an empty submit crashes its REST daemon. Nothing of the kind is sent.
func TestPainU32EmptySubmits(t *testing.T) {
	c, s := newScripted(t, answer{status: 200, body: `{"job_id":1}`})
	for what, spec := range map[string]*slurm.JobSpec{"nothing": nil, "an empty job": {}, "no script": {WorkingDirectory: "/x"}, "no directory": {Script: "#!/bin/sh\n"}} {
		if id, err := c.Submit(t.Context(), spec); id != "" || err == nil {
			t.Errorf("%s: %q, %v", what, id, err)
		}
	}
	for _, components := range [][]*slurm.JobSpec{nil, {}, {nil}, {{}}} {
		if submission, err := c.SubmitHet(t.Context(), components); submission != nil || err == nil {
			t.Errorf("%v: %+v, %v", components, submission, err)
		}
	}
	if err := c.Update(t.Context(), "1", &slurm.JobUpdate{}); err == nil {
		t.Error("an empty update")
	}
	if len(s.requests) != 0 {
		t.Errorf("sent %+v", s.requests)
	}
}

// Slurm 23.02.1 and 23.02.4: memory as a plain number was refused by some releases, and as an object by others.
func TestPainU33MemoryIsAnObject(t *testing.T) {
	for member, set := range map[string]func(*slurm.JobSpec){
		"memory_per_node": func(s *slurm.JobSpec) { s.MemoryPerNode = 64 << 30 }, "memory_per_cpu": func(s *slurm.JobSpec) { s.MemoryPerCPU = 64 << 30 },
	} {
		spec := validSpec()
		set(spec)
		if got := fmt.Sprint(sentJob(t, spec)[member]); got != "map[number:65536 set:true]" {
			t.Errorf("%s: sent %s", member, got)
		}
	}
}

// PySlurm/pyslurm#351: whoever set one variable replaced all of them, and bash was not found any more. Here a job always has
// a PATH.
func TestPainU35PathStays(t *testing.T) {
	for _, environment := range []map[string]string{nil, {"A": "1"}, {"A": "1", "PATH": "/opt/bin"}} {
		spec := validSpec()
		spec.Environment = environment
		path := "PATH=" + slurm.DefaultPath
		if own, ok := environment["PATH"]; ok {
			path = "PATH=" + own
		}
		if sent := sentJob(t, spec)["environment"].([]any); !slices.Contains(sent, any(path)) || len(environment) > 0 && !slices.Contains(sent, "A=1") {
			t.Errorf("%v: sent %v", environment, sent)
		}
	}
}

// NVIDIA/cloudai#1023: the environment was sent as an object, which Slurm does not read.
func TestPainU36EnvironmentIsAList(t *testing.T) {
	spec := validSpec()
	spec.Environment = map[string]string{"B": "2", "PATH": "/bin", "A": "x=y"}
	if got := fmt.Sprint(sentJob(t, spec)["environment"]); got != "[A=x=y B=2 PATH=/bin]" {
		t.Errorf("sent %s", got)
	}
	for _, bad := range []string{"A=B", "A\x00", ""} {
		spec.Environment = map[string]string{bad: "1"}
		inputProblems(t, spec.Validate())
	}
}

// NVIDIA/cloudai#1023: ids were compared as text in one place and as numbers in another.
func TestPainU37JobIDs(t *testing.T) {
	for text, want := range map[string]slurm.JobID{"42": "42", "42_3": "42_3", "42+1": "42+1", "42.batch": "42"} {
		if id, err := slurm.ParseJobID(text); id != want || err != nil || id.Number() != 42 {
			t.Errorf("%q: %q, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "-1", "4294967295", "true"} {
		if id, err := slurm.ParseJobID(text); id != "" || !errors.Is(err, slurm.ErrInvalid) {
			t.Errorf("%q: %q, %v", text, id, err)
		}
	}
}

// facebookincubator/submitit#1719: the lines that sbatch reads have no effect in a submit by REST. ParseScript reads them,
// says what it could not take over, and a submit of a script with such lines warns.
func TestPainU38ScriptDirectives(t *testing.T) {
	const script = "#!/bin/bash\n#SBATCH --gpus-per-node=8 -N2\n#SBATCH --time=1-02:03\n#SBATCH --comment=\"two words\"\n#SBATCH --test-only\ntrue\n#SBATCH --nodes=7\n"
	parsed, err := slurm.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	spec := parsed.Spec
	if spec.GPUsPerNode != 8 || spec.MinNodes != 2 || spec.TimeLimit != 26*time.Hour+3*time.Minute || spec.Comment != "two words" {
		t.Errorf("%+v", spec)
	}
	if len(parsed.Unsupported) != 1 || parsed.Unsupported[0].Option != "--test-only" {
		t.Errorf("unsupported: %v", parsed.Unsupported)
	}
	// Inside of a script, --wrap has no effect for sbatch either: the script is what runs.
	if parsed, err := slurm.ParseScript("#!/bin/bash\n#SBATCH --wrap=true\nfalse\n"); err != nil || len(parsed.Unsupported) != 0 || !strings.HasSuffix(parsed.Spec.Script, "\nfalse\n") {
		t.Errorf("--wrap in a script: %+v, %v", parsed, err)
	}
	b := newBed(t)
	submission, err := b.SubmitJob(t.Context(), &slurm.JobSpec{Script: script, WorkingDirectory: "/home/alice"})
	if err != nil || !strings.Contains(fmt.Sprint(submission.Warnings), "#SBATCH lines have no effect here") {
		t.Errorf("%+v, %v", submission, err)
	}
}

// DataBiosphere/toil#5459: the answer to a submit was lost, the submit was repeated, and two copies of the job corrupted
// each other's results.
func TestPainU41LostAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}))
		if id, err := b.Submit(t.Context(), validSpec()); id != "1" || err != nil || len(b.srv.Jobs()) != 1 || b.submits() != 1 {
			t.Errorf("%q, %v; %d jobs of %d submits", id, err, len(b.srv.Jobs()), b.submits())
		}
	})
}

// nextflow-io/nextflow#970 and #981: "failed to submit", said of jobs that ran. A failure after which nobody knows says so,
// and the job can be found.
func TestPainU42FailedToSubmitThoughItRan(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropLate, Delay: 2 * time.Minute}))
		id, err := b.Submit(t.Context(), validSpec())
		uncertain, ok := errors.AsType[*slurm.UncertainError](err)
		if id != "" || !ok {
			t.Fatalf("%q, %v", id, err)
		}
		time.Sleep(5 * time.Minute)
		if id, err := b.Recover(t.Context(), uncertain.Token); id != "1" || err != nil || len(b.srv.Jobs()) != 1 {
			t.Errorf("Recover: %q, %v; %d jobs", id, err, len(b.srv.Jobs()))
		}
	})
}

// snakemake/snakemake#1789, facebookincubator/submitit#1659: an overloaded controller refuses submits for a while. The error
// says that nothing was accepted and that another try may succeed; when to make it is left to the caller.
func TestPainU43TemporarilyUnable(t *testing.T) {
	for _, tt := range []struct {
		status, number int
		text           string
	}{
		{502, 1800, "Unable to contact slurm controller (connect failure)"},
		{500, 11, "Resource temporarily unavailable"}, // those two are what sbatch sleeps for and tries again
		{500, 2007, "Unable to create job record, try again"},
	} {
		c, s := newScripted(t, answer{status: tt.status, body: fmt.Sprintf(`{"errors":[{"error_number":%d,"error":%q}]}`, tt.number, tt.text)},
			answer{status: 200, body: `{"job_id":7}`})
		id, err := c.Submit(t.Context(), validSpec())
		e, ok := errors.AsType[*slurm.Error](err)
		if id != "" || !ok || !e.Transient() || errors.Is(err, slurm.ErrUnavailable) != (tt.number == 1800) || errors.Is(err, slurm.ErrUncertain) ||
			!strings.Contains(err.Error(), tt.text) || len(s.requests) != 1 {
			t.Fatalf("%q, %v after %d requests", id, err, len(s.requests))
		}
		if id, err := c.Submit(t.Context(), validSpec()); id != "7" || err != nil {
			t.Errorf("%q, %v", id, err)
		}
	}
	// "Socket timed out" proves nothing.
	synctest.Test(t, func(t *testing.T) {
		c, _ := newScripted(t, answer{status: 500, body: `{"errors":[{"error_number":5004,"error":"Socket timed out on send/recv operation"}]}`})
		if _, err := c.Submit(t.Context(), validSpec()); !errors.Is(err, slurm.ErrUncertain) {
			t.Errorf("%v", err)
		}
	})
}

// scalableminds/webknossos-libs#537, deepmodeling/dpdispatcher#337: a limit on jobs was met in the middle of a batch, and
// what had been submitted before was lost.
func TestPainU44LimitInABatch(t *testing.T) {
	b := newBed(t, slurmtest.WithMaxSubmitJobs(5))
	var ids []slurm.JobID
	for range 10 {
		id, err := b.Submit(t.Context(), validSpec())
		if id != "" {
			ids = append(ids, id)
		} else if !errors.Is(err, slurm.ErrLimit) || errors.Is(err, slurm.ErrUncertain) {
			t.Errorf("%v", err)
		}
	}
	if fmt.Sprint(ids) != "[1 2 3 4 5]" || len(b.srv.Jobs()) != 5 {
		t.Errorf("ids %v of %d jobs", ids, len(b.srv.Jobs()))
	}
}

// jean-zay-users/jean-zay-doc#41, meta-pytorch/torchx#394: people want jobs to run again that ended through no fault of
// their own. This SDK submits nothing by itself; its errors answer for which jobs a program may want to.
func TestPainU45WhatToSubmitAgain(t *testing.T) {
	for state, again := range map[string]bool{"PREEMPTED": true, "NODE_FAIL": true, "BOOT_FAIL": true, "TIMEOUT": true, "DEADLINE": true, "FAILED": false, "OUT_OF_MEMORY": false, "CANCELLED": false} {
		synctest.Test(t, func(t *testing.T) {
			s := &story{queue: []string{"RUNNING", state + " fixed"}}
			c, err := slurm.NewClient(s, clusterName)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Wait(t.Context(), "42")
			failed, ok := errors.AsType[*slurm.JobError](err)
			if !ok || (failed.Infrastructure() || failed.TimedOut()) != again {
				t.Errorf("%s: %v", state, err)
			}
		})
	}
}

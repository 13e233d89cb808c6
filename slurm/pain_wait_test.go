package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// noAccounting is Slurm's answer to paths that it does not serve, such as those of an accounting that is switched off.
const noAccounting = "!404Unable find requested URL. Please view /openapi/v3 for API reference."

// waitFor waits for job 42 of a story, in virtual time.
func waitFor(t *testing.T, queue, accounting []string, check func(t *testing.T, s *story, job *slurm.Job, err error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &story{queue: queue, accounting: accounting}
		c, err := slurm.NewClient(s, clusterName)
		if err != nil {
			t.Fatal(err)
		}
		job, err := c.Wait(t.Context(), "42")
		check(t, s, job, err)
	})
}

// endsAs wants a wait to end with the job in that state.
func endsAs(state slurm.State) func(*testing.T, *story, *slurm.Job, error) {
	return func(t *testing.T, s *story, job *slurm.Job, err error) {
		t.Helper()
		if _, failed := errors.AsType[*slurm.JobError](err); job == nil || job.State != state || failed != (state != slurm.StateCompleted) || err != nil && !failed {
			t.Errorf("%v, %v; want %s", job, err, state)
		}
	}
}

// NVIDIA/Model-Optimizer#1900: a record was removed everywhere, and the wait reported a running job for ever.
func TestPainU47RecordGoneEverywhere(t *testing.T) {
	waitFor(t, []string{"RUNNING", "!404" + gone}, []string{"!200" + nothing}, func(t *testing.T, s *story, job *slurm.Job, err error) {
		if !errors.Is(err, slurm.ErrJobLost) || job == nil || job.State != slurm.StateRunning || !strings.HasSuffix(err.Error(), "; last seen RUNNING") {
			t.Errorf("%v, %v", job, err)
		}
	})
}

// skypilot-org/skypilot#10457: one empty answer during a restart, and what was alive was taken for gone.
func TestPainU48OneEmptyAnswer(t *testing.T) {
	for _, empty := range []string{`!200{"jobs":[],"errors":[]}`, `!200{"jobs":null}`, "!404" + gone, "!500"} {
		waitFor(t, []string{"RUNNING", empty, "RUNNING", "COMPLETED"}, []string{"!200" + nothing}, endsAs(slurm.StateCompleted))
	}
}

// facebookincubator/submitit#1786: a preempted job was final, though it was requeued.
func TestPainU50PreemptedAndBack(t *testing.T) {
	waitFor(t, []string{"RUNNING", "PREEMPTED", "PENDING", "RUNNING", "COMPLETED"}, nil, endsAs(slurm.StateCompleted))
	waitFor(t, []string{"RUNNING", "PREEMPTED REQUEUED", "PENDING REQUEUED", "COMPLETED"}, nil, endsAs(slurm.StateCompleted))
}

// MFlowCode/MFC#1771: where preempted jobs are cancelled, the wait for the requeue never ended.
func TestPainU51PreemptedForGood(t *testing.T) {
	waitFor(t, []string{"PREEMPTED", "PREEMPTED", "!404" + gone}, []string{"PREEMPTED"}, endsAs(slurm.StatePreempted))
	waitFor(t, []string{"PREEMPTED fixed"}, nil, endsAs(slurm.StatePreempted))
}

// A plugin went on waiting only for four states, so that every other one passed for a result.
func TestPainU53UnknownStates(t *testing.T) {
	waitFor(t, []string{"STAGE_OUT", "QUANTUM_WAIT", "SUSPENDED", "RUNNING QUANTUM_WAIT", "COMPLETED"}, nil, endsAs(slurm.StateCompleted))
}

// nextflow-io/nextflow#1045: a job that an administrator moved to another partition was lost by those who listed one.
func TestPainU54MovedToAnotherPartition(t *testing.T) {
	at := func(partition, state string) string {
		return fmt.Sprintf(`!200{"jobs":[{"job_id":42,"partition":%q,"job_state":[%q]}]}`, partition, state)
	}
	waitFor(t, []string{at("a", "PENDING"), at("b", "RUNNING"), at("b", "COMPLETED")}, nil, func(t *testing.T, s *story, job *slurm.Job, err error) {
		if endsAs(slurm.StateCompleted)(t, s, job, err); job.Partition != "b" {
			t.Errorf("in %s", job.Partition)
		}
	})
}

// reframe-hpc/reframe#1977: Slurm knew one job of several no more, and the wait for all of them crashed.
func TestPainU55OneUnknownOfFive(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		ids := []slurm.JobID{"4711"}
		for range 4 {
			ids = append(ids, b.submit(t, "sleep 600"))
		}
		jobs, err := b.WaitAll(t.Context(), ids)
		if !errors.Is(err, slurm.ErrJobLost) || len(jobs) != 5 || jobs[0] != nil {
			t.Errorf("%v, %v", jobs, err)
		}
		for i, job := range jobs[1:] {
			if job == nil || job.ID != ids[i+1] || !job.Succeeded() {
				t.Errorf("%s: %v", ids[i+1], job)
			}
		}
	})
}

// princeton-ddss/blackfish#484: the history held an old job with the same number, and a window in local time missed the new
// one.
func TestPainU57RecycledNumber(t *testing.T) {
	const both = `!200{"jobs":[{"job_id":42,"state":{"current":["FAILED"]},"time":{"submission":5000}},` +
		`{"job_id":42,"state":{"current":["COMPLETED"]},"time":{"submission":1000000}}]}`
	waitFor(t, []string{"RUNNING", "!404" + gone}, []string{both}, endsAs(slurm.StateCompleted))
	// The old one alone is no answer.
	waitFor(t, []string{"RUNNING", "!404" + gone}, []string{`!200{"jobs":[{"job_id":42,"state":{"current":["FAILED"]},"time":{"submission":5000}}]}`},
		func(t *testing.T, s *story, job *slurm.Job, err error) {
			if !errors.Is(err, slurm.ErrJobLost) {
				t.Errorf("%v, %v", job, err)
			}
		})
	c, s := newScripted(t, answer{status: 200, body: `{"jobs":[]}`})
	start := time.Date(2026, 3, 29, 2, 30, 0, 0, time.FixedZone("CEST", 7200))
	if _, err := c.ListHistory(t.Context(), &slurm.HistoryOptions{Start: start}); err != nil || !strings.Contains(s.requests[0].Path, fmt.Sprintf("start_time=uts%d&", start.Unix())) {
		t.Errorf("%v, asked %s", err, s.requests[0].Path)
	}
}

// Snakemake-Profiles/slurm#74, batchtools#201: polling each job by itself floods the controller, and administrators
// complain.
func TestPainU59ManyWaiters(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		g := b.gated(t)
		var ids []slurm.JobID
		for range someJobs {
			ids = append(ids, b.submit(t, "sleep 3600", long))
		}
		g.calls = nil
		var group sync.WaitGroup
		for _, id := range ids {
			group.Go(func() {
				if job, err := b.Wait(t.Context(), id); err != nil || !job.Succeeded() {
					t.Errorf("%v, %v", job, err)
				}
			})
		}
		group.Wait()
		// The polls are those of one wait. A record is read for each change that is seen of a job: it starts, completes, and has ended.
		records := g.count("job")
		if polls := g.count("") - records; polls > 300 || records > 3*someJobs {
			t.Errorf("%d polls and %d records for %d waits of an hour", polls, records, someJobs)
		}
	}, huge())
}

// snakemake-executor-plugin-slurm#38: where the accounting is off, each look at it failed, and the jobs with it.
func TestPainU60WithoutAccounting(t *testing.T) {
	const disabled = `!500{"jobs":[],"errors":[{"error_number":-1,"error":"Slurm accounting storage is disabled"}]}`
	waitFor(t, []string{"PENDING", "RUNNING", "COMPLETED"}, []string{noAccounting}, endsAs(slurm.StateCompleted))
	// A job that has left the queue unseen is lost then, as there is nowhere to look; the error ends the wait and is one.
	waitFor(t, []string{"RUNNING", "!404" + gone}, []string{noAccounting}, func(t *testing.T, s *story, job *slurm.Job, err error) {
		if !errors.Is(err, slurm.ErrJobLost) || job == nil || !job.Running() || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, %v", job, err)
		}
	})
	waitFor(t, []string{"RUNNING", "!404" + gone}, []string{disabled}, func(t *testing.T, s *story, job *slurm.Job, err error) {
		if job == nil || !job.Running() || !strings.Contains(err.Error(), "Slurm accounting storage is disabled") {
			t.Errorf("%v, %v", job, err)
		}
	})
}

// Slurm 23.11.2 and 24.11.3: the list of the queue needed the database, and came with warnings without it.
func TestPainU61WarningsBesideData(t *testing.T) {
	c, _ := newScripted(t, answer{status: 200, body: `{"jobs":[{"job_id":42,"job_state":["RUNNING"]}],"errors":[],` +
		`"warnings":[{"description":"slurmdb_users_get() failed","source":"slurmdbd"}]}`})
	if jobs, err := c.List(t.Context(), nil); err != nil || len(jobs) != 1 {
		t.Errorf("%v, %v", jobs, err)
	}
	if job, err := c.Get(t.Context(), "42"); err != nil || !job.Running() {
		t.Errorf("%v, %v", job, err)
	}
}

// SlinkyProject/slurm-operator#190: Slurm's REST daemon does not give back the memory of wide queries of the history.
func TestPainU62BoundedHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := newScripted(t, answer{status: 200, body: `{"jobs":[]}`})
		if _, err := c.ListHistory(t.Context(), nil); err != nil {
			t.Error(err)
		}
		for _, part := range []string{fmt.Sprintf("start_time=uts%d&", bubbleStart-24*60*60), "skip_steps=true"} {
			if !strings.Contains(s.requests[0].Path, part) {
				t.Errorf("%s lacks %s", s.requests[0].Path, part)
			}
		}
	})
}

// SlinkyProject/slurm-operator#239: a wait for something that never came held its caller for ever.
func TestPainU63ServerThatNeverAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bed) {
		id := b.submit(t, "sleep 60")
		b.platform.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDelay, Delay: 1000 * time.Hour, Times: -1})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.Wait(ctx, id); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a deadline: %v", err)
		}
		_, err := b.Wait(t.Context(), id) // ends without one
		if watching, ok := errors.AsType[*lro.WaitError](err); !ok || watching.Last == nil {
			t.Errorf("without a deadline: %v", err)
		}
		if _, err := b.List(t.Context(), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a list: %v", err)
		}
	})
}

// rackslab/Slurm-web#161: flags for details made the controller read each script from disk, for ten thousand jobs.
func TestPainU65NoFlagsByDefault(t *testing.T) {
	b := newBed(t, slurmtest.WithFirstJobID(7))
	id := b.submit(t, "sleep 3600")
	b.srv.ResetRequests()
	if _, err := b.List(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := b.Get(t.Context(), id); err != nil {
		t.Error(err)
	}
	b.wantPaths(t, "GET /slurm/v0.0.42/jobs/", "GET /slurm/v0.0.42/job/7")
}

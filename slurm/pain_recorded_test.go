package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// painCalls is a Caller that notes the paths it is asked for, and gives its answers in turn, the last one for ever.
type painCalls struct {
	answers []*cluster.SlurmResponse
	paths   []string
}

func (p *painCalls) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	p.paths = append(p.paths, req.Method+" "+req.Path)
	return p.answers[min(len(p.paths), len(p.answers))-1], nil
}

func answering(bodies ...string) *painCalls {
	p := &painCalls{}
	for _, body := range bodies {
		p.answers = append(p.answers, &cluster.SlurmResponse{Status: 200, Body: []byte(body)})
	}
	return p
}

// jontk/slurm-client#100: the total was that of a page, and filters were dropped where there were pages. The lists here
// have no pages and no limit: what a filter gives is each job that matches and no other.
func TestPainU13FiltersOfLists(t *testing.T) {
	c := painClient(t, replay{recording{Status: 200, Body: unzip(t, "jobs-2000.json.gz")}.response()})
	all, err := c.List(t.Context(), nil)
	if err != nil || len(all) != 2000 {
		t.Fatalf("%d jobs, %v", len(all), err)
	}
	for _, opts := range []*ListOptions{
		{Users: []string{"alice"}}, {States: []State{StatePending}, Partitions: []string{"cpu", "gpu"}}, {Names: []string{all[7].Name}, Since: all[9].SubmitTime},
	} {
		var want []JobID
		for _, job := range all {
			if anyOf(opts.Users, job.User) && anyOf(opts.Partitions, job.Partition) && anyOf(opts.Names, job.Name) &&
				(len(opts.States) == 0 || job.State == opts.States[0]) && !job.SubmitTime.Before(opts.Since) {
				want = append(want, job.ID)
			}
		}
		got, err := c.List(t.Context(), opts)
		var ids []JobID
		for _, job := range got {
			ids = append(ids, job.ID)
		}
		if err != nil || len(want) == 0 || !slices.Equal(ids, want) {
			t.Errorf("%+v: %d jobs, %v; want %d", opts, len(ids), err, len(want))
		}
	}
}

// apache/airavata-custos#534: exit codes have two shapes by version, and a filter for times was sent in a form that the
// server refuses.
func TestPainU20ExitCodeAndTimeFilter(t *testing.T) {
	failed := alter(t, firstRecord(t, "job_running"), "job_state", `["FAILED"]`)
	for _, value := range []string{"3", "768", `{"status":["ERROR"],"return_code":{"set":true,"infinite":false,"number":3},"signal":{"id":{"set":false,"number":0},"name":""}}`} {
		jobs, err := painTwice(t, 200, painBody(t, alter(t, failed, "exit_code", value)))
		if err != nil || len(jobs) != 1 || jobs[0].ExitCode.String() != "exit code 3" || jobs[0].Odd != nil {
			t.Errorf("%s: %v, %v", value, jobs, err)
		}
	}
	calls := answering(`{"jobs":[]}`)
	if _, err := painClient(t, calls).ListHistory(t.Context(), &HistoryOptions{Start: time.Unix(1760000000, 0), End: time.Unix(1760003600, 0)}); err != nil {
		t.Error(err)
	}
	// A bare number is refused before v0.0.42; "uts" in front of it says what it is.
	if !strings.HasPrefix(calls.paths[0], "GET /slurmdb/v0.0.42/jobs/?start_time=uts1760000000&end_time=uts1760003600&") {
		t.Errorf("asked %s", calls.paths[0])
	}
}

// Slurm 23.11.6 to 24.11.4: jobs/state had no schema, and wrong ids for arrays. It is read by hand, tasks by their own names,
// and where it fails the list is asked.
func TestPainU25StatesOfAnArray(t *testing.T) {
	const (
		array   = `{"job_id":210,"array_job_id":210,"array_task_string":"0-4","job_state":["PENDING"]}`
		other   = `{"job_id":211,"job_state":["PENDING"]}` // with one job alone, its record is read each time
		pending = `{"jobs":[` + array + `,` + other + `],"errors":[]}`
	)
	live, past := []string{strings.ReplaceAll(other, "PENDING", "COMPLETED")}, []string{`{"job_id":211,"state":{"current":["COMPLETED"]}}`}
	for i := range 5 {
		live = append(live, fmt.Sprintf(`{"job_id":%d,"array_job_id":210,"array_task_id":{"set":true,"number":%d},"job_state":["COMPLETED"]}`, 300+i, i))
		past = append(past, fmt.Sprintf(`{"job_id":%d,"array":{"job_id":210,"task_id":{"set":true,"number":%d}},"state":{"current":["COMPLETED"]}}`, 300+i, i))
	}
	list := func(records []string) string { return `{"jobs":[` + strings.Join(records, ",") + `],"errors":[]}` }
	states := strings.Replace(string(recorded(t, "jobs_state_array").Body), `"jobs":[`, `"jobs":[{"job_id":"211","state":["PENDING"]},`, 1)
	refused := recorded(t, "jobs_state_array_tasks_enc")
	for _, withStates := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			start, asked := time.Now(), map[string]int{}
			c := painClient(t, painFunc(func(path string) *cluster.SlurmResponse {
				over := time.Since(start) > 10*time.Minute
				body := pending
				switch kind := strings.Contains(path, "jobs/state"); {
				case kind && !withStates:
					asked["states"]++
					return refused.response()
				case kind && over:
					body = strings.ReplaceAll(states, "PENDING", "COMPLETED")
				case kind:
					asked["states"]++
					body = states
				case over && strings.HasPrefix(path, "/slurmdb/"):
					body = list(past)
				case over:
					body = list(live)
				default:
					asked["lists"]++
				}
				return recording{Status: 200, Body: json.RawMessage(body)}.response()
			}))
			jobs, err := c.WaitAll(t.Context(), []JobID{"210", "211"})
			if err != nil || len(jobs) != 2 || !jobs[0].Succeeded() || asked["states"] == 0 {
				t.Errorf("with states %v: %v, %v, asked %v", withStates, jobs, err, asked)
			}
			if withStates && asked["states"] <= asked["lists"] {
				t.Errorf("the states are there, and yet asked %v", asked)
			}
		})
	}
}

// painFunc is a Caller that answers by the path.
type painFunc func(path string) *cluster.SlurmResponse

func (f painFunc) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	return f(req.Path), nil
}

// Slurm 24.11.5 answers 500 with error 9207 to a flag it does not know, and runs the job all the same: a client that lost
// the id, or advised to send it again, made a second job.
func TestPainU26SubmitWithAnError(t *testing.T) {
	rec := recorded(t, "submit_flags_bad")
	submission, err := replayed(t, rec).SubmitJob(t.Context(), &JobSpec{Script: "#!/bin/sh\n", WorkingDirectory: "/x"})
	e, ok := errors.AsType[*Error](err)
	if submission == nil || submission.JobID != "99" || !ok || e.JobID != "99" || !errors.Is(err, ErrPartial) || errors.Is(err, ErrUncertain) {
		t.Fatalf("%+v, %v", submission, err)
	}
	if !strings.Contains(err.Error(), "job 99 exists all the same") || strings.Contains(err.Error(), "again") {
		t.Errorf("%v", err)
	}
}

// SlinkyProject/slurm-operator#79: an unknown node answers 200 and error number 0, "No error". An operator took it for a
// drained one, and killed running jobs.
func TestPainU27FailuresWithoutANumber(t *testing.T) {
	client := func(name string) *Client { return replayed(t, recorded(t, name)) }
	if nodes, err := client("slurm_node_unknown").Nodes(t.Context()); len(nodes) != 0 || err == nil || !strings.Contains(err.Error(), "Failure to query node zz") {
		t.Errorf("an unknown node: %v, %v", nodes, err)
	}
	if err := client("slurm_node_unknown").Do(t.Context(), "GET", "/slurm/v0.0.42/node/zz", nil, nil); err == nil {
		t.Error("an unknown node passes for success")
	}
	spec := &JobSpec{Script: "#!/bin/sh\n", WorkingDirectory: "/x"}
	if submission, err := client("submit_het_empty").SubmitHet(t.Context(), []*JobSpec{spec}); submission != nil || err == nil {
		t.Errorf("a job without components: %v, %v", submission, err)
	}
	if err := client("delete_signal_bad").Signal(t.Context(), "146", "USR1"); err == nil {
		t.Error("a signal that Slurm does not know passes for sent")
	}
}

// Slurm 26.05 moves the status of failures from 500 to 422: it must not matter which it is.
func TestPainU29StatusOfFailures(t *testing.T) {
	rec := recorded(t, "job_id_unknown")
	var texts []string
	for _, status := range []int{500, 422} {
		rec.Status = status
		job, err := replayed(t, rec).Get(t.Context(), "4711")
		if job != nil || !errors.Is(err, ErrNotFound) {
			t.Errorf("%d: %v, %v", status, job, err)
		}
		texts = append(texts, strings.ReplaceAll(fmt.Sprint(err), fmt.Sprint(status), ""))
	}
	if texts[0] != texts[1] {
		t.Errorf("%q", texts)
	}
}

// Slurm 26.05: what is missing was an error, and is an empty list with status 200.
func TestPainU30Missing(t *testing.T) {
	for status, body := range map[int]string{404: string(recorded(t, "job_id_unknown").Body), 200: `{"jobs":[],"errors":[],"warnings":[]}`} {
		c := painClient(t, replay{recording{Status: status, Body: json.RawMessage(body)}.response()})
		if job, err := c.Get(t.Context(), "4711"); job != nil || !errors.Is(err, ErrNotFound) {
			t.Errorf("Get, %d: %v, %v", status, job, err)
		}
		if jobs, err := c.History(t.Context(), "4711"); len(jobs) != 0 || !errors.Is(err, ErrNotFound) {
			t.Errorf("History, %d: %v, %v", status, jobs, err)
		}
	}
}

// SlinkyProject/slurm-operator#118: jobs were held since Slurm could not resolve their user, and nothing said so.
func TestPainU39HeldJobs(t *testing.T) {
	for name, reason := range map[string]string{
		"job_pending_held": "JobHeldUser", "job_pending_held_user": "JobHeldUser", "job_pending_held_admin": "JobHeldAdmin",
	} {
		rec := recorded(t, name)
		jobs, err := painOf(t, rec)
		if err != nil || len(jobs) != 1 || jobs[0].Reason != reason || !jobs[0].Pending() || jobs[0].Priority != 0 ||
			!strings.Contains(jobs[0].String(), reason) || jobs[0].User == "" || jobs[0].UserID == 0 {
			t.Errorf("%s: %v, %v", name, jobs, err)
		}
	}
}

// ai2cm/fv3core#307, buildtesters/buildtest#1650: a job that is still cleaning up was taken for failed, or for done.
func TestPainU49Completing(t *testing.T) {
	completing := recorded(t, "job_cancelled_completing")
	job, err := replayed(t, completing).Get(t.Context(), "143")
	if err != nil || !job.Has(FlagCompleting) || job.Ended() || job.Failed() || job.Err() != nil {
		t.Fatalf("%v, %v", job, err)
	}
	record := firstRecord(t, "job_cancelled_completing")
	for _, states := range [][2]string{{`["CANCELLED","COMPLETING"]`, `["CANCELLED"]`}, {`["FAILED","COMPLETING"]`, `["FAILED"]`}} {
		synctest.Test(t, func(t *testing.T) {
			calls := answering(string(painBody(t, alter(t, record, "job_state", states[0]))),
				string(painBody(t, alter(t, record, "job_state", states[0]))), string(painBody(t, alter(t, record, "job_state", states[1]))))
			job, err := painClient(t, calls).Wait(t.Context(), "143")
			if _, failed := errors.AsType[*JobError](err); !failed || !job.Ended() || len(calls.paths) < 3 {
				t.Errorf("%v, %v after %d reads", job, err, len(calls.paths))
			}
		})
	}
}

// reframe-hpc/reframe#3707, PySlurm/pyslurm#375: the tasks that have not started are one record, those that have are others
// with ids of their own, and so arrays were taken for finished too early.
func TestPainU56ArrayTasks(t *testing.T) {
	for text, want := range map[string]string{"1-10:3%2": "1-10:3%2", "[1%1]": "1%1", "0-3,7": "0-3,7"} {
		if spec, err := ParseArraySpec(text); err != nil || spec.String() != want {
			t.Errorf("%s: %v, %v", text, spec, err)
		}
	}
	if _, err := ParseArraySpec("1,3,5,7,..."); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "shortened") {
		t.Errorf("a shortened list: %v", err)
	}
	jobs, err := replayed(t, recorded(t, "job_array_mixed_parent")).GetAll(t.Context(), "177")
	tasks := 0
	for _, job := range jobs {
		if job.ArrayJobID != "177" || job.IsArrayTask && job.ID != JobID(fmt.Sprintf("177_%d", job.ArrayTaskID)) {
			t.Errorf("%v", job)
		}
		tasks += job.tasks()
	}
	if err != nil || tasks != 10 {
		t.Errorf("%d tasks in %v, %v; want 10", tasks, jobs, err)
	}
	if job, err := replayed(t, recorded(t, "job_array_mixed_parent")).Get(t.Context(), "177"); job.Ended() || err != nil {
		t.Errorf("the array has ended, says %v, %v", job, err)
	}
}

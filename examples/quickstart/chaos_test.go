package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/endings"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// TestChaos goes through all steps in the weather of each seed. It succeeds, or fails with an error that programs can ask
// and people can act on; nothing is left running that the error does not name, and nothing is done twice. A seed runs alone
// with -run TestChaos/seed=17$. What pauses the clients draw is not the seed's, so another run of it can differ a little.
func TestChaos(t *testing.T) {
	seeds := cases
	if testing.Short() {
		seeds = min(seeds, 60)
	}
	ends := map[string]int{}
	runs := 0
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
			runs++
			synctest.Test(t, func(t *testing.T) { ends[chaos(t, uint64(seed+1))]++ })
		})
	}
	for _, kind := range slices.Sorted(maps.Keys(ends)) {
		t.Logf("%4d %s", ends[kind], kind)
	}
	if good := ends[success]; runs == seeds && (good < seeds/5 || seeds-good < seeds/5) {
		t.Errorf("%d of %d runs succeeded; want a fifth or more of both ends", good, seeds)
	}
}

// success is the end of a run without an error.
const success = "success"

// chaos is one run. It returns how that ended.
func chaos(t *testing.T, seed uint64) string {
	jobs := slurmtest.NewServer(slurmtest.WithCompletingTime(time.Second))
	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(jobs), clustertest.WithOperationTime(20*time.Second))
	w := newWeather(seed, srv.HTTPClient().Transport, jobs)
	cfg := config{region: "us-central1", cluster: "training", dir: "/home/alice",
		options: []option.ClientOption{option.WithHTTPClient(&http.Client{Transport: w})}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	synctest.Wait()
	goroutines := endings.Goroutines()
	var out bytes.Buffer
	err := run(ctx, &out, cfg)
	asked := w.requests()
	synctest.Wait()
	if n := endings.Goroutines(); n > goroutines {
		t.Errorf("%d goroutines are left", n-goroutines)
	}
	time.Sleep(time.Minute) // the short job has ended by then, whoever waits for it
	jobs.SetControllerDown(false)
	if n := w.requests(); n > asked {
		t.Errorf("%d requests after the end", n-asked)
	}
	kind := kindOf(t, err)
	doneOnce(t, err, w.changed(), jobs.Jobs())
	if err == nil {
		doneAll(t, w.changed(), jobs.Jobs(), srv)
	}
	if t.Failed() {
		t.Logf("%v after\n%s", err, &out)
	}
	return kind
}

// kindOf looks for the type of the error, and in its text for what is to be done.
func kindOf(t *testing.T, err error) string {
	var (
		uncertain *slurm.UncertainError
		stopped   *lro.WaitError
		work      *lro.OperationError
		job       *slurm.JobError
		verdict   *slurm.Error
		call      *cluster.Error
	)
	kind, advice := "", ""
	switch {
	case err == nil:
		return success
	case errors.As(err, &uncertain):
		kind, advice = "an uncertain submit", "Recover finds it by the submit token "+uncertain.Token
	case errors.As(err, &stopped):
		kind, advice = "a wait that ended: "+cause(stopped), "can be waited for again by name"
	case errors.As(err, &work):
		kind, advice = "a failed operation", work.Message
	case errors.As(err, &job):
		kind, advice = "a failed job", string(job.Job.State)
	case errors.Is(err, slurm.ErrJobLost):
		kind, advice = "a lost job", "knows it"
	case errors.As(err, &verdict):
		kind, advice = "Slurm's verdict", verdict.Hint()
	case errors.As(err, &call):
		kind = fmt.Sprintf("a failed call: %v", call.Code)
		advice = advise(call)
	default:
		t.Errorf("%T: %v", err, err)
	}
	if text := err.Error(); advice == "" || !strings.Contains(text, advice) || strings.Contains(text, "\n") {
		t.Errorf("%s without %q: %s", kind, advice, text)
	}
	return kind
}

// cause is what ended a wait.
func cause(e *lro.WaitError) string {
	if call, ok := errors.AsType[*cluster.Error](e.Last); ok {
		return call.Code.String()
	}
	if _, ok := errors.AsType[*slurm.Error](e.Last); ok {
		return "Slurm's verdict"
	}
	return fmt.Sprint(e.Cause)
}

// advise is what the text of a failed call has to say.
func advise(call *cluster.Error) string {
	changes := slices.Contains([]string{"create", "update", "delete"}, call.Op)
	switch {
	case errors.Is(call, cluster.ErrUnauthenticated):
		return "gcloud auth application-default login"
	case changes && !call.Unprocessed:
		return "look at the cluster before repeating it"
	case strings.Contains(call.Message, "HTML"):
		return "check the endpoint"
	}
	return fmt.Sprintf("retry after %s", call.RetryAfter) // nothing else leaves a call that may be made again
}

// doneOnce compares what the servers have got with what was meant.
func doneOnce(t *testing.T, err error, changed map[string]int, jobs []slurmtest.Job) {
	for what, n := range changed {
		if n > 1 {
			t.Errorf("the service got %d requests to %s", n, what)
		}
	}
	names := map[string]int{}
	for _, j := range jobs {
		if names[j.Name]++; names[j.Name] > 1 {
			t.Errorf("there are %d jobs %q", names[j.Name], j.Name)
		}
		if going := j.State == "RUNNING" || j.State == "PENDING"; going && !tells(err, j) {
			t.Errorf("job %d (%s) is %s, and nobody is told: %v", j.ID, j.Name, j.State, err)
		}
	}
}

// doneAll is for a run that succeeded.
func doneAll(t *testing.T, changed map[string]int, jobs []slurmtest.Job, srv *clustertest.Server) {
	if want := map[string]int{"POST": 1, "PATCH": 1, "DELETE": 1}; !maps.Equal(changed, want) || srv.Cluster("training") != nil {
		t.Errorf("the service got %v, want %v", changed, want)
	}
	if len(jobs) != 2 || jobs[0].State != "COMPLETED" || jobs[1].State != "CANCELLED" {
		t.Errorf("the jobs are %+v", jobs)
	}
}

// tells reports whether the error leads to the job.
func tells(err error, j slurmtest.Job) bool {
	if err == nil {
		return false
	}
	if lost, ok := errors.AsType[*slurm.UncertainError](err); ok {
		carried := j.Comment + " " + strings.Join(j.Environment, " ")
		return lost.Token != "" && strings.Contains(carried, lost.Token)
	}
	text := err.Error()
	return strings.Contains(text, fmt.Sprintf("job %d", j.ID)) || strings.Contains(text, fmt.Sprintf("/job/%d", j.ID))
}

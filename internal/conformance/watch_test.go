package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func watchCases() (cases []testCase) {
	for _, version := range []string{"v0.0.40", "v0.0.41", "v0.0.42"} {
		cases = append(cases,
			testCase{name: "watch/" + version + "/names in jobs state", test: func(b *bed) { watchNames(b, version) }},
			testCase{name: "watch/" + version + "/update time", test: func(b *bed) { watchUpdateTime(b, version) }, alone: true},
			testCase{name: "watch/" + version + "/many runs", test: func(b *bed) { watchManyRuns(b, version) }},
			testCase{name: "watch/" + version + "/array grows", test: func(b *bed) { watchArray(b, version) }},
		)
	}
	return append(cases,
		testCase{name: "watch/requeue", test: watchRequeue},
		testCase{name: "watch/leaves the queue", test: watchLeaves},
		testCase{name: "watch/queue", test: watchQueue},
		testCase{name: "watch/controller restarts", test: watchRestart, alone: true},
		testCase{name: "watch/long paths", test: watchLongPaths},
		testCase{name: "watch/many at once", test: watchMany},
		testCase{name: "watch/ragged array", test: watchRagged},
	)
}

// stateNames asks for the states of jobs, as name and state.
func (b *bed) stateNames(version, query string) (names []string) {
	b.t.Helper()
	var answer struct {
		Jobs []struct {
			JobID string   `json:"job_id"`
			State []string `json:"state"`
		} `json:"jobs"`
	}
	b.must("jobs/state", b.alice.Do(b.ctx, http.MethodGet, "/slurm/"+version+"/jobs/state/"+query, nil, &answer))
	for _, j := range answer.Jobs {
		names = append(names, j.JobID+" "+strings.Join(j.State, "+"))
	}
	slices.Sort(names)
	return names
}

// watchNames: each kind of job has its own way of being named.
func watchNames(b *bed, version string) {
	plain := b.submit("true", hold)
	het := b.submitHet("true", hold)
	array := b.submit("sleep 300", array("0-3%2"))
	b.eventually("two tasks to run", func() (any, bool) {
		jobs := b.all(array)
		return jobs, len(jobs) == 3 && jobs[1].Running() && jobs[2].Running()
	})
	want := []string{
		fmt.Sprintf("%s PENDING", plain),
		fmt.Sprintf("%d+0 PENDING", het.Number()), fmt.Sprintf("%d+1 PENDING", het.Number()+1),
		fmt.Sprintf("%s_2 PENDING", array), fmt.Sprintf("%s_3 PENDING", array),
	}
	for _, j := range b.all(array) {
		if j.IsArrayTask {
			number := j.RawID
			if version == "v0.0.40" {
				number = array.Number()
			}
			want = append(want, fmt.Sprintf("%d_%d RUNNING", number, j.ArrayTaskID))
		}
	}
	slices.Sort(want)
	query := fmt.Sprintf("?job_id=%s&job_id=%s&job_id=%s&job_id=4000000", plain, het, array)
	if got := b.stateNames(version, query); !slices.Equal(got, want) {
		b.t.Errorf("states are %q, want %q", got, want)
	}
	all := b.stateNames(version, "")
	for _, name := range want {
		equal(b, name+" is in the list of all", slices.Contains(all, name), true)
	}
	equal(b, "states of an unknown job", len(b.stateNames(version, "?job_id=4000000")), 0)
	err := b.alice.Do(b.ctx, http.MethodGet, "/slurm/"+version+"/jobs/state/?job_id=1,2", nil, nil)
	b.refused("a comma", err, slurm.ErrInvalid, 0)
}

// watchUpdateTime: nothing new is an empty list without a time. A change within the second asked for is new.
func watchUpdateTime(b *bed, version string) {
	type answer struct {
		Jobs       []struct{}
		LastUpdate struct{ Number int64 } `json:"last_update"`
	}
	list := func(query string) (got answer) {
		b.t.Helper()
		b.must("list", b.alice.Do(b.ctx, http.MethodGet, "/slurm/"+version+"/jobs/"+query, nil, &got))
		return got
	}
	id := b.submit("true", hold)
	job, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	since := func(seconds int64) string { return fmt.Sprintf("?update_time=uts%d", job.SubmitTime.Unix()+seconds) }
	equal(b, "a list since the second of the submit is empty", len(list(since(0)).Jobs) == 0, false)
	equal(b, "its time is unknown", list(since(0)).LastUpdate.Number == 0, false)
	late := list(since(3600))
	equal(b, "jobs where nothing is new", len(late.Jobs), 0)
	equal(b, "time where nothing is new", late.LastUpdate.Number, 0)
}

// watchManyRuns: the accounting takes a query for many jobs, of whatever kind, and tells all runs.
func watchManyRuns(b *bed, version string) {
	client, requests := b.counted(slurm.WithVersion(version))
	requeued := b.submit("sleep 300")
	b.running(requeued)
	b.requeue(requeued)
	b.pending(requeued, "BeginTime")
	b.waitsAgain(requeued)
	b.must("Cancel", b.alice.Cancel(b.ctx, requeued))
	ids := []slurm.JobID{b.submit("true"), b.submit("exit 3"), b.submitHet("true"), b.submit("true", array("0-2")), requeued}
	for _, id := range ids {
		b.gone(id)
	}
	jobs, err := client.WaitAll(b.ctx, ids, pace)
	failed, ok := errors.AsType[*slurm.JobError](err)
	if !ok || failed.Job.ExitCode.Code != 3 || failed.Job.ID != ids[1] {
		b.t.Fatalf("WaitAll: %v, %v", jobs, err)
	}
	for i, j := range jobs {
		equal(b, "source", j.Source, slurm.SourceAccounting)
		equal(b, "succeeded", j.Succeeded(), i != 1 && i != 4)
	}
	equal(b, "last run of the requeued job", jobs[4].State, slurm.StateCancelled)
	equal(b, "array", jobs[3].ArrayJobID, ids[3])
	equal(b, "het job", jobs[2].HetJobID, ids[2])
	one := 0
	for _, path := range requests() {
		if strings.HasPrefix(path, "/slurmdb/"+version+"/job/") {
			one++
		}
	}
	equal(b, "jobs that were looked up one by one", one, 0)
}

// counted is a client of alice's whose requests are written down.
func (b *bed) counted(opts ...slurm.Option) (*slurm.Client, func() []string) {
	b.t.Helper()
	var mu sync.Mutex
	var paths []string
	next := b.handler("alice")
	srv := clustertest.NewServer(clustertest.WithTB(b.t), clustertest.WithSlurm(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.RequestURI())
		mu.Unlock()
		next.ServeHTTP(w, r)
	})))
	b.must("AddCluster", srv.AddCluster("training", nil))
	caller, err := cluster.NewClient(b.ctx, "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	b.must("NewClient", err)
	client, err := slurm.NewClient(caller, "training", opts...)
	b.must("NewClient", err)
	return client, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(paths)
	}
}

// watched collects the events of jobs, those of their cleaning up aside. seen, if not nil, is called with each.
func (b *bed) watched(client *slurm.Client, ids []slurm.JobID, seen func(*slurm.JobEvent)) map[slurm.JobID][]string {
	b.t.Helper()
	events := map[slurm.JobID][]string{}
	for e, err := range client.Watch(b.ctx, ids, pace) {
		b.must("Watch", err)
		if seen != nil {
			seen(e)
		}
		states := events[e.JobID]
		if e.Old != e.New {
			states = append(states, string(e.New))
		}
		if e.Ended {
			states = append(states, "ended")
		}
		events[e.JobID] = states
	}
	return events
}

func watchArray(b *bed, version string) {
	client, requests := b.counted(slurm.WithVersion(version))
	id := b.submit("sleep 4", array("0-15%8"))
	events := b.watched(client, []slurm.JobID{id}, nil)
	for task := range int64(16) {
		states := events[id.WithTask(task)]
		// A task has a record of its own a moment before it runs.
		if got := strings.TrimPrefix(strings.Join(states, " "), "PENDING "); got != "RUNNING COMPLETED ended" && got != "COMPLETED ended" {
			b.t.Errorf("task %d: %q", task, states)
		}
	}
	if states := events[id]; len(states) == 0 || states[0] != "PENDING" {
		b.t.Errorf("before the start: %q", states)
	}
	equal(b, "reads of states", slices.ContainsFunc(requests(), func(path string) bool { return strings.Contains(path, "/jobs/state/") }), true)
}

func watchRequeue(b *bed) {
	id := b.submit("sleep 10")
	b.running(id)
	other := b.submit("sleep 300") // so that states are read
	requeued := false
	var states []string
	for e, err := range b.alice.Watch(b.ctx, []slurm.JobID{id, other}, pace) {
		b.must("Watch", err)
		if e.JobID != id || e.Old == e.New && !e.Ended {
			continue
		}
		states = append(states, string(e.New))
		if !requeued && e.New == slurm.StateRunning {
			requeued = true
			b.requeue(id)
		}
		if e.Ended {
			equal(b, "restarts", e.Job.RestartCount, 1)
			break
		}
	}
	// A job that cleans up is COMPLETED before it has ended, and its second run may come and go between two reads.
	got := strings.Join(slices.Compact(states), " ")
	if got != "RUNNING PENDING RUNNING COMPLETED" && got != "RUNNING PENDING COMPLETED" {
		b.t.Errorf("states: %s", got)
	}
}

// watchLeaves: some jobs leave the queue while others run.
func watchLeaves(b *bed) {
	short, long := b.submit("exit 6"), b.submit("sleep 300")
	b.gone(short)
	b.running(long)
	var bad error
	events := b.watched(b.alice, []slurm.JobID{short, long}, func(e *slurm.JobEvent) {
		switch {
		case e.JobID == short:
			bad = e.Err
		case e.New == slurm.StateRunning:
			b.must("Cancel", b.alice.Cancel(b.ctx, long))
		}
	})
	equal(b, "events of the job that has left", strings.Join(events[short], " "), "FAILED ended")
	equal(b, "events of the other", strings.Join(events[long], " "), "RUNNING CANCELLED ended")
	if failed, ok := errors.AsType[*slurm.JobError](bad); !ok || failed.Job.ExitCode.Code != 6 {
		b.t.Errorf("its end: %v", bad)
	}
}

func watchQueue(b *bed) {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	first := b.submit("sleep 1")
	var second slurm.JobID
	var states []string
	for e, err := range b.alice.WatchQueue(ctx, &slurm.WatchOptions{Users: []string{"alice"}, Names: []string{b.name}}, pace) {
		if err != nil {
			var stopped *lro.WaitError
			equal(b, "an end of the watching", errors.As(err, &stopped), true)
			break
		}
		states = append(states, string(e.New))
		switch {
		case e.JobID == first && e.Ended:
			second = b.submit("sleep 1")
		case e.JobID != first && e.Ended:
			equal(b, "the second job", e.JobID, second)
			cancel()
		}
	}
	if got := strings.Join(states, " "); strings.Count(got, "COMPLETED") < 2 {
		b.t.Errorf("states: %s", got)
	}
}

// watchRestart: states are read before, during and after a restart of the controller, and no job is taken for gone.
func watchRestart(b *bed) {
	ids := []slurm.JobID{b.submit("sleep 12"), b.submit("sleep 14"), b.submit("true", hold)}
	for _, id := range ids[:2] {
		b.running(id)
	}
	failed, restarted, states := false, false, map[slurm.JobID][]string{}
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	progress := lro.OnProgress(func(p lro.Progress) {
		if failed = failed || p.Err != nil; failed && !restarted {
			restarted = true
			b.start(controller)
		}
	})
	left := 2
	for e, err := range b.alice.Watch(ctx, ids, pace, progress) {
		if left == 0 {
			break
		}
		b.must("Watch", err)
		if len(states) == 2 && states[ids[2]] == nil {
			b.stop(controller)
		}
		if e.Old != e.New {
			states[e.JobID] = append(states[e.JobID], string(e.New))
		}
		if e.Ended {
			if left--; left == 0 {
				cancel()
			}
		}
	}
	equal(b, "a read failed", failed, true)
	for i, want := range []string{"RUNNING COMPLETED", "RUNNING COMPLETED", "PENDING"} {
		equal(b, "states of job "+string(ids[i]), strings.Join(states[ids[i]], " "), want)
	}
}

// watchLongPaths: as many jobs as package slurm asks for at once, and many more.
func watchLongPaths(b *bed) {
	id := b.submit("true", hold)
	path := "?job_id=" + string(id)
	for n := 4000000; len(path) < 7900; n++ {
		path += fmt.Sprintf("&job_id=%d", n)
	}
	equal(b, "states", strings.Join(b.stateNames(slurm.DefaultVersion, path), " "), string(id)+" PENDING")
	history := strings.ReplaceAll(path, "job_id", "step")
	b.recordedAtAll(id)
	var answer struct{ Jobs []struct{} }
	b.must("history", b.alice.Do(b.ctx, http.MethodGet, "/slurmdb/"+slurm.DefaultVersion+"/jobs/"+history, nil, &answer))
	b.count("records", len(answer.Jobs), 1)
}

// watchMany: jobs of all kinds, with one request for each read.
func watchMany(b *bed) {
	client, requests := b.counted()
	var ids []slurm.JobID
	for i := range 6 {
		ids = append(ids, b.submit(fmt.Sprintf("sleep %d", 1+2*i)))
	}
	ids = append(ids, b.submit("sleep 3", array("0-3")), b.submitHet("sleep 3"), b.submit("exit 2"))
	reads := 0
	jobs, err := client.WaitAll(b.ctx, ids, pace, slurm.OnTally(func(t slurm.Tally) { reads = t.Reads }))
	failed, ok := errors.AsType[*slurm.JobError](err)
	if !ok || failed.Job.ID != ids[8] || failed.Job.ExitCode.Code != 2 {
		b.t.Errorf("WaitAll: %v", err)
	}
	for i, j := range jobs {
		equal(b, "ended", j.Ended(), true)
		equal(b, "succeeded", j.Succeeded(), i != 8)
	}
	queue, lists := 0, 0
	for _, path := range requests() {
		if strings.HasPrefix(path, "/slurm/") {
			queue++
		}
		if strings.HasSuffix(path, "/jobs/") {
			lists++
		}
	}
	if queue > reads+1 || lists*2 > queue+2 {
		b.t.Errorf("%d requests in %d reads, %d of them for the list", queue, reads, lists)
	}
}

// watchRagged: Slurm does not write out long lists of tasks, and cuts them within a number if need be.
func watchRagged(b *bed) {
	const tasks = "1111,1313,1717,2222,2525,2828,3232,3737,4343,4848,5555,6262,7171,8080"
	id := b.submit("true", hold, array(tasks+"%4"))
	rest, err := b.alice.Get(b.ctx, id)
	b.must("Get", err)
	equal(b, "tasks as written", rest.ArrayTasks, tasks[:60]+"...")
	for _, task := range []int64{1111, 6262, 8080} {
		job, err := b.alice.Get(b.ctx, id.WithTask(task))
		b.must("Get of a task", err)
		equal(b, "record of a task", job.ID, id)
	}
	other := b.submit("sleep 8")
	seen := b.watched(b.alice, []slurm.JobID{id, other}, func(e *slurm.JobEvent) {
		if e.JobID == id && e.Old == "" {
			b.must("Release", b.alice.Release(b.ctx, id))
		}
	})
	for task := range strings.SplitSeq(tasks, ",") {
		if states := seen[id+"_"+slurm.JobID(task)]; len(states) < 2 || states[len(states)-1] != "ended" {
			b.t.Errorf("task %s: %q", task, states)
		}
	}
}

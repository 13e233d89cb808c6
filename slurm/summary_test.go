package slurm_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// ran is a job that waited for 10 minutes before noon and then ran so long, on two nodes with 8 CPUs and 8 GPUs each.
func ran(id int64, state slurm.State, span time.Duration) *slurm.Job {
	return &slurm.Job{
		ID: slurm.NewJobID(id), RawID: id, Source: slurm.SourceQueue, State: state,
		SubmitTime: noon.Add(-time.Hour), EligibleTime: noon.Add(-10 * time.Minute), StartTime: noon, EndTime: noon.Add(span),
		Allocated: slurm.Resources{{Type: "cpu", Count: 16}, {Type: "node", Count: 2},
			{Type: "gres", Name: "gpu", Count: 16}, {Type: "gres", Name: "gpu:b200", Count: 16}},
	}
}

func changed(j *slurm.Job, change func(*slurm.Job)) *slurm.Job { change(j); return j }

func exit(code int) slurm.ExitCode {
	return slurm.ExitCode{Known: true, Status: slurm.ExitError, Code: code}
}

func summaryJobs() []*slurm.Job {
	return []*slurm.Job{
		ran(1, slurm.StateCompleted, time.Hour),
		ran(2, slurm.StateCompleted, 3*time.Hour),
		changed(ran(3, slurm.StateFailed, 30*time.Minute), func(j *slurm.Job) { j.Reason, j.ExitCode = "NonZeroExitCode", exit(3) }),
		changed(ran(10, slurm.StateFailed, 30*time.Minute), func(j *slurm.Job) { j.ExitCode = exit(3) }),
		changed(ran(5, slurm.StateTimeout, time.Hour), func(j *slurm.Job) { j.Reason = "TimeLimit" }),
		ran(6, slurm.StateCancelled, time.Hour),
		ran(7, slurm.StateRunning, 24*time.Hour), // until its limit, a forecast
		{ID: "8", RawID: 8, Source: slurm.SourceQueue, State: slurm.StatePending, SubmitTime: noon, EligibleTime: noon, StartTime: noon.Add(9 * time.Hour)},
		// Tasks 3 to 7 of an array wait, task 2 runs; the accounting is ahead, where task 3 runs as well.
		{ID: "9", RawID: 9, Source: slurm.SourceQueue, State: slurm.StatePending, ArrayJobID: "9", ArrayTasks: "3-7", SubmitTime: noon, EligibleTime: noon},
		{ID: "9_2", RawID: 11, Source: slurm.SourceQueue, State: slurm.StateRunning, ArrayJobID: "9", IsArrayTask: true, ArrayTaskID: 2,
			SubmitTime: noon, EligibleTime: noon, StartTime: noon.Add(time.Hour)},
		{ID: "9_3", RawID: 12, Source: slurm.SourceAccounting, State: slurm.StateRunning, ArrayJobID: "9", IsArrayTask: true, ArrayTaskID: 3,
			SubmitTime: noon, EligibleTime: noon, StartTime: noon.Add(time.Hour)},
		nil,
	}
}

func TestSummary(t *testing.T) {
	now := noon.Add(2 * time.Hour)
	got := slurm.SummaryAt(summaryJobs(), now)
	want := &slurm.JobSummary{
		At: now, Jobs: 14, Runs: 9,
		States: []slurm.StateCount{{"PENDING", 5, 0}, {"RUNNING", 3, 32}, {"COMPLETED", 2, 64}, {"CANCELLED", 1, 16}, {"FAILED", 2, 16}, {"TIMEOUT", 1, 16}},
		// Seven of ten minutes, two tasks of an hour; of the pending ones all since noon.
		QueueTime: slurm.Spans{Count: 9, Total: 190 * time.Minute, Mean: 1266666 * time.Millisecond, Median: 10 * time.Minute, Max: time.Hour},
		Waiting:   slurm.Spans{Count: 5, Total: 10 * time.Hour, Mean: 2 * time.Hour, Median: 2 * time.Hour, Max: 2 * time.Hour},
		RunTime:   slurm.Spans{Count: 9, Total: 10 * time.Hour, Mean: 4000 * time.Second, Median: time.Hour, Max: 3 * time.Hour},
		NodeHours: 18, CPUHours: 144, GPUHours: 144, GPUTypes: []slurm.GPUHours{{"b200", 144}}, WastedGPUHours: 32,
		Failures: []slurm.FailureCount{
			{State: "FAILED", ExitCode: "exit code 3", Jobs: 2, Example: "3", GPUHours: 16},
			{State: "TIMEOUT", Jobs: 1, Example: "5", GPUHours: 16},
		},
	}
	// The task of which only the accounting knows has no elapsed time there, and is no run without resources.
	want.Runs, want.QueueTime = 8, slurm.Spans{Count: 8, Total: 130 * time.Minute, Mean: 975 * time.Second, Median: 10 * time.Minute, Max: time.Hour}
	want.RunTime = slurm.Spans{Count: 8, Total: 10 * time.Hour, Mean: 4500 * time.Second, Median: time.Hour, Max: 3 * time.Hour}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text := `14 jobs: 5 PENDING, 3 RUNNING, 2 COMPLETED, 1 CANCELLED, 2 FAILED, 1 TIMEOUT
            total    mean      median   max
queue time  2h10m0s  16m15s    10m0s    1h0m0s
waiting     10h0m0s  2h0m0s    2h0m0s   2h0m0s
run time    10h0m0s  1h15m0s   1h0m0s   3h0m0s
18.0 node hours, 144.0 CPU hours, 144.0 GPU hours (b200 144.0), 32.0 of them wasted
2 FAILED, exit code 3, such as job 3, 16.0 GPU hours
1 TIMEOUT, such as job 5, 16.0 GPU hours`
	if strings.Join(strings.Fields(got.String()), " ") != strings.Join(strings.Fields(text), " ") {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	for range 20 {
		jobs := summaryJobs()
		rand.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
		if diff := cmp.Diff(got, slurm.SummaryAt(jobs, now)); diff != "" {
			t.Fatalf("in another order: %s", diff)
		}
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back slurm.JobSummary
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, &back); diff != "" || !strings.Contains(string(data), `"run_time":{"count":8,"total_seconds":36000,`) {
		t.Errorf("%s: %s", data, diff)
	}
	if json.Unmarshal([]byte(`{"run_time":7}`), &back) == nil {
		t.Error("a span that is none was read")
	}
}

// TestSummaryOfRequeues: a requeued job is one job with several runs, and a used number another job.
func TestSummaryOfRequeues(t *testing.T) {
	first := changed(ran(1, slurm.StateNodeFail, time.Hour), func(j *slurm.Job) { j.SubmitTime = noon.Add(-2 * time.Hour) })
	again := changed(ran(1, slurm.StateCompleted, 2*time.Hour), func(j *slurm.Job) { j.RestartCount = 1 })
	requeued := changed(ran(2, slurm.StatePending, time.Hour), func(j *slurm.Job) {
		j.Source, j.Flags, j.SubmitTime = slurm.SourceQueue, []slurm.Flag{slurm.FlagRequeued}, noon.Add(-2*time.Hour)
	})
	requeued.Source = slurm.SourceAccounting
	waits := changed(ran(2, slurm.StatePending, 0), func(j *slurm.Job) { j.StartTime, j.EndTime, j.Allocated = time.Time{}, time.Time{}, nil })
	old := changed(ran(3, slurm.StateFailed, time.Hour), func(j *slurm.Job) { j.SubmitTime = noon.Add(-1000 * time.Hour) })
	reused := ran(3, slurm.StateCompleted, time.Hour)
	s := slurm.SummaryAt([]*slurm.Job{again, first, waits, requeued, reused, old}, noon.Add(time.Hour))
	if s.Jobs != 4 || s.Requeued != 2 || s.Runs != 5 {
		t.Errorf("%d jobs, %d requeued, %d runs", s.Jobs, s.Requeued, s.Runs)
	}
	// The first run of job 1, and the failure of job 3. The accounting says of a run how long it was, and here nothing.
	if s.WastedGPUHours != 32 || s.GPUHours != 80 {
		t.Errorf("%v of %v GPU hours wasted", s.WastedGPUHours, s.GPUHours)
	}
	if s.States[0] != (slurm.StateCount{State: slurm.StatePending, Jobs: 1}) || len(s.Failures) != 1 {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(s.String(), "2 runs requeued") {
		t.Error(s)
	}
}

// TestSummaryOfEvents: what was last seen to run, and was requeued since, has not run until now.
func TestSummaryOfEvents(t *testing.T) {
	first := changed(ran(1, slurm.StateRunning, 0), func(j *slurm.Job) { j.SubmitTime = noon.Add(-2 * time.Hour) })
	waited := changed(ran(1, slurm.StatePending, 0), func(j *slurm.Job) {
		j.SubmitTime, j.EligibleTime, j.RestartCount, j.Allocated = noon.Add(time.Hour), noon.Add(time.Hour), 1, nil
	})
	again := changed(ran(1, slurm.StateRunning, 0), func(j *slurm.Job) {
		j.SubmitTime, j.EligibleTime, j.StartTime, j.RestartCount = waited.SubmitTime, waited.EligibleTime, noon.Add(3*time.Hour), 1
	})
	s := slurm.SummaryAt([]*slurm.Job{first, nil, waited, again}, noon.Add(10*time.Hour))
	if s.Jobs != 1 || s.Runs != 2 || s.Requeued != 1 || s.GPUHours != 16*(1+7) || s.WastedGPUHours != 16 || s.RunTime.Total != 8*time.Hour {
		t.Errorf("%+v", s)
	}
}

// TestSummaryOfArrayTasks: each is a job, whether it has a record of its own, shares one, or took the array's number over.
func TestSummaryOfArrayTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		array := b.submit(t, "sleep 60", func(s *slurm.JobSpec) { s.Array = "0-9%2" })
		var all []*slurm.Job
		for range 8 {
			time.Sleep(50 * time.Second)
			tasks, err := b.ArrayTasks(t.Context(), array)
			if err != nil {
				t.Fatal(err)
			}
			shared, err := b.GetAll(t.Context(), array)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, shared...)
			states := map[slurm.State]int{}
			for _, task := range tasks {
				states[task.State]++
			}
			for what, jobs := range map[string][]*slurm.Job{"tasks": tasks, "tasks and records": slices.Concat(shared, tasks), "all records so far": all} {
				s := slurm.Summary(jobs)
				if s.Jobs != 10 || s.Requeued != 0 {
					t.Errorf("%s: %d jobs, %d requeued", what, s.Jobs, s.Requeued)
				}
				for _, count := range s.States {
					if count.Jobs != states[count.State] {
						t.Errorf("%s: %d %s, want %d", what, count.Jobs, count.State, states[count.State])
					}
				}
			}
		}
	})
}

// TestSummaryOfBothSources: a job is one, wherever it is from.
func TestSummaryOfBothSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.submit(t, "exit 3")
		b.submit(t, "sleep 60", func(s *slurm.JobSpec) { s.Array = "0-9%4" })
		b.submit(t, "sleep 9000", func(s *slurm.JobSpec) { s.Partition, s.GPUsPerNode, s.TimeLimit = "a4", 4, 3*time.Hour })
		if _, err := b.SubmitHet(t.Context(), []*slurm.JobSpec{validSpec(), {WorkingDirectory: "/home/alice"}}); err != nil {
			t.Fatal(err)
		}
		requeued := b.submit(t, "sleep 6000", func(s *slurm.JobSpec) { s.Partition = "a4" })
		time.Sleep(90 * time.Second)
		if err := b.srv.Requeue(requeued.Number()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		live, err := b.List(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		past, err := b.ListHistory(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		both := slurm.SummaryAt(slices.Concat(live, past), now)
		if diff := cmp.Diff(both, slurm.SummaryAt(slices.Concat(past, live, past), now)); diff != "" {
			t.Error(diff)
		}
		// 1 failed, 10 tasks, 1 with GPUs, 2 components, 1 requeued.
		if both.Jobs != 15 || both.Requeued != 1 {
			t.Errorf("%d jobs, %d runs requeued:\n%s", both.Jobs, both.Requeued, both)
		}
		if alone := slurm.SummaryAt(live, now); alone.Jobs != 15 || len(alone.Failures) != 1 || alone.Failures[0] != both.Failures[0] {
			t.Errorf("the queue alone: %s\nboth: %s", alone, both)
		}
	})
}

func TestSummaryOfNothing(t *testing.T) {
	if got := slurm.Summary(nil).String(); got != "0 jobs: none" {
		t.Errorf("got %q", got)
	}
	var none *slurm.JobSummary
	if none.String() != "no summary" {
		t.Errorf("got %q", none)
	}
	data, err := json.Marshal(slurm.SummaryAt(nil, noon))
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%s, %v", data, err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, slurmtest.WithFirstJobID(4294967290))
		b.submit(t, "sleep 60")
		time.Sleep(30 * time.Second)
		jobs, err := b.List(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := slurm.Summary(jobs); s.RunTime.Max < 28*time.Second || s.RunTime.Max > 30*time.Second {
			t.Errorf("a running job is counted up to now: %+v", s.RunTime)
		}
	})
}

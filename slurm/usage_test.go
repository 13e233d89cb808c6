package slurm_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// measured is a job as a real Slurm 24.11.5 had it: a batch script with a step of two tasks. sacct said 29.360 s of CPU
// time, and seff 26.21 % of 112 s and 30.15 % of 1000 MB.
const measured = `{"jobs":[{"job_id":1,"state":{"current":["COMPLETED"]},
"time":{"elapsed":28,"eligible":1796038190,"start":1796038196,"end":1796038224,"submission":1796038190,"total":{"seconds":0,"microseconds":0}},
"tres":{"allocated":[{"type":"cpu","count":4},{"type":"mem","count":1000},{"type":"energy","count":-2},{"type":"node","count":1}]},
"steps":[{"step":{"id":"1.batch","name":"batch"},"state":["COMPLETED"],"time":{"elapsed":28,
"system":{"seconds":0,"microseconds":188203},"user":{"seconds":8,"microseconds":386147},"total":{"seconds":8,"microseconds":574350}},
"tres":{"requested":{"max":[{"type":"cpu","count":6610,"task":0,"node":"n1"},{"type":"mem","count":308748288,"task":0,"node":"n1"}],
"average":[{"type":"mem","count":308748288}],"total":[{"type":"mem","count":308748288},{"type":"fs","name":"disk","count":36954}]},
"consumed":{"max":[{"type":"fs","name":"disk","count":4998,"task":0,"node":"n1"}],"total":[{"type":"fs","name":"disk","count":4998}]},
"allocated":[{"type":"cpu","count":4},{"type":"mem","count":1000}]}},
{"step":{"id":"1.0","name":"perl"},"state":["COMPLETED"],"time":{"elapsed":12,
"system":{"seconds":0,"microseconds":94952},"user":{"seconds":20,"microseconds":691334},"total":{"seconds":20,"microseconds":786286}},
"statistics":{"energy":{"consumed":{"set":true,"number":1200}}},
"tres":{"requested":{"max":[{"type":"mem","count":105648128,"task":1,"node":"n1"}],"min":[{"type":"mem","count":55566336,"task":0,"node":"n1"}],
"average":[{"type":"mem","count":80607232}],"total":[{"type":"mem","count":161214464},{"type":"fs","name":"disk","count":11754}]},
"consumed":{"total":[{"type":"fs","name":"disk","count":2}]},"allocated":[{"type":"cpu","count":2},{"type":"mem","count":1000}]}}]}]}`

func TestUsage(t *testing.T) {
	c, _ := newScripted(t, answer{status: 200, body: measured})
	jobs, err := c.History(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	u := jobs[0].Usage()
	if u.Elapsed != 28*time.Second || u.QueueTime != 6*time.Second || u.CPUTime != 29360636*time.Microsecond ||
		u.UserCPUTime != 29077481*time.Microsecond || u.SystemCPUTime != 283155*time.Microsecond || jobs[0].CPUTime != u.CPUTime {
		t.Errorf("times %+v", u)
	}
	if u.Memory != 308748288 || u.MaxRSS.Count != 308748288 || u.MaxRSS.Node != "n1" || u.MaxRSS.Task != 0 || u.MaxRSSStep != "1.batch" {
		t.Errorf("memory %+v", u)
	}
	if u.BytesRead != 48708 || u.BytesWritten != 5000 || u.Energy != 1200 || u.Allocated.CPUs() != 4 || len(u.Missing) != 0 {
		t.Errorf("got %+v", u)
	}
	cpu, ok1 := u.CPUEfficiency()
	memory, ok2 := u.MemoryEfficiency()
	if !ok1 || !ok2 || math.Abs(cpu-0.26215) > 1e-4 || math.Abs(memory-0.29445) > 1e-4 {
		t.Errorf("efficiency %v, %v", cpu, memory)
	}
	if got, want := u.String(), "ran 28s after 6s in the queue, CPU 29.36s (26%), memory 294.4M (29%)"; got != want {
		t.Errorf("got %s", got)
	}
	step := jobs[0].Steps[1]
	if peak, ok := step.Used.Max.Find("mem", ""); !ok || peak.Task != 1 || peak.Count != 105648128 {
		t.Errorf("peak %v", peak)
	}
	if _, ok := step.Used.Max.Find("vmem", ""); ok {
		t.Error("a peak of nothing")
	}
	if v := step.Usage(); v.CPUTime != 20786286*time.Microsecond || v.Memory != 161214464 || v.MaxRSSStep != "1.0" || v.Elapsed != 12*time.Second {
		t.Errorf("step %+v", v)
	}
}

// TestUsageMissing: what was not measured is said, and is not zero.
func TestUsageMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, slurmtest.WithRun(func(r slurmtest.Run) slurmtest.Outcome {
			if r.Name == "busy" {
				return slurmtest.Outcome{RunTime: time.Hour, CPUTime: 30 * time.Minute, Memory: 128 << 20}
			}
			return slurmtest.Outcome{RunTime: 5 * time.Second}
		}))
		id := b.submit(t, "work", func(s *slurm.JobSpec) { s.Name, s.TimeLimit = "busy", 2*time.Hour })
		held := b.submit(t, "true", func(s *slurm.JobSpec) { s.Hold = true })
		short := b.submit(t, "sleep 5")
		time.Sleep(30 * time.Minute)
		read := func(id slurm.JobID) *slurm.Job {
			t.Helper()
			jobs, err := b.History(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return jobs[0]
		}
		live, err := b.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		list, err := b.ListHistory(t.Context(), &slurm.HistoryOptions{JobIDs: []slurm.JobID{id}})
		if err != nil || len(list) != 1 {
			t.Fatalf("got %v, %v", list, err)
		}
		for why, job := range map[string]*slurm.Job{
			"read the job with History":   live,
			"none of its steps has ended": read(id),
			"HistoryOptions.Steps":        list[0],
			"has not run":                 read(held),
		} {
			u := job.Usage()
			_, cpu := u.CPUEfficiency()
			_, memory := u.MemoryEfficiency()
			if len(u.Missing) != 2 || !strings.Contains(u.Missing[0], why) || cpu || memory || u.CPUMeasured || u.MemoryMeasured {
				t.Errorf("%s: %+v", why, u)
			}
			if why != "has not run" && u.Elapsed < 29*time.Minute || !strings.Contains(u.String(), "CPU unknown, memory unknown") {
				t.Errorf("%s: %s", why, u)
			}
		}
		if v := read(id).Steps[0].Usage(); len(v.Missing) != 2 || !strings.Contains(v.Missing[0], "has not ended") {
			t.Errorf("%+v", v)
		}
		if u := read(short).Usage(); !u.CPUMeasured || u.MemoryMeasured || len(u.Missing) != 1 || !strings.Contains(u.Missing[0], "no sample") {
			t.Errorf("a short job: %+v", u)
		}
		time.Sleep(time.Hour)
		u := read(id).Usage()
		cpu, _ := u.CPUEfficiency()
		memory, _ := u.MemoryEfficiency()
		if cpu != 0.5 || memory != 0.5 || u.MaxRSSStep != string(id)+".batch" || u.MaxRSS.Node == "" || len(u.Missing) != 0 {
			t.Errorf("got %v, %v of %+v", cpu, memory, u)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, slurmtest.WithSampling(0))
		id := b.submit(t, "sleep 100")
		time.Sleep(time.Hour)
		jobs, err := b.History(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if u := jobs[0].Usage(); u.CPUMeasured || len(u.Missing) != 2 || !strings.Contains(u.Missing[0], "JobAcctGatherType") {
			t.Errorf("nothing is gathered, yet %+v", u)
		}
	})
	var none *slurm.Usage
	if none.String() != "no usage" {
		t.Errorf("got %s", none)
	}
}

func TestQueueTime(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1_760_000_000+int64(s), 0) }
	for why, tt := range map[string]struct {
		job  slurm.Job
		want time.Duration
	}{
		"started":          {slurm.Job{State: slurm.StateCompleted, SubmitTime: at(0), EligibleTime: at(10), StartTime: at(70), EndTime: at(90)}, time.Minute},
		"held when it ran": {slurm.Job{State: slurm.StateRunning, SubmitTime: at(0), StartTime: at(70)}, 70 * time.Second},
		"cancelled before": {slurm.Job{State: slurm.StateCancelled, SubmitTime: at(0), EligibleTime: at(10), EndTime: at(70)}, time.Minute},
		"never eligible":   {slurm.Job{State: slurm.StateCancelled, SubmitTime: at(0), EndTime: at(70)}, 0},
		"requeued": {slurm.Job{Source: slurm.SourceAccounting, State: slurm.StatePending, Flags: []slurm.Flag{slurm.FlagRequeued},
			SubmitTime: at(0), EligibleTime: at(0), StartTime: at(5), EndTime: at(9)}, 5 * time.Second},
	} {
		if got := tt.job.QueueTime(); got != tt.want {
			t.Errorf("%s: %s, want %s", why, got, tt.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		job := slurm.Job{Source: slurm.SourceQueue, State: slurm.StatePending, EligibleTime: time.Now(), StartTime: time.Now().Add(time.Hour)}
		time.Sleep(time.Minute)
		if got := job.QueueTime(); got != time.Minute {
			t.Errorf("waits for %s, and its start is a forecast", got)
		}
	})
}

package slurm

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TaskUsage is what the tasks of a step used of each resource: over all tasks together, on average, and of the tasks
// with the most and the least. Slurm takes samples, so that a step which ends before the first one has none.
//
// The counts are bytes for "mem" (resident memory), "vmem" and "fs" (files), milliseconds for "cpu", joules for "energy",
// and page faults for "pages". Of memory they are peaks: Total is the sum of each task's largest.
type TaskUsage struct {
	Total   Resources
	Average Resources
	Max     Peaks
	Min     Peaks
}

// Peak is how much one task used of a resource.
type Peak struct {
	Resource
	Node string // where the task ran
	Task int64  // its number within the step
}

// Peaks is a list of them, one for each resource.
type Peaks []Peak

// Find returns the peak of the resource with this type and name, and false if the list does not hold it.
func (p Peaks) Find(typ, name string) (Peak, bool) {
	i := slices.IndexFunc(p, func(one Peak) bool { return one.Type == typ && one.Name == name })
	if i < 0 {
		return Peak{}, false
	}
	return p[i], true
}

// Usage is what a job or a step used, as far as Slurm measured it. A number that was not measured is zero; Missing and
// the Measured fields tell it from a measured zero.
type Usage struct {
	Elapsed   time.Duration // how long it ran
	QueueTime time.Duration // how long the job waited before; 0 for a step
	Allocated Resources     // what it had

	CPUMeasured   bool
	CPUTime       time.Duration // of all tasks and nodes; the sum of the next two
	UserCPUTime   time.Duration
	SystemCPUTime time.Duration

	MemoryMeasured bool
	Memory         int64  // bytes: the peaks of a step's tasks added up, of the step with the most, as seff has it
	MaxRSS         Peak   // the task with the most memory, of any step, as sacct has it
	MaxRSSStep     string // the step it belongs to, such as "42.batch"

	BytesRead    int64 // from files, by all tasks and steps
	BytesWritten int64
	Energy       int64 // joules, of all steps; 0 where nothing measures it, as on most clusters

	// Missing says what of CPU time and memory was not measured and why, in one line each. It is empty if both were.
	Missing []string
}

// Usage returns what the job used, summed up over its steps as seff and sacct do it. It does no I/O: the job must come
// from [Client.History], or from a list with the steps. Slurm measures a step when it ends, so that a job that still
// runs has used what its ended steps have.
func (j *Job) Usage() *Usage {
	u := &Usage{Elapsed: j.Elapsed(), QueueTime: j.QueueTime(), Allocated: slices.Clone(j.Allocated)}
	ended := 0
	for i := range j.Steps {
		if u.add(&j.Steps[i]); j.Steps[i].State.Terminal() {
			ended++
		}
	}
	if !u.CPUMeasured && j.CPUTime > 0 { // newer versions may say it of a job without its steps
		u.CPUMeasured, u.CPUTime, u.UserCPUTime, u.SystemCPUTime = true, j.CPUTime, j.UserCPUTime, j.SystemCPUTime
	}
	switch {
	case j.Source == SourceQueue:
		u.miss("the queue does not know it, the accounting does: read the job with History")
	case u.Elapsed == 0 && len(j.Steps) == 0:
		u.miss("the job has not run")
	case len(j.Steps) == 0:
		u.miss("the record has no steps: a list has them only if HistoryOptions.Steps asks for them")
	case ended == 0:
		u.miss("none of its steps has ended, which is when Slurm tells")
	default:
		u.miss(noSample)
	}
	return u
}

const noSample = "Slurm took no sample: the steps were short, or the cluster gathers none (JobAcctGatherType)"

// Usage returns what the step used.
func (s *Step) Usage() *Usage {
	u := &Usage{Elapsed: s.Elapsed, Allocated: slices.Clone(s.Allocated)}
	u.add(s)
	if !s.State.Terminal() {
		u.miss("the step has not ended, which is when Slurm tells")
	} else {
		u.miss(noSample)
	}
	return u
}

func (u *Usage) add(s *Step) {
	// A step without any sample has CPU time all the same, from the kernel, unless nothing is gathered at all.
	if s.CPUTime > 0 || len(s.Used.Total) > 0 {
		u.CPUMeasured = true
	}
	u.CPUTime = addUp(u.CPUTime, s.CPUTime)
	u.UserCPUTime = addUp(u.UserCPUTime, s.UserCPUTime)
	u.SystemCPUTime = addUp(u.SystemCPUTime, s.SystemCPUTime)
	u.BytesRead = addUp(u.BytesRead, s.Used.Total.Count("fs", "disk"))
	u.BytesWritten = addUp(u.BytesWritten, s.Output.Total.Count("fs", "disk"))
	u.Energy = addUp(u.Energy, s.Energy)
	u.Memory = max(u.Memory, s.Used.Total.Memory())
	if peak, ok := s.Used.Max.Find("mem", ""); ok {
		if !u.MemoryMeasured || peak.Count > u.MaxRSS.Count {
			u.MaxRSS, u.MaxRSSStep = peak, s.ID
		}
		u.MemoryMeasured = true
	}
}

func (u *Usage) miss(why string) {
	if !u.CPUMeasured {
		u.Missing = append(u.Missing, "CPU time: "+why)
	}
	if !u.MemoryMeasured {
		u.Missing = append(u.Missing, "memory: "+why)
	}
}

// CPUEfficiency returns the share of the CPU time the job had that it used, as seff does: 0.5 is half of it. It reports
// false if that is not known.
func (u *Usage) CPUEfficiency() (float64, bool) {
	had := u.Elapsed.Seconds() * float64(u.Allocated.CPUs())
	if !u.CPUMeasured || had <= 0 {
		return 0, false
	}
	return u.CPUTime.Seconds() / had, true
}

// MemoryEfficiency returns the share of the job's memory that it used, as seff does: Memory in relation to what was
// allocated on all nodes together. It reports false if that is not known.
func (u *Usage) MemoryEfficiency() (float64, bool) {
	had := u.Allocated.Memory()
	if !u.MemoryMeasured || had <= 0 {
		return 0, false
	}
	return float64(u.Memory) / float64(had), true
}

// String returns the usage in one line: "ran 28s after 3s in the queue, CPU 29.36s (26%), memory 294.4M (29%)".
func (u *Usage) String() string {
	if u == nil {
		return "no usage"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ran %s after %s in the queue", u.Elapsed, u.QueueTime)
	part := func(name, amount string, measured bool, share float64, known bool) {
		if !measured {
			amount = "unknown"
		}
		fmt.Fprintf(&b, ", %s %s", name, amount)
		if known {
			fmt.Fprintf(&b, " (%.0f%%)", 100*share)
		}
	}
	share, known := u.CPUEfficiency()
	part("CPU", u.CPUTime.Round(10*time.Millisecond).String(), u.CPUMeasured, share, known)
	share, known = u.MemoryEfficiency()
	part("memory", fmt.Sprintf("%.1fM", float64(u.Memory)/mebibyte), u.MemoryMeasured, share, known)
	return b.String()
}

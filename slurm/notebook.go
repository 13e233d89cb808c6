package slurm

import (
	"fmt"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// SimpleRender returns what a notebook shows for a job that is the last expression of a cell: a line of text, and tables of
// its facts and its steps as HTML. It does no I/O and is safe on nil.
func (j *Job) SimpleRender() map[string]any {
	if j == nil {
		return render.Bundle(j.String(), "")
	}
	now := time.Now()
	w := &render.Writer{}
	w.Open("div")
	j.facts(now).Write(w)
	if len(j.Steps) > 0 {
		j.stepTable().Write(w)
	}
	w.Close()
	return render.Bundle(j.String(), w.String())
}

func (j *Job) facts(now time.Time) *render.Facts {
	f := &render.Facts{Title: "Job " + j.shownID()}
	f.Add("Name", j.Name)
	f.Add("User", both(j.User, j.Account))
	f.Add("Partition", both(j.Partition, j.QOS))
	f.AddTone("State", j.shownState(), j.State.tone())
	f.Add("Reason", j.why())
	f.Add("Exit", j.shownExit())
	f.Add("Depends on", j.Dependency)
	f.Add("Submitted", render.Time(j.SubmitTime))
	if j.waits() {
		f.Add("Expected start", render.Time(j.StartTime))
	} else {
		f.Add("Started", render.Time(j.StartTime))
	}
	if j.Ended() {
		f.Add("Ended", render.Time(j.EndTime))
	}
	f.Add("Queued", spanText(j.queueTime(now)))
	f.Add("Elapsed", spanText(j.elapsedAt(now)))
	if j.Unlimited {
		f.Add("Time limit", "none")
	} else {
		f.Add("Time limit", spanText(j.TimeLimit))
	}
	f.Add("Nodes", j.Nodes)
	f.Add("Node count", render.Count(j.NodeCount))
	f.Add("CPUs", render.Count(j.CPUs))
	f.Add("GPUs", render.Count(j.GPUs()))
	f.Add("Restarts", render.Count(j.RestartCount))
	f.Add("Directory", j.WorkDir)
	f.Add("Output", j.StandardOutput)
	if j.StandardError != j.StandardOutput {
		f.Add("Errors", j.StandardError)
	}
	return f
}

func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " / " + b
}

func (j *Job) stepTable() *render.Table {
	t := &render.Table{Caption: counted(len(j.Steps), "step"), Noun: "steps",
		Columns: render.Columns("Step", "Name", "State", "Elapsed", "Tasks", "CPU time", "Peak memory", "Exit")}
	for i := 3; i < 7; i++ {
		t.Columns[i].Number = true
	}
	shown, more := render.Shown(len(j.Steps))
	t.More = more
	for i := range shown {
		s := &j.Steps[i]
		u := s.Usage()
		t.Rows = append(t.Rows, []render.Cell{{Text: s.ID}, {Text: s.Name}, s.stateCell(), {Text: spanText(s.Elapsed)},
			{Text: render.Count(s.Tasks)}, {Text: spanText(u.CPUTime)}, {Text: u.memoryText()}, {Text: s.shownExit()}})
	}
	return t
}

func (u *Usage) memoryText() string {
	if !u.MemoryMeasured {
		return ""
	}
	return fmt.Sprintf("%.1fM", float64(u.Memory)/mebibyte)
}

// String returns the step in one line: id, name, state and for how long it has run.
func (s *Step) String() string {
	if s == nil {
		return "no step"
	}
	text := "step " + s.ID
	if s.Name != "" {
		text += " (" + abbreviate(s.Name) + ")"
	}
	text += " " + s.stateCell().Text
	if elapsed := spanText(s.Elapsed); elapsed != "" {
		text += ", ran " + elapsed
	}
	return foreign.OneLine(text)
}

// SimpleRender returns what a notebook shows for a step: a line of text, and a table of its facts as HTML. It is safe on
// nil.
func (s *Step) SimpleRender() map[string]any {
	if s == nil {
		return render.Bundle(s.String(), "")
	}
	f := &render.Facts{Title: "Step " + s.ID}
	f.Add("Name", s.Name)
	cell := s.stateCell()
	f.AddTone("State", cell.Text, cell.Tone)
	f.Add("Exit", s.shownExit())
	f.Add("Started", render.Time(s.StartTime))
	f.Add("Ended", render.Time(s.EndTime))
	f.Add("Nodes", abbreviate(strings.Join(s.Nodes, ",")))
	f.Add("Tasks", render.Count(s.Tasks))
	s.Usage().facts(f)
	return render.Bundle(s.String(), f.HTML())
}

func (s *Step) stateCell() render.Cell {
	text := string(s.State)
	for _, flag := range s.Flags {
		text += "+" + string(flag)
	}
	return render.Cell{Text: text, Tone: s.State.tone()}
}

func (s *Step) shownExit() string {
	if !s.State.Terminal() || !s.ExitCode.Known {
		return ""
	}
	return strings.TrimPrefix(s.ExitCode.String(), "exit code ")
}

// SimpleRender returns what a notebook shows for the usage: the line of [Usage.String], and a table as HTML. It is safe on
// nil.
func (u *Usage) SimpleRender() map[string]any {
	if u == nil {
		return render.Bundle(u.String(), "")
	}
	f := &render.Facts{Title: "Usage"}
	u.facts(f)
	return render.Bundle(u.String(), f.HTML())
}

func (u *Usage) facts(f *render.Facts) {
	share := func(s float64, known bool) string {
		if !known {
			return ""
		}
		return fmt.Sprintf("%.0f%%", 100*s)
	}
	f.Add("Elapsed", spanText(u.Elapsed))
	f.Add("Queued", spanText(u.QueueTime))
	f.Add("Allocated", u.Allocated.String())
	if u.CPUMeasured {
		f.Add("CPU time", u.CPUTime.Round(10*time.Millisecond).String())
		f.Add("CPU efficiency", share(u.CPUEfficiency()))
	}
	f.Add("Memory", u.memoryText())
	f.Add("Memory efficiency", share(u.MemoryEfficiency()))
	f.Add("Bytes read", render.Count(u.BytesRead))
	f.Add("Bytes written", render.Count(u.BytesWritten))
	f.Add("Energy in joules", render.Count(u.Energy))
	for _, why := range u.Missing {
		f.Add("Not measured", why)
	}
}

// SimpleRender returns what a notebook shows for a node: a line of text, and a table of its facts as HTML. It is safe on
// nil.
func (n *Node) SimpleRender() map[string]any {
	if n == nil {
		return render.Bundle(n.String(), "")
	}
	f := &render.Facts{Title: "Node " + n.Name}
	cell := n.stateCell()
	f.AddTone("State", cell.Text, cell.Tone)
	f.Add("Reason", n.Reason)
	f.Add("Since", render.Time(n.ReasonTime))
	f.Add("By", n.ReasonUser)
	f.Add("Partitions", strings.Join(n.Partitions, ","))
	f.Add("CPUs", fmt.Sprintf("%d of %d in use", n.CPUsUsed, n.CPUs))
	f.Add("GPUs", fmt.Sprintf("%d of %d in use", n.Used.GPUs(), n.GPUs()))
	f.Add("Memory", fmt.Sprintf("%.1f of %.1f GiB in use", float64(n.MemoryUsed)/(1<<30), float64(n.Memory)/(1<<30)))
	f.Add("Features", strings.Join(n.Features, ","))
	f.Add("Reservation", n.Reservation)
	f.Add("Booted", render.Time(n.BootTime))
	f.Add("Comment", n.Comment)
	return render.Bundle(n.String(), f.HTML())
}

// String returns the submission in one line: the id, and how many warnings there are.
func (s *Submission) String() string {
	if s == nil {
		return "no submission"
	}
	text := "submitted job " + string(s.JobID)
	if len(s.Warnings) > 0 {
		text += ", " + counted(len(s.Warnings), "warning")
	}
	return foreign.Printable(text)
}

// SimpleRender returns what a notebook shows for a submission: a line of text, and the id with all warnings as HTML. It is
// safe on nil.
func (s *Submission) SimpleRender() map[string]any {
	if s == nil {
		return render.Bundle(s.String(), "")
	}
	f := &render.Facts{Title: s.String()}
	f.Add("Job", string(s.JobID))
	f.Add("Message", s.UserMessage)
	f.AddAll("Warning", "warnings", len(s.Warnings), func(i int) (string, render.Tone) { return s.Warnings[i].String(), render.Waiting })
	return render.Bundle(s.String(), f.HTML())
}

// SimpleRender returns what a notebook shows for an event: the line of [JobEvent.String], and the same as HTML with the
// states in color. It is safe on nil.
func (e *JobEvent) SimpleRender() map[string]any {
	if e == nil {
		return render.Bundle(e.String(), "")
	}
	f := &render.Facts{Title: e.String()}
	f.AddTone("Before", string(e.Old), e.Old.tone())
	f.AddTone("Now", string(e.New), e.New.tone())
	if e.Err != nil {
		f.AddTone("Error", e.Err.Error(), render.Bad)
	}
	f.Add("Seen", render.Time(e.Time))
	return render.Bundle(e.String(), f.HTML())
}

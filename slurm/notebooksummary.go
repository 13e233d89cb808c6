package slurm

import (
	"fmt"

	"github.com/trainingclusters/trainingclusters-go/internal/render"
)

// SimpleRender returns what a notebook shows for a summary: the first line of [JobSummary.String], and all of it as tables
// in HTML. It is safe on nil.
func (s *JobSummary) SimpleRender() map[string]any {
	if s == nil {
		return render.Bundle(s.String(), "")
	}
	line := counted(s.Jobs, "job") + ": " + s.states()
	w := &render.Writer{}
	w.Open("div")
	s.stateTable(line).Write(w)
	if s.Runs > 0 {
		render.Para(w, s.resources())
	}
	if s.QueueTime.Count+s.Waiting.Count+s.RunTime.Count > 0 {
		s.spanTable().Write(w)
	}
	if len(s.Failures) > 0 {
		s.failureTable().Write(w)
	}
	w.Close()
	return render.Bundle(line, w.String())
}

func (s *JobSummary) stateTable(caption string) *render.Table {
	if s.Requeued > 0 {
		caption += "; " + counted(s.Requeued, "run") + " requeued"
	}
	t := &render.Table{Caption: caption, Noun: "states", Columns: []render.Column{{Title: "State"}, {Title: "Jobs", Number: true}, {Title: "GPU hours", Number: true}}}
	for _, c := range s.States {
		t.Rows = append(t.Rows, []render.Cell{{Text: c.word(), Tone: c.State.tone()}, {Text: fmt.Sprint(c.Jobs)}, {Text: hours(c.GPUHours)}})
	}
	return t
}

func (s *JobSummary) spanTable() *render.Table {
	t := &render.Table{Columns: render.Columns("Span", "Total", "Mean", "Median", "Max")}
	for i := 1; i < len(t.Columns); i++ {
		t.Columns[i].Number = true
	}
	for _, row := range []struct {
		name  string
		spans Spans
	}{{"queue time", s.QueueTime}, {"waiting", s.Waiting}, {"run time", s.RunTime}} {
		if v := row.spans; v.Count > 0 {
			t.Rows = append(t.Rows, render.Texts(row.name, clock(v.Total), clock(v.Mean), clock(v.Median), clock(v.Max)))
		}
	}
	return t
}

func (s *JobSummary) failureTable() *render.Table {
	t := &render.Table{Caption: "Failures", Noun: "kinds of failure", Columns: render.Columns("State", "Jobs", "Reason", "Exit", "Example", "GPU hours")}
	t.Columns[1].Number, t.Columns[5].Number = true, true
	for _, f := range s.Failures {
		t.Rows = append(t.Rows, []render.Cell{{Text: string(f.State), Tone: f.State.tone()}, {Text: fmt.Sprint(f.Jobs)},
			{Text: f.Reason}, {Text: f.ExitCode}, {Text: string(f.Example)}, {Text: hours(f.GPUHours)}})
	}
	return t
}

func hours(h float64) string {
	if h <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", h)
}

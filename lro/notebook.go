package lro

import "github.com/trainingclusters/trainingclusters-go/internal/render"

// SimpleRender returns what a notebook shows for an operation that is the last expression of a cell: the line of
// [Operation.String], cut if need be, and as HTML a table of what is known, with at most 200 failures of parts. It does
// no I/O and is safe on nil.
func (o *Operation) SimpleRender() map[string]any {
	if o == nil {
		return render.Bundle(o.String(), "")
	}
	s := o.snapshot()
	return render.Bundle(s.String(), s.facts().HTML())
}

func (s State) facts() *render.Facts {
	f := &render.Facts{Title: "Operation " + s.Name}
	word, tone := s.verdict()
	f.AddTone("State", word, tone)
	f.Add("Work", s.Type)
	f.Add("Progress", s.Message)
	if s.Err != nil {
		f.AddTone("Error", s.Err.reason(), render.Bad)
		f.Add("Hint", s.Err.Hint)
	}
	f.Add("Started", render.Time(s.CreateTime))
	changed := "Updated"
	if s.Done {
		changed = "Ended"
	}
	f.Add(changed, render.Time(s.UpdateTime))
	f.AddAll("Failed in part", "failures", len(s.PartialFailures), func(i int) (string, render.Tone) {
		return s.PartialFailures[i].reason(), render.Bad
	})
	return f
}

// verdict is the state in a word or two, with its color.
func (s State) verdict() (string, render.Tone) {
	switch {
	case s.Err != nil:
		return "failed", render.Bad
	case s.Done:
		return "succeeded", render.Good
	case s.Raw == nil:
		return "not read yet", render.Muted
	}
	return "running", render.Active
}

package slurm

import (
	"cmp"
	"errors"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// decoder holds what the records of one answer share. Most texts of a list repeat from job to job (users,
// partitions, states, paths), so each is made once.
type decoder struct {
	texts map[string]string // JSON text, still quoted, to Go string

	live, sketch, history layout[Job]
	steps                 []*stepReader
}

// maxTexts and maxText bound the table, for lists in which every text differs and for long texts, which seldom repeat.
const (
	maxTexts = 4096
	maxText  = 1 << 10 // bytes, quoted
)

func (j *Job) odd(member string, err error) { j.Odd = append(j.Odd, oddOf(member, err)) }

func oddOf(member string, err error) OddMember {
	return OddMember{Member: member, Problem: foreign.OneLine(err.Error())}
}

// text reads a text; numbers are taken as they are written. Lists and objects are odd unless they are empty.
func (d *decoder) text(raw []byte) (string, error) {
	switch jsonx.KindOf(raw) {
	case jsonx.KindString:
		if len(raw) == len(`""`) {
			return "", nil
		}
		return d.shared(raw), nil
	case jsonx.KindNumber, jsonx.KindBool:
		return jsonx.Text(raw), nil
	}
	if emptyValue(raw) {
		return "", nil
	}
	return jsonx.Str(raw)
}

func (d *decoder) shared(raw []byte) string {
	if s, ok := d.texts[string(raw)]; ok {
		return s
	}
	s := jsonx.Text(raw)
	if len(d.texts) < maxTexts && len(raw) <= maxText {
		if d.texts == nil {
			d.texts = make(map[string]string)
		}
		d.texts[string(raw)] = s
	}
	return s
}

// unshared reads a text that differs from job to job, and so would only crowd the table.
func (d *decoder) unshared(raw []byte) (string, error) {
	if jsonx.KindOf(raw) == jsonx.KindString {
		return jsonx.Text(raw), nil
	}
	return d.text(raw)
}

// words reads a list of words, or one word. Of several odd ones the first is reported, and each costs only itself.
func (d *decoder) words(raw []byte) ([]string, error) {
	if jsonx.KindOf(raw) == jsonx.KindString {
		return []string{d.shared(raw)}, nil
	}
	if emptyValue(raw) {
		return nil, nil
	}
	var all []string
	var odd error
	err := jsonx.EachElement(raw, func(i int, value []byte) error {
		word, err := d.text(value)
		if err == nil {
			all = append(all, word)
		}
		odd = cmp.Or(odd, inElement(i, err))
		return nil
	})
	return all, cmp.Or(err, odd)
}

// resources takes the texts in which the queue writes resources from the table too, then reads them anew for each
// job: two jobs must not share a slice that a caller may write to.
func (d *decoder) resources(raw []byte) (Resources, error) {
	if jsonx.KindOf(raw) == jsonx.KindString {
		text, _ := d.text(raw)
		return parseResources(text)
	}
	return d.resourceList(raw)
}

// state reads all of a job's state or nothing: what is left of an odd list may be another state.
func (d *decoder) state(raw []byte) (State, []Flag, error) {
	names, err := d.words(raw)
	if err != nil {
		return "", nil, err
	}
	state, flags := baseState(names)
	return state, flags, nil
}

// settle fills in what follows from several members together.
func (j *Job) settle() {
	j.ID = NewJobID(j.RawID)
	if j.IsArrayTask = j.IsArrayTask && j.ArrayJobID != ""; j.IsArrayTask {
		j.ID = j.ArrayJobID.WithTask(j.ArrayTaskID)
		j.ArrayTasks = "" // of a started task it repeats what ArrayTaskID says, or is empty
	} else {
		j.ArrayTaskID = 0
	}
	// The throttle is a part of the text: "7-9%3".
	j.ArrayTasks, _, _ = strings.Cut(j.ArrayTasks, "%")
	if j.HetJobID == "" {
		j.HetOffset = 0
	}
	// Slurm gives SUCCESS and 0 for jobs that have not ended.
	if !j.State.Terminal() {
		j.ExitCode, j.DerivedExitCode = ExitCode{}, ExitCode{}
	}
	j.StandardInput = unnumbered(j.StandardInput)
	j.StandardOutput = unnumbered(j.StandardOutput)
	j.StandardError = unnumbered(j.StandardError)
	if j.RawID == 0 {
		j.odd("job_id", errNoJobID)
	}
}

var errNoJobID = errors.New("the record names no job")

// unnumbered takes Slurm's mark for "no value" out of a path: it stands there for the index of array tasks that
// have not started.
func unnumbered(path string) string { return strings.ReplaceAll(path, "4294967294", "%a") }

package slurm

import (
	"errors"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// decoder holds what the records of one answer share. Most texts of a list repeat from job to job (users,
// partitions, states, paths), so each is made once.
type decoder struct {
	texts map[string]string // JSON text, still quoted, to Go string

	live, sketch, history layout
}

// maxTexts bounds the table for lists in which every text differs.
const maxTexts = 4096

// jobMember reads one member of a record into a job. The tables of them are the whole knowledge of Slurm's
// record layouts; a member that no table names is skipped.
type jobMember func(d *decoder, j *Job, raw []byte) error

// layout is the order in which the records of an answer have their members, as the last one had them, with what is to be
// done for each. It spares the looking up of names, since all records have the same.
type layout []layoutMember

type layoutMember struct {
	quoted string // the name as it is written
	read   jobMember
}

// maxLayout is a multiple of what a record has.
const maxLayout = 1024

// reader returns what reads the n-th member, or nil if the table does not name it.
func (l *layout) reader(o *jsonx.Object, n int, table map[string]jobMember) jobMember {
	quoted := o.Quoted(n)
	if n < len(*l) && (*l)[n].quoted == string(quoted) {
		return (*l)[n].read
	}
	m := layoutMember{string(quoted), table[string(o.Name(n))]}
	switch {
	case n < len(*l):
		(*l)[n] = m
	case n == len(*l) && n < maxLayout:
		*l = append(*l, m)
	}
	return m.read
}

// members reads the members of a record that the table names, which l is the layout of. An odd one is noted and costs
// nothing else.
func (d *decoder) members(j *Job, o *jsonx.Object, l *layout, table map[string]jobMember) {
	for n := range o.Len() {
		read := l.reader(o, n, table)
		if read == nil {
			continue
		}
		if err := read(d, j, o.Value(n)); err != nil {
			j.odd(string(o.Name(n)), err)
		}
	}
}

// record is members for an object inside of a record, whose members have the prefix.
func (d *decoder) record(j *Job, prefix string, raw []byte, table map[string]jobMember) error {
	if emptyValue(raw) {
		return nil
	}
	return jsonx.EachMember(raw, func(name, value []byte) error {
		read := table[string(name)]
		if read == nil {
			return nil
		}
		if err := read(d, j, value); err != nil {
			j.odd(prefix+string(name), err)
		}
		return nil
	})
}

func (j *Job) odd(member string, err error) {
	j.Odd = append(j.Odd, OddMember{Member: member, Problem: oneLine(err.Error())})
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
	if len(d.texts) < maxTexts {
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

// words reads a list of words, or one word.
func (d *decoder) words(raw []byte) ([]string, error) {
	if jsonx.KindOf(raw) == jsonx.KindString {
		return []string{d.shared(raw)}, nil
	}
	if emptyValue(raw) {
		return nil, nil
	}
	var all []string
	err := jsonx.EachElement(raw, func(i int, value []byte) error {
		word, err := d.text(value)
		all = append(all, word)
		return inElement(i, err)
	})
	return all, err
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

func (d *decoder) state(raw []byte) (State, []Flag, error) {
	names, err := d.words(raw)
	if err != nil {
		return "", nil, err
	}
	state, flags := baseState(names)
	return state, flags, nil
}

// The functions below make table entries for the kinds of members there are.

func asText(field func(*Job) *string) jobMember {
	return func(d *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = d.text(raw)
		return err
	}
}

// asPath reads a text that differs from job to job.
func asPath(field func(*Job) *string) jobMember {
	return func(d *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = d.unshared(raw)
		return err
	}
}

// asNodes reads text in which an accounting record without nodes has a phrase.
func asNodes(field func(*Job) *string) jobMember {
	return func(d *decoder, j *Job, raw []byte) error {
		s, err := d.text(raw)
		if s != noNodes {
			*field(j) = s
		}
		return err
	}
}

func asWords(field func(*Job) *[]string) jobMember {
	return func(d *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = d.words(raw)
		return err
	}
}

func asBool(field func(*Job) *bool) jobMember {
	return func(_ *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = readBool(raw)
		return err
	}
}

// asExact reads a number of which every value counts, Slurm's marks included.
func asExact(field func(*Job) *int64) jobMember {
	return func(_ *decoder, j *Job, raw []byte) error {
		n, err := readNumber(raw)
		*field(j) = n.value
		return err
	}
}

// asCount reads a number of things.
func asCount(field func(*Job) *int) jobMember {
	return func(_ *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = readCount(raw)
		return err
	}
}

// asIndex reads a number that may be missing, and says whether it was there.
func asIndex(field func(*Job) (*int64, *bool)) jobMember {
	return func(_ *decoder, j *Job, raw []byte) error {
		n, err := readNumber(raw)
		n = n.unmarked()
		value, present := field(j)
		*value, *present = n.value, n.set
		return err
	}
}

func asJobID(field func(*Job) *JobID) jobMember {
	return func(_ *decoder, j *Job, raw []byte) error {
		n, err := readNumber(raw)
		*field(j) = NewJobID(n.unmarked().value)
		return err
	}
}

func asTime(field func(*Job) *time.Time) jobMember {
	return func(_ *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = readTime(raw)
		return err
	}
}

func asSpan(unit time.Duration, field func(*Job) *time.Duration) jobMember {
	return func(_ *decoder, j *Job, raw []byte) (err error) {
		*field(j), _, err = readSpan(raw, unit)
		return err
	}
}

// asMemory reads MiB as bytes.
func asMemory(field func(*Job) *int64) jobMember {
	return func(_ *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = readMemory(raw)
		return err
	}
}

func asResources(field func(*Job) *Resources) jobMember {
	return func(d *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = d.resources(raw)
		return err
	}
}

func asExitCode(field func(*Job) *ExitCode) jobMember {
	return func(_ *decoder, j *Job, raw []byte) (err error) {
		*field(j), err = readExitCode(raw)
		return err
	}
}

// asObject reads the members of an inner object.
func asObject(prefix string, table map[string]jobMember) jobMember {
	return func(d *decoder, j *Job, raw []byte) error { return d.record(j, prefix, raw, table) }
}

// readTimeLimit is shared by both sources: minutes, or none at all.
func readTimeLimit(_ *decoder, j *Job, raw []byte) (err error) {
	j.TimeLimit, j.Unlimited, err = readSpan(raw, time.Minute)
	return err
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

package slurm

import (
	"fmt"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// decodeRecords calls record for each element of a list in an answer. It returns nil, or an *Error: with Partial
// if single elements could not be read at all, which the caller returns beside the others, and without it if
// there is no list. Null, [] and {} are empty lists.
func decodeRecords(r *reply, list string, record func(*decoder, *jsonx.Object) error) error {
	raw := r.member(list)
	if raw == nil {
		return r.lacks(list)
	}
	if emptyValue(raw) {
		return nil
	}
	var d decoder
	var object jsonx.Object
	first, bad := "", 0
	at := func(i int) *jsonx.Object {
		object.Repeats = i > 0 // most lists here have but one record, which need not be remembered
		return &object
	}
	err := jsonx.EachObject(raw, at, func(i int, o *jsonx.Object, element []byte) {
		var err error
		if o != nil {
			err = record(&d, o)
		} else {
			err = jsonx.NoObject(element)
		}
		if err != nil {
			if bad++; bad == 1 {
				first = inRecord(list, i, err)
			}
		}
	})
	switch {
	case err != nil:
		return r.unreadable(jsonx.At(list, err))
	case bad > 0:
		return r.partial(first, bad)
	}
	return nil
}

// lacks is the failure for an answer without a list, unless there is another reason.
func (r *reply) lacks(list string) *Error {
	e := r.failure()
	if r.err() == nil {
		e.Text = fmt.Sprintf("unexpected answer: it lacks %q", list)
	}
	return e
}

// inRecord says what is wrong with the i-th record of a list.
func inRecord(list string, i int, err error) string {
	return jsonx.At(fmt.Sprintf("%s[%d]", list, i), err).Error()
}

// decodeJobs reads the list "jobs" of an answer: see [decodeRecords].
//
// Job.Raw of each is a part of the answer: verbs that return long lists set it to nil.
func decodeJobs(r *reply, decode func(*decoder, *jsonx.Object) *Job) ([]*Job, error) {
	var jobs []*Job
	err := decodeRecords(r, "jobs", func(d *decoder, record *jsonx.Object) error {
		jobs = append(jobs, decode(d, record))
		return nil
	})
	return jobs, err
}

// partial is the error for an answer of which n records were no records, the first of them for the reason given.
func (r *reply) partial(first string, n int) *Error {
	e := r.failure()
	e.Partial = true
	e.Text = "unexpected answer: " + first
	if n > 1 {
		e.Text += fmt.Sprintf(", and %d more like it", n-1)
	}
	return e
}

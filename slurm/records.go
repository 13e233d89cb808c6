package slurm

import (
	"encoding/json"
	"fmt"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// decodeRecords calls record for each element of a list in an answer. It returns nil, or an *Error: with Partial
// if single elements could not be read at all, which the caller returns beside the others, and without it if
// there is no list. Null, [] and {} are empty lists.
func decodeRecords(r *reply, list string, record func(*decoder, []byte) error) error {
	records, err := r.records(list)
	if err != nil {
		return err
	}
	var d decoder
	first, bad := "", 0
	for i, raw := range records {
		if err := record(&d, raw); err != nil {
			if bad++; bad == 1 {
				first = inRecord(list, i, err)
			}
		}
	}
	if bad > 0 {
		return r.partial(first, bad)
	}
	return nil
}

// records finds the elements of a list in an answer without decoding them.
func (r *reply) records(list string) ([]json.RawMessage, error) {
	raw := r.member(list)
	if raw == nil {
		return nil, r.lacks(list)
	}
	if emptyValue(raw) {
		return nil, nil
	}
	var records []json.RawMessage
	err := jsonx.EachElement(raw, func(_ int, record []byte) error {
		records = append(records, record)
		return nil
	})
	if err != nil {
		return nil, r.unreadable(jsonx.At(list, err))
	}
	return records, nil
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
// Job.Raw of each is a part of r.body: verbs that return long lists set it to nil.
func decodeJobs(r *reply, decode func(*decoder, []byte) (*Job, error)) ([]*Job, error) {
	var jobs []*Job
	err := decodeRecords(r, "jobs", func(d *decoder, raw []byte) error {
		job, err := decode(d, raw)
		if err == nil {
			jobs = append(jobs, job)
		}
		return err
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

// errNullRecord is for a null among records: jsonx takes it for an object without members.
var errNullRecord = &jsonx.Error{Want: "an object", Got: "null"}

package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// StreamCaller is a [Caller] that can hand on an answer while it arrives, as *cluster.Client does. Lists of jobs are
// read in this way where the Caller can do it, and from a whole answer in memory where it cannot. A Caller that embeds
// a *cluster.Client to see its calls has to see both methods.
type StreamCaller interface {
	Caller
	StreamSlurm(ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption) (
		*cluster.SlurmStream, error)
}

// maxRecord bounds one record of a list, and what else of an answer is held at once. A record has some 5 kB, and that
// of a job on a thousand nodes less than a MB.
const maxRecord = 16 << 20

// stream sends a GET request whose answer is read while it arrives.
func (c *Client) stream(ctx context.Context, op, path string) (*cluster.SlurmStream, error) {
	req := &cluster.SlurmRequest{Method: http.MethodGet, Path: path}
	if caller, ok := c.caller.(StreamCaller); ok {
		stream, err := caller.StreamSlurm(ctx, c.cluster, req)
		if err == nil && stream == nil {
			err = noAnswer(op, req)
		}
		return stream, err
	}
	resp, err := c.caller.CallSlurm(ctx, c.cluster, req)
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, noAnswer(op, req)
	}
	return cluster.NewSlurmStream(resp.Status, io.NopCloser(bytes.NewReader(resp.Body))), nil
}

// recordStream goes through the list "jobs" of an answer while it arrives. Members may come in any order.
type recordStream struct {
	decoder

	reply  *reply // what has come of the answer so far; the list and what nobody asks for are not kept
	answer *cluster.SlurmStream
	doc    *jsonx.Stream
	begun  bool
	inside bool   // the list
	found  bool   // the list
	whole  bool   // the answer has come to its end, and all of its list has been read
	shape  error  // what is wrong with the list as a whole
	n      int    // records so far, those that are none included
	bad    int    // how many are none
	reason string // what is wrong with the first of those

	updated int64 // when Slurm made the list, by its own clock; 0 if it did not say
}

const jobList = "jobs"

// records makes a call whose answer has a list of jobs.
func (c *Client) records(ctx context.Context, op, path string) (*recordStream, error) {
	answer, err := c.stream(ctx, op, path)
	if err != nil {
		return nil, err
	}
	return &recordStream{
		reply:  &reply{op: op, method: http.MethodGet, path: path},
		answer: answer,
		doc:    jsonx.NewStream(answer, maxRecord),
	}, nil
}

func (s *recordStream) close() { _ = s.answer.Close() } // of no interest once all that was wanted has come

// next returns the next record, which is valid until the next call; elements of the list that are none are noted. After
// the end of the answer it returns io.EOF; what became of the list as a whole is for [recordStream.verdict] to say. Any
// other error means that no more will come.
func (s *recordStream) next() (*jsonx.Object, error) {
	for {
		if s.inside {
			record, err := s.doc.Element()
			if err == nil {
				s.n++
				if jsonx.KindOf(record) == jsonx.KindObject {
					return s.doc.Object(), nil
				}
				s.reject(jsonx.NoObject(record))
				continue
			}
			if err != io.EOF {
				return nil, s.broken(err)
			}
			s.inside = false
		}
		if err := s.member(); err != nil {
			return nil, err
		}
	}
}

// member reads one member of the answer, or goes to the start of the list.
func (s *recordStream) member() error {
	if !s.begun {
		if err := s.begin(); err != nil {
			return err
		}
	}
	name, err := s.doc.Member()
	if err == io.EOF {
		s.reply.status, s.whole = s.answer.Status(), s.shape == nil
		return io.EOF
	}
	var value []byte
	switch {
	case err != nil:
	case name == jobList:
		err = s.goToList()
	case name == "errors":
		value, err = s.doc.Value()
		s.reply.problems = readProblems(value)
	case name == "warnings":
		value, err = s.doc.Value()
		s.reply.warnings = readWarnings(value)
	case name == "last_update":
		if value, err = s.doc.Value(); err == nil {
			at, _ := readNumber(value)
			s.updated = at.value
		}
	default:
		err = s.doc.Pass()
	}
	if err != nil {
		return s.broken(err)
	}
	return nil
}

// begin makes sure that the answer is an object.
func (s *recordStream) begin() error {
	kind, err := s.doc.Kind()
	if err != nil {
		return s.broken(err)
	}
	if s.begun = true; kind == jsonx.KindObject {
		return nil
	}
	const most = 64 << 10 // texts of Slurm are short
	start := s.doc.Peek(most)
	s.reply.status = s.answer.Status()
	e := s.reply.failure()
	if len(start) == most && (kind == jsonx.KindArray || kind == jsonx.KindString) {
		e.Text = fmt.Sprintf("the answer is %s, not an object", kind)
	} else {
		e.Text = unreadable(&cluster.SlurmResponse{Status: s.reply.status, Body: start})
	}
	return e
}

func (s *recordStream) goToList() error {
	kind, err := s.doc.Kind()
	switch {
	case err != nil:
		return err
	case s.found:
		s.shape = &jsonx.Error{Path: jobList, Want: "one list", Got: "two"}
		return s.doc.Pass()
	}
	if s.found = true; kind == jsonx.KindArray {
		s.inside = true
		return nil
	}
	value, err := s.doc.Value()
	if err == nil && !emptyValue(value) {
		s.shape = jsonx.At(jobList, jsonx.EachElement(value, nil)) // says what it is instead
	}
	return err
}

// reject notes why the record that came last is none.
func (s *recordStream) reject(err error) {
	if s.bad++; s.bad == 1 {
		s.reason = inRecord(jobList, s.n-1, err)
	}
}

// verdict is what is left to say at the end of the answer. The payload counts first, but failures beside it are not
// lost.
func (s *recordStream) verdict() error {
	r := s.reply
	var err error
	switch {
	case !s.found:
		return r.lacks(jobList)
	case s.shape != nil:
		err = r.unreadable(s.shape)
	case s.bad > 0:
		err = r.partial(s.reason, s.bad)
	}
	return r.partialErr(err, s.n-s.bad)
}

// broken is the failure to read on: on the way to Slurm, or since the answer is no JSON.
func (s *recordStream) broken(err error) error {
	s.reply.status = s.answer.Status()
	e := s.reply.failure()
	e.Partial = s.n > s.bad
	if failed, ok := errors.AsType[*cluster.Error](err); ok {
		e.Text, e.Err = failed.Message, err
	} else {
		e.Text = "the answer is damaged: " + err.Error()
	}
	if s.n > 0 {
		e.Text = fmt.Sprintf("the list is cut after %d of its jobs: %s", s.n, e.Text)
	}
	return e
}

// eachRecord reads the whole answer to a call, and calls record for each element of its list. Besides the error that
// the list ends with it returns the stream, which tells what else there was; it is nil if there was no answer at all.
func (c *Client) eachRecord(ctx context.Context, op, path string, record func(*decoder, *jsonx.Object) error) (*recordStream, error) {
	s, err := c.records(ctx, op, path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for {
		o, err := s.next()
		switch {
		case err == io.EOF:
			return s, s.verdict()
		case err != nil:
			return s, err
		}
		if err := record(&s.decoder, o); err != nil {
			s.reject(err)
		}
	}
}

package slurm

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// reply is a Slurm answer taken apart once: problems, warnings, and the payload members by name. It does not
// judge: status and errors[] of an answer are independent of each other and of whether the request was carried
// out, so each verb decides for itself.
type reply struct {
	status   int
	op       string
	method   string
	path     string
	problems []Problem
	warnings []Warning
	answer   jsonx.Object
}

// readReply takes an answer apart. It fails, with an *Error that says what came instead, only if the answer is
// no JSON object.
func readReply(op string, req *cluster.SlurmRequest, resp *cluster.SlurmResponse) (*reply, error) {
	r := &reply{status: resp.Status, op: op, method: req.Method, path: req.Path}
	if r.answer.Parse(resp.Body) != nil {
		e := r.failure()
		e.Text = unreadable(resp)
		return nil, e
	}
	r.problems = readProblems(r.member("errors"))
	r.warnings = readWarnings(r.member("warnings"))
	return r, nil
}

// member returns the raw value of a top-level member, and nil if there is none. Of two with the same name the
// last one counts.
func (r *reply) member(name string) []byte { return r.answer.Member(name) }

// err returns nil if Slurm answered with success and without a problem, and otherwise its failure.
func (r *reply) err() error {
	if r.status < 300 && len(r.problems) == 0 {
		return nil
	}
	return r.failure()
}

// failure returns the *Error for this answer, whether or not anything in it says that there is one.
func (r *reply) failure() *Error {
	return &Error{
		Op: r.op, Method: r.method, Path: r.path, Status: r.status, Problems: r.problems, Warnings: r.warnings,
	}
}

// unreadable returns the *Error for an answer that is JSON but not in a shape this package knows.
func (r *reply) unreadable(err error) *Error {
	e := r.failure()
	e.Text = "unexpected answer: " + err.Error()
	return e
}

// unreadable says why an answer is not a JSON object, and "" if it is one.
func unreadable(resp *cluster.SlurmResponse) string {
	body := bytes.TrimSpace(resp.Body)
	kind := jsonx.KindOf(body)
	switch {
	case len(body) == 0:
		return "the answer is empty"
	case body[0] == '<':
		return "the answer is a web page, perhaps of a proxy between here and Slurm: " + excerpt(body)
	case kind == jsonx.KindObject || kind == jsonx.KindArray || kind == jsonx.KindString:
		if err := jsonx.Valid(resp.Body); err != nil { // with what is around it, so that the offset is that in the answer
			return "the answer is damaged: " + err.Error()
		}
	case jsonx.Valid(resp.Body) != nil:
		return excerpt(body) // one of Slurm's short plain texts
	}
	switch kind {
	case jsonx.KindObject:
		return ""
	case jsonx.KindString:
		return "the answer is a text, not an object: " + excerpt([]byte(jsonx.Text(body)))
	}
	return fmt.Sprintf("the answer is %s, not an object", kind)
}

// excerpt returns the start of a foreign text, fit for one line of an error.
func excerpt(text []byte) string {
	const limit = 200
	return foreign.Line(foreign.Scrub(strings.ToValidUTF8(string(text[:min(len(text), 4*limit)]), "")), limit)
}

// signalStatus is one outcome in the status[] of a cancel or signal request: what went wrong for one job. Jobs
// that were signalled are not listed.
type signalStatus struct {
	Code    int
	Message string
	StepID  string // the job as Slurm names it here: "142", or "177_4" for an array task
	JobID   int64
}

// problem is the outcome as a failure. An entry is one even if its code is 0 or missing: jobs for which all went well
// have none.
func (s signalStatus) problem() Problem {
	p := Problem{Number: s.Code, Message: s.Message, Description: "job " + s.StepID, Source: "status"}
	if p.Number == 0 {
		p.Description += ": " + cmp.Or(s.Message, "no reason given")
	}
	return p
}

// decodeSignalStatus reads the status[] of DELETE. API versions before v0.0.42 send none.
func decodeSignalStatus(r *reply) ([]signalStatus, error) {
	var all []signalStatus
	i := 0
	var problem error
	eachEntry(r.member("status"), func(entry []byte) {
		s, err := readSignalStatus(entry)
		if err != nil && problem == nil {
			problem = jsonx.At(fmt.Sprintf("status[%d]", i), err)
		}
		all = append(all, s)
		i++
	})
	if problem != nil {
		return all, r.unreadable(problem)
	}
	return all, nil
}

func readSignalStatus(entry []byte) (signalStatus, error) {
	var s signalStatus
	err := jsonx.EachMember(entry, func(name, value []byte) error {
		switch string(name) {
		case "step_id":
			s.StepID = jsonx.Text(value)
		case "job_id":
			n, err := readNumber(value)
			s.JobID = n.value
			return inMember(name, err)
		case "error":
			n, err := readNumber(jsonx.Member(value, "code"))
			s.Code = int(n.value)
			if s.Message = displayText(jsonx.Member(value, "message")); s.Message == "" {
				s.Message = displayText(jsonx.Member(value, "string"))
			}
			return inMember([]byte("error.code"), err)
		}
		return nil
	})
	return s, err
}

package slurm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// maxBody leaves room for the envelope around a submit, which counts as well.
const maxBody = cluster.MaxSlurmRequest - 200

// Submission is an accepted job.
type Submission struct {
	JobID JobID
	// Warnings is what Slurm, or this package, has to say about the job besides. A member of the description
	// that Slurm does not know is ignored with a warning.
	Warnings []Warning
	// UserMessage is a message of the cluster's administrators, from a submit plugin.
	UserMessage string
}

// Submit sends a job to the cluster and returns its id. It checks the spec first: see [JobSpec.Validate]. The
// job then waits in the queue; Submit does not wait for it to start. See [Client.SubmitJob] for the warnings.
//
// A job was accepted exactly if the id is not empty, even beside an error: Slurm can report a failure and run the
// job all the same, without the part of the description that it did not understand. Such an error matches
// [ErrPartial].
//
// Submitting twice makes two jobs, so a submit is repeated only after failures that surely came before it
// reached the service. After any other loss of contact, such as an expired context, the error matches
// [ErrUncertain]: look for the job, by name with [Client.List] for instance, before submitting it again.
//
// Slurm keeps a FAILED record for some of the jobs it refuses, under an id that it does not tell.
func (c *Client) Submit(ctx context.Context, spec *JobSpec) (JobID, error) {
	submission, err := c.SubmitJob(ctx, spec)
	if submission == nil {
		return "", err
	}
	return submission.JobID, err
}

// SubmitJob does the same as [Client.Submit], and also returns what Slurm says about an accepted job. The
// submission is nil exactly if no job is known to have been accepted.
func (c *Client) SubmitJob(ctx context.Context, spec *JobSpec) (*Submission, error) {
	if spec == nil {
		return nil, errors.New("slurm: submit job: no JobSpec")
	}
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	body := wire{"job": spec.description(), "script": spec.Script}
	return c.submit(ctx, "submit job", body, spec)
}

// SubmitHet submits one heterogeneous job: several components with resources of their own that start together.
// The script is that of the first component and runs there; the others must have none. Arrays are not possible.
// The id is that of the first component, the leader, and names the whole job.
//
// What is said about errors and repetition at [Client.Submit] holds here as well.
func (c *Client) SubmitHet(ctx context.Context, components []*JobSpec) (*Submission, error) {
	if err := validateHet(components); err != nil {
		return nil, err
	}
	jobs := make([]wire, len(components))
	for i, spec := range components {
		jobs[i] = spec.description()
	}
	body := wire{"jobs": jobs, "script": components[0].Script}
	return c.submit(ctx, "submit heterogeneous job", body, components...)
}

func validateHet(components []*JobSpec) error {
	c := &checker{}
	if len(components) == 0 {
		c.add("components", "none: Slurm takes the request and starts nothing")
	}
	for i, spec := range components {
		c.prefix = fmt.Sprintf("[%d].", i)
		switch {
		case spec == nil:
			c.add("JobSpec", "nil")
			continue
		case i == 0:
			c.checkScript("Script", spec.Script)
		case spec.Script != "":
			c.add("Script", "only the first component has a script")
		}
		if spec.Array != "" {
			c.add("Array", "not possible in a heterogeneous job")
		}
		spec.checkComponent(c)
	}
	return c.err("submit heterogeneous job")
}

func (c *Client) submit(ctx context.Context, op string, description wire, specs ...*JobSpec) (*Submission, error) {
	body, err := encodeJSON(description)
	if err != nil {
		return nil, fmt.Errorf("slurm: %s: %w", op, err)
	}
	if len(body) > maxBody {
		return nil, tooLarge(op, len(body), specs)
	}
	// Asked before the request, the context proves that nothing was sent; afterwards it proves nothing.
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("slurm: %s: nothing was sent: %w", op, err)
	}
	r, err := c.call(ctx, op, &cluster.SlurmRequest{Method: http.MethodPost, Path: c.live("job/submit"), Body: body})
	if err != nil {
		return nil, uncertain(op, err)
	}
	submission, err := submitVerdict(r)
	if submission != nil {
		submission.Warnings = append(submission.Warnings, localWarnings(specs)...)
		c.warn(submission.Warnings)
	}
	return submission, err
}

// submitVerdict goes by the job's number alone: neither status nor errors[] tell whether there is a job.
func submitVerdict(r *reply) (*Submission, error) {
	id, err := submittedID(r)
	if err != nil {
		return nil, uncertain(r.op, r.unreadable(err))
	}
	if id == "" {
		return nil, refusal(r)
	}
	submission := &Submission{
		JobID:       id,
		Warnings:    slices.Clone(r.warnings),
		UserMessage: displayText(r.member("job_submit_user_msg")),
	}
	if r.err() == nil {
		return submission, nil
	}
	failure := r.failure()
	failure.JobID, failure.Partial = id, true
	return submission, failure
}

// submittedID returns the id of the new job, "" if there is none. API versions before v0.0.42 also give it in result.
// A number that no job can have proves neither that there is a job nor that there is none.
func submittedID(r *reply) (JobID, error) {
	for _, raw := range [][]byte{r.member("job_id"), jsonx.Member(r.member("result"), "job_id")} {
		n, err := readNumber(raw)
		if n = n.unmarked(); err == nil && (n.value < 0 || n.value > maxJobID) {
			err = &jsonx.Error{Want: "the number of a job", Got: string(raw)}
		}
		if err != nil {
			return "", jsonx.At("job_id", err)
		}
		if n.value != 0 {
			return NewJobID(n.value), nil
		}
	}
	return "", nil
}

// refusal is the error of a submit without a job. Slurm may have lost the answer of its controller, and then does
// not know itself.
func refusal(r *reply) error {
	failure := r.failure()
	if len(r.problems) == 0 && r.status < 300 {
		failure.Text = "Slurm accepted no job, though it reports success"
	}
	if slices.ContainsFunc(r.problems, func(p Problem) bool { return lostAnswers[p.Number] }) {
		return uncertain(r.op, failure)
	}
	return failure
}

// lostAnswers are Slurm's errors for a request that went to the controller without an answer coming back
// (slurm_errno.h). A refused connection, 1800, is not among them.
var lostAnswers = map[int]bool{1000: true, 1002: true, 1003: true, 1004: true, 1801: true, 1802: true, 1803: true,
	5000: true, 5001: true, 5002: true, 5003: true, 5004: true, 5005: true}

// uncertainError is a failure after which nobody here knows whether a job was accepted.
type uncertainError struct {
	op  string
	err error
}

func (e *uncertainError) Error() string {
	return "slurm: " + e.op + ": outcome unknown, the job may have been accepted: " +
		"look for it in the queue before submitting it again: " +
		strings.TrimPrefix(strings.TrimPrefix(e.err.Error(), "slurm: "), e.op+": ")
}

func (e *uncertainError) Unwrap() []error { return []error{ErrUncertain, e.err} }

// uncertain marks err unless it proves that the request was not carried out.
func uncertain(op string, err error) error {
	var outer *cluster.Error
	if errors.As(err, &outer) && outer.Unprocessed {
		return err
	}
	// A short text with a 4xx status is Slurm's own refusal of a path or a body.
	var own *Error
	if errors.As(err, &own) && own.Status >= 400 && own.Status < 500 {
		return err
	}
	return &uncertainError{op: op, err: err}
}

// localWarnings says what Slurm does not.
func localWarnings(specs []*JobSpec) []Warning {
	for _, spec := range specs {
		for line := range strings.Lines(spec.Script) {
			if strings.HasPrefix(line, "#SBATCH") {
				return []Warning{{Source: "Script", Description: "#SBATCH lines have no effect here: " +
					"sbatch reads them, Slurm does not; set the fields of JobSpec"}}
			}
		}
	}
	return nil
}

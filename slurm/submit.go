package slurm

import (
	"context"
	"errors"
	"fmt"
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
// Slurm keeps a FAILED record for some of the jobs it refuses, under an id that it does not tell.
//
// # Once
//
// Submitting twice makes two jobs, so a submit is repeated only after failures that surely came before it
// reached the service. To tell after any other one, such as a cut connection, each job carries a random token, which
// Slurm keeps with it and [Job].SubmitToken shows; nothing of the spec is touched for it. Submit then looks for the
// token, in the queue and in the accounting, at once and with growing pauses for a minute, and returns the job that it
// finds, with a warning. Each look reads the whole queue. A record that Slurm keeps of a job it refused is none: it
// proves that the request has come to nothing, and Submit sends it once more to learn Slurm's reason.
//
// That nothing is found proves nothing, since a request that is held up on the way can arrive at any time. Then, and at
// once if ctx ends after the job was sent, the error is an [*UncertainError], which matches [ErrUncertain]. Its Token
// leads [Client.Recover] to the job. Do not submit the job again before.
//
// If there are two jobs, because something on the way sent the request twice, Submit keeps the one with the lower
// number and cancels the other, with a warning; if it cannot, the error matches ErrPartial. It looks for a second job
// until two seconds after it has found one, and not at all after a submit that succeeded: a platform that repeats
// requests by itself and reports success can still make two.
//
// [WithoutSubmitToken] turns all this off, and [JobSpec].SubmitToken extends it to other processes.
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
	return c.submit(ctx, &submit{op: "submit job", specs: []*JobSpec{spec}})
}

// SubmitHet submits one heterogeneous job: several components with resources of their own that start together.
// The script is that of the first component and runs there; the others must have none. Arrays are not possible.
// The id is that of the first component, the leader, and names the whole job.
//
// What is said about errors, repetition and tokens at [Client.Submit] holds here as well; the token is the leader's.
func (c *Client) SubmitHet(ctx context.Context, components []*JobSpec) (*Submission, error) {
	if err := validateHet(components); err != nil {
		return nil, err
	}
	return c.submit(ctx, &submit{op: "submit heterogeneous job", het: true, specs: components})
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
		if i > 0 && spec.SubmitToken != "" {
			c.add("SubmitToken", "only the first component has one")
		}
		spec.checkComponent(c)
	}
	return c.err("submit heterogeneous job")
}

// submit is a submit on its way.
type submit struct {
	op      string
	het     bool
	specs   []*JobSpec // of the one job, or of the components, the leader first
	token   string     // "" for none
	carrier int        // index of where the leader carries the token, or noCarrier
}

// body is the request. What it says but for the token is the same each time.
func (s *submit) body() ([]byte, error) {
	script := s.specs[0].Script
	b := make([]byte, 0, len(script)+len(script)/16+1024*len(s.specs)) // for line ends, and for the rest of most jobs
	if s.het {
		b = append(b, `{"jobs":[`...)
	} else {
		b = append(b, `{"job":`...)
	}
	for i, spec := range s.specs {
		more, err := extraMembers(spec.Extra)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		} else {
			more = s.withToken(more)
		}
		b = appendJob(b, spec, more)
	}
	if s.het {
		b = append(b, ']')
	}
	return append(appendText(append(b, `,"script":`...), script), '}'), nil
}

// submit sends the request once, and finds out what became of it where the answer does not tell.
func (c *Client) submit(ctx context.Context, s *submit) (*Submission, error) {
	s.carrier = noCarrier
	refused := 0 // records that refusals have left behind
	if s.token = s.specs[0].SubmitToken; s.token != "" {
		before, err := c.submittedBefore(ctx, s)
		if err != nil {
			return nil, err
		}
		if len(before.jobs) > 0 {
			return c.adopt(ctx, s, before, nil)
		}
		refused = before.refused
	} else if !c.noTokens {
		s.token = NewSubmitToken()
	}
	for again := true; ; again = false {
		submission, err := c.send(ctx, s)
		lost, ok := errors.AsType[*UncertainError](err)
		if !ok || s.carrier == noCarrier {
			return submission, err
		}
		lost.Token = s.token
		if end := ctx.Err(); end != nil && errors.Is(lost.Err, end) {
			return nil, lost
		}
		now, failure := c.await(ctx, s.token, refused)
		switch {
		case now == nil:
			if failure != nil {
				lost.Err = fmt.Errorf("%w; %w", lost.Err, failure)
			}
			return nil, lost
		case len(now.jobs) > 0:
			return c.adopt(ctx, s, now, lost)
		case !again:
			return nil, &traceError{op: s.op, token: s.token, kind: ErrInvalid,
				text: "Slurm has refused the job, as the records of that show, and its answers were lost"}
		}
		refused = now.refused
	}
}

// send sends the request, with the token where this cluster takes it.
func (c *Client) send(ctx context.Context, s *submit) (*Submission, error) {
	for {
		c.carry(s)
		if s.specs[0].SubmitToken != "" && s.carrier == noCarrier {
			ch := &checker{}
			ch.add("SubmitToken", "nothing can carry it: this cluster, or Extra, has another use for mcs_label and extra")
			return nil, ch.err(s.op)
		}
		submission, err := c.post(ctx, s)
		if !c.refusesCarrier(s, err) {
			return submission, err
		}
	}
}

func (c *Client) post(ctx context.Context, s *submit) (*Submission, error) {
	body, err := s.body()
	if err != nil {
		return nil, fmt.Errorf("slurm: %s: %w", s.op, err)
	}
	if len(body) > maxBody {
		return nil, tooLarge(s.op, len(body), s.specs)
	}
	// Asked before the request, the context proves that nothing was sent; afterwards it proves nothing.
	if ctx.Err() != nil {
		return nil, fmt.Errorf("slurm: %s: nothing was sent: %w", s.op, endOf(ctx))
	}
	r, err := c.write(ctx, s.op, c.live("job/submit"), body)
	if err != nil {
		return nil, uncertain(s.op, err)
	}
	submission, err := submitVerdict(r)
	if submission != nil {
		submission.Warnings = append(submission.Warnings, localWarnings(s.specs)...)
		if s.specs[0].SubmitToken != "" && carriers[s.carrier].passing {
			submission.Warnings = append(submission.Warnings, passingToken)
		}
		c.warn(submission.Warnings)
	}
	return submission, err
}

// passingToken is for a caller who relies on a token for longer than it may be there.
var passingToken = Warning{Source: "SubmitToken", Description: "the token is in the member extra, since mcs_label has " +
	"another use: unless the accounting stores that (AccountingStoreFlags=job_extra), the job is found by it only until " +
	"some minutes after its end"}

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
		n, err := readJobNumber(raw)
		if err != nil {
			return "", jsonx.At("job_id", err)
		}
		if n != 0 {
			return NewJobID(n), nil
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

// localWarnings says what Slurm does not.
func localWarnings(specs []*JobSpec) []Warning {
	for _, spec := range specs {
		if script := spec.unreadScript(); strings.HasPrefix(script, "#SBATCH") || strings.Contains(script, "\n#SBATCH") {
			return []Warning{{Source: "Script", Description: "#SBATCH lines have no effect here: " +
				"sbatch reads them, Slurm does not; set the fields of JobSpec, or let ParseScript do so"}}
		}
	}
	return nil
}

package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/poll"
)

// lookPauses are those before each look for the job of a lost answer. They add up to lookTime, which is as long as a
// caller should be kept: how long a request can be held up on the way, nobody says.
var lookPauses = []time.Duration{
	0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 30 * time.Second,
}

// lookTime is within which looks begin. Slow ones get less pause, and one that gets no answer ends by itself.
const lookTime = time.Minute

// doublePause is how long after the first find a second job of the same request may show.
const doublePause = 2 * time.Second

// Recover finds the job that a submit with an unknown outcome has made, whatever has become of it since: token is
// that of the [*UncertainError], or the job's [JobSpec].SubmitToken. It reads the queue once, and the accounting for
// jobs that have left it. Of two jobs, which something on the way has made of one request, it cancels one, as
// [Client.Submit] does, and says so to [OnWarning].
//
// The job was found exactly if the id is not empty, even beside an error: that matches [ErrPartial], and says that the
// other job could not be cancelled.
//
// If there is no trace of a job, the error matches [ErrNotFound]. That is no proof that none will come: a request that
// was cut can still be on its way. Nobody says for how long the platform holds one; ten minutes after the submit failed
// it has become very unlikely. If Slurm has refused the job, and kept a record of that, the error matches [ErrInvalid].
// If one of the two places cannot be read, and the other does not know the job, the error is that of the reading.
//
// The accounting is searched from the time on that a token of [NewSubmitToken] holds, as all that Submit makes do, so
// that an old one makes a large read, in parts where one answer is too small for it. For others it is 24 hours, and a job
// that ended before is not found.
func (c *Client) Recover(ctx context.Context, token string) (JobID, error) {
	const op = "recover job"
	ch := &checker{}
	if ch.checkToken("token", token); token == "" {
		ch.add("token", "empty: the job of this submit carries none; look for it by name with List and ListHistory")
	}
	if err := ch.err(op); err != nil {
		return "", err
	}
	t, err := c.look(ctx, token)
	switch {
	case len(t.jobs) > 0:
		kept := &Submission{}
		err := c.keepOne(ctx, op, t, kept)
		c.warn(kept.Warnings)
		return kept.JobID, err
	case t.refused > 0:
		return "", &traceError{op: op, token: token, kind: ErrInvalid,
			text: "Slurm refused the job, and keeps a record of that which is no job"}
	case err != nil:
		return "", &traceError{op: op, token: token, kind: err, text: causeOf(err)}
	}
	return "", &traceError{op: op, token: token, kind: ErrNotFound,
		text: "neither the queue nor the accounting has a job with it, which does not prove that none will come"}
}

// traceError says why a token has not led to a job.
type traceError struct {
	op, token, text string
	kind            error
}

func (e *traceError) Error() string {
	return foreign.Printable(fmt.Sprintf("slurm: %s with submit token %s: %s", e.op, e.token, e.text))
}

func (e *traceError) Unwrap() error { return e.kind }

// causeOf is what an error says, for use inside of another one of this package.
func causeOf(err error) string { return foreign.OneLine(strings.TrimPrefix(err.Error(), "slurm: ")) }

// await looks until there is a job, or another record of a refusal than those known before. Without a trace neither has come
// in time, and the error, if there is one, is why they could not be seen.
func (c *Client) await(ctx context.Context, token string, refused int) (t *tokenTrace, failure error) {
	start := time.Now()
	for _, pause := range lookPauses {
		left := lookTime - time.Since(start)
		if left < 0 || !waited(ctx, min(pause, left)) {
			break
		}
		t, err := c.lookBriefly(ctx, token)
		if len(t.jobs) > 0 || t.refused > refused {
			return t, nil
		}
		if !poll.CutOff(ctx, err) {
			failure = err // what could not be read this time may be the next
		}
	}
	if failure != nil {
		failure = fmt.Errorf("the last look for the job failed: %w", failure)
	}
	switch {
	case ctx.Err() == nil:
		return nil, failure
	case failure == nil:
		return nil, fmt.Errorf("the search for the job ended early: %w", endOf(ctx))
	}
	return nil, fmt.Errorf("%w; the search for it ended early: %w", failure, endOf(ctx))
}

// lookBriefly is look within the limit of the reads of a wait: what has broken an answer off may keep the next one back.
func (c *Client) lookBriefly(ctx context.Context, token string) (*tokenTrace, error) {
	ctx, cancel := poll.ReadContext(ctx)
	defer cancel()
	return c.look(ctx, token)
}

// contextEnd is why a context ended: the cause that the caller gave it, and its own error.
type contextEnd struct{ cause, ctx error }

func endOf(ctx context.Context) error { return &contextEnd{context.Cause(ctx), ctx.Err()} }

// Error has the context's own error only where the cause does not say it.
func (e *contextEnd) Error() string {
	text := foreign.OneLine(e.cause.Error())
	if !strings.Contains(text, e.ctx.Error()) {
		text += " (" + e.ctx.Error() + ")"
	}
	return text
}

func (e *contextEnd) Unwrap() []error { return []error{e.cause, e.ctx} }

// waited waits, and reports whether ctx has outlasted it.
func waited(ctx context.Context, d time.Duration) bool {
	poll.Sleep(ctx, d)
	return ctx.Err() == nil
}

// submittedBefore looks for the job of a token that a caller brings. Unless both places can be read, or there is one,
// nothing may be sent.
func (c *Client) submittedBefore(ctx context.Context, s *submit) (*tokenTrace, error) {
	t, err := c.look(ctx, s.token)
	if err != nil && len(t.jobs) == 0 {
		return t, &traceError{op: s.op, token: s.token, kind: err,
			text: "nothing was sent, since it cannot be told whether there is such a job already: " + causeOf(err)}
	}
	return t, nil
}

// adopt makes a submission of what was found: after the answer was lost, or, without lost, before anything was sent.
func (c *Client) adopt(ctx context.Context, s *submit, t *tokenTrace, lost *UncertainError) (*Submission, error) {
	note := "a job with this token had been submitted before; nothing was sent"
	if lost != nil {
		note = "the job was found by its token, since the answer to the submit was lost: " + causeOf(lost.Err)
	}
	submission := &Submission{Warnings: []Warning{{Source: "SubmitToken", Description: note}}}
	err := c.keepOne(ctx, s.op, t, submission)
	if lost != nil && waited(ctx, doublePause) {
		if later, _ := c.lookBriefly(ctx, s.token); len(later.jobs) > 0 {
			err = c.keepOne(ctx, s.op, later, submission)
		}
	}
	submission.Warnings = append(submission.Warnings, localWarnings(s.specs)...)
	c.warn(submission.Warnings)
	return submission, err
}

// keepOne enters the job of a token into the submission, and cancels what else there is with the same one.
func (c *Client) keepOne(ctx context.Context, op string, t *tokenTrace, submission *Submission) (err error) {
	submission.JobID = t.jobs[0].id
	for _, double := range t.jobs[1:] {
		if double.cancelled {
			continue
		}
		outcome := "had ended before it could be cancelled"
		if double.open {
			outcome = "was cancelled"
			if failure := c.Cancel(ctx, double.id); failure != nil && !errors.Is(failure, ErrNotFound) {
				outcome = "could not be cancelled: " + causeOf(failure)
				err = &Error{Op: op, JobID: submission.JobID, Partial: true,
					Text: fmt.Sprintf("job %s is a second one of the same request, and %s", double.id, outcome)}
			}
		}
		w := Warning{Source: "SubmitToken",
			Description: fmt.Sprintf("job %s is a second one of the same request, and %s", double.id, outcome)}
		if !slices.Contains(submission.Warnings, w) {
			submission.Warnings = append(submission.Warnings, w)
		}
	}
	return err
}

package slurm

import (
	"context"
	"errors"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// JobUpdate says what to change about a job. The zero value of a field leaves it as it is. Units and rounding are
// those of [JobSpec].
//
// While a job is pending everything here can be changed. Of a running job, Slurm lets its owner lower the time limit
// but not raise it, and change little else: name, comment, and what matters for a requeue.
type JobUpdate struct {
	Name          string
	Comment       string
	Partition     string
	Account       string
	QOS           string
	Reservation   string
	Constraints   string
	Licenses      string
	Dependency    string
	TimeLimit     time.Duration
	TimeMinimum   time.Duration
	Begin         time.Time
	Deadline      time.Time
	MinNodes      int
	MaxNodes      int
	TRESPerNode   string
	Requeue       *bool
	Nice          int
	Priority      int64
	MailTypes     []MailType
	MailUser      string
	ExcludedNodes []string

	// Extra holds further members of Slurm's job description by name, as in [JobSpec]. It also serves to empty a
	// field: {"dependency": ""}. The job's submit token is in mcs_label, or in extra: see JobSpec.SubmitToken. It is lost
	// to [Client.Recover] where that member is written anew.
	Extra map[string]any
}

// Update changes a job. There is no update, and no other request of Slurm's REST API, that requeues, suspends or resumes
// a job, and the flag FEDERATION_REQUEUE of a cancel only cancels. What there is instead:
//   - A script can put its own job back into the queue, by "scontrol requeue $SLURM_JOB_ID", in a trap of the signal
//     that [Client.Signal] sends it, for instance. [JobSpec].Requeue allows it.
//   - [Client.Signal] with STOP and CONT halts the processes of a running job, which keeps its nodes meanwhile, and its
//     time runs on.
//   - A job that has ended is submitted once more; of an array, [ArrayOf] names the tasks to run again.
//
// The id of an array changes all its tasks that have not ended; that of a task which has not
// started yet is refused, since Slurm changes such tasks only together.
//
// An update is not repeated unless it surely was not sent; doing the same once more is harmless.
func (c *Client) Update(ctx context.Context, id JobID, update *JobUpdate) error {
	if update == nil {
		return errors.New("slurm: update job: no JobUpdate")
	}
	body, err := update.body()
	if err != nil {
		return err
	}
	return c.update(ctx, "update job", id, body)
}

// Hold keeps a pending job from starting until [Client.Release]. A running job goes on running, but is held should
// it be requeued; its record then shows Hold, the reason "JobHeldUser" and no EligibleTime beside [StateRunning].
func (c *Client) Hold(ctx context.Context, id JobID) error {
	return c.update(ctx, "hold job", id, []byte(`{"hold":true}`))
}

// Release lets a held job start, be it held by [Client.Hold] or by [JobSpec].Hold. A job that an administrator holds
// stays so.
func (c *Client) Release(ctx context.Context, id JobID) error {
	return c.update(ctx, "release job", id, []byte(`{"hold":false}`))
}

// spec is the update as the part of a JobSpec that it is: the checks and the wire form are the same.
func (u *JobUpdate) spec() *JobSpec {
	return &JobSpec{
		Name: u.Name, Comment: u.Comment, Partition: u.Partition, Account: u.Account, QOS: u.QOS,
		Reservation: u.Reservation, Constraints: u.Constraints, Licenses: u.Licenses, Dependency: u.Dependency,
		TimeLimit: u.TimeLimit, TimeMinimum: u.TimeMinimum, Begin: u.Begin, Deadline: u.Deadline,
		MinNodes: u.MinNodes, MaxNodes: u.MaxNodes, TRESPerNode: u.TRESPerNode, Requeue: u.Requeue,
		Nice: u.Nice, Priority: u.Priority, MailTypes: u.MailTypes, MailUser: u.MailUser,
		ExcludedNodes: u.ExcludedNodes, Extra: u.Extra,
	}
}

// body is the description of what is to change.
func (u *JobUpdate) body() ([]byte, error) {
	spec := u.spec()
	c := &checker{}
	spec.checkChanges(c)
	spec.checkExtra(c, appendChanges)
	body := appendChanges(nil, spec, nil)
	if len(body) == len(`{}`) && len(u.Extra) == 0 {
		c.add("JobUpdate", "changes nothing: Slurm would report success all the same")
	}
	if err := c.err("update job"); err != nil || len(u.Extra) == 0 {
		return body, err
	}
	more, err := extraMembers(u.Extra)
	if err != nil {
		return nil, err
	}
	return appendChanges(body[:0], spec, more), nil
}

func (c *Client) update(ctx context.Context, op string, id JobID, body []byte) error {
	id, err := c.updateTarget(ctx, op, id)
	if err != nil {
		return err
	}
	// Unlike a submit, an update takes the bare description: of one inside "job", Slurm ignores everything.
	r, err := c.write(ctx, op+" "+string(id), c.live("job/"+string(id)), body)
	if err != nil {
		return named(err, id)
	}
	c.warn(r.warnings)
	if err := r.err(); err != nil {
		return named(err, id)
	}
	return updateVerdict(r, id)
}

// updateTarget returns the number that Slurm takes for id: here it knows neither "42_3" nor "42+1".
func (c *Client) updateTarget(ctx context.Context, op string, id JobID) (JobID, error) {
	id, err := id.check(op)
	if err != nil {
		return "", err
	}
	if id == id.job() {
		return id, nil
	}
	jobs, err := c.liveJobs(ctx, id)
	if len(jobs) == 0 {
		return "", err
	}
	job := jobs[0]
	if _, task := id.Task(); task && (!job.IsArrayTask || job.RawID == id.Number()) {
		ch := &checker{}
		ch.add("JobID", "Slurm has no number for %s alone, and changes it only together with other tasks: "+
			"name the array, %s", id, id.job())
		return "", ch.err(op)
	}
	return NewJobID(job.RawID), nil
}

// updateVerdict reads results[], which has an entry for each array task, failed ones included, in a successful answer.
func updateVerdict(r *reply, id JobID) error {
	failure := r.failure()
	failure.JobID = id
	eachEntry(r.member("results"), func(entry []byte) {
		code, err := readNumber(jsonx.Member(entry, "error_code"))
		if err == nil && code.value == 0 {
			return
		}
		failure.Problems = append(failure.Problems, Problem{
			Number: int(code.value), Message: displayText(jsonx.Member(entry, "error")), Source: "results",
			Description: "job " + displayText(jsonx.Member(entry, "step_id")) + ": " + displayText(jsonx.Member(entry, "why")),
		})
	})
	if len(failure.Problems) == 0 {
		return nil
	}
	return failure
}

package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

const (
	gone    = `{"jobs":[],"errors":[{"error_number":2017,"error":"Invalid job id specified"}],"warnings":[]}`
	nothing = `{"jobs":[],"errors":[],"warnings":[{"description":"slurmdb_jobs_get(0x7fcd6802ffd0) found nothing"}]}`
)

// story is a Caller that answers from two scripts, one for the queue and one for the accounting, an answer per read
// and the last one for ever. An answer is a list of states for job 42, or JSON with its status in front.
type story struct {
	queue, accounting []string
	reads             [2]int
}

func (s *story) CallSlurm(_ context.Context, _ string, req *cluster.SlurmRequest, _ ...gax.CallOption) (*cluster.SlurmResponse, error) {
	script, which, record := s.queue, 0, `{"jobs":[{"job_id":42,"job_state":%s,"requeue":%v,"submit_time":{"set":true,"number":1000000}}],"errors":[]}`
	if strings.HasPrefix(req.Path, "/slurmdb/") {
		script, which, record = s.accounting, 1, `{"jobs":[{"job_id":42,"state":{"current":%s},"time":{"submission":1000000},"ignored":%v}],"errors":[]}`
	}
	text := script[min(s.reads[which], len(script)-1)]
	s.reads[which]++
	resp := &cluster.SlurmResponse{Status: 200}
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		_, err := fmt.Sscan(rest[:3], &resp.Status)
		resp.Body = []byte(rest[3:])
		return resp, err
	}
	states, fixed := strings.CutSuffix(text, " fixed")
	resp.Body = fmt.Appendf(nil, record, `["`+strings.ReplaceAll(states, " ", `","`)+`"]`, !fixed)
	return resp, nil
}

func TestWaitStories(t *testing.T) {
	tests := []struct {
		why               string
		queue, accounting []string
		state             slurm.State // of the record in the end
		is                error       // nil for success
		atLeast           int         // reads of the queue
	}{
		{"COMPLETING is not the end", []string{"RUNNING", "COMPLETED COMPLETING", "COMPLETED COMPLETING", "COMPLETED"}, nil, "COMPLETED", nil, 4},
		{"FAILED+COMPLETING likewise", []string{"FAILED COMPLETING", "FAILED"}, nil, "FAILED", errFailed, 2},
		{"preempted and back", []string{"RUNNING", "PREEMPTED", "PENDING", "RUNNING", "COMPLETED"}, nil, "COMPLETED", nil, 5},
		{"preempted for good, then gone", []string{"PREEMPTED", "PREEMPTED", "!404" + gone}, []string{"PREEMPTED"}, "PREEMPTED", errFailed, 3},
		{"preempted, not to be requeued", []string{"PREEMPTED fixed"}, nil, "PREEMPTED", errFailed, 1},
		{"a node failed", []string{"NODE_FAIL", "PENDING REQUEUED", "RUNNING", "COMPLETED"}, nil, "COMPLETED", nil, 4},
		{"a requeue flag on an ended job", []string{"FAILED REQUEUED", "PENDING", "COMPLETED"}, nil, "COMPLETED", nil, 3},
		{"a special exit that stays", []string{"FAILED SPECIAL_EXIT"}, nil, "FAILED", errFailed, 3},
		{"RUNNING may become PENDING", []string{"RUNNING", "PENDING", "RUNNING", "COMPLETED"}, nil, "COMPLETED", nil, 4},
		{"unknown states are waited through", []string{"QUANTUM_WAIT", "STAGE_OUT", "RUNNING QUANTUM_WAIT", "COMPLETED"}, nil, "COMPLETED", nil, 4},
		{"no state at all", []string{"", "COMPLETED"}, nil, "COMPLETED", nil, 2},
		{"one empty answer during a restart", []string{"RUNNING", `!200{"jobs":[],"errors":[]}`, "RUNNING", "COMPLETED"}, []string{"RUNNING"}, "COMPLETED", nil, 4},
		{"one 404, with an accounting that knows nothing yet", []string{"RUNNING", "!404" + gone, "COMPLETED"}, []string{"!200" + nothing}, "COMPLETED", nil, 3},
		{"cut answers", []string{`!200{"jobs":[`, "!200", "!502<html>", "COMPLETED"}, nil, "COMPLETED", nil, 4},
		{"the failures of a controller that is down", []string{`!500{"jobs":[],"errors":[{"error_number":-1,"error":"Unspecified error"}]}`,
			`!502{"errors":[{"error_number":1800}]}`, "COMPLETED"}, nil, "COMPLETED", nil, 3},
		{"a good record beside a failure", []string{`!500{"jobs":[{"job_id":42,"job_state":["COMPLETED"]}],"errors":[{"error_number":9207}]}`}, nil, "COMPLETED", nil, 1},
		{"gone while running, unknown to all", []string{"RUNNING", "!404" + gone}, []string{"!200" + nothing}, "RUNNING", slurm.ErrJobLost, 4},
		{"gone, and the accounting runs it for ever", []string{"RUNNING", "!404" + gone}, []string{"RUNNING"}, "RUNNING", slurm.ErrJobLost, 10},
		{"gone, and the accounting is switched off", []string{"RUNNING", "!404" + gone},
			[]string{"!404Unable find requested URL. Please view /openapi/v3 for API reference."}, "RUNNING", slurm.ErrJobLost, 4},
		{"ended, and the accounting is switched off", []string{"RUNNING", "COMPLETED"}, nil, "COMPLETED", nil, 2},
		{"an old record with a recycled number", []string{"RUNNING", "!404" + gone},
			[]string{`!200{"jobs":[{"job_id":42,"state":{"current":["COMPLETED"]},"time":{"submission":5000}}]}`, "FAILED"}, "FAILED", errFailed, 3},
		{"one answer of an accounting that knows nothing, after minutes in which it took the job for unfinished",
			[]string{"RUNNING", "!404" + gone},
			[]string{"RUNNING", "RUNNING", "RUNNING", "RUNNING", "RUNNING", "RUNNING", "!200" + nothing, "RUNNING", "COMPLETED"}, "COMPLETED", nil, 9},
		{"preempted, and nothing says whether it may be requeued",
			[]string{`!200{"jobs":[{"job_id":42,"job_state":["PREEMPTED"]}]}`, "PENDING", "COMPLETED"}, nil, "COMPLETED", nil, 3},
		{"preempted, with a null for whether it may be requeued",
			[]string{`!200{"jobs":[{"job_id":42,"job_state":["PREEMPTED"],"requeue":null}]}`, "PENDING", "COMPLETED"}, nil, "COMPLETED", nil, 3},
		{"a federation's sibling runs it: no end, and above all no success",
			[]string{"PENDING REVOKED", "PENDING REVOKED", "FAILED REVOKED"}, nil, "FAILED", errFailed, 3},
		{"the record is none: no proof that the job is gone", []string{`!200{"jobs":["x"]}`, `!200{"jobs":[null]}`, "COMPLETED"}, nil, "COMPLETED", nil, 3},
		{"of several runs the last one counts", []string{"!404" + gone},
			[]string{`!200{"jobs":[{"job_id":42,"state":{"current":["NODE_FAIL"]},"time":{"submission":5000}},{"job_id":42,"state":{"current":["COMPLETED"]},"time":{"submission":6000}}]}`},
			"COMPLETED", nil, 1},
		{"a task that nobody saw in the queue, and that failed",
			[]string{
				`!200{"jobs":[{"job_id":42,"job_state":["PENDING"],"array_job_id":42,"array_task_string":"0-1"}]}`,
				`!200{"jobs":[{"job_id":42,"job_state":["COMPLETED"],"array_job_id":42,"array_task_id":{"set":true,"number":1}}]}`,
			},
			[]string{`!200{"jobs":[{"job_id":43,"state":{"current":["FAILED"]},"array":{"job_id":42,"task_id":{"set":true,"number":0}}},` +
				`{"job_id":42,"state":{"current":["COMPLETED"]},"array":{"job_id":42,"task_id":{"set":true,"number":1}}}]}`},
			"FAILED", errFailed, 2},
		{"the accounting fails once, and an hour later once more", slices.Concat([]string{"!404" + gone}, slices.Repeat([]string{"RUNNING"}, 100), []string{"!404" + gone}),
			[]string{`!502{"errors":[{"error_number":1800}]}`, `!502{"errors":[{"error_number":1800}]}`, "COMPLETED"}, "COMPLETED", nil, 103},
		{"a wrong version", []string{"!404Unable find requested URL. Please view /openapi/v3 for API reference."}, nil, "", slurm.ErrUnknownPath, 1},
		{"not allowed", []string{`!511{"errors":[{"error_number":1007}]}`}, nil, "", slurm.ErrPermission, 1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &story{queue: tt.queue, accounting: tt.accounting}
				c, err := slurm.NewClient(s, clusterName)
				if err != nil {
					t.Fatal(err)
				}
				job, err := c.Wait(t.Context(), "42")
				state := slurm.State("")
				if job != nil {
					state = job.State
				}
				if state != tt.state {
					t.Errorf("got %v, %v; want %s", job, err, tt.state)
				}
				var failure *slurm.JobError
				if failed := errors.As(err, &failure); failed != (tt.is == errFailed) || !failed && !errors.Is(err, tt.is) {
					t.Errorf("got %v, want %v", err, tt.is)
				}
				if s.reads[0] < tt.atLeast || tt.accounting == nil && s.reads[1] > 0 {
					t.Errorf("%d reads of the queue and %d of the accounting", s.reads[0], s.reads[1])
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("%q has several lines", err)
				}
			})
		})
	}
}

// errFailed stands for a *JobError in the table.
var errFailed = errors.New("the job failed")

func TestWaitLostText(t *testing.T) {
	for _, tt := range []struct{ accounting, want string }{
		{"!200" + nothing, "slurm: wait for job 42: job lost: neither the queue nor the accounting knows it for "},
		{"RUNNING", "slurm: wait for job 42: job lost: it has left the queue, and the accounting takes it for unfinished for "},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := slurm.NewClient(&story{queue: []string{"RUNNING", "!404" + gone}, accounting: []string{tt.accounting}}, clusterName)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Wait(t.Context(), "42")
			if !strings.HasPrefix(err.Error(), tt.want) || !strings.HasSuffix(err.Error(), "; last seen RUNNING") || errors.Is(err, slurm.ErrNotFound) {
				t.Errorf("got %v", err)
			}
			var watching *lro.WaitError
			if errors.As(err, &watching) {
				t.Error("nothing is left to wait for")
			}
		})
	}
}

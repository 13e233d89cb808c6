package slurm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/endings"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestEndingsOfSubmit are those of the minute in which it looks for the job of a lost answer. Each look reads the queue and the
// accounting, and the first two are a second apart.
func TestEndingsOfSubmit(t *testing.T) {
	endings.Run(t, []endings.Wait{
		{Name: "Submit", InTurn: true, Unhurried: true, Reads: 2, Pause: time.Second, Begin: func(t *testing.T, line *endings.Line) endings.Work {
			b := newBed(t)
			hc := b.platform.HTTPClient()
			looks := line.Over(hc)
			c, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", option.WithHTTPClient(&http.Client{
				Transport: apart{hc.Transport, looks.Transport},
			}))
			if err != nil {
				t.Fatal(err)
			}
			if b.Client, err = slurm.NewClient(c, "training"); err != nil {
				t.Fatal(err)
			}
			b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropBefore, Times: -1}))
			end := &submitEnd{t: t, line: line}
			return endings.Work{
				Wait: func(ctx context.Context) error {
					end.ctx, end.early, end.start = ctx, ctx.Err() != nil, time.Now()
					_, err := b.Submit(ctx, validSpec())
					return err
				},
				Stopped: end.stopped,
				Pending: []string{"submit job"}, Advice: "submit job",
				Finish: func() {
					b.platform.ClearFaults()
					b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter, Times: -1}))
				},
				Fail: func() { b.srv.SetControllerDown(true) },
			}
		}},
	})
}

// apart lets all but the submits go over the line.
type apart struct{ submits, rest http.RoundTripper }

func (a apart) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	start := make([]byte, 200)
	n, _ := body.Read(start)
	if strings.Contains(string(start[:n]), "/job/submit") {
		return a.submits.RoundTrip(r)
	}
	return a.rest.RoundTrip(r)
}

// submitEnd puts the error of a submit into the words of the table.
type submitEnd struct {
	t     *testing.T
	line  *endings.Line
	ctx   context.Context
	early bool // nothing may have been sent
	start time.Time
}

func (e *submitEnd) stopped(err error) (*lro.WaitError, bool) {
	if err == nil {
		return nil, false
	}
	words := ": outcome unknown, the job may have been accepted, or may yet be: Recover finds it by the submit token "
	if e.early {
		words = ": nothing was sent: "
	}
	if errors.Is(err, slurm.ErrUncertain) == e.early || !strings.Contains(err.Error(), words) {
		e.t.Errorf("the text lacks %q: %v", words, err)
	}
	end := &lro.WaitError{
		Pending: []string{"submit job"}, Polls: (e.line.Reads() + 1) / 2, Elapsed: time.Since(e.start), Ctx: e.ctx.Err(), Cause: context.Cause(e.ctx),
	}
	if look, ok := errors.AsType[*slurm.Error](err); ok { // the failure of the submit itself is another
		end.Last = look
	}
	return end, true
}

// TestSubmitIsNotKeptBySilence: where no look is answered, as after the network has gone, the caller is told within minutes.
func TestSubmitIsNotKeptBySilence(t *testing.T) {
	for _, silent := range []int{-1, 1} { // all reads, and the first
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t)
			b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropAfter}),
				onReads(clustertest.Fault{Kind: clustertest.FaultDelay, Delay: 1000 * time.Hour, Times: silent}))
			start := time.Now()
			id, err := b.Submit(t.Context(), validSpec())
			if took := time.Since(start); took > 3*time.Minute {
				t.Errorf("took %v", took)
			}
			if silent > 0 && (id == "" || err != nil) || silent < 0 && (!errors.Is(err, slurm.ErrUncertain) || !strings.Contains(err.Error(), "no answer within 1m0s")) {
				t.Errorf("%s, %v", id, err)
			}
		})
	}
}

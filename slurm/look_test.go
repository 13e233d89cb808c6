package slurm_test

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

// TestLookReadsACutListAgain: one broken connection must not keep a job from being submitted or found.
func TestLookReadsACutListAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		for range 50 { // more than comes at once
			b.submit(t, "sleep 600")
		}
		spec := validSpec()
		spec.SubmitToken, spec.Hold = slurm.NewSubmitToken(), true
		cut := clustertest.Fault{Kind: clustertest.FaultCut, When: func(r clustertest.Request) bool {
			return strings.Contains(string(r.Body), "/slurm/v0.0.42/jobs/")
		}}
		b.platform.Inject(cut)
		id, err := b.Submit(t.Context(), spec)
		if id != "51" || err != nil {
			t.Fatalf("Submit: %q, %v", id, err)
		}
		b.platform.Inject(cut)
		if got, err := b.Recover(t.Context(), spec.SubmitToken); got != id || err != nil {
			t.Errorf("Recover: %q, %v", got, err)
		}
		cut.Times = -1
		b.platform.Inject(cut)
		spec.SubmitToken = slurm.NewSubmitToken()
		if id, err := b.Submit(t.Context(), spec); id != "" || err == nil || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("with lists that always break off: %q, %v", id, err)
		}
	})
}

// TestRecoverFromALongHistory: what is too much for one answer is read in parts.
func TestRecoverFromALongHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		g := b.gated(t)
		g.stop = func(path string) (*cluster.SlurmResponse, error) {
			_, query, _ := strings.Cut(path, "?")
			values, err := url.ParseQuery(query)
			if err != nil || !strings.HasPrefix(path, "/slurmdb/") {
				return nil, err
			}
			at := func(name string) int64 {
				n, err := strconv.ParseInt(strings.TrimPrefix(values.Get(name), "uts"), 10, 64)
				if err != nil {
					t.Error(err)
				}
				return n
			}
			if at("end_time")-at("start_time") > 25*3600 {
				return nil, &cluster.Error{Code: codes.ResourceExhausted, Message: "reply too large"}
			}
			return nil, nil
		}
		spec := validSpec()
		spec.SubmitToken = slurm.NewSubmitToken()
		id, err := b.Submit(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * 24 * time.Hour)
		if got, err := b.Recover(t.Context(), spec.SubmitToken); got != id || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// TestRecoverGoesByTheLastRun: a job that was requeued and then cancelled is cancelled, and the other one is what is left.
func TestRecoverGoesByTheLastRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.platform.Inject(onSubmit(clustertest.Fault{Kind: clustertest.FaultDropTwice}),
			onReads(clustertest.Fault{Kind: clustertest.FaultDropBefore, Times: 5}))
		spec := validSpec()
		spec.Script = "#!/bin/sh\nsleep 100h\n"
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := b.Submit(ctx, spec)
		lost, ok := errors.AsType[*slurm.UncertainError](err)
		if !ok || b.open() != 2 {
			t.Fatalf("got %v, %d jobs", err, b.open())
		}
		b.platform.ClearFaults()
		time.Sleep(time.Minute)
		first, err := b.Get(t.Context(), "1")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.srv.FailNode(first.BatchHost); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		if err := b.Cancel(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // from the queue, and from the accounting
			if id, err := b.Recover(t.Context(), lost.Token); id != "2" || err != nil || b.open() != 1 {
				t.Errorf("got %q, %v, %d jobs", id, err, b.open())
			}
			time.Sleep(time.Hour)
		}
	})
}

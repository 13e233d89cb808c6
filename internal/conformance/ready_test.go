package conformance

import (
	"context"
	"errors"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/slurm"
)

func readyCases() []testCase {
	return []testCase{
		{name: "ready/up", test: readyUp},
		{name: "ready/goes down and comes back", test: readyAgain, alone: true},
	}
}

func readyUp(b *bed) {
	b.must("WaitReady", b.alice.WaitReady(b.ctx, slurm.SettleFor(2*time.Second)))
}

// gate is a Caller whose calls wait until they are let through, so that a case knows what happens between them.
type gate struct {
	slurm.Caller
	open     chan struct{} // takes one value for each call; closed, it lets all through
	answered chan struct{} // gives one for each
}

func (g gate) CallSlurm(
	ctx context.Context, name string, req *cluster.SlurmRequest, opts ...gax.CallOption,
) (*cluster.SlurmResponse, error) {
	select {
	case <-g.open:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	resp, err := g.Caller.CallSlurm(ctx, name, req, opts...)
	g.answered <- struct{}{}
	return resp, err
}

// ping lets one call through.
func (g gate) ping(b *bed) {
	b.t.Helper()
	g.open <- struct{}{}
	select {
	case <-g.answered:
	case <-b.ctx.Done():
		b.t.Fatal("the wait does not ping")
	}
}

// readyAgain: the controller answers first, as it does after an update that has not reached it yet, then goes down, and
// comes back. A wait that gives up meanwhile says what is wrong, and the other one goes on.
func readyAgain(b *bed) {
	g := gate{Caller: b.caller("alice"), open: make(chan struct{}, 1), answered: make(chan struct{}, 1000)}
	gated, err := slurm.NewClient(g, "training")
	b.must("NewClient", err)
	end := make(chan error, 1)
	go func() { end <- gated.WaitReady(b.ctx, slurm.SettleFor(time.Second)) }()
	g.ping(b) // is answered
	b.stop(controller)
	g.ping(b) // is not
	// A real ping takes some ten seconds to fail.
	err = b.alice.WaitReady(b.ctx, slurm.SettleFor(time.Second), slurm.GiveUpAfter(30*time.Second))
	silent, ok := errors.AsType[*slurm.ReadyError](err)
	if !ok || !errors.Is(err, slurm.ErrUnavailable) || silent.Silence < 20*time.Second || silent.Ctx != nil {
		b.t.Errorf("WaitReady while the controller is down: %v", err)
	}
	select {
	case err := <-end:
		b.t.Fatalf("the wait has ended while the controller is down: %v", err)
	default:
	}
	b.start(controller)
	close(g.open)
	b.must("WaitReady", <-end)
}

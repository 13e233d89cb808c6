package slurm_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// retries is how many a client makes of failed calls before it needs successes to make more.
const retries = 100

// outageWaits are the waits that go through an outage, each with how it is begun.
var outageWaits = map[string]func(*testing.T, *cluster.Client, *slurm.Client) func(context.Context, ...lro.WaitOption) error{
	"operation": func(t *testing.T, platform *cluster.Client, _ *slurm.Client) func(context.Context, ...lro.WaitOption) error {
		op, err := platform.DeleteCluster(t.Context(), "training")
		if err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context, opts ...lro.WaitOption) error {
			return platform.Operation(op.Name()).Wait(ctx, opts...)
		}
	},
	"jobs": func(t *testing.T, _ *cluster.Client, c *slurm.Client) func(context.Context, ...lro.WaitOption) error {
		var ids []slurm.JobID
		for n := range sharers {
			id, err := c.Submit(t.Context(), &slurm.JobSpec{Name: fmt.Sprint(n), Script: "#!/bin/sh\ntrue\n", WorkingDirectory: "/x"})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return func(ctx context.Context, opts ...lro.WaitOption) error {
			_, err := c.WaitAll(ctx, ids, opts...)
			return err
		}
	},
}

// TestOutageOfWaits: while nothing works, a read of a wait stays one request, whatever ways there are to read. The client's
// retries come to it, and those are few: without a success there are no more.
func TestOutageOfWaits(t *testing.T) {
	for kind, begin := range outageWaits {
		for name, fault := range map[string]clustertest.Fault{
			"503": {}, "500": {Status: "INTERNAL"}, "a page": {Kind: clustertest.FaultReply}, "dropped": {Kind: clustertest.FaultDropBefore},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { outageOfWaits(t, begin, fault) })
			})
		}
	}
}

func outageOfWaits(t *testing.T, begin func(*testing.T, *cluster.Client, *slurm.Client) func(context.Context, ...lro.WaitOption) error, fault clustertest.Fault) {
	service := clustertest.NewServer(clustertest.WithSlurm(slurmtest.NewServer(slurmtest.WithRunTime(24*time.Hour))), clustertest.WithOperationTime(24*time.Hour))
	if err := service.AddCluster("training", nil); err != nil {
		t.Fatal(err)
	}
	platform, err := cluster.NewClient(t.Context(), "projects/my-project/locations/us-central1", service.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := slurm.NewClient(platform, "training")
	if err != nil {
		t.Fatal(err)
	}
	wait := begin(t, platform, c)
	ctx, cancel := context.WithCancel(t.Context())
	var reads atomic.Int64
	var group sync.WaitGroup
	group.Go(func() {
		_ = wait(ctx, lro.WithTolerance(24*time.Hour), slurm.OnTally(func(slurm.Tally) { reads.Add(1) }))
	})
	time.Sleep(2 * time.Minute)
	fault.Times = -1
	service.Inject(fault)
	during := func(span time.Duration) (made, sent int) {
		before, requests := int(reads.Load()), len(service.Requests())
		time.Sleep(span)
		return int(reads.Load()) - before, len(service.Requests()) - requests
	}
	made, sent := during(time.Hour)
	if made < 60 || float64(sent) > 1.1*float64(made)+retries {
		t.Errorf("in the first hour %d requests for %d reads", sent, made)
	}
	made, sent = during(4 * time.Hour)
	if made < 240 || float64(sent) > 1.1*float64(made) {
		t.Errorf("later %d requests for %d reads", sent, made)
	}
	cancel()
	group.Wait()
}

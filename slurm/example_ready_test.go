package slurm_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

func ExampleClient_WaitReady() {
	ctx := context.Background()
	client := openTraining(ctx)

	// Without the option it takes 20 seconds: what an update did shows that late. Examples have no time for that.
	err := client.WaitReady(ctx, slurm.SettleFor(0))
	var silent *slurm.ReadyError
	if errors.As(err, &silent) {
		log.Fatal("look at the last change of the settings: ", silent)
	}
	fmt.Println(err)
	// Output: <nil>
}

// After an update that touches Slurm, wait for its controller too.
func ExampleClient_UntilReady() {
	ctx := context.Background()
	service := clustertest.NewServer(clustertest.WithOperationTime(0), clustertest.WithSlurm(slurmtest.NewServer()))
	if err := service.AddCluster("training", nil); err != nil {
		log.Fatal(err)
	}
	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", service.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	s, err := slurm.NewClient(c, "training")
	if err != nil {
		log.Fatal(err)
	}

	m, err := c.GetCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	m.Slurm().Config = cluster.SlurmConfig{"MaxJobCount": "20000"}
	op, err := c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathConfig}, cluster.UpdateModeUserOnly)
	if err != nil {
		log.Fatal(err)
	}
	ready := s.UntilReady(slurm.SettleFor(0)) // leave the option out, as in the example of WaitReady
	fmt.Println(op.Wait(ctx, ready))
	// Output: <nil>
}

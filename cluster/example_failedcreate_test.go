package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/lro"
)

// A creation can fail after it was accepted. What it leaves behind holds the id, and goes before the next attempt.
func ExampleClient_DeleteFailedCluster() {
	ctx := context.Background()
	srv := clustertest.NewServer(clustertest.WithOperationTime(0))
	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		log.Fatal(err)
	}
	srv.FailNextOperation(clustertest.VerbCreate, "RESOURCE_EXHAUSTED", "no capacity in us-central1-a")

	for {
		create, err := c.CreateCluster(ctx, "research", spec)
		if err != nil {
			log.Fatal(err) // also if the id is taken: that cluster may be somebody else's
		}
		err = create.Wait(ctx)
		var failed *lro.OperationError
		if !errors.As(err, &failed) {
			fmt.Println("created:", err)
			return
		}
		fmt.Println("failed:", failed.Message)
		deletion, err := c.DeleteFailedCluster(ctx, "research", create)
		if err != nil {
			log.Fatal(err)
		}
		if err := deletion.Wait(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// failed: no capacity in us-central1-a
	// created: <nil>
}

package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// newClient stands for cluster.NewClient(ctx, "projects/my-project/locations/us-central1"): it makes a client of an
// in-memory service with one cluster, "training".
func newClient(ctx context.Context) *cluster.Client {
	srv := clustertest.NewServer(clustertest.WithOperationTime(0), clustertest.WithSlurm(slurmtest.NewServer()))
	if err := srv.AddCluster("training", nil); err != nil {
		log.Fatal(err)
	}
	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", srv.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

func ExampleClient_CreateCluster() {
	ctx := context.Background()
	c := newClient(ctx)

	spec, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		log.Fatal(err)
	}
	op, err := c.CreateCluster(ctx, "research", spec)
	if err != nil {
		log.Fatal(err)
	}
	if err := op.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	m, err := op.Cluster()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m)
	// Output: cluster research RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
}

func ExampleClient_GetCluster() {
	ctx := context.Background()
	c := newClient(ctx)

	_, err := c.GetCluster(ctx, "trainer")
	if errors.Is(err, cluster.ErrNotFound) {
		fmt.Println("no such cluster")
	}
	m, err := c.GetCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.ID(), m.State())
	// Output:
	// no such cluster
	// training RUNNING
}

func ExampleClient_ListClusters() {
	ctx := context.Background()
	c := newClient(ctx)

	for m, err := range c.ListClusters(ctx, nil).All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID())
	}
	// Output: training
}

// Where ranging over functions is not at hand, as in notebooks, use Next.
func ExampleIterator_Next() {
	ctx := context.Background()
	c := newClient(ctx)

	it := c.ListClusters(ctx, nil)
	for {
		m, err := it.Next()
		if err == cluster.Done {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID())
	}
	// Output: training
}

// To resize a pool read the cluster, change the pool in place and send all pools back: one left out would be
// deleted.
func ExampleClient_UpdateCluster() {
	ctx := context.Background()
	c := newClient(ctx)

	m, err := c.GetCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	m.NodePool("cpu").ScalingSpec.MaxNodeCount = 8
	op, err := c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	if err != nil {
		log.Fatal(err)
	}
	if err := op.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	m, err = c.GetCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.NodePool("cpu"))
	// Output: cpu 2..8 x n2-standard-8
}

// Update requests that would delete something by accident are refused before they are sent.
func ExampleClient_UpdateCluster_refused() {
	ctx := context.Background()
	c := newClient(ctx)

	m := &cluster.ModelDevelopmentCluster{Name: "training"}
	_, err := c.UpdateCluster(ctx, m, cluster.FieldMask{cluster.PathNodePools}, cluster.UpdateModeUserOnly)
	var e *cluster.Error
	if errors.As(err, &e) {
		fmt.Println(e.Message)
	}
	// Output: the update mask names node_pools, but the cluster has nothing there, and the service would clear the field; set it, or use cluster.Clear("node_pools") if that is what you want
}

func ExampleClient_DeleteCluster() {
	ctx := context.Background()
	c := newClient(ctx)

	op, err := c.DeleteCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	if err := op.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = c.GetCluster(ctx, "training")
	fmt.Println(errors.Is(err, cluster.ErrNotFound))
	// Output: true
}

func ExampleClient_RefreshCluster() {
	ctx := context.Background()
	c := newClient(ctx)

	// This may replace nodes: see UpdateModeUserAndService.
	op, err := c.RefreshCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(op.Wait(ctx))
	// Output: <nil>
}

func ExampleClient_ReportFaultyNodes() {
	ctx := context.Background()
	c := newClient(ctx)

	op, err := c.ReportFaultyNodes(ctx, "training", &cluster.NodeAction{NodeID: "training-cpu-0"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(op.Wait(ctx))
	// Output: <nil>
}

// An operation is resumed by its name, which can be kept anywhere.
func ExampleClient_Operation() {
	ctx := context.Background()
	c := newClient(ctx)

	started, err := c.DeleteCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	name := started.Name() // keep it in a file or a database

	op := c.Operation(name) // perhaps in another process
	fmt.Println(op.Wait(ctx), op.Done())
	// Output: <nil> true
}

func ExampleClient_CallSlurm() {
	ctx := context.Background()
	c := newClient(ctx)

	resp, err := c.CallSlurm(ctx, "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/job/1234"})
	if err != nil {
		log.Fatal(err) // Slurm was not reached
	}
	fmt.Println(resp.Status) // what Slurm made of it
	// Output: 404
}

// Package slurm does this with lists of jobs; other large answers can be read in the same way.
func ExampleClient_StreamSlurm() {
	ctx := context.Background()
	c := newClient(ctx)

	stream, err := c.StreamSlurm(ctx, "training", &cluster.SlurmRequest{Method: "GET", Path: "/slurm/v0.0.42/nodes/"})
	if err != nil {
		log.Fatal(err) // Slurm was not reached
	}
	defer stream.Close()
	var answer struct {
		Nodes []struct{ Name string }
	}
	if err := json.NewDecoder(stream).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Nodes[0].Name, stream.Status())
	// Output: g1 200
}

func ExampleSlurmConfig_Set() {
	config := cluster.SlurmConfig{"PreemptMode": "REQUEUE"}
	config.Set("preempt_mode", "CANCEL") // the same parameter
	config.Set("MaxJobCount", "10000")
	fmt.Println(config)
	// Output: map[MaxJobCount:10000 PreemptMode:CANCEL]
}

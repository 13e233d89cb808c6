package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// Change the struct that was read; the mask, the mode and the image policy take care of themselves.
func ExampleClient_EditCluster() {
	ctx := context.Background()
	c := newClient(ctx)

	op, err := c.EditCluster(ctx, "training", func(m *cluster.ModelDevelopmentCluster) error {
		m.NodePool("cpu").ScalingSpec.MaxNodeCount = 8
		return nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := op.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(op.Plan())
	// Output:
	// Update of cluster training, USER_ONLY
	// mask: node_pools
	//
	// node_pools: 1 changed, 1 unchanged
	//   ~ cpu
	//       ~ scaling_spec.max_node_count: 2 -> 8
	//
	// Effects:
	//   * pools cpu and login: image kept (no node_image is sent, and USER_ONLY keeps what runs)
	//   * pool cpu: up to 6 nodes more when jobs wait for them (max_node_count rises from 2 to 8)
}

// What costs nodes, sessions or jobs has to be allowed, each kind for itself.
func ExampleClient_EditCluster_destructive() {
	ctx := context.Background()
	c := newClient(ctx)
	removeCPU := func(m *cluster.ModelDevelopmentCluster) error {
		m.NodePools = slices.DeleteFunc(m.NodePools, func(p *cluster.NodePool) bool { return p.ID == "cpu" })
		m.Slurm().Partitions[0].NodePoolIDs = []string{"login"}
		return nil
	}

	_, err := c.EditCluster(ctx, "training", removeCPU, nil)
	var refused *cluster.PlanError
	if errors.As(err, &refused) {
		for _, effect := range refused.Forbidden {
			fmt.Println(effect.Kind, effect.Name)
		}
	}

	op, err := c.EditCluster(ctx, "training", removeCPU, &cluster.EditOptions{
		Allow: []cluster.EffectKind{cluster.EffectPoolRemoval},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(op.Wait(ctx))
	// Output:
	// POOL_REMOVAL cpu
	// <nil>
}

// A plan without the update, for a pull request or for somebody to confirm.
func ExampleClient_PlanEdit() {
	ctx := context.Background()
	c := newClient(ctx)

	plan, err := c.PlanEdit(ctx, "training", func(m *cluster.ModelDevelopmentCluster) error {
		m.NodePool("cpu").StartupScript = "#!/bin/bash\nmodprobe nvidia_peermem\n"
		return nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Destructive())
	fmt.Println(plan.Markdown())
	// Output:
	// true
	// ### Update of cluster `training`, `USER_ONLY`
	//
	// Mask: `node_pools`
	//
	// ```diff
	//   node_pools: 1 changed, 1 unchanged
	//     cpu
	//         startup_script:
	// +           #!/bin/bash
	// +           modprobe nvidia_peermem
	// ```
	//
	// **Effects:**
	//
	// - **destructive** pool cpu: up to 2 nodes drained and recreated (startup\_script changes)
	// - pools cpu and login: image kept (no node\_image is sent, and USER\_ONLY keeps what runs)
}

// Plan an update from a cluster in a file, without a client.
func ExamplePlanUpdate() {
	current, err := cluster.ReadFile("testdata/payloads/response-cluster-get.json")
	if err != nil {
		log.Fatal(err)
	}
	want, err := cluster.ReadFile("testdata/payloads/response-cluster-get.json")
	if err != nil {
		log.Fatal(err)
	}
	want.Labels["env"] = "test"

	plan := cluster.PlanUpdate(current, want, cluster.FieldMask{cluster.PathLabels}, cluster.UpdateModeUserOnly)
	for _, change := range plan.Changes {
		fmt.Printf("%s %s: %s -> %s\n", change.Kind, change.Path, change.Old, change.New)
	}
	fmt.Println(plan.Destructive(), plan.Refused())
	// Output:
	// MODIFY labels.env: "prod" -> "test"
	// false false
}

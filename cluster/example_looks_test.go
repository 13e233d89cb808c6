package cluster_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// In a notebook, a cell that ends with the plan itself shows it as a diff in color.
func ExamplePlan_SimpleRender() {
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
	bundle := plan.SimpleRender()
	fmt.Println(bundle["text/plain"])
	for line := range strings.Lines(bundle["text/html"].(string)) {
		if strings.Contains(line, "env") {
			fmt.Print(line)
		}
	}
	// Output:
	// update of cluster training: 1 change, 0 effects
	// <span style="background:#ffdcd7;color:#86061d">-   env: &#34;prod&#34;</span>
	// <span style="background:#d3f5dc;color:#0b4a1e">+   env: &#34;test&#34;</span>
}

// In a notebook, a cell that ends with the call itself shows the table.
func ExampleIterator_Collect() {
	ctx := context.Background()
	c := newClient(ctx)

	clusters, err := c.ListClusters(ctx, nil).Collect()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(clusters)
	for _, m := range clusters {
		fmt.Println(m)
	}
	// Output:
	// 1 cluster, 1 running
	// cluster training RUNNING: cpu 2 x n2-standard-8, login 1 x n2-standard-8
}

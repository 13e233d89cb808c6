package cluster_test

import (
	"fmt"
	"log"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

func ExampleReadDocument() {
	d, err := cluster.ReadDocument("testdata/cluster.yaml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Cluster)
	for _, w := range d.Warnings() {
		fmt.Printf("%v: %s: %s\n", d.Position(w.Field), w.Field, w.Description)
	}
	// Output:
	// cluster research: cpu 0..8 x n2-standard-8, login 1 x n2-standard-8
	// testdata/cluster.yaml:16:5: node_pools[0].nod_image: unknown; did you mean node_image?
}

func ExampleFormatYAML() {
	m := &cluster.ModelDevelopmentCluster{
		DisplayName: "research",
		NodePools: []*cluster.NodePool{{
			ID:            "cpu",
			ScalingSpec:   &cluster.ScalingSpec{MaxNodeCount: 8},
			StartupScript: "#!/bin/bash\nmkdir -p /data\n",
		}},
	}
	m.Slurm().Config.Set("PriorityWeightAge", "1000")
	text, err := cluster.FormatYAML(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// display_name: research
	// node_pools:
	//   - id: cpu
	//     scaling_spec:
	//       max_node_count: 8
	//     startup_script: |
	//       #!/bin/bash
	//       mkdir -p /data
	// orchestrator_spec:
	//   slurm_spec:
	//     config:
	//       PriorityWeightAge: "1000"
}

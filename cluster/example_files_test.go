package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// A client for a region. Credentials are found by themselves, or given by package auth.
func ExampleNewClient() {
	ctx := context.Background()
	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", auth.WithToken("of-gcloud"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Parent())

	_, err = cluster.NewClient(ctx, "my-project")
	fmt.Println(err)
	// Output:
	// projects/my-project/locations/us-central1
	// cluster: parent name "my-project" has 1 parts instead of 4; want projects/PROJECT/locations/REGION
}

func ExampleParse() {
	m, err := cluster.Parse([]byte(`{"displayName": "research", "node_pools": [{"id": "cpu", "scalingSpec": {"max_node_count": "8"}}]}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.DisplayName, m.NodePool("cpu").ScalingSpec.MaxNodeCount)
	// Output: research 8
}

// What is wrong in a file is said with its place.
func ExampleParseDocument() {
	d, err := cluster.ParseDocument("want.yaml", []byte("node_pools:\n  - id: cpu\n    boot_disk: {boot_disk_size_gb: many}\n"))
	fmt.Println(d != nil, err)
	// Output:
	// false cluster: want.yaml:3:36: node_pools[0].boot_disk.boot_disk_size_gb: want an integer, got "many"
}

func ExampleReadFile() {
	m, err := cluster.ReadFile("testdata/payloads/cpu-only.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(m.NodePools), "pools")

	_, err = cluster.ReadFile("missing.json")
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output:
	// 2 pools
	// true
}

// WriteFile chooses the format by the name.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cluster.yaml")
	if err := cluster.WriteFile(path, &cluster.ModelDevelopmentCluster{DisplayName: "research"}); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	fmt.Print(string(text), err, "\n")
	// Output:
	// display_name: research
	// <nil>
}

func ExampleFormatJSON() {
	m := &cluster.ModelDevelopmentCluster{
		DisplayName: "research",
		NodePools:   []*cluster.NodePool{{ID: "cpu", ScalingSpec: &cluster.ScalingSpec{MaxNodeCount: 8}}},
	}
	text, err := cluster.FormatJSON(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// {
	//   "display_name": "research",
	//   "node_pools": [
	//     {
	//       "id": "cpu",
	//       "scaling_spec": {
	//         "max_node_count": 8
	//       }
	//     }
	//   ]
	// }
}

// The project in an answer is a number, whatever was asked for.
func ExampleParseName() {
	n, err := cluster.ParseName("projects/123456789012/locations/us-central1/modelDevelopmentClusters/training")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Location, n.ID)

	_, err = cluster.ParseName("training")
	fmt.Println(err)
	// Output:
	// us-central1 training
	// cluster: cluster name "training" has 1 parts instead of 6; want projects/PROJECT/locations/REGION/modelDevelopmentClusters/ID
}

// A mask of a command line. What the service would not take is refused with what it would.
func ExampleParseFieldMask() {
	mask, err := cluster.ParseFieldMask("labels,nodePools")
	fmt.Println(mask, err)

	_, err = cluster.ParseFieldMask("node_pools.node_image")
	fmt.Println(err)
	// Output:
	// labels,node_pools <nil>
	// cluster: update mask path "node_pools.node_image": the field node_pools is replaced whole, and no path leads into it; read it, change it and mask node_pools
}

// The mask of what differs.
func ExampleChangedFields() {
	ctx := context.Background()
	c := newClient(ctx)
	current, err := c.GetCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	want, err := c.GetCluster(ctx, "training")
	if err != nil {
		log.Fatal(err)
	}
	want.Labels = map[string]string{"team": "research"}
	fmt.Println(cluster.ChangedFields(current, want))
	// Output: labels <nil>
}

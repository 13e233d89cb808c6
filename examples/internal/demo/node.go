package demo

import (
	"context"
	"fmt"
	"io"

	"github.com/trainingclusters/trainingclusters-go/cluster"
)

// ShowNode reads a cluster, and prints the state of one of its nodes.
func ShowNode(ctx context.Context, out io.Writer, c *cluster.Client, name, node string) error {
	m, err := c.GetCluster(ctx, name)
	if err != nil {
		return err
	}
	state := "in no state that the service tells"
	if m.ClusterStatus != nil {
		for _, status := range m.ClusterStatus.NodesStatus {
			if status.Instance == node {
				state = string(status.NodeState)
			}
		}
	}
	_, err = fmt.Fprintf(out, "%s is %s\n", node, state)
	return err
}

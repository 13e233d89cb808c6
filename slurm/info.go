package slurm

import (
	"context"
	"fmt"
)

// Ping asks Slurm's REST daemon whether its controllers answer, and returns what it found. If none is up, the error
// matches [ErrUnavailable], and the controllers are returned beside it.
func (c *Client) Ping(ctx context.Context) (ControllerList, error) {
	r, err := c.read(ctx, "ping", c.live("ping/"))
	if err != nil {
		return nil, err
	}
	controllers, err := decodeControllers(r)
	if err == nil {
		err = r.err()
	}
	if err != nil {
		return controllers, err
	}
	for _, controller := range controllers {
		if controller.Up {
			return controllers, nil
		}
	}
	failure := r.failure()
	failure.Partial = len(controllers) > 0
	// The number by which other calls fail while the controller is down; ping itself reports success.
	failure.Problems = []Problem{{Number: numberNoController, Message: "Unable to contact slurm controller"}}
	failure.Text = misunderstood(controllers)
	return controllers, failure
}

// misunderstood tells of the first word that could not be read of those by which a controller is up; "" if all could.
func misunderstood(controllers []*Controller) string {
	for i, controller := range controllers {
		for _, odd := range controller.Odd {
			if odd.Member == "pinged" || odd.Member == "responding" {
				return fmt.Sprintf("unexpected answer: pings[%d].%s: %s", i, odd.Member, odd.Problem)
			}
		}
	}
	return ""
}

// Partitions reads the partitions of the cluster that the caller may see.
//
// Partitions that come with an error matching [ErrPartial] are valid; so it is for Nodes and Licenses.
func (c *Client) Partitions(ctx context.Context) (PartitionList, error) {
	r, err := c.read(ctx, "list partitions", c.live("partitions/"))
	if err != nil {
		return nil, err
	}
	partitions, err := decodePartitions(r)
	return partitions, r.partialErr(err, len(partitions))
}

// Nodes reads the nodes of the cluster, powered-down cloud nodes included.
func (c *Client) Nodes(ctx context.Context) (NodeList, error) {
	r, err := c.read(ctx, "list nodes", c.live("nodes/"))
	if err != nil {
		return nil, err
	}
	nodes, err := decodeNodes(r)
	return nodes, r.partialErr(err, len(nodes))
}

// Licenses reads the licenses that Slurm counts on the cluster.
func (c *Client) Licenses(ctx context.Context) (LicenseList, error) {
	r, err := c.read(ctx, "list licenses", c.live("licenses/"))
	if err != nil {
		return nil, err
	}
	licenses, err := decodeLicenses(r)
	return licenses, r.partialErr(err, len(licenses))
}

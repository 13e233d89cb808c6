package demo

import (
	_ "embed"
	"net/http"
	"os"
	"time"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/slurmproxy"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// GuideCluster is the CPU-only cluster of the service's guide, in the guide's spelling: the pools "cpu", of two nodes,
// and "login", and the partition "cpu".
//
//go:embed cluster.json
var GuideCluster []byte

// GPUCluster is the guide's cluster with the pools "a4", of two nodes with 8 GPUs each, and "login".
//
//go:embed gpu.json
var GPUCluster []byte

// LegacyCluster is the guide's cluster with Slurm settings in the older form, Scheduling and Accounting.
//
//go:embed legacy.json
var LegacyCluster []byte

// embeddedProject is the project that the servers of package clustertest serve.
const embeddedProject = "my-project"

// Servers are the service in memory, without a cluster, and behind it the slurmrestd at address, or if that is empty a
// Slurm in memory too. What address may be is told by [slurmproxy.New]; its token comes from $SLURM_JWT.
func Servers(address string, opts ...clustertest.Option) (*clustertest.Server, error) {
	var slurm http.Handler = slurmtest.NewServer(slurmtest.WithCompletingTime(time.Second))
	if address != "" {
		var err error
		if slurm, err = slurmproxy.New(address, os.Getenv("SLURM_JWT")); err != nil {
			return nil, err
		}
	}
	return clustertest.NewServer(append(opts, clustertest.WithSlurm(slurm))...), nil
}

// Sample are the servers with [GuideCluster] on them, RUNNING, under a name that is an id or full. Operations are
// done when they have been started, so that nobody waits.
func Sample(name string) (*clustertest.Server, error) { return SampleOf(name, GuideCluster) }

// SampleOf is [Sample] with another cluster, as a JSON document, and further options.
func SampleOf(name string, document []byte, opts ...clustertest.Option) (*clustertest.Server, error) {
	srv, err := Servers("", append([]clustertest.Option{clustertest.WithOperationTime(0)}, opts...)...)
	if err != nil {
		return nil, err
	}
	if err := srv.AddCluster(name, document); err != nil {
		return nil, err
	}
	return srv, nil
}

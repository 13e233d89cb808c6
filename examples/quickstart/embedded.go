package main

import (
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// embeddedServers are the service and its Slurm in memory, hurried so that nobody waits for minutes.
func embeddedServers() []option.ClientOption {
	srv := clustertest.NewServer(
		clustertest.WithOperationTime(2*time.Second),
		clustertest.WithSlurm(slurmtest.NewServer(slurmtest.WithCompletingTime(time.Second))),
	)
	return srv.ClientOptions()
}

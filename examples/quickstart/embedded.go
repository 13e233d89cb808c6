package main

import (
	"net/http"
	"os"
	"time"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/internal/slurmproxy"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// embeddedServers are the service in memory, hurried so that nobody waits for minutes, and behind it the slurmrestd at
// address, or without one a Slurm in memory too.
func embeddedServers(address string) ([]option.ClientOption, error) {
	var slurm http.Handler = slurmtest.NewServer(slurmtest.WithCompletingTime(time.Second))
	if address != "" {
		var err error
		if slurm, err = slurmproxy.New(address, os.Getenv("SLURM_JWT")); err != nil {
			return nil, err
		}
	}
	srv := clustertest.NewServer(clustertest.WithOperationTime(2*time.Second), clustertest.WithSlurm(slurm))
	return srv.ClientOptions(), nil
}

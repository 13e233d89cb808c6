package slurm_test

import (
	"context"
	"log"

	"github.com/trainingclusters/trainingclusters-go/cluster/clustertest"
	"github.com/trainingclusters/trainingclusters-go/slurm"
	"github.com/trainingclusters/trainingclusters-go/slurm/slurmtest"
)

// openTraining stands for slurm.Open in the examples: a cluster in memory, where jobs start and end at once unless
// their scripts say otherwise.
func openTraining(ctx context.Context, opts ...slurmtest.Option) *slurm.Client {
	srv := slurmtest.NewServer(append([]slurmtest.Option{
		slurmtest.WithScheduleDelay(0), slurmtest.WithCompletingTime(0), slurmtest.WithRunTime(0),
	}, opts...)...)
	service := clustertest.NewServer(clustertest.WithSlurm(srv))
	if err := service.AddCluster("training", nil); err != nil {
		log.Fatal(err)
	}
	client, err := slurm.Open(ctx, clusterName, service.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// job is a spec that the examples about other verbs submit.
func job(name, script string) *slurm.JobSpec {
	return &slurm.JobSpec{Name: name, WorkingDirectory: "/home/alice", Script: "#!/bin/bash\n" + script + "\n"}
}

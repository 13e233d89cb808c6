/*
Package trainingclusters is the root of a Go SDK for the training clusters of Google's Gemini Enterprise Agent
Platform: managed Slurm clusters for the training of large models. It holds no code; import what you need:

  - [github.com/trainingclusters/trainingclusters-go/cluster] creates, reads, updates and deletes clusters, and
    keeps updates from deleting what they were not meant to.
  - [github.com/trainingclusters/trainingclusters-go/slurm] submits, follows and cancels jobs, without SSH.
  - [github.com/trainingclusters/trainingclusters-go/lro] waits for long-running operations, and resumes them by
    name.
  - [github.com/trainingclusters/trainingclusters-go/auth] finds credentials, and says what to do when it does not.
  - [github.com/trainingclusters/trainingclusters-go/cluster/clustertest] and
    [github.com/trainingclusters/trainingclusters-go/slurm/slurmtest] are the service and its Slurm in memory, for
    tests of your own code.

Each package's documentation is a tour in reading order. Start with package cluster for clusters and with package
slurm for jobs; examples/quickstart shows both at work.
*/
package trainingclusters

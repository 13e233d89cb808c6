// Package conformance proves that the Slurm in memory behaves as the real one does, and package slurm as it says on
// both.
//
// It holds one suite of tests and nothing else. The cases are written once, against [slurm.Client] behind the test
// server of package clustertest, and do not know what Slurm they talk to:
//
//	go test ./internal/conformance                                  # slurmtest, in virtual time
//	go test -tags realslurm -count=1 ./internal/conformance         # and the real one of internal/realslurm
//
// A case that passes on the real Slurm and fails on slurmtest is a bug of slurmtest. What the two need not have in
// common is how long things take: a case waits until something happens, and never looks at the clock.
//
// [slurm.Client]: https://pkg.go.dev/github.com/trainingclusters/trainingclusters-go/slurm#Client
package conformance

//go:build !race

package slurm_test

// loadCalls are made in the test of load.
const loadCalls = 10_000

//go:build race

package slurm_test

// Under the race detector pools drop some of what they are given, so that more is allocated, and queues are shorter: it
// makes the test servers many times as slow, and a request stays one.
const (
	allocFactor = 2
	someJobs    = 50
	manyJobs    = 100
)

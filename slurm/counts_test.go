//go:build !race

package slurm_test

const (
	// allocFactor is what bounds of allocations are multiplied by.
	allocFactor = 1
	// someJobs and manyJobs are in the queue where requests are counted, beside a single one.
	someJobs = 500
	manyJobs = 1000
)

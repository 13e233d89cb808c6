//go:build race

package slurm

// The numbers are lower here: the race detector makes each case many times as slow, and the cases are the same ones.
const (
	longList  = 5_000
	chunkings = 3
)

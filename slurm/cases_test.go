//go:build !race

package slurm

const (
	// longList is how many jobs a list has that no program should have to hold: half a GB of JSON.
	longList = 100_000
	// chunkings is in how many ways a recorded answer is cut into parts.
	chunkings = 24
)

//go:build race

package slurm_test

// loadCalls are fewer here: the race detector makes the test servers many times as slow.
const loadCalls = 2_000

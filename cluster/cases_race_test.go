//go:build race

package cluster_test

// cases is lower here: the race detector makes each many times as slow, and the cases are the same ones.
const cases = 1_000

//go:build !race

package cluster_test

// cases is how many random updates, and how many random edits, the properties of plans are tried on.
const cases = 10_000

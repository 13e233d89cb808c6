//go:build !race

package lro_test

// allocFactor is what bounds of allocations are multiplied by.
const allocFactor = 1

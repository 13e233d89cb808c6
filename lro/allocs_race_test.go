//go:build race

package lro_test

// allocFactor: under the race detector pools drop some of what they are given, so that more is allocated.
const allocFactor = 2

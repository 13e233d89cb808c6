//go:build race

package main

// cases is lower here: the race detector makes each many times as slow, and the cases are the same ones.
const cases = 60
